"""All rows, in the order in which they are run and shown."""

from __future__ import annotations

from bench import rows_growth, rows_many, rows_programs, rows_scores, rows_statistics, rows_tests
from bench.rows import Row

ROWS: tuple[Row, ...] = (
    *rows_scores.ROWS,
    *rows_tests.ROWS,
    *rows_statistics.ROWS,
    *rows_many.ROWS,
    *rows_growth.ROWS,
    *rows_programs.ROWS,
)
