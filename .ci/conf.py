"""Sphinx settings of the documentation, which `make docs` builds from pyterrier_focused/pt_docs and the docstrings."""

import re

from pyterrier_focused import __version__

project = "pyterrier_focused"
copyright = "the authors of pyterrier_focused, MIT licence"
html_title = f"pyterrier_focused {__version__}"
html_theme = "furo"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the signature has them

_PARAMETER = re.compile(r"(?=[a-z])[\w, ]{1,60}: ")  # `name: what it is`, continued on indented lines
_ITEM = re.compile(r"- ")


def parameters_as_fields(app, what, name, obj, options, lines):
    """Turn the paragraphs of a docstring that describe parameters, and its lists, into what reStructuredText knows."""
    done = []
    for line in lines:
        kind = ":" if _PARAMETER.match(line) else "-" if _ITEM.match(line) else ""
        before = done[-1] if done else ""
        begins = kind and before.strip() and not before.startswith((kind, " "))
        ends = not kind and line[:1].strip() and before.startswith((":", "-", "  "))
        if begins or ends:
            done.append("")
        line = line.replace("**", "\\*\\*")
        done.append(re.sub(r"^([^:]+): ", r":\1: ", line) if kind == ":" else line)
    lines[:] = done


def setup(app):
    app.connect("autodoc-process-docstring", parameters_as_fields)
