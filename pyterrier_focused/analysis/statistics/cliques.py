"""The largest groups of a graph within which every two are neighbours."""

from __future__ import annotations


def find_cliques(neighbours: list[set[int]]) -> list[set[int]]:
    """Find all largest sets of mutual neighbours (Bron and Kerbosch, 1973, with a pivot).

    Of the neighbours {1}, {0, 2}, {1} of 0, 1 and 2 these are {0, 1} and {1, 2}.
    """
    cliques: list[set[int]] = []

    def grow(clique: set[int], candidates: set[int], done: set[int]) -> None:
        if not candidates and not done:
            cliques.append(clique)
            return
        pivot = max(candidates | done, key=lambda i: (len(neighbours[i] & candidates), -i))
        for i in sorted(candidates - neighbours[pivot]):
            grow(clique | {i}, candidates & neighbours[i], done & neighbours[i])
            candidates = candidates - {i}
            done = done | {i}

    grow(set(), set(range(len(neighbours))), set())
    return cliques
