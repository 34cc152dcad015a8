"""SHA-256 checksums of all files of a folder, as `sha256sum -c SHA256SUMS` reads them, and JSON that holds its own."""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...errors import CollectionError
from ...reading.checksum import compute_checksum
from ...reading.json import JsonObject
from .storage import StoragePath

CHECKSUMS = "SHA256SUMS"
# The key of a JSON file's own checksum.
_OWN = "sha256"
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
# How many bytes of the files of an index are compared with the manifest when it is opened.
_READ_WHOLE = 4 << 20
_READ_END = 4 << 10
_END = "# SHA-256 of the lines above: "


def sha256_of(file: StoragePath) -> str:
    """Return the checksum of a file, in hexadecimal digits."""
    with file.open() as opened:
        return compute_checksum(opened)


def write_checksums(folder: StoragePath, known: Iterable[tuple[str, str]] = ()) -> None:
    """Write the checksums of the files of a folder, and of the folders below it.

    Args:
        known: (name, checksum) of files that need not be read again; if given, only these files are listed.
    """
    named = list(known) or [
        (path, sha256_of(folder / path)) for path, _ in folder.walk() if path not in (CHECKSUMS, f"./{CHECKSUMS}")
    ]
    lines = "".join(f"{digest}  {name}\n" for name, digest in sorted(named))
    own = hashlib.sha256(lines.encode()).hexdigest()
    (folder / CHECKSUMS).write(f"{lines}{_END}{own}\n".encode())


def verify_checksums(folder: StoragePath) -> int:
    """Read every file of a folder and compare it with its checksum; returns how many there are."""
    if (folder / CHECKSUMS).stat() is None:
        raise CollectionError(f"{folder}: there are no checksums ({CHECKSUMS}) here; build it again into a new folder")
    with (folder / CHECKSUMS).open() as file:
        data = file.read()
    lines = data.decode("utf-8", "replace").splitlines(keepends=True)
    own = hashlib.sha256("".join(lines[:-1]).encode()).hexdigest()
    is_sound = bool(lines) and lines[-1] == f"{_END}{own}\n"
    damage = list(_find_damage(folder, lines if not is_sound else lines[:-1], is_sound))
    if damage:
        listed = "\n".join(f"  {line}" for line in damage)
        raise CollectionError(f"{folder}: {len(damage)} damaged; copy or build it again:\n{listed}")
    return len(lines) - 1


def _find_damage(folder: StoragePath, lines: list[str], is_sound: bool) -> Iterator[str]:
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
        if (folder / name).stat() is None:
            yield f"{name}: it is missing"
            continue
        try:
            checksum = sha256_of(folder / name)
        except OSError as error:
            yield f"{name}: it cannot be read: {error}"
            continue
        if checksum != match[1]:
            yield f"{name}: its content is not what was written"


def describe_files(folder: StoragePath) -> dict[str, tuple[int, int]]:
    """Return for each file below a folder its size, and the CRC-32 of the bytes that opening reads.

    That is up to 4 MB in all, and of larger files the end, which a copy that was cut short lacks.
    """
    sizes = {path: entry.size for path, entry in folder.walk()}
    return {name: (size, _compute_crc(folder / name, begin)) for name, (size, begin) in _plan_reading(sizes).items()}


def find_fault(folder: StoragePath, described: Mapping[str, Sequence[int]]) -> str:
    """Name a file of a folder that differs from its description by `describe_files`, and say how; "" if none does."""
    plan = _plan_reading({name: size for name, (size, _) in described.items()})
    for name, (size, begin) in plan.items():
        if _leads_out(name):
            return f"{name} is not a file of this folder"
        try:
            entry = (folder / name).stat()
            if entry is None:
                return f"{name} is missing"
            if entry.size != size:
                return f"{name} has {entry.size:,} bytes instead of {size:,}"
            if _compute_crc(folder / name, begin) != described[name][1]:
                return f"{name} is not what was written"
        except OSError as error:
            return f"{name} cannot be read ({error.strerror or error})"
    return ""


def _leads_out(name: str) -> bool:
    """Tell whether a name in a damaged or crafted list leads out of the folder."""
    return name.startswith("/") or ".." in name.split("/") or "::" in name or "://" in name


def _plan_reading(sizes: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Return for each file its size and the offset from which opening reads it."""
    plan = {}
    total = 0
    for size, name in sorted((size, name) for name, size in sizes.items()):
        total += size
        plan[name] = (size, 0 if total <= _READ_WHOLE else max(0, size - _READ_END))
    return plan


def _compute_crc(file: StoragePath, begin: int) -> int:
    with file.open() as opened:
        opened.seek(begin)
        return zlib.crc32(opened.read())


def seal(content: JsonObject) -> bytes:
    """Write JSON that holds its own checksum."""
    return json.dumps(content | {_OWN: _compute_digest(content)}).encode()


def read_sealed(file: StoragePath) -> JsonObject | None:
    """Read what `seal` wrote; None if no file is. Raises CollectionError if it is damaged."""
    sealed = read_with_seal(file)
    return None if sealed is None else sealed[0]


def read_with_seal(file: StoragePath) -> tuple[JsonObject, str] | None:
    """Read what `seal` wrote, as `read_sealed` does, with the checksum that it holds."""
    if file.stat() is None:
        return None
    with file.open() as opened:
        data = opened.read()
    try:
        content: JsonObject = json.loads(data)
        own = content.pop(_OWN)
    except (ValueError, RecursionError, AttributeError, KeyError, TypeError) as error:
        raise CollectionError(f"{file}: it is damaged, or of another version; copy or build it again") from error
    if own != _compute_digest(content):
        raise CollectionError(f"{file}: it is damaged (its checksum does not fit); copy or build it again")
    return content, own


def _compute_digest(content: JsonObject) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()
