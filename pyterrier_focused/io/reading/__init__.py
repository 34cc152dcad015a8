"""Bytes to fields: files, lines, fields, XML, JSON, faults; what readers of other packages' formats use is here."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "files": ["Source", "open_binary", "read_bytes", "source_name", "write_bytes"],
        "json": ["load_json"],
        "lines": ["BadLine", "Faults", "decimal", "field_lines", "field_text", "whole"],
    },
)
