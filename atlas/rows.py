"""Every row of the atlas, in the order of the pages."""

from __future__ import annotations

from atlas import (
    clusters,
    correlations,
    families_of_tests,
    fixed_items,
    judges,
    macro,
    mcnemar,
    pairs,
    passk,
    quantile_limits,
    rates,
    score_clusters,
    score_tests,
    scores,
    two_runs,
    unpaired,
)
from atlas.figure import Row

ROWS: tuple[Row, ...] = (
    rates.ROW,
    scores.COMPLETION_ROW,
    scores.BOUNDED_ROW,
    scores.UNBOUNDED_ROW,
    passk.ROW,
    quantile_limits.ROW,
    fixed_items.ROW,
    clusters.ROW,
    score_clusters.ROW,
    clusters.SCORE_ROW,
    correlations.ROW,
    pairs.ROW,
    pairs.UNDER_TEN_ROW,
    mcnemar.ROW,
    two_runs.COMPLETION_ROW,
    clusters.PAIR_ROW,
    scores.DIFFERENCE_ROW,
    scores.DIFFERENCE_UNBOUNDED_ROW,
    score_clusters.PAIR_ROW,
    score_clusters.PAIR_UNBOUNDED_ROW,
    fixed_items.PAIR_ROW,
    score_tests.ROW,
    score_tests.SIGN_ROW,
    score_tests.RANK_ROW,
    unpaired.ROW,
    unpaired.TEST_ROW,
    scores.TWO_RUNS_ROW,
    scores.TWO_UNBOUNDED_ROW,
    two_runs.CLUSTER_ROW,
    fixed_items.TWO_ROW,
    macro.ROW,
    macro.PAIR_ROW,
    families_of_tests.ROW,
    judges.KNOWN_ROW,
    judges.ESTIMATED_ROW,
    judges.PREDICTED_ROW,
)


def row(key: str) -> Row:
    """The row of a key."""
    return next(one for one in ROWS if one.key == key)
