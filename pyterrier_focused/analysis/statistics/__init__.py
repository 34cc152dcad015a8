"""Tests, pairs, agreement, rank correlation."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "agreement": [
            "Kappa",
            "kappa",
            "pairwise_agreement",
        ],
        "pairs": [
            "MeasureValues",
            "corrected",
            "discriminative_power",
            "pairwise",
            "tied_groups",
            "triangle",
            "values_of",
        ],
        "rankings": [
            "MeasureComparison",
            "compare_measures",
            "tau_ap",
        ],
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
    },
)
