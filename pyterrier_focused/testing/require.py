"""What a check does when it fails, without pytest."""

from __future__ import annotations


def require_that(holds: object, fault: str) -> None:
    """Raise an AssertionError that says what is wrong, also if Python runs without assertions.

    Args:
        holds: What should be true.
        fault: What is wrong if it is not.

    Raises:
        AssertionError: It does not hold.
    """
    if not holds:
        raise AssertionError(fault)
