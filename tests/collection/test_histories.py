"""Dumps of histories and of stubs: which revision is the text, and what is told if there is none."""

import pytest

from pyterrier_focused.errors import BuildError

REVISION = "<revision><id>{0}</id><timestamp>{1}</timestamp><text>{2}</text></revision>"
PAGE = "<mediawiki><page><title>A</title><ns>0</ns><id>1</id>{}</page></mediawiki>"
OLD = REVISION.format(1, "2020-01-01T00:00:00Z", "Old.")
NEW = REVISION.format(2, "2024-01-01T00:00:00Z", "New.")


@pytest.mark.parametrize("revisions", [OLD + NEW, NEW + OLD, OLD + NEW + OLD])
def test_the_newest_revision_is_the_text(build, revisions):
    article = build({"d.xml": PAGE.format(revisions)}).article("1")
    assert (article["text"], article["revision"]) == ("A\n\nNew.", 2)


def test_a_dump_of_stubs_says_so(build):
    stub = "<revision><id>3</id><timestamp>2024-01-01T00:00:00Z</timestamp><text bytes='500' id='3' /></revision>"
    with pytest.raises(BuildError, match="a dump of stubs"):
        build({"d.xml": PAGE.format(stub)})
