"""What the method pages say of rates, means and their differences in words; all else is from the tables."""

from __future__ import annotations

from atlas.family import Family
from evalstats.methods import (
    clusters,
    difference_tests,
    mcnemar,
    mean_intervals,
    paired_intervals,
    quantiles,
    sign_flip,
    unpaired,
    unpaired_means,
    wilcoxon,
)
from evalstats.methods.macro import DIFFERENCES, MEANS

OF_SCORES = (
    Family(
        "rate",
        "One pass rate",
        "Each item is right or wrong, each was run once, and items were drawn independently of each other.",
        "wilson           (p + z²/2n ± z√(p(1−p)/n + z²/4n²)) / (1 + z²/n); 0 at k = 0, 1 at k = n\n"
        "clopper_pearson  Beta⁻¹(α/2; k, n−k+1), Beta⁻¹(1−α/2; k+1, n−k)",
        ">>> import evalstats\n"
        ">>> print(evalstats.proportion(360, 500))\n"
        "proportion 72.0% [67.9, 75.8] 95% wilson n=500\n"
        ">>> print(evalstats.proportion(360, 500, guarantee=True))\n"
        "proportion 72.0% [67.8, 75.9] 95% clopper_pearson n=500",
        (mean_intervals.PASS_RATE,),
        ("rate",),
        ("few_informative", "named_method_weak", "limit_clipped", "limit_at_point"),
    ),
    Family(
        "completions",
        "Several completions per item",
        "Each item was run several times. The item is the unit: its completions are averaged first, and more "
        "of them do not make more items.",
        "item means y_i, n_eff = min(n·p(1−p)/s², n²/Σ(1/m_i)), s² with divisor n; Wilson with t(n−1) for z",
        ">>> import evalstats\n"
        ">>> scores, items = [1, 1, 0, 1, 1, 1, 0, 0, 1, 1], list('aabbccddee')\n"
        ">>> print(evalstats.mean(scores, item=items))\n"
        "mean 70.0% [23.8, 94.6] 95% wilson_effective n=5",
        (mean_intervals.COMPLETIONS,),
        ("completions",),
        ("few_off_mode", "epochs_missing", "row_mean"),
    ),
    Family(
        "scores",
        "A mean of scores",
        "Scores that are not all right or wrong: a judge's marks, F1, partial credit; or without ends: cost "
        "and latency, of which the median says more.",
        "wilson_effective  n_eff = n·p(1−p)/s² on the scale moved to 0–1, Wilson with t(n−1) for z\n"
        "t                 ȳ ± t(n−1)·s/√n, for scores without ends\n"
        "betting_mixture   {μ : E(μ) < 1/α}, E(μ) the mean wealth of 28 stakes against μ (proved)",
        ">>> import evalstats\n"
        ">>> print(evalstats.mean([7, 9, 6, 8, 7, 5, 9, 7], bounds=(1, 10), name='judge'))\n"
        "judge 7.25 [6.081, 8.194] 95% wilson_effective n=8",
        (mean_intervals.BOUNDED, mean_intervals.UNBOUNDED),
        ("bounded", "unbounded"),
        ("few_off_mode", "dominant_item", "skewed", "no_spread", "narrow_scores", "scale_assumed"),
    ),
    Family(
        "passk",
        "Several attempts at each problem",
        "A problem is tried n times; asked is whether any of k attempts is right (pass@k), or all of them "
        "(pass^k). Problems are the units.",
        "pass@k  1 − C(n−c, k)/C(n, k) of each problem, the mean over problems; pass^k  C(c, k)/C(n, k)\n"
        "interval: Wilson on the effective n of the problems' values, as for bounded scores",
        ">>> import evalstats\n"
        ">>> any_of_5, all_of_5 = evalstats.passk.benchmark(20, [3, 0, 20, 10, 18, 7], 5)\n"
        ">>> print(any_of_5)\n"
        "pass@5 (any of 5) 75.0% [33.5, 94.7] 95% wilson_effective n=6",
        (mean_intervals.BOUNDED,),
        ("passk",),
        ("few_problems", "ragged_attempts", "few_off_mode", "dominant_item"),
    ),
    Family(
        "fixed-items",
        "These questions: the decoding noise",
        "How far would the score of these very items move if they were run again? Each item needs two "
        "completions or more; what other items would have given is not asked.",
        "fixed_items_t  ȳ ± t(ν)·√v, v = n⁻² Σ s_i²/m_i, of two runs the sum of both\n"
        "               ν = v²/Σ[(s_i²/(n²m_i))²/(m_i−1)]",
        ">>> import evalstats\n"
        ">>> scores = [1, 1, 0, 1, 1, 1, 0, 1, 0, 0, 1, 1] * 5\n"
        ">>> items = [i // 3 for i in range(60)]\n"
        ">>> print(evalstats.mean(scores, item=items, view='fixed_items'))\n"
        "mean 66.7% [53.5, 79.8] 95% fixed_items_t n=20",
        (
            mean_intervals.FIXED_ITEMS,
            paired_intervals.PAIRED_FIXED_ITEMS,
            unpaired_means.UNPAIRED_FIXED_ITEMS,
        ),
        ("fixed_items", "pair_fixed_items", "unpaired_fixed_items"),
        ("few_noisy_items", "limit_clipped"),
    ),
    Family(
        "clusters",
        "One run in clusters",
        "Items come in groups that share something: a passage, a repository, a user. The group is what was "
        "drawn.",
        "v = n⁻² Σ S_g²/(1 − w_g), ν = 1/[Σw² + (Σq)² − Σq²], q = w²/(1−w)   (CR2, Bell–McCaffrey)\n"
        "korn_graubard_cr2  n_eff = min(N, k*·max(1, g), p(1−p)/v·(t(N−1)/t(ν))²), Clopper–Pearson on n_eff\n"
        "cr2_t              ȳ ± t(ν)·√v, for scores without ends",
        ">>> import evalstats\n"
        ">>> scores, passages = [1, 1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 1], list('aaabbbcccddd')\n"
        ">>> print(evalstats.mean(scores, cluster=passages))\n"
        "mean 66.7% [21.4, 96.0] 95% korn_graubard_cr2 n=12",
        (mean_intervals.CLUSTERED, mean_intervals.CLUSTERED_UNBOUNDED, clusters.METHODS),
        ("cluster", "cluster_bounded", "cluster_score", "icc"),
        (
            "few_clusters",
            "few_informative_clusters",
            "dominant_cluster",
            "item_mean_vs_cluster_mean",
            "normal_assumed",
            "skewed",
        ),
    ),
    Family(
        "pairs",
        "Two pass rates on the same items",
        "Two runs answered the same items, right or wrong. Only the items on which they differ say which is "
        "better.",
        "tango               z(δ) = (b−c−nδ)/√(n(2q+δ(1−δ))) = ±z, q the constrained estimate\n"
        "tango_bonett_price  the outer limits of Tango and of Bonett–Price with t(n−1)\n"
        "mcnemar_exact       min(1, 2P(Bin(b+c, ½) ≤ min(b, c)))",
        ">>> import evalstats\n"
        ">>> print(evalstats.paired_proportions(baseline_only=40, candidate_only=55, n=500))\n"
        "difference 3.0% [-0.8, 6.9] 95% tango n=500\n"
        ">>> print(evalstats.mcnemar_counts(40, 55, 500))\n"
        "mcnemar p = 0.15, effect +3.0 points, mcnemar_exact n=500",
        (paired_intervals.PAIRED_RATES, paired_intervals.PAIRED_RATES_UNDER_TEN, mcnemar.METHODS),
        ("pair", "pair_under_ten", "pair_test"),
        ("few_discordant", "named_method_weak", "identical_runs"),
    ),
    Family(
        "pairs-in-clusters",
        "Two runs on the same items, in clusters or with completions",
        "As for pairs, where items come in groups or were run several times.",
        "n_eff = min(N, (ψ−D²)/v), v and ν of the differences by CR2;\n"
        "Tango on b' = n_eff(ψ+D)/2, c' = n_eff(ψ−D)/2, n_eff with t(ν) for z   (Rao & Scott 1992)",
        ">>> import evalstats\n"
        ">>> baseline, candidate = [1, 0, 0, 1, 1, 0, 1, 0], [1, 1, 0, 1, 1, 1, 0, 1]\n"
        ">>> print(evalstats.mean_difference(baseline, candidate, cluster=list('aabbccdd')))\n"
        "difference 25.0% [-51.6, 77.8] 95% tango_effective n=8",
        (paired_intervals.PAIRED_CLUSTERED_RATES, paired_intervals.PAIRED_COMPLETIONS),
        ("pair_cluster", "pair_completions"),
        ("few_clusters", "few_informative_clusters", "dominant_cluster", "sign_changes_without_cluster"),
    ),
    Family(
        "score-differences",
        "A paired difference of scores",
        "Two runs have scores, not passes, on the same items.",
        "paired_t  D ± t(n−1)·s_d/√n\ncr2_t     in clusters: D ± t(ν)·√v by CR2\n"
        "t_pseudo  the t interval after two pseudo-differences at the ends of the scale",
        ">>> import evalstats\n"
        ">>> print(evalstats.mean_difference([.2, .5, .9, .4, .7], [.3, .9, .9, .6, .6], bounds=(0, 1)))\n"
        "difference 12.0% [-11.9, 35.9] 95% paired_t n=5",
        (
            paired_intervals.PAIRED_SCORES,
            paired_intervals.PAIRED_UNBOUNDED,
            paired_intervals.PAIRED_CLUSTERED_SCORES,
            paired_intervals.PAIRED_CLUSTERED_UNBOUNDED,
            difference_tests.METHODS,
            sign_flip.METHODS,
            wilcoxon.METHODS,
        ),
        (
            "pair_score",
            "pair_unbounded",
            "pair_cluster_score",
            "pair_cluster_unbounded",
            "score_test",
            "sign_flip_test",
            "rank_test",
        ),
        ("few_nonzero_differences", "skewed", "few_clusters", "few_informative_clusters"),
    ),
    Family(
        "unpaired",
        "Two runs on different items",
        "The items of the two runs are different. On the same items pair them: it says more.",
        "newcombe_unpaired  D − √((p₁−l₁)² + (u₂−p₂)²), D + √((u₁−p₁)² + (p₂−l₂)²), Wilson limits l, u\n"
        "welch              D ± t(ν)·√(v₁ + v₂), ν by Satterthwaite\n"
        "z_pooled           (p₁−p₂)/√(p̄(1−p̄)(1/n₁+1/n₂)); Fisher where an expected count is under 5",
        ">>> import evalstats\n"
        ">>> print(evalstats.unpaired_proportions(360, 500, 375, 500))\n"
        "difference 3.0% [-2.5, 8.4] 95% newcombe_unpaired n=1000",
        (
            unpaired_means.UNPAIRED_RATES,
            unpaired.TESTS,
            unpaired_means.UNPAIRED_MEANS,
            unpaired_means.UNPAIRED_UNBOUNDED,
            unpaired_means.UNPAIRED_CLUSTERED,
        ),
        ("unpaired", "unpaired_test", "unpaired_score", "unpaired_unbounded", "unpaired_cluster"),
        ("few_informative", "shared_items_unpaired", "skewed"),
    ),
    Family(
        "macro",
        "The macro average",
        "Several benchmarks of one scale, each counting the same.",
        "wilson_stratified  m̄ = Σ point_j/K, v = Σ v_j/K², n_eff = m̄(1−m̄)/v, Wilson\n"
        "stratified_t       D ± t(ν)·√v, ν = (Σv_j)²/Σ(v_j²/ν_j)",
        ">>> from evalstats.methods.macro import macro_mean\n"
        ">>> from evalstats import proportion\n"
        ">>> print(macro_mean([proportion(45, 60), proportion(30, 50), proportion(20, 25)], (0.0, 1.0)))\n"
        "macro average 71.7% [63.2, 78.9] 95% wilson_stratified n=135",
        (MEANS, DIFFERENCES),
        ("macro", "macro_pair"),
        ("few_nonzero_differences",),
    ),
    Family(
        "quantiles",
        "A median or another quantile",
        "What is typical, for cost and latency above all. The limits are two of the scores, for any "
        "distribution.",
        "[x₍r₎, x₍s₎], r = max{j : P(Bin(n, q) ≤ j−1) ≤ α/2}, s = min{j : P(Bin(n, q) ≥ j) ≤ α/2}",
        ">>> import evalstats\n"
        ">>> seconds = [3.1, 4.7, 2.2, 8.9, 5.5, 6.1, 3.3, 12.4, 4.4, 5.0, 7.7, 2.9]\n"
        ">>> print(evalstats.quantile(seconds, name='median'))\n"
        "median 4.85 [3.1, 7.7] 95% order_statistics n=12",
        (quantiles.METHODS, quantiles.CLUSTERED),
        ("quantile", "quantile_cluster"),
        ("bootstrap_few_units",),
    ),
)
