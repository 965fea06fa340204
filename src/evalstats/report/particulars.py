"""The facts around an answer in words: who, how many, what is missing, what changed, how far it reaches."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

from evalstats.envelope import Check, Comparison, Design, Pairing, Scale, Score, Side
from evalstats.report.labels import method_label
from evalstats.report.numbers import (
    MINUS,
    counted,
    is_fraction,
    listed,
    p_text,
    percent,
    points_word,
    rate,
    reading_for,
)
from evalstats.report.terminal import NB, clean
from evalstats.results import Estimate

R = TypeVar("R", Comparison, Score)
LABEL = 40  # cells a label may take inside a sentence
VALUE = 24

RED_FLAGS = ("identical_runs", "same_file", "scales_differ", "sign_changes_without_cluster")


def label(side: Side) -> str:
    return clean(side.label, LABEL)


def called(row: Comparison) -> tuple[str, str]:
    """The two runs inside a sentence: their labels, "the baseline" where that is all there is."""
    old, new = label(row.baseline), label(row.candidate)
    return ("the baseline" if old == "baseline" else old), ("the candidate" if new == "candidate" else new)


def name(row: Comparison | Score) -> str:
    """What a row of a table is called: its benchmark, and its slice."""
    part = f" {clean(row.slice, LABEL)}" if row.slice else ""
    return clean(row.benchmark, LABEL) + part


AVERAGES = ("macro", "micro", "weighted")


def is_average(row: Comparison | Score) -> bool:
    """A row over the other rows' benchmarks."""
    estimate = row.difference if isinstance(row, Comparison) else row.run.estimate
    return estimate.extra.get("estimand") in AVERAGES


def benchmarks(rows: Sequence[R]) -> list[R]:
    """The rows of single benchmarks."""
    return [row for row in rows if not is_average(row)]


def all_unchecked(rows: Sequence[Comparison | Score]) -> tuple[str, ...]:
    """What could not be checked on some of the rows, each once."""
    times = Counter(text for row in rows for text in unchecked(row))
    return tuple(text if n == len(rows) else f"{text}, on {n} of {len(rows)}" for text, n in times.items())


def question(benchmark: str, metric: str, part: str | None) -> str:
    """ "benchmark · metric", with the slice where there is one."""
    return " · ".join(clean(name, 60) for name in (benchmark, metric, part) if name)


def has_interval(estimate: Estimate) -> bool:
    return math.isfinite(estimate.ci_low) and math.isfinite(estimate.ci_high)


def interval_source(estimate: Estimate) -> str:
    """ "95 %, Tango", "exact" of a bootstrap without resamples, the kind of guarantee; else the reason why
    there is no interval."""
    if not has_interval(estimate):
        return clean(why_undefined(estimate))
    guarantee = estimate.extra.get("guarantee")
    proved = f", coverage {guarantee}" if guarantee else ""
    exact = ", exact" if estimate.exact_law else ""
    return f"{percent(estimate.level)}, {method_label(estimate.method)}{exact}{proved}"


def why_undefined(estimate: Estimate) -> str:
    reasons = estimate.extra.get("undefined", {})
    said = [reasons[name] for name in ("ci_low", "ci_high", "point") if reasons.get(name)]
    return str(said[0]) if said else "the data do not determine it"


def care_lines(row: Comparison) -> list[str]:
    """What to know before relying on the numbers: missing scores, changed settings, the join, caveats."""
    said = [
        *missing_lines(row),
        changed_line(row),
        *join_lines(row.pairing),
        *caveat_lines(row.caveats),
    ]
    return [line for line in said if line]


def reach_lines(row: Comparison) -> list[str]:
    """How far the answer reaches, and what was not checked."""
    said = [
        reach_line(row.difference, unchecked(row)),
        *cluster_lines(row.design),
        scale_line(row.scale),
    ]
    return [line for line in said if line]


def scale_line(scale: Scale) -> str | None:
    """The ends of a scale that is not from 0 to 1."""
    if scale.low is None or scale.high is None or is_fraction(scale):
        return None
    return f"Scale from {scale.low:g} to {scale.high:g}.".replace("-", MINUS)


def side_score(row: Comparison, side: Side) -> tuple[str, str, str]:
    """One run's "75.0 %", "375/500" and "(alone: 71.0 to 78.6)"; the last two may be empty."""
    estimate = side.estimate
    if not math.isfinite(estimate.point):
        return "not known", "", ""
    shown = reading_for(estimate, row.scale)
    alone = (
        f"(alone: {shown.plain(estimate.ci_low)} to {shown.plain(estimate.ci_high)})"
        if has_interval(estimate)
        else "(alone: no interval)"
    )
    return rate(shown, estimate.point), right_of(estimate, row), alone


def right_of(estimate: Estimate, row: Comparison) -> str:
    """ "375/500" for pass/fail items with one completion each."""
    if row.scale.kind != "pass_fail" or row.design.completions != 1:
        return ""
    return f"{round(estimate.point * estimate.n)}/{estimate.n}"


def flag_lines(row: Comparison) -> list[str]:
    """Red flags, before anything is read into the numbers."""
    return red_flags(row.caveats)


def red_flags(caveats: tuple[dict[str, str], ...]) -> list[str]:
    return [f"Red flag: {_sentence(c['text'])}" for c in caveats if c["code"] in RED_FLAGS]


def caveat_lines(caveats: tuple[dict[str, str], ...]) -> list[str]:
    """Each caveat but the red flags and what the lines of missing scores say already."""
    apart = (*RED_FLAGS, "missing_items", "missing_could_reverse")
    return [_sentence(c["text"]) for c in caveats if c["code"] not in apart]


def _sentence(text: str) -> str:
    said = clean(text).rstrip(".")
    return f"{said[:1].upper()}{said[1:]}{'' if said.endswith(('?', '!')) else '.'}"


def changed_line(row: Comparison) -> str | None:
    """The settings that differ, so that a prompt or template change is seen for what it is."""
    changes = row.pairing.changed_config if row.pairing else ()
    if not changes:
        return None
    said = [f"{clean(c.setting, LABEL)} {_value(c.baseline)} → {_value(c.candidate)}" for c in changes]
    return f"Changed between the runs: {listed(said)}."


def _value(setting: str) -> str:
    return clean(setting, VALUE) or "none"


def join_lines(pairing: Pairing | None) -> list[str]:
    """What the join report has to say beyond what is printed anyway: items left out, other prompts."""
    if pairing is None:
        return []
    left_out = [
        c for c in pairing.checks if c.name in ("items", "prompts") and c.status != "ok" and not _not_run(c)
    ]
    return [_sentence(c.text) for c in left_out]


def unchecked(row: Comparison | Score) -> tuple[str, ...]:
    """The checks these logs did not allow, those of the join report included."""
    checks = row.pairing.checks if isinstance(row, Comparison) and row.pairing else ()
    content = [
        f"whether the content of the items is the same ({c.text.removeprefix(_NOT_RUN)})"
        for c in checks
        if c.name == "content" and _not_run(c)
    ]
    return (*row.not_checked, *content)


_NOT_RUN = "not checked: "


def _not_run(check: Check) -> bool:
    return check.text.startswith(_NOT_RUN)


def missing_lines(row: Comparison) -> list[str]:
    """Items without a score, counted, and what filling them at worst and at best would do."""
    unscored = [side.n_missing + side.n_errored for side in (row.baseline, row.candidate)]
    if not any(unscored):
        return []
    old, new = called(row)
    said = f"{_unscored(row.candidate, new)}; {_unscored(row.baseline, old)}"
    lines = [f"Without a score: {said}."]
    if row.missing is None:
        return lines
    worst, best = (difference_of(estimate, row) for estimate in (row.missing.worst, row.missing.best))
    lines.append(
        f"With these filled in against the candidate {worst}; for it {best}: {_filled_verdict(row)}."
    )
    if math.isfinite(row.missing.rates_pvalue):
        lines.append(
            f"That both runs leave items unscored equally often: {p_text(row.missing.rates_pvalue)}."
        )
    return lines


def difference_of(estimate: Estimate, row: Comparison) -> str:
    """ "+1.2 points (−2.4 to +4.8)"."""
    shown = reading_for(estimate, row.scale)
    text = shown.signed(estimate.point)
    limits = f" ({shown.signed(estimate.ci_low)} to {shown.signed(estimate.ci_high)})" * has_interval(
        estimate
    )
    return f"{text}{points_word(shown, text)}{limits}"


def _filled_verdict(row: Comparison) -> str:
    assert row.missing is not None
    worst, best = verdict_words(row.missing.worst_verdict), verdict_words(row.missing.best_verdict)
    return f"{worst} either way" if worst == best else f"{worst}, or {best}"


def verdict_words(verdict: str) -> str:
    """A verdict's code as people say it."""
    said = {
        "regressed_within_margin": "regressed, by less than the margin",
        "worse_than_margin": "worse by more than the margin",
    }
    return said.get(verdict, verdict.replace("_", " "))


def _unscored(side: Side, name: str) -> str:
    n = side.n_missing + side.n_errored
    errored = f" ({side.n_errored:,} errored)" if side.n_errored else ""
    return f"{n:,} of {counted(side.n_total, 'item')} in {name}{errored}"


def reach_line(estimate: Estimate, not_checked: tuple[str, ...]) -> str:
    """Which questions the interval speaks about, how they are averaged, and what could not be checked."""
    view = "these questions" if estimate.extra.get("view") == "fixed_items" else "questions like these"
    estimand = estimate.extra.get("estimand", "item_mean")
    averaged = "" if estimand == "item_mean" else f" ({clean(str(estimand)).replace('_', ' ')})"
    return f"Reach: {view}{averaged}.{unchecked_words(not_checked)}"


def unchecked_words(not_checked: tuple[str, ...]) -> str:
    """ " Not checked: clusters (none declared).", or nothing."""
    return f" Not checked: {'; '.join(clean(text) for text in not_checked)}." if not_checked else ""


def cluster_lines(design: Design, most: int = 3) -> list[str]:
    """What each field that may group the items would do to the error bar."""
    said = [
        f"By {clean(c.field, LABEL)}, {counted(c.n_clusters, 'group')} of {c.mean_size:.3g}, the error bar "
        f"would be {c.ratio:.2g} times as wide: --cluster{NB}{clean(c.field, LABEL)}"
        for c in design.cluster_candidates
        if math.isfinite(c.ratio)
    ]
    rest = [f"And {counted(len(said) - most, 'more such field')}: see --json."] if len(said) > most else []
    return said[:most] + rest


def also_line(metrics: Sequence[str]) -> str | None:
    """The other metrics of the same logs."""
    names = list(dict.fromkeys(clean(metric, LABEL) for metric in metrics))
    return f"Also in these logs: {listed(names, 6)} (--metric)." if names else None
