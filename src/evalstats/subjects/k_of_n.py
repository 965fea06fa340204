"""k of n attempts at one problem: shares of all C(n, k) choices, counted in whole numbers and divided once.

n : attempts; c : right ones; 1 ≤ k ≤ n. One division of whole numbers is the nearest double, so that the
shares never fall in k by rounding.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction


def any_of(n: int, c: int, k: int) -> float:
    """1 − C(n−c, k)/C(n, k): at least one of k is right.

    The fraction is C(n−k, c)/C(n, c) too; the form with fewer factors is counted.
    """
    fewer, more = min(c, k), max(c, k)
    ways = math.comb(n, fewer)
    return (ways - math.comb(n - more, fewer)) / ways


def all_of(n: int, c: int, k: int) -> float:
    """C(c, k)/C(n, k): all k are right."""
    return math.comb(c, k) / math.comb(n, k)


def mean_of(n: int, c: int, k: int) -> float:
    """c/n: the mean of k attempts, whatever k is."""
    return c / n


def majority_of(counts: Sequence[int], right: Sequence[bool], k: int) -> float:
    """The commonest of k answers is right; labels that tie for it share the vote equally.

    counts : how often each label occurs, Σ = n. right : whether it is a right one.
    """
    wins = Fraction(0)
    for at, is_right in enumerate(right):
        if is_right:
            wins += _wins(counts[at], [*counts[:at], *counts[at + 1 :]], k)
    return float(wins / math.comb(sum(counts), k))


def _wins(own: int, others: Sequence[int], k: int) -> Fraction:
    """Choices of k in which a label is the commonest; one of r + 1 that tie counts 1/(r + 1)."""
    total = Fraction(0)
    for t in range(1, min(own, k) + 1):
        for tied, row in _ways_at_most(others, t, k - t).items():
            total += math.comb(own, t) * Fraction(row[-1], tied + 1)
    return total


def _ways_at_most(counts: Iterable[int], most: int, size: int) -> dict[int, list[int]]:
    """In how many ways do `size` answers come from these labels, each at most `most` times?

    By the number of labels that occur exactly `most` times; each row is by the size so far, 0 … size.
    """
    ways = {0: [1] + [0] * size}
    for count in counts:
        longer: dict[int, list[int]] = {}
        for taken in range(min(count, most, size) + 1):
            choices = math.comb(count, taken)
            for tied, row in ways.items():
                target = longer.setdefault(tied + (taken == most), [0] * (size + 1))
                for at in range(size + 1 - taken):
                    target[at + taken] += choices * row[at]
        ways = longer
    return ways
