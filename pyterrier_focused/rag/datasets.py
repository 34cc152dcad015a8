"""Evidence of public data sets and evaluation tools, each in its own shape, told by its fields.

Natural Questions, HotpotQA, KILT, MultiHop-RAG, QASPER, LegalBench-RAG, AutoRAG, RAGBench, RAGAS, LlamaIndex, deepeval.
Each reader yields `Evidence`, and the articles that come with it if it brings its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlparse

from ..collection.corpora import CorpusArticle, as_docno
from ..errors import FormatError
from ..frames.spans import Span
from ..reading.json import Row
from ..reading.show import show_value
from ..reading.tables import parsed_list
from ..reading.values import list_of
from .formats import Evidence, InParagraphs, find_text, parse_list
from .items import Item
from .shapes import ROLES

Read = Iterator[tuple[Evidence, CorpusArticle | None]]

# RAGAS puts this before the contexts of questions that need several.
_HOP = re.compile(r"<\d+-hop>\s*")


class Dataset(NamedTuple):
    """A shape of evidence: the fields that tell it, those that it cannot be read without, and its reader."""

    name: str
    tells: str
    needs: str
    read: Callable[[Row, Evidence, Mapping[str, str]], Read]


def tell_dataset(record: object) -> Dataset | None:
    """Tell the data set that a record is of, None if it is of none of them."""
    if not isinstance(record, Mapping):
        return None
    told = (dataset for dataset in DATASETS if record.keys() >= {*dataset.tells.split()})
    return next((dataset for dataset in told if dataset.name != "KILT" or isinstance(record["output"], list)), None)


def read_dataset(
    dataset: Dataset, rows: Iterable[tuple[int, object]], file: str, columns: Mapping[str, str] | None
) -> tuple[list[Evidence], list[CorpusArticle]]:
    """Read the rows of a data set: (evidence, the articles that come with it)."""
    evidence: list[Evidence] = []
    articles: dict[str, CorpusArticle] = {}
    clusters = ((columns or {}).get("cluster", "cluster"),)
    for where, row in rows:
        row = row if isinstance(row, Mapping) else {}
        missing = set(dataset.needs.split()) - row.keys()
        if missing:
            names = " and no ".join(map(repr, sorted(missing)))
            raise FormatError(f"this looks like {dataset.name}, but has no {names}", file=file, line=where)
        try:
            base = Evidence(where, find_text(row, ROLES["qid"]), None, cluster=find_text(row, clusters))
            for piece, article in dataset.read(row, base, columns or {}):
                _check_texts(piece, article)
                evidence.append(piece if article is None else piece._replace(named=(_keep_article(article, articles),)))
        except (TypeError, KeyError, ValueError, AttributeError, IndexError, OverflowError, RecursionError) as error:
            message = f"this looks like {dataset.name}, but is not so ({error!r})"
            raise FormatError(message, file=file, line=where) from None
    return evidence, list(articles.values())


def _check_texts(piece: Evidence, article: CorpusArticle | None) -> None:
    texts: dict[str, object] = {name: getattr(piece, name) for name in ("qid", "query", "docno", "context")}
    texts["quote"] = piece.item.text
    texts["text of the document"] = None if article is None else article.text
    for name, value in texts.items():
        if value is not None and not isinstance(value, str):
            raise TypeError(f"the {name} is {value!r:.80}")


def _list_name(docno: str | None) -> tuple[str, ...]:
    return () if docno is None else (docno,)


def _keep_article(article: CorpusArticle, articles: dict[str, CorpusArticle]) -> str:
    """Keep an article once: the docno it goes by; another text of the same name is another article."""
    docno = article.docno
    copies = 1
    while articles.setdefault(docno, article._replace(docno=docno)).text != article.text:
        copies += 1
        docno = f"{article.docno}-{copies}"
    return docno


def _read_natural_questions(row: Row, base: Evidence, columns: Mapping[str, str]) -> Read:
    """Read a question of Natural Questions: offsets of tokens in the text, or of bytes in the page's HTML.

    Each annotator's answer is an alternative: the short answers, or the long one if there are none;
    columns={"quote": "long_answer"} or "short_answers" takes one kind only.
    """
    full = "document_html" in row
    text: str = row["document_html"] if full else row["document_text"]
    tokens = [] if full else text.split(" ")
    starts = list(accumulate((len(token) + 1 for token in tokens), initial=0))
    data = text.encode("utf-8") if full else b""
    title = row.get("document_title") or parse_qs(urlparse(row.get("document_url") or "").query).get("title", [""])[0]
    article = CorpusArticle(as_docno(title or f"document-{row['example_id']}"), text, (title,) if title else ())
    base = base._replace(qid=str(row["example_id"]), query=row["question_text"], context=text, context_optional=True)
    yield base.ask(), article
    for number, annotation in enumerate(row["annotations"], start=1):
        for answer in _choose_answers(annotation, columns.get("quote")):
            if full:
                start, end = _count_characters(data, answer["start_byte"], answer["end_byte"])
                tokens_of_answer = row.get("document_tokens", [])[answer["start_token"] : answer["end_token"]]
                quote = " ".join(token["token"] for token in tokens_of_answer if not token["html_token"]) or None
            else:
                first_token = int(answer["start_token"])
                end_token = int(answer["end_token"])
                start = starts[first_token]
                end = starts[end_token] - 1
                quote = " ".join(tokens[first_token:end_token])
            yield base._replace(item=Item(quote, start, end), alternative=str(number)), article


def _count_characters(data: bytes, start: int, end: int) -> Span:
    return len(data[: int(start)].decode("utf-8", "ignore")), len(data[: int(end)].decode("utf-8", "ignore"))


def _choose_answers(annotation: Row, kind: str | None) -> list[Row]:
    long = annotation.get("long_answer") or {}
    longs = [long] if long.get("start_token", -1) >= 0 else []
    shorts = list(annotation.get("short_answers") or [])
    return {"long_answer": longs, "short_answers": shorts}.get(kind or "", shorts or longs)


def _read_hotpot(row: Row, base: Evidence, columns: Mapping[str, str]) -> Read:
    """Read a question of HotpotQA: each supporting fact is a sentence of one of the paragraphs that come with it."""
    context = row["context"]
    facts = row["supporting_facts"]
    # Hugging Face keeps columns instead of rows.
    if isinstance(context, Mapping):
        context = list(zip(context["title"], context["sentences"], strict=True))
        facts = list(zip(facts["title"], facts["sent_id"], strict=True))
    paragraphs = dict(context)
    base = base._replace(query=row["question"], context_optional=True)
    yield base.ask(), None
    for title, number in facts:
        if title not in paragraphs:
            raise ValueError(f"the fact is of {title!r}, which is not a paragraph of its context")
        sentences = list(paragraphs[title])
        article = CorpusArticle(as_docno(title), "".join(sentences), (title,))
        starts = list(accumulate(map(len, sentences), initial=0))
        if 0 <= number < len(sentences):
            quote = sentences[number].strip()
            start = starts[number] + sentences[number].index(quote)
        else:
            # Some facts name a sentence beyond the end of their paragraph.
            quote = f"sentence {number} of {title}"
            start = len(article.text)
        item = Item(quote, start, start + len(quote))
        yield base._replace(item=item, context=article.text, fact=f"{title}, {number}"), article


def _read_qasper(row: Row, base: Evidence, columns: Mapping[str, str]) -> Read:
    """Read a paper of QASPER and its questions: paragraphs that are evidence, each a fact, an alternative by annotator.

    The article is the abstract, the sections and the captions; columns={"quote": "highlighted_evidence"} takes the
    sentences that were highlighted instead of their paragraphs.
    """
    parts = [row.get("abstract") or "", *_list_qasper_paragraphs(row["full_text"])]
    parts += [float_["caption"] for float_ in row.get("figures_and_tables") or [] if isinstance(float_, Mapping)]
    text = "\n\n".join(part for part in parts if part)
    title = row.get("title") or ""
    article = CorpusArticle(as_docno(str(row["id"])), text, (title,) if title else ())
    for question in _list_columns(row["qas"]):
        asked = base._replace(qid=str(question["question_id"]), query=question["question"], context=text)
        asked = asked._replace(context_optional=True)
        yield asked.ask(), article
        for number, entry in enumerate(_list_columns(question["answers"]), start=1):
            answer = entry.get("answer", entry)
            for evidence in answer[columns.get("quote", "evidence")]:
                quote = evidence.removeprefix("FLOAT SELECTED: ").strip()
                if not quote:
                    continue
                start = text.find(quote)
                item = Item(quote) if start < 0 else Item(quote, start, start + len(quote))
                piece = asked._replace(item=item, alternative=str(number), fact=quote)
                yield piece if start >= 0 else piece._replace(context=None), article


def _list_qasper_paragraphs(sections: Row | list[Row]) -> list[str]:
    if isinstance(sections, Mapping):
        return [paragraph for paragraphs in sections["paragraphs"] for paragraph in paragraphs]
    return [paragraph for section in sections for paragraph in section["paragraphs"]]


def _list_columns(value: Row | list[Row]) -> list[Row]:
    """Return a list of objects, also if it came as an object of lists, as Hugging Face has it."""
    if not isinstance(value, Mapping):
        return list(value)
    return [dict(zip(value, row, strict=True)) for row in zip(*value.values(), strict=True)]


def _read_autorag(row: Row, base: Evidence, columns: Mapping[str, str]) -> Read:
    """Read a question of AutoRAG: groups of chunks of the corpus, each group a fact that any of its chunks proves."""
    base = base._replace(query=row["query"], kind="article")
    groups: list[Any] = parse_list(row["retrieval_gt"], "retrieval_gt")
    groups = [[group] if isinstance(group, str) else list(group) for group in groups if len(group)]
    yield base.ask(), None
    for number, group in enumerate(groups, start=1):
        for name in group:
            yield base._replace(named=(str(name),), fact=f"group {number}"), None


def _read_ragbench(row: Row, base: Evidence, columns: Mapping[str, str]) -> Read:
    """Read a row of RAGBench: sentences of its documents, which come with it, by their keys.

    columns={"quote": "all_utilized_sentence_keys"} takes the sentences that the response used.
    """
    base = base._replace(qid=str(row["id"]), query=row["question"])
    texts: list[str] = []
    # Document, start and end of each sentence, by its key.
    places: dict[str, tuple[int, int, int]] = {}
    for number, sentences in enumerate(row["documents_sentences"]):
        text = ""
        for key, sentence in sentences:
            places[str(key)] = (number, len(text), len(text) + len(sentence))
            text += f"{sentence} "
        texts.append(text)
    keys = row[columns.get("quote", "all_relevant_sentence_keys")]
    # Some keys name no sentence.
    relevant = [places[str(key)] for key in keys if str(key) in places]
    yield base.ask(), None
    for number, start, end in relevant:
        article = CorpusArticle(as_docno(f"{row['id']}-{number}"), texts[number])
        item = Item(texts[number][start:end].strip(), start, end)
        yield base._replace(item=item, context=article.text, context_optional=True), article


def _read_legal_bench(row: Row, base: Evidence, columns: Mapping[str, str]) -> Read:
    for number, test in enumerate(row["tests"], start=1):
        asked = base._replace(qid=str(number), query=test["query"])
        yield asked.ask(), None
        for snippet in test["snippets"]:
            start, end = snippet["span"]
            item = Item(snippet.get("answer") or None, int(start), int(end), _list_name(snippet["file_path"]))
            yield asked._replace(item=item), None


def _read_multi_hop(row: Row, base: Evidence, columns: Mapping[str, str]) -> Read:
    """Read a question of MultiHop-RAG: facts quoted from news articles, which it names by title."""
    base = base._replace(query=row["query"])
    yield base.ask(), None
    for entry in row["evidence_list"]:
        yield base._replace(item=Item(entry["fact"], documents=_list_name(entry["title"])), fact=entry["fact"]), None


def _read_labelled_examples(row: Row, base: Evidence, columns: Mapping[str, str]) -> Read:
    for number, example in enumerate(row["examples"], start=1):
        yield from _read_contexts(example["reference_contexts"], base._replace(qid=str(number), query=example["query"]))


def _read_golden(row: Row, base: Evidence, columns: Mapping[str, str]) -> Read:
    """Read a golden of deepeval: its context quotes the file that it was made of."""
    file = row.get("source_file")
    file = file if isinstance(file, str) and file else None
    base = base._replace(query=row["input"], over=file, named=_list_name(file), anywhere=True)
    yield from _read_contexts(row["context"], base)


def _read_ragas(row: Row, base: Evidence, columns: Mapping[str, str]) -> Read:
    """Read a row of a RAGAS test set: contexts quoted, in older ones with metadata that may name their document."""
    old = "evolution_type" in row
    base = base._replace(query=row["question" if old else "user_input"], anywhere=True)
    metadata = list_of(row.get("metadata")) if old else None
    of_context = metadata[0] if metadata else None
    docno = find_text(of_context, ROLES["docno"]) if isinstance(of_context, Mapping) else None
    base = base._replace(named=_list_name(docno or find_text(row, ROLES["docno"])))
    yield from _read_contexts(row["contexts" if old else "reference_contexts"], base)


def _read_contexts(contexts: str | Iterable[object] | None, base: Evidence) -> Read:
    if isinstance(contexts, str):
        contexts = parsed_list(contexts) or contexts.split("|")
    yield base.ask(), None
    for context in contexts if contexts is not None else []:
        yield base._replace(item=Item(_HOP.sub("", str(context), count=1))), None


def _read_kilt(row: Row, base: Evidence, columns: Mapping[str, str]) -> Read:
    """Read a line of KILT: the provenance of each output, an alternative, by paragraph and offset; -1: all of it."""
    base = base._replace(qid=str(row["id"]), query=row["input"])
    yield base.ask(), None
    outputs = enumerate((output.get("provenance") or [] for output in row["output"]), start=1)
    for number, entry in ((number, entry) for number, entries in outputs for entry in entries):
        named = _list_name(find_text(entry, ("wikipedia_id", "title")))
        piece = base._replace(named=named, alternative=str(number))
        start = entry.get("start_paragraph_id")
        if start is None:
            yield piece._replace(kind="article"), None
            continue
        end = entry.get("end_paragraph_id")
        place = InParagraphs(
            start, entry.get("start_character", -1), start if end is None else end, entry.get("end_character", -1)
        )
        if not all(isinstance(number, int) for number in place):
            raise ValueError(f"the provenance {show_value(entry)} has a place that is not a whole number")
        yield piece._replace(paragraphs=place), None


DATASETS = (
    Dataset("Natural Questions", "document_html", "example_id question_text annotations", _read_natural_questions),
    Dataset(
        "simplified Natural Questions", "document_text question_text", "example_id annotations", _read_natural_questions
    ),
    Dataset("QASPER", "full_text qas", "id", _read_qasper),
    Dataset("AutoRAG", "retrieval_gt", "query", _read_autorag),
    Dataset("RAGBench", "documents_sentences all_relevant_sentence_keys", "id question", _read_ragbench),
    Dataset("LegalBench-RAG", "tests", "", _read_legal_bench),
    Dataset("HotpotQA", "supporting_facts", "question context", _read_hotpot),
    Dataset("MultiHop-RAG", "evidence_list", "query", _read_multi_hop),
    Dataset("LlamaIndex's LabelledRagDataset", "examples", "", _read_labelled_examples),
    Dataset("KILT", "input output", "id", _read_kilt),
    Dataset("deepeval's goldens", "input expected_output", "context", _read_golden),
    Dataset("a test set of RAGAS", "evolution_type", "question contexts", _read_ragas),
    Dataset("a test set of RAGAS", "user_input reference_contexts", "", _read_ragas),
)
