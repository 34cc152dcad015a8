"""What one does with measures after computing them: significance, agreement, pooling, curves, views and reports.

    is a difference real, and how large is it?          significance.py   bootstrap_test, confidence_interval, ...
    which of many systems differ?                       pairs.py          pairwise, triangle, tied_groups, ...
    do two measures rank systems alike?                 rankings.py       compare_measures, tau_ap
    do two assessors agree, or several?                 assessors.py      agreement, kappa, pairwise_agreement
    what should be judged?                              pooling.py        pool
    what did my RAG stack retrieve?                     retrieved.py      evaluate_retrieved
    what was not judged, and what without it?           condensed.py      condense, unjudged_share
    which chunks bring the evidence?                    chunkers.py       compare_chunkers, micro_averages
    what if sizes counted tokens?                       tokens.py         Tokens
    what do the curves look like, as numbers?           curve_data.py     char_precision_recall, roc, saw_tooth, ...
    what did each article score?                        per_article.py    article_scores, adm_plane, ...
    and as plots?                                       plots.py          plot_char_precision_recall, plot_roc, ...
    topics, pairs of systems, a parameter, as plots?    result_plots.py   plot_topics, plot_pairwise, plot_parameter
    what did assessor and system see in an article?     article_view.py   view
    the results as a table in a paper?                  tables.py         to_latex, to_markdown
    which measures are usual for the task?              presets.py        preset
    what is in these qrels, or in this run?             describe.py       describe
    all of it on one page, to send to a colleague?      report.py         write_report

Each name is imported when it is first used.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "significance": [
            "Interval",
            "PairedTestResult",
            "bootstrap_test",
            "confidence_interval",
            "effect_size",
            "randomisation_test",
            "t_test",
            "topics_needed",
        ],
        "pairs": ["discriminative_power", "pairwise", "tied_groups", "triangle"],
        "rankings": ["MeasureComparison", "compare_measures", "tau_ap"],
        "assessors": ["Kappa", "agreement", "kappa", "pairwise_agreement"],
        "pooling": ["pool"],
        "condensed": ["condense", "unjudged_share"],
        "chunkers": ["ChunkerComparison", "compare_chunkers", "micro_averages"],
        "retrieved": ["RetrievedEvaluation", "evaluate_retrieved"],
        "tokens": ["Tokens"],
        "per_article": ["adm_distributions", "adm_plane", "adm_precision_recall", "article_scores"],
        "curve_data": [
            "article_precision_recall",
            "char_precision_recall",
            "generalised_precision",
            "recall_by_characters",
            "roc",
            "roc_note",
            "saw_tooth",
        ],
        "plots": [
            "plot_adm_plane",
            "plot_article_precision_recall",
            "plot_char_precision_recall",
            "plot_generalised_precision",
            "plot_recall_by_characters",
            "plot_roc",
        ],
        "result_plots": ["plot_differences", "plot_measures", "plot_pairwise", "plot_parameter", "plot_topics"],
        "article_view": ["ArticleView", "view"],
        "report": ["write_report"],
        "tables": ["to_latex", "to_markdown"],
        "presets": ["PRESETS", "preset"],
        "describe": ["describe"],
    },
)
