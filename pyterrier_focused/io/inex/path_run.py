"""Runs of INEX 2009 and 2010 that name passages by paths: `topic Q0 article rank rsv tag path [path]`, best first.

One path is an element; two are the start and the end of a passage.
"""

from __future__ import annotations

import pandas as pd

from ...frames.articles import ArticleCollection
from ...reading.files import Source, read_bytes, source_name
from ...reading.lines import BadLine, Faults, decimal, field_lines, span, whole
from ...reading.run_columns import FolColumnsBuilder, fol_frame
from .fol import hide_file_fields
from .paths import NamedPassages, check_path, resolve


def parse_path_run(source: Source, faults: Faults) -> NamedPassages:
    builder = FolColumnsBuilder()
    tag = ""
    first_paths: list[str] = []
    last_paths: list[str] = []
    for number, text, fields in field_lines(read_bytes(source), faults):
        try:
            if len(fields) not in (7, 8):
                advice = "a run of paths has topic Q0 article rank rsv tag path [path]"
                raise BadLine(f"{len(fields)} fields instead of 7 or 8", advice)
            rank = whole(fields[3], "field 4 (rank)")
            score = decimal(fields[4], "field 5 (rsv)")
            start = -1
            end = -1
            paths = fields[6:]
            # A passage by its offsets may be among those by paths.
            if len(fields) == 8 and not fields[6].startswith("/"):
                start, end = span(fields[6], fields[7], ("field 7 (offset)", "field 8 (length)"))
                paths = []
            for position, path in enumerate(paths, start=7):
                check_path(path, f"field {position}")
        except BadLine as bad:
            faults.add(bad, number, text)
            continue
        builder.add(fields[0], fields[2], start, end, number, rank, score)
        first_paths.append(paths[0] if paths else "")
        last_paths.append(paths[1] if len(paths) == 2 else "")
        tag = fields[5]
    return NamedPassages(builder.columns(tag), first_paths, last_paths, {}, {})


def read_path_run(
    source: Source,
    collection: ArticleCollection | None = None,
    *,
    errors: str = "raise",
    missing: str = "raise",
    file_fields: bool = False,
) -> pd.DataFrame:
    """Read a run of paths as a run frame. Parameters as in `read_xml_run`."""
    faults = Faults(source_name(source), errors)
    columns = resolve(parse_path_run(source, faults), collection, missing, faults)
    faults.report()
    return fol_frame(columns if file_fields else hide_file_fields(columns, faults.file))
