"""What one does with measures after computing them: significance, agreement, pooling, curves, views and reports.

    is a difference real, and how large is it?          statistics/significance.py bootstrap_test, confidence_interval
    which of many systems differ?                       statistics/pairs.py        pairwise, triangle, tied_groups
    do two measures rank systems alike?                 statistics/rankings.py     compare_measures, tau_ap
    do two assessors agree?                             statistics/agreement.py    agreement, kappa, pairwise_agreement
    do several assessors agree?                         statistics/reliability.py  group_agreement, krippendorff_alpha
    would other topics rank the systems alike?          statistics/stability.py    stability, swap_rates
    what should be judged?                              pooling.py                 pool
    what do the curves look like, as numbers?           curves/points.py           char_precision_recall, roc, saw_tooth
    what did each article score?                        curves/per_article.py      article_scores, adm_plane
    and as plots?                                       curves/plots.py            plot_char_precision_recall, plot_roc
    topics, pairs of systems, a parameter, as plots?    curves/result_plots.py     plot_topics, plot_pairwise, plot_para
    the results as a table in a paper?                  tables.py                  to_latex, to_markdown
    what is in these qrels, or in this run?             description.py             describe

Each name is imported when it is first used.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "statistics.significance": [
            "Interval",
            "PairedTestResult",
            "bootstrap_test",
            "confidence_interval",
            "effect_size",
            "randomisation_test",
            "t_test",
            "topics_needed",
        ],
        "statistics.reliability": ["fleiss_kappa", "group_agreement", "krippendorff_alpha"],
        "statistics.stability": ["stability", "swap_rates"],
        "statistics.pairs": ["discriminative_power", "pairwise", "tied_groups", "triangle"],
        "statistics.rankings": ["MeasureComparison", "compare_measures", "tau_ap"],
        "statistics.agreement": ["Kappa", "agreement", "kappa", "pairwise_agreement"],
        "pooling": ["pool"],
        "curves.per_article": ["adm_distributions", "adm_plane", "adm_precision_recall", "article_scores"],
        "curves.points": [
            "article_precision_recall",
            "char_precision_recall",
            "generalised_precision",
            "recall_by_characters",
            "roc",
            "roc_note",
            "saw_tooth",
        ],
        "curves.plots": [
            "plot_adm_plane",
            "plot_article_precision_recall",
            "plot_char_precision_recall",
            "plot_generalised_precision",
            "plot_recall_by_characters",
            "plot_roc",
        ],
        "curves.result_plots": [
            "plot_differences",
            "plot_measures",
            "plot_pairwise",
            "plot_parameter",
            "plot_stability",
            "plot_topics",
        ],
        "tables": ["to_latex", "to_markdown"],
        "description": ["describe"],
    },
)
