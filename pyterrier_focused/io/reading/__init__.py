"""Bytes to fields: files, lines, fields, XML, JSON, faults."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "fields": [
            "as_numpy",
            "coded_numbers",
            "decimals",
            "first_codes",
            "matches",
            "name_codes",
            "read_fields",
            "read_lines",
            "split_in_two",
            "take",
            "whole_numbers",
        ],
        "files": [
            "HEAD",
            "Opened",
            "Source",
            "open_binary",
            "read_bytes",
            "source_name",
            "without_mark",
            "write_bytes",
            "written_whole",
            "xml_files",
        ],
        "json": [
            "json_line_of",
            "load_json",
            "loads",
        ],
        "lines": [
            "BadLine",
            "Faults",
            "decimal",
            "field_lines",
            "field_text",
            "is_decimal",
            "number_text",
            "span",
            "whole",
        ],
        "run_columns": [
            "FolColumns",
            "FolColumnsBuilder",
        ],
        "tables": [
            "parsed_list",
            "read_table",
        ],
        "xml": [
            "XmlError",
            "encoding_of",
            "iter_xml",
            "line_of",
            "new_parser",
            "parse_xml",
            "plain_xml",
            "text_of",
        ],
    },
)
