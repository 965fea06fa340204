"""Runs rows: the results of both ways first, which must be equal, then their turns."""

from __future__ import annotations

from bench.measure import in_turns, peaks
from bench.peers import PEERS, version
from bench.rows import Bound, Finding, Race, Row

METERS = {"seconds of CPU": in_turns, "bytes at the peak": peaks}


def run(row: Row, turns: int) -> Finding:
    """What a row gives. Raises UnequalError where the results differ, and whatever either way raises."""
    missing = _missing(row)
    if missing:
        return Finding(row, None, note=missing)
    return _bound(row, turns) if isinstance(row, Bound) else _race(row, turns)


def _missing(row: Row) -> str:
    if not row.peer or version(row.peer) is not None:
        return ""
    return f"not run: {PEERS[row.peer].distribution} is not installed here"


def _bound(row: Bound, turns: int) -> Finding:
    found = row.measure(turns)
    return Finding(row, found.value, note=found.note)


def _race(row: Race, turns: int) -> Finding:
    data = row.data()
    agreement = row.check(data, row.ours(data), row.theirs(data))
    ours, theirs = METERS[row.meter](lambda: row.ours(data), lambda: row.theirs(data), turns)
    theirs /= row.share
    return Finding(row, theirs / ours, ours, theirs, agreement, row.note)
