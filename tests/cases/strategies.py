"""One strategy a case, named after it: everything of its kind."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

Drawn = SearchStrategy[Any]
levels = st.floats(0.5, 0.999)
binary = st.sampled_from([0.0, 1.0])
BOOTSTRAPS = ("bootstrap_percentile", "bootstrap_basic", "bootstrap_bca", "bootstrap_studentized")


def _lists(values: Drawn, least: int, most: int) -> Drawn:
    return st.lists(values, min_size=least, max_size=most)


def ci_zero_of_25() -> Drawn:
    """Nothing right or everything: (score, n)."""
    return st.tuples(binary, st.integers(1, 2000))


def ci_n0() -> Drawn:
    """No item: what somebody counts as right of none."""
    return st.integers(0, 9)


def ci_n1() -> Drawn:
    return st.tuples(binary, levels)


def bca_constant() -> Drawn:
    """Scores that are all equal: (score, n, method)."""
    return st.tuples(st.floats(-5, 5), st.integers(2, 60), st.sampled_from(BOOTSTRAPS))


def bca_min() -> Drawn:
    """An extreme as the statistic: (data, statistic)."""
    extremes = st.sampled_from([min, max, np.min, np.max, np.amin, np.amax])
    return st.tuples(_lists(st.floats(-9, 9), 2, 30), extremes)


def ci_one_of_30() -> Drawn:
    """Rare events: (k, n)."""
    return st.integers(20, 400).flatmap(lambda n: st.tuples(st.integers(1, 4), st.just(n)))


def bounded_judge_overshoot() -> Drawn:
    """Grades from 1 to 5, most of them at one end."""
    most = st.sampled_from([1, 5])
    return most.flatmap(
        lambda top: _lists(st.just(top) | st.integers(1, 5), 3, 40).map(lambda x: [*x, top, 4])
    )


def ci_cp_tiny_alpha() -> Drawn:
    """(k, n, alpha) with alpha down to 1e-9."""
    alphas = st.floats(-9, -2).map(lambda exponent: 10.0**exponent)
    counts = st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
    return st.tuples(counts, alphas).map(lambda drawn: (*drawn[0], drawn[1]))


def mcnemar_large_n() -> Drawn:
    """Discordant counts far beyond what C(m, k) holds as a float."""
    return st.integers(600, 10**6).flatmap(
        lambda b: st.tuples(st.just(b), st.integers(max(0, b - 5000), b + 5000))
    )


def labels_CIPN() -> Drawn:  # noqa: N802 (the case's name)
    return _lists(st.sampled_from("CIPN"), 2, 40)


def unmapped_label() -> Drawn:
    """(labels, position of the odd one, the odd one)."""
    odd = st.sampled_from(["banana", "refusal", "Q", "n.a.?", "vielleicht"])
    return _lists(st.sampled_from("CI"), 1, 9).flatmap(
        lambda labels: st.tuples(st.just(labels), st.integers(0, len(labels)), odd)
    )


def missing_denominator() -> Drawn:
    """Pass/fail scores of which some are missing and some are not."""
    return _lists(binary | st.none(), 2, 40).map(lambda scores: [*scores, 1.0, None])


def paired_nan() -> Drawn:
    """Two runs on the same items, either with missing scores, and one item that both scored."""
    pair = st.tuples(binary | st.none(), binary | st.none())
    return _lists(pair, 1, 40).map(lambda pairs: [*pairs, (1.0, 0.0), (None, 1.0)])


def out_of_range_accuracy() -> Drawn:
    """(scores, position, value outside 0 to 1)."""
    outside = st.floats(1.01, 100) | st.floats(-100, -0.01)
    return _lists(st.floats(0, 1), 1, 12).flatmap(
        lambda scores: st.tuples(st.just(scores), st.integers(0, len(scores)), outside)
    )


def percent_vs_fraction() -> Drawn:
    """(0/1 scores, 0/100 scores), each with both values."""
    pairs = _lists(st.tuples(binary, binary), 0, 30).map(lambda pairs: [*pairs, (0.0, 1.0), (1.0, 1.0)])
    return pairs.map(lambda pairs: ([a for a, _ in pairs], [100 * b for _, b in pairs]))


def negative_scores() -> Drawn:
    return _lists(st.floats(-10, 10), 3, 40).map(lambda scores: [*scores, -1.0, 2.5])


def partial_credit_not_binomial() -> Drawn:
    """(partial credit that every item gets, n)."""
    return st.tuples(st.floats(0.01, 0.99), st.integers(2, 60))


def group_se_unweighted() -> Drawn:
    """(k, n) of each benchmark."""
    counts = st.integers(2, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
    return _lists(counts, 2, 6)


def group_na_child() -> Drawn:
    """What harnesses write where they have no standard error."""
    return _lists(st.sampled_from(["N/A", [], None, "", {}, "nan"]), 1, 4)


def composite_key() -> Drawn:
    """(paragraph, question, right) rows, two of each question."""
    questions = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=2, max_size=9, unique=True)
    right = st.tuples(st.booleans(), st.booleans())
    return questions.flatmap(lambda keys: st.tuples(st.just(keys), _lists(right, len(keys), len(keys))))


def epochs_mean_then_se() -> Drawn:
    """Items by epochs, pass/fail, with spread between items."""
    items = st.integers(2, 5).flatmap(lambda m: _lists(_lists(binary, m, m), 1, 12))
    return items.map(lambda rows: [*rows, [1.0] * len(rows[0]), [0.0, *[1.0] * (len(rows[0]) - 1)]])


def epochs_mode() -> Drawn:
    """(right, wrong) completions of one item."""
    return st.tuples(st.integers(0, 20), st.integers(0, 20)).filter(lambda counts: sum(counts) > 1)


def repeat_as_items() -> Drawn:
    """(items, repeats, rate) of a run whose rows are repeats."""
    return st.tuples(st.integers(3, 30), st.integers(2, 10), st.integers(0, 99))


def cluster_unequal() -> Drawn:
    """Scores in clusters of different sizes, some of them right."""
    groups = _lists(_lists(binary, 1, 6), 2, 9)
    return groups.map(lambda groups: [*groups, [1.0, 0.0, 1.0], [0.0]])


def cluster_single() -> Drawn:
    return st.tuples(_lists(st.floats(0, 1), 1, 20), st.sampled_from(["a", 7, ("x", 1)]))


def deff() -> Drawn:
    """(cluster size, intraclass correlation)."""
    return st.tuples(st.floats(1, 50), st.floats(0, 1))


def paired_vs_unpaired() -> Drawn:
    """The paired 2×2 table: (both, baseline only, candidate only, neither)."""
    return st.tuples(*[st.integers(1, 400)] * 4)


def mcnemar_balanced() -> Drawn:
    """(b = c, n)."""
    return st.integers(0, 300).flatmap(
        lambda b: st.tuples(st.just(b), st.integers(max(2 * b, 1), 2 * b + 300))
    )


def mcnemar_one_discordant() -> Drawn:
    """(which run has the one item, concordant items)."""
    return st.tuples(st.booleans(), st.integers(0, 300))


def identical_systems_permutation() -> Drawn:
    return _lists(st.floats(-9, 9), 1, 40)


def winrate_ties() -> Drawn:
    """(wins, losses, ties)."""
    return st.tuples(*[st.integers(0, 60)] * 3).filter(lambda counts: sum(counts) > 1)


def pair_by_id() -> Drawn:
    """Two runs as {item: right}, with some items in both."""
    run = st.dictionaries(st.sampled_from([f"q{i}" for i in range(12)]), binary, min_size=1)
    return st.tuples(run, run)


def bootstrap_exact_small() -> Drawn:
    return _lists(binary, 2, 12).map(lambda scores: [*scores, 0.0, 1.0])


def power_miller() -> Drawn:
    """(variance of the item differences, difference)."""
    return st.tuples(st.floats(0.01, 1), st.floats(0.005, 0.5))


def bootstrap_huge_n() -> Drawn:
    """(k, n) with n up to a million."""
    return st.integers(10_000, 10**6).flatmap(
        lambda n: st.tuples(st.integers(n // 10, n - n // 10), st.just(n))
    )


def half_sample_not_bootstrap() -> Drawn:
    return _lists(binary, 1, 15).map(lambda scores: [*scores, 0.0, 1.0])


def seed_reproducible() -> Drawn:
    """(scores, cluster labels, a way to rename the clusters, seed)."""
    rows = st.tuples(st.floats(0, 1), st.integers(0, 5))
    return st.tuples(
        _lists(rows, 4, 25).map(lambda rows: [*rows, (0.1, 0), (0.9, 1)]),
        st.sampled_from([str, float, lambda g: ("p", g), lambda g: -g]),
        st.integers(0, 9),
    )


def passk_k_gt_n() -> Drawn:
    """(n, c, k) with more attempts asked for than there are."""
    counts = st.integers(1, 20).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))
    return st.tuples(counts, st.integers(1, 9)).map(lambda d: (*d[0], d[0][0] + d[1]))


def passk_ragged() -> Drawn:
    """Problems as (n, c) with different numbers of attempts."""
    problem = st.integers(1, 12).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))
    return _lists(problem, 1, 8).map(lambda problems: [*problems, (6, 2), (3, 3)])


def passk_single_sample() -> Drawn:
    """(problems, solved) with one sample a problem, and the k somebody wants."""
    solved = st.integers(2, 200).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))
    return st.tuples(solved, st.integers(2, 20)).map(lambda d: (*d[0], d[1]))


def passk_truthiness() -> Drawn:
    """(n, c): how often right, not whether."""
    return st.integers(1, 400).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))


def passhat_k() -> Drawn:
    """(n, c, k) with k ≤ n."""
    return st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n)))


def passk_vs_passhat_name() -> Drawn:
    return passhat_k()


def holm_nan() -> Drawn:
    """p-values with some missing."""
    return _lists(st.floats(0, 1) | st.none(), 1, 12).map(lambda p: [*p, None, 0.02])


def holm_equality() -> Drawn:
    """m equal p-values at α/m exactly: (m, alpha)."""
    return st.tuples(st.integers(1, 12), st.sampled_from([0.01, 0.05, 0.1]))


def holm_all_significant() -> Drawn:
    return _lists(st.floats(1e-12, 1e-4), 1, 40)


def holm_empty() -> Drawn:
    """Nothing, or nothing that is known."""
    return _lists(st.none(), 0, 3)


def weighted_mean() -> Drawn:
    """Items right or wrong with a weight each: [(score, weight), ...]."""
    return _lists(st.tuples(binary, st.sampled_from([0.5, 1.0, 2.0, 4.0])), 2, 40)


def forty_nulls() -> Drawn:
    """(rows that nothing changed, alpha)."""
    return st.tuples(st.integers(1, 200), st.sampled_from([0.01, 0.05, 0.1]))


def power_mcnemar_table() -> Drawn:
    """(ψ, δ) with |δ| < ψ."""
    return st.tuples(st.floats(0.05, 1), st.floats(0.05, 0.9)).map(lambda d: (d[0], d[0] * d[1]))


def power_delta_zero() -> Drawn:
    return st.floats(0.01, 1)


def power_negative_delta() -> Drawn:
    return power_mcnemar_table()


def gate_fixed_tolerance() -> Drawn:
    """(n, p, tolerance) of a band around one run's score."""
    return st.tuples(st.integers(400, 5000), st.floats(0.6, 0.95), st.floats(0.03, 0.1))


def rogan_gladen() -> Drawn:
    """(hits, n, sensitivity, specificity), a judge of any quality, chance and worse among them."""
    counts = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
    shares = st.integers(0, 20).map(lambda twentieth: twentieth / 20)
    return st.tuples(counts, shares, shares).map(lambda drawn: (*drawn[0], *drawn[1:]))


def kappa_one_class() -> Drawn:
    """Two raters who both say one thing: (judge, human)."""
    labels = st.sampled_from([1, 0, "pass", "fail"])
    return st.tuples(labels, st.integers(1, 40)).map(lambda drawn: ([drawn[0]] * drawn[1],) * 2)


def kappa_constant_judge() -> Drawn:
    """(passes, fails) of the human; the judge lets all pass."""
    return st.tuples(st.integers(1, 60), st.integers(1, 9))


def kappa_unused_grades() -> Drawn:
    """Grades of two raters on a scale from 1 to 5 of which 1, 2 and 5 were given."""
    pairs = _lists(st.tuples(st.sampled_from([1, 2, 5]), st.sampled_from([1, 2, 5])), 2, 20)
    return pairs.map(lambda rows: tuple(map(list, zip(*rows, strict=True))))


def krippendorff_one_disagreement() -> Drawn:
    """Several raters who all say 3, but for one label."""
    sizes = st.tuples(st.integers(2, 5), st.integers(2, 8))
    return sizes.map(lambda size: [[3] * size[1]] * (size[0] - 1) + [[3] * (size[1] - 1) + [1]])


def krippendorff_all_same() -> Drawn:
    sizes = st.tuples(st.integers(1, 5), st.integers(2, 4), st.integers(1, 8))
    return sizes.map(lambda drawn: [[drawn[0]] * drawn[2]] * drawn[1])
