"""The law of a sum of draws by its characteristic function: φⁿ on a lattice, inverted by FFT.

Exact where the values lie on a lattice, to about n·1e-16. Other values are shared among the points of a
fine one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel.exact import Atoms
from evalstats.kernel.sums import Draws, LinearSum, StreamedDraws, rows_of

Array = NDArray[np.float64]
Steps = NDArray[np.int64]
Shares = dict[int, Callable[[Array], Array]]
MOST_POINTS = 1 << 21  # of a lattice: 16 MB each of masses and frequencies
FINE_POINTS = 1 << 18
NAME = "exact lattice"
_ON_LATTICE = 1e-9  # of a value, or of a step
_WHOLE = 2.0**53
_PART = 1 << 18  # rows at a time: bounds memory, and is part of the definition of a sum
_NEGLIGIBLE = -60.0  # ln |φⁿ|
_COARSEST = 0.1  # standard deviations that sharing may add
_COARSEST_OF_FOUR = 0.0256  # of n·(step/spread)⁴: a limit moves by under .001 of the spread
_FEW_DRAWS = 1 << 10  # products are quicker than logarithms


def common_step(sizes: Array) -> float | None:
    """The largest step of which all sizes are whole multiples; None under a millionth of the largest size.

    sizes : (d,) positive. Euclid's algorithm, to within rounding of scores.
    """
    largest = float(np.max(sizes))
    step = largest
    for size in sizes.tolist():
        rest = size
        while rest > _ON_LATTICE * largest:
            step, rest = rest, step % rest
            if step - rest < _ON_LATTICE * largest:
                rest = 0.0
        if step < 1e-6 * largest:
            return None
    step = largest / round(largest / step)  # Euclid's own rounding grows with its quotients
    multiples = np.rint(sizes / step)
    if float(multiples.min()) == 0:  # a size that is nothing beside the largest
        return None
    return step if float(np.max(np.abs(sizes / step - multiples) / multiples)) < _ON_LATTICE else None


@dataclass(frozen=True)
class Lattice:
    """T = base + step·(origin + J), J = first … first + size − 1 but for e^−FAR on either side.

    J is the sum of all draws of `steps` : (D,), whole numbers around 0, of every sample one after the other.
    """

    total: LinearSum
    base: float
    step: float
    origin: int
    steps: Steps
    first: int
    size: int

    def values(self, index: Steps) -> Array:
        """T at J = first + index: J/n where the step is 1/n, so that 3/10 is not 3 × 0.1."""
        J, inverse = self.origin + self.first + index, round(min(1 / self.step, _WHOLE))
        if inverse >= 1 and abs(1 / self.step - inverse) < _ON_LATTICE * inverse:
            return np.asarray(self.base + J / inverse)
        return np.asarray(self.base + self.step * J)

    def index(self, value: float) -> float:
        """The index of a value, whole for those of T."""
        return (value - self.base) / self.step - self.origin - self.first

    def atoms(self) -> Atoms:
        """The whole law, by one FFT."""
        points = fast_length(self.size)
        _, counts, starts, _ = self.total.flat
        one = zip(np.split(self.steps, starts[1:]), np.split(counts, starts[1:]), self.total.n, strict=True)
        masses = (
            (np.bincount(steps % points, counts / n, points).astype(np.float64), int(n))
            for steps, counts, n in one
        )
        law = np.roll(_convolved(masses, points), -(self.first % points))
        return _atoms(self.values(np.arange(points)), law, NAME)


def lattice_of(total: LinearSum) -> Lattice | None:
    """The lattice of T; None where its values have no common step or more than MOST_POINTS would matter."""
    if _too_fine(total):
        return None
    values, _, starts, whose = total.flat
    offsets = (values - values[starts][whose]) / total.n[whose]
    sizes = np.unique(np.abs(offsets))
    step = common_step(sizes[sizes > 0]) if sizes[-1] > 0 else None
    if step is None or step * MOST_POINTS < sum(total.reach):
        return None
    return _around_the_mean(total, step, np.rint(offsets / step).astype(np.int64))


def _too_fine(total: LinearSum) -> bool:
    """Whether two neighbours of the sample with most values are nearer than the points of a window may be.

    Such have no lattice; it only spares the way to that answer.
    """
    sample = max(total.tallied or (), key=lambda one: len(one.counts))
    gaps = np.abs(np.diff(sample.column))
    finest = sum(total.reach) / MOST_POINTS
    return len(gaps) > 0 and float(np.min(gaps)) * abs(sample.weight) / sample.n < finest


def _around_the_mean(total: LinearSum, step: float, steps: Steps) -> Lattice:
    """Steps less a whole number in each sample, which leaves J near 0, and the window that holds it."""
    values, counts, starts, whose = total.flat
    n = np.rint(total.n).astype(np.int64)
    middles = np.rint(np.add.reduceat(steps * counts, starts) / n).astype(np.int64)
    steps = steps - middles[whose]
    lowest = int(np.sum(np.minimum.reduceat(steps, starts) * n))
    highest = int(np.sum(np.maximum.reduceat(steps, starts) * n))
    below, above = total.reach
    mean = float(np.sum(steps * counts))
    first = max(math.floor(mean - below / step), lowest)
    last = min(math.ceil(mean + above / step), highest)
    base = math.fsum(values[starts].tolist())
    return Lattice(total, base, step, int(np.sum(middles * n)), steps, first, last - first + 1)


def _atoms(values: Array, masses: Array, name: str) -> Atoms:
    masses = np.maximum(masses, 0.0)  # the rest is rounding
    return Atoms(values, masses / masses.sum(), name)


def fast_length(least: int) -> int:
    """2ᵏ or 3·2ᵏ, whichever is the first not below: sizes that an FFT is quick at."""
    power = 1 << (least - 1).bit_length()
    return 3 * power // 4 if 3 * power // 4 >= least else power


def _convolved(masses: Iterable[tuple[Array, int]], points: int) -> Array:
    """The law of n draws from each of several lattice laws, all added, modulo the number of points."""
    spectrum: NDArray[np.complex128] = np.ones(points // 2 + 1, dtype=np.complex128)
    for own, n in masses:
        spectrum *= power_of(np.fft.rfft(own), n)
    return np.asarray(np.fft.irfft(spectrum, points))


def power_of(phi: NDArray[np.complex128], n: int) -> NDArray[np.complex128]:
    """φⁿ, by squares for few draws; else 0 where it is negligible."""
    if n <= _FEW_DRAWS:
        return _by_squares(phi, n)
    with np.errstate(divide="ignore"):
        matters = n * np.log(np.abs(phi)) > _NEGLIGIBLE
    power = np.zeros_like(phi)
    power[matters] = np.exp(n * np.log(phi[matters]))
    return power


def _by_squares(phi: NDArray[np.complex128], n: int) -> NDArray[np.complex128]:
    square, power = phi, phi if n & 1 else np.ones_like(phi)
    while n := n >> 1:
        square = square * square
        if n & 1:
            power = power * square
    return power


def resolves(total: LinearSum, points: int = FINE_POINTS) -> bool:
    """Whether so many points show T without the few draws that carry it.

    Sharing between two points adds a standard deviation of at most √n·½ step; among four it takes
    0.37·n·step⁴ from the fourth cumulant, which moves a limit at 95 % by .03·n·(step/spread)⁴ of the spread.
    """
    step, spread = sum(total.reach) / (points - 8), total.spread_without_few
    between_two = sum(sample.n for sample in total.samples if _shares(sample) is _LINEAR)
    among_four = sum(sample.n for sample in total.samples) - between_two
    return (
        math.sqrt(between_two) * step / 2 <= _COARSEST * spread
        and among_four * step**4 <= _COARSEST_OF_FOUR * spread**4
    )


def fine_law(total: LinearSum, points: int = FINE_POINTS) -> Atoms:
    """The law of T on a fine lattice that holds the commonest value of each sample."""
    below, above = total.reach
    step = (below + above) / (points - 8)
    bases = [_commonest(sample) for sample in total.samples]
    base = math.fsum(bases)
    first = math.floor((total.mean - below - base) / step)
    masses = [(_shared(s, own, step, points), s.n) for s, own in zip(total.samples, bases, strict=True)]
    law = np.roll(_convolved(masses, points), -(first % points))
    values = base + step * (first + np.arange(points, dtype=np.float64))
    return _atoms(values, law, "fine lattice")


def _commonest(sample: Draws | StreamedDraws) -> float:
    """What the commonest value adds; of values that are too many to be tallied, none is common enough."""
    if isinstance(sample, StreamedDraws):
        return sample.weight * sample.ends[0]
    return sample.weight * float(sample.column[np.argmax(sample.counts)])


def _shares(sample: Draws | StreamedDraws) -> Shares:
    return _LINEAR if isinstance(sample, Draws) and sample.off_mode < _MANY_DRAWS else _CUBIC


def _shared(sample: Draws | StreamedDraws, base: float, step: float, points: int) -> Array:
    """A law of one draw on base + step·index, modulo the points, in place of its own.

    Each value's mass is shared among its neighbours: two of them while single draws may show, which adds
    a variance of at most ¼ for each draw beside the lattice; else four, by cubic interpolation of φ.
    """
    law = np.zeros(points)
    shares = _shares(sample)
    grid = math.ldexp(1.5, sample.n.bit_length() + 2)  # rounds shares so that they add up exactly
    for column, counts in rows_of(sample, _PART):
        at = (sample.weight * column - base) / sample.n / step
        left = np.floor(at)
        index = left.astype(np.int64)
        for offset, share in shares.items():
            shared = share(at - left)
            weights = (shared + grid) - grid if counts is None else counts / sample.n * shared
            law += np.bincount((index + offset) % points, weights, points)
    return law if isinstance(sample, Draws) else law / sample.n


_MANY_DRAWS = 1000
_LINEAR: Shares = {0: lambda f: 1 - f, 1: lambda f: f}
_CUBIC: Shares = {
    -1: lambda f: -f * (f - 1) * (f - 2) / 6,
    0: lambda f: (f + 1) * (f - 1) * (f - 2) / 2,
    1: lambda f: -(f + 1) * f * (f - 2) / 2,
    2: lambda f: (f + 1) * f * (f - 1) / 6,
}
