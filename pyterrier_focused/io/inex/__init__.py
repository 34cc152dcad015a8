"""INEX: FOL, XML, paths, qrels, topics, units, validation."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "assessments": [
            "read_inex_assessments",
        ],
        "checks": [
            "TASKS",
            "validate_run",
        ],
        "fol": [
            "FolColumns",
            "fol_frame",
            "rank_passages",
            "refuse_missing",
        ],
        "official_files": [
            "MISSING_MARKS",
            "RunFile",
            "RunRejected",
            "parse_integer",
            "read_data",
            "read_official_qrels",
            "read_official_run",
            "split_lines",
        ],
        "offset_units": [
            "MISSING_START",
            "article_sizes",
        ],
        "problems": [
            "Problem",
            "Validation",
        ],
        "submission_schema": [
            "YEARS",
        ],
        "topics": [
            "plain_query",
        ],
    },
)
