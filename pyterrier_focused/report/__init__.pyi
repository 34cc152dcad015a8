from .article_view import ArticleView, view
from .articles import relevant_articles
from .report import evaluate, write_report

__all__ = ["ArticleView", "evaluate", "relevant_articles", "view", "write_report"]
