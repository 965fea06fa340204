"""What labels will buy, before anybody labels."""

from __future__ import annotations

import math

import numpy as np
import pytest

import evalstats as es
from evalstats.subjects.agreement_width import corrected_half_width, kappa_half_width, kappa_of


@pytest.mark.parametrize("rate", [0.3, 0.5, 0.75])
@pytest.mark.parametrize("agreement", [0.7, 0.9])
def test_the_width_to_expect_is_that_of_the_expected_table(rate, agreement):
    n, off = 2000, (1 - agreement) / 2
    table = n * np.array([[1 - rate - off, off], [off, rate - off]])
    labels = es.agreement.labels_of_table(np.rint(table))
    kappa = es.cohen_kappa(*labels)
    assert kappa.point == pytest.approx(kappa_of(rate, agreement), abs=1e-3)
    width = (kappa.ci_high - kappa.ci_low) / 2
    assert kappa_half_width(n, rate, agreement) == pytest.approx(width, rel=1e-3)
    assert kappa_half_width(4 * n, rate, agreement) == pytest.approx(width / 2, rel=1e-3)


def test_the_corrected_width_is_what_ppi_gives():
    """A judge of correlation ρ with the labels, seen on n of n + N answers.

    A standard deviation of n normal values has the relative Monte Carlo error 1/√(2(n − 1)); four of these.
    """
    generator = np.random.default_rng(3)
    n, others, rho = 4000, 16_000, 0.8
    band = 4 / math.sqrt(2 * (n - 1))
    human = generator.normal(size=n + others)
    judge = rho * human + math.sqrt(1 - rho**2) * generator.normal(size=n + others)
    found = es.judge.ppi_mean(human[:n], judge[:n], judge[n:])
    width = (found.ci_high - found.ci_low) / 2
    assert corrected_half_width(n, others, 1.0, rho) == pytest.approx(width, rel=band)
    alone = es.mean(human[:n])
    assert corrected_half_width(n, others, 1.0, 0.0) == pytest.approx(alone.ci_high - alone.point, rel=band)


def test_no_two_raters_disagree_on_more_than_there_is():
    assert kappa_of(0.02, 0.9) is None
    assert kappa_half_width(100, 0.02, 0.9) is None
    assert corrected_half_width(50, 0, 0.5, 0.9) == corrected_half_width(50, 10, 0.5, 0.0)
