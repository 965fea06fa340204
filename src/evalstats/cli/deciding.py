"""What `gate` and `init` do once their arguments are read: analysis, renderer, the file that is written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalstats._version import __version__
from evalstats.analyses.gate import gate
from evalstats.analyses.gate_dry_run import DryRun, dry_run
from evalstats.analyses.gate_result import Gate
from evalstats.analyses.init_plan import draft
from evalstats.cli.files import create
from evalstats.errors import InputError
from evalstats.plan_file import DEFAULT_NAME, Plan
from evalstats.report.gate_dry_text import dry_run_markdown, dry_run_text
from evalstats.report.gate_markdown import gate_markdown
from evalstats.report.gate_text import gate_text
from evalstats.report.numbers import counted, listed
from evalstats.report.terminal import wrap

_NAMED = 6


def answer(runs: list[str], **keywords: Any) -> Gate | DryRun:
    """The gate; before there is a candidate, its dry run."""
    if keywords.pop("dry_run", False):
        return _dry(runs, keywords)
    for name in ("n", "discordant_rate"):
        if name in keywords:
            option = name.replace("_", "-")
            raise InputError(f"--{option} is for --dry-run: a gate takes it from the runs, or from its plan.")
    if len(runs) > 2 or len(runs) < (1 if "plan" in keywords else 2):
        came = f"{len(runs)} run{'s' * (len(runs) != 1)}"
        raise InputError(
            f"gate came with {came}: it wants BASELINE and CANDIDATE, or with --plan the candidate alone."
        )
    return gate(*runs, **keywords)


def _dry(runs: list[str], keywords: dict[str, Any]) -> DryRun:
    for name in ("inconclusive", "fail_on"):
        if name in keywords:
            raise InputError(f"--{name.replace('_', '-')} is about an answer, and a dry run has none yet.")
    if len(runs) > 1:
        raise InputError("a dry run is before there is a candidate: name the baseline alone, or --n ITEMS.")
    return dry_run(*runs, **keywords)


def text(result: Gate | DryRun, width: int, color: bool) -> str:
    if isinstance(result, DryRun):
        return dry_run_text(result, width, color)
    return gate_text(result, width, color)


def markdown(result: Gate | DryRun) -> str:
    return dry_run_markdown(result) if isinstance(result, DryRun) else gate_markdown(result)


@dataclass(frozen=True)
class Written:
    """A plan file that was written."""

    path: str
    plan: Plan
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": "evalstats/init/1",
            "version": __version__,
            "path": self.path,
            "benchmarks": list(self.plan.names),
            "notes": list(self.notes),
        }


def written(run: str, out: str = DEFAULT_NAME, **keywords: Any) -> Written:
    """Draft a plan and write it. Raises InputError where a file lies already."""
    if Path(out).exists():
        raise InputError(f"{out} is there already and is not overwritten. Name another file with --out.")
    found = draft(run, out=out, **keywords)
    create(Path(out), found.text)
    return Written(out, found.plan, found.notes)


def written_text(result: Written, width: int, color: bool) -> str:
    names = listed(result.plan.names, _NAMED)
    said = [f"{result.path} written: {counted(len(result.plan.names), 'benchmark')} ({names})."]
    if any(benchmark.margin is None for benchmark in result.plan.benchmarks):
        said.append("Decide the margins and tiers in it before the results are in, then commit it.")
    else:
        said.append("Check its margins and tiers before the results are in, then commit it.")
    said.append(f"Then: evalstats gate CANDIDATE --plan {result.path}")
    return "".join(f"{line}\n" for sentence in said for line in wrap(sentence, width, 0, 2))
