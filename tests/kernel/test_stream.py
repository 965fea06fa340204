"""Scores read in parts: what is computed of them does not depend on the parts, and is what a tally gives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from evalstats.kernel import stream
from evalstats.kernel.engines import laws_of
from evalstats.kernel.stream import Streamed, compared, direction
from evalstats.kernel.sums import LinearSum
from evalstats.kernel.units import Units
from evalstats.numeric import order_free_sum, order_free_total, rounded_sums

Array = NDArray[np.float64]
R = np.random.default_rng(0)
SHAPES: dict[str, Array] = {
    "normal": R.normal(5, 2, 3000),
    "exponential": R.exponential(1, 3000),
    "half 0": np.where(R.random(3000) < 0.5, 0.0, R.random(3000)),
    "heavy tails": R.pareto(1.5, 3000),
    "one outlier": np.append(R.normal(0, 1, 2999), 1e3),
    "tiny": R.normal(0, 1e-50, 3000),
}
PARTS = (1 << 15, 1000, 7)


def laws(values: Streamed | Any, second: Any = None) -> list[Any]:
    samples, weights = ([values], [1.0]) if second is None else ([values, second], [-1.0, 1.0])
    return list(laws_of(samples, weights))


def described(law: Any) -> list[float]:
    return [
        law.mean,
        law.sd,
        *(law.low(q) for q in (0.001, 0.025, 0.4)),
        law.high(0.025),
        law.below(law.mean),
    ]


@pytest.mark.parametrize("shape", SHAPES)
def test_no_digit_depends_on_the_parts_or_the_order(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values, found = SHAPES[shape], []
    for part in PARTS:
        monkeypatch.setattr(stream, "_PART", part)
        for order in (values, values[::-1], np.random.default_rng(part).permutation(values)):
            read = Streamed.of(order)
            total = LinearSum.of_means([read], [1.0])
            found.append(
                [read.mean, *read.ends, total.skewness, total.spread_without_few]
                + [number for law in laws(read) for number in described(law)]
            )
    assert all(one == found[0] for one in found)


@pytest.mark.parametrize("shape", SHAPES)
def test_laws_are_those_of_the_tally(shape: str) -> None:
    read, tally = Streamed.of(SHAPES[shape]), Units.of_items(SHAPES[shape]).tally()
    pairs = {law.name: law for law in laws(tally)}
    compared_laws = [(law, pairs[law.name]) for law in laws(read) if law.name in pairs]
    same = {"one outlier": ["fine lattice"], "heavy tails": ["fine lattice"]}
    assert [law.name for law, _ in compared_laws] == same.get(shape, ["saddlepoint", "fine lattice"])
    for ours, theirs in compared_laws:
        share = 1e-9 if theirs.name == "saddlepoint" else 2e-5  # a fine lattice has other points
        near = share * theirs.sd + 1e-13 * float(np.max(np.abs(SHAPES[shape])))
        assert np.allclose(described(ours)[:-1], described(theirs)[:-1], rtol=0, atol=near)
        assert described(ours)[-1] == pytest.approx(described(theirs)[-1], abs=share)


@pytest.mark.parametrize("far", [[], [1e3], [1e3, -1e6], [1e3, 1e3, 1e6, 1e9]])
def test_what_is_left_without_the_few_that_carry_a_sum_is_the_spread_of_the_rest(far: list[float]) -> None:
    values = np.append(SHAPES["normal"], far)
    rest = float(np.std(SHAPES["normal"])) * math.sqrt(3000) / len(values)
    for sample in (Streamed.of(values), Units.of_items(values).tally()):
        total = LinearSum.of_means([sample], [1.0])
        assert total.spread_without_few == pytest.approx(rest, rel=1e-9)


def test_two_streams_and_a_stream_beside_a_tally_have_the_law_of_two_tallies() -> None:
    first, second = SHAPES["normal"], SHAPES["exponential"]
    tallies = [Units.of_items(one).tally() for one in (first, second)]
    [expected, *_] = laws(*tallies)
    for samples in ((Streamed.of(first), Streamed.of(second)), (Streamed.of(first), tallies[1])):
        [law, *_] = laws(*samples)
        assert law.name == expected.name == "saddlepoint"
        assert described(law) == pytest.approx(described(expected), rel=1e-11)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40), st.integers(1, 9))
def test_a_tally_put_together_from_parts_is_that_of_all(values: list[float], part: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream, "_PART_TO_TALLY", part)
        found = Streamed.of(np.array(values)).tally()
    expected = Units.of_items(np.array(values) + 0.0).tally()
    assert found is not None
    assert np.array_equal(found.rows, expected.rows)
    assert np.array_equal(found.counts, expected.counts)


def test_too_many_kinds_are_not_tallied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "MOST_KINDS", 5)
    monkeypatch.setattr(stream, "_PART_TO_TALLY", 4)
    assert Streamed.of(np.array([1, 2, 3, 4, 5, 1, 2.5])).tally() is None
    assert Streamed.of(np.array([1, 2, 3, 4, 5, 1, 2.0])).tally() is not None


@pytest.mark.parametrize("shape", SHAPES)
def test_the_mirror_image_has_the_opposite_direction(shape: str) -> None:
    centred = Streamed.of(SHAPES[shape]).centred(float(np.mean(SHAPES[shape])))
    assert direction(centred) == -direction(centred.mirrored()) != 0
    both = np.concatenate([SHAPES[shape], -SHAPES[shape]])
    assert direction(Streamed.of(both)) == 0
    skewed = Streamed.of(np.array([-1.0, -1.0, 2.0]))  # its sum is 0
    assert direction(skewed) == -direction(skewed.mirrored()) == 1


def test_samples_are_put_in_one_order_whichever_comes_first() -> None:
    first, second = Streamed.of(SHAPES["normal"]), Streamed.of(SHAPES["exponential"])
    tally = Units.of_items(SHAPES["normal"]).tally()
    assert compared(first, second) == -compared(second, first) != 0
    assert compared(first, tally) == -compared(tally, first) != 0
    assert compared(first, Streamed.of(SHAPES["normal"][::-1])) == 0


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False, width=32), max_size=900), st.integers(1, 500)
)
def test_sums_over_parts_are_correctly_rounded(values: list[float], part: int) -> None:
    x = np.array(values, dtype=np.float64)
    parts = (x[start : start + part] for start in range(0, len(x), part))
    assert order_free_total(parts) == order_free_sum(x) == math.fsum(values)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=50), st.integers(-300, 300), st.integers(1, 50))
def test_rounded_sums_are_exact_in_any_parts_and_near_the_sum(
    values: list[float], exponent: int, part: int
) -> None:
    x = np.ldexp(np.array(values), exponent)
    largest = math.ldexp(1.0, exponent)
    whole = math.fsum(rounded_sums(x, largest))
    parts = [
        one for start in range(0, len(x), part) for one in rounded_sums(x[start : start + part], largest)
    ]
    assert math.fsum(parts) == whole
    assert abs(whole - math.fsum(x)) <= len(x) * math.ldexp(largest, -71) + abs(whole) * 2**-52
