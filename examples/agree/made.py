"""Writes labels.csv: a judge and two people on 200 answers; 30 are wrong, and the judge often passes them."""

from __future__ import annotations

import csv
import random
from pathlib import Path

ANSWERS, WRONG = 200, 30
MISSED = {
    "judge": (0.5, 0.06),
    "ann": (0.15, 0.03),
    "bob": (0.2, 0.03),
}


def main() -> None:
    draws = random.Random(11)
    with Path(__file__).with_name("labels.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", *MISSED])
        for at in range(ANSWERS):
            wrong = at < WRONG
            said = [
                "pass" if (draws.random() < missed[0] if wrong else draws.random() >= missed[1]) else "fail"
                for missed in MISSED.values()
            ]
            if draws.random() < 0.04:
                said[2] = ""
            writer.writerow([f"a{at:03}", *said])


if __name__ == "__main__":
    main()
