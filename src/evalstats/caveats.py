"""The closed list of caveats: a stable code and what it means. A caveat is a field of the result."""

from __future__ import annotations

CAVEATS: dict[str, str] = {
    "few_informative": "under 10 successes or failures: Wilson's coverage is below its mean here",
    "few_discordant": "under 10 discordant items: the interval and the test rest on very few changes",
    "few_informative_clusters": "under 10 clusters (on Kish's scale) that carry information",
    "few_clusters": "fewer than 20 clusters, or an effective number below 20",
    "few_off_mode": "fewer than 20 scores differ from the commonest value",
    "few_nonzero_differences": "fewer than 20 non-zero differences",
    "dominant_item": "one item holds more than a quarter of the sum of squares",
    "dominant_cluster": "one cluster holds more than a quarter of the items",
    "skewed": "n < 28 + 25 skewness²: no interval for a mean keeps its coverage",
    "no_spread": "all scores are equal and inside the scale: the spread is not known",
    "narrow_scores": "the effective n is more than ten times n: scores hardly vary",
    "limit_clipped": "a limit outside the scale was moved to its end",
    "limit_at_point": "a limit on the wrong side of the estimate was moved to it",
    "named_method_weak": "this method is known to miss its coverage on data like these",
    "epochs_missing": "some items miss some of their completions",
    "item_mean_vs_cluster_mean": "the means over items and over clusters differ by over a standard error",
    "row_mean": "every completion counts the same, as asked: items with more completions weigh more",
    "missing_items": "some items were not scored; the answer holds for the scored ones",
    "missing_as_worst": "scores that are missing count as the worst one, as asked",
    "missing_could_reverse": "filling the missing items at worst and at best changes the verdict",
    "missing_rates_differ": "the two runs fail to be scored at different rates",
    "partly_overlapping": "half or more of a run's items are in that run only",
    "identical_runs": "the two runs agree on every item and completion",
    "same_file": "both runs are the same file",
    "clusters_in_several_slices": "clusters have items in several slices: the test errs on the safe side",
    "sign_changes_without_cluster": "the sign of the difference changes when one cluster is left out",
    "ids_agree_hashes_differ": "some ids are in both runs with different content: not paired",
    "paired_by_field": "items were paired by a field that nobody named: see that it identifies them",
    "different_benchmark_names": "the two runs name the benchmark differently",
    "shared_items_unpaired": "the runs share items but were compared as if they did not",
    "duplicates": "rows that repeated an item and completion were left out",
    "run_incomplete": "a run did not finish",
    "scale_assumed": "the scale was taken from the values seen",
    "bootstrap_few_units": "too few units for this bootstrap interval to keep its coverage",
    "order_kept": "records were resampled in the order given: another order gives other digits",
    "config_differs": "settings differ between the two runs",
    "ragged_attempts": "some problems have fewer attempts than the largest k and are left out of every k",
    "few_problems": "fewer than 50 problems: the coverage of an interval over them is not assured",
}


def caveat(code: str, text: str) -> dict[str, str]:
    """One caveat for a result's `extra["caveats"]`; `code` must be in CAVEATS."""
    if code not in CAVEATS:
        raise KeyError(f"unknown caveat code {code!r}: add it to CAVEATS")
    return {"code": code, "text": text}
