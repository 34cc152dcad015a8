"""Evidence in whatever shape becomes qrels."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "read": [
            "locate_spans",
            "read_spans",
        ],
    },
)
