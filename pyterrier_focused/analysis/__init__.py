"""What one does with measures after computing them: significance, agreement, pooling, curves, views and reports.

    is a difference real, and which systems differ?     significance.py   bootstrap_test, pairwise, discriminative_power
    do two measures rank systems alike?                 rankings.py       compare_measures, tau_ap
    do two assessors agree?                             assessors.py      agreement, kappa
    what should be judged?                              pooling.py        pool
    what was not judged, and what without it?           condensed.py      condense, unjudged_share
    which chunks bring the evidence?                    chunkers.py       compare_chunkers, micro_averages
    what if sizes counted tokens?                       tokens.py         Tokens
    what do the curves look like, as numbers?           curve_data.py     char_precision_recall, roc, saw_tooth, ...
    and as pictures?                                    plots.py          plot_char_precision_recall, plot_roc, ...
    what did assessor and system see in an article?     article_view.py   view
    all of it on one page, to send to a colleague?      report.py         write_report

Each name is imported when it is first used.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "significance": ["BootstrapResult", "bootstrap_test", "discriminative_power", "pairwise", "triangle"],
        "rankings": ["MeasureComparison", "compare_measures", "tau_ap"],
        "assessors": ["Kappa", "agreement", "kappa"],
        "pooling": ["pool"],
        "condensed": ["condense", "unjudged_share"],
        "chunkers": ["ChunkerComparison", "compare_chunkers", "micro_averages"],
        "tokens": ["Tokens"],
        "curve_data": [
            "adm_plane",
            "article_precision_recall",
            "char_precision_recall",
            "recall_by_characters",
            "roc",
            "saw_tooth",
        ],
        "plots": [
            "plot_adm_plane",
            "plot_article_precision_recall",
            "plot_char_precision_recall",
            "plot_measures",
            "plot_pairwise",
            "plot_recall_by_characters",
            "plot_roc",
        ],
        "article_view": ["ArticleView", "view"],
        "report": ["write_report"],
    },
)
