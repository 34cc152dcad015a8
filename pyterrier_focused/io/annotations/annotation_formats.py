"""The formats of annotation tools, and how the beginning of a file tells them."""

import re

from ..base import Format, Head
from .judgments import read_judgments, write_judgments
from .judgments_db import read_judgments_db
from .label_studio import read_label_studio, write_label_studio

_LABEL_STUDIO_LABELS = re.compile(rb'"labels"\s*:\s*\[\s*"')


def _looks_like_label_studio(head: Head) -> bool:
    is_min = _LABEL_STUDIO_LABELS.search(head.more) is not None and b"start" in head.json_keys
    return head.is_json and (is_min or {b"annotations", b"data"} <= head.json_keys)


FORMATS = (
    Format(
        name="judgments",
        kind="qrels",
        layout="JSON lines: qid, docno, assessor, highlights, bep, length, time",
        looks_like=lambda head: head.is_json and {b"docno", b"highlights"} <= head.json_keys,
        read=read_judgments,
        write=write_judgments,
    ),
    Format(
        name="judgments-db",
        kind="qrels",
        layout="the database of `pt-focused assess`",
        looks_like=lambda head: head.data.startswith(b"SQLite format 3\x00"),
        read=read_judgments_db,
        by_path=True,
    ),
    Format(
        name="label-studio",
        kind="qrels",
        layout="JSON of Label Studio",
        looks_like=_looks_like_label_studio,
        read=read_label_studio,
        write=write_label_studio,
    ),
)
