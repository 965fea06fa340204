"""Runs beside the other distribution called evalstats: a bootstrap for each line of JSON, timed here."""

import importlib
import json
import sys
import time

import numpy as np


def main() -> None:
    resampling = importlib.import_module("evalstats.core.resampling")
    scores = np.empty(0)
    for line in sys.stdin:
        asked = json.loads(line)
        scores = np.array(asked["scores"]) if "scores" in asked else scores
        point = float(getattr(np, asked["statistic"])(scores))
        started = time.process_time()
        random = np.random.default_rng(0)
        found = resampling.bootstrap_ci_1d(
            scores, point, asked["method"], asked["n_boot"], 0.05, random, asked["statistic"]
        )
        seconds = time.process_time() - started
        print(json.dumps({"seconds": seconds, "answer": [float(end) for end in found]}), flush=True)


if __name__ == "__main__":
    main()
