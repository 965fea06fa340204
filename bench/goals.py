"""What was wanted of the speed, by number. Each has its rows; two wait for votes of an arena."""

from __future__ import annotations

GOALS: dict[int, str] = {
    1: "interval of a pass rate, n = 10⁴: 3,000 times the chapter's loop, 5,000 times scipy of 10,000",
    2: "the same from 10⁷ booleans: 3 times `np.count_nonzero` and 0.2 ms",
    3: "interval of a judge's mean, n = 10⁴: 1,000 times the loop; n = 10⁷: 60 ms",
    4: "interval of a mean of continuous scores, n = 1,000: 300 times the loop, 100 times the other "
    "evalstats; limits off by a fiftieth of the noise of 10,000 resamples",
    5: "10,000 resamples of continuous scores drawn: 3 times the loop at n = 1,000, 1.5 times at n = 10⁴",
    6: "BCa, n = 5,000: 1,000 times scipy",
    7: "bootstrap of a median, n = 1,001: 500 times scipy",
    8: "40 clusters: 10 times the loop drawn, 200 times computed, growing with the clusters",
    9: "weighted average of 40 benchmarks: 10⁴ times a loop",
    10: "Cohen's kappa with 10,000 resamples: 90 times the loop, 150 times scipy with scikit-learn",
    11: "pass@1, 5 and 10 of 10⁶ problems with intervals: faster than one vectorised point estimate",
    12: "200 runs × 40 benchmarks × 1,000 items: 1,000 times the loop; all 796,000 pairs within 5 times "
    "their matrix product",
    13: "Bradley–Terry fit of 1.6 million votes",
    14: "1,000 resamples of the same",
    15: "exact sign-flip test, n = 2,000: 1,000 times scipy with 9,999 resamples",
    16: "200 models on shared resamples: 250 times the loop, 8 times gathering rows",
    17: "interquartile mean over strata: 50 times rliable",
    18: "peak memory at n = B = 5,000: 1/150 of scipy's default",
    19: "growth exponent of a discrete interval after counting: 0.05 in n; 0 in B",
    20: "`--help` in 2 and `VERB --help` in 3 times a bare interpreter; the import in 1.3 times numpy's",
}
NOT_IN_THIS_VERSION = (13, 14)
# Where the time goes, by profile, in what has missed its goal; said on the page only where it does.
WHY: dict[int, str] = {
    1: "an interval of 10,000 answers takes a tenth of a millisecond, most of it what is said beside it",
    6: "a quarter is sorting, as much exact sums and caveats, half the law and its limits",
    8: "three fifths are the joint law of sums and sizes and its limits, a third what is said beside them",
    9: "a third is sorting and counting the scores of 40 benchmarks, the rest their law and its limits",
    10: "four fifths are the draws, 16 cells a resample",
    16: "a third are the draws, a quarter each the matrix product and the quantiles",
    17: "half are the draws, nearly half the statistic itself",
}
