"""A table with a row a score, by columns that a person named: item, judge, family ... and the score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalstats.errors import InputError
from evalstats.readers import detect, frame
from evalstats.readers.cells import Cell, score_of, text_of
from evalstats.readers.columns import SAMPLE_ROWS, Choice, Columns, detect_columns
from evalstats.readers.raw_table import raw_table


@dataclass(frozen=True)
class LongTable:
    """scores : (rows,) None where there is none. labels : of each column named. format : who holds it."""

    scores: list[float | None]
    labels: dict[str, list[str]]
    metric: str
    format: str


def is_table(run: Any) -> bool:
    """Whether this is a frame, records or the path of a table, of which columns can be named."""
    if not isinstance(run, str | Path):
        return frame.is_frame(run) or isinstance(run, Sequence | Mapping)
    path = Path(run)
    return path.is_file() and detect.is_table(path)


def long_table(run: Any, by: Sequence[str], metric: str | None = None) -> LongTable:
    """The score of each row and its labels in the columns `by`.

    run : as `is_table` has it. metric : the score's column, where it does not speak for itself.
    Raises InputError for a column that is not there, a row without a label, and where the rows differ in a
    model, a benchmark or a metric that nobody named.

    >>> rows = [{"item": "q1", "judge": "x", "score": 7}, {"item": "q1", "judge": "y", "score": 8}]
    >>> long_table(rows, ("item", "judge")).labels
    {'item': ['q1', 'q1'], 'judge': ['x', 'y']}
    """
    held = raw_table(run)
    carrier, columns = held.path, held.columns
    for name in by:
        if name not in columns:
            raise InputError(f"{carrier} has no column {name!r}. It has: {', '.join(columns)}.")
    sample = {name: cells[:SAMPLE_ROWS] for name, cells in columns.items()}
    chosen = detect_columns(sample, Choice((by[0],), metric), by)
    score = _score_column(chosen, carrier)
    _check_one_of_each(chosen, columns, by, carrier)
    labels = {name: _labels(columns[name], name, carrier) for name in by}
    return LongTable(_scores(columns[score], score, carrier), labels, score, held.format)


def _score_column(chosen: Columns, carrier: str) -> str:
    if chosen.wide:
        raise InputError(
            f"{carrier}: which column is the score? {', '.join(chosen.scores)} could be. Name it with "
            "--metric COLUMN."
        )
    return chosen.primary or chosen.scores[0]


def _check_one_of_each(
    chosen: Columns, columns: Mapping[str, Sequence[Cell]], by: Sequence[str], carrier: str
) -> None:
    """Rows of two models would be taken for repeats of one."""
    for name in (*chosen.runs, *chosen.configuration, chosen.benchmark, chosen.metric):
        if name is None or name in by:
            continue
        values = sorted({text for cell in columns[name] if (text := text_of(cell)) is not None})
        if len(values) > 1:
            shown = ", ".join(values[:3]) + " ..." * (len(values) > 3)
            raise InputError(
                f"{carrier}: the rows differ in {name} too ({shown}). Keep those of one, or name {name} "
                "among the columns."
            )


def _labels(cells: Sequence[Cell], name: str, carrier: str) -> list[str]:
    texts = [text_of(cell) for cell in cells]
    if None in texts:
        raise InputError(
            f"{carrier}, row {texts.index(None) + 1} has no {name}. Fill it in, or delete the row."
        )
    return [text for text in texts if text is not None]


def _scores(cells: Sequence[Cell], name: str, carrier: str) -> list[float | None]:
    found = []
    for at, cell in enumerate(cells, 1):
        try:
            found.append(score_of(cell))
        except InputError as error:
            raise InputError(
                f"{carrier}, row {at}: {error} in {name}. Mend it, or name another column with --metric."
            ) from None
    return found
