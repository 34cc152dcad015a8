"""Locks that tell a build at work from one that was killed."""

from __future__ import annotations

from typing import IO


def try_lock(file: IO[str]) -> bool | None:
    """Lock an open file until it is closed or the process ends, however it does.

    Returns:
        Whether it is ours now; False if another process holds it, None where there are no locks: on Windows, and on
        file systems of clusters (ENOLCK, ENOSYS, ...).
    """
    try:
        import fcntl
    except ImportError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True
