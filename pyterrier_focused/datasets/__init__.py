"""`pt.get_dataset('focused:...')`: the demo collection, and INEX archives on disk."""

from .provider import DemoDataset, FocusedDatasetProvider

__all__ = ["DemoDataset", "FocusedDatasetProvider"]
