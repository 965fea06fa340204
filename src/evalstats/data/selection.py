"""Which log stands for a benchmark, which metric for a question, which benchmarks belong together."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from evalstats.data.scores import BenchmarkScores, Scores
from evalstats.errors import InputError


@dataclass(frozen=True)
class Question:
    """One benchmark and metric of one run, or of two. baseline is the run itself when there is one.

    primary : it stands for its benchmark.
    """

    benchmark: str
    metric: str
    primary: bool
    baseline: BenchmarkScores
    candidate: BenchmarkScores
    candidate_metric: str

    @property
    def renamed(self) -> bool:
        return self.baseline.benchmark != self.candidate.benchmark


def one_log_each(scores: Scores, latest: bool) -> tuple[dict[str, BenchmarkScores], tuple[str, ...]]:
    """The log that stands for each benchmark of one run, and what was passed over.

    An errored or cancelled log beside a complete one is passed over. Raises InputError for several
    complete ones, unless the newest is asked for.
    """
    by_name: dict[str, list[BenchmarkScores]] = {}
    for part in scores:
        by_name.setdefault(part.benchmark, []).append(part)
    chosen, notes = {}, []
    for name, parts in by_name.items():
        complete = [part for part in parts if not part.header.problem] or parts
        if len(complete) > 1 and not latest:
            raise InputError(_several_logs(name, complete))
        chosen[name] = max(complete, key=lambda part: part.header.created)
        for part in parts:
            if part is not chosen[name]:
                why = part.header.problem or "older"
                notes.append(f"{name}: passed over {part.header.path} ({why}).")
    return chosen, tuple(notes)


def _several_logs(name: str, parts: list[BenchmarkScores]) -> str:
    settings = [part.header.config for part in parts]
    keys = sorted({key for config in settings for key in config})
    differ = [key for key in keys if len({config.get(key, "") for config in settings}) > 1]
    kind = (
        f"under {len(parts)} configurations ({', '.join(differ[:4])} differ)" if differ else "more than once"
    )
    logs = "; ".join(
        part.header.path + (f" of {part.header.created}" * bool(part.header.created)) for part in parts
    )
    return f"{name} is in this run {kind}: {logs}. Name one of the files, or take the newest with --latest."


def metric_named(part: BenchmarkScores, metric: str | None, filter_name: str | None = None) -> str:
    """The metric's full name: lm-eval's "exact_match,strict-match" may be asked by its first half.

    Raises InputError that lists the metrics and suggests the near one.
    """
    names = [m.metric for m in part.metrics]
    if metric in names and filter_name is None:
        return str(metric)
    base = (metric or part.primary).split(",")[0]
    under = [name for name in names if name.split(",")[0] == base]
    if filter_name is not None:
        under = [name for name in under if name.partition(",")[2] == filter_name]
    if metric is not None and "," in metric:
        under = [name for name in under if name == metric]
    if not under:
        wanted = ",".join(filter(None, (base if filter_name else metric or base, filter_name)))
        spelled = {name.split(",")[0]: name for name in reversed(names)} | {name: name for name in names}
        near = difflib.get_close_matches(wanted, spelled, n=1)
        hint = f" Did you mean {spelled[near[0]]!r}?" if near else ""
        raise InputError(f"{part.benchmark} has no metric {wanted!r}.{hint} There are: {', '.join(names)}.")
    return part.primary if part.primary in under else under[-1]


def chosen_benchmarks(parts: dict[str, BenchmarkScores], scores: Scores, task: str | None) -> list[str]:
    """The names asked for by --task ("a", "a,b", or a group's name), else all.

    Raises InputError that lists the benchmarks and suggests the near one.
    """
    if task is None or task in parts:
        return list(parts) if task is None else [task]
    groups = {group.benchmark: group.members for group in scores.groups}
    names: list[str] = []
    for name in task.split(","):
        members = [m for m in groups.get(name, (name,)) if m in parts]
        if not members:
            near = difflib.get_close_matches(name, [*parts, *groups], n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise InputError(f"no benchmark {name!r} here.{hint} There are: {', '.join([*parts, *groups])}.")
        names += members
    return list(dict.fromkeys(names))


def matched_benchmarks(
    baseline: list[str], candidate: list[str], renamed: tuple[str, str] | None
) -> tuple[list[tuple[str, str]], tuple[str, ...]]:
    """Pairs of benchmark names, and notes on those in one run only.

    One on each side are compared whatever their names; several without a common name are an error.
    """
    if renamed is not None:
        return [renamed], ()
    common = [name for name in baseline if name in candidate]
    if not common and len(baseline) == len(candidate) == 1:
        return [(baseline[0], candidate[0])], ()
    if not common:
        raise InputError(
            f"the runs have no benchmark in common: the baseline has {_listed(baseline)}; "
            f"the candidate has {_listed(candidate)}. Name the pair with --task BASELINE=CANDIDATE."
        )
    notes = [
        f"only the {role} has {_listed(alone)}"
        for role, names in (("baseline", baseline), ("candidate", candidate))
        if (alone := [name for name in names if name not in common])
    ]
    return [(name, name) for name in common], tuple(notes)


def _listed(names: Iterable[str]) -> str:
    names = list(names)
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
