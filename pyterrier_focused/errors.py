"""The exceptions of pyterrier_focused: all are FocusedError, and ValueError or ImportError, which callers may catch."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable, Iterable
from functools import wraps
from types import ModuleType
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

# Packages between the user's code and this one: a warning points past them.
_BETWEEN = {"pyterrier_focused", "pyterrier", "ir_measures", "pandas", "contextlib", "functools", "importlib"}

# Advice that several errors give
COLLECTION = "collection=Collection(...)"
GIVE_COLLECTION = "pass collection=Collection(...)"
COUNT_ABSENT = "missing='official'"
SKIP_ERRORS = "errors='skip'"
ANY_REPEATED = "repeated='any'"
WHOLE_DOCUMENT = "say whole=True"
LOCATED = "result.located"


class FocusedError(Exception):
    """Any error that this package raises under a name of its own."""


class FormatError(FocusedError, ValueError):
    """A line or element of an input file cannot be read: names the file, the line, the text and what to do."""

    def __init__(self, message: str, *, file: str | None = None, line: int | None = None, text: str | None = None):
        self.file = file
        self.line = line
        self.text = text
        where = ":".join(str(part) for part in (file, line) if part is not None)
        quoted = f" (found: {_shorten_text(text)!r})" if text is not None else ""
        super().__init__(f"{where}: {message}{quoted}" if where else f"{message}{quoted}")


class KindError(FormatError):
    """A file is of another kind than was asked for: a run in the place of qrels, or qrels in that of a run."""


class EvidenceError(FormatError):
    """Evidence cannot be located in its articles; `problems` lists where it is given, why it fails, and its places."""

    def __init__(self, message: str, *, file: str, problems: list[dict[str, object]]):
        self.problems = problems
        super().__init__(message, file=file)


class RequirementError(FocusedError, ValueError):
    """A mean falls short of what was required: `questions` holds a row for each question, the worst first."""

    def __init__(self, message: str, questions: object):
        self.questions = questions
        super().__init__(message)


class OverlapError(FocusedError, ValueError):
    """Two retrieved parts of one article and topic share characters: names the topic, the article and both spans."""

    def __init__(self, qid: str, docno: str, first: tuple[int, int], second: tuple[int, int], advice: str):
        self.qid = qid
        self.docno = docno
        self.first = first
        self.second = second
        self.advice = advice
        super().__init__(
            f"topic {qid!r}, article {docno!r}: the parts [{first[0]}, {first[1]}) and [{second[0]}, {second[1]}) "
            f"overlap{advice and '; '}{advice}"
        )


class SpanError(FocusedError, ValueError):
    """A coordinate is not a half-open span of characters: names the column, the topic and the article."""


class EvaluationWarning(UserWarning):
    """Run, qrels and articles do not fit together: the scores are probably not what was meant."""


class ForeignIdsWarning(EvaluationWarning):
    """No topic of a run, or none of its articles, is in the qrels: every score is 0."""


class LossWarning(UserWarning):
    """A format has no place for passages, highlights or best entry points of the frame that is written in it."""


class CollectionError(FocusedError, ValueError):
    """A collection cannot be built, resumed or opened."""


class BuildError(CollectionError):
    """A build ended without a usable collection: no article, a source cut short, or too many articles rejected."""


class MissingExtraError(FocusedError, ImportError):
    """A package of an optional extra is not installed: names the extra."""


def import_extra(module: str, extra: str) -> ModuleType:
    """Import *module*, which the optional *extra* of this package brings; the error names the extra."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"this needs {module.partition('.')[0]!r}, which is not installed: pip install 'pyterrier-focused[{extra}]'"
        ) from error


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn, pointing at the line of the user's code that led here."""
    frame = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _BETWEEN:
        frame = frame.f_back
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    module = frame.f_globals.get("__name__")
    warnings.warn_explicit(message, category, frame.f_code.co_filename, frame.f_lineno, module, registry)


def name_some(names: Iterable[object], most: int = 5) -> str:
    """Join the first *most* names for a message, and count the others.

    Example:
        >>> name_some("abcd", 3)
        'a, b, c and 1 more'
    """
    named = list(map(str, names))
    others = len(named) - most
    return ", ".join(named[:most]) + (f" and {others} more" if others > 0 else "")


def check_choice(name: str, value: object, choices: Iterable[object]) -> None:
    """Raise a ValueError if the option called *name* has a value that is none of the *choices*."""
    allowed = tuple(choices)
    if value not in allowed:
        raise ValueError(f"{name}={value!r}; choose one of {', '.join(map(repr, allowed))}")


def refuse_keyword(wrong: str, advice: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator: a call with the keyword *wrong* is a TypeError that gives the advice.

    Functions that need a Collection call it `collection`; those that take any mapping of texts, `corpus`. The error
    tells which to write.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(*arguments: P.args, **keywords: P.kwargs) -> R:
            if wrong in keywords:
                raise TypeError(f"{function.__name__}() takes no {wrong}=; {advice}")
            return function(*arguments, **keywords)

        return call

    return decorate


takes_corpus = refuse_keyword("collection", "give the texts as corpus=: a Collection, a mapping, a frame or a path")


def _shorten_text(text: str, width: int = 120) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."
