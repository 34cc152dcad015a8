"""How is a result kept? One zip archive with its frames as Parquet, its texts, and a page about it."""

from __future__ import annotations

import io
import json
import os
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import pandas as pd

from .._version import __version__
from ..errors import FormatError
from ..io.save_format import read_saved_run, write_saved_run
from ..reading.files import write_bytes
from .items import Item
from .results import Retrieved

# Files of other formats are of other versions.
_FORMAT = 5
_ABOUT = "about.json"
_TEXTS = "texts.json"
_RETRIEVED = "retrieved.json"
# A member may unpack to so many bytes.
_LARGEST = 4_000_000_000


@dataclass(frozen=True, eq=False)
class ResultFile:
    """The content: frames by name, run frames by system, texts by docno, retrieved items, and the rest in *about*."""

    about: dict[str, Any]
    frames: dict[str, pd.DataFrame]
    runs: dict[str, pd.DataFrame]
    texts: Mapping[str, str]
    retrieved: Retrieved


def write_result(content: ResultFile, path: str | os.PathLike[str]) -> None:
    about = {"format": _FORMAT, "version": __version__, "systems": list(content.runs), "frames": list(content.frames)}
    about |= content.about
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_ABOUT, json.dumps(about, ensure_ascii=False, indent=1))
        archive.writestr(_TEXTS, json.dumps(dict(content.texts), ensure_ascii=False))
        archive.writestr(_RETRIEVED, json.dumps(content.retrieved, ensure_ascii=False))
        for name, frame in content.frames.items():
            archive.writestr(f"frames/{name}.parquet", _write_frame(frame))
        for i, run in enumerate(content.runs.values()):
            archive.writestr(f"runs/{i}.parquet", _write_frame(run))
    write_bytes(path, buffer.getvalue())


def read_result(path: str | os.PathLike[str]) -> ResultFile:
    name = os.fspath(path)
    packed = io.BytesIO(Path(path).read_bytes())
    try:
        with zipfile.ZipFile(packed) as archive:
            about = json.loads(archive.read(_ABOUT))
            if about["format"] != _FORMAT:
                reason = f"the result has format {about['format']!r}, not {_FORMAT}; score again and save it"
                raise FormatError(reason, file=name)
            members = archive.infolist()
            if any(member.file_size > _LARGEST for member in members):
                raise FormatError(f"a member unpacks to more than {_LARGEST} bytes", file=name)
            frames = {name: _read_frame(archive, f"frames/{name}.parquet") for name in about["frames"]}
            runs = {str(system): _read_frame(archive, f"runs/{i}.parquet") for i, system in enumerate(about["systems"])}
            retrieved = {
                system: {qid: [_restore(Item, fields) for fields in items] for qid, items in questions.items()}
                for system, questions in json.loads(archive.read(_RETRIEVED)).items()
            }
            return ResultFile(about, frames, runs, json.loads(archive.read(_TEXTS)), retrieved)
    except FormatError:
        raise
    except (zipfile.BadZipFile, zlib.error, KeyError, ValueError, TypeError, EOFError, RuntimeError) as error:
        # zipfile raises a RuntimeError for a member that is encrypted or packed in a way that it does not know
        raise FormatError(f"this is not a saved result ({error!r}); save it again", file=name) from None


_list_hints = lru_cache(get_type_hints)


def _restore(hint: Any, value: Any) -> Any:
    """Make tuples and named tuples of the lists that JSON has for them."""
    if value is None:
        return None
    kinds = get_args(hint)
    if NoneType in kinds:
        return _restore(kinds[0], value)
    if hasattr(hint, "_fields"):
        return hint(*(_restore(of, part) for of, part in zip(_list_hints(hint).values(), value, strict=True)))
    if get_origin(hint) is tuple:
        return tuple(map(_restore, repeat(kinds[0]) if kinds[-1] is Ellipsis else kinds, value))
    return value


def _write_frame(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    write_saved_run(frame, buffer)
    return buffer.getvalue()


def _read_frame(archive: zipfile.ZipFile, member: str) -> pd.DataFrame:
    with archive.open(member) as file:
        return read_saved_run(file)
