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
    if len(changed) == 2:
        which = f"{len(candidate.items)} items in the candidate, such as {_listed(candidate.items.ids)}"
        return [Reason("items_changed", f"{planned.name}: neither run has the frozen items ({which})")]
    said = []
    for role, run in changed.items():
        kept = baseline if role == "candidate" else candidate
        text = f"the {role} has not the frozen items: {_difference(run, kept)}"
        said.append(Reason("items_changed", f"{planned.name}: {text}"))
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
        found = [run.header.config.get(setting, "") for run in (baseline, candidate)]
        roles = [
            f"of the {role}"
            for role, value in zip(("baseline", "candidate"), found, strict=True)
            if value != frozen
        ]
        if roles:
            values = " and ".join(dict.fromkeys(value or "absent" for value in found if value != frozen))
            text = f"{setting} {' and '.join(roles)} is {values}, frozen as {frozen or 'absent'}"
            said.append(Reason("config_changed", f"{planned.name}: {text}"))
    return said
