"""Dumps of pages of MediaWiki, and what a folder holds."""

from pathlib import Path

PAGE = """  <page>
    <title>Page {n}</title>
    <ns>0</ns>
    <id>{n}</id>
    <revision><text xml:space="preserve">Opening of {n}.\n\n== Part one ==
Words of {n}: {words}.\n\n* an item</text></revision>
  </page>
"""


def page(n, words=40):
    return PAGE.format(n=n, words=" ".join(f"w{(n * 7 + i) % 97}" for i in range(words)))


def dump(numbers):
    return "<mediawiki>\n<siteinfo/>\n" + "".join(page(n) for n in numbers) + "</mediawiki>\n"


def contents(folder):
    return {file.name: file.read_bytes() for file in sorted(Path(folder).iterdir())}
