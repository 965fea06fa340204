"""Who is ahead of whom: ranks with their ranges, and groups that cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Counts = NDArray[np.int64]


def ranks(scores: Sequence[float] | NDArray[np.float64]) -> Counts:
    """1 + how many runs have a higher score; equal scores share a rank.

    >>> ranks([0.7, 0.9, 0.7]).tolist()
    [2, 1, 2]
    """
    y = np.asarray(scores, dtype=np.float64)
    return np.asarray(1 + (y[None, :] > y[:, None]).sum(axis=1))


def rank_ranges(ahead: Flags, ranks: Counts) -> tuple[Counts, Counts]:
    """[1 + #{j ahead of i}, K − #{j behind i}] for each run i, and always its own rank.

    ahead : (K, K), [i, j] where run i is shown to be ahead of run j.

    >>> shown = np.array([[False, True, True], [False, False, False], [False, False, False]])
    >>> [ends.tolist() for ends in rank_ranges(shown, np.array([1, 2, 3]))]
    [[1, 2, 2], [1, 3, 3]]
    """
    low = 1 + ahead.sum(axis=0)
    high = len(ahead) - ahead.sum(axis=1)
    return np.minimum(low, ranks), np.maximum(high, ranks)


def tie_groups(apart: Flags, order: Sequence[int] | Counts) -> list[list[int]]:
    """Groups of runs of which no two are told apart; two runs that are not told apart share at least one.

    apart : (K, K), symmetric. order : the runs, best first. Each group is as large as it can be; a run may
    be in several (Piepho 2004, J. Computational and Graphical Statistics 13:456–466, for such displays).

    >>> told = np.zeros((3, 3), dtype=bool)
    >>> told[0, 2] = told[2, 0] = True
    >>> tie_groups(told, [0, 1, 2])
    [[0, 1], [1, 2]]
    """
    K = len(order)
    ordered = np.asarray(order, dtype=np.intp)
    alike = ~np.asarray(apart)[np.ix_(ordered, ordered)]
    covered = np.eye(K, dtype=bool)
    found: list[list[int]] = []
    for i in range(K):
        for j in range(i, K):
            lonely = i == j and alike[i].sum() == 1
            if (covered[i, j] and not lonely) or not alike[i, j]:
                continue
            members = _largest_with(alike, i, j)
            covered[np.ix_(members, members)] = True
            found.append(members)
    places = sorted(found, key=lambda members: (members[0], members))
    return [[int(order[at]) for at in members] for members in places]


def _largest_with(alike: Flags, i: int, j: int) -> list[int]:
    """A group that holds i and j, and every further run that is like all in it, nearest after i first."""
    members = [i] if i == j else [i, j]
    fits = alike[i] & alike[j]
    after = [*range(i + 1, len(alike)), *range(i - 1, -1, -1)]
    for at in after:
        if fits[at] and at not in members:
            members.append(at)
            fits = fits & alike[at]
    return sorted(members)
