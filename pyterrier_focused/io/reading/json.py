"""Parsing JSON that strangers wrote: whatever is wrong with it is a JSONDecodeError, Python's limits included."""

from __future__ import annotations

import json
import re
from typing import Any

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def loads(text: str | bytes) -> Any:
    """Parse JSON as `json.loads` does. Raises JSONDecodeError where it is malformed, and where Python's limits end."""
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
        raise json.JSONDecodeError("bytes that are no UTF-8", "", 0) from None
    except ValueError as error:  # a number of thousands of digits
        raise json.JSONDecodeError(str(error).partition(";")[0], "", 0) from None
