"""The conclusions of a report: for each measure, which run is best, by how much, and how certainly."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from ..analysis.statistics.significance import topics_needed
from ..evaluation.leads import Lead
from ..evaluation.measure_strings import parse
from .templates import number


@dataclass(frozen=True)
class Verdict:
    """The verdict on one measure: a sentence, whether it *holds*, and what another experiment would need."""

    family: str
    measure: str
    holds: bool
    found: str
    needed: str


def reach_verdicts(measures: Iterable[str], pairs: pd.DataFrame | None, alpha: float) -> list[Verdict]:
    """Say of the first measure of each family, such as AiP among AiP, iP and CharP, which run is best."""
    if pairs is None:
        return []
    families: dict[str, str] = {}
    for measure in measures:
        families.setdefault(_find_family(measure), measure)
    return [reach_verdict(family, pairs[pairs["measure"] == measure], alpha) for family, measure in families.items()]


def _find_family(measure: str) -> str:
    (parsed,) = parse([measure])
    module = type(parsed).__module__
    if module.endswith(".in_context"):
        return "Articles and where to read them"
    return "Articles" if module.startswith("ir_measures") or module.endswith(".documents") else "Text"


def reach_verdict(family: str, pairs: pd.DataFrame, alpha: float) -> Verdict:
    """Say which run is best by the pairs of one measure, as `pairwise` makes them."""
    first = pairs.iloc[0]
    measure = str(first["measure"])
    best = str(first["better"])
    p = float(first["p_corrected"] if "p_corrected" in pairs else first["p"])
    lead = Lead(
        best,
        str(first["worse"]),
        float(first["better_mean"]),
        float(first["worse_mean"]),
        p,
        float(first["low"]),
        float(first["high"]),
        str(first["interval"]),
        bool(first["significant"]),
        alpha,
    )
    if first["difference"] <= 0:
        return Verdict(family, measure, False, lead.describe(), "")
    ahead = pairs[pairs["better"] == best]
    beaten = ahead.loc[ahead["significant"], "worse"].tolist()
    if first["significant"]:
        rivals = f", and beats all {len(ahead)} others" if len(ahead) > 1 and len(beaten) == len(ahead) else ""
        return Verdict(family, measure, True, lead.describe(rivals), "")
    found = lead.describe()
    if beaten:
        found += f" It beats {len(beaten)} of the {len(ahead)} others."
    # Holm's correction divides alpha by the number of pairs for the first of them
    tests = len(pairs) if "p_corrected" in pairs else 1
    return Verdict(family, measure, False, found, _plan_experiment(float(first["effect_size"]), tests, alpha))


def _plan_experiment(effect: float, tests: int, alpha: float) -> str:
    """Say how large another experiment has to be to show a difference like this one, if it is the true one."""
    needed = topics_needed(effect, alpha=alpha / tests)
    if isinstance(needed, float) or needed > 100_000:
        return "If this is the true difference, no realistic number of topics shows it."
    level = f"{alpha:g}".removeprefix("0")
    corrected = f", corrected for {tests} pairs" if tests > 1 else ""
    return (
        f"If this is the true difference, another experiment with about {number(needed)} topics shows it in 80% of "
        f"cases (two-sided test at {level}{corrected}). This plans a new experiment; it is not the power of this one."
    )
