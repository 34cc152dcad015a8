"""Line-by-line reading of field files, which says what is wrong, in which line, and what to do about it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ..errors import FormatError, check_choice, warn_caller
from ..frames.spans import Span
from .fields import FOREIGN_SPACE

_WHOLE = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(
    r"""
    [+-]?
    (?: [0-9]+ (?: \. [0-9]* )?  # 12, 12. or 12.5
      | \. [0-9]+ )             # .5
    (?: [eE] [+-]? [0-9]+ )?
    """,
    re.VERBOSE,
)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_NO_NAME = re.compile("[\\s\x00-\x20\x7f\ud800-\udfff\ufeff\ufffe\uffff]")


class BadLine(ValueError):
    """A fault of a line, in the same words each time so that faults can be counted, and what to do about it."""

    def __init__(self, reason: str, advice: str):
        super().__init__(f"{reason}; {advice}" if advice else reason)
        self.reason = reason


# A line of a file: its physical number from 1, its text, and its fields. A class would cost a tenth of readers' time.
Line = tuple[int, str, list[str]]


class Faults:
    """What becomes of bad lines: `errors='raise'` raises the first, `'skip'` keeps them and warns at the end."""

    def __init__(self, file: str, errors: str):
        check_choice("errors", errors, ("raise", "skip"))
        self.file = file
        self._errors = errors
        # Reason, line and text of each.
        self.found: list[tuple[str, int, str]] = []

    def add(self, bad: BadLine, line: int, text: str) -> None:
        """Raise *bad* as a FormatError, or keep it."""
        if self._errors == "raise":
            raise FormatError(str(bad), file=self.file, line=line, text=text) from None
        self.found.append((bad.reason, line, text))

    def report(self) -> None:
        """Warn of what was skipped: how many lines, why, and the first of each kind."""
        if self.found:
            first_lines = {reason: line for reason, line, _ in reversed(self.found)}
            counts = Counter(reason for reason, _, _ in self.found)
            why = "; ".join(f"{n} x {reason} (first: line {first_lines[reason]})" for reason, n in counts.items())
            warn_caller(f"{self.file}: {len(self.found)} skipped: {why}")


def field_lines(data: bytes, faults: Faults) -> Iterator[Line]:
    """Yield the lines that are not blank; those whose fields cannot be told go to *faults*.

    Example:
        >>> [fields for _, _, fields in field_lines(b"q1 Q0 a 1\\n\\n", Faults("my.qrels", "raise"))]
        [['q1', 'Q0', 'a', '1']]
    """
    physical = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    for number, raw in enumerate(physical, start=1):
        text = raw.decode("utf-8", "replace")
        try:
            fields = _split_fields(raw, text)
        except BadLine as bad:
            faults.add(bad, number, text)
            continue
        if fields:
            yield number, text, fields


def whole(value: str, name: str) -> int:
    """Read a field, called *name* in errors, as a whole number of 64 bits: ASCII digits with or without a sign.

    Example:
        >>> whole("-12", "offset")
        -12
    """
    if not _WHOLE.fullmatch(value):
        raise BadLine(f"{name} is not a whole number", "use only the digits 0-9")
    if len(value) > 40 or not -(2**63) <= int(value) < 2**63:
        raise BadLine(f"{name} is beyond 64 bits", "check the line")
    return int(value)


def decimal(value: str, name: str) -> float:
    """Read a field, called *name* in errors, as a finite decimal number, with or without an exponent.

    Example:
        >>> decimal("1e-3", "score")
        0.001
    """
    if not is_decimal(value):
        raise BadLine(f"{name} is not a finite number", "write a decimal, such as 12.5 or 1e-3")
    return float(value)


def span(offset: str, length: str, names: tuple[str, str]) -> Span:
    """Read an offset and a length, called *names* in errors, as a half-open span."""
    start = whole(offset, names[0])
    size = whole(length, names[1])
    if start < 0:
        raise BadLine(f"{names[0]} is negative", "offsets count characters from 0")
    if size < 0:
        raise BadLine(f"{names[1]} is negative", "a passage has characters, or none if it is an entry point")
    if start + size >= 2**63:
        raise BadLine("the part ends beyond 64 bits", "check the line")
    return start, start + size


def is_decimal(value: str) -> bool:
    """Tell whether *value* is a finite decimal number in ASCII."""
    return _DECIMAL.fullmatch(value) is not None and abs(float(value)) != float("inf")


def number_text(number: float) -> str:
    """Write a number in as few digits as read back the same."""
    return repr(float(number)).removesuffix(".0")


def field_text(value: object, name: str) -> str:
    """Write a name as one field of a line. Raises ValueError if a reader could not take it as one.

    Example:
        >>> field_text("q 1", "the qid")
        Traceback (most recent call last):
        ValueError: the qid 'q 1' cannot be written: it is empty, or holds white space or control characters
    """
    text = str(value)
    if not text or _NO_NAME.search(text):
        raise ValueError(f"{name} {text!r} cannot be written: it is empty, or holds white space or control characters")
    return text


def _split_fields(raw: bytes, text: str) -> list[str]:
    if raw.isascii():
        if _CONTROL.search(text):
            raise BadLine("a control character", "the file is damaged, or is not text")
        return text.split()
    try:
        raw.decode()
    except UnicodeDecodeError:
        raise BadLine("bytes that are not UTF-8", "convert the file to UTF-8") from None
    if _CONTROL.search(text):
        raise BadLine("a control character", "the file is damaged, or is not text")
    space = FOREIGN_SPACE.search(text)
    if space:
        raise BadLine(f"white space U+{ord(space[0]):04X}", "separate fields by blanks or tabs only")
    return text.split()
