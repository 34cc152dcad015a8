"""Sections that are not about an article's subject: References, See also, External links, in many languages."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..frames.articles import ElementColumns
from ..wikitext import names


def is_boilerplate(heading: str, language: str = "") -> bool:
    """Tell whether a section of this heading is boilerplate.

    Args:
        heading: The heading, in any case, with or without a full stop or a colon.
        language: The code of its language; "" for all known languages.

    Example:
        >>> is_boilerplate("See also", "en"), is_boilerplate("Einzelnachweise"), is_boilerplate("History")
        (True, True, False)
    """
    return " ".join(heading.split()).strip(" .:").lower() in names("boilerplate", language)


def inside_boilerplate(elements: pd.DataFrame | ElementColumns, language: str = "") -> NDArray[np.bool_]:
    """Tell for each row of an article's table of elements whether it is, or lies in, a boilerplate section.

    Example:
        >>> elements = {"title": ["Fresnel", "Life", "References", ""], "parent": np.array([-1, 0, 0, 2])}
        >>> inside_boilerplate(elements).tolist()
        [False, False, True, True]
    """
    inside = np.zeros(len(elements["title"]), dtype=bool)
    for row, (title, parent) in enumerate(zip(elements["title"], elements["parent"].tolist(), strict=True)):
        inside[row] = parent >= 0 and (inside[parent] or (bool(title) and is_boilerplate(title, language)))
    return inside
