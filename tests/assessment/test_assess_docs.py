"""The page on assessing: its example runs, and its keys are those of the page."""

import re
from pathlib import Path

from page_examples import DOCS, run_blocks

from pyterrier_focused import assessment

PAGE = (DOCS / "assess.md").read_text(encoding="utf-8")
ASSETS = Path(assessment.__file__).parent / "assets"


def test_its_example_runs():
    names = run_blocks("assess.md", {})
    # by hand: the people call a relevant, the program a and b; AP under people 1, 1/3, 1/3 and under the program 1,
    # (1 + 2/3)/2, (1/2 + 2/3)/2, so 2 pairs agree of 3, one of which ties for the people
    documents = names["compared"].agreement.set_index("unit").loc["documents"]
    assert documents[["both", "first_only", "second_only", "neither"]].tolist() == [1, 0, 1, 1]
    tau = names["compared"].tau.set_index("measure")["tau"]
    assert abs(tau["AP"] - 2 / (2 * 3) ** 0.5) < 1e-12


def test_its_keys_are_the_pages():
    table = PAGE[PAGE.index("| key |") : PAGE.index("The order of the articles")]
    keys = set(re.findall(r"`(.)`", table))
    letters = re.search(r"const LETTERS = \{(.*?)\};", (ASSETS / "main.js").read_text(encoding="utf-8"), re.DOTALL)[1]
    bound = set(re.findall(r'(?:^|[\s,{])"?([A-Za-z?\[\]])"?:', letters))
    assert keys == {key.lower() for key in bound}


def test_every_public_name_of_the_assessment_says_what_it_does():
    assert [name for name in assessment.__all__ if not getattr(assessment, name).__doc__] == []
