from .curves.per_article import adm_plane, article_scores
from .curves.plots import (
    plot_adm_plane,
    plot_article_precision_recall,
    plot_char_precision_recall,
    plot_generalised_precision,
    plot_intervals,
    plot_recall_by_characters,
    plot_roc,
)
from .curves.points import (
    article_precision_recall,
    char_precision_recall,
    generalised_precision,
    recall_by_characters,
    roc,
    roc_note,
    saw_tooth,
)
from .description import describe
from .judgment_comparison import compare_judgments
from .pooling import pool
from .statistics.agreement import Kappa, agreement, kappa
from .statistics.pairs import discriminative_power, pairwise, triangle
from .statistics.rankings import MeasureComparison, compare_measures
from .statistics.significance import (
    Interval,
    PairedTestResult,
    bootstrap_test,
    confidence_interval,
    effect_size,
    randomisation_test,
    t_test,
)
from .tables import mark_differences

__all__ = [
    "Interval",
    "Kappa",
    "MeasureComparison",
    "PairedTestResult",
    "adm_plane",
    "agreement",
    "article_precision_recall",
    "article_scores",
    "bootstrap_test",
    "char_precision_recall",
    "compare_judgments",
    "compare_measures",
    "confidence_interval",
    "describe",
    "discriminative_power",
    "effect_size",
    "generalised_precision",
    "kappa",
    "mark_differences",
    "pairwise",
    "plot_adm_plane",
    "plot_article_precision_recall",
    "plot_char_precision_recall",
    "plot_generalised_precision",
    "plot_intervals",
    "plot_recall_by_characters",
    "plot_roc",
    "pool",
    "randomisation_test",
    "recall_by_characters",
    "roc",
    "roc_note",
    "saw_tooth",
    "t_test",
    "triangle",
]
