"""Articles and elements on disk: build them from a source, open them, load their texts.

Processes that build import neither PyTerrier nor pandas: the store is imported when it is first used.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
