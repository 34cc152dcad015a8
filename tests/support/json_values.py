"""Values of JSON, and what becomes of them if one value inside is another or is missing."""

import contextlib
import io

from pyterrier_focused.errors import FormatError


def places(value, path=()):
    """The paths to every value inside a JSON value, itself first."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        yield from places(item, (*path, key))


def replaced(value, path, new):
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


def without(value, path):
    copy = dict(value) if isinstance(value, dict) else list(value)
    if len(path) == 1:
        del copy[path[0]]
    else:
        copy[path[0]] = without(value[path[0]], path[1:])
    return copy


def read_each_record(format, records):
    """Read records as a format does, the faults left out and not; what is wrong is a FormatError."""
    for data in records:
        handle = io.BytesIO(data)
        handle.name = "odd.json"
        for options in ({"errors": "skip"}, {}):
            handle.seek(0)
            with contextlib.suppress(FormatError):
                format.read(handle, **options)
