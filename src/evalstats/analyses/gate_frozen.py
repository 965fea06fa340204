"""Is a run what the plan froze: the same items, the same settings?"""

from __future__ import annotations

from collections.abc import Sequence

from evalstats.analyses.gate_result import Reason
from evalstats.data.scores import BenchmarkScores
from evalstats.plan_file import PlannedBenchmark, items_digest

_NAMED = 5  # ids that a reason names before it counts the rest


def frozen_reasons(
    planned: PlannedBenchmark, baseline: BenchmarkScores, candidate: BenchmarkScores
) -> tuple[Reason, ...]:
    """What is not as the plan has it, in either run; the items by their ids where one run still has them."""
    return (*_items(planned, baseline, candidate), *_config(planned, baseline, candidate))


def _items(planned: PlannedBenchmark, baseline: BenchmarkScores, candidate: BenchmarkScores) -> list[Reason]:
    if planned.items_sha256 is None:
        return []
    runs = {"baseline": baseline, "candidate": candidate}
    changed = {role: run for role, run in runs.items() if items_digest(run.items) != planned.items_sha256}
    said = []
    for role, run in changed.items():
        kept = next((other for name, other in runs.items() if name not in changed), None)
        which = (
            f"{len(run.items)} items with another content or other ids ({_listed(run.items.ids)})"
            if kept is None
            else _difference(run, kept)
        )
        said.append(Reason("items_changed", f"{planned.name}: the {role} has not the frozen items: {which}"))
    return said


def _difference(run: BenchmarkScores, kept: BenchmarkScores) -> str:
    """Which items a run lacks and has beyond those of the run that is as frozen."""
    lacking, added = _beyond(kept, run), _beyond(run, kept)
    said = [
        f"{len(ids)} {word} ({_listed(ids)})" for word, ids in (("missing", lacking), ("new", added)) if ids
    ]
    return " and ".join(said)


def _beyond(run: BenchmarkScores, other: BenchmarkScores) -> list[str]:
    """The ids of a run's items that the other does not have, by content where both have hashes."""
    hashed = all(run.items.hashes) and all(other.items.hashes)
    keys = run.items.hashes if hashed else run.items.ids
    there = set(other.items.hashes if hashed else other.items.ids)
    return [item for item, key in zip(run.items.ids, keys, strict=True) if key not in there]


def _listed(ids: Sequence[str]) -> str:
    more = f", and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return ", ".join(ids[:_NAMED]) + more


def _config(planned: PlannedBenchmark, baseline: BenchmarkScores, candidate: BenchmarkScores) -> list[Reason]:
    said = []
    for setting, frozen in planned.config.items():
        for role, run in (("baseline", baseline), ("candidate", candidate)):
            found = run.header.config.get(setting, "")
            if found != frozen:
                text = f"{setting} of the {role} is {found or 'absent'}, frozen as {frozen or 'absent'}"
                said.append(Reason("config_changed", f"{planned.name}: {text}"))
    return said
