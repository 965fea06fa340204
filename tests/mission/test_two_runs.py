"""Rows 7–11, 22 and 23 of the mission: each one command and one call, with the method and the number."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy import stats

import evalstats as es
from tests.made_runs import codes, command, counted, records, refused, texts, write_csv
from tests.mission.expected import limits, percent, seed
from tests.readers.small_logs import (
    eval_members,
    inspect_result,
    inspect_sample,
    inspect_spec,
    lm_eval_line,
    lm_eval_results,
    sha256,
    write_eval,
    write_lm_eval,
)

WEEKS = ("360/500", "375/500", "--discordant", 40, 55)


def _only(result):
    (row,) = result["comparisons"]
    return row


@pytest.fixture
def weeks(tmp_path):
    """Two tables of the same 500 items: 40 only the old has right, 55 only the new."""
    old, new = counted(320, 40, 55, 85)
    shuffled = random.Random(7).sample(records(new), 500)
    return (
        write_csv(tmp_path / "week-31.csv", records(old)),
        write_csv(tmp_path / "week-32.csv", shuffled),
    )


def _calls(weeks, **options):
    """The comparison of row 7 from counts and from tables: one answer."""
    return [
        es.compare("360/500", "375/500", discordant=(40, 55), **options).only,
        es.compare(*weeks, **options).only,
    ]


def test_row_7_two_checkpoints_the_difference_first(capsys, weeks):
    printed = [_only(command(capsys, "compare", *named)) for named in (WEEKS, weeks)]
    for row in _calls(weeks):
        assert (row.difference.method, row.test.method) == ("tango", "mcnemar_exact")
        assert row.difference.point == pytest.approx(0.03, abs=1e-15)
        assert percent(row.difference) == (-0.8, 6.9)
        assert row.test.pvalue == seed("mcnemar_40_55")
        assert row.difference.standard_error == seed("paired_se_40_55")
        assert row.verdict == "not_settled"
        assert (row.pairing.baseline_only, row.pairing.candidate_only) == (40, 55)
        for found in printed:
            assert limits(found["difference"]) == limits(row.difference)
            assert found["test"]["pvalue"] == row.test.pvalue
            assert (found["difference"]["method"], found["test"]["method"]) == ("tango", "mcnemar_exact")


def test_row_7_the_interval_of_the_source_by_name(capsys, weeks):
    printed = _only(command(capsys, "compare", *WEEKS, "--method", "wald"))
    for row in _calls(weeks, method="wald"):
        assert limits(row.difference) == limits(printed["difference"])
        half = 1.96 * row.difference.standard_error  # the source rounds z
        assert [0.03 - half, 0.03 + half] == seed("paired_ci_40_55")
        assert limits(row.difference) == pytest.approx([0.03 - half, 0.03 + half], abs=1e-6)
        assert percent(row.difference) == (-0.8, 6.8)


def test_row_7_unpaired_the_error_bar_is_half_as_wide_again(capsys, weeks):
    printed = _only(command(capsys, "compare", "360/500", "375/500"))
    for row in (es.compare("360/500", "375/500").only, es.compare(*weeks, paired=False).only):
        assert (row.difference.method, row.test.method) == ("newcombe_unpaired", "z_pooled")
        assert row.test.pvalue == printed["test"]["pvalue"] == seed("unpaired_p")
        assert row.difference.standard_error == seed("unpaired_se")
        assert "shared_items_unpaired" in codes(row.caveats)
    paired = es.compare(*weeks).only.difference.standard_error
    assert 1 - paired / row.difference.standard_error == pytest.approx(0.303, abs=5e-4)


def test_row_7_the_same_proportions_at_two_thousand_items_are_settled(capsys):
    asked = ("1440/2000", "1500/2000", "--discordant", 160, 220)
    printed = _only(command(capsys, "compare", *asked))
    row = es.compare("1440/2000", "1500/2000", discordant=(160, 220)).only
    assert printed["test"]["pvalue"] == row.test.pvalue == seed("mcnemar_2000")
    assert printed["verdict"] == row.verdict == "improved"


def _prompted(folder, prompt, shots):
    lines = [
        lm_eval_line(i, acc=float(i % 3 != shots % 3), prompt_hash=sha256(f"{prompt} {i}")) for i in range(12)
    ]
    results = lm_eval_results(**{"n-shot": {"color_quiz": shots}, "n-samples": {}})
    write_lm_eval(folder, lines, results)
    return folder


def test_row_8_what_changed_between_two_prompts_is_shown_from_the_logs(capsys, tmp_path):
    old, new = _prompted(tmp_path / "zero", "Q:", 0), _prompted(tmp_path / "five", "Q: (5)", 5)
    printed = _only(command(capsys, "compare", old, new))
    row = es.compare(old, new).only
    assert (row.difference.method, row.test.method) == ("tango", "mcnemar_exact")
    assert (row.pairing.key, row.pairing.n_common) == ("content hash", 12)
    (change,) = row.pairing.changed_config
    assert (change.setting, change.baseline, change.candidate) == ("num_fewshot", "0", "5")
    assert printed["pairing"]["changed_config"] == [
        {"setting": "num_fewshot", "baseline": "0", "candidate": "5"}
    ]
    prompts = next(check for check in row.pairing.checks if check.name == "prompts")
    assert (prompts.status, prompts.text) == ("note", "12 of 12 items had another prompt")


@pytest.mark.parametrize(
    ("points", "fraction", "margin_verdict", "verdict"),
    [
        ("0.5", 0.005, "not_shown", "not_settled"),
        ("1", 0.01, "not_worse", "not_worse"),
        ("7", 0.07, "equivalent", "equivalent"),
    ],
)
def test_rows_9_and_11_a_margin_decides(capsys, weeks, points, fraction, margin_verdict, verdict):
    printed = [_only(command(capsys, "compare", *named, "--margin", points)) for named in (WEEKS, weeks)]
    for row in _calls(weeks, margin=fraction):
        assert row.margin == fraction
        assert (row.margin_verdict, row.verdict) == (margin_verdict, verdict)
        assert row.direction == "not_settled"
        assert percent(row.difference) == (-0.8, 6.9)
        for found in printed:
            assert (found["margin"], found["margin_verdict"], found["verdict"]) == (
                fraction,
                margin_verdict,
                verdict,
            )


def test_rows_9_and_11_wald_is_refused_against_a_margin(capsys, weeks):
    assert "22 %" in refused(capsys, "compare", *weeks, "--margin", "1", "--method", "wald")
    with pytest.raises(es.EvalStatsError, match="22 %"):
        es.compare(*weeks, margin=0.01, method="wald")


def _two_graders(path):
    """A log of 6 items and 2 epochs, every answer scored by two extractors that disagree twice."""
    samples = []
    for item in range(6):
        for epoch in (1, 2):
            old = "C" if (item + epoch) % 2 else "I"
            flipped = (item, epoch) in {(1, 2), (4, 1)}
            new = {"C": "I", "I": "C"}[old] if flipped else old
            samples.append(inspect_sample(f"q{item}", {"v1": old, "v2": new}, epoch))
    spec = inspect_spec(n=6, epochs=2, scorers=[{"name": n, "options": {}} for n in ("v1", "v2")])
    results = [inspect_result("v1", 0.5), inspect_result("v2", 0.5)]
    return write_eval(path, eval_members(samples, results, eval=spec))


def test_row_10_two_graders_of_one_log_are_paired_by_generation(capsys, tmp_path):
    path = _two_graders(tmp_path / "run.eval")
    printed = _only(command(capsys, "compare", f"{path}@v1", f"{path}@v2"))
    result = es.compare(f"{path}@v1", f"{path}@v2")
    row = result.only
    flipped = [{"item": "q1", "epoch": 2}, {"item": "q4", "epoch": 1}]
    assert [{k: change[k] for k in ("item", "epoch")} for change in result.changed()] == flipped
    assert [{k: change[k] for k in ("item", "epoch")} for change in printed["changed"]] == flipped
    assert [(c.baseline, c.candidate) for c in row.changed] == [(1.0, 0.0), (1.0, 0.0)]
    assert (row.design.unit, row.design.n_items, row.design.completions) == ("item", 6, 2.0)
    assert row.difference.point == pytest.approx(-2 / 12, rel=1e-14)
    assert printed["difference"]["method"] == row.difference.method == "tango_effective"
    assert row.metric == "v1 → v2"
    assert (row.baseline.label, row.candidate.label) == ("v1", "v2")
    assert "same_file" not in codes(row.caveats)


def test_row_22_different_items_are_an_error_that_proposes_unpaired(capsys, tmp_path):
    old = write_csv(tmp_path / "old.csv", records({f"a{i}": i % 2 for i in range(40)}))
    new = write_csv(tmp_path / "new.csv", records({f"b{i}": i % 3 > 0 for i in range(40)}))
    said = refused(capsys, "compare", old, new)
    assert "--unpaired" in said
    assert "--id FIELD" in said
    printed = _only(command(capsys, "compare", old, new, "--unpaired"))
    row = es.compare(old, new, paired=False).only
    assert printed["difference"]["method"] == row.difference.method == "newcombe_unpaired"
    assert printed["test"]["method"] == row.test.method == "z_pooled"
    called = es.unpaired_proportions(20, 40, 26, 40)
    assert limits(printed["difference"]) == limits(row.difference) == limits(called)
    assert (row.design.paired, row.pairing) == (False, None)
    assert "shared_items_unpaired" not in codes(row.caveats)


def test_row_22_partly_overlapping_runs_are_paired_on_the_common_part_said_aloud(capsys, tmp_path):
    old = write_csv(tmp_path / "old.csv", records({f"q{i}": i % 2 for i in range(40)}))
    new = write_csv(tmp_path / "new.csv", records({f"q{i}": 1 for i in range(20, 60)}))
    printed = _only(command(capsys, "compare", old, new))
    row = es.compare(old, new).only
    for pairing in (printed["pairing"], vars(row.pairing)):
        assert [pairing[k] for k in ("n_common", "only_in_baseline", "only_in_candidate")] == [20, 20, 20]
    assert row.difference.method == "tango"
    assert (row.difference.n, row.difference.point) == (20, 0.5)
    assert texts(row.caveats, "partly_overlapping").count("20 of the 40 items") == 2


def _scores():
    draw = random.Random(23)
    old = {f"q{i}": round(draw.uniform(3, 9), 2) for i in range(60)}
    new = {item: round(score + draw.gauss(0.2, 0.8), 2) for item, score in old.items()}
    return old, new


def test_row_23_paired_scores_have_t_the_sign_flip_and_the_bootstrap(capsys, tmp_path):
    old, new = _scores()
    files = write_csv(tmp_path / "old.csv", records(old)), write_csv(tmp_path / "new.csv", records(new))
    d = np.array(list(new.values())) - np.array(list(old.values()))
    t = stats.ttest_rel(list(new.values()), list(old.values()))
    interval = t.confidence_interval(0.95)
    printed = _only(command(capsys, "compare", *files))
    row = es.compare(*files).only
    assert printed["difference"]["method"] == row.difference.method == "paired_t"
    assert limits(printed["difference"]) == limits(row.difference)
    assert limits(row.difference) == pytest.approx([interval.low, interval.high], rel=1e-10)
    assert row.test.method == "paired_t"
    assert row.test.pvalue == pytest.approx(t.pvalue, rel=1e-10)
    flipped = stats.permutation_test(
        (d,), np.mean, permutation_type="samples", n_resamples=9_999, random_state=np.random.default_rng(1)
    )
    assert row.test.extra["sign_flip"] == pytest.approx(flipped.pvalue, abs=0.02)

    method = "bootstrap_percentile"
    printed = _only(command(capsys, "compare", *files, "--method", method))
    resampled = es.compare(*files, method=method).only.difference
    assert resampled.method == printed["difference"]["method"] == "paired_bootstrap_percentile"
    assert limits(resampled) == limits(printed["difference"])
    assert limits(resampled) == pytest.approx(limits(row.difference), abs=0.02)
    assert (resampled.n_boot, resampled.seed) == (None, None)
    drawn = es.compare(*files, method=method, n_boot=10_000).only.difference
    assert (drawn.n_boot, drawn.seed) == (10_000, 0)
    assert limits(drawn) == pytest.approx(limits(resampled), abs=0.005)
