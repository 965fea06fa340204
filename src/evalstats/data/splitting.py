"""A cut-off in a field of the items: which are before it, which from it on, by date or by number."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime

from evalstats.data.slicing import Values
from evalstats.errors import InputError

_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_HOW = "write FIELD<DATE or FIELD<NUMBER in quotes, such as 'created<2024-06-01'"


@dataclass(frozen=True)
class Split:
    """Items whose field is below `at`, and the others. at : a number, or a date (YYYY, YYYY-MM, ISO 8601)."""

    field: str
    at: str

    @property
    def before(self) -> str:
        return f"before {self.at}"

    @property
    def after(self) -> str:
        return f"from {self.at}"

    def side(self, value: str) -> str | None:
        """On which side a value lies; None for what is neither number nor date as the cut-off is.

        A period that holds the cut-off (2024 of 2024-06-01) is on neither.
        """
        cut, own = _period(self.at), _period(value)
        if cut is not None and own is not None and cut.number != own.number:
            cut, own = _number(self.at), _number(value)  # 1500 looks like a year beside 900
        if cut is None or own is None:
            return None
        if own.start < cut.start:
            return self.before if own.end <= cut.start else None
        return self.after


@dataclass(frozen=True)
class _Period:
    """From start to before end, as numbers; one point of a number. number : it is no date."""

    start: float
    end: float
    number: bool


def split_named(text: str) -> Split:
    """ "created<2024-06-01". Raises InputError for what names no field, or no date or number.

    >>> split = split_named("created<2024-06")
    >>> split.side("2024-05-31"), split.side("2024-06-01T08:00:00Z"), split.side("2024")
    ('before 2024-06', 'from 2024-06', None)
    """
    field, less, at = (part.strip() for part in text.rpartition("<"))
    if not (field and less and at):
        raise InputError(f"split={text!r}: {_HOW}.")
    if _period(at) is None:
        raise InputError(f"split={text!r}: {at!r} is neither a number nor a date; {_HOW}.")
    return Split(field, at)


def split_values(values: Values, split: Split, ids: tuple[str, ...]) -> Values:
    """Each item's side; None for those without a value. Raises InputError naming one on neither side."""
    sides = {value: split.side(value) for value in set(values) if value is not None}
    for item, value in zip(ids, values, strict=True):
        if value is not None and sides[value] is None:
            raise InputError(
                f"item {item!r} has {split.field} {value!r}, which is on no side of {split.at}: both must be "
                "numbers, or dates such as 2024-06-01, and a date's period may not hold the cut-off."
            )
    return [None if value is None else sides[value] for value in values]


def _period(text: str) -> _Period | None:
    """Four digits are a year and so a date, unless there is more of a number."""
    found = _DATE.fullmatch(text.strip())
    if found:
        return _calendar(*(int(part) if part else None for part in found.groups()))
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return _number(text)
    at = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return _Period(at, at, False)


def _calendar(year: int | None, month: int | None, day: int | None) -> _Period | None:
    assert year is not None
    try:
        start = datetime(year, month or 1, day or 1, tzinfo=UTC).timestamp()
    except ValueError:
        return None
    if day is not None:
        return _Period(start, start + 86400, False)
    following = (year, month + 1) if month is not None and month < 12 else (year + 1, 1)
    end = datetime(*following, 1, tzinfo=UTC).timestamp() if following[0] < 10000 else math.inf
    return _Period(start, end, False)


def _number(text: str) -> _Period | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return _Period(number, number, True) if math.isfinite(number) else None
