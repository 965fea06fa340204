"""Sums over all tables that n pass/fail pairs can give: how many items change, and who wins how many.

Of n pairs m ~ Bin(n, ψ) change; of these the candidate wins x ~ Bin(m, share). A rule that only needs
more wins is then one threshold for each m, and its probability one sum over m.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]
_STAYS_REACHED_FOR = 50
_NEAR = 4.0  # wins to either side of a guess
_TAIL_SDS = 8  # of the number of discordant items; what lies beyond weighs 1e-15


def discordant_numbers(n: Array, psi: float) -> tuple[Array, Array]:
    """Numbers of discordant items worth summing over, and their probabilities: both (sizes, numbers).

    n : (sizes, 1) whole numbers of pairs.
    """
    spread = _TAIL_SDS * np.sqrt(n * psi * (1 - psi)) + _TAIL_SDS
    fewest = np.maximum(np.floor(n * psi - spread), 0)
    width = int(np.max(np.minimum(np.ceil(n * psi + spread), n) - fewest)) + 1
    numbers = fewest + np.arange(width)
    m = np.minimum(numbers, n)
    return m, np.where(numbers <= n, np.exp(log_binomial(m, n, psi)), 0.0)


def fewest_wins(m: Array, holds: Callable[[Array], NDArray[np.bool_]], guess: Array | None = None) -> Array:
    """For each m, the fewest won items at which a condition that more wins favour holds; m + 1 if none.

    guess : about where; it saves steps and changes nothing.
    """
    fails, reached = np.full(m.shape, -1.0), m + 1
    if guess is not None:
        low, high = (np.clip(np.floor(guess) + step, 0, m) for step in (-_NEAR, _NEAR))
        fails = np.where(holds(low), fails, low)
        reached = np.where(holds(high), high, reached)
    while np.any(reached - fails > 1):
        middle = np.clip(np.floor((fails + reached) / 2), 0, m)
        held = holds(middle)
        open_ = reached - fails > 1
        reached = np.where(open_ & held, middle, reached)
        fails = np.where(open_ & ~held, middle, fails)
    return reached


def share_won(psi: float, delta: float) -> float:
    """The candidate's share of the discordant items at a true difference delta."""
    return (psi + delta) / (2 * psi) if psi > 0 else 0.5


def chance_of_at_least(k: Array, m: Array, share: float) -> Array:
    """P(Bin(m, share) ≥ k), elementwise, for 0 ≤ k ≤ m + 1."""
    inside = special.betainc(np.maximum(k, 1.0), np.maximum(m - k + 1, 1.0), share)
    return np.where(k <= 0, 1.0, np.where(k > m, 0.0, inside))


def log_binomial(k: Array, n: Array | np.float64, p: float) -> Array:
    choices = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    return np.asarray(choices + special.xlogy(k, p) + special.xlog1py(n - k, -p))


def smallest_size(reached: Callable[[NDArray[np.int64]], NDArray[np.bool_]], least: int, near: int) -> int:
    """The smallest n ≥ least at which a condition holds that large n fulfil, and holds for the next 50 too.

    The power of an exact rule is a saw in n, so that one tooth does not do. near : where the search begins.
    """
    n = _first_crossing(lambda n: bool(reached(np.array([n]))[0]), least, near)
    seen = n  # reached at n, and at all that follow up to here
    while seen < n + _STAYS_REACHED_FOR:
        following = np.arange(seen + 1, n + _STAYS_REACHED_FOR + 1)
        missed = np.flatnonzero(~reached(following))
        seen = int(following[-1])
        if missed.size:
            n = int(following[missed[-1]]) + 1
    return n


def _first_crossing(holds: Callable[[int], bool], least: int, near: int) -> int:
    """An n ≥ least at which the condition begins to hold, by bisection."""
    if holds(least):
        return least
    failing, passing = least, max(near, least + 1)
    while not holds(passing):
        failing, passing = passing, 2 * passing
    while passing - failing > 1:
        middle = (failing + passing) // 2
        failing, passing = (failing, middle) if holds(middle) else (middle, passing)
    return passing
