"""Two runs side by side, item by item: by which key, which items, and a list of checks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalstats.data.items import field_named
from evalstats.data.scores import BenchmarkScores, Items
from evalstats.errors import PairingError

ID_FIELDS = ("id", "qid", "question_id", "item_id", "task_id")
_SHOWN = 40  # characters of an id in an error

Keys = list[str | None]


@dataclass(frozen=True)
class Matched:
    """Which item of one run is which of the other. baseline, candidate : (n,) positions in each Items.

    key : what identifies an item, as a person would say it. said : it was not asked for and is no
    harness's own id. clashes : ids that agree while the contents differ.
    """

    key: str
    baseline: NDArray[np.int64]
    candidate: NDArray[np.int64]
    said: bool = False
    clashes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.baseline)


@dataclass(frozen=True)
class Asking:
    """What an error may say of a match. names : of the two runs. unpaired : the verb has --unpaired."""

    names: tuple[str, str] = ("baseline", "candidate")
    unpaired: bool = True


def match(
    baseline: BenchmarkScores,
    candidate: BenchmarkScores,
    id_field: str | None,
    *,
    same_source: bool = False,
    asking: Asking | None = None,
) -> Matched:
    """Pair the items of two runs by the best key that both have (docs/design.md), in the baseline's order.

    same_source : both are columns or metrics of one table or log, where a row number is an item.
    asking : for the words of an error. Raises PairingError when the key is not unique, or when no item is in
    both runs.
    """
    asking = asking or Asking()
    if id_field is not None:
        matched = _by_asked_field(baseline, candidate, id_field, asking)
    else:
        comparable = same_source or _comparable_ids(baseline, candidate)
        matched = _by_own_keys(baseline, candidate, comparable, asking)
    if not len(matched):
        raise PairingError(_no_common_item(baseline, candidate, matched, id_field, asking))
    return matched


def _hashed(items: Items) -> bool:
    return len(items) > 0 and all(items.hashes)


def _comparable_ids(baseline: BenchmarkScores, candidate: BenchmarkScores) -> bool:
    """lm-eval's positions count within lm-eval; a table's row numbers mean nothing anywhere else."""
    old, new = baseline.header, candidate.header
    return old.format == new.format and (old.format == "lm_eval" or not (old.positional or new.positional))


def _by_own_keys(
    baseline: BenchmarkScores, candidate: BenchmarkScores, comparable_ids: bool, asking: Asking
) -> Matched:
    """By content where both have hashes, else by the harness's id, else by a field both have."""
    if _hashed(baseline.items) and _hashed(candidate.items):
        matched = _by_hash(baseline.items, candidate.items)
        if comparable_ids or len(matched):  # harnesses of different formats may hash differently
            return matched
    if not comparable_ids:
        return _by_common_field(baseline, candidate, asking)
    key = "position" if baseline.header.positional else "id"
    return _join(key, list(baseline.items.ids), list(candidate.items.ids))


def _join(key: str, baseline: Keys, candidate: Keys, said: bool = False) -> Matched:
    where = {value: at for at, value in enumerate(candidate) if value is not None}
    pairs = [(at, where[value]) for at, value in enumerate(baseline) if value is not None and value in where]
    positions = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Matched(key, positions[:, 0], positions[:, 1], said)


def _by_hash(baseline: Items, candidate: Items) -> Matched:
    matched = _join("content hash", list(baseline.hashes), list(candidate.hashes))
    there = dict(zip(candidate.ids, candidate.hashes, strict=True))
    known = set(candidate.hashes)
    clashes = tuple(
        item
        for item, content in zip(baseline.ids, baseline.hashes, strict=True)
        if content not in known and there.get(item, content) != content
    )
    return Matched(matched.key, matched.baseline, matched.candidate, clashes=clashes)


def _by_asked_field(
    baseline: BenchmarkScores, candidate: BenchmarkScores, asked: str, asking: Asking
) -> Matched:
    names = [name.strip() for name in asked.split(",")]
    if len(names) > 2 or not all(names):
        raise PairingError(
            f"--id {asked!r} names {len(names)} fields; give one, or two as BASELINE,CANDIDATE."
        )
    (one, two), (old, new) = (names[0], names[-1]), asking.names
    left = _unique(_values(baseline, one, old), one, old)
    right = _unique(_values(candidate, two, new), two, new)
    return _join(one if one == two else f"{one} = {two}", left, right)


def _values(part: BenchmarkScores, name: str, role: str) -> Keys:
    keys = _field_values(part, name)
    if keys is None:
        there = ", ".join(sorted(part.items.fields)) or "none"
        raise PairingError(
            f"--id {name}: the {role} run has no such field on {part.benchmark}. Its fields: {there}."
        )
    return keys


def _field_values(part: BenchmarkScores, name: str) -> Keys | None:
    """A field's values by item; "id" is the harness's own where that is an id and not a position."""
    field = field_named(part.items, name)
    if field is not None:
        return [field.of(at) for at in range(len(part.items))]
    return list(part.items.ids) if name == "id" and not part.header.positional else None


def _unique(keys: Keys, name: str, role: str) -> Keys:
    repeated = [value for value, times in Counter(keys).items() if times > 1 and value is not None]
    if repeated:
        raise PairingError(
            f"{name} does not identify an item: the {role} run has {len(repeated)} repeated values, "
            f"{repeated[0]!r} first. Name a field that is unique with --id FIELD."
        )
    return keys


def _by_common_field(baseline: BenchmarkScores, candidate: BenchmarkScores, asking: Asking) -> Matched:
    left = _identifying(baseline)
    right = _identifying(candidate)
    joins = {
        (one, two): _join(one if one == two else f"{one} = {two}", left[one], right[two], said=True)
        for one in left
        for two in right
    }
    same_name = [join for (one, two), join in joins.items() if len(join) and one == two]
    matching = same_name or [join for join in joins.values() if len(join)]
    if not matching:
        raise PairingError(
            f"nothing identifies the same item in both runs: {_described(baseline, asking.names[0])}; "
            f"{_described(candidate, asking.names[1])}. Name the field that does: --id FIELD"
            + (
                ", or --id BASELINE_FIELD,CANDIDATE_FIELD. If the items are different ones, --unpaired."
                if asking.unpaired
                else "."
            )
        )
    best = max(matching, key=len)
    for other in matching:
        if _disagree(best, other):
            raise PairingError(
                f"{best.key} and {other.key} pair the items differently: say which of them identifies an "
                f"item, with --id FIELD or --id BASELINE_FIELD,CANDIDATE_FIELD."
            )
    return best


def _disagree(one: Matched, other: Matched) -> bool:
    """Whether some item of the baseline is paired with two items."""
    partner = dict(zip(one.baseline.tolist(), one.candidate.tolist(), strict=True))
    pairs = zip(other.baseline.tolist(), other.candidate.tolist(), strict=True)
    return any(partner.get(old, new) != new for old, new in pairs)


def _identifying(part: BenchmarkScores) -> dict[str, Keys]:
    """The fields that could be an id by their name and are unique and complete in this run."""
    found = {}
    for name in ID_FIELDS:
        keys = _field_values(part, name)
        if keys is not None and None not in keys and len(set(keys)) == len(keys):
            found[name] = keys
    return found


def _described(part: BenchmarkScores, role: str, asked: str | None = None) -> str:
    """What identifies items here: the values of the field that was asked for, else the log's own ids."""
    keys = [key for key in _field_values(part, asked) or () if key is not None] if asked else part.items.ids
    own = "positions" if part.header.positional else "ids"
    shown = ", ".join(repr(key if len(key) <= _SHOWN else f"{key[:_SHOWN]}…") for key in keys[:3])
    fields = ", ".join(sorted(part.items.fields)) or "none"
    return f"{role} ({part.header.format}) has {asked or own} {shown}, ... and fields {fields}"


def _no_common_item(
    baseline: BenchmarkScores,
    candidate: BenchmarkScores,
    matched: Matched,
    id_field: str | None,
    asking: Asking,
) -> str:
    clash = (
        f" {len(matched.clashes)} ids are in both with different content: the items were changed."
        if matched.clashes
        else ""
    )
    asked = [name.strip() for name in id_field.split(",")] if id_field else [None]
    other = ", or compare different items with --unpaired" if asking.unpaired else ""
    return (
        f"no item of {baseline.benchmark} is in both runs (by {matched.key}): "
        f"{_described(baseline, asking.names[0], asked[0])}; "
        f"{_described(candidate, asking.names[1], asked[-1])}.{clash} "
        f"Name the field that identifies an item with --id FIELD{other}."
    )
