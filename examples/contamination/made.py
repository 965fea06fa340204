"""Write the example data: a suspect that has seen the items of 2023, a reference that has not, and orders."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

HERE = Path(__file__).parent
ITEMS = [(f"q{i:03d}", f"{2023 + i // 200}-{1 + i * 7 % 12:02d}-{1 + i % 28:02d}") for i in range(400)]


def answers(name: str, seen: float) -> None:
    """One run. seen : share of the items of 2023 that it knows; those of 2024 are 8 points harder for all."""
    ease = random.Random(8)
    draw = random.Random(name)
    with (HERE / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["item", "published", "score"])
        for item, published in ITEMS:
            old = published < "2024"
            right = draw.random() < 0.54 + 0.08 * old + ease.gauss(0, 0.15)
            knows = old and draw.random() < seen
            table.writerow([item, published, int(right or knows)])


def orders() -> None:
    """Log-likelihoods of a test set in its published order and in 99 others."""
    draw = random.Random(5)
    shuffled = [round(draw.gauss(-41840, 5), 1) for _ in range(99)]
    text = json.dumps({"canonical": -41822.6, "shuffled": shuffled}, indent=0)
    (HERE / "orders.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    answers("reference", 0.0)
    answers("suspect", 0.45)
    orders()
