"""INEX topics of 2006 to 2010: XML with `title`, `castitle`, `phrasetitle`, `description` and `narrative`.

2006 and 2007 have `<inex_topic topic_id="..">`, one per file; 2008 to 2010 `<topic id="..">`, all in one file.
"""

from __future__ import annotations

import re
import unicodedata

import pandas as pd

from ...errors import FormatError
from ...reading.files import Source, open_binary, source_name, xml_files
from ...reading.xml import line_of, parse_xml, text_of

_PARTS = ["title", "castitle", "phrasetitle", "description", "narrative"]
_EXCLUDED = re.compile(
    r"""
    (?: ^ | (?<= [\s"+(] ) )  # at the start of a term
    -
    (?: "[^"]*"              # a phrase
      | [^\s"+-] \S* )       # a word
    """,
    re.VERBOSE,
)
_OPERATOR = re.compile(r"\b(AND|OR|NOT)\b")


def read_topics(source: Source) -> pd.DataFrame:
    """Read INEX topics from a file, or from all .xml files (.xml.gz, .xml.bz2) of a folder.

    Returns:
        A frame with the columns qid; query, the title's words without what query parsers read as operators, and without
        the terms and phrases that the title excludes by `-`; title (as written), castitle, phrasetitle, description,
        narrative ('' if absent).
    """
    rows: list[dict[str, str]] = []
    # The place of each topic.
    places: dict[str, str] = {}
    for file in xml_files(source):
        name = source_name(file)
        with open_binary(file) as stream:
            root = parse_xml(stream.read(), name)
        topics = list(root.iter("topic", "inex_topic"))
        if not topics:
            raise FormatError(
                f"no topics: expected <topic id=..> or <inex_topic topic_id=..>, found <{root.tag}>", file=name, line=1
            )
        for topic in topics:
            line = line_of(topic)
            qid = (topic.get("id") or topic.get("topic_id") or "").strip()
            if not qid:
                raise FormatError("a topic without id; expected an attribute id or topic_id", file=name, line=line)
            if qid in places:
                raise FormatError(f"topic {qid!r} is also in {places[qid]}", file=name, line=line)
            places[qid] = f"{name}:{line}"
            parts = {}
            for part in _PARTS:
                element = topic.find(part)
                parts[part] = "" if element is None else text_of(element).strip()
            if not parts["title"]:
                raise FormatError(f"topic {qid!r} has no title", file=name, line=line)
            rows.append({"qid": qid, "query": plain_query(parts["title"]), **parts})
    return pd.DataFrame(rows, columns=["qid", "query", *_PARTS])


def plain_query(title: str) -> str:
    """Turn an INEX title into words without operators of any engine's query parser.

    Terms and phrases excluded by `-` go (a bag of words would ask for them), unless nothing else is there; of the rest
    the letters, digits and marks stay, in their order and case, but for the words AND, OR and NOT, which become small.

    Example:
        >>> plain_query("+lighthouse -Eddystone AND Fresnel's lens")
        'lighthouse and Fresnel lens'
    """
    wanted = _list_words(_EXCLUDED.sub(" ", title))
    return wanted or _list_words(title)


def _list_words(text: str) -> str:
    # The indexer takes the possessive away: Ramakrishna's -> Ramakrishna.
    text = re.sub(r"(?<=\w)['\u2019]s\b", "", text)
    words = "".join(letter if unicodedata.category(letter)[0] in "LMN" else " " for letter in text).split()
    return _OPERATOR.sub(lambda match: match[0].lower(), " ".join(words))
