"""A table of a judge's verdicts on pairs of answers, read: each pair once, with one order or both."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalstats.errors import InputError
from evalstats.readers.cells import Cell, is_empty, score_of, text_of
from evalstats.readers.raw_table import RawTable, raw_table

ID, FIRST, SECOND, WINNER, HUMAN = COLUMNS = ("id", "first", "second", "winner", "human")
LENGTHS = ("first_length", "second_length")
ANSWERS = ("first_answer", "second_answer")
FAMILIES = ("first_family", "second_family")
JUDGE_FAMILY, JUDGE = "judge_family", "judge"
_FIRST_WON = frozenset({"first", "1", "1.0", "a", "left"})
_SECOND_WON = frozenset({"second", "2", "2.0", "b", "right"})
_TIE = frozenset({"tie", "both", "equal", "draw", "0.5", "same"})


@dataclass(frozen=True)
class Verdict:
    """One row of the table, as its first answer sees it. won, human : 1, 0, ½; None where there is none.

    longer_by : first − second. own : 1 where the first answer alone is of the judge's family, −1 where the
    second alone is, 0 where both or neither are; None where families are not told.
    """

    id: str
    first: str
    second: str
    won: float | None
    human: float | None
    longer_by: float | None
    own: int | None


@dataclass(frozen=True)
class JudgedPair:
    """Two answers to one question. forward : the verdict with the name that sorts first shown first.

    Everything is as that answer sees it; swapped : the verdict in the other order, as the answer shown
    first there sees it. One of the two is None where the pair was judged in one order alone.
    """

    id: str
    forward: float | None
    swapped: float | None
    human: float | None
    longer_by: float | None
    own: int | None

    @property
    def won(self) -> float:
        """What the answer won on average over the orders it was shown in."""
        seen = [self.forward, None if self.swapped is None else 1 - self.swapped]
        known = [one for one in seen if one is not None]
        return sum(known) / len(known)


@dataclass(frozen=True)
class Pairs:
    """The pairs of a table, those that were judged at all. n_unscored : rows without a verdict."""

    pairs: tuple[JudgedPair, ...]
    n_unscored: int
    table: RawTable
    has: frozenset[str]


def read_pairs(source: Any) -> Pairs:
    """A file, frame or list of dicts with id, first, second, winner; lengths, families, human if there are.

    Raises InputError for columns that are missing, a winner that is none, a pair judged twice in one order,
    and verdicts of several judges.
    """
    table = raw_table(source)
    columns = {name.strip().lower(): cells for name, cells in reversed(list(table.columns.items()))}
    missing = [name for name in COLUMNS[:4] if name not in columns]
    if missing:
        raise InputError(
            f"{table.path} has no column {' and no '.join(missing)}; it has {', '.join(table.columns)}. "
            "Verdicts on pairs have id, first and second (which model was shown where), and winner (first, "
            "second, tie)."
        )
    _check_one_judge(columns, table)
    rows = [_verdict(table, columns, at) for at in range(len(table))]
    judged = [row for row in rows if row.won is not None]
    if not judged:
        raise InputError(f"{table.path} holds no verdict: its column winner is empty.")
    return Pairs(_together(judged, table), len(rows) - len(judged), table, frozenset(columns))


def _check_one_judge(columns: Mapping[str, Sequence[Cell]], table: RawTable) -> None:
    judges = sorted({str(cell) for cell in columns.get(JUDGE, ()) if not is_empty(cell)})
    if len(judges) > 1:
        raise InputError(
            f"{table.path} has verdicts of {len(judges)} judges ({', '.join(judges[:4])}): a bias is one "
            "judge's. Keep the rows of one."
        )


def _verdict(table: RawTable, columns: Mapping[str, Sequence[Cell]], at: int) -> Verdict:
    cells = {name: found[at] for name, found in columns.items()}
    names = [text_of(cells[name]) for name in (ID, FIRST, SECOND)]
    where = f"{table.path}, row {at + 1}"
    if None in names:
        raise InputError(f"{where} lacks its {(ID, FIRST, SECOND)[names.index(None)]}: fill it in.")
    identity, first, second = (str(name) for name in names)
    if first == second:
        raise InputError(f"{where}: {first!r} stands against itself; first and second name two models.")
    shown = (first, second)
    return Verdict(
        identity,
        first,
        second,
        _winner(cells[WINNER], shown, where, WINNER),
        _winner(cells.get(HUMAN), shown, where, HUMAN),
        _longer_by(cells, where),
        _own(cells),
    )


def _winner(cell: Cell, shown: tuple[str, str], where: str, column: str) -> float | None:
    """1 for the first, 0 for the second, ½ for a tie; by place or by the model's name."""
    if is_empty(cell):
        return None
    text = str(cell).strip()
    for names, value in (((shown[0],), 1.0), ((shown[1],), 0.0)):
        if text in names:
            return value
    for words, value in ((_FIRST_WON, 1.0), (_SECOND_WON, 0.0), (_TIE, 0.5)):
        if text.lower() in words:
            return value
    raise InputError(
        f"{where}: the {column} is {text!r}. Write first, second or tie, or the winner's name "
        f"({shown[0]}, {shown[1]})."
    )


def _longer_by(cells: Mapping[str, Cell], where: str) -> float | None:
    """From the lengths that are told, else the characters of the answers."""
    if all(name in cells for name in LENGTHS):
        lengths = [_length(cells[name], f"{where}: {name}") for name in LENGTHS]
    else:
        texts = [text_of(cells.get(name)) for name in ANSWERS]
        lengths = [None if text is None else float(len(text)) for text in texts]
    first, second = lengths
    return None if first is None or second is None else first - second


def _length(cell: Cell, where: str) -> float | None:
    try:
        length = score_of(cell)
    except InputError as error:
        raise InputError(f"{where}: {error}. A length is a number.") from None
    if length is not None and not 0 <= length < math.inf:
        raise InputError(
            f"{where} is {length:g}: a length is a number from 0. Mend it, or leave the cell empty where it "
            "is not known."
        )
    return length


def _own(cells: Mapping[str, Cell]) -> int | None:
    judge, first, second = (text_of(cells.get(name)) for name in (JUDGE_FAMILY, *FAMILIES))
    if judge is None or first is None or second is None:
        return None
    return int(first == judge) - int(second == judge)


def _together(rows: Sequence[Verdict], table: RawTable) -> tuple[JudgedPair, ...]:
    """The two orders of a pair as one."""
    found: dict[tuple[str, str, str], dict[bool, Verdict]] = {}
    for row in rows:
        one, two = sorted((row.first, row.second))
        orders = found.setdefault((row.id, one, two), {})
        if (row.first == one) in orders:
            raise InputError(
                f"{table.path}: {row.id!r} has {row.first} before {row.second} more than once. Keep one "
                "verdict an order."
            )
        orders[row.first == one] = row
    return tuple(_pair(key[0], orders) for key, orders in found.items())


def _pair(identity: str, orders: Mapping[bool, Verdict]) -> JudgedPair:
    forward, swapped = orders.get(True), orders.get(False)
    seen = [one for one in (forward, swapped) if one is not None]
    signs = [1 if one is forward else -1 for one in seen]
    people = [
        one.human if sign > 0 else 1 - one.human
        for one, sign in zip(seen, signs, strict=True)
        if one.human is not None
    ]
    by = [one.longer_by * sign for one, sign in zip(seen, signs, strict=True) if one.longer_by is not None]
    own = [one.own * sign for one, sign in zip(seen, signs, strict=True) if one.own is not None]
    return JudgedPair(
        identity,
        None if forward is None else forward.won,
        None if swapped is None else swapped.won,
        sum(people) / len(people) if people else None,
        by[0] if by else None,
        own[0] if own else None,
    )
