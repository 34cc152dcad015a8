from .curves.per_article import adm_plane, article_scores
from .curves.plots import (
    plot_adm_plane,
    plot_article_precision_recall,
    plot_char_precision_recall,
    plot_generalised_precision,
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
from .curves.result_plots import plot_differences, plot_intervals, plot_measures, plot_pairwise, plot_stability
from .description import describe
from .judgment_comparison import compare_judgments
from .pooling import pool
from .statistics.agreement import Kappa, agreement, kappa, pairwise_agreement
from .statistics.pairs import discriminative_power, pairwise, tied_groups, triangle
from .statistics.rankings import MeasureComparison, compare_measures, rbo, tau_ap
from .statistics.reliability import fleiss_kappa, group_agreement, krippendorff_alpha
from .statistics.significance import (
    Interval,
    PairedTestResult,
    bootstrap_test,
    confidence_interval,
    effect_size,
    randomisation_test,
    t_test,
    topics_needed,
)
from .statistics.stability import stability, subset_stability
from .tables import to_latex, to_markdown

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
    "fleiss_kappa",
    "generalised_precision",
    "group_agreement",
    "kappa",
    "krippendorff_alpha",
    "pairwise",
    "pairwise_agreement",
    "plot_adm_plane",
    "plot_article_precision_recall",
    "plot_char_precision_recall",
    "plot_differences",
    "plot_generalised_precision",
    "plot_intervals",
    "plot_measures",
    "plot_pairwise",
    "plot_recall_by_characters",
    "plot_roc",
    "plot_stability",
    "pool",
    "randomisation_test",
    "rbo",
    "recall_by_characters",
    "roc",
    "roc_note",
    "saw_tooth",
    "stability",
    "subset_stability",
    "t_test",
    "tau_ap",
    "tied_groups",
    "to_latex",
    "to_markdown",
    "topics_needed",
    "triangle",
]
