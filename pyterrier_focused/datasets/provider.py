"""`pt.get_dataset('focused:...')`: the provider and its table, and the demo collection that ships with the package."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt

from ..collection import Collection, read_source
from ..errors import check_choice
from ..frames.show import html_facts
from ..io import read_qrels, read_topics
from .inex_archive import InexArchive


class FocusedDatasetProvider(pt.datasets.DatasetProvider):
    """The datasets of this package, by the name after `focused:`.

    Example:
        >>> pt.get_dataset("focused:demo")
        DemoDataset()
    """

    def get_dataset(self, name: str) -> pt.datasets.Dataset:
        datasets: dict[str, type[pt.datasets.Dataset]] = {"demo": DemoDataset, "inex": InexArchive}
        if name not in datasets:
            raise KeyError(f"no dataset is called focused:{name}; there are {', '.join(datasets)}")
        return datasets[name]()

    def list_dataset_names(self) -> Iterable[str]:
        # PyTerrier opens what is listed, and an archive needs its path.
        """Return the names of the datasets that open without a path."""
        return ["demo"]


class DemoDataset(pt.datasets.Dataset):
    """A small collection in INEX Wikipedia XML, written for tutorials: articles, topics, highlights, best entry points.

    `source` is the folder of its articles, `collection(path)` builds them; `get_topics()` and `get_qrels()` are frames.

    Example:
        >>> dataset = DemoDataset()
        >>> len(dataset.get_corpus()) == len(list(dataset.get_corpus_iter()))
        True
    """

    folder = Path(__file__).parents[1] / "data" / "demo"
    source = folder / "articles"

    def collection(self, path: str | Path, **options: Any) -> Collection:
        """Build the articles as a Collection, or open it if it is there (extra [retrieval])."""
        return Collection.build(self.source, path, **options)

    def get_corpus(self) -> list[str]:
        return sorted(map(str, self.source.glob("*.xml")))

    def get_corpus_iter(self, *, verbose: bool = True) -> Iterable[dict[str, str]]:
        yield from (article.as_dict() for article in read_source(str(self.source)))

    def get_corpus_lang(self) -> str:
        return "en"

    def get_topics(self, variant: str | None = None) -> pd.DataFrame:
        """Return the topics: qid, query, and a column each for title, castitle, phrasetitle, description, narrative."""
        topics = read_topics(self.folder / "topics.xml")
        if variant is None:
            return topics
        check_choice("variant", variant, topics.columns[1:])
        return topics.assign(query=topics[variant])

    def get_topics_lang(self) -> str:
        return "en"

    def get_qrels(self, variant: str | None = None) -> pd.DataFrame:
        """Return the judgments: qid, docno, label, highlights, bep, length, relevant_size."""
        return read_qrels(self.folder / "qrels.txt")

    def info_url(self) -> str | None:
        return None

    def _repr_html_(self) -> str:
        facts = {
            "articles": len(self.get_corpus()),
            "topics": len(self.get_topics()),
            "judged": len(self.get_qrels()),
            "for example": 'dataset.collection("demo").index("demo-index")',
        }
        return html_facts("focused:demo", facts)

    def __repr__(self) -> str:
        return "DemoDataset()"
