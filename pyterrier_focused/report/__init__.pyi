from .page import write_report
from .view import ArticleView, view

__all__ = ["ArticleView", "view", "write_report"]
