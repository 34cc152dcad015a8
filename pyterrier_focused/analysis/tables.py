"""Results as a table for a paper: means of systems, with marks of significant differences from a baseline."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..frames.spans import Floats
from .statistics.pairs import MeasureValues, Results, corrected, values_of
from .statistics.significance import randomisation_test

_MARKS = {1: "⁺", 0: "", -1: "⁻"}


def mark_differences(
    results: Results, baseline: str, *, digits: int = 3, alpha: float = 0.05, correction: str = "holm"
) -> pd.DataFrame:
    """Write the means of systems as texts, marked ⁺ or ⁻ where they are significantly above or below the baseline's.

    Each system is tested against the baseline by the two-sided randomisation test, corrected over the systems of a
    measure. For papers, pandas' `.to_markdown(index=False)` and `.to_latex(index=False)`.

    Returns:
        A row per system: `system` and a column for each measure. `.attrs["note"]` names the number of topics, the test
        and the correction, and measures for which so few topics cannot show a difference.

    Example:
        >>> rows = [(name, qid, "AP", best * qid / 9) for name, best in (("a", 1), ("b", 0.5)) for qid in range(1, 10)]
        >>> results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
        >>> mark_differences(results, baseline="b").values.tolist()
        [['a', '0.556⁺'], ['b', '0.278']]
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha={alpha!r}: the level of significance lies between 0 and 1")
    measures = values_of(results)
    names = measures[0].names
    if baseline not in names:
        raise ValueError(f"baseline={baseline!r}: give the name of one of {names}")
    base = names.index(baseline)
    table = pd.DataFrame({"system": names})
    for measure in measures:
        if measure.names != names:
            raise ValueError(f"{measures[0].measure} and {measure.measure} were not measured on the same systems")
        means = measure.means
        signs = np.where(_test_systems(measure, base, alpha, correction) <= alpha, np.sign(means - means[base]), 0)
        table[measure.measure] = [
            f"{mean:.{digits}f}{_MARKS[int(sign)]}" for mean, sign in zip(means, signs, strict=True)
        ]
    table.attrs["note"] = _describe_tests(measures, base, alpha, correction)
    return table


def _test_systems(measure: MeasureValues, base: int, alpha: float, correction: str) -> Floats:
    """Return p, corrected, of each system against the baseline; 1 of the baseline."""
    p = np.ones(len(measure.names))
    others = [i for i in range(len(p)) if i != base]
    if others:
        values = measure.values
        tests = [
            randomisation_test(values[:, i], values[:, base], tests=len(others), alpha=alpha).pvalue for i in others
        ]
        p[others] = corrected(np.array(tests), correction, alpha)
    return p


def _describe_tests(measures: list[MeasureValues], base: int, alpha: float, correction: str) -> str:
    """Name the topics, the test and its correction, and the measures for which the topics are too few."""
    note = f"Means over {len(measures[0].qids)} topics."
    others = len(measures[0].names) - 1
    if not others:
        return note
    mute = []
    for measure in measures:
        differ = int((measure.values != measure.values[:, [base]]).sum(axis=0).max())
        if corrected(np.full(others, min(1.0, 2 * 2.0**-differ)), correction, alpha)[0] > alpha:
            mute.append(measure.measure)
    adjusted = "" if others == 1 else f"{correction} correction for {others} systems, "
    few = f"; too few topics differ for any mark of {', '.join(mute)}" if mute else ""
    return (
        f"{note} ⁺ and ⁻: significantly higher and lower than {measures[0].names[base]} (two-sided randomisation test, "
        f"{adjusted}p at most {f'{alpha:g}'.removeprefix('0')}{few})."
    )
