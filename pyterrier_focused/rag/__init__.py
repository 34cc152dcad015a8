"""What did my system retrieve, and is it the evidence? Texts of any RAG stack, placed in their documents and scored."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
