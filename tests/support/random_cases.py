"""How many random cases a test draws: a fraction of them in the quick profile, all in the long one."""

from hypothesis import settings

LONG = 60  # random cases of a test that says nothing else
QUICK = 8
FEW = 3  # on other Pythons than the main one


def count_cases(long: int) -> int:
    """Return how many cases the profile at hand draws of a test that has *long* of them in the long profile."""
    return max(long * settings.default.max_examples // LONG, min(settings.default.max_examples, QUICK))


def seeds(count: int) -> range:
    """Return the seeds of a test with *count* random cases; on other Pythons than the main one, of a tenth of them."""
    return range(count if settings.default.max_examples > FEW else count // 10)
