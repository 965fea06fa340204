"""python -m atlas full [ROW ...] | reduced | report

full: measure, compare with the stored figures, store and write the pages (fails, and stores nothing, when a
cell is worse by more than three Monte Carlo standard errors; --accept stores it all the same, for a commit
that says why). reduced: each default's worst cells and a middle one again. report: the pages alone.
"""

from __future__ import annotations

import argparse
import sys
import time

from atlas import pages, store
from atlas.measured import measure_row
from atlas.reduced import worse_in_reduced
from atlas.rows import ROWS

DRAWS = 4000


def main() -> int:
    parser = argparse.ArgumentParser(prog="atlas", description=__doc__)
    parser.add_argument("what", choices=["full", "reduced", "report"])
    parser.add_argument("rows", nargs="*", help="keys of rows; all by default")
    parser.add_argument("--draws", type=int, default=DRAWS, help="simulated data sets a cell")
    parser.add_argument("--accept", action="store_true", help="store figures that are worse, too")
    asked = parser.parse_args()
    unknown = sorted(set(asked.rows) - {row.key for row in ROWS})
    if unknown:
        parser.error(f"no row {unknown[0]!r}: there are {', '.join(row.key for row in ROWS)}")
    if asked.what == "reduced":
        return _fail_with(worse_in_reduced())
    if asked.what == "full":
        worse = full(asked.rows, asked.draws, asked.accept)
        if worse:
            return _fail_with(worse)
    pages.write(store.read())
    return 0


def full(keys: list[str], draws: int, accept: bool) -> list[str]:
    """Measure rows and store each as soon as it is done; what got worse."""
    worse: list[str] = []
    for row in ROWS:
        if keys and row.key not in keys:
            continue
        started = time.monotonic()
        measured = measure_row(row, draws)
        stored = store.read()
        lines = store.worse_cells(measured, stored[row.key]) if row.key in stored and not accept else []
        if not lines:
            found = stored | {row.key: store.packed(measured, draws)}
            store.write({one.key: found[one.key] for one in ROWS if one.key in found})
        worse += lines
        print(f"{row.key}: {len(row.cells)} cells in {time.monotonic() - started:.0f} s", flush=True)
    return worse


def _fail_with(lines: list[str]) -> int:
    print("\n".join(lines) or "no figure is worse than stored", file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
