"""What do readers see? One page about runs or a result, and one article as an assessor and a system saw it."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
