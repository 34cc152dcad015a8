"""What templates and parser functions show; data/."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "boilerplate": [
            "inside_boilerplate",
        ],
        "own": [
            "from_names",
            "to_names",
        ],
        "parser_functions": [
            "ParserFunction",
        ],
        "patterns": [
            "Template",
        ],
        "tables": [
            "Arguments",
            "Templates",
        ],
    },
)
