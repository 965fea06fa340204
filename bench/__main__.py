"""python -m bench [--quick] [--rows WORD] [--turns N]

Everything, written to docs/benchmarks.md; or a quick part, or the rows whose words have WORD, printed alone.
Ends with 1 when two results are unequal or a row fails, never for a figure.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback

# One thread, said before numpy is imported: CPU time of threads that wait for each other is nobody's work.
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")

from bench import pages
from bench.checks import UnequalError
from bench.everything import ROWS
from bench.machine import described
from bench.rows import Finding, Row
from bench.runner import run

TURNS, QUICK_TURNS = 5, 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="a part that needs no further peers; prints alone"
    )
    parser.add_argument("--rows", metavar="WORD", default="", help="rows with these words; prints alone")
    parser.add_argument("--turns", type=int, help="of each way; the least counts")
    asked = parser.parse_args()
    rows = [row for row in ROWS if asked.rows in row.what and (row.quick or not asked.quick)]
    started = time.monotonic()
    findings, failures = run_all(rows, asked.turns or (QUICK_TURNS if asked.quick else TURNS))
    print(f"{len(findings)} rows in {time.monotonic() - started:.0f} s, {len(failures)} failed")
    for failure in failures:
        print(failure, file=sys.stderr)
    if failures:
        return 1
    if not (asked.quick or asked.rows):
        pages.PAGE.write_text(pages.page(findings, described()), encoding="utf-8")
        print(f"wrote {pages.PAGE.name}")
    return 0


def run_all(rows: list[Row], turns: int) -> tuple[list[Finding], list[str]]:
    """What was found, each printed at once, and why others failed."""
    findings: list[Finding] = []
    failures: list[str] = []
    for row in rows:
        try:
            findings.append(run(row, turns))
        except UnequalError as unequal:
            failures.append(f"unequal results: {row.what}: {unequal}")
        except Exception:
            failures.append(f"failed: {row.what}\n{traceback.format_exc()}")
        else:
            print(pages.line(findings[-1]), flush=True)
    return findings, failures


if __name__ == "__main__":
    sys.exit(main())
