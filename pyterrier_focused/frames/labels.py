"""Labels of parts for learners, made of the highlights of their articles."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .checks import need
from .columns import flatten
from .ids import name_id, read_ids
from .spans import coverage
from .tables import Table


def label_parts(parts: Table, qrels: Table, grades: int = 1) -> pd.DataFrame:
    """Label parts by the highlights of their articles, as `pipeline.fit` and other learners take qrels.

    A part's label is its relevant share (INEX 2005's specificity: highlighted characters / characters) in so many
    grades, rounded up: with one grade 1 if it shares a character with a highlight; with four, 1 up to a fourth and 4
    if more than three fourths are highlighted. Parts of articles that nobody judged have the label 0, like all others
    without highlighted text; topics that nobody judged are left out.
    By labels of articles a learner of parts would learn nothing: they are all 0.

    Args:
        parts: Rows with `qid` and `docno` = passage id, such as those that a first retrieval found.
        grades: The highest label.

    Returns:
        A frame `qid, docno, label` with each part once, in order of appearance.

    Raises:
        ValueError: A docno is no passage id.

    Source: Malik, Kazai, Lalmas, Fuhr, "Overview of INEX 2005", 2006 (specificity).

    Example:
        >>> parts = pd.DataFrame({"qid": "q1", "docno": ["7#0-80", "7#90-99"]})
        >>> qrels = pd.DataFrame({"qid": ["q1"], "docno": ["7"], "label": [1], "highlights": [[(60, 85)]]})
        >>> label_parts(parts, qrels, grades=4).values.tolist()
        [['q1', '7#0-80', 1], ['q1', '7#90-99', 0]]
    """
    parts = need(parts, ["qid", "docno"], "a frame of parts")
    qrels = need(qrels, ["qid", "docno", "highlights"], "qrels")
    if isinstance(grades, bool) or not isinstance(grades, int | np.integer) or grades < 1:
        raise ValueError(f"label_parts(): grades={grades!r}; give a whole number of at least 1")
    topics = set(map(str, qrels["qid"]))
    rows = parts.loc[parts["qid"].map(str).isin(topics), ["qid", "docno"]].drop_duplicates(ignore_index=True)
    article, names, start, end = read_ids(rows["docno"])
    if (start < 0).any():
        docno = rows["docno"].iloc[int(np.argmax(start < 0))]
        raise ValueError(f"label_parts(): docno {name_id(docno)} is not a passage id, ARTICLE#START-END")
    # one code for each (topic, article) of the parts and the qrels
    judged = pd.DataFrame({"qid": qrels["qid"].map(str), "docno": qrels["docno"].map(str)})
    asked = pd.DataFrame({"qid": rows["qid"].map(str), "docno": names[article]})
    code = pd.concat([judged, asked], ignore_index=True).groupby(["qid", "docno"], sort=False).ngroup().to_numpy()
    highlights = flatten(qrels["highlights"], "highlights", qrels)
    shared = coverage(code[len(judged) :], start, end, code[highlights.row], highlights.start, highlights.end)
    # whole numbers, so that no share is rounded twice
    return rows.assign(label=-(-shared * grades // np.maximum(end - start, 1)))
