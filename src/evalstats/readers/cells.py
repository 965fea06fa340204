"""One cell of a table -> a score, an id, a status or a field. Pure; every carrier's values read the same."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from numbers import Real

from evalstats.data.scores import Scalar
from evalstats.errors import InputError

Cell = object  # what csv, json, DuckDB or a frame holds: text, numbers, booleans, None, dates, Decimals

RIGHT = frozenset({"c", "correct", "right", "pass", "passed", "yes", "y", "true", "success", "solved"})
WRONG = frozenset({"i", "n", "incorrect", "wrong", "fail", "failed", "no", "false", "failure", "unsolved"})
HALF = frozenset({"p", "partial"})
LABELS = {**dict.fromkeys(RIGHT, 1.0), **dict.fromkeys(WRONG, 0.0), **dict.fromkeys(HALF, 0.5)}
BOOLEANS = {"true": 1.0, "false": 0.0}
EMPTY = frozenset({"", "nan", "na", "n/a", "<na>", "none", "null", "nat", "missing"})

SCORED_WORDS = frozenset(
    {"ok", "success", "succeeded", "scored", "completed", "complete", "done", "finished"}
)
ERROR_WORDS = frozenset({"error", "errored", "exception", "timeout", "timed_out", "crash", "crashed"})
STOPPED_WORDS = frozenset({"cancelled", "canceled", "aborted", "infra_failure", "failed", "failure"})
MISSING_WORDS = frozenset({"missing", "skipped", "pending", "not_run", "running", "started", "incomplete"})
STATUS_WORDS = SCORED_WORDS | ERROR_WORDS | STOPPED_WORDS | MISSING_WORDS

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?", re.IGNORECASE)
_WHOLE = re.compile(r"-?\d+\.0+")
_COUNT = re.compile(r"\d{1,9}(\.0+)?")
_LONGEST_COUNT = 20  # characters: longer texts are not worth remembering


def is_empty(value: Cell) -> bool:
    """None, NaN, pandas' NA, and text such as "", "NaN" or "n/a" stand for nothing."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    if isinstance(value, str):
        return value.strip().lower() in EMPTY
    return isinstance(value, float) and math.isnan(value)


def score_of(value: Cell) -> float | None:
    """The score a cell stands for, None where nothing stands there.

    Numbers, booleans, and text that is a number or a label of `LABELS`: C 1, P 0.5, I 0, N 0 as in
    Inspect. Raises InputError for anything else: an unknown label is never counted as wrong.

    >>> [score_of(cell) for cell in (True, "0.5", "C", "P", "incorrect", "n/a")]
    [1.0, 0.5, 1.0, 0.5, 0.0, None]
    """
    if isinstance(value, str):
        return _text_score(value)
    if is_empty(value):
        return None
    number = _number(value)
    if number is None:
        raise InputError(f"{_shown(value)} is no score")
    return number


@lru_cache(maxsize=4096)  # a column has few distinct texts
def _text_score(value: str) -> float | None:
    text = value.strip()
    if _NUMBER.fullmatch(text):
        return float(text)
    word = text.lower()
    if word in EMPTY:
        return None
    if word in LABELS:
        return LABELS[word]
    raise InputError(f"{_shown(value)} is no score")


def _number(value: Cell) -> float | None:
    """A number of Python, numpy or decimal as a float, None if it is no number or too large for one."""
    value = _plain(value)
    if isinstance(value, int | float | Decimal | Real):
        try:
            return float(value)
        except (OverflowError, ValueError):  # 10**400, Decimal("sNaN")
            return None
    return None


def _plain(value: Cell) -> Cell:
    """numpy's scalars as Python's."""
    return value.item() if getattr(value, "shape", None) == () and hasattr(value, "item") else value


def kind_of(value: Cell) -> str:
    """What a cell could be: "empty", "number" (booleans too), "label" or "text"."""
    if is_empty(value):
        return "empty"
    if isinstance(value, str):
        text = value.strip().lower()
        if _NUMBER.fullmatch(text) or text in BOOLEANS:
            return "number"
        return "label" if text in LABELS else "text"
    return "text" if _number(value) is None else "number"


def text_of(value: Cell) -> str | None:
    """An id, a run's or a benchmark's name as text, None where nothing stands there.

    7 and 7.0 read as "7", as they do in a csv file of whole numbers.
    """
    if isinstance(value, str):
        return value if value.strip() else None
    if is_empty(value):
        return None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def field_of(value: Cell) -> Scalar | None:
    """A scalar of an item's metadata, None where nothing stands there or the value is a list.

    Text "True" and "3.0" read as true and 3, as a frame has them.
    """
    if isinstance(value, str):
        return _text_field(value)
    value = _plain(value)
    if isinstance(value, list | tuple | Mapping | bytes) or is_empty(value):
        return None
    return value if isinstance(value, bool | int | float) else str(value)


@lru_cache(maxsize=4096)
def _text_field(value: str) -> Scalar | None:
    text = value.strip()
    if text.lower() in BOOLEANS:
        return text.lower() == "true"
    return int(text.partition(".")[0]) if _WHOLE.fullmatch(text) else (value if text else None)


def whole_number(value: Cell) -> int | None:
    """The whole number a cell stands for, None if it is none."""
    if isinstance(value, str):
        return _text_count(value) if len(value) < _LONGEST_COUNT else None
    number = None if isinstance(value, bool) or is_empty(value) else _number(value)
    return int(number) if number is not None and number.is_integer() and 0 <= number < 1e9 else None


@lru_cache(maxsize=4096)
def _text_count(value: str) -> int | None:
    text = value.strip()
    return int(float(text)) if _COUNT.fullmatch(text) else None


def status_word(value: Cell) -> str:
    """A status as the lists above spell it."""
    return str(value).strip().lower().replace(" ", "_").replace("-", "_")


def status_of(value: Cell, score: float | None) -> str:
    """The status a status column states. "failed" is an error only where no score stands.

    Raises InputError for a word it does not know.
    """
    word = status_word(value)
    if is_empty(value) and word != "missing":
        return "scored"
    if word in {"failed", "failure"} and score is not None:
        return "scored"
    if word in MISSING_WORDS:
        return "missing"
    if word in ERROR_WORDS or word in STOPPED_WORDS:
        return "error"
    if word in SCORED_WORDS:
        return "scored"
    raise InputError(f"{_shown(value)} is no status")


def says_error(value: Cell) -> bool:
    """Whether an error column holds an error: any message; not empty, false, 0 or "no"."""
    if is_empty(value):
        return False
    if isinstance(value, str):
        return value.strip().lower() not in {"false", "0", "0.0", "no"}
    return bool(value)


def _shown(value: Cell) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
