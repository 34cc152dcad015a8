"""`pt.get_dataset('focused:...')`: the demo collection, and INEX archives on disk."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__, submod_attrs={"provider": ["DemoDataset", "FocusedDatasetProvider"]}
)
