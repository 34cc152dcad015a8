"""How often 95% intervals miss, and how often gates decide wrongly: `python benchmarks/decisions.py`.

Values, differences and losses are drawn from known distributions; the tables are those of the documentation.
"""

import numpy as np

from pyterrier_focused.evaluation.topic_values import difference_intervals, value_intervals

SAMPLES = 1000
SIZES = (5, 10, 20, 50, 200)
GATE_SIZES = (10, 20, 50, 100, 200, 500, 1000)
MARGIN = 0.02

VALUES = {  # of a measure: how they are drawn, and their mean
    "hits, .5": (lambda rng, shape: (rng.random(shape) < 0.5) * 1.0, 0.5),
    "hits, .9": (lambda rng, shape: (rng.random(shape) < 0.9) * 1.0, 0.9),
    "hits, .99": (lambda rng, shape: (rng.random(shape) < 0.99) * 1.0, 0.99),
    "like AP (Beta .7, 1.5)": (lambda rng, shape: rng.beta(0.7, 1.5, shape), 0.7 / 2.2),
    "skewed (Beta .3, 2)": (lambda rng, shape: rng.beta(0.3, 2, shape), 0.3 / 2.3),
    "90% zeros": (lambda rng, shape: rng.beta(1, 1.5, shape) * (rng.random(shape) < 0.1), 0.04),
}


def draw_rare(rng, shape, share, common, rare):
    """Differences that are *rare* in a share of the topics and about *common* in the others."""
    is_rare = rng.random(shape) < share
    return np.where(is_rare, rare, common * rng.random(shape) * 2)


DIFFERENCES = {
    "normal": (lambda rng, shape: rng.normal(0.03, 0.15, shape).clip(-1, 1), 0.03),
    "half of them 0": (lambda rng, shape: rng.normal(0.06, 0.2, shape).clip(-1, 1) * (rng.random(shape) < 0.5), 0.03),
    "90% of them 0": (lambda rng, shape: rng.normal(0.2, 0.2, shape).clip(-1, 1) * (rng.random(shape) < 0.1), 0.02),
    "hits, .05 lost, .03 won": (lambda rng, shape: rng.choice([-1.0, 0, 1], shape, p=[0.05, 0.92, 0.03]), -0.02),
    "tiny gains, a tenth of them large": (lambda rng, shape: draw_rare(rng, shape, 0.1, 0.01, 0.6), 0.069),
    "tiny gains, a tenth large losses": (lambda rng, shape: draw_rare(rng, shape, 0.1, 0.02, -0.8), -0.062),
}


def print_row(cells):
    print("| " + " | ".join(map(str, cells)) + " |")


def print_misses(title, populations, compute, rng):
    print_row([title, *(f"{size} topics" for size in SIZES)])
    print_row(["---"] * (len(SIZES) + 1))
    for name, (draw, mean) in populations.items():
        misses = []
        for size in SIZES:
            sample = draw(rng, (size, SAMPLES))
            low, high = compute(sample, np.ones(size), np.ones(SAMPLES, dtype=bool), level=0.95)
            misses.append(f"{np.mean((low > mean + 1e-12) | (high < mean - 1e-12)):.1%}")
        print_row([name, *misses])
    print()


def draw_losses(rng, size, loss):
    """Differences of hits at 80%, of which 5% are lost and won by chance, and *loss* of the questions besides."""
    chance = 0.05
    return rng.choice([-1.0, 0.0, 1.0], (size, SAMPLES), p=[chance + loss, 1 - 2 * chance - loss, chance])


def print_gates(rng):
    print(
        f"Hits of which 5% are lost and 5% won by chance, and a true loss besides; margin {MARGIN}: fails / cannot tell"
    )
    print_row(
        ["questions", *(f"{kind}, loss {loss:g}" for kind in ("default", "strict") for loss in (0, 0.02, 0.05, 0.1))]
    )
    print_row(["---"] * 9)
    for size in GATE_SIZES:
        default, strict = [], []
        for loss in (0, 0.02, 0.05, 0.1):
            sample = draw_losses(rng, size, loss)
            low, high = difference_intervals(sample, np.ones(size), np.ones(SAMPLES, dtype=bool), level=0.95)
            fails = high < -MARGIN
            unknown = ~fails & (low < -MARGIN)
            default.append(f"{fails.mean():.0%}")
            strict.append(f"{fails.mean():.0%} / {unknown.mean():.0%}")
        print_row([size, *default, *strict])


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    print_misses("misses of intervals of values", VALUES, value_intervals, rng)
    print_misses("misses of intervals of differences", DIFFERENCES, difference_intervals, rng)
    print_gates(rng)
