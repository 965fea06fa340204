"""What to keep in mind about a mean or a difference: each rule looks at the data and speaks or is silent."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from evalstats.caveats import caveat
from evalstats.kernel.stream import Sample, Streamed
from evalstats.methods.clusters import Clusters, cr2_variance, informative, kish
from evalstats.methods.singles import Singles
from evalstats.numeric import counted_sum, order_free_sum
from evalstats.results import difference_text

Array = NDArray[np.float64]
Counts = NDArray[np.int64] | None
Caveats = list[dict[str, str]]

FEW_CLUSTERS = 20
FEW_INFORMATIVE = 10
FEW_OFF_MODE = 20
FEW_SUCCESSES = 10  # or failures
FEW_UNITS = 50
FEW_DISCORDANT_FOR_BOOTSTRAP = 20
DOMINANT = 0.25
_LAST_DIGITS = 1e-9  # of a number that is whole but for rounding
_ROUNDING = 1e-14  # of the largest score: scores nearer than that are equal
NARROW = 10  # times as many effective units as items


ABOUT_COVERAGE = frozenset(
    {
        "few_clusters",
        "few_informative_clusters",
        "few_off_mode",
        "few_nonzero_differences",
        "few_discordant",
        "few_noisy_items",
        "dominant_item",
        "skewed",
        "no_spread",
        "narrow_scores",
        "few_problems",
    }
)


def beside_a_proof(said: Caveats) -> Caveats:
    """What remains to be said of an interval whose coverage is proved."""
    return [one for one in said if one["code"] not in ABOUT_COVERAGE]


def _size(y: Array, counts: Counts) -> int:
    return len(y) if counts is None else int(counts.sum())


def _sum(y: Array, counts: Counts) -> float:
    return order_free_sum(y) if counts is None else counted_sum(y, counts)


def off_mode(y: Array, counts: Counts = None) -> int:
    """How many values differ from the commonest. counts : how many there are of each y, None for one."""
    counts = np.unique(y, return_counts=True)[1] if counts is None else counts
    return int(counts.sum()) - int(counts.max())


def few_off_mode(y: Array, counts: Counts = None) -> Caveats:
    off, n = off_mode(y, counts), _size(y, counts)
    if off >= FEW_OFF_MODE:
        return []
    text = f"{off} of {n} scores differ from the commonest: under {FEW_OFF_MODE} coverage is not assured"
    return [caveat("few_off_mode", text)]


def dominant_item(y: Array, counts: Counts = None, mean: float | None = None) -> Caveats:
    """mean : of y, where it is known."""
    squares = (y - (_sum(y, counts) / _size(y, counts) if mean is None else mean)) ** 2
    return _dominant(float(np.max(squares)), _sum(squares, counts))


def dominant_of_singles(items: Singles) -> Caveats:
    return _dominant(items.farthest**2, items.squares)


def _dominant(largest: float, total: float) -> Caveats:
    """The largest square, and the sum of all."""
    if total == 0 or largest <= DOMINANT * total:
        return []
    share = largest / total
    return [
        caveat("dominant_item", f"one item holds {share:.0%} of the sum of squares: it carries the interval")
    ]


def skewed(values: Array, counts: Counts = None) -> Caveats:
    """n < 28 + 25 g₁², g₁ = m₃/m₂^{3/2} (Sugden, Smith & Jones 2000, JRSS B 62:787–793)."""
    n = _size(values, counts)
    deviations = values - _sum(values, counts) / n
    farthest = float(np.max(np.abs(deviations)))
    if farthest <= _ROUNDING * float(np.max(np.abs(values))):
        return []
    deviations = deviations / farthest  # cubes of very small scores would vanish
    squares = deviations**2
    m2, m3 = _sum(squares, counts) / n, _sum(squares * deviations, counts) / n
    return _too_skewed(n, m3 / math.sqrt(m2) ** 3)


def skewed_singles(items: Singles) -> Caveats:
    return _too_skewed(items.n, items.skewness) if items.farthest > 0 else []


def _too_skewed(n: int, skewness: float) -> Caveats:
    needed = math.ceil(28 + 25 * skewness**2 - _LAST_DIGITS)
    if n >= needed:
        return []
    text = f"{n} units, the skewness asks for {needed}: no interval for a mean keeps its level"
    return [caveat("skewed", text)]


def scale_assumed(assumed: bool) -> Caveats:
    text = "all scores lie from 0 to 1, which was taken for their scale"
    return [caveat("scale_assumed", text)] if assumed else []


def shared_items(count: int) -> Caveats:
    text = f"{count} items are in both runs: paired, they would say more"
    return [caveat("shared_items_unpaired", text)] if count else []


def no_spread(y: Array, counts: Counts = None) -> Caveats:
    n = _size(y, counts)
    text = f"all scores are {y[0]:g}: the interval only says what {n} items could have hidden"
    return [caveat("no_spread", text)]


def narrow_scores(n_eff: float, n: int) -> Caveats:
    if n_eff <= NARROW * n:
        return []
    text = f"scores hardly vary on their scale: {n} items count as {n_eff:.0f} right-or-wrong ones"
    return [caveat("narrow_scores", text)]


def few_clusters(clusters: Clusters) -> Caveats:
    k, k_star = clusters.k, kish(clusters)
    if min(k, k_star) >= FEW_CLUSTERS:
        return []
    as_equal = "" if math.isclose(k, k_star) else f", as {k_star:.1f} equal ones"
    return [caveat("few_clusters", f"{k} clusters{as_equal}: under {FEW_CLUSTERS} coverage is not assured")]


def few_informative_clusters(clusters: Clusters, count: int, what: str, pass_fail: bool) -> Caveats:
    """count : the clusters that say something; they are put on Kish's scale. Scores want more of them."""
    least = FEW_INFORMATIVE if pass_fail else FEW_OFF_MODE
    if count * kish(clusters) / clusters.k >= least:
        return []
    text = f"{count} of {clusters.k} clusters {what}: under {least} coverage is not assured"
    return [caveat("few_informative_clusters", text)]


def dominant_cluster(clusters: Clusters) -> Caveats:
    share = float(clusters.w.max())
    if share <= DOMINANT:
        return []
    return [caveat("dominant_cluster", f"one cluster holds {share:.0%} of the items")]


def item_mean_against_cluster_mean(clusters: Clusters) -> Caveats:
    means = clusters.means
    cluster_mean = order_free_sum(means) / clusters.k
    rounding = 1e-12 * max(-float(means.min()), float(means.max()))
    if abs(clusters.point - cluster_mean) <= max(math.sqrt(cr2_variance(clusters)), rounding):
        return []
    text = (
        f"the mean over items is {clusters.point:.4g}, over clusters {cluster_mean:.4g}: more than a "
        'standard error apart, so say which one is meant (estimand="cluster_mean" for the other)'
    )
    return [caveat("item_mean_vs_cluster_mean", text)]


def of_clusters(clusters: Clusters, pass_fail: bool) -> Caveats:
    """Every rule for one run in clusters."""
    return [
        *few_clusters(clusters),
        *few_informative_clusters(
            clusters, informative(clusters), "differ from the commonest mean", pass_fail
        ),
        *dominant_cluster(clusters),
        *item_mean_against_cluster_mean(clusters),
    ]


def of_bootstrap(units: Array, binary: bool, clusters: bool, counts: Counts = None) -> Caveats:
    """Where resampling is known to miss its level. units : (n,) the units' means."""
    n = _size(units, counts)
    if clusters:
        text = f"a bootstrap of {n} clusters: with 5 it covered 70 % at 95 %"
        return [caveat("bootstrap_few_units", text)] if n < FEW_CLUSTERS else []
    off = off_mode(units, counts)
    if binary:
        if off >= FEW_SUCCESSES:
            return []
        text = (
            f"a bootstrap of {off} {'failures' if _sum(units, counts) > n / 2 else 'successes'}: under "
            f"{FEW_SUCCESSES} it misses its level (at a rate of 1 % it covered 39 % at n = 50); "
            "the default for pass rates does not"
        )
        return [caveat("named_method_weak", text)]
    if n >= FEW_UNITS and off >= FEW_OFF_MODE:
        return []
    text = f"a bootstrap of {n} units, {off} of them off the commonest value: its coverage is not assured"
    return [caveat("bootstrap_few_units", text)]


def of_singles_resampled(sample: Sample, binary: bool) -> Caveats:
    """`of_bootstrap` of single items; of streamed ones there are enough, and of enough values."""
    if isinstance(sample, Streamed):
        return []
    return of_bootstrap(sample.rows[:, 0], binary, False, sample.counts)


def few_discordant(count: int, bootstrap: bool) -> Caveats:
    """Pass/fail pairs: what the interval and the test rest on."""
    items = "discordant item" if count == 1 else "discordant items"
    if bootstrap and count < FEW_DISCORDANT_FOR_BOOTSTRAP:
        text = f"{count} {items}: a bootstrap misses its level under {FEW_DISCORDANT_FOR_BOOTSTRAP}"
        return [caveat("named_method_weak", text)]
    if count >= FEW_INFORMATIVE:
        return []
    text = f"{count} {items}: under {FEW_INFORMATIVE} interval and test rest on very few changes"
    return [caveat("few_discordant", text)]


def few_noisy_items(within: tuple[Array, ...]) -> Caveats:
    """What a view of fixed items rests on. within : Σ(x − y)² of each item's completions, of each run."""
    count = sum(int(np.count_nonzero(one)) for one in within)
    if count >= FEW_INFORMATIVE:
        return []
    text = f"{count} items whose completions disagree: under {FEW_INFORMATIVE} coverage is not assured"
    return [caveat("few_noisy_items", text)]


def few_nonzero_differences(count: int, n: int) -> Caveats:
    if count >= FEW_OFF_MODE:
        return []
    text = f"{count} of {n} differences are not zero: under {FEW_OFF_MODE} coverage is not assured"
    return [caveat("few_nonzero_differences", text)]


def few_discordant_units(count: int) -> Caveats:
    """Of all benchmarks of a macro average, which is a t interval."""
    if count >= FEW_OFF_MODE:
        return []
    text = f"{count} units differ over all benchmarks: under {FEW_OFF_MODE} coverage is not assured"
    return [caveat("few_nonzero_differences", text)]


def sign_changes_without_cluster(clusters: Clusters, discordant: int, unit: str) -> Caveats:
    """Silent under two discordant clusters, where leaving one out leaves nothing."""
    if discordant < 2 or clusters.point == 0:
        return []
    without = (clusters.n * clusters.point - clusters.sums) / (clusters.n - clusters.sizes)
    turned = np.flatnonzero(np.sign(without) == -np.sign(clusters.point))
    if len(turned) == 0:
        return []
    worst = turned[np.argmax(np.abs(without[turned]))]
    text = (
        f"without one cluster of {clusters.sizes[worst]:.0f} items the difference would be "
        f"{difference_text(float(without[worst]), unit)} instead of {difference_text(clusters.point, unit)}"
    )
    return [caveat("sign_changes_without_cluster", text)]


def of_paired_clusters(clusters: Clusters, discordant: int, unit: str, pass_fail: bool) -> Caveats:
    """Every rule for a paired difference in clusters. discordant : clusters with Σd ≠ 0."""
    return [
        *few_clusters(clusters),
        *few_informative_clusters(clusters, discordant, "differ between the runs", pass_fail),
        *dominant_cluster(clusters),
        *sign_changes_without_cluster(clusters, discordant, unit),
    ]
