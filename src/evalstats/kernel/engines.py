"""Which engine computes the law of a statistic under resampling, for infinitely many resamples.

Exact ones come first; a saddlepoint where its guards let it (docs/exact-bootstrap.md has the figures they
rest on), a fine lattice where they do not. None is left only where nothing here applies: then resamples
have to be drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from evalstats.kernel.enumerated import MOST_DISTINCT, enumerable, enumerated_law
from evalstats.kernel.exact import Atoms, Binomial, Difference, Law
from evalstats.kernel.frequencies import FewFrequencies, few_frequencies
from evalstats.kernel.lattice import fine_law, lattice_of, resolves
from evalstats.kernel.ratio import RatioSaddlepoint, RatioSum
from evalstats.kernel.ratio_lattice import FineRatio, ratio_lattice_law
from evalstats.kernel.saddlepoint import LinearSaddlepoint, NotConverged, tabulated
from evalstats.kernel.scattered import Scattered
from evalstats.kernel.stream import Sample, Streamed
from evalstats.kernel.sums import Draws, LinearSum
from evalstats.kernel.units import Tally
from evalstats.kernel.weighted import MEAN

MOST_SKEWNESS = 0.2  # of the statistic itself: of the units over √n
MOST_DOMINANCE = 0.5  # standard deviations that one unit can move it
MOST_SIZE_SPREAD = 0.2  # standard deviation of the number of items drawn, over its mean
LEAST_OFF_MODE = 40  # units off the commonest value: fewer can make a lattice of their own
LEAST_CLUSTERS = 20
CHEAP_POINTS = 1 << 17  # of a lattice in two dimensions: about 5 ms
MOST_ATOMS = 1 << 15  # of either law in a convolution
COARSE_ATOMS = 1 << 13  # of a fine lattice in a convolution


def laws_of(samples: Sequence[Sample], weights: Sequence[float]) -> Iterator[Law]:
    """The laws of Σ_j w_j·(mean of sample j), best first; a later one stands in where an earlier one fails.

    The mean of a sample is Σs/Σm of its units. Nothing is yielded where no engine applies.
    """
    total = as_sum(samples, weights)
    return laws_of_ratios(samples, weights) if total is None else laws_of_sum(total)


def as_sum(samples: Sequence[Sample], weights: Sequence[float]) -> LinearSum | None:
    """What is resampled as a sum of draws, which it is where the units of each sample have one size."""
    if all(isinstance(sample, Streamed) or sample.size is not None for sample in samples):
        return LinearSum.of_means(samples, weights)
    return None


def laws_of_ratios(samples: Sequence[Sample], weights: Sequence[float]) -> Iterator[Law]:
    """`laws_of` for units of different sizes: of one sample, or of the second less the first."""
    tallies = [sample for sample in samples if isinstance(sample, Tally)]
    if len(tallies) < len(samples):
        return
    if len(tallies) == 1 and weights[0] == 1:
        yield from _ratio_laws(RatioSum(tallies[0]))
    elif len(tallies) == 2 and tuple(weights) == (-1, 1):
        first, second = (_atoms_of_mean(tally) for tally in tallies)
        if first is not None and second is not None:
            yield Difference(first, second, _name_of(first, second))


def _name_of(*laws: Atoms) -> str:
    """The engine of a convolution is that of its coarsest part."""
    names = {law.name for law in laws}
    return next((name for name in ("fine lattice", "saddlepoint") if name in names), "exact convolution")


def laws_of_sum(total: LinearSum) -> Iterator[Law]:
    """The laws of T, best first; a later one stands in where an earlier one fails."""
    exact = _exact_sum(total)
    if exact is not None:
        yield exact
        return
    if _smooth(total):
        yield LinearSaddlepoint(total)
    if resolves(total):
        yield fine_law(total)


def _exact_sum(total: LinearSum) -> Law | None:
    """None where nothing exact applies, as where a sample has too many different values to be tallied."""
    if total.tallied is None:
        return None
    if len(total.samples) == 1:
        return _exact_mean(total)
    return _on_a_lattice(total) or (_exact_difference(total) if len(total.samples) == 2 else None)


def _on_a_lattice(total: LinearSum) -> FewFrequencies | Atoms | None:
    lattice = lattice_of(total)
    return None if lattice is None else few_frequencies(lattice) or lattice.atoms()


def _exact_mean(total: LinearSum) -> Binomial | FewFrequencies | Atoms | None:
    """Of a single sample."""
    [sample] = total.tallied or ()
    if len(sample.counts) == 2:
        values = (sample.weight * sample.column).tolist()
        (lower, _), (upper, k) = sorted(zip(values, sample.counts.tolist(), strict=True))
        return Binomial(sample.n, k, lower, upper)
    law = _on_a_lattice(total)
    if law is not None or len(sample.counts) > MOST_DISTINCT:
        return law
    tally = Tally(
        np.column_stack([sample.weight * sample.column, np.ones(len(sample.column))]), sample.counts
    )
    return enumerated_law(tally, MEAN) if enumerable(tally) else None


def _exact_difference(total: LinearSum) -> Difference | None:
    """Two samples, each on a lattice of its own."""
    turned = [
        LinearSum((replace(sample, weight=sign * sample.weight),))
        for sign, sample in zip((-1, 1), total.tallied or (), strict=True)
    ]
    if any(one.ends[0] == one.ends[1] for one in turned):
        return None
    laws = [_exact_mean(one) for one in turned]
    if laws[0] is None or laws[1] is None:
        return None
    first, second = laws[0].atoms().weighty(), laws[1].atoms().weighty()
    few = max(len(first.values), len(second.values)) <= MOST_ATOMS
    return Difference(first, second) if few else None


def _smooth(total: LinearSum) -> bool:
    """The guards of a saddlepoint: not skewed, no dominant unit, hardly any ties."""
    if abs(total.skewness) > MOST_SKEWNESS or total.dominance > MOST_DOMINANCE:
        return False
    return all(
        2 * len(sample.counts) >= sample.n and sample.off_mode >= LEAST_OFF_MODE
        for sample in total.samples
        if isinstance(sample, Draws)
    )


def _ratio_laws(ratio: RatioSum) -> Iterator[Law]:
    exact = _exact_ratio(ratio)
    if exact is not None:
        yield exact
        return
    if _smooth_ratio(ratio):
        yield RatioSaddlepoint(ratio)
    yield FineRatio(ratio)


def _exact_ratio(ratio: RatioSum) -> Atoms | Scattered | None:
    law = ratio_lattice_law(ratio, CHEAP_POINTS)
    if law is not None:
        return law
    return enumerated_law(ratio.tally, MEAN) if enumerable(ratio.tally) else None


def _smooth_ratio(ratio: RatioSum) -> bool:
    return (
        abs(ratio.skewness) <= MOST_SKEWNESS
        and ratio.dominance <= MOST_DOMINANCE
        and ratio.size_spread <= MOST_SIZE_SPREAD
        and ratio.n >= LEAST_CLUSTERS
    )


def _atoms_of_mean(tally: Tally) -> Atoms | None:
    """The law of one sample's mean as values for a convolution; None where only resamples show it."""
    exact: Binomial | FewFrequencies | Atoms | Scattered | None
    if tally.size is not None:
        total = LinearSum.of_means([tally], [1.0])
        if total.sd == 0:
            return Atoms(np.array([total.mean]), np.ones(1), "exact")
        exact, smooth = _exact_mean(total), _smooth(total)
        law: Law = LinearSaddlepoint(total) if smooth else fine_law(total)
    else:
        ratio = RatioSum(tally)
        if ratio.spread <= 1e-13 * abs(ratio.point):
            return Atoms(np.array([ratio.point]), np.ones(1), "exact")
        exact, smooth = _exact_ratio(ratio), _smooth_ratio(ratio)
        law = RatioSaddlepoint(ratio)
    if exact is not None:
        return exact.atoms().weighty().coarse(MOST_ATOMS)
    if isinstance(law, Atoms):
        return law.weighty().coarse(COARSE_ATOMS)
    try:
        return tabulated(law) if smooth else None
    except NotConverged:
        return None
