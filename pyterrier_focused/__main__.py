"""What `python -m pyterrier_focused` runs, where `pt-focused` is not on the path."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
