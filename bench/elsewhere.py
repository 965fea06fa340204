"""Runs beside the other distribution called evalstats: one bootstrap for each line of JSON, timed here."""

import json
import sys
import time

import numpy as np
from evalstats.core.resampling import bootstrap_ci_1d

for line in sys.stdin:
    asked = json.loads(line)
    scores = np.array(asked["scores"])
    started = time.process_time()
    limits = bootstrap_ci_1d(
        scores, float(scores.mean()), asked["method"], 10_000, 0.05, np.random.default_rng(0)
    )
    print(json.dumps({"seconds": time.process_time() - started, "limits": list(limits)}), flush=True)
