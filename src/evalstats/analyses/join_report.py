"""The join report: how two runs were put side by side, as a list of checks and as cautions."""

from __future__ import annotations

from dataclasses import dataclass

from evalstats.analyses.missing import Missed, rates_differ
from evalstats.caveats import caveat
from evalstats.data.pairing import Matched
from evalstats.data.scores import BenchmarkScores
from evalstats.envelope import Check
from evalstats.methods.pairs import PairedItems


@dataclass(frozen=True)
class JoinFacts:
    """What joining found. sizes : items of each run. missed : of the matched items.
    prompts : paired items asked with another prompt, None if unknown.
    """

    matched: Matched
    n_used: int
    sizes: tuple[int, int]
    missed: Missed
    same_file: bool
    identical: bool
    prompts: int | None
    renamed: bool


def counted_pairs(pairs: PairedItems, *, single: bool) -> dict[str, int]:
    """The paired 2×2 table for pass/fail with one completion an item; who is higher otherwise."""
    lower, higher = pairs.n_lower_and_higher
    if not single:
        return {"baseline_higher": lower, "candidate_higher": higher, "tied": pairs.n - lower - higher}
    both_right = pairs.n_both_right
    return {
        "baseline_only": lower,
        "candidate_only": higher,
        "both_right": both_right,
        "both_wrong": pairs.n - lower - higher - both_right,
    }


def checks_of_join(facts: JoinFacts, parts: tuple[BenchmarkScores, BenchmarkScores]) -> tuple[Check, ...]:
    """One line a check: the key, the items, what was not scored, the content, the prompts."""
    matched = facts.matched
    alone = [size - len(matched) for size in facts.sizes]
    unscored = [int(mask.sum()) for mask in (facts.missed.baseline, facts.missed.candidate)]
    return (
        Check("key", "note" if matched.said else "ok", f"items paired by {matched.key}"),
        Check(
            "items",
            "note" if any(alone) else "ok",
            f"{len(matched)} in both, {alone[0]} only in the baseline, {alone[1]} only in the candidate",
        ),
        Check(
            "scored",
            "note" if any(unscored) else "ok",
            f"{facts.n_used} scored in both; not scored: {unscored[0]} in the baseline, "
            f"{unscored[1]} in the candidate",
        ),
        _content(matched, parts),
        _prompts(facts),
    )


def _content(matched: Matched, parts: tuple[BenchmarkScores, BenchmarkScores]) -> Check:
    if matched.clashes:
        shown = ", ".join(matched.clashes[:3])
        text = f"{len(matched.clashes)} ids are in both runs with different content: {shown}"
        return Check("content", "problem", text)
    if all(all(part.items.hashes) for part in parts):
        return Check("content", "ok", "the content of every paired item is the same")
    return Check("content", "note", "not checked: content hashes are not in both logs")


def _prompts(facts: JoinFacts) -> Check:
    if facts.prompts is None:
        return Check("prompts", "note", "not checked: prompt hashes are not in both logs")
    if facts.prompts:
        return Check("prompts", "note", f"{facts.prompts} of {len(facts.matched)} items had another prompt")
    return Check("prompts", "ok", "every paired item had the same prompt")


def cautions_of_join(
    parts: tuple[BenchmarkScores, BenchmarkScores], labels: tuple[str, str], facts: JoinFacts
) -> list[dict[str, str]]:
    """The red flags and cautions that two runs side by side raise."""
    matched, said = facts.matched, []
    if facts.same_file:
        said.append(caveat("same_file", "both runs are the same file"))
    elif facts.identical:
        said.append(caveat("identical_runs", "the two runs have the same score on every item"))
    if matched.clashes:
        text = f"{len(matched.clashes)} ids are in both runs with different content and were not paired"
        said.append(caveat("ids_agree_hashes_differ", text))
    if matched.said:
        text = f"nothing says which field identifies an item in both runs: paired by {matched.key}"
        said.append(caveat("paired_by_field", text))
    if facts.renamed:
        text = f"the benchmarks are called {parts[0].benchmark} and {parts[1].benchmark}"
        said.append(caveat("different_benchmark_names", text))
    for label, size in zip(labels, facts.sizes, strict=True):
        if 2 * (size - len(matched)) >= size:
            text = f"{size - len(matched)} of the {size} items of {label} are in that run only"
            said.append(caveat("partly_overlapping", text))
    return said + rates_differ(facts.missed)
