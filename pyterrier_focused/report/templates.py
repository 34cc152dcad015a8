"""The Jinja2 templates of pages: values are escaped, unless they are the output of another template."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from types import ModuleType

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup


def number(value: float) -> str:
    return f"{value:,}".replace(",", "\u202f")


def counted(n: int, noun: str) -> str:
    """Write a count with its noun, which gets an s if it is not one."""
    return f"{number(n)} {noun}{'' if n == 1 else 's'}"


def fill_macro(template: str, name: str, *values: object, **named: object) -> Markup:
    return Markup(getattr(_load_module(template), name)(*values, **named))


def render(template: str, **values: object) -> Markup:
    """Fill in a template: text in *values* is escaped, markup stays as it is."""
    return Markup(_make_environment().get_template(template).render(**values))


def source(name: str) -> Markup:
    """Return a style sheet or script of ours unchanged, to put in its element."""
    text, _, _ = _make_environment().loader.get_source(_make_environment(), name)  # type: ignore[union-attr]
    # Browsers read line ends so before they compare the hash with the policy's.
    return Markup(text.replace("\r\n", "\n"))


def policy_hash(script: str) -> str:
    """Return the source expression by which a content security policy names one script (CSP level 2)."""
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


@cache
def _load_module(template: str) -> ModuleType:
    return _make_environment().get_template(template).module  # type: ignore[return-value]


@cache
def _make_environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__, "assets"),
        autoescape=lambda name: name is not None and not name.endswith(".css"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["number"] = number
    environment.filters["counted"] = counted
    return environment
