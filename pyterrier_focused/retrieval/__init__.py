"""Retrieval of parts: what is indexed, engines, and the transformers that turn rows of parts into runs."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
