"""Bytes to fields: files, lines, fields, XML, JSON, faults; what readers of other packages' formats use is here."""

from .files import Source, open_binary, read_bytes, source_name, write_bytes
from .json import load_json
from .lines import BadLine, Faults, decimal, field_lines, field_text, whole

__all__ = [
    "BadLine",
    "Faults",
    "Source",
    "decimal",
    "field_lines",
    "field_text",
    "load_json",
    "open_binary",
    "read_bytes",
    "source_name",
    "whole",
    "write_bytes",
]
