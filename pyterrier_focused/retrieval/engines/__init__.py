"""One file an engine, one Protocol."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "choose": [
            "MODELS",
            "NAMES",
            "TERRIER_LANGUAGE",
            "choose_engine",
            "open_engine",
            "processors",
            "read_parameters",
            "shared_model",
        ],
        "terms": [
            "check_language",
            "fold",
            "folder",
            "plain_words",
        ],
    },
)
