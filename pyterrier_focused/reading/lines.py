"""Lines of white-space separated fields as columns; a line that does not fit is named, or left out and counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..errors import FormatError, check_choice, warn_caller
from ..frames.spans import Floats, Ints
from .files import Source, read_bytes

Bools = NDArray[np.bool_]

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
_CONTROLS = bytes(code for code in range(32) if chr(code) not in "\t\n") + b"\x7f"
# White space of other scripts.
_FOREIGN_SPACE = re.compile("[^\\S \t\r\n]|[\x1c-\x1f]")
_NO_NAME = re.compile("[\\s\x00-\x20\x7f\ud800-\udfff\ufeff\ufffe\uffff]")


class BadLine(ValueError):
    """A fault of a line, in the same words each time so that faults can be counted, and what to do about it."""

    def __init__(self, reason: str, advice: str):
        super().__init__(f"{reason}; {advice}" if advice else reason)
        self.reason = reason


class Faults:
    """What becomes of bad lines: `errors='raise'` raises the first, `'skip'` counts them and warns at the end."""

    def __init__(self, file: str, errors: str):
        check_choice("errors", errors, ("raise", "skip"))
        self.file = file
        self._errors = errors
        self._counts: Counter[str] = Counter()
        self._first_lines: dict[str, int] = {}

    def add(self, bad: BadLine, line: int, text: str) -> None:
        """Raise *bad* as a FormatError, or count it."""
        if self._errors == "raise":
            raise FormatError(str(bad), file=self.file, line=line, text=text) from None
        self._counts[bad.reason] += 1
        self._first_lines.setdefault(bad.reason, line)

    def report(self) -> None:
        """Warn of what was skipped: how many lines, why, and the first of each kind."""
        if self._counts:
            counts = self._counts.items()
            why = "; ".join(f"{n} x {reason} (first: line {self._first_lines[reason]})" for reason, n in counts)
            warn_caller(f"{self.file}: {self._counts.total()} skipped: {why}")


class Lines:
    """The lines of a file that are not blank, in columns of fields.

    Each method looks at all lines at once, and notes the lines that do not fit; of a line the first fault counts. In
    the end `find_good` hands them to *faults*, in the order of the file.

    Args:
        comment: What lines begin with that are no data.

    Attributes:
        number: The physical number of each line, from 1.
        count: The number of fields of each line.

    Example:
        >>> import io
        >>> lines = Lines(io.BytesIO(b"q1 a 1\\n\\nq1 b 2\\n"), Faults("my.file", "raise"))
        >>> lines.number.tolist(), lines.names(1, lines.find_good()).tolist(), lines.whole(2, "label").tolist()
        ([1, 3], ['a', 'b'], [1, 2])
    """

    def __init__(self, source: Source, faults: Faults, comment: str = "") -> None:
        data = read_bytes(source).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        odd = _find_odd_lines(data)
        text = pa.array([data.decode("utf-8", "replace")], pa.large_string())
        self._text = pc.split_pattern(text, "\n").flatten()
        trimmed = pc.ascii_trim_whitespace(self._text)
        taken = pc.binary_length(trimmed).to_numpy() > 0
        taken[list(odd)] = True
        if comment:
            taken &= ~_to_numpy(pc.starts_with(trimmed, comment))
        index = np.flatnonzero(taken)
        fields = pc.ascii_split_whitespace(trimmed.take(pa.array(index)))
        self.number: Ints = index + 1
        self.count: Ints = fields.value_lengths().to_numpy().astype(np.int64)
        self.first: Ints = fields.offsets.to_numpy()[:-1].astype(np.int64)
        self.values: pa.Array = fields.flatten()
        self._faults = faults
        self._bad = {row: odd[line] for row, line in enumerate(index.tolist()) if line in odd} if odd else {}

    def field(self, field: int) -> pa.Array:
        """Return a field of each line, counted from 0, as text; a line without it has another, and is bad already."""
        return self.values.take(pa.array(self.first + np.minimum(field, self.count - 1)))

    def begins(self, field: int, prefix: str) -> Bools:
        """Tell in which lines a field begins with *prefix*."""
        return _to_numpy(pc.starts_with(self.field(field), prefix))

    def is_in(self, field: int, values: Sequence[str]) -> Bools:
        """Tell in which lines a field is one of the *values*."""
        return _to_numpy(pc.is_in(self.field(field), pa.array(values, pa.large_string())))

    def names(self, field: int, good: Bools) -> pd.Series:
        """Return a field of the good lines, as a column of Python's strings."""
        return pd.Series(self.field(field).filter(pa.array(good)).to_pylist(), dtype=object)

    def expect(self, least: int, most: int, layout: str) -> None:
        """Note lines that have fewer fields than *least*, or more than *most*."""
        wrong = np.flatnonzero((self.count < least) | (self.count > most))
        number = f"{least}" if least == most else f"{least} or {'more' if most > least + 1 else most}"
        for row in wrong.tolist():
            self.note(row, BadLine(f"{self.count[row]} fields instead of {number}", layout))

    def note(self, row: int, bad: BadLine) -> None:
        """Note the fault of one line, unless it has one."""
        self._bad.setdefault(row, bad)

    def refuse(self, bad: Bools, reason: str, advice: str | Callable[[int], str]) -> None:
        """Note *bad* lines; the advice may be a function of the row."""
        for row in np.flatnonzero(bad).tolist():
            self.note(row, BadLine(reason, advice if isinstance(advice, str) else advice(row)))

    def refuse_repeated(self, fields: tuple[int, int], reason: str) -> None:
        """Note lines that have the same two fields as one before that is good so far."""
        rows = np.arange(len(self.number))
        fine = np.setdiff1d(rows, list(self._bad))
        first, second = (self.field(name).dictionary_encode().indices.to_numpy().astype(np.int64) for name in fields)
        pair = first * len(rows) + second
        earlier = rows.copy()
        earlier[fine] = pd.Series(fine).groupby(pair[fine]).transform("first")
        self.refuse(earlier < rows, reason, lambda row: f"keep this line or line {self.number[earlier[row]]}")

    def whole(self, field: int, name: str, default: Bools | None = None) -> Ints:
        """Read a field as whole numbers of 64 bits; 0 in lines of *default*, whatever they hold."""
        texts = self.field(field)
        if default is not None:
            texts = pc.if_else(pa.array(default), pa.scalar("0", pa.large_string()), texts)
        try:
            is_number = pc.ascii_is_decimal(texts)
            if not pc.all(is_number, min_count=0).as_py():
                is_number = pc.match_substring_regex(texts, r"^-?[0-9]+$")
            if pc.all(is_number, min_count=0).as_py():
                numbers: Ints = texts.cast(pa.int64()).to_numpy()
                return numbers
        except pa.ArrowInvalid:
            pass
        return self._read_each(texts, name, whole, np.int64)

    def decimal(self, field: int, name: str) -> Floats:
        """Read a field as finite decimal numbers."""
        texts = self.field(field)
        try:
            numbers: Floats = texts.cast(pa.float64()).to_numpy()
            if np.isfinite(numbers).all():
                return numbers
        except pa.ArrowInvalid:
            pass
        return self._read_each(texts, name, decimal, np.float64)

    def spans(self, fields: tuple[int, int], names: tuple[str, str], default: Bools | None = None) -> tuple[Ints, Ints]:
        """Read two fields, an offset and a length, as the starts and ends of half-open spans."""
        start = self.whole(fields[0], names[0], default)
        size = self.whole(fields[1], names[1], default)
        self.refuse(start < 0, f"{names[0]} is negative", "offsets count characters from 0")
        advice = "a passage has characters, or none if it is an entry point"
        self.refuse(size < 0, f"{names[1]} is negative", advice)
        self.refuse(start > 2**63 - 1 - np.maximum(size, 0), "the part ends beyond 64 bits", "check the line")
        with np.errstate(over="ignore"):
            return start, start + size

    def find_good(self) -> Bools:
        """Tell which lines are without fault; hand the others to the faults."""
        good = np.ones(len(self.number), dtype=bool)
        for row in sorted(self._bad):
            line = int(self.number[row])
            self._faults.add(self._bad[row], line, self._text[line - 1].as_py())
            good[row] = False
        return good

    def _read_each(self, texts: pa.Array, name: str, read: Callable[[str, str], float], dtype: type) -> NDArray[Any]:
        """Read texts one by one, which tells the ones that are no numbers; these are 0."""
        numbers: NDArray[Any] = np.zeros(len(texts), dtype=dtype)
        for row, text in enumerate(texts.to_pylist()):
            try:
                numbers[row] = read(text, name)
            except BadLine as bad:
                self.note(row, bad)
        return numbers


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
    if _DECIMAL.fullmatch(value) is None or abs(float(value)) == float("inf"):
        raise BadLine(f"{name} is not a finite number", "write a decimal, such as 12.5 or 1e-3")
    return float(value)


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


def _find_odd_lines(data: bytes) -> dict[int, BadLine]:
    """Find the lines, from 0, whose fields cannot be told: they are not UTF-8, or hold what is no text."""
    whole_text = data.decode("utf-8", "replace")
    is_plain = len(data.translate(None, _CONTROLS)) == len(data) and whole_text.encode() == data
    if is_plain and (data.isascii() or not _FOREIGN_SPACE.search(whole_text)):
        return {}
    odd = {}
    for number, raw in enumerate(data.split(b"\n")):
        text = raw.decode("utf-8", "replace")
        space = _FOREIGN_SPACE.search(text)
        if text.encode() != raw:
            odd[number] = BadLine("bytes that are not UTF-8", "convert the file to UTF-8")
        elif raw.translate(None, _CONTROLS) != raw:
            odd[number] = BadLine("a control character", "the file is damaged, or is not text")
        elif space:
            odd[number] = BadLine(f"white space U+{ord(space[0]):04X}", "separate fields by blanks or tabs only")
    return odd


def _to_numpy(column: pa.Array) -> Bools:
    values: Bools = column.to_numpy(zero_copy_only=False)
    return values
