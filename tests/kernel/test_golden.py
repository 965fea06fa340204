"""Digits computed once, checked wherever the tests run: every engine, on data that no generator draws.

Limits that are values of a law are equal to the last digit but for rounding of one division; their guard is
the distance of α/2 from the nearest step of the law, which is stated and tested: no rounding can move one to
a neighbour. Limits between values agree to 1e-10 of the interval's width.
"""

from __future__ import annotations

import numpy as np
import pytest

from evalstats.kernel.engines import laws_of
from evalstats.kernel.exact import Atoms, Binomial
from evalstats.kernel.resampled import Bootstrap, bootstrap_interval
from evalstats.kernel.scattered import Scattered
from evalstats.kernel.units import Tally, Units

GOLDEN = (5**0.5 - 1) / 2
FARTHER_THAN = 1e-9  # α/2 from any step of the law
Array = np.ndarray


def spread_evenly(n: int) -> Array:
    """n numbers in (0, 1) that repeat nowhere."""
    return (np.arange(1, n + 1) * GOLDEN) % 1


def tally(values: Array) -> Tally:
    return Units.of_items(values).tally()


def clusters(k: int, whole: bool) -> Tally:
    sizes = 1.0 + np.arange(k) % 5
    share = spread_evenly(k)
    return Units.of_sums(np.floor(share * (sizes + 1)) if whole else share * sizes, sizes).tally()


DATA: dict[str, tuple[Tally, ...]] = {
    "exact binomial": (tally((spread_evenly(500) < 0.72) * 1.0),),
    "exact lattice": (tally(np.floor(1 + 10 * spread_evenly(150))),),
    "exact lattice, many": (tally(np.floor(1 + 10 * spread_evenly(20_000) ** 2)),),
    "exact enumeration": (tally(np.sqrt(np.arange(1.0, 7.0))),),
    "saddlepoint": (tally(-np.log(spread_evenly(400))),),
    "fine lattice": (tally(spread_evenly(60) ** -0.8),),
    "exact lattice, clusters": (clusters(40, True),),
    "saddlepoint, clusters": (clusters(60, False),),
    "exact convolution": (clusters(20, True), clusters(25, True)),
    "saddlepoint, two": (tally(spread_evenly(200)), tally(spread_evenly(300) ** 2)),
}
LIMITS = [
    ("exact binomial", "percentile", 0.68, 0.758),
    ("exact binomial", "bca", 0.68, 0.758),
    ("exact lattice", "percentile", 5.06, 5.98),
    ("exact lattice", "bca", 5.06, 5.98),
    ("exact lattice, many", "percentile", 3.85465, 3.93545),
    ("exact lattice, many", "bca", 3.85475, 3.9355),
    ("exact enumeration", "percentile", 1.4023689270621826, 2.183861041355802),
    ("exact enumeration", "bca", 1.3737734478532142, 2.153604282963793),
    ("saddlepoint", "percentile", 0.8976004747181339, 1.0880587047123522),
    ("saddlepoint", "bca", 0.9014947863427989, 1.0927039901792388),
    ("fine lattice", "percentile", 2.2428784047919414, 4.501538839647745),
    ("fine lattice", "bca", 2.419596445429905, 5.120791225115342),
    ("exact lattice, clusters", "percentile", 0.36036036036036034, 0.5925925925925926),
    ("exact lattice, clusters", "bca", 0.359375, 0.5916666666666667),
    ("saddlepoint, clusters", "percentile", 0.4141810150082747, 0.5770664358561763),
    ("saddlepoint, clusters", "bca", 0.41442630663039204, 0.5773160465548348),
    ("exact convolution", "percentile", -0.19566736547868624, 0.2317460317460318),
    ("exact convolution", "bca", -0.19358178053830233, 0.23376623376623384),
    ("saddlepoint, two", "percentile", -0.22090038073127224, -0.11647342374542125),
    ("saddlepoint, two", "bca", -0.2206429515514632, -0.11621087887850334),
]


@pytest.mark.parametrize(("name", "kind", "low", "high"), LIMITS)
def test_limits_have_the_digits_they_had(name: str, kind: str, low: float, high: float) -> None:
    found = bootstrap_interval(kind, Bootstrap(DATA[name], 0.95))
    assert found.extra["law"] == name.partition(",")[0]
    between = {"fine lattice": 1e-4, "saddlepoint": 1e-10}.get(found.extra["law"], 1e-13)
    assert [found.low, found.high] == pytest.approx([low, high], rel=0, abs=between * (high - low))


@pytest.mark.parametrize("name", [name for name in DATA if name.startswith("exact") and len(DATA[name]) == 1])
def test_no_quantile_of_these_is_near_a_tie(name: str) -> None:
    law = next(iter(laws_of(DATA[name], (1.0,))))
    assert isinstance(law, Atoms | Binomial | Scattered)
    masses = law.atoms().masses
    for reached in (np.cumsum(masses), np.cumsum(masses[::-1])):
        assert np.min(np.abs(reached - 0.025)) > FARTHER_THAN


def test_every_golden_case_has_its_limits() -> None:
    assert {name for name, *_ in LIMITS} == set(DATA)
