"""The checksum of a file, which is read in pieces."""

from __future__ import annotations

import hashlib
from typing import BinaryIO

_PIECE = 1 << 20


def compute_checksum(stream: BinaryIO) -> str:
    """Return the SHA-256 of all that is left in a stream, in hexadecimal digits."""
    digest = hashlib.sha256()
    while piece := stream.read(_PIECE):
        digest.update(piece)
    return digest.hexdigest()
