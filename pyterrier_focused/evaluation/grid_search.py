"""Measures for PyTerrier's GridSearch and KFoldGridSearch, which take them by name now; kept for one release."""

from __future__ import annotations

import warnings

from .measure_strings import MeasureNames, parse


def objective(measure: MeasureNames) -> str:
    """Return the name of a measure, which `pt.GridSearch` and `pt.KFoldGridSearch` take as it is.

    Args:
        measure: A measure or its name.

    Returns:
        The name. A DeprecationWarning says that this function goes with the next release.
    """
    name = str(parse(measure)[0])
    warnings.warn(
        f"pyterrier_focused.evaluation.objective goes with the next release; pt.GridSearch takes {name!r}",
        DeprecationWarning,
        stacklevel=2,
    )
    return name
