"""Formats of other campaigns."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "bioasq": [
            "BioasqColumns",
            "document_names",
            "read_bioasq_columns",
        ],
        "campaign_checks": [
            "check_campaign_run",
        ],
        "campaign_lines": [
            "group_judged",
        ],
        "genomics": [
            "GenomicsGold",
            "aspect_names",
            "read_genomics_gold_columns",
            "read_genomics_run_columns",
        ],
        "hyperlinking": [
            "HyperlinkingQrels",
            "read_hyperlinking_qrels_columns",
            "read_hyperlinking_run_columns",
        ],
        "kilt": [
            "KiltItem",
            "read_kilt_items",
        ],
    },
)
