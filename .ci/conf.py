"""Sphinx settings of the documentation, which `make docs` builds from pyterrier_focused/pt_docs and the docstrings.

The settings that matter for docstrings are those of PyTerrier's own documentation, which includes these pages.
"""

import pyterrier as pt
from docutils import nodes
from docutils.parsers.rst import Directive, directives

from pyterrier_focused import __version__

project = "pyterrier_focused"
copyright = "the authors of pyterrier_focused, MIT licence"
html_title = f"Focused retrieval {__version__}"
html_theme = "furo"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autoclass_content = "both"
toc_object_entries_show_parents = "hide"


class Related(Directive):
    """Links to a page from an object of PyTerrier, in PyTerrier's documentation only."""

    required_arguments = 1
    option_spec = {"title": directives.unchanged}

    def run(self):
        return []


class Cite(Directive):
    """A paper."""

    required_arguments = 1
    option_spec = {"citation": directives.unchanged, "link": directives.unchanged}

    def run(self):
        text = self.options["citation"]
        link = self.options.get("link")
        return [nodes.paragraph("", "", nodes.reference("", text, refuri=link) if link else nodes.Text(text))]


class Schematic(Directive):
    """The drawing of a pipeline."""

    has_content = True
    option_spec = {"input_columns": directives.unchanged, "show_code": directives.flag}

    def run(self):
        *body, last = self.content
        names = {"pt": pt}
        exec("\n".join(body), names)
        columns = [name.strip() for name in self.options["input_columns"].split(",")]
        drawing = nodes.raw("", pt.schematic.draw(eval(last, names), input_columns=columns), format="html")
        code = nodes.literal_block("\n".join(self.content), "\n".join(self.content), language="python")
        return [code, drawing] if "show_code" in self.options else [drawing]


def setup(app):
    app.add_directive("related", Related)
    app.add_directive("cite", Cite)
    app.add_directive("schematic", Schematic)
