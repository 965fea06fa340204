"""The text of `show`: what was understood, what it allows, what is blocked."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from evalstats.analyses.harness_check import HarnessCheck
from evalstats.analyses.show import BenchmarkContents, Contents, FieldContents, MetricContents


def contents_text(contents: Contents, width: int = 80) -> str:
    """One block a benchmark, at most `width` columns."""
    lines = [contents.source, ""]
    if len(contents.runs) > 1:
        lines += [f"{len(contents.runs)} runs; name one as {contents.source}::RUN", ""]
    for part in contents.benchmarks:
        lines += _wrapped(_benchmark(part), width)
    for group in contents.groups:
        members = ", ".join(group.members)
        lines += _wrapped([f"{group.group} · group score of {members} (not counted again)"], width)
        lines += _wrapped((f"  {_check(check, named=True)}" for check in group.harness), width)
        lines.append("")
    lines += _wrapped((f"Note: {note}" for note in contents.notes), width)
    return "\n".join(lines).rstrip() + "\n"


def _wrapped(lines: Iterator[str] | list[str], width: int) -> list[str]:
    wrapped: list[str] = []
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        wrapped += textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False) or [""]
    return wrapped


def _benchmark(part: BenchmarkContents) -> Iterator[str]:
    date = f" · {part.created[:10]}" if part.created else ""
    yield f"{part.benchmark} · {part.run} · {part.format}{date}"
    if part.problem:
        yield f"  Not complete: {part.problem}"
    yield f"  {part.n_items} items{_units(part)}"
    for metric in part.metrics:
        yield from _metric(metric)
    if part.declared_cluster:
        yield f"  clusters: {part.declared_cluster} (declared by the harness)"
    if part.clusters:
        yield f"  possible clusters (--cluster): {_fields(part.clusters, 'groups')}"
    if part.slices:
        yield f"  possible slices: {_fields(part.slices, 'values')}"
    for said in part.possible:
        yield f"  can    {said}"
    for blocked in part.blocked:
        yield f"  cannot {blocked.what}; it needs {blocked.unblock}"
    yield ""


def _units(part: BenchmarkContents) -> str:
    most = max((metric.completions[1] for metric in part.metrics), default=1)
    return f", up to {most} completions each" if most > 1 else ""


def _metric(metric: MetricContents) -> Iterator[str]:
    mark = " (primary)" if metric.primary else ""
    counts = f"{metric.n_scored} scored"
    counts += f", {metric.n_errored} errored" if metric.n_errored else ""
    counts += f", {metric.n_missing} missing" if metric.n_missing else ""
    mean = "no score" if metric.n_scored == 0 else f"mean {metric.mean:.6g}"
    yield f"  {metric.metric}{mark} · {metric.scale.kind.replace('_', '/')} · {counts} · {mean}"
    for check in metric.harness:
        yield f"    {_check(check, named=False)}"


def _check(check: HarnessCheck, *, named: bool) -> str:
    kind = check.kind.replace("_", " ")
    by = f" by {check.cluster}" if check.cluster else ""
    name = f"{check.metric} " if named else ""
    if check.agrees:
        average = f", the {check.average} average" if check.average else ""
        return f"{name}{kind}{by} {check.harness:.6g}{average}: the harness's and ours agree"
    if check.ours != check.ours:
        return f"{name}{kind}{by} {check.harness:.6g} (harness); ours cannot be computed from this log"
    return f"{name}{kind}{by}: harness {check.harness:.9g}, ours {check.ours:.9g}: THEY DIFFER"


def _fields(fields: tuple[FieldContents, ...], noun: str) -> str:
    return ", ".join(f"{field.field} ({field.n_values} {noun})" for field in fields)
