"""What readers return, in a shape that a failed comparison shows whole; and files of JSON for them."""

import json
import warnings

import numpy as np

from pyterrier_focused.errors import FormatError


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


def outcome(parse, *arguments, **options):
    """The columns that *parse* makes, as lists, or the text of its FormatError."""
    try:
        return as_lists(quietly(parse, *arguments, **options))
    except FormatError as error:
        return str(error)


def as_lists(columns):
    """A record of columns as a dictionary of lists."""
    return {
        name: column.tolist() if isinstance(column, np.ndarray) else column
        for name, column in columns._asdict().items()
    }


def write(path, content):
    """Write text, or a value as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def lines(*records):
    """Lines of JSON, one a record."""
    return "".join(json.dumps(record) + "\n" for record in records)
