"""The assessing page as one HTML text: style, scripts and data inside, and the policy that lets nothing else run."""

from __future__ import annotations

import base64
import hashlib
import html as html_module
import json
import re
from functools import cache
from importlib.resources import files

from ..reading.json import JsonObject

SCRIPTS = ("offsets", "render", "selection", "marks", "keeping", "panels", "assessing", "adjudicating", "main")


def assessment_page(data: JsonObject, title: str) -> str:
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c").replace("\u2028", "\\u2028")
    style = _read_asset("assess.css")
    script = _read_script()
    rules = policy("'self'" if data["mode"] == "server" else "'none'")
    body = {"title": html_module.escape(title), "style": style, "script": script, "data": text, "policy": rules}
    return re.sub(r"\{\{(\w+)\}\}", lambda match: body[match[1]], _read_asset("assess.html"))


def policy(connect: str) -> str:
    """Return the page's content security policy: only its own script and style, named by their hashes."""
    script, style = (
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for text in (_read_script(), _read_asset("assess.css"))
    )
    return (
        f"default-src 'none'; script-src {script}; style-src {style}; img-src data:; connect-src {connect}; "
        "base-uri 'none'; form-action 'none'"
    )


@cache
def _read_script() -> str:
    return '"use strict";\n' + "".join(_read_asset(f"{name}.js") for name in SCRIPTS)


@cache
def _read_asset(name: str) -> str:
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")
