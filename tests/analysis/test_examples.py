"""The examples in the docstrings of the analysis run."""

import doctest
import importlib
import pkgutil

import pytest

from pyterrier_focused import analysis

MODULES = [module.name for module in pkgutil.walk_packages(analysis.__path__, f"{analysis.__name__}.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert not failed
