"""Sphinx settings of the documentation, which `make docs` builds from pt_docs, the notebooks and the docstrings.

The settings that matter for docstrings are those of PyTerrier's own documentation, which includes pt_docs without the
notebooks. So pages name a notebook as code; links to notebooks, and to their files, are made here.
"""

import json
import re
from pathlib import Path

import pyterrier as pt
from docutils import nodes
from docutils.parsers.rst import Directive, directives

from pyterrier_focused import __version__

project = "pyterrier_focused"
copyright = "the authors of pyterrier_focused, MIT licence"
html_title = f"Focused retrieval {__version__}"
html_theme = "furo"
html_static_path = ["notebooks.css"]
html_css_files = ["notebooks.css"]
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 3
nb_execution_mode = "off"
nb_merge_streams = True
suppress_warnings = ["misc.highlighting_failure"]  # cells of %%writefile, which are no Python
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


def link_notebooks(app, docname, source):
    """Link each notebook that a page names, from pages to notebooks and back."""
    names = [path.stem for path in sorted(Path(app.srcdir, "notebooks").glob("*.ipynb"))]
    any_name = "|".join(names)
    text = source[0]
    if docname.startswith("notebooks/"):
        notebook = json.loads(text.replace("](../pyterrier_focused/pt_docs/", "](../"))
        pages = [path for path in sorted(Path(app.srcdir).glob("*.md")) if path.stem != "notebooks"]
        naming = [path.name for path in pages if f"`{docname[10:]}`" in path.read_text(encoding="utf-8")]
        links = ", ".join(f"[](../{name})" for name in naming)
        file = f"{{download}}`Download this notebook <{docname[10:]}.ipynb>`"
        notebook["cells"][0]["source"] += [f"\n\n{file}. In the documentation: {links}"]
        text = json.dumps(notebook)
    elif docname == "cite":
        text += "\nWhat changed from version to version is in the [change log](changelog.md).\n"
        text += "\n```{toctree}\n:hidden:\n\nchangelog\n```\n"
    elif Path(app.env.doc2path(docname)).suffix == ".rst":
        text = re.sub(rf"``({any_name})``", r":doc:`\1 <notebooks/\1>`", text)
    elif docname == "notebooks":
        row = r"| [\1](notebooks/\1.ipynb) |"
        text = re.sub(rf"\| `({any_name})` \|", row, text)
        text += "\n```{toctree}\n:hidden:\n\n" + "\n".join(f"notebooks/{name}" for name in names) + "\n```\n"
    else:
        text = re.sub(rf"`({any_name})`", r"[`\1`](notebooks/\1.ipynb)", text)
    source[0] = text


def setup(app):
    app.connect("source-read", link_notebooks)
    app.add_directive("related", Related)
    app.add_directive("cite", Cite)
    app.add_directive("schematic", Schematic)
