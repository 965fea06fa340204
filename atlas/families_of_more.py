"""What the method pages say of statistics that are no mean, of many rows and runs, of judges and raters."""

from __future__ import annotations

from atlas.family import Family
from evalstats.methods import (
    bootstrap,
    corrections,
    many_intervals,
    many_tests,
    paired_statistics,
    ratios,
    weighted_means,
)
from evalstats.subjects import agreement, agreement_ceiling, contamination, judge_ppi, judge_rates, variance

OF_MORE = (
    Family(
        "any-statistic",
        "Any other statistic",
        "A composite, a ratio of metrics, anything computed from records.",
        "low = min{v : F(v) ≥ α/2}, high = max{v : P(V ≥ v) ≥ α/2} over resamples of the units",
        ">>> import evalstats\n"
        ">>> rows = list(range(100))\n"
        ">>> print(evalstats.bootstrap_statistic(rows, lambda rows: sum(rows) / len(rows), n_boot=1000))\n"
        "stat 49.5 [44.07, 55.18] 95% bootstrap_percentile n=100",
        (bootstrap.METHODS, bootstrap.GROUPED, paired_statistics.ITEMS, paired_statistics.CLUSTERED),
        ("any_statistic", "any_statistic_groups", "pair_statistic", "pair_statistic_clusters"),
        ("bootstrap_few_units", "order_kept"),
    ),
    Family(
        "ratios",
        "A ratio of two metrics",
        "What one solved item costs, how many tokens an answer has: two sums over the same items.",
        "R = Σx/Σy; bootstrap of items with both numbers\n"
        "delta_t  R ± t(k−1)·√v, v = k/(k−1)·Σ(x − Ry)²/(Σy)²\n"
        "fieller  {r : (x̄ − rȳ)² ≤ t(k−1)²·var(x̄ − rȳ)}",
        ">>> from evalstats.methods.ratios import ratio\n"
        ">>> cost, solved = [0.8, 1.2, 0.5, 2.1, 0.9, 1.1] * 10, [1, 1, 0, 1, 0, 1] * 10\n"
        ">>> print(ratio(cost, solved, name='cost per solved item'))\n"
        "cost per solved item 1.65 [1.434, 1.937] 95% bootstrap_percentile n=60, exact",
        (ratios.ITEMS, ratios.CLUSTERED),
        ("ratio", "ratio_cluster"),
        ("bootstrap_few_units", "named_method_weak"),
    ),
    Family(
        "weights",
        "A weighted mean",
        "Items count unequally, by weights that were given: a traffic mix, a sample drawn by design.",
        "Σwy/Σw; v and ν by CR2 with the weights for sizes; Korn–Graubard's n_eff for bounded scores",
        ">>> from evalstats.methods.weighted_means import weighted_mean\n"
        ">>> print(weighted_mean([1, 0, 1, 1, 0, 1, 0, 1] * 6, [4, 1, 1, 2, 1, 3, 1, 1] * 6))\n"
        "weighted mean 78.6% [64.3, 89.1] 95% korn_graubard_cr2 n=48",
        (weighted_means.WEIGHTED, weighted_means.WEIGHTED_UNBOUNDED),
        ("weighted", "weighted_unbounded"),
        ("few_clusters", "few_informative_clusters", "dominant_cluster", "skewed"),
    ),
    Family(
        "many-runs",
        "Many runs on the same items",
        "Three runs or more: which pairs differ, which rank may each have, and do they differ at all?",
        "max_t      D ± c·se, c the quantile of the largest |D* − D|/se of all pairs in one shared draw\n"
        "tango      each pair at 1 − α/m; rank ranges from a run's own pairs at 1 − α/(M − 1)\n"
        "cochran_q  (K−1)(KΣC_j² − N²)/(KN − ΣR_i²) against χ² with K − 1",
        ">>> import numpy as np\n"
        ">>> from evalstats.methods.many import all_pairs\n"
        ">>> found = all_pairs(np.random.default_rng(7).random((3, 400)) < [[0.5], [0.75], [0.8]])\n"
        ">>> found.groups, found.simultaneous.method\n"
        "([[2, 1], [0]], 'max_t')",
        (many_intervals.SIMULTANEOUS, many_tests.METHODS),
        ("many_pairs", "rank_range", "many_test"),
        ("few_discordant",),
    ),
    Family(
        "families",
        "Many rows at once",
        "Several questions in one report: without a correction, luck lights some of them.",
        "holm  the j-th smallest of m p-values times m − j + 1, running maximum, at most 1\n"
        "benjamini_hochberg  times m/j, running minimum from the largest",
        ">>> import evalstats\n"
        ">>> found = evalstats.holm([0.001, 0.02, 0.04])\n"
        ">>> [round(float(p), 4) for p in found['adjusted']]\n"
        "[0.003, 0.04, 0.04]",
        (corrections.METHODS,),
        ("family",),
        (),
    ),
    Family(
        "judges",
        "Scores by a judge",
        "A judge scored all items and errs. Its error rates are known, or were estimated from labels of "
        "people, or people labelled a random part of the items.",
        "rogan_gladen_wilson  Wilson's limits of the rate passed, each through (p + Sp − 1)/(Se + Sp − 1)\n"
        "lang_reiczigel       the delta form after z² imaginary items and two more labels of either kind\n"
        "ppi_plus_plus        Ȳ + λ(F̄ − Ŷ̄) ± z·√(s₀²(Y − λŶ)/n + λ²s₀²(F)/N), λ from the data",
        ">>> import evalstats\n"
        ">>> print(evalstats.rogan_gladen(60, 200, 0.90, 0.95, n_pos=100, n_neg=120))\n"
        "corrected rate 29.4% [20.9, 38.1] 95% lang_reiczigel n=200\n"
        ">>> judge = [1, 1, 0, 1, 0, 1, 1, 0, 1, 1]\n"
        ">>> print(evalstats.judge.ppi_mean([1, 0, 0, 1, 0, 1, 1, 0, 0, 1], judge, judge * 9))\n"
        "corrected score 50.0% [25.6, 74.4] 95% ppi_plus_plus n=100",
        (judge_rates.KNOWN, judge_rates.ESTIMATED, judge_ppi.PPI),
        ("judge_known", "judge_estimated", "judge_ppi"),
        ("point_clipped", "few_disagreements", "limit_clipped"),
    ),
    Family(
        "agreement",
        "Agreement beyond chance",
        "Do a judge and a person, or several raters, label the same items alike, more than chance would?",
        "κ = (p_o − p_e)/(1 − p_e)\n"
        "fce          κ ± z·se, {Σp_ij[w_ij − (w̄_i. + w̄_.j)(1−κ)]² − [κ − p_e(1−κ)]²}/(n(1−p_e)²)\n"
        "jackknife_t  θ ± t(n−1)·√((n−1)/n·Σ(θ₍₋ᵢ₎ − θ̄)²)",
        ">>> import evalstats\n"
        ">>> judge, human = evalstats.agreement.labels_of_table([[56, 4], [16, 24]])\n"
        ">>> print(evalstats.agreement.cohen_kappa(judge, human))\n"
        "kappa 0.5614 [0.3967, 0.7261] 95% fce n=100",
        (agreement.KAPPA, agreement.COEFFICIENTS, agreement.GWET, agreement_ceiling.DIFFERENCE),
        ("kappa", "agreement", "gwet", "ceiling"),
        ("few_items", "rare_class", "missing_labels"),
    ),
    Family(
        "variance",
        "Components of variance",
        "Where the noise of a score comes from: items, completions, judges, families; as shares.",
        "one-way: σ²_completion = MSW, σ²_item = (MSB − MSW)/n0; negative → 0\n"
        "shares: the percentile interval of resampled units; a crossed factor's mean square by its χ² law",
        ">>> from evalstats.subjects import variance\n"
        ">>> found = variance.one_way([1, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0], list('aaabbbcccddd'))\n"
        ">>> [(one.name, round(one.variance, 4)) for one in found.components]\n"
        "[('item', 0.1296), ('completion', 0.1667)]",
        (variance.METHODS,),
        ("variance_share",),
        ("negative_component", "bootstrap_few_units"),
    ),
    Family(
        "contamination",
        "Has a model seen the test?",
        "A model that saw a test set in its published order finds it likelier in this order than in others. "
        "Rewritten items are pairs; items before and after a cut-off are two runs on different items.",
        "order_permutation  p = (1 + #{shuffled ≥ canonical})/(1 + B)",
        ">>> from evalstats.subjects.contamination import order_test\n"
        ">>> print(order_test(-1200.5, [-1212.0, -1209.3, -1215.8, -1210.1] * 5))\n"
        "order p = 0.048, effect +11.3, order_permutation n=20",
        (contamination.METHODS,),
        ("order_test",),
        (),
    ),
)
