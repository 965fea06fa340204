"""What may be asked of score and compare, and what is refused: no option is accepted and ignored."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import evalstats as es
from evalstats.analyses.options import Options, alpha_of, size_in_score_units
from evalstats.envelope import Scale
from evalstats.errors import InputError, MethodError, NoGuaranteeError
from tests.made_runs import command, counted, records, refused, run_of

FRACTION = Scale("pass_fail", 0.0, 1.0)
JUDGE = Scale("bounded", 1.0, 10.0)
LATENCY = Scale("unbounded")
COUNTS = ("360/500", "375/500")


def _pairs(both=20, baseline_only=6, candidate_only=14, neither=10):
    old, new = counted(both, baseline_only, candidate_only, neither)
    return records(old), records(new)


def test_a_misspelt_keyword_suggests_the_near_one():
    with pytest.raises(InputError, match=r"no option 'margn'\. Did you mean 'margin'\? There are: metric,"):
        es.compare(*COUNTS, margn=0.01)
    with pytest.raises(InputError, match=r"no option 'zzz'\. There are"):
        es.score("3/4", zzz=1)


def test_a_misspelt_option_of_the_command_suggests_the_near_one(capsys):
    assert "Did you mean --margin?" in refused(capsys, "compare", *COUNTS, "--margn", "1")


@pytest.mark.parametrize(
    ("option", "came", "near"),
    [
        ("view", "fixed_item", "fixed_items"),
        ("missing", "worng", "wrong"),
        ("correction", "bonferoni", "bonferroni"),
    ],
)
def test_a_misspelt_choice_suggests_the_near_one(option, came, near):
    with pytest.raises(
        InputError, match=rf"{option} is '{came}'\. Did you mean '{near}'\? It must be one of"
    ):
        es.compare(*_pairs(), **{option: came})


@pytest.mark.parametrize("option", ["guarantee", "paired", "lower_is_better", "latest", "with_text"])
@pytest.mark.parametrize("came", ["no", None, 0])
def test_yes_or_no_is_never_read_out_of_something_else(option, came):
    with pytest.raises(InputError, match=rf"{option}={came!r}: give True or False"):
        es.compare(*_pairs(), **{option: came})


@pytest.mark.parametrize("option", ["metric", "filter", "task", "id", "cluster", "method"])
@pytest.mark.parametrize("came", [5, ["a", "b"]])
def test_a_name_that_is_no_text_is_refused(option, came):
    with pytest.raises(InputError, match=rf"{option}={re.escape(repr(came))}: give its name as text"):
        es.compare(*_pairs(), **{option: came})


@pytest.mark.parametrize("call", [es.score, lambda *a, **k: es.compare(*a, "375/500", **k)])
@pytest.mark.parametrize("method", ["wilsn", "newcomb_unpaired"])
def test_a_misspelt_method_lists_those_there_are(call, method):
    with pytest.raises(MethodError, match=r"is no method for .* There are: "):
        call("360/500", method=method)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.999, np.float64(0.8)])
def test_a_level_from_one_half_to_below_one_is_taken(level):
    assert es.score("3/4", level=level).only.run.estimate.level == level


@pytest.mark.parametrize("level", [0.49, 1, 1.0, 0, -1, math.nan, math.inf, "0.95", None, True])
def test_any_other_level_is_refused(level):
    for call in (lambda: es.score("3/4", level=level), lambda: es.compare(*_pairs(), level=level)):
        with pytest.raises(InputError, match="level"):
            call()


def test_a_level_in_per_cent_is_told_its_fraction(capsys):
    with pytest.raises(InputError, match=r"95% is level=0\.95"):
        es.score("3/4", level=95)
    assert "0.95" in refused(capsys, "score", "3/4", "--level", "95")


@pytest.mark.parametrize("bounds", [(1,), (1, 2, 3), (5, 5), (10, 1), "1,10", 7, (0, math.inf), ("a", "b")])
def test_bounds_that_are_no_scale_are_refused(bounds):
    with pytest.raises(InputError, match="bounds"):
        es.score([{"item": 1, "score": 1}, {"item": 2, "score": 2}], bounds=bounds)


@pytest.mark.parametrize("bounds", [(1, 10), [1, 10], np.array([1.0, 10.0])])
def test_bounds_are_two_numbers_in_any_sequence(bounds):
    row = es.score([{"item": 1, "score": 1}, {"item": 2, "score": 2}], bounds=bounds).only
    assert (row.scale.low, row.scale.high) == (1.0, 10.0)
    row.to_dict()


@pytest.mark.parametrize("labels", [("a",), ("a", "b", "c"), "ab", ("a", 3), ("a", "")])
def test_a_comparison_takes_two_labels(labels):
    with pytest.raises(InputError, match=r"label.*(one text a run|two labels)"):
        es.compare(*COUNTS, labels=labels)


@pytest.mark.parametrize("labels", [("a", "b"), "a"])
def test_a_score_takes_one_label(labels):
    with pytest.raises(InputError, match=r"label.*one"):
        es.score("3/4", labels=labels)


def test_labels_on_the_command_line(capsys):
    assert "label" in refused(capsys, "compare", *COUNTS, "--label", "a")
    printed = command(capsys, "compare", *COUNTS, "--label", "a", "--label", "b")
    row = printed["comparisons"][0]
    assert (row["baseline"]["label"], row["candidate"]["label"]) == ("a", "b")


@pytest.mark.parametrize(
    ("asked", "scale", "size"),
    [
        (0.01, FRACTION, 0.01),
        (0.5, FRACTION, 0.5),
        ("1", FRACTION, 0.01),
        ("0.5", FRACTION, 0.005),
        ("7", FRACTION, 0.07),
        ("0.01", FRACTION, 0.01),
        ("1pt", FRACTION, 0.01),
        ("0.01pt", FRACTION, 0.0001),
        ("2 points", FRACTION, 0.02),
        ("2%", FRACTION, 0.02),
        (" 1 PT ", FRACTION, 0.01),
        (1, JUDGE, 1.0),
        ("1", JUDGE, 1.0),
        ("0.25", JUDGE, 0.25),
        ("30", LATENCY, 30.0),
        (30, LATENCY, 30.0),
        (np.float64(0.02), FRACTION, 0.02),
    ],
)
def test_a_margin_is_read_in_the_unit_of_the_score(asked, scale, size):
    assert size_in_score_units("margin", asked, scale) == pytest.approx(size, rel=1e-15)


@pytest.mark.parametrize("asked", [1, 1.0, 5, True])
def test_a_margin_of_one_or_more_on_a_unit_scale_asks_whether_hundredths_were_meant(asked):
    with pytest.raises(MethodError, match=rf"did you mean {float(asked) / 100:g}\?"):
        es.compare(*COUNTS, margin=asked)
    with pytest.raises(MethodError, match="did you mean"):
        es.compare(*_pairs(), effect=asked)


@pytest.mark.parametrize("asked", [0, -0.01, math.nan, "0", "-1", "nan", "inf", math.inf])
def test_a_margin_is_above_zero(asked):
    with pytest.raises(MethodError, match=r"above zero|did you mean"):
        es.compare(*COUNTS, margin=asked)


@pytest.mark.parametrize("asked", ["100", "150pt"])
def test_a_margin_of_the_whole_scale_is_refused_as_text_too(asked):
    with pytest.raises(es.EvalStatsError, match=r"scale|everything"):
        es.compare(*COUNTS, margin=asked)


@pytest.mark.parametrize("asked", ["one", "", "1 2", "1,0"])
def test_a_margin_that_is_no_number_is_refused(asked):
    with pytest.raises(InputError, match=r"write a number such as 1, 1pt or 0.01"):
        es.compare(*COUNTS, margin=asked)


@pytest.mark.parametrize("scale", [JUDGE, LATENCY])
def test_points_of_a_score_that_has_none_are_refused(scale):
    with pytest.raises(InputError, match="give it in the score's own unit"):
        size_in_score_units("margin", "1pt", scale)


def test_the_margin_is_echoed_in_the_unit_of_the_score(capsys):
    printed = command(capsys, "compare", *COUNTS, "--margin", "1")["comparisons"][0]
    assert printed["margin"] == 0.01
    assert printed["needed"]["source"] == "margin"


def test_needed_answers_the_effect_before_the_margin():
    row = es.compare(*COUNTS, discordant=(40, 55), margin=0.01, effect=0.05).only
    assert (row.needed.source, row.needed.effect) == ("effect", 0.05)
    assert row.needed.n == es.required_n_mcnemar(0.05, 95 / 500)
    assert es.compare(*COUNTS, discordant=(40, 55)).only.needed is None


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"metric": "acc"}, "metric"),
        ({"filter": "none"}, "filter"),
        ({"task": "x"}, "task"),
        ({"id": "x"}, "id"),
        ({"cluster": "x"}, "cluster"),
        ({"view": "fixed_items"}, "view"),
        ({"missing": "wrong"}, "missing"),
        ({"bounds": (0, 1)}, "bounds"),
        ({"n_boot": 500}, "n_boot"),
        ({"latest": True}, "latest"),
        ({"seed": 7}, "seed"),
    ],
)
def test_options_that_do_nothing_for_counts_are_refused(options, named):
    with pytest.raises(InputError, match=rf"^{named}: counts have no such thing"):
        es.score("360/500", **options)
    with pytest.raises(InputError, match=rf"^{named}: counts have no such thing"):
        es.compare(*COUNTS, **options)


def test_unpaired_counts_are_what_counts_are_anyway():
    with pytest.raises(InputError, match="paired: counts"):
        es.compare(*COUNTS, paired=False)


@pytest.mark.parametrize(
    "options",
    [{"margin": 0.01}, {"effect": 0.01}, {"discordant": (1, 2)}, {"paired": False}, {"correction": "none"}],
)
def test_options_about_two_runs_are_refused_by_score(options):
    with pytest.raises(InputError, match="about two runs; use compare BASELINE CANDIDATE"):
        es.score("360/500", **options)


def test_discordant_counts_are_for_counts_alone():
    with pytest.raises(InputError, match="logs hold the discordant items themselves"):
        es.compare(*_pairs(), discordant=(6, 14))


@pytest.mark.parametrize(
    "discordant",
    [(55, 40), (40, 56), (400, 415), (-1, 14), (0, 16), (126, 141), (40,), (40, 55, 1), (40.5, 55.5)],
)
def test_discordant_counts_must_fit_both_counts(discordant):
    with pytest.raises(InputError, match="discordant"):
        es.compare(*COUNTS, discordant=discordant)


def test_discordant_counts_need_the_same_number_of_items():
    with pytest.raises(InputError, match="does not fit 360/500 and 375/501"):
        es.compare("360/500", "375/501", discordant=(40, 55))


@pytest.mark.parametrize("call", ["score", "compare"])
def test_a_number_of_resamples_without_a_bootstrap_is_refused(call):
    run = run_of({f"q{i}": i % 2 for i in range(30)})
    runs = (run,) if call == "score" else (run, run_of({f"q{i}": i % 3 > 0 for i in range(30)}))
    with pytest.raises(MethodError, match="n_boot=500 has no use"):
        getattr(es, call)(*runs, n_boot=500)
    method = "bootstrap_percentile"
    result = getattr(es, call)(*runs, method=method, n_boot=500, seed=3).only
    estimate = result.run.estimate if call == "score" else result.difference
    assert (estimate.n_boot, estimate.seed) == (500, 3)


GUARANTEED = {
    "a rate": (lambda: es.score("1/30", guarantee=True).only.run.estimate, "clopper_pearson", "proved"),
    "paired rates": (
        lambda: es.compare(*COUNTS, discordant=(40, 55), guarantee=True).only.difference,
        "tango_bonett_price",
        "enumerated",
    ),
    "paired logs": (
        lambda: es.compare(*_pairs(), guarantee=True).only.difference,
        "tango_bonett_price",
        "enumerated",
    ),
    "unpaired rates": (
        lambda: es.compare(*COUNTS, guarantee=True).only.difference,
        "clopper_pearson_rectangle",
        "proved",
    ),
    "bounded scores": (lambda: _scored("score", _GRADES, {}), "betting_mixture", "proved"),
    "completions": (lambda: _scored("score", _REPEATED, {}), "betting_mixture", "proved"),
    "clusters": (lambda: _scored("score", _IN_CLUSTERS, _DECLARED), "betting_mixture", "proved"),
    "paired scores": (lambda: _scored("compare", _GRADES, {}), "betting_mixture", "proved"),
    "paired completions": (lambda: _scored("compare", _REPEATED, {}), "betting_mixture", "proved"),
    "paired clusters": (lambda: _scored("compare", _IN_CLUSTERS, _DECLARED), "betting_mixture", "proved"),
    "under ten pairs": (
        lambda: es.compare("4/8", "5/8", discordant=(1, 2), guarantee=True).only.difference,
        "betting_mixture",
        "proved",
    ),
    "nearly all discordant": (
        lambda: es.compare("10/20", "10/20", discordant=(9, 9), guarantee=True).only.difference,
        "tango_bonett_price",
        "enumerated",
    ),
}
_GRADES = [{"item": i, "score": i / 40} for i in range(40)]
_REPEATED = [{"item": i % 20, "epoch": i // 20, "score": i % 3 > 0} for i in range(40)]
_IN_CLUSTERS = [{"item": i, "score": i % 2, "g": i // 4} for i in range(40)]
_DECLARED = {"cluster": "g", "largest_cluster": 6}


def _scored(call, rows, asked):
    """The guaranteed estimate of one run, or of a run and itself with every fifth score turned."""
    if call == "score":
        return es.score(rows, guarantee=True, **asked).only.run.estimate
    other = [{**row, "score": 1 - row["score"] if row["item"] % 5 == 0 else row["score"]} for row in rows]
    return es.compare(rows, other, guarantee=True, **asked).only.difference


@pytest.mark.parametrize("row", GUARANTEED)
def test_the_guarantee_of_a_row_is_named(row):
    call, method, proof = GUARANTEED[row]
    estimate = call()
    assert (estimate.method, estimate.extra["guarantee"]) == (method, proof)


def test_tests_under_guarantee_are_exact():
    assert es.compare(*_pairs(), guarantee=True).only.test.method == "mcnemar_exact"
    assert es.compare(*COUNTS, guarantee=True).only.test.method == "boschloo"


NOT_GUARANTEED = {
    "unbounded scores": lambda: es.score([{"item": i, "score": i * 7} for i in range(10)], guarantee=True),
    "clusters without a largest": lambda: es.score(_IN_CLUSTERS, cluster="g", guarantee=True),
    "paired scores": lambda: es.compare(
        records({f"q{i}": i * 0.7 for i in range(9)}),
        records({f"q{i}": i * 0.9 for i in range(9)}),
        guarantee=True,
    ),
    "unpaired scores": lambda: es.compare(_GRADES, _GRADES, paired=False, guarantee=True),
    "unpaired clusters": lambda: es.compare(
        _IN_CLUSTERS, _IN_CLUSTERS, paired=False, guarantee=True, cluster="g"
    ),
}


@pytest.mark.parametrize("row", NOT_GUARANTEED)
def test_a_row_without_a_guarantee_says_so(row):
    with pytest.raises(NoGuaranteeError):
        NOT_GUARANTEED[row]()


def test_what_nobody_has_summed_for_a_proof_is_not_said():
    """The power of a bet is not known: no count of items is invented for a margin."""
    rows = [{**row, "score": row["score"] / 2} for row in _GRADES]
    proved = es.compare(_GRADES, rows, guarantee=True, margin=0.1).only
    assert proved.needed is None
    assert proved.mde_note.endswith("for the default interval")
    assert es.compare(_GRADES, rows, margin=0.1).only.needed.n > 0


def test_a_method_beside_guarantee_must_be_the_guarantee():
    with pytest.raises(MethodError, match="contradicts guarantee=True"):
        es.score("1/30", guarantee=True, method="wilson")
    assert es.score("1/30", guarantee=True, method="clopper_pearson").only.run.estimate.extra["guarantee"]


def test_only_options_that_differ_from_their_default_are_recorded():
    result = es.compare(*COUNTS, level=0.9, margin="1", correction="holm", discordant=(40, 55))
    assert result.provenance.options == {"level": 0.9, "margin": "1", "discordant": (40, 55)}
    assert Options().asked() == {}


def test_alpha_has_no_tail():
    assert [alpha_of(level) for level in (0.9, 0.95, 0.99)] == [0.1, 0.05, 0.01]
