"""What all measures of this package share: parameters that are checked and written one way."""

from __future__ import annotations

import inspect
import math
import textwrap
from collections.abc import Callable, Collection
from itertools import count
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from ir_measures import measures
from numpy.typing import NDArray

from ..frames.spans import Floats, ratio
from .ranking import Ranking

if TYPE_CHECKING:
    from typing_extensions import Self

Amounts = NDArray[np.int64] | NDArray[np.floating[Any]]
NOT_PROVIDED: Any = measures.ParamInfo().default
_KEYWORD = inspect.Parameter.KEYWORD_ONLY


class Param(measures.ParamInfo):
    """A parameter's declaration: type, default, choices, what it means, and what values it takes."""

    def __init__(
        self,
        dtype: type,
        desc: str,
        *,
        default: object = NOT_PROVIDED,
        required: bool = False,
        choices: Collection[str] | None = None,
        check: Callable[[Any], bool] = lambda value: True,
        expects: str = "",
    ):
        super().__init__(dtype=dtype, required=required, default=default, desc=desc, choices=choices or NOT_PROVIDED)
        self.check = check
        self.expects = expects

    def normalise(self, name: str, value: object) -> object:
        """Return the value in the one form in which measures compare; ValueError if it is not allowed."""
        if self.choices is not NOT_PROVIDED:
            if isinstance(value, str) and value in self.choices:
                return str(value)
            raise ValueError(f"{name}={value!r}: choose one of {', '.join(map(repr, self.choices))}")
        if isinstance(value, bool | np.bool_):
            if self.dtype is bool:
                return bool(value)
        elif isinstance(value, Real):
            try:
                # no negative zero
                number = float(value) + 0.0
            except OverflowError:
                number = math.inf
            if abs(number) < 1e100 and (self.dtype is float or (self.dtype is int and number.is_integer())):
                number = self.dtype(number)
                if self.check(number):
                    return number
        raise ValueError(f"{name}={value!r}: it must be {self.expects}")


class Number(Param):
    """A real parameter that is written as a whole number if it is one: `n=1000`, `beta=0.5`."""

    def normalise(self, name: str, value: object) -> object:
        number = cast(float, super().normalise(name, value))
        return int(number) if number.is_integer() and number < 2**53 else number


def cutoff(desc: str, *, default: object = NOT_PROVIDED, required: bool = False) -> Param:
    expects = "a whole number from 1 to 2**53"
    return Param(int, desc, default=default, required=required, check=lambda value: 1 <= value < 2**53, expects=expects)


def positive(desc: str, default: object = NOT_PROVIDED) -> Param:
    """Declare a parameter that is a number above 0, in a range where squares and products with sizes fit a float."""
    expects = "a positive number, between 1e-100 and 1e100"
    return Number(float, desc, default=default, check=lambda value: value > 1e-100, expects=expects)


OVERLAP = Param(
    str,
    "'error' refuses parts of one article that overlap; 'once' counts each character where it first comes",
    default="error",
    choices=("error", "once"),
)


REPEAT = Param(
    str,
    "'error' refuses parts of one article that overlap; 'once' counts each character where it first comes, 'repeat' "
    "each time it is returned, 'noise' each time as read but only the first time as relevant",
    default="error",
    choices=("error", "once", "repeat", "noise"),
)


RECALL = Param(
    float,
    "recall level in [0, 1], as the decimal that is written",
    required=True,
    check=lambda value: 0 <= value <= 1,
    expects="a recall level in [0, 1]",
)


class Unit(Param):
    """What text is counted in: an object that knows the texts, since measures see offsets only."""

    def normalise(self, name: str, value: object) -> object:
        if callable(getattr(value, "convert_spans", None)):
            return value
        raise ValueError(
            f"{name}={value!r}: measures see offsets, not text; give Tokens(corpus, tokenizer) or TextUnits(corpus, "
            "'lines'), which know both"
        )


UNIT = Unit(
    object, "what sizes and budgets count: Tokens(corpus, tokenizer), TextUnits(corpus, 'lines'); characters without it"
)


# of measures, as they are asked for
_ORDER = count()
M = TypeVar("M", bound="FocusedMeasure")


class FocusedMeasure(measures.Measure):
    """A measure of this package: a pure function of a Ranking, one value per judged topic.

    Measures that mean the same are the same: `iP@0` and `iP@0.00`, keywords in any order, numpy's numbers and Python's.
    """

    SUPPORTED_PARAMS: dict[str, measures.ParamInfo] = {}
    NAME: str
    __signature__: inspect.Signature
    PRETTY_NAME: str = ""
    SHORT_DESC: str = ""
    ALIASES: tuple[str, ...] = ()
    NEEDS_PASSAGES = True
    QRELS_COLUMNS: tuple[str, ...] = ("highlights",)
    # True if alternatives are measured one by one, and the best one counts; campaigns knew no alternatives.
    OF_ALTERNATIVES = True

    def __init_subclass__(cls) -> None:
        """Add the parameters, from their declarations, to the documentation and the signature of a measure."""
        super().__init_subclass__()
        defaults = {name: spec.default for name, spec in cls.SUPPORTED_PARAMS.items()}
        cls.__signature__ = inspect.Signature(
            [
                inspect.Parameter(name, _KEYWORD, default=None if value is NOT_PROVIDED else value)
                for name, value in defaults.items()
            ]
        )
        text = inspect.getdoc(cls) or ""
        if "Source:" in text and "Parameters:" not in text:
            cls.__doc__ = f"{text}\n\nParameters:{_describe_params(cls.SUPPORTED_PARAMS)}"

    @property
    def __name__(self) -> str:
        # ir_measures writes measures by this attribute
        return self.NAME

    def __init__(self, **params: object):
        name = self.NAME
        unknown = params.keys() - self.SUPPORTED_PARAMS.keys()
        if unknown:
            supported = ", ".join(self.SUPPORTED_PARAMS) or "none"
            raise ValueError(f"{name} has no parameter {', '.join(sorted(unknown))}; its parameters: {supported}")
        given = {}
        for key, spec in self.SUPPORTED_PARAMS.items():
            value = params.get(key)
            if value is None:
                continue
            value = spec.normalise(f"{name}: {key}", value) if isinstance(spec, Param) else value
            if value != spec.default:
                given[key] = value
        super().__init__(**given)
        self._repr = str(super().__repr__())
        self._hash = hash(self._repr)
        self.asked = next(_ORDER)
        self.check_params()

    def __call__(self, **params: object) -> Self:
        measure: Self = super().__call__(**params)
        return measure if params else measure.shown_as(self._repr)

    def __matmul__(self, at_param: object) -> Self:
        return self.__call__(**{str(self.AT_PARAM): at_param})

    def __reduce__(self) -> tuple[object, ...]:
        # made again in the process that reads it: hashes of text differ between processes
        return _make_again, (type(self), self.params, self.asked, self._repr)

    def shown_as(self, name: str) -> Self:
        """Return the measure under another name, such as the one by which it was asked for.

        Example:
            >>> from pyterrier_focused import CharP
            >>> CharP(overlap="once").shown_as("CharP")
            CharP
        """
        return _make_again(type(self), self.params, self.asked, name)

    def _repr_html_(self) -> str:
        """Show what the measure is: its formula, parameters, range and source, from its own documentation."""
        from html import escape

        text = f"{self.PRETTY_NAME or self.NAME}: {self.SHORT_DESC}\n\n{inspect.getdoc(type(self))}"
        return f"<div><strong>{escape(str(self))}</strong><pre>{escape(text)}</pre></div>"

    def __repr__(self) -> str:
        return self._repr

    def __hash__(self) -> int:
        return self._hash

    @property
    def is_share(self) -> bool:
        """Whether all values lie in [0, 1]; text that is counted each time it is returned may exceed it."""
        return bool(self.params.get("overlap") != "repeat")

    @classmethod
    def names(cls) -> tuple[str, ...]:
        return (cls.NAME, *cls.ALIASES)

    def check_params(self) -> None:
        """Raise a ValueError if parameters do not go together."""

    def validate_params(self) -> None:
        for key, spec in self.SUPPORTED_PARAMS.items():
            if spec.required and key not in self.params:
                advice = f": write {self.NAME}@..." if key == self.AT_PARAM else ""
                raise ValueError(f"{self.NAME} needs the parameter {key}{advice} ({spec.desc})")

    def param(self, key: str) -> Any:
        """Return the parameter's value, its default if it was not given, None if there is no default."""
        value = self[key]
        return None if value is NOT_PROVIDED else value

    def calculate(self, ranking: Ranking) -> Floats:
        """Score each judged topic; float64, in the order of `ranking.judgments.topics`."""
        raise NotImplementedError(f"{type(self).__name__} defines no calculation")


class RatioMeasure(FocusedMeasure):
    """A measure that divides two amounts of text per topic, so that it has a micro average: the ratio of their sums."""

    def fractions(self, ranking: Ranking) -> tuple[Amounts, Amounts]:
        """Return numerator and denominator for each judged topic; 0 / 0 scores 0."""
        raise NotImplementedError(f"{type(self).__name__} defines no fractions")

    def calculate(self, ranking: Ranking) -> Floats:
        return ratio(*self.fractions(ranking))


def _describe_params(params: dict[str, measures.ParamInfo]) -> str:
    described = []
    for name, spec in params.items():
        value = "" if spec.default is NOT_PROVIDED else f"={spec.default!r}"
        described.append(textwrap.fill(f"  {name}{value}: {spec.desc}", 116, subsequent_indent="    "))
    return "".join(f"\n{line}" for line in described) or " none."


def _make_again(kind: type[M], params: dict[str, object], asked: int, name: str) -> M:
    measure = kind(**params)
    measure.asked = asked
    measure._repr = name
    measure._hash = hash(name)
    return measure
