"""How narrow n labels will make kappa, and a score that is corrected by them, before anybody labels."""

from __future__ import annotations

import math

import numpy as np

from evalstats.numeric import z_of
from evalstats.subjects.agreement_intervals import fce_error


def kappa_of(rate: float, agreement: float) -> float | None:
    """κ of two raters who both pass a share `rate` and agree on a share of items; None where that cannot be.

    >>> round(kappa_of(0.5, 0.9), 6), kappa_of(0.01, 0.9)
    (0.8, None)
    """
    half = (1 - agreement) / 2
    if not half < min(rate, 1 - rate):
        return None
    p_e = rate**2 + (1 - rate) ** 2
    return (agreement - p_e) / (1 - p_e)


def kappa_half_width(n: int, rate: float, agreement: float, level: float = 0.95) -> float | None:
    """Half of κ's interval to expect of n labels, z·se of the expected table (Fleiss, Cohen & Everitt 1969).

    rate : share that both raters pass. agreement : share of items on which they agree. None where no such two
    raters can be.

    >>> round(kappa_half_width(100, 0.5, 0.9), 3)
    0.118
    """
    if kappa_of(rate, agreement) is None:
        return None
    half = (1 - agreement) / 2
    table = n * np.array([[1 - rate - half, half], [half, rate - half]])
    return z_of(level) * fce_error(table, np.eye(2))


def corrected_half_width(n: int, others: int, sd: float, rho: float, level: float = 0.95) -> float:
    """Half the interval of a mean corrected by n labels, with a judge's scores of so many others (PPI++).

    z·√(σ²(1 − ρ²/(1 + n/N))/n), ρ the correlation of judge and label, σ the labels' standard deviation (taken
    to be the judge's). ρ = 0 gives the labels alone.
    Source: Angelopoulos, Duchi & Zrnic 2023, arXiv:2311.01453.

    >>> round(corrected_half_width(100, 900, 0.5, 0.8), 4), round(corrected_half_width(100, 900, 0.5, 0), 4)
    (0.0638, 0.098)
    """
    help_of_judge = rho**2 / (1 + n / others) if others else 0.0
    return z_of(level) * sd * math.sqrt((1 - help_of_judge) / n)
