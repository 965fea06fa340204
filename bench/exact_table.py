"""How near the computed laws are, and what the guards of the saddlepoint rest on: docs/exact-bootstrap.md.

    python -m bench.exact_table [--resamples N]

The oracle is every resample for n ≤ 10, else the fine lattice with four times its points. N resamples of
each case (10⁶ by default, a tenth of them at n = 10,000) then judge the oracle itself.
"""

from __future__ import annotations

import argparse
import itertools
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.shapes import MEANS, SIZES, pass_fail_sums, score_sums
from evalstats.kernel import engines
from evalstats.kernel.enumerated import enumerable, enumerated_law
from evalstats.kernel.exact import Law
from evalstats.kernel.lattice import FINE_POINTS, fine_law
from evalstats.kernel.law import draw
from evalstats.kernel.ratio import RatioSaddlepoint, RatioSum
from evalstats.kernel.ratio_lattice import FineRatio, ratio_lattice_law
from evalstats.kernel.resampled import Bootstrap, bootstrap_interval
from evalstats.kernel.saddlepoint import LinearSaddlepoint, NotConverged
from evalstats.kernel.sums import LinearSum
from evalstats.kernel.units import Tally, Units
from evalstats.kernel.weighted import MEAN

PAGE = Path(__file__).parent.parent / "docs" / "exact-bootstrap.md"
TAILS = (0.025, 0.005)
NOISE = math.sqrt(0.025 * 0.975 / 10_000) / (math.exp(-(1.959964**2) / 2) / math.sqrt(2 * math.pi))
SKEWNESS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, math.inf)


def ends(law: Law, q: float) -> tuple[float, float]:
    return law.low(q), law.high(q)


def gap(law: Law, oracle: Law, q: float) -> float:
    """The farther of two limits, in standard deviations of the oracle; nan where a law has none."""
    try:
        pairs = zip(ends(law, q), ends(oracle, q), strict=True)
        return max(abs(one - other) for one, other in pairs) / oracle.sd
    except NotConverged:
        return math.nan


@dataclass(frozen=True)
class Tried:
    """One data set: what runs, how far it and an unguarded saddlepoint are off, and what resamples say."""

    name: str
    n: int
    skewness: float
    dominance: float
    engine: str
    off: tuple[float, ...]
    saddlepoint: tuple[float, ...]
    z: float

    @property
    def cells(self) -> list[str]:
        declined = "" if self.engine == "saddlepoint" else f"{self.skewness:.2f}, {self.dominance:.2f}"
        guards = declined or f"**{self.skewness:.2f}, {self.dominance:.2f}**"
        return [
            self.name, f"{self.n:,}", guards, self.engine, *(f"{off:.1e}" for off in self.off),
            *(_or_none(off) for off in self.saddlepoint), f"{self.z:.1f}",
        ]  # fmt: skip


def _or_none(off: float) -> str:
    return "none" if math.isnan(off) else f"{off:.1e}"


def try_mean(name: str, n: int, resamples: int, seed: int = 0) -> Tried:
    tally = Units.of_items(MEANS[name](np.random.default_rng(seed), n)).tally()
    total = LinearSum.of_means([tally], [1.0])
    oracle = enumerated_law(tally, MEAN) if enumerable(tally) else fine_law(total, 4 * FINE_POINTS)
    law = next(iter(engines.laws_of([tally], (1.0,))))
    unguarded = LinearSaddlepoint(total)
    return Tried(
        name, n, total.skewness, total.dominance, law.name,
        tuple(gap(law, oracle, q) for q in TAILS), tuple(gap(unguarded, oracle, q) for q in TAILS),
        judged(oracle, tally, resamples),
    )  # fmt: skip


def try_clusters(name: str, k: int, scores: str, resamples: int, seed: int = 0) -> Tried:
    random = np.random.default_rng(seed)
    sizes = SIZES[name](random, k)
    sums = pass_fail_sums(random, sizes) if scores == "pass/fail" else score_sums(random, sizes)
    tally = Units.of_sums(sums, sizes).tally()
    ratio = RatioSum(tally)
    oracle: Law = ratio_lattice_law(ratio, 1 << 22) or FineRatio(ratio, points=1 << 18)
    law = next(iter(engines.laws_of([tally], (1.0,))))
    unguarded = RatioSaddlepoint(ratio)
    return Tried(
        f"{scores}, {name}", k, ratio.skewness, ratio.dominance, law.name,
        tuple(gap(law, oracle, q) for q in TAILS), tuple(gap(unguarded, oracle, q) for q in TAILS),
        judged(oracle, tally, resamples),
    )  # fmt: skip


def judged(oracle: Law, tally: Tally, resamples: int) -> float:
    """The largest of four gaps between the shares of resamples and the oracle, in Monte Carlo errors."""
    count = resamples // 10 if tally.n >= 10_000 else resamples
    values = np.sort(draw([tally], MEAN, count, 12345))
    largest = 0.0
    for q in TAILS:
        for end in ends(oracle, q):
            expected = oracle.below(end)
            near = 1e-12 * max(abs(end), float(np.max(np.abs(values[[0, -1]]))))
            below, up_to = np.searchsorted(values, [end - near, end + near])
            error = math.sqrt(expected * (1 - expected) / count)
            largest = max(largest, abs((below + up_to) / 2 / count - expected) / error)
    return largest


def many_saddlepoints(sets: int) -> list[tuple[float, float, float]]:
    """γ, δ and the distance of an unguarded saddlepoint from the oracle, for many data sets."""
    found: list[tuple[float, float, float]] = []
    for seed in range(sets):
        random = np.random.default_rng(1_000 + seed)
        name = list(MEANS)[seed % len(MEANS)]
        n = int(random.choice([30, 40, 50, 70, 100, 200, 500, 1000, 5000]))
        total = LinearSum.of_means([Units.of_items(MEANS[name](random, n)).tally()], [1.0])
        [sample] = total.tallied or ()
        if len(sample.counts) * 2 < n or sample.off_mode < engines.LEAST_OFF_MODE:
            continue
        off = gap(LinearSaddlepoint(total), fine_law(total, 4 * FINE_POINTS), 0.025)
        found.append((abs(total.skewness), total.dominance, off))
    return found


def _binned(found: Sequence[tuple[float, float, float]]) -> Iterator[list[str]]:
    for low, high in itertools.pairwise(SKEWNESS):
        inside = [one for one in found if low <= one[0] < high]
        off = [one[2] for one in inside if not math.isnan(one[2])]
        kept = [one[2] for one in inside if one[1] <= engines.MOST_DOMINANCE and not math.isnan(one[2])]
        upper = "and more" if math.isinf(high) else f"to {high:g}"
        yield [
            f"{low:g} {upper}", str(len(inside)), f"{np.median(off):.1e}" if off else "–",
            f"{max(off):.1e}" if off else "–", str(len(kept)), f"{max(kept):.1e}" if kept else "–",
        ]  # fmt: skip


def large_table() -> Iterator[list[str]]:
    """Any n: the limit is normal, and the time that of one pass over the distinct scores."""
    for n in (10**3, 10**4, 10**5, 10**6, 10**7):
        random = np.random.default_rng(n)
        counts = random.multinomial(n, [0.05] * 4 + [0.1] * 4 + [0.2] * 2)
        ten = Tally(np.column_stack([np.arange(1.0, 11.0), np.ones(10)]), counts)
        rate = Tally(np.array([[0.0, 1.0], [1.0, 1.0]]), np.array([n - round(0.83 * n), round(0.83 * n)]))
        laws: list[tuple[str, Tally]] = [("pass/fail", rate), ("scores of 1 to 10", ten)]
        if n <= 10**6:
            laws += [("lognormal scores", Units.of_items(random.lognormal(size=n)).tally())]
        for name, tally in laws:
            yield _at_size(name, n, tally)


def _at_size(name: str, n: int, tally: Tally) -> list[str]:
    law = next(iter(engines.laws_of([tally], (1.0,))))
    started = time.process_time()
    found = bootstrap_interval("bca", Bootstrap((tally,), 0.95))
    milliseconds = 1e3 * (time.process_time() - started)
    off = max(abs(abs(end - law.mean) / law.sd - 1.959964) for end in (found.low, found.high))
    return [name, f"{n:,}", law.name, f"{off:.1e}", f"{off * math.sqrt(n):.1f}", f"{milliseconds:.1g}"]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def page(resamples: int) -> str:
    head = ["data", "n", "γ, δ", "engine", "off at 95 %", "at 99 %", "saddlepoint at 95 %", "at 99 %", "z"]
    means = [try_mean(name, n, resamples) for name in MEANS for n in (10, 14, 30, 200, 1000)]
    means += [try_mean(name, 10_000, resamples) for name in ("normal", "lognormal, σ = 2", "Pareto, α = 1.1")]
    clusters = [
        try_clusters(name, k, scores, resamples)
        for scores in ("pass/fail", "scores") for name in SIZES for k in (20, 40, 200)
    ]  # fmt: skip
    bins = [
        "γ of the mean",
        "data sets",
        "median",
        "worst",
        f"with δ ≤ {engines.MOST_DOMINANCE:g}",
        "worst of them",
    ]
    found = many_saddlepoints(900)
    accepted = [one for one in found if one[0] <= engines.MOST_SKEWNESS and one[1] <= engines.MOST_DOMINANCE]
    text = (Path(__file__).parent / "exact_bootstrap.md").read_text(encoding="utf-8")
    filled = {
        "means": table(head, [one.cells for one in means]),
        "clusters": table(head, [one.cells for one in clusters]),
        "skewness": table(bins, list(_binned(found))),
        "times": f"{NOISE / max(off for _, _, off in accepted):.0f}",
        "large": table(["scores", "n", "engine", "off the limit, sd", "times √n", "ms"], list(large_table())),
        "resamples": f"{resamples:,}",
        "noise": f"{NOISE:.3f}",
        "worst_kept": f"{max(max(one.off[:1]) for one in (*means, *clusters)):.1e}",
        "worst_z": f"{max(one.z for one in (*means, *clusters)):.1f}",
        "rows": str(len(means) + len(clusters)),
        "skew": f"{engines.MOST_SKEWNESS:g}",
        "dominance": f"{engines.MOST_DOMINANCE:g}",
        "off_mode": str(engines.LEAST_OFF_MODE),
        "size_spread": f"{engines.MOST_SIZE_SPREAD:g}",
    }
    for name, value in filled.items():
        text = text.replace("{{" + name + "}}", value)
    return text


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--resamples", type=int, default=1_000_000)
    PAGE.write_text(page(parser.parse_args().resamples), encoding="utf-8")
    print(f"wrote {PAGE}")
