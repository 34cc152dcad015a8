"""Points and plots."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "per_article": [
            "adm_distributions",
            "adm_plane",
            "adm_precision_recall",
            "article_scores",
        ],
        "plots": [
            "plot_adm_plane",
            "plot_article_precision_recall",
            "plot_char_precision_recall",
            "plot_generalised_precision",
            "plot_recall_by_characters",
            "plot_roc",
        ],
        "points": [
            "article_precision_recall",
            "char_precision_recall",
            "generalised_precision",
            "join",
            "recall_by_characters",
            "roc",
            "roc_note",
            "saw_tooth",
        ],
        "result_plots": [
            "plot_differences",
            "plot_measures",
            "plot_pairwise",
            "plot_parameter",
            "plot_topics",
        ],
    },
)
