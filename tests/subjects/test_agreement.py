"""Agreement coefficients: second computations, laws, the ceiling, and where nothing can be known."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evalstats as es
from evalstats.errors import InputError, MethodError, PairingError
from evalstats.subjects.agreement_intervals import chance_error

few = settings(max_examples=30, deadline=None)
labels = st.sampled_from(["a", "b", "c"])


def two_raters(least=2, most=30):
    """(first, second) labels of the same items."""
    pairs = st.lists(st.tuples(labels, labels), min_size=least, max_size=most)
    return pairs.map(lambda rows: tuple(map(list, zip(*rows, strict=True))))


def several(raters=3):
    """Labels of several raters, some of them missing."""
    row = st.lists(labels | st.none(), min_size=raters, max_size=raters)
    return st.lists(row, min_size=2, max_size=14).map(lambda rows: list(map(list, zip(*rows, strict=True))))


# second computations: pairs of labels, counted one by one, in whole numbers


def _pairs(ratings):
    """(label, other label, 1/(m−1)) of every ordered pair of labels of one item."""
    for item in zip(*ratings, strict=True):
        given = [x for x in item if x is not None]
        for one, two in itertools.permutations(given, 2):
            yield one, two, Fraction(1, len(given) - 1)


@few
@given(ratings=several())
def test_alpha_is_one_minus_observed_over_expected_disagreement(ratings):
    pairs = list(_pairs(ratings))
    if not pairs:
        return
    n = sum(weight for *_, weight in pairs)
    uses = [one for one, _, weight in pairs for _ in [0]]
    counts = {x: sum(w for one, _, w in pairs if one == x) for x in set(uses)}
    observed = sum(w for one, two, w in pairs if one != two) / n
    expected = sum(counts[x] * counts[y] for x in counts for y in counts if x != y) / (n * (n - 1))
    alpha = es.krippendorff_alpha(ratings)
    if expected == 0:
        assert math.isnan(alpha.point)
        assert "0/0" in alpha.extra["undefined"]["point"]
    else:
        assert alpha.point == pytest.approx(float(1 - observed / expected), abs=1e-12)


@few
@given(rows=two_raters())
def test_kappa_is_what_chance_leaves(rows):
    a, b = rows
    n = len(a)
    p_o = Fraction(sum(x == y for x, y in zip(a, b, strict=True)), n)
    p_e = sum(Fraction(a.count(c) * b.count(c), n * n) for c in "abc")
    kappa = es.cohen_kappa(a, b)
    if p_e == 1:
        assert math.isnan(kappa.point)
    else:
        assert kappa.point == pytest.approx(float((p_o - p_e) / (1 - p_e)), abs=1e-12)


@few
@given(rows=two_raters(), order=st.randoms(use_true_random=False))
def test_neither_the_order_of_items_nor_of_raters_nor_names_move_kappa(rows, order):
    a, b = rows
    shuffled = list(zip(a, b, strict=True))
    order.shuffle(shuffled)
    c, d = zip(*shuffled, strict=True)
    first = es.cohen_kappa(a, b)
    renamed = {"a": "z", "b": "y", "c": "x"}
    same = (
        es.cohen_kappa(c, d),
        es.cohen_kappa(b, a),
        es.cohen_kappa(*([renamed[x] for x in row] for row in rows)),
    )
    for other in same:
        for field in ("point", "ci_low", "ci_high"):
            assert getattr(other, field) == pytest.approx(getattr(first, field), abs=1e-12, nan_ok=True)
    assert same[0].to_dict() == first.to_dict()


@few
@given(rows=two_raters())
def test_quadratic_kappa_of_two_classes_is_kappa(rows):
    a, b = ([int(x == "a") for x in row] for row in rows)
    plain, quadratic = es.cohen_kappa(a, b), es.cohen_kappa(a, b, weights="quadratic")
    assert quadratic.point == pytest.approx(plain.point, abs=1e-12, nan_ok=True)
    assert quadratic.ci_low == pytest.approx(plain.ci_low, abs=1e-9, nan_ok=True)


@few
@given(rows=two_raters(6))
def test_the_jackknife_leaves_every_item_out_once(rows):
    a, b = rows
    n = len(a)
    without = [es.cohen_kappa(a[:i] + a[i + 1 :], b[:i] + b[i + 1 :]).point for i in range(n)]
    found = es.cohen_kappa(a, b, method="jackknife_t")
    v = (n - 1) * np.var(without)
    if np.all(np.isfinite(without)) and v > 1e-20 and math.isfinite(found.point):
        assert found.standard_error == pytest.approx(math.sqrt(v), rel=1e-7)
        assert found.extra["df"] == n - 1
    elif math.isfinite(found.point):
        assert math.isnan(found.ci_low)


@few
@given(rows=two_raters(3))
def test_every_item_its_own_cluster_changes_nothing_and_twins_count_once(rows):
    a, b = rows
    n = len(a)
    alone = es.cohen_kappa(a, b, method="jackknife_t")
    own = es.cohen_kappa(a, b, cluster=list(range(n)))
    assert own.method == "jackknife_t"
    assert own.point == pytest.approx(alone.point, nan_ok=True)
    assert own.ci_low == pytest.approx(alone.ci_low, nan_ok=True, abs=1e-12)
    twins = es.cohen_kappa(a + a, b + b, cluster=[*range(n), *range(n)])
    assert twins.ci_low == pytest.approx(alone.ci_low, nan_ok=True, abs=1e-9)


@few
@given(rows=two_raters(12, 40), level=st.floats(0.5, 0.99))
def test_limits_hold_the_point_and_stay_on_the_scale(rows, level):
    a, b = rows
    found = [es.cohen_kappa(a, b, level=level, method=m) for m in ("fce", "jackknife_t")]
    found += [
        es.agreement.gwet_ac1(rows, level=level, categories=["a", "b", "c"]),
        es.krippendorff_alpha(rows, level=level),
    ]
    for one in found:
        if math.isfinite(one.ci_low):
            assert -1 <= one.ci_low <= one.point <= one.ci_high <= 1
        else:
            assert one.extra["undefined"]["ci_low"]


@few
@given(rows=two_raters(5))
def test_donner_and_eliasziw_keep_what_their_test_keeps(rows):
    a, b = ([int(x == "a") for x in row] for row in rows)
    found = es.cohen_kappa(a, b, method="donner_eliasziw")
    n, ones = len(a), sum(a) + sum(b)
    if ones in (0, 2 * n):
        assert math.isnan(found.point)
        return
    pi, differ = ones / (2 * n), sum(x != y for x, y in zip(a, b, strict=True))
    assert found.point == pytest.approx(1 - differ / (2 * n * pi * (1 - pi)))
    assert es.krippendorff_alpha([a, b]).point == pytest.approx(1 - (1 - found.point) * (2 * n - 1) / (2 * n))

    def chi2(kappa):
        q = pi * (1 - pi)
        P = (pi**2 + q * kappa, 2 * q * (1 - kappa), (1 - pi) ** 2 + q * kappa)
        both = sum(x == y == 1 for x, y in zip(a, b, strict=True))
        return sum(
            (k - n * p) ** 2 / (n * p) for k, p in zip((both, differ, n - both - differ), P, strict=True)
        )

    for end in (found.ci_low, found.ci_high):
        inside = -min(pi / (1 - pi), (1 - pi) / pi) + 1e-9 < end < 1 - 1e-9
        if inside:
            assert chi2(end) == pytest.approx(3.841458820694124, rel=1e-6)


def test_bca_is_exact_where_resamples_can_be_listed():
    rows = es.agreement.labels_of_table([[20, 5], [4, 16]])
    exact = es.cohen_kappa(*rows, method="bca")
    assert (exact.n_boot, exact.extra["law"]) == (None, "exact enumeration")
    drawn = es.cohen_kappa(*rows, method="bca", n_boot=50_000, seed=3)
    assert drawn.n_boot == 50_000
    assert (drawn.ci_low, drawn.ci_high) == pytest.approx((exact.ci_low, exact.ci_high), abs=0.02)
    assert exact.extra["boot_se"] == pytest.approx(drawn.extra["boot_se"], rel=0.02)
    assert es.cohen_kappa(*rows, method="bca", n_boot=500) == es.cohen_kappa(*rows, method="bca", n_boot=500)


def test_chance_error_is_fleiss_cohen_and_everitts_third_formula():
    p = np.array([[30.0, 10.0], [5.0, 55.0]])
    row, column, n = p.sum(1) / 100, p.sum(0) / 100, 100
    p_e = float(row @ column)
    right = math.sqrt(p_e + p_e**2 - float(row * column @ (row + column))) / (1 - p_e) / math.sqrt(n)
    assert chance_error(p, np.eye(2)) == pytest.approx(right, abs=1e-12)


def test_what_agrees_by_one_class_alone_is_not_known_and_ac1_stands():
    ones = [1] * 8
    kappa, ac1 = es.cohen_kappa(ones, ones), es.agreement.gwet_ac1([ones, ones])
    assert math.isnan(kappa.point)
    assert "one class" in kappa.extra["undefined"]["point"]
    assert (kappa.extra["observed_agreement"], kappa.extra["expected_agreement"]) == (1, 1)
    assert ac1.point == 1
    assert es.agreement.confusion(ones, ones)[1].recall.point == 1
    assert math.isnan(es.agreement.confusion(ones, ones)[0].recall.point)
    with pytest.raises(InputError, match="could have been given"):
        es.agreement.gwet_ac1([["pass"] * 8, ["pass"] * 8])


def test_a_rare_class_is_said_with_its_figures():
    kappa = es.cohen_kappa(*es.agreement.labels_of_table([[118, 5], [2, 0]]))
    (said,) = (c["text"] for c in kappa.extra["caveats"] if c["code"] == "rare_class")
    assert "2 items by the first rater and 5 by the second, 0 of them by both" in said
    assert "AC1 is 0.94" in said
    common = es.cohen_kappa(*es.agreement.labels_of_table([[40, 10], [10, 40]]))
    assert common.extra["caveats"] == []


def test_missing_labels_are_left_out_and_counted():
    a, b = ["x", "y", None, "x", "y"], ["x", "y", "x", "", "x"]
    kappa = es.cohen_kappa(a, b)
    assert kappa.n == 3
    assert {c["code"] for c in kappa.extra["caveats"]} >= {"missing_labels", "few_items", "rare_class"}
    assert kappa.point == es.cohen_kappa(["x", "y", "y"], ["x", "y", "x"]).point


def test_grades_nobody_gave_keep_their_distance():
    a, b = [1, 2, 5, 5, 1, 2], [2, 2, 5, 1, 1, 1]
    by_value = es.cohen_kappa(a, b, weights="quadratic").point
    declared = es.cohen_kappa(a, b, weights="quadratic", categories=(1, 2, 3, 4, 5)).point
    words = {1: "1", 2: "2", 5: "5"}
    texts = [[words[x] for x in row] for row in (a, b)]
    named = es.cohen_kappa(*texts, weights="quadratic", categories=("1", "2", "3", "4", "5")).point
    assert by_value == declared == named == pytest.approx(0.4375, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: es.cohen_kappa([1, 0], [1]), PairingError, "rater 1 has 2 labels and rater 2 1"),
        (lambda: es.cohen_kappa([1, 0], ["1", "0"]), InputError, "numbers and texts"),
        (lambda: es.cohen_kappa(["Good", "bad"], ["good", "bad"]), InputError, "differ in case alone"),
        (lambda: es.cohen_kappa([1, 3], [1, 2], categories=(1, 2)), InputError, "3 is given as a label"),
        (lambda: es.cohen_kappa(["a", "b"], ["a", "b"], weights="linear"), InputError, "order of the labels"),
        (lambda: es.cohen_kappa([1, 0], [1, 0], weights="linera"), InputError, "Did you mean 'linear'"),
        (lambda: es.cohen_kappa([1, 0], [1, 0], weights=[[1, 2]]), InputError, "2 rows of 2 numbers"),
        (lambda: es.cohen_kappa([1, None], [None, 1]), InputError, "no item has a label by both"),
        (lambda: es.cohen_kappa([None], [None]), InputError, "no rater gave a label"),
        (lambda: es.cohen_kappa("abc", "abd"), InputError, "sequence of labels"),
        (lambda: es.cohen_kappa([1, 0], [1, 0], method="wilson"), MethodError, "no method for Cohen's kappa"),
        (lambda: es.cohen_kappa([1, 0], [1, 0], n_boot=1000), MethodError, "resamples nothing"),
        (lambda: es.cohen_kappa(list("abc"), list("abc"), method="donner_eliasziw"), MethodError, "two cat"),
        (lambda: es.cohen_kappa([1, 0], [1, 0], alpha=0.1), InputError, "no option 'alpha'"),
        (lambda: es.cohen_kappa(range(200), range(200)), InputError, "measurements, not classes"),
        (lambda: es.krippendorff_alpha([[1, 2], [1, 2]], scale="rank"), InputError, "must be one of"),
        (lambda: es.krippendorff_alpha([["a"], ["b"]], scale="interval"), InputError, "for numbers"),
        (lambda: es.krippendorff_alpha([["a"], ["b"]], scale="ordinal"), InputError, "needs the order"),
        (lambda: es.krippendorff_alpha([[-1], [2]], scale="ratio"), InputError, "true zero"),
        (lambda: es.krippendorff_alpha([[1, None], [None, 2]]), InputError, "no item has two labels"),
        (lambda: es.krippendorff_alpha([[1, 2]]), InputError, "1 rater came"),
        (lambda: es.agreement.fleiss_kappa([[1, 2], [1, None]]), InputError, "equally many"),
        (lambda: es.agreement.labels_of_table([[1, 2]]), InputError, "square"),
        (lambda: es.agreement.labels_of_counts([[1.5]]), InputError, "whole numbers"),
        (lambda: es.agreement.landis_koch(math.nan), InputError, "number of at most 1"),
        (lambda: es.agreement.ceiling([1, 0], [[1, 0]]), InputError, "1 human came"),
    ],
)
def test_errors_say_what_to_do(call, error, said):
    with pytest.raises(error, match=said):
        call()


def test_any_number_of_different_values_has_an_interval_alpha():
    generator = np.random.default_rng(1)
    truth = generator.normal(1e6, 1, 300)
    rows = [truth + generator.normal(0, 0.5, 300) for _ in range(2)]
    alpha = es.krippendorff_alpha(rows, scale="interval")
    both = np.concatenate(rows)
    observed = np.mean((rows[0] - rows[1]) ** 2)
    expected = 2 * np.var(both, ddof=1)
    assert alpha.point == pytest.approx(1 - observed / expected, abs=1e-9)


# the ceiling


@few
@given(ratings=several(), measure=st.sampled_from(["kappa", "ac1", "alpha", "agreement"]))
def test_the_ceiling_is_the_mean_over_pairs_of_the_common_items(ratings, measure):
    judge, one, two = ratings
    common = [row for row in zip(judge, one, two, strict=True) if None not in row]
    if not common:
        with pytest.raises(InputError, match=r"labelled by the judge and all humans|no rater gave"):
            es.agreement.ceiling(judge, [one, two], measure=measure)
        return
    categories = ("a", "b", "c")
    found = es.agreement.ceiling(judge, [one, two], measure=measure, categories=categories)
    of = {
        "kappa": lambda pair: es.cohen_kappa(*pair, categories=categories).point,
        "ac1": lambda pair: es.agreement.gwet_ac1(pair, categories=categories).point,
        "alpha": lambda pair: es.krippendorff_alpha(pair, categories=categories).point,
        "agreement": lambda pair: es.agreement.percent_agreement(pair).point,
    }[measure]
    j, h1, h2 = (list(row) for row in zip(*common, strict=True))
    assert found.judge.point == pytest.approx((of((j, h1)) + of((j, h2))) / 2, nan_ok=True)
    assert found.human.point == pytest.approx(of((h1, h2)), nan_ok=True)
    assert found.difference.point == pytest.approx(found.judge.point - found.human.point, nan_ok=True)
    assert found.n == len(common)


def test_a_judge_who_is_one_of_the_humans_agrees_as_well():
    generator = np.random.default_rng(5)
    truth = generator.integers(0, 2, 80)
    one, two = (np.where(generator.random(80) < 0.15, 1 - truth, truth) for _ in range(2))
    judge = np.where(generator.random(80) < 0.15, 1 - truth, truth)
    worse = np.where(generator.random(80) < 0.45, 1 - truth, truth)
    same, below = (es.agreement.ceiling(x, [one, two]) for x in (judge, worse))
    assert same.difference.ci_low < 0 < same.difference.ci_high
    assert below.difference.ci_high < 0
    assert below.test.pvalue < 0.01 < same.test.pvalue
    # test and interval are of one t
    assert below.test.statistic == pytest.approx(below.difference.point / below.difference.standard_error)
