"""Results of every kind that score and compare give, by name: what tests of all results walk over."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import evalstats as es
from evalstats.answers import Comparisons, Scorecard
from evalstats.data.scores import Scores
from tests.made_runs import LOGS, counted, log, records, row, run_of

PASSAGES = 15


def _scored(kind: str, seed: int, epochs: int = 1, lost: int = 0) -> Scores:
    """60 items in 15 passages, with completions, and `lost` of them without a score."""
    draw = random.Random(seed)
    give: Callable[[], float] = {
        "pass/fail": lambda: float(draw.random() < 0.7),
        "partial": lambda: draw.choice([0.0, 0.5, 1.0]),
        "judge": lambda: float(draw.randint(1, 10)),
        "latency": lambda: round(draw.expovariate(1 / 30), 2),
    }[kind]
    rows = []
    for item in range(60):
        for epoch in range(1, epochs + 1):
            score = None if item < lost and epoch == 1 else give()
            status = "error" if item % 2 and score is None else "missing" if score is None else "scored"
            rows.append(
                row(f"q{item}", score, epoch=epoch, status=status, fields={"passage": item % PASSAGES})
            )
    return log(rows, cluster=None)


def _pair(kind: str, **asked: Any) -> tuple[Scores, Scores]:
    return _scored(kind, 1, **asked), _scored(kind, 2, **asked)


def _benchmarks() -> tuple[Any, Any]:
    return LOGS / "lm_eval" / "model-a", LOGS / "lm_eval" / "model-b"


KINDS = ("pass/fail", "partial", "judge", "latency")


def comparisons() -> dict[str, Callable[[], Comparisons]]:
    """Name -> a comparison of its kind."""
    made: dict[str, Callable[[], Comparisons]] = {
        "counts": lambda: es.compare("360/500", "375/500", discordant=(40, 55), margin=0.01),
        "unpaired counts": lambda: es.compare("3/50", "9/50", effect=0.1),
        "no change": lambda: es.compare("5/5", "5/5", discordant=(0, 0)),
        "guarantee": lambda: es.compare("360/500", "375/500", discordant=(40, 55), guarantee=True),
        "unpaired guarantee": lambda: es.compare("36/50", "37/50", guarantee=True),
        "a family": lambda: es.compare(*_benchmarks(), margin="2"),
        "BH": lambda: es.compare(*_benchmarks(), correction="benjamini_hochberg"),
        "Inspect": lambda: es.compare(LOGS / "inspect_eval" / "model-a", LOGS / "inspect_eval" / "model-b"),
        "one item": lambda: es.compare(run_of({"a": 1}), run_of({"a": 0})),
        "one score": lambda: es.compare(run_of({"a": 1.5}), run_of({"a": 0.25})),
        "equal differences": lambda: es.compare(run_of({"a": 1.5, "b": 2.5}), run_of({"a": 2.5, "b": 3.5})),
        "identical": lambda: es.compare(_scored("judge", 1), _scored("judge", 1)),
        "two harnesses": lambda: es.compare(
            records(counted(9, 1, 2, 3)[0]), run_of(counted(9, 1, 2, 3)[1], path="x.eval")
        ),
    }
    for kind in KINDS:
        bounds = (1, 10) if kind == "judge" else None
        for name, options in {
            "": {},
            " in clusters": {"cluster": "passage"},
            " unpaired": {"paired": False},
            " unpaired in clusters": {"paired": False, "cluster": "passage"},
            " lower": {"lower_is_better": True, "margin": 0.5},
            " resampled": {"method": "bootstrap_percentile", "n_boot": 200},
        }.items():
            asked = {**options, "bounds": bounds}
            made[f"{kind}{name}"] = lambda k=kind, o=asked: es.compare(*_pair(k), **o)
        made[f"{kind} with completions"] = lambda k=kind, b=bounds: es.compare(*_pair(k, epochs=3), bounds=b)
        made[f"{kind} decoding noise"] = lambda k=kind, b=bounds: es.compare(
            *_pair(k, epochs=3), bounds=b, view="fixed_items"
        )
        made[f"{kind} with losses"] = lambda k=kind, b=bounds: es.compare(*_pair(k, lost=7), bounds=b)
    return made


def scorecards() -> dict[str, Callable[[], Scorecard]]:
    """Name -> a score of its kind."""
    made: dict[str, Callable[[], Scorecard]] = {
        "a count": lambda: es.score("360/500"),
        "nothing seen": lambda: es.score("0/100"),
        "all seen": lambda: es.score("30/30"),
        "one of one": lambda: es.score("1/1"),
        "a sign-off": lambda: es.score("3/2000", guarantee=True),
        "lm-eval": lambda: es.score(_benchmarks()[0]),
        "Inspect": lambda: es.score(LOGS / "inspect_eval" / "model-a"),
        "one item": lambda: es.score(run_of({"a": 0.4})),
        "equal scores": lambda: es.score(run_of({"a": 3.5, "b": 3.5})),
        "equal bounded scores": lambda: es.score(run_of({"a": 0.5, "b": 0.5})),
    }
    for method in ("wald", "wilson_cc", "jeffreys", "mid_p", "agresti_coull"):
        made[method] = lambda m=method: es.score("7/30", method=m)
    for kind in KINDS:
        bounds = (1, 10) if kind == "judge" else None
        for name, options in {
            "": {},
            " in clusters": {"cluster": "passage"},
            " resampled": {"method": "bootstrap_bca", "n_boot": 200},
            " resampled in clusters": {
                "cluster": "passage", "method": "cluster_bootstrap_percentile", "n_boot": 200,
            },
        }.items():  # fmt: skip
            asked = {**options, "bounds": bounds}
            made[f"{kind}{name}"] = lambda k=kind, o=asked: es.score(_scored(k, 1), **o)
        made[f"{kind} with completions"] = lambda k=kind, b=bounds: es.score(
            _scored(k, 1, epochs=3), bounds=b
        )
        made[f"{kind} decoding noise"] = lambda k=kind, b=bounds: es.score(
            _scored(k, 1, epochs=3), bounds=b, view="fixed_items"
        )
        made[f"{kind} with losses"] = lambda k=kind, b=bounds: es.score(_scored(k, 1, lost=7), bounds=b)
        if kind != "latency":
            made[f"{kind} losses as wrong"] = lambda k=kind, b=bounds: es.score(
                _scored(k, 1, lost=7), bounds=b, missing="wrong"
            )
    return made
