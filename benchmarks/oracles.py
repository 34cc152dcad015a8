"""Our text of wikitext beside what others recorded: MediaWiki's and Parsoid's parser tests, Sweble's expansions.

    python benchmarks/oracles.py CHECKOUT ... [--show REASON]

A checkout is of wikimedia/mediawiki, of an extension or of wikimedia/parsoid (all text files that hold parser tests),
or of sweble/sweble-wikitext (a zip file). Words are compared, in their order: those of the article with those of the
recorded HTML without what is left out on purpose, or with those of the recorded expansion. A case that differs is
counted under the first reason that its wikitext has.
"""

from __future__ import annotations

import argparse
import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

import lxml.html

from pyterrier_focused.wikitext import RejectedArticle, WikitextReader, as_title

_TEST = re.compile(r"^!! *test\b", re.MULTILINE)
_SECTION = re.compile(r"^!! *([\w/+-]+)[^\n]*\n(.*?)(?=^!!)", re.MULTILINE | re.DOTALL)
_HTML = ("html/php", "html/php+tidy", "html", "html/*", "html+tidy", "html/parsoid", "result")
_LEFT_OUT = "|".join(
    f"//{path}"
    for path in (
        "*[contains(@class, 'mw-editsection')]", "*[contains(@class, 'toc')]", "sup[contains(@class, 'reference')]",
        "*[contains(@class, 'references')]", "*[contains(@class, 'mw-ref')]", "style", "script", "figure", "rp",
        "*[contains(@class, 'thumb')]", "*[contains(@class, 'gallery')]", "table[@id='toc']",
    )
)  # fmt: skip
# Tests with these options have no article as their result.
_NO_ARTICLE = re.compile(
    r"^ *(pst|msg|comment|cat|ill|disabled|showindicators|showtitle|showflags|extension|extlinks|preprocessor|section=|"
    r"replace=|local|styletag|wgRawHtml)\b", re.MULTILINE
)  # fmt: skip
_TITLE = re.compile(r"title *= *\[\[(.*?)\]\]")
_REASONS = (
    ("files", r"\[\[ *:?(?:file|image|media) *:|<gallery|<imagemap"),
    ("references", r"<ref|<references|\{\{#tag:ref"),
    (
        "what depends on the wiki or the day",
        r"\{\{ *(?:CURRENT|LOCAL|NUMBEROF|PAGESIN|REVISION|#time|SITE|SERVER|int:)",
    ),
    ("variants of a language", r"-\{"),
    ("tags of extensions that the tests define", r"<(?:tag|statictag|pre_|aside|sealed|indicator|seven|embed|section)"),
    ("table of contents", r"__TOC__|__FORCETOC__"),
    ("links to other wikis", r"\[\[ *:?(?:[a-z]{2,3}|meatball|wikipedia|memoryalpha|local\w*) *:"),
    (
        "addresses and what stands in their brackets",
        r"\[? *(?:https?:|//|ftp:|irc:|mailto:|news:|gopher:)|ISBN|RFC|PMID",
    ),
    ("templates and functions", r"\{\{"),
    ("tables", r"^[ :]*\{\||<table|<t[rdh]\b"),
    ("lists and indented lines", r"^[*#:;]"),
    ("HTML that is nested wrongly or not known", r"<"),
    ("quotes for italics and bold", r"''"),
    ("links", r"\[\["),
    ("other", ""),
)


@dataclass
class Case:
    """Wikitext, and the words that were recorded for it; *skipped* says why there is nothing to compare."""

    name: str
    wikitext: str
    words: list[str]
    title: str = "Parser test"
    skipped: str = ""


@dataclass
class Oracle:
    """The cases of a file, and the templates that they call."""

    name: str
    cases: list[Case] = field(default_factory=list)
    templates: dict[str, str] = field(default_factory=dict)

    def find_template(self, title: str) -> str | None:
        """Return the wikitext of a template, through a redirect."""
        wikitext = self.templates.get(title)
        redirect = re.match(r"#REDIRECT *\[\[Template:(.*?)\]\]", wikitext or "", re.IGNORECASE)
        return wikitext if redirect is None else self.templates.get(as_title(redirect[1]))


def read_parser_tests(path: Path) -> Oracle:
    """Read a file of parser tests; one without tests has no cases."""
    oracle = Oracle(path.name)
    sections: dict[str, str] = {}
    text = path.read_text(encoding="utf-8", errors="replace")
    if _TEST.search(text) is None:
        return oracle
    for match in _SECTION.finditer(f"{text}\n!! end\n!!\n"):
        name = match[1].lower()
        if name in ("test", "article"):
            sections = {}
        sections[name] = match[2]
        if name == "endarticle":
            prefix, _, title = sections.get("article", "").strip().partition(":")
            if prefix.lower() == "template":
                oracle.templates[as_title(title)] = sections.get("text", "").removesuffix("\n")
        elif name == "end" and "test" in sections:
            oracle.cases.append(_make_case(sections))
            sections = {}
    return oracle


def _make_case(sections: Mapping[str, str]) -> Case:
    wikitext = sections.get("wikitext", sections.get("input", ""))
    options = sections.get("options", "")
    html = next((sections[name] for name in _HTML if name in sections), None)
    title = _TITLE.search(options)
    case = Case(sections["test"].strip(), wikitext, [], title[1] if title else "Parser test")
    option = _NO_ARTICLE.search(options)
    if option:
        case.skipped = f"option {option[1]}"
    elif html is None or not wikitext.strip():
        case.skipped = "no wikitext or no HTML of it"
    elif "language=" in options or "variant=" in options:
        case.skipped = "a wiki of another language"
    elif 'class="error"' in html or "parser-error" in html:
        case.skipped = "an error that MediaWiki shows"
    else:
        case.words = read_html_words(html)
    return case


def read_html_words(html: str) -> list[str]:
    """Return the words of HTML, without what is left out of articles on purpose; blocks and breaks divide words."""
    root = lxml.html.fragment_fromstring(html, create_parent="div")
    for element in root.xpath(_LEFT_OUT):
        element.drop_tree()
    for element in root.iter(
        "p", "li", "td", "th", "br", "dd", "dt", "div", "h1", "h2", "h3", "h4", "h5", "h6", "caption"
    ):
        element.tail = f" {element.tail or ''}"
        element.text = f" {element.text or ''}"
    return str(root.text_content()).split()


def read_expansions(path: Path) -> Oracle:
    """Read a zip file of Sweble's: statements with their expansions, and the pages that they need."""
    oracle = Oracle(path.name)
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            page = re.fullmatch(r".*/retrieveWikitext-Template%3A(.*)-\d+\.wikitext", name)
            if page:
                oracle.templates[as_title(unquote(page[1]).replace("_", " "))] = archive.read(name).decode()
            elif "/tests/" in name and name.endswith(".txt"):
                parts = re.split(r"^==\[ ([A-Z ]+) \]=+\n", archive.read(name).decode(), flags=re.MULTILINE)
                told = dict(zip(parts[1::2], parts[2::2], strict=False))
                title = told["TITLE"].strip()
                expected = _read_words(WikitextReader("en"), title, told["EXPECTED EXPANSION"])
                oracle.cases.append(Case(Path(name).stem, told["STATEMENT"], expected, title))
    return oracle


def _read_words(reader: WikitextReader, title: str, wikitext: str) -> list[str]:
    """Return the words of an article without its title."""
    try:
        return reader.read("1", "", wikitext.replace("{{PAGENAME}}", title)).text.split()
    except RejectedArticle as error:
        return [str(error)]


def compare(oracle: Oracle) -> dict[str, list[Case]]:
    """Return the cases by how they compare: 'equal', or why they are skipped or differ."""
    reader = WikitextReader("en", find_template=oracle.find_template, drop=("figure",))
    by_result: dict[str, list[Case]] = defaultdict(list)
    for case in oracle.cases:
        if case.skipped:
            by_result[f"skipped: {case.skipped}"].append(case)
        elif _read_words(reader, case.title, case.wikitext) == case.words:
            by_result["equal"].append(case)
        else:
            by_result[f"differs: {_name_reason(case.wikitext)}"].append(case)
    return by_result


def _name_reason(wikitext: str) -> str:
    flags = re.IGNORECASE | re.MULTILINE
    return next(name for name, pattern in _REASONS if re.search(pattern, wikitext, flags))


def find_oracles(checkout: Path) -> Iterator[Oracle]:
    """Yield what a checkout holds, or the file that is given."""
    readers: tuple[tuple[str, Callable[[Path], Oracle]], ...] = (
        ("*.txt", read_parser_tests),
        ("mass-expansion/*.zip", read_expansions),
    )
    for pattern, read in readers:
        for path in sorted(checkout.rglob(pattern)) if checkout.is_dir() else [checkout] * checkout.match(pattern):
            oracle = read(path)
            if oracle.cases or oracle.templates:
                yield oracle


def main() -> None:
    """Print the counts of every oracle, and the cases of one reason."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", nargs="+", type=Path)
    parser.add_argument("--show", default="", help="print the cases of the results that hold this word")
    options = parser.parse_args()
    oracles = [oracle for checkout in options.checkout for oracle in find_oracles(checkout)]
    if not oracles:
        parser.error("no parser tests or recorded expansions are there; give checkouts of the repositories named above")
    # A test may call the templates of another file.
    shared = {title: wikitext for oracle in oracles for title, wikitext in oracle.templates.items()}
    total: Counter[str] = Counter()
    for oracle in oracles:
        oracle.templates = shared | oracle.templates
        by_result = compare(oracle)
        counts = Counter({result: len(cases) for result, cases in by_result.items()})
        compared = sum(count for result, count in counts.items() if not result.startswith("skipped"))
        total.update(cases=len(oracle.cases), compared=compared, equal=counts["equal"])
        different = compared - counts["equal"]
        print(f"{oracle.name}: {len(oracle.cases):,} cases, {counts['equal']:,} equal, {different:,} different")
        for result, count in sorted(counts.items(), key=lambda pair: (pair[0][:7], -pair[1])):
            print(f"  {count:6,}  {result}")
        for case in (
            case for result in by_result if options.show and options.show in result for case in by_result[result]
        ):
            reader = WikitextReader("en", find_template=oracle.find_template, drop=("figure",))
            ours = " ".join(_read_words(reader, case.title, case.wikitext))
            print(f"\n{case.name}\n{case.wikitext}\n  ours:  {ours}\n  their: {' '.join(case.words)}")
    print(f"{len(oracles)} files: {total['cases']:,} cases, {total['equal']:,} equal of {total['compared']:,} compared")


if __name__ == "__main__":
    main()
