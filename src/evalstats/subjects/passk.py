"""Several attempts at each problem: pass@k, pass^k, avg@k and maj@k, of one problem and of a benchmark.

n : a problem's attempts; c : those that are right. Each figure is the mean, over all C(n, k) choices of k of
the n attempts, of what those k would give; a benchmark's is the mean over its problems.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalstats.caveats import caveat
from evalstats.errors import InputError, MethodError
from evalstats.kernel.arrays import Codes, check_labels
from evalstats.kernel.check import check_at_least_one, check_count, check_part, check_sample_size
from evalstats.methods.cautions import beside_a_proof
from evalstats.methods.difference_tests import paired_test
from evalstats.methods.differences import item_difference
from evalstats.methods.items import ItemValues, Request
from evalstats.methods.means import item_mean_estimate
from evalstats.methods.pairs import PairedItems
from evalstats.results import Estimate, TestResult
from evalstats.subjects.k_of_n import all_of, any_of, majority_of, mean_of
from evalstats.subjects.passk_counted import Kinds, estimate_from_counts

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
Caveats = Sequence[dict[str, str]]
FEW_PROBLEMS = 50
_NAMED = 5
_PLUG_IN = frozenset({"plug_in", "plugin", "naive", "pooled"})
NO_PLUG_IN = (
    "1 − (1 − p)^k of a benchmark's rate is no pass@k: problems are not equally hard, so that it says too "
    "much (its interval covers the truth in 0 to 23 % of cases)"
)


def pass_at_k(n: int, c: int, k: int) -> float:
    """How often is at least one of k attempts at a problem right? 1 − C(n−c, k)/C(n, k), unbiased.

    n : attempts that were made. c : right ones.
    Raises InputError for counts that cannot be, and for k > n, of which n attempts say nothing.
    Source: Chen et al. 2021, arXiv:2107.03374, eq. 1.

    >>> pass_at_k(20, 3, 1), round(pass_at_k(20, 3, 5), 2)
    (0.15, 0.6)
    """
    return any_of(*_checked(n, c, k))


def pass_hat_k(n: int, c: int, k: int) -> float:
    """How often are all k attempts at a problem right? pass^k = C(c, k)/C(n, k), unbiased; for agents.

    Not (c/n)^k, which says too much. Raises as `pass_at_k`.
    Source: Yao et al. 2024, arXiv:2406.12045, §3.

    >>> pass_hat_k(4, 3, 2), pass_hat_k(4, 3, 4)
    (0.5, 0.0)
    """
    return all_of(*_checked(n, c, k))


def avg_at_k(n: int, c: int, k: int) -> float:
    """What is the mean score of k attempts at a problem? c/n, whatever k is: k says how noisy it is.

    Raises as `pass_at_k`.

    >>> avg_at_k(20, 3, 5)
    0.15
    """
    return mean_of(*_checked(n, c, k))


def maj_at_k(answers: Sequence[Any], truth: Any, k: int) -> float:
    """How often is the commonest of k answers to a problem right? Exact over all choices of k answers.

    answers : one label an attempt. truth : the right label, or a set of right ones. Labels that tie for the
    commonest share the vote equally. Raises InputError for a missing answer and for k > n.
    Source: Wang et al. 2023, arXiv:2203.11171, for the vote.

    >>> round(maj_at_k(["A", "A", "B", "B", "C"], "A", 3), 4)
    0.4333
    """
    codes, labels = check_labels(list(answers), len(answers), "answers")
    k = _check_k(k, check_sample_size(len(codes), "the number of answers"))
    right = truth if isinstance(truth, set | frozenset) else {truth}
    return majority_of(np.bincount(codes).tolist(), [label in right for label in labels], k)


def _checked(n: int, c: int, k: int) -> tuple[int, int, int]:
    n = check_sample_size(n)
    return n, check_part(c, "c", n), _check_k(k, n)


def _check_k(k: int, n: int) -> int:
    k = check_count(k, "k")
    if k == 0:
        raise InputError("k=0: none of no attempts is right. Give k of 1 or more.")
    if k > n:
        raise InputError(
            f"k={k} is not estimable from {_attempts(n)} (n={n}): {NO_PLUG_IN}. Give a k of at most {n}, or "
            "make more attempts."
        )
    return k


def _attempts(n: int) -> str:
    return f"{n} attempt{'s' * (n != 1)}"


@dataclass(frozen=True)
class Measure:
    """What is asked of k attempts. value : of (n, c, k), None where the answers themselves are needed.

    sign, words : as in "pass@4 (any of 4)".
    """

    name: str
    sign: str
    words: str
    value: Callable[[int, int, int], float] | None

    def label(self, k: int) -> str:
        """The whole name, which tells pass@k and pass^k apart: "pass@4 (any of 4)"."""
        return f"{self.sign}{k} ({self.words} of {k})"


MEASURES = {
    measure.name: measure
    for measure in (
        Measure("pass_at_k", "pass@", "any", any_of),
        Measure("pass_hat_k", "pass^", "all", all_of),
        Measure("avg_at_k", "avg@", "mean", mean_of),
        Measure("maj_at_k", "maj@", "majority", None),
    )
}


def measure_named(name: str) -> Measure:
    """By name, or as people write it, "pass@k". Raises InputError that lists the four ("pass_k" is none)."""
    for measure in MEASURES.values():
        if name in (measure.name, f"{measure.sign}k"):
            return measure
    said = ", ".join(f"{one.name} ({one.sign}k, {one.words} of k)" for one in MEASURES.values())
    raise InputError(f"no measure {name!r}. There are: {said}.")


@dataclass(frozen=True)
class Problems:
    """(problems,) whole numbers: attempts n ≥ 0 and right ones c of each. cluster : codes, or None."""

    n: Counts
    c: Counts
    cluster: Codes | None = None

    def __len__(self) -> int:
        return len(self.n)

    @cached_property
    def _keys(self) -> tuple[Counts, int]:
        """Each problem's (n, c) as one number, and what n was multiplied by."""
        width = int(self.n.max()) + 1
        return self.n * width + self.c, width

    @cached_property
    def kinds(self) -> Kinds:
        """The (n, c) that occur, in order, and how often: few, however many problems there are."""
        key, width = self._keys
        if width**2 > len(self):
            found, counts = np.unique(key, return_counts=True)
        else:
            counts = np.bincount(key)
            found, counts = np.flatnonzero(counts), counts[counts > 0]
        return Kinds([divmod(one, width) for one in found.tolist()], counts)

    def at(self, used: Counts) -> Problems:
        """Those at these positions; itself if they are all, in order: what was counted of it stays."""
        if np.array_equal(used, np.arange(len(self))):
            return self
        return Problems(self.n[used], self.c[used], None if self.cluster is None else self.cluster[used])

    def of_kinds(self, measure: Measure, k: int) -> Array:
        """The measure of each of `kinds`; every n must be k or more. Raises InputError for maj@k."""
        value = measure.value
        if value is None:
            raise InputError(f"{measure.sign}k needs the answers themselves: how many are right does not do.")
        return np.array([value(n, c, k) for n, c in self.kinds.pairs])

    def values(self, measure: Measure, k: int) -> Array:
        """(problems,) of the measure, as `of_kinds`."""
        key, width = self._keys
        kinds = np.array([n * width + c for n, c in self.kinds.pairs])
        return self.of_kinds(measure, k)[np.searchsorted(kinds, key)]


def problems(n: ArrayLike, c: ArrayLike, cluster: Any = None) -> Problems:
    """Checked counts. n : one number for all problems, or one each.

    Raises InputError naming the first count that cannot be.
    """
    attempts, right = _whole(n, "n"), _whole(c, "c")
    if len(attempts) == 1:
        attempts = np.full(len(right), attempts[0])
    if len(attempts) != len(right):
        raise InputError(f"n has {len(attempts)} problems and c {len(right)}: give both for each problem.")
    more = np.flatnonzero(right > attempts)
    if len(more):
        at = int(more[0])
        raise InputError(f"c[{at}]={right[at]} is more than n[{at}]={attempts[at]}: it counts some of them.")
    codes = None if cluster is None else check_labels(cluster, len(right), "cluster")[0]
    return Problems(attempts, right, codes)


def _whole(counts: ArrayLike, name: str) -> Counts:
    try:
        values = np.atleast_1d(np.asarray(counts))
        values = values if values.dtype.kind in "iu" else values.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name}={counts!r}: give one whole number a problem.") from None
    if values.ndim != 1 or len(values) == 0:
        raise InputError(f"{name} has shape {values.shape}: give one whole number a problem.")
    bad = np.flatnonzero(~((values >= 0) & (values < np.inf) & (values == np.floor(values))))
    if len(bad):
        raise InputError(f"{name}[{bad[0]}] is {values[bad[0]]:g}: give a whole number of attempts.")
    return values.astype(np.int64)


def benchmark(
    n: ArrayLike,
    c: ArrayLike,
    k: int | Sequence[int],
    measures: Sequence[str] = ("pass_at_k", "pass_hat_k"),
    *,
    cluster: Any = None,
    level: float = 0.95,
    method: str | None = None,
    guarantee: bool = False,
) -> tuple[Estimate, ...]:
    """What would k attempts give, over a benchmark's problems? One Estimate for each measure and k.

    n, c : (problems,) attempts and right ones; n may be one number for all. k : one, or several.
    The problems are the same for every k: those with fewer attempts than the largest k that any problem has
    are left out and named, so that pass@k never falls in k. A k that no problem has is not estimable: nan
    with the reason. Intervals are over problems: Wilson on the effective n by default, else as for `mean`.
    Raises InputError for what is no count, MethodError for 1 − (1 − p)^k (method="plug_in").
    Source: Chen et al. 2021, arXiv:2107.03374.

    >>> any_of_5, all_of_5 = benchmark(20, [3, 0, 20, 10], 5)
    >>> print(any_of_5)
    pass@5 (any of 5) 64.6% [15.6, 94.7] 95% wilson_effective n=4
    >>> print(all_of_5)
    pass^5 (all of 5) 25.4% [2.2, 83.6] 95% wilson_effective n=4
    """
    counted = problems(n, c, cluster)
    request = Request(level, method, guarantee)
    asked = [measure_named(name) for name in measures]
    common = common_problems((counted.n,), np.atleast_1d(k).tolist())
    beside = common.caveats(lambda at: f"problem {at}")
    used = counted.at(common.at)
    estimates = []
    for measure in asked:
        estimates += [estimate_of(used, measure, each, request, beside) for each in common.ks]
        estimates += [not_estimable(measure, each, common.most, level) for each in common.beyond]
    return tuple(estimates)


@dataclass(frozen=True)
class Common:
    """The problems that stand for every k. at : their positions. dropped : those with fewer attempts.

    ks : rising; beyond : k for which no problem has attempts. most : attempts of the problem with most.
    """

    at: Counts
    dropped: Counts
    ks: tuple[int, ...]
    beyond: tuple[int, ...]
    most: int

    def caveats(self, name: Callable[[int], str]) -> list[dict[str, str]]:
        """What to say of the problems that are left out, and of few that are left. name : of a position."""
        said = []
        kept, left_out = len(self.at), len(self.dropped)
        if left_out:
            listed = ", ".join(name(int(at)) for at in self.dropped[:_NAMED])
            more = f" and {left_out - _NAMED} more" if left_out > _NAMED else ""
            text = (
                f"{kept} of {kept + left_out} problems have {self.ks[-1]} attempts or more and stand for "
                f"every k; left out: {listed}{more}"
            )
            said.append(caveat("ragged_attempts", text))
        if kept < FEW_PROBLEMS:
            text = f"{kept} problem{'s' * (kept != 1)}: under {FEW_PROBLEMS} coverage is not assured"
            said.append(caveat("few_problems", text))
        return said


def common_problems(attempts: Sequence[Counts], ks: Sequence[int]) -> Common:
    """The problems with enough attempts in every run for each k that some problem has enough for.

    attempts : (problems,) of each run. Raises InputError for a k that is none, and without any attempt.
    """
    fewest = np.min(np.stack(list(attempts)), axis=0)
    most = int(fewest.max())
    if most == 0:
        raise InputError("no problem has an attempt that was scored: there is nothing to estimate.")
    wanted = sorted({check_at_least_one(k, "k") for k in ks})
    if not wanted:
        raise InputError("no k was given: give one or more, such as k=(1, 5).")
    within = tuple(k for k in wanted if k <= most)
    enough = fewest >= (within[-1] if within else 1)
    beyond = tuple(k for k in wanted if k > most)
    return Common(np.flatnonzero(enough), np.flatnonzero(~enough), within, beyond, most)


def estimate_of(used: Problems, measure: Measure, k: int, request: Request, beside: Caveats = ()) -> Estimate:
    """One measure over problems that all have k attempts. beside : caveats to add.

    At k = 1, and for avg@k, it is the score of items with several completions, as `score` has it.
    """
    refuse_plug_in(request.method)
    of_means = k == 1 or measure.value is mean_of
    if used.cluster is None:
        kinds = used.of_kinds(measure, k)
        if found := estimate_from_counts(used.kinds, kinds, of_means, _named(request, measure, k)):
            return _with(found, beside)
    values = used.values(measure, k)
    if not of_means:
        return values_estimate(values, used.cluster, measure, k, request, beside)
    completions = used.n.astype(np.float64) if used.kinds.several else None
    return _over(ItemValues(values, True, (0.0, 1.0), used.cluster, completions), measure, k, request, beside)


def values_estimate(
    values: Array, cluster: Codes | None, measure: Measure, k: int, request: Request, beside: Caveats = ()
) -> Estimate:
    """One measure from its (problems,) values.

    Values that are all 0 or 1 are a pass rate, unless a method was named, which is then one for scores at
    every k; of a single problem they say as little as any other.
    """
    named = request.method is not None or len(values) == 1
    binary = not named and bool(np.all((values == 0) | (values == 1)))
    return _over(ItemValues(values, binary, (0.0, 1.0), cluster), measure, k, request, beside)


def _over(items: ItemValues, measure: Measure, k: int, request: Request, beside: Caveats) -> Estimate:
    refuse_plug_in(request.method)
    return _with(item_mean_estimate(items, _named(request, measure, k)), beside)


def difference_of(
    pair: tuple[Array, Array],
    cluster: Codes | None,
    measure: Measure,
    k: int,
    request: Request,
    beside: Caveats = (),
) -> tuple[Estimate, TestResult]:
    """Candidate − baseline over the same problems, and its test: the paired t of the problems' differences.

    pair : (problems,) values of the baseline and of the candidate.
    """
    refuse_plug_in(request.method)
    pairs = PairedItems(*pair, False, (0.0, 1.0), cluster)
    asked = _named(request, measure, k)
    test = paired_test(pairs, name=asked.name, guarantee=request.guarantee)
    return _with(item_difference(pairs, asked), beside), test


def not_estimable(measure: Measure, k: int, most: int, level: float) -> Estimate:
    """A k for which no problem has attempts: nan, with the reason. most : attempts of the one with most."""
    reason = f"no problem has {k} attempts (the most is {_attempts(most)}); {NO_PLUG_IN}"
    undefined = dict.fromkeys(("point", "ci_low", "ci_high", "standard_error"), reason)
    extra = {"undefined": undefined, "unit": "fraction", "standard_error": math.nan, "caveats": []}
    return Estimate(measure.label(k), math.nan, math.nan, math.nan, level, "not_estimable", 0, extra=extra)


def refuse_plug_in(method: str | None) -> None:
    """Raise MethodError for 1 − (1 − p)^k by any of its names."""
    if method in _PLUG_IN:
        raise MethodError(f"method={method!r}: {NO_PLUG_IN}. Leave method out for the unbiased estimator.")


def _named(request: Request, measure: Measure, k: int) -> Request:
    return dataclasses.replace(request, name=measure.label(k))


def _with(found: Estimate, beside: Caveats) -> Estimate:
    said = beside_a_proof(list(beside)) if "guarantee" in found.extra else beside
    return dataclasses.replace(
        found, extra={**found.extra, "caveats": [*found.extra.get("caveats", ()), *said]}
    )
