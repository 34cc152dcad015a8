"""Failing a check without pytest."""

from __future__ import annotations


def require_that(holds: object, fault: str) -> None:
    """Raise an AssertionError that says what is wrong, also if Python runs without assertions."""
    if not holds:
        raise AssertionError(fault)
