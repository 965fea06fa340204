"""Two weeks of a made-up agent on 120 tasks of 24 repositories: solved, cost, seconds. Run: made.py"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

TASKS, A_REPOSITORY = 120, 5
WEEKS = {"week-31": (0.00, 1.00), "week-32": (0.07, 0.88)}  # what is solved more, and what it costs


def main() -> None:
    rng = np.random.default_rng(31)
    hard = rng.random(TASKS)
    for week, (lift, factor) in WEEKS.items():
        solved = (rng.random(TASKS) < 0.85 - 0.6 * hard + lift).astype(int)
        cost = np.round(factor * (0.05 + 0.4 * hard) * rng.gamma(3, 0.5, TASKS) + 0.01, 3)
        seconds = np.round(cost * 90 * rng.lognormal(0, 0.35, TASKS) + 4, 1)
        with Path(__file__).with_name(f"{week}.csv").open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["task", "repository", "solved", "cost", "seconds"])
            for i in range(TASKS):
                rows.writerow([f"t{i:03d}", f"r{i // A_REPOSITORY:02d}", solved[i], cost[i], seconds[i]])


if __name__ == "__main__":
    main()
