"""How far two labels agree: 1 for the same, less the farther apart they are."""

from __future__ import annotations

import difflib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.errors import InputError
from evalstats.subjects.agreement_labels import Ratings

Array = NDArray[np.float64]
POWERS = {"linear": 1, "quadratic": 2}


def agreement_weights(weights: Any, ratings: Ratings) -> Array:
    """(Q, Q) w_ij = 1 − (|v_i − v_j|/(v_max − v_min))^power, or the table given; the identity for None.

    v : the labels' own values where they are numbers, so that grades nobody gave keep their distance; else
    their places in the declared order. Raises InputError where there is no order, and for what is no table.
    """
    Q = len(ratings.categories)
    if weights is None:
        return np.eye(Q)
    if not isinstance(weights, str):
        return _given(weights, Q)
    if weights not in POWERS:
        near = difflib.get_close_matches(weights, POWERS, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise InputError(f"weights={weights!r}.{hint} There are: linear, quadratic, or a table of your own.")
    if not ratings.ordered:
        raise InputError(
            f"weights={weights!r} needs the order of the labels, which are texts: declare it, such as "
            "categories=('poor', 'fair', 'good') (--categories poor,fair,good)."
        )
    v = np.arange(Q, dtype=np.float64) if ratings.values is None else ratings.values
    span = float(np.ptp(v)) or 1.0
    return np.asarray(1 - (np.abs(v[:, None] - v) / span) ** POWERS[weights])


def _given(weights: Any, Q: int) -> Array:
    try:
        table = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        table = np.empty(0)
    if table.shape != (Q, Q) or not np.all(np.isfinite(table)):
        raise InputError(
            f"weights: give {Q} rows of {Q} numbers, one a category (declare them with categories)."
        )
    diagonal = np.diag(table)
    if np.all(diagonal == 0) and np.all(table >= 0) and table.max() > 0:
        return np.asarray(1 - table / table.max())
    if np.all(diagonal == 1) and np.all((table >= 0) & (table <= 1)):
        return table
    raise InputError(
        "weights are a table of disagreements (0 on the diagonal, above 0 elsewhere), or of agreements (1 on "
        "the diagonal, 0 to 1 elsewhere)."
    )
