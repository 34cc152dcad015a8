"""The examples in the docstrings of evidence, texts and their evaluation run."""

import doctest
import importlib

import pytest

MODULES = [
    "evaluation.rag.generated_evidence",
    "evaluation.rag.retrieved",
    "evaluation.tokens",
    "io.evidence.read",
    "io.reading.show",
    "io.texts.align",
    "io.texts.corpus",
    "io.texts.field_names",
    "io.texts.items",
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_run(name):
    failed, tried = doctest.testmod(importlib.import_module(f"pyterrier_focused.{name}"))
    assert tried
    assert not failed
