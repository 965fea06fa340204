"""By what a benchmark is cut: fields as a person names them, alone or crossed, and each item's value."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evalstats.data.items import field_key
from evalstats.data.pairing import Matched
from evalstats.data.scores import BenchmarkScores
from evalstats.data.slicing import CROSS, Values, crossed, in_order, own_values, shared_values
from evalstats.data.splitting import Split, split_values
from evalstats.errors import InputError

_ALMOST_ALL, _FEW_ITEMS = 0.9, 50  # a share of the items; of fewer the rows can still be read
_CROSSED = re.compile("[×+]")


@dataclass(frozen=True)
class Cut:
    """One way to cut a benchmark: by a field, by several fields at once, or at a value of a field."""

    fields: tuple[str, ...]
    split: Split | None = None

    @property
    def name(self) -> str:
        return CROSS.join(self.fields)


def names_in(by: str | Sequence[str]) -> frozenset[str]:
    """Every name that may be meant, for the readers to keep."""
    entries = _entries(by)
    whole = {by} if isinstance(by, str) else set()
    return frozenset(whole | {name for entry in entries for name in (entry, *_crossed_names(entry))})


def cuts_by(by: str | Sequence[str], parts: Iterable[BenchmarkScores]) -> tuple[Cut, ...]:
    """The cuts asked for, each once. "a,b" : by a, and by b; "a+b" or "a×b" : by both at once.

    A field whose own name has a comma or a plus in it is taken whole. Raises InputError for a field that no
    benchmark has, naming the near one and those there are.
    """
    parts = list(parts)
    whole = _key(by.strip(), parts) if isinstance(by, str) else None
    if whole is not None:
        return (Cut((whole,)),)
    return tuple(dict.fromkeys(_cut(entry, parts) for entry in _entries(by)))


def cut_at(split: Split, parts: Iterable[BenchmarkScores]) -> Cut:
    """The cut at a value of a field. Raises InputError for a field nobody has, or a side without items."""
    parts = list(parts)
    key = _key(split.field, parts)
    if key is None:
        raise _unknown(split.field, parts)
    _check_both_sides(parts, key, split)
    return Cut((key,), split)


def check_shared(cut: Cut, parts: Iterable[BenchmarkScores]) -> None:
    """Raises InputError for a field whose value is another on almost every item: it makes no slices."""
    columns = [values_of_run(part, cut) for part in parts] if cut.split is None else []
    known = [[value for value in own if value is not None] for own in columns if own is not None]
    counts = [(len(set(values)), len(values)) for values in known]
    if counts and all(n > _FEW_ITEMS and distinct > _ALMOST_ALL * n for distinct, n in counts):
        distinct, n = counts[0]
        raise InputError(
            f"{cut.name} has {distinct:,} values on {n:,} items: slices are of items that share one. Choose "
            "another field."
        )


def _check_both_sides(parts: list[BenchmarkScores], key: str, split: Split) -> None:
    own = ((own_values(part, key) or [], part) for part in parts)
    sides = {
        value: side
        for values, part in own
        for value, side in zip(
            values, split_values(values, split, part.items.ids[: len(values)]), strict=True
        )
        if value is not None
    }
    for side, named in ((split.before, split.before), (split.after, f"{split.after} on")):
        if side not in sides.values():
            known = in_order(sides)
            there = f"{known[0]} to {known[-1]}" if len(known) > 1 else f"all {known[0]}"
            raise InputError(
                f"no item is {named} ({key}: {there}). Choose a cut-off with items on both sides."
            )


def _entries(by: str | Sequence[str]) -> list[str]:
    entries = by.split(",") if isinstance(by, str) else list(by)
    if not entries or not all(isinstance(entry, str) and entry.strip() for entry in entries):
        raise InputError(f"by={by!r} names no field; give one, such as topic, or several as topic,language.")
    return [entry.strip() for entry in entries]


def _crossed_names(entry: str) -> list[str]:
    return [name.strip() for name in _CROSSED.split(entry)]


def _cut(entry: str, parts: list[BenchmarkScores]) -> Cut:
    whole = _key(entry, parts)
    names = [entry] if whole is not None or not all(_crossed_names(entry)) else _crossed_names(entry)
    keys = [_key(name, parts) for name in names]
    for name, key in zip(names, keys, strict=True):
        if key is None:
            raise _unknown(name, parts)
    return Cut(tuple(dict.fromkeys(key for key in keys if key is not None)))


def _key(name: str, parts: list[BenchmarkScores]) -> str | None:
    keys = (field_key(part.items, name) for part in parts)
    return next((key for key in keys if key is not None), None)


def _unknown(name: str, parts: list[BenchmarkScores]) -> InputError:
    there = sorted({field for part in parts for field in part.items.fields})
    by_spelling = {field.casefold(): field for field in there}
    near = difflib.get_close_matches(name.casefold(), by_spelling, n=1)
    hint = f" Did you mean {by_spelling[near[0]]!r}?" if near else ""
    if not there:
        return InputError(f"no item here has a field {name!r}, or any other: there is nothing to cut by.")
    return InputError(f"no item here has a field {name!r}.{hint} There are: {', '.join(there)}.")


def values_of_run(part: BenchmarkScores, cut: Cut) -> Values | None:
    """Each item's value; None where the log has not every field of the cut."""
    columns = [own_values(part, field) for field in cut.fields]
    known = [column for column in columns if column is not None]
    return _sides(crossed(known), cut, part) if len(known) == len(columns) else None


def _sides(values: Values, cut: Cut, part: BenchmarkScores) -> Values:
    """The sides of a cut-off, in place of the values."""
    return values if cut.split is None else split_values(values, cut.split, part.items.ids)


def values_of_two(
    parts: tuple[BenchmarkScores, BenchmarkScores], matched: Matched | None, cut: Cut
) -> tuple[Values, Values] | None:
    """Each item's value in both runs; None where neither log has every field of the cut.

    matched : which items are the same; None if none is, and then both logs need the fields.
    """
    if matched is None:
        old, new = (values_of_run(part, cut) for part in parts)
        if (old is None) != (new is None):
            lacking = "baseline" if old is None else "candidate"
            raise InputError(
                f"the {lacking} has no {cut.name} on {parts[0].benchmark}: without pairing, both need it."
            )
        return None if old is None or new is None else (old, new)
    columns = [shared_values(parts, matched, field) for field in cut.fields]
    known = [column for column in columns if column is not None]
    if len(known) < len(columns):
        return None
    old, new = crossed([old for old, _ in known]), crossed([new for _, new in known])
    return _sides(old, cut, parts[0]), _sides(new, cut, parts[1])
