"""Laws in no order against the same laws sorted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalstats.kernel.scattered import Scattered

ATOMS = st.lists(
    st.tuples(st.integers(-30, 30), st.sampled_from([1e-9, 1e-3, 1.0, 1.0, 7.0, 1e4])),
    min_size=1,
    max_size=60,
)
Q = [1e-13, 1e-6, 0.005, 0.025, 0.25, 0.5, 0.975, 1 - 1e-9]


def law_of(atoms: list[tuple[int, float]]) -> Scattered:
    values, masses = np.array(atoms, dtype=float).T
    return Scattered(values / 7, masses / masses.sum(), "made")


@settings(max_examples=80)
@given(ATOMS)
def test_order_and_ties_change_nothing(atoms: list[tuple[int, float]]) -> None:
    law = law_of(atoms)
    ordered = law.atoms()
    assert np.all(np.diff(ordered.values) > 0)
    assert law.mean == pytest.approx(ordered.mean, abs=1e-13)
    assert law.sd == pytest.approx(ordered.sd, abs=1e-7)  # √ of a rounding where one value has it all
    far_from_a_tie = [q for q in Q if np.min(np.abs(np.cumsum(ordered.masses) - q)) > 1e-12 * q]
    for q in far_from_a_tie:
        assert law.low(q) == ordered.low(q)
    for q in (q for q in Q if np.min(np.abs(np.cumsum(ordered.masses[::-1]) - q)) > 1e-12 * q):
        assert law.high(q) == ordered.high(q)
    for point in (*ordered.values.tolist(), ordered.mean, -9.0, 9.0):
        assert law.below(point) == pytest.approx(ordered.below(point), abs=1e-13)


@settings(max_examples=40)
@given(ATOMS)
def test_the_upper_end_is_the_lower_end_of_the_mirror_image(atoms: list[tuple[int, float]]) -> None:
    law, mirrored = law_of(atoms), law_of([(-value, mass) for value, mass in atoms])
    assert [law.high(q) for q in Q] == [-mirrored.low(q) for q in Q]


def test_a_quantile_far_from_a_normal_one_is_found() -> None:
    """Nearly all at 0, a few at 1 and at 1,000: the guess is wrong by many standard deviations."""
    law = Scattered(np.array([1000.0, 0.0, 1.0]), np.array([1e-3, 0.999 - 1e-9, 1e-9]), "made")
    assert [law.low(0.025), law.low(0.99895), law.low(0.9995)] == [0.0, 0.0, 1000.0]
    assert [law.high(0.5), law.high(0.0009), law.high(1e-3 + 5e-10)] == [0.0, 1000.0, 1.0]


def test_values_too_near_for_a_spread_are_told_apart() -> None:
    law = Scattered(np.array([3e-200, 1e-200]), np.array([0.5, 0.5]), "made")
    assert [law.sd, law.low(0.025), law.high(0.025)] == [0.0, 1e-200, 3e-200]


def test_one_value_is_every_quantile() -> None:
    law = Scattered(np.array([0.1, 0.1, 0.1]), np.array([0.3, 0.3, 0.4]), "made")
    assert [law.low(1e-9), law.low(0.5), law.high(0.2), law.below(0.1)] == [0.1, 0.1, 0.1, pytest.approx(0.5)]
