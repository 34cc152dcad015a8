"""What one does with measures after computing them: significance, agreement, pooling, curves, views and reports.

    is a difference real, and which systems differ?     significance.py   bootstrap_test, pairwise, discriminative_power
    do two measures rank systems alike?                 rankings.py       compare_measures, tau_ap
    do two assessors agree?                             agreement.py      agreement, kappa
    what should be judged?                              pooling.py        pool
    which chunks bring the evidence?                    chunkers.py       compare_chunkers, micro_averages
    what if sizes counted tokens?                       tokens.py         Tokens
    what do the curves look like, as numbers?           points.py         char_precision_recall, roc, saw_tooth, ...
    and as pictures?                                    curves.py         plot_char_precision_recall, plot_roc, ...
    what did assessor and system see in an article?     article_view.py   view
    all of it on one page, to send to a colleague?      report.py         write_report

Each name is imported when it is first used.
"""

from importlib import import_module as _import_module
from typing import Any as _Any

_LATER = {
    "BootstrapResult": "significance",
    "bootstrap_test": "significance",
    "discriminative_power": "significance",
    "pairwise": "significance",
    "triangle": "significance",
    "MeasureComparison": "rankings",
    "compare_measures": "rankings",
    "tau_ap": "rankings",
    "Kappa": "assessors",
    "agreement": "assessors",
    "kappa": "assessors",
    "pool": "pooling",
    "ChunkerComparison": "chunkers",
    "compare_chunkers": "chunkers",
    "micro_averages": "chunkers",
    "Tokens": "tokens",
    "adm_plane": "points",
    "article_precision_recall": "points",
    "char_precision_recall": "points",
    "recall_by_characters": "points",
    "roc": "points",
    "saw_tooth": "points",
    "plot_adm_plane": "curves",
    "plot_article_precision_recall": "curves",
    "plot_char_precision_recall": "curves",
    "plot_measures": "curves",
    "plot_pairwise": "curves",
    "plot_recall_by_characters": "curves",
    "plot_roc": "curves",
    "ArticleView": "article_view",
    "view": "article_view",
    "write_report": "report",
}

__all__ = sorted(_LATER)


def __getattr__(name: str) -> _Any:
    if name in _LATER:
        return getattr(_import_module(f"{__name__}.{_LATER[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
