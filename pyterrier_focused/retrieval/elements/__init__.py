"""Structure: NEXI, element models, two stages."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "element_models": [
            "MixtureModel",
            "Propagate",
        ],
        "nexi_retriever": [
            "NexiRetriever",
        ],
        "two_stage": [
            "ArticleThenParts",
            "Contextualise",
        ],
    },
)
