from .comparison import compare_judgments
from .exchange import export_judgments, import_judgments
from .programs import assess_with
from .progress import read_progress
from .session import assess, open_store
from .single_file import write_page
from .store import Store

__all__ = [
    "Store",
    "assess",
    "assess_with",
    "compare_judgments",
    "export_judgments",
    "import_judgments",
    "open_store",
    "read_progress",
    "write_page",
]
