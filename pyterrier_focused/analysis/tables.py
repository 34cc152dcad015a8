"""Results as tables for papers: LaTeX (booktabs) and Markdown, the best values bold, significant differences marked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import starmap
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..frames.spans import Floats
from .statistics.pairs import MeasureValues, Results, corrected, values_of
from .statistics.significance import randomisation_test

BETTER = "+"
WORSE = "-"

# Endings of the columns that a baseline adds.
_SUFFIXES = (" +", " -", " p-value", " reject", " p-value corrected")
# Mean response time is the one column of which less is better.
_SECONDS = "mrt"
_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_LATEX |= {sign: f"\\{sign}" for sign in "&%$#_{}"}
_SIGNIFICANTLY = "significantly higher and lower than"
_MARKDOWN = {BETTER: "⁺", WORSE: "⁻", "": ""}


@dataclass(frozen=True)
class _Table:
    """Means and marks of systems (rows) by measures (columns). Marks are BETTER or WORSE than the baseline, or ''."""

    names: list[str]
    measures: list[str]
    values: Floats
    marks: list[list[str]]
    # The number of topics, if known, and the meaning of the marks, if there is a baseline.
    topics: int | None
    meaning: str


def to_latex(
    result: Results,
    *,
    baseline: int | str | None = None,
    digits: int = 3,
    alpha: float = 0.05,
    correction: str = "holm",
) -> str:
    r"""Write the results of an experiment as a LaTeX table (booktabs), to be put into a table environment.

    The highest value of each measure is bold. A value is marked + or - if it is significantly higher or lower than the
    baseline's. A note below names the number of topics, the test and the correction, and measures for which so few
    topics cannot show a difference.

    Args:
        result: The frame of `pt.Experiment`, with p-values if it was called with baseline=, or the per-query frame
            (perquery=True), whose systems are then tested against the *baseline* here: two-sided, and corrected over
            the systems of a measure.
        baseline: The name of a system, or the number of its row (not for per-query results, which PyTerrier sorts by
            name).

    Example:
        >>> print(to_latex(pd.DataFrame({"name": ["a", "b"], "AP": [0.25, 0.5]})))
        % needs \usepackage{booktabs}
        \begin{tabular}{lr}
          \toprule
          system & AP \\
          \midrule
          a & 0.250 \\
          b & \textbf{0.500} \\
          \bottomrule
        \end{tabular}
        <BLANKLINE>
    """
    table = _read_table(result, baseline, alpha, correction)
    columns = "l" + "r" * len(table.measures)
    lines = ["% needs \\usepackage{booktabs}", f"\\begin{{tabular}}{{{columns}}}", "  \\toprule"]
    lines.append(_write_latex_row(["system", *map(_escape_latex, table.measures)]))
    lines.append("  \\midrule")
    for name, cells in _format_cells(table, digits):
        lines.append(_write_latex_row([_escape_latex(name), *starmap(_write_latex_value, cells)]))
    lines += ["  \\bottomrule", "\\end{tabular}"]
    if notes := _write_notes(table, "$^{+}$ and $^{-}$", _escape_latex(table.meaning)):
        lines.append(f"\\par{{\\footnotesize {notes}\\par}}")
    return "\n".join(lines) + "\n"


def to_markdown(
    result: Results,
    *,
    baseline: int | str | None = None,
    digits: int = 3,
    alpha: float = 0.05,
    correction: str = "holm",
) -> str:
    """Write the results of an experiment as a Markdown table, with the arguments of `to_latex`.

    The highest value of each measure is bold. A value is marked ⁺ or ⁻ if it is significantly higher or lower than the
    baseline's.

    Example:
        >>> print(to_markdown(pd.DataFrame({"name": ["a", "b"], "AP": [0.25, 0.5]})))
        | system | AP |
        | --- | ---: |
        | a | 0.250 |
        | b | **0.500** |
        <BLANKLINE>
    """
    table = _read_table(result, baseline, alpha, correction)

    def row(cells: list[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    lines = [row(["system", *table.measures]), row(["---", *["---:"] * len(table.measures)])]
    for name, cells in _format_cells(table, digits):
        lines.append(
            row([name, *((f"**{value}**" if best else value) + _MARKDOWN[mark] for value, best, mark in cells)])
        )
    if notes := _write_notes(table, "⁺ and ⁻", table.meaning):
        lines += ["", notes]
    return "\n".join(lines) + "\n"


def _write_notes(table: _Table, marks: str, meaning: str) -> str:
    notes = [] if table.topics is None else [f"Means over {table.topics} topics."]
    return " ".join([*notes, f"{marks}: {meaning}."] if meaning else notes)


def _read_table(result: Results, baseline: int | str | None, alpha: float, correction: str) -> _Table:
    if not 0 < alpha < 1:
        raise ValueError(f"alpha={alpha!r}: the level of significance lies between 0 and 1")
    frame = getattr(result, "perquery", result)
    if not isinstance(frame, pd.DataFrame) or "name" not in frame or not len(frame):
        raise ValueError(f"give the frame of pt.Experiment, with a column 'name' and rows; got {type(frame).__name__}")
    if {"qid", "measure", "value"} <= set(frame.columns):
        return _test_topics(frame, baseline, alpha, correction)
    return _read_means(frame, baseline, alpha)


def _read_means(result: pd.DataFrame, baseline: int | str | None, alpha: float) -> _Table:
    """Make the table of an experiment's means, with marks by its own p-values."""
    measures = [name for name in result.columns if name != "name" and not str(name).endswith(_SUFFIXES)]
    names = [str(name) for name in result["name"]]
    values = result[measures].to_numpy(dtype=np.float64)
    base = None if baseline is None else _find_row(baseline, names)
    marks = [[""] * len(measures) for _ in names]
    for m, measure in enumerate(measures):
        columns = [f"{measure} {kind}" for kind in ("p-value corrected", "p-value") if f"{measure} {kind}" in result]
        if not columns:
            if base is not None and measure != _SECONDS:
                raise ValueError(
                    f"baseline={baseline!r}: the result has no p-values of {measure}; call pt.Experiment with "
                    "baseline=, or give its per-query results (perquery=True)"
                )
            continue
        p = result[columns[0]].to_numpy(dtype=np.float64)
        if base is None:
            # The baseline has no p-value.
            base = int(np.argmax(np.isnan(p)))
        if not np.isnan(p[base]):
            raise ValueError(
                f"column {columns[0]!r}: the p-values are not against {names[base]!r}; name their baseline"
            )
        for i in np.flatnonzero(p <= alpha):
            marks[i][m] = _mark_difference(values[i, m] - values[base, m])
    how = "corrected" if any(str(name).endswith(" corrected") for name in result.columns) else "not corrected"
    most = f"{alpha:g}".removeprefix("0")
    meaning = "" if base is None else f"{_SIGNIFICANTLY} {names[base]} (p at most {most}, {how} for several tests)"
    return _Table(names, [str(m) for m in measures], values, marks, None, meaning)


def _test_topics(result: pd.DataFrame, baseline: int | str | None, alpha: float, correction: str) -> _Table:
    """Make the table of per-query results, tested against the baseline here."""
    measures = values_of(result)
    names = measures[0].names
    means = np.stack([measure.means for measure in measures], axis=1)
    marks = [[""] * len(measures) for _ in names]
    if isinstance(baseline, int):
        raise ValueError(f"baseline={baseline!r}: per-query results are sorted by name; give one of {names}")
    base = None if baseline is None else _find_row(baseline, names)
    others = [i for i in range(len(names)) if i != base]
    for m, measure in enumerate(measures):
        if measure.names != names:
            raise ValueError(f"{measures[0].measure} and {measure.measure} were not measured on the same systems")
        if base is None or not others:
            continue
        tests = [
            randomisation_test(measure.values[:, i], measure.values[:, base], tests=len(others), alpha=alpha).pvalue
            for i in others
        ]
        p = corrected(np.array(tests), correction, alpha)
        for i, value in zip(others, p, strict=True):
            if value <= alpha:
                marks[i][m] = _mark_difference(means[i, m] - means[base, m])
    meaning = "" if base is None or not others else _describe_tests(measures, base, alpha, correction)
    titles = [measure.measure for measure in measures]
    return _Table(names, titles, means, marks, len(measures[0].qids), meaning)


def _describe_tests(measures: list[MeasureValues], base: int, alpha: float, correction: str) -> str:
    """Name the test and its correction, and the measures for which so few topics cannot show a difference."""
    others = len(measures[0].names) - 1
    adjusted = "" if others == 1 else f"{correction} correction for {others} systems, "
    test = f"two-sided randomisation test, {adjusted}p at most " + f"{alpha:g}".removeprefix("0")
    meaning = f"{_SIGNIFICANTLY} {measures[0].names[base]} ({test})"
    mute = []
    for measure in measures:
        differ = int((measure.values != measure.values[:, [base]]).sum(axis=0).max())
        if corrected(np.full(others, min(1.0, 2 * 2.0**-differ)), correction, alpha)[0] > alpha:
            mute.append(measure.measure)
    return meaning + (f"; too few topics differ for any mark of {', '.join(mute)}" if mute else "")


def _mark_difference(difference: float) -> str:
    if difference == 0:
        return ""
    return BETTER if difference > 0 else WORSE


def _find_row(baseline: int | str, names: list[str]) -> int:
    if isinstance(baseline, str) and baseline in names:
        return names.index(baseline)
    if isinstance(baseline, int) and 0 <= baseline < len(names):
        return baseline
    raise ValueError(f"baseline={baseline!r}: give the name or the number, from 0, of one of {names}")


class _Cell(NamedTuple):
    """A value as text, whether it is the best of its measure, and its mark."""

    value: str
    best: bool
    mark: str


def _format_cells(table: _Table, digits: int) -> Iterator[tuple[str, list[_Cell]]]:
    sign = np.where([measure == _SECONDS for measure in table.measures], -1, 1)
    highest = sign * np.nanmax(sign * table.values, axis=0)
    several = len(table.names) > 1
    for name, values, marks in zip(table.names, table.values, table.marks, strict=True):
        is_best = several & (values == highest)
        texts = [f"{value:.{digits}f}" for value in values]
        yield name, list(map(_Cell, texts, is_best.tolist(), marks))


def _write_latex_value(value: str, best: bool, mark: str) -> str:
    return (f"\\textbf{{{value}}}" if best else value) + (f"$^{{{mark}}}$" if mark else "")


def _write_latex_row(cells: list[str]) -> str:
    return f"  {' & '.join(cells)} \\\\"


def _escape_latex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in text)
