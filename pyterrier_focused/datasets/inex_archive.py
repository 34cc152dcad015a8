"""`pt.get_dataset('focused:inex', path=...)`: the topics, assessments, runs and articles of an INEX archive on disk.

Archives have different layouts, so parts are found by their names below the given folder; parts that are not found can
be given by their paths.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt

from ..collection import Collection, read_source
from ..errors import name_some
from ..frames.show import html_facts
from ..io import read_qrels, read_run, read_topics
from ..io.inex.topics import plain_query

# The words of file and folder names that tell what is in them
_WORDS = {
    "topics": {"topics", "topic"},
    "qrels": {"qrels", "qrel", "assessments", "assessment"},
    "runs": {"runs", "submissions"},
    "corpus": {"corpus", "articles", "documents", "wikipedia"},
    "collection": {"collection"},
}
# These parts are folders, never files.
_FOLDERS = ("runs", "collection")
# Levels of folders below the archive's that are looked through.
_LEVELS = 2


class InexArchive(pt.datasets.Dataset):
    """An INEX archive on disk; made by `pt.get_dataset('focused:inex', path=...)`.

    *path* is its folder. What is in it is recognised by the words of file and folder names, at most two levels down:

    | part | words |
    |---|---|
    | topics | topics, topic |
    | qrels | qrels, qrel, assessments, assessment |
    | runs | (a folder) runs, submissions |
    | corpus | corpus, articles, documents, wikipedia |
    | collection | (a folder) collection |

    *topics*, *qrels*, *runs*, *corpus* and *collection* give the path of a part if its name does not tell; the
    collection, built from the corpus by `Collection.build`, resolves element paths and tells bytes from characters.
    """

    def __init__(self) -> None:
        self._path: Path | None = None
        self._given: dict[str, Any] = {}

    def _configure(self, path: str | os.PathLike[str] | None = None, **parts: object) -> None:
        """Take the archive's folder and the paths of its parts. Raises ValueError if one is not there."""
        unknown = sorted(set(parts) - set(_WORDS))
        if unknown:
            raise ValueError(f"focused:inex knows the parts {', '.join(_WORDS)}, not {', '.join(unknown)}")
        if path is None:
            raise ValueError("pt.get_dataset('focused:inex', path=...) needs the folder of the archive")
        if not Path(path).is_dir():
            raise ValueError(f"no folder {os.fspath(path)!r}; path= is the folder of the INEX archive")
        for name, part in parts.items():
            if isinstance(part, str | os.PathLike) and not Path(part).exists():
                raise ValueError(f"{name}={os.fspath(part)!r} does not exist")
        self._path = Path(path)
        self._given = parts

    def get_topics(self, variant: str | None = None) -> pd.DataFrame:
        """Read the topics.

        Args:
            variant: The source of `query`: title, castitle, phrasetitle, description or narrative; the title if there
                is none. A castitle's query is NEXI; the others are words that break no query parser.
        """
        topics = read_topics(self._find_part("topics"))
        if variant is None:
            return topics
        sources = [column for column in topics.columns if column not in ("qid", "query")]
        if variant not in sources:
            raise ValueError(f"topics have no {variant!r}; variants are {', '.join(sources)}")
        query = topics[variant] if variant == "castitle" else topics[variant].map(plain_query)
        return topics.assign(query=query)

    def get_qrels(self, variant: str | None = None) -> pd.DataFrame:
        """Read the assessments."""
        return read_qrels(self._find_part("qrels", variant), collection=self.get_collection())

    def list_runs(self) -> list[str]:
        """Name the runs, as `get_run` takes them: paths below the folder of runs."""
        folder = self._find_part("runs")
        return sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())

    def get_run(self, name: str, **options: Any) -> pd.DataFrame:
        """Read a run by its name."""
        runs = self.list_runs()
        matches = [run for run in runs if name in (run, run.partition(".")[0])]
        matches = matches or [run for run in runs if name in (Path(run).name, Path(run).name.partition(".")[0])]
        if len(matches) != 1:
            raise ValueError(
                f"{len(matches)} runs are called {name!r}; runs in {self._find_part('runs')}: {name_some(runs, 20)}"
            )
        return read_run(self._find_part("runs") / matches[0], collection=self.get_collection(), **options)

    def get_collection(self) -> Any:
        """Open the collection; None if the archive has none."""
        part = self._given.get("collection")
        if part is not None and not isinstance(part, str | os.PathLike):
            return part
        paths = [Path(part)] if part is not None else self._search_part("collection")
        if not paths:
            return None
        return Collection(paths[0])

    def get_corpus(self) -> list[str]:
        corpus = self._find_part("corpus")
        return sorted(map(str, filter(Path.is_file, corpus.rglob("*")))) if corpus.is_dir() else [str(corpus)]

    def get_corpus_iter(self, *, verbose: bool = True) -> Iterator[dict[str, str]]:
        """Yield each article's docno, title and text: from the collection if there is one, else from the corpus.

        Articles that cannot be read are told in a warning at the end.
        """
        collection = self.get_collection()
        if collection is not None:
            yield from collection.articles()
            return
        for article in pt.tqdm(read_source(str(self._find_part("corpus")), max_rejected=1), disable=not verbose):
            yield article.as_dict()

    def _repr_html_(self) -> str:
        """Show the folder, and which of its files and folders hold the parts; no file is read."""
        facts = {part: self._name_part(part) for part in _WORDS}
        return html_facts("focused:inex", {"folder": self._path, **facts, "for example": "dataset.get_qrels()"})

    def _name_part(self, part: str) -> str:
        if part in self._given:
            return str(self._given[part])
        names = [Path(os.path.relpath(path, self._path)).as_posix() for path in self._search_part(part)]
        return name_some(names, 3) or "nothing"

    def _find_part(self, part: str, word: str | None = None) -> Path:
        """Find a part. Raises ValueError that says what was looked for and what is there."""
        if self._path is None:
            raise ValueError("pt.get_dataset('focused:inex', path=...) needs the folder of the archive")
        if part in self._given:
            return Path(self._given[part])
        paths = self._search_part(part)
        if word is not None:
            paths = [path for path in paths if word in path.name]
        if len(paths) == 1:
            return paths[0]
        kind = "folder" if part in _FOLDERS else "file or folder"
        words = " or ".join(sorted(_WORDS[part])) + (f" and {word!r}" if word else "")
        names = [path.relative_to(self._path).as_posix() for path in paths or sorted(self._path.iterdir())]
        there = name_some(names, 20) or "nothing"
        raise ValueError(
            f"{len(paths) or 'no'} {part} in {self._path}: looked for a {kind} with {words} in its name, at most "
            f"{_LEVELS} levels down; {'found' if paths else 'there is'}: {there}; give {part}=PATH"
        )

    def _search_part(self, part: str) -> list[Path]:
        """List the files and folders whose names tell the part, from the highest level that has any."""
        level = [self._path] if self._path is not None else []
        for _ in range(_LEVELS + 1):
            inside = [path for folder in level for path in sorted(folder.iterdir())]
            matches = [path for path in inside if _tells_part(path, part)]
            if matches:
                return matches
            level = [path for path in inside if path.is_dir() and not _tells_part(path, "corpus")]
        return []


def _tells_part(path: Path, part: str) -> bool:
    words = set(re.split("[^a-z]+", path.name.lower()))
    if part in _FOLDERS and not path.is_dir():
        return False
    return bool(words & _WORDS[part])
