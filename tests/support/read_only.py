"""Running Python with a folder that is on a read-only disk, whoever runs it."""

import shutil
import subprocess
import sys

_MOUNT = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"'


def can_make_read_only(folder):
    """Whether folders can be mounted here: needs Linux and the right to."""
    if not shutil.which("unshare"):
        return False
    try:
        return run_read_only("print('done')", folder).stdout == "done\n"
    except OSError:
        return False


def run_read_only(code, folder, *arguments):
    """Run Python code with a folder that is read-only for it; its first argument is the folder."""
    own = [sys.executable, "-c", code, str(folder), *map(str, arguments)]
    return subprocess.run(
        ["unshare", "-r", "-m", "sh", "-c", _MOUNT, "sh", str(folder), *own],
        capture_output=True,
        text=True,
        check=False,
    )
