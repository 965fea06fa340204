"""Whom evalstats is timed beside: how each is asked, and what it is called. Imported when first asked."""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.metadata
import io
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench import elsewhere
from bench.loops import N_BOOT

Limits = tuple[float, float]
LOOP = "the loop"
OTHER = "the other evalstats"


@dataclass(frozen=True)
class Peer:
    """distribution : its name in an index, "" for what is written here."""

    distribution: str
    what: str


PEERS = {
    LOOP: Peer("", "one resample after the other in Python, as the book chapter teaches it, written anew"),
    "numpy": Peer("numpy", "what a person would write with arrays"),
    "scipy": Peer("scipy", "`stats.bootstrap` as it comes, all resamples at once; `stats.permutation_test`"),
    "scipy in batches": Peer("scipy", "`stats.bootstrap(batch=100)`, which fits the caches"),
    "scipy, scikit-learn": Peer("scikit-learn", "`stats.bootstrap` of `cohen_kappa_score`"),
    "statsmodels": Peer("statsmodels", "`proportion_confint`, `mcnemar`, `cohens_kappa`"),
    "arch": Peer("arch", "`IIDBootstrap.conf_int`"),
    "rliable": Peer("rliable", "`get_interval_estimates` of the interquartile mean"),
    "evalaudit": Peer("evalaudit", "`score_ci`, `compare_paired`"),
    "truescore": Peer("truescore", "`paired_bootstrap`, `judge_agreement`"),
    "inspect-ai": Peer("inspect-ai", "its metrics `stderr`, `bootstrap_stderr`, `ci`"),
    "lm-eval": Peer("lm-eval", "`mean_stderr`, `bootstrap_stderr` in one process"),
    OTHER: Peer("evalstats", "`bootstrap_ci_1d`, in a process of its own"),
    "evalica": Peer("evalica", "`alpha`; its fits of an arena's votes have nothing to stand beside yet"),
}


def version(name: str) -> str | None:
    """The installed version of a peer, "" for what is written here, None where it is not installed."""
    distribution = PEERS[name].distribution
    if not distribution:
        return ""
    if name == OTHER:
        return _version_elsewhere()
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _version_elsewhere() -> str | None:
    found = sorted(elsewhere.PYTHON.parents[1].glob("lib/python*/site-packages/evalstats-*.dist-info"))
    return found[0].name.removesuffix(".dist-info").partition("-")[2] if found else None


def _module(name: str) -> Any:
    return importlib.import_module(name)


def scipy_limits(scores: Any, statistic: Callable[..., Any] = np.mean, **options: Any) -> Limits:
    asked = {"n_resamples": N_BOOT, "rng": 0, "method": "percentile", **options}
    data = scores if isinstance(scores, tuple) else (scores,)
    found = _module("scipy.stats").bootstrap(data, statistic, **asked).confidence_interval
    return float(found.low), float(found.high)


def batched_limits(scores: Any, statistic: Callable[..., Any] = np.mean, **options: Any) -> Limits:
    return scipy_limits(scores, statistic, batch=100, **options)


def arch_limits(scores: Any, statistic: Callable[..., Any] = np.mean, method: str = "percentile") -> Limits:
    drawn = _module("arch.bootstrap").IIDBootstrap(scores, seed=np.random.default_rng(0))
    found = drawn.conf_int(statistic, reps=N_BOOT, method=method)
    return float(found[0, 0]), float(found[1, 0])


def evalaudit_limits(scores: Any) -> Limits:
    found = _module("evalaudit").score_ci(scores, method="bootstrap", n_boot=N_BOOT, seed=0)
    return found.ci_low, found.ci_high


def truescore_paired_limits(a: Any, b: Any) -> Limits:
    found = _module("truescore").paired_bootstrap(a, b, n_bootstrap=N_BOOT)
    return found.low, found.high


def other_limits(scores: Any, method: str = "bootstrap", statistic: str = "mean") -> Limits:
    low, high = elsewhere.ask(scores, method=method, statistic=statistic, n_boot=N_BOOT)
    return low, high


def inspect_scores(scores: Any, groups: Any = None) -> list[Any]:
    """What Inspect's metrics are given: a list of its samples' scores."""
    scorer = _module("inspect_ai.scorer")
    labels = [0] * len(scores) if groups is None else groups.tolist()
    return [
        scorer.SampleScore(score=scorer.Score(value=value), sample_metadata={"group": label})
        for value, label in zip(scores.tolist(), labels, strict=True)
    ]


def inspect_metric(name: str, **options: Any) -> Callable[[list[Any]], Any]:
    return _inspect_metric(name, tuple(options.items()))


@functools.cache
def _inspect_metric(name: str, options: tuple[tuple[str, Any], ...]) -> Callable[[list[Any]], Any]:
    metric: Callable[[list[Any]], Any] = getattr(_module("inspect_ai.scorer"), name)(**dict(options))
    return metric


def inspect_limits(samples: list[Any]) -> Limits:
    np.random.seed(0)
    found = inspect_metric("ci", method="bootstrap", num_samples=N_BOOT)(samples)
    return found["lower"], found["upper"]


def inspect_bootstrap(samples: list[Any], n_boot: int) -> float:
    np.random.seed(0)
    return float(inspect_metric("bootstrap_stderr", num_samples=n_boot)(samples))


def lm_eval_stderr(scores: list[float]) -> float:
    return float(_module("lm_eval.api.metrics").mean_stderr(scores))


def lm_eval_bootstrap(scores: list[float], n_boot: int) -> float:
    """Its standard error of a median by resampling, in this process so that its CPU time is seen."""
    os.environ["DISABLE_MULTIPROC"] = "1"
    metrics = _module("lm_eval.api.metrics")
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return float(metrics.bootstrap_stderr(metrics.median, scores, n_boot))


def wilson(successes: int, n: int) -> Limits:
    low, high = _module("statsmodels.stats.proportion").proportion_confint(successes, n, method="wilson")
    return float(low), float(high)


def exact_mcnemar(b: int, c: int) -> float:
    table = np.array([[0, b], [c, 0]])
    return float(_module("statsmodels.stats.contingency_tables").mcnemar(table, exact=True).pvalue)


def evalaudit_paired(x: Any, y: Any) -> Any:
    return _module("evalaudit").compare_paired(x, y, method="mcnemar")


def scipy_kappa_limits(judge: Any, human: Any, n_boot: int) -> Limits:
    kappa = _module("sklearn.metrics").cohen_kappa_score
    return scipy_limits((judge, human), kappa, paired=True, vectorized=False, n_resamples=n_boot)


def truescore_kappa_limits(judge: Any, human: Any) -> Limits:
    found = _module("truescore").judge_agreement(judge, human, n_bootstrap=N_BOOT).cohen_kappa
    return found.low, found.high


def rliable_iqm_limits(scores: Any, n_boot: int) -> Limits:
    """scores : (runs, tasks)."""
    np.random.seed(0)
    metrics = _module("rliable.metrics")
    _, intervals = _module("rliable.library").get_interval_estimates(
        {"run": scores}, lambda table: np.array([metrics.aggregate_iqm(table)]), reps=n_boot
    )
    low, high = intervals["run"][:, 0]
    return float(low), float(high)


def statsmodels_kappa(rows: Any) -> tuple[float, float, float]:
    """Cohen's, with its limits at 95 %. rows : (n, 2) codes of two judges."""
    raters = _module("statsmodels.stats.inter_rater")
    table, _ = raters.to_table(rows)
    found = raters.cohens_kappa(table)
    return float(found.kappa), float(found.kappa_low), float(found.kappa_upp)


def evalica_alpha(ratings: Any) -> float:
    """Krippendorff's, nominal. ratings : (raters, items), nan where a label is missing."""
    return float(_module("evalica").alpha(_module("pandas").DataFrame(ratings)).alpha)
