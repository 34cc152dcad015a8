"""Pages for people who read results: the report on an evaluation, and the view of one article.

all of it on one page, to send to a colleague?      report.py      write_report
what did assessor and system see in an article?     article_view.py view
which articles are worth looking at?                articles.py    relevant_articles
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
