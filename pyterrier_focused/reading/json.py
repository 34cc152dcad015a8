"""Parsing JSON that strangers wrote: whatever is wrong with it is told, with its line if there is a file.

`loads` raises JSONDecodeError for everything, Python's limits included; `load_json` a FormatError.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import FormatError

# What `json.loads` returns for an object; its values are whatever the file holds.
JsonObject = dict[str, Any]
# A row of a table or a record of a file, by the names of its fields.
Row = Mapping[str, Any]

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def loads(text: str | bytes) -> Any:
    """Parse JSON as `json.loads` does. Raises JSONDecodeError if it is malformed or beyond Python's limits."""
    try:
        value = json.loads(text)
        if _SURROGATE.search(text if isinstance(text, str) else text.decode()):
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except UnicodeEncodeError:
        raise json.JSONDecodeError("half of a surrogate pair", "", 0) from None
    except json.JSONDecodeError:
        raise
    except RecursionError:
        raise json.JSONDecodeError("nested too deeply", "", 0) from None
    except UnicodeDecodeError:
        raise json.JSONDecodeError("bytes that are not UTF-8", "", 0) from None
    except ValueError as error:
        # Python reads no number of thousands of digits.
        raise json.JSONDecodeError(str(error).partition(";")[0], "", 0) from None


def decode_json(data: bytes) -> str:
    """Return the text of JSON's bytes as `json.loads` reads them: UTF-8, -16 or -32, with halves of pairs."""
    return data.decode(json.detect_encoding(data), "surrogatepass")


def load_json(data: bytes, name: str, line: int = 1) -> Any:
    """Parse JSON text, the part of the file called *name* that begins at *line*.

    Raises FormatError with the line if it is not JSON.

    Example:
        >>> load_json(b'{"qid": 1}', "topics.json")
        {'qid': 1}
    """
    try:
        return json.loads(data)
    except UnicodeDecodeError as error:
        bad_line = line + data.count(b"\n", 0, error.start)
        raise FormatError("bytes that are not UTF-8; convert the file to UTF-8", file=name, line=bad_line) from None
    except json.JSONDecodeError as error:
        text = decode_json(data).split("\n")[error.lineno - 1]
        raise FormatError(
            f"this is not JSON: {error.msg}", file=name, line=line + error.lineno - 1, text=text
        ) from None
    except RecursionError:
        raise FormatError("the JSON is nested too deeply", file=name, line=line) from None
    except ValueError as error:
        # Python reads no number of thousands of digits.
        raise FormatError(f"this is not JSON: {str(error).partition(';')[0]}", file=name, line=line) from None


def records_in(text: str, path: str) -> Iterator[tuple[int, Any]]:
    """Yield (line, record) of JSON lines, or of one JSON list or object, which is the text of the file *path*."""
    try:
        whole = loads(text)
    except json.JSONDecodeError as error:
        if error.lineno == 1 and error.msg != "Extra data":
            raise FormatError(f"this is not JSON ({error.msg})", file=path, line=1, text=text[:200]) from None
        if error.msg != "Extra data" and not _is_json(text.lstrip().split("\n", 1)[0]):
            raise FormatError(f"this is not JSON ({error.msg})", file=path, line=error.lineno) from None
    else:
        yield from ((1, record) for record in (whole if isinstance(whole, list) else [whole]))
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = loads(line)
        except json.JSONDecodeError as error:
            raise FormatError(f"this is not a line of JSON ({error.msg})", file=path, line=number, text=line) from None
        yield number, record


def _is_json(text: str) -> bool:
    try:
        loads(text)
    except json.JSONDecodeError:
        return False
    return True
