"""Writes values.json: python make_values.py, with krippendorff, irrCAC and scikit-learn installed."""

import json
import warnings
from importlib.metadata import version
from pathlib import Path

import krippendorff
import numpy as np
import pandas as pd
from irrCAC.raw import CAC
from sklearn.metrics import cohen_kappa_score

warnings.simplefilter("ignore")
PACKAGES = ("krippendorff", "irrCAC", "scikit-learn")
K2011 = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
generator = np.random.default_rng(7)
TRUTH = generator.integers(1, 6, size=60)


def noisy(rate):
    drawn = np.clip(TRUTH + generator.integers(-1, 2, size=60) * (generator.random(60) < rate), 1, 5)
    return [int(x) for x in drawn]


TWO = [noisy(0.3), noisy(0.6)]
THREE = [*TWO, noisy(0.9)]
HOLES = [[None if generator.random() < 0.15 else x for x in row] for row in THREE]
SETS = {"k2011": K2011, "two": TWO, "three": THREE, "holes": HOLES}


def irrcac(rows, weights, categories):
    cac = CAC(pd.DataFrame(rows).T.astype(float), weights=weights, categories=categories, digits=12)
    found = cac.gwet()["est"]
    return {"value": float(found["coefficient_value"]), "se": float(found["se"])}


cases = []
for name, rows in SETS.items():
    array = np.array([[np.nan if x is None else x for x in row] for row in rows])
    for scale in ("nominal", "ordinal", "interval", "ratio"):
        value = float(krippendorff.alpha(reliability_data=array, level_of_measurement=scale))
        cases.append({"call": "alpha", "set": name, "option": scale, "value": value})
    for weights in ("identity", "linear", "quadratic"):
        found = irrcac(rows, weights, [1, 2, 3, 4, 5])
        cases.append({"call": "gwet", "set": name, "option": weights, **found})
for weights in (None, "linear", "quadratic"):
    value = float(cohen_kappa_score(*TWO, labels=[1, 2, 3, 4, 5], weights=weights))
    cases.append({"call": "kappa", "set": "two", "option": weights, "value": value})
Path(__file__).with_name("values.json").write_text(
    json.dumps(
        {
            "versions": {name: version(name) for name in PACKAGES},
            "sets": SETS,
            "cases": cases,
        },
        indent=1,
    )
    + "\n"
)
