"""Judgments with assessors, annotation tools."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "annotated": [
            "Annotated",
            "DOCNO_FIELDS",
            "ENTRY",
            "Mark",
            "QID_FIELDS",
            "RELEVANT",
            "annotated_qrels",
            "field",
            "marks_of",
            "records_with_texts",
        ],
        "judgments": [
            "ADJUDICATED",
            "Record",
            "STATUSES",
            "frame_of",
            "qrels_of",
            "read_records",
            "write_records",
        ],
        "judgments_db": [
            "read_db_records",
        ],
    },
)
