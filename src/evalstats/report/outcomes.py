"""What became of the items of two runs, in groups: agreed, better or worse in the candidate."""

from __future__ import annotations

from dataclasses import dataclass

from evalstats.envelope import Comparison
from evalstats.report.particulars import called


@dataclass(frozen=True)
class Outcome:
    """kind : full or hollow where the runs agree, else better or worse, as the candidate is."""

    kind: str
    words: str
    count: int


def outcomes(row: Comparison) -> tuple[Outcome, ...] | None:
    """The paired items by what became of them: full, better, worse, hollow. None where nothing is paired.

    Better is the score's own: for a lower-is-better score, the items on which the candidate is lower.
    """
    pairing, (old, new) = row.pairing, called(row)
    if pairing is None:
        return None
    if pairing.baseline_only is not None and pairing.candidate_only is not None:
        both, neither = pairing.both_right or 0, pairing.both_wrong or 0
        if row.higher_is_better:
            words = ("both right", f"only {new} right", f"only {old} right", "neither right")
            counts = (both, pairing.candidate_only, pairing.baseline_only, neither)
        else:
            words = ("both at 0", f"at 1 only in {old}", f"at 1 only in {new}", "both at 1")
            counts = (neither, pairing.baseline_only, pairing.candidate_only, both)
    elif pairing.baseline_higher is not None and pairing.candidate_higher is not None:
        words = ("the same score", f"better in {new}", f"better in {old}", "")
        moved = (pairing.candidate_higher, pairing.baseline_higher)
        better, worse = moved if row.higher_is_better else moved[::-1]
        counts = (pairing.tied or 0, better, worse, 0)
    else:
        return None
    return tuple(map(Outcome, ("full", "better", "worse", "hollow"), words, counts))
