"""SHA-256 checksums of all files of a folder, as `sha256sum -c SHA256SUMS` reads them, and JSON that holds its own."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ...errors import CollectionError
from ...reading.checksum import compute_checksum
from ...reading.json import JsonObject

CHECKSUMS = "SHA256SUMS"
# The key of a JSON file's own checksum.
_OWN = "sha256"
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
_END = "# SHA-256 of the lines above: "


def sha256_of(file: Path) -> str:
    """Return the checksum of a file, in hexadecimal digits."""
    with file.open("rb") as opened:
        return compute_checksum(opened)


def write_checksums(folder: Path, known: Iterable[tuple[str, str]] = ()) -> None:
    """Write the checksums of the files of a folder, and of the folders below it.

    Args:
        known: (name, checksum) of files that need not be read again; if given, only these files are listed.
    """
    named = list(known) or [
        (str(file.relative_to(folder)), sha256_of(file))
        for file in folder.rglob("*")
        if file.is_file() and file.name != CHECKSUMS
    ]
    lines = "".join(f"{digest}  {name}\n" for name, digest in sorted(named))
    own = hashlib.sha256(lines.encode()).hexdigest()
    (folder / CHECKSUMS).write_bytes(f"{lines}{_END}{own}\n".encode())


def verify_checksums(folder: Path) -> int:
    """Read every file of a folder and compare it with its checksum; returns how many there are."""
    if not (folder / CHECKSUMS).is_file():
        raise CollectionError(f"{folder}: there are no checksums ({CHECKSUMS}) here; build it again into a new folder")
    data = (folder / CHECKSUMS).read_bytes()
    lines = data.decode("utf-8", "replace").splitlines(keepends=True)
    own = hashlib.sha256("".join(lines[:-1]).encode()).hexdigest()
    is_sound = bool(lines) and lines[-1] == f"{_END}{own}\n"
    damage = list(_find_damage(folder, lines if not is_sound else lines[:-1], is_sound))
    if damage:
        listed = "\n".join(f"  {line}" for line in damage)
        raise CollectionError(f"{folder}: {len(damage)} damaged; copy or build it again:\n{listed}")
    return len(lines) - 1


def _find_damage(folder: Path, lines: list[str], is_sound: bool) -> Iterator[str]:
    if not is_sound:
        yield f"{CHECKSUMS}: it does not fit its own checksum"
    for line in lines:
        match = _LINE.fullmatch(line.rstrip("\n"))
        if match is None:
            # The checksums themselves are damaged.
            continue
        name = match[2]
        if _leads_out(name):
            yield f"{name}: it is not a file of this folder"
            continue
        if not (folder / name).exists():
            yield f"{name}: it is missing"
            continue
        try:
            checksum = sha256_of(folder / name)
        except OSError as error:
            yield f"{name}: it cannot be read: {error}"
            continue
        if checksum != match[1]:
            yield f"{name}: its content is not what was written"


def _leads_out(name: str) -> bool:
    """Tell whether a name in a damaged or crafted list leads out of the folder."""
    return name.startswith("/") or ".." in name.split("/") or "::" in name or "://" in name


def seal(content: JsonObject) -> bytes:
    """Write JSON that holds its own checksum."""
    return json.dumps(content | {_OWN: _compute_digest(content)}).encode()


def read_sealed(file: Path) -> JsonObject | None:
    """Read what `seal` wrote; None if no file is. Raises CollectionError if it is damaged."""
    try:
        content: JsonObject = json.loads(file.read_bytes())
        own = content.pop(_OWN)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValueError, RecursionError, AttributeError, KeyError, TypeError) as error:
        raise CollectionError(f"{file}: it is damaged, or of another version; copy or build it again") from error
    if own != _compute_digest(content):
        raise CollectionError(f"{file}: it is damaged (its checksum does not fit); copy or build it again")
    return content


def _compute_digest(content: JsonObject) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()
