"""Rows 9, 10, 11 and 16 of the mission through the gate and the plan file: one command and one call each."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import evalstats as es
from evalstats.cli.main import main
from evalstats.data.builder import build
from evalstats.methods.mcnemar import mcnemar_pvalues
from tests.made_runs import counted, header, records, row, write_csv
from tests.readers.small_logs import eval_members, inspect_result, inspect_sample, inspect_spec, write_eval


def gated(capsys, *arguments):
    """`evalstats gate … --json`: its exit and its JSON."""
    code = main(["gate", *map(str, arguments), "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.fixture
def engines(tmp_path):
    """One pinned model on 3,000 items, bf16 and FP8: 45 items flip to wrong, 40 to right."""
    old, new = counted(2200, 45, 40, 715)
    return write_csv(tmp_path / "bf16.csv", records(old)), write_csv(tmp_path / "fp8.csv", records(new))


def test_row_9_an_engine_upgrade_is_held_to_a_margin(capsys, engines):
    code, found = gated(capsys, *engines, "--margin", "1")
    gate = es.gate(*map(str, engines), margin=0.01)
    assert (code, found["answer"], gate.answer, gate.exit_code) == (0, "pass", "pass", 0)
    assert found["chances"]["pass_unchanged"] == gate.chances.pass_unchanged > 0.8
    assert gate.chances.pass_worse < 0.03
    row_ = gate.comparisons.only
    assert (row_.verdict, row_.direction) == ("equivalent", "not_settled")


def test_row_9_not_significant_is_never_unchanged(capsys):
    """p = .15, and yet at a margin of 1 these 500 items pass 7 % of unchanged models."""
    counts = ("360/500", "375/500", "--discordant", "40", "55")
    code, found = gated(capsys, *counts, "--margin", "1", "--inconclusive", "pass")
    assert code == 3
    assert found["reasons"][0]["code"] == "not_a_gate"
    assert f"{found['chances']['pass_unchanged']:.0%}" == "7%"
    assert found["chances"]["items_needed"] == 15022
    with pytest.raises(ValueError, match="a gate needs a margin"):
        es.gate("360/500", "375/500", discordant=(40, 55))


def test_row_9_the_suite_is_judged_before_it_runs(capsys, engines):
    assert (
        main(["gate", "--dry-run", str(engines[0]), "--margin", "1", "--discordant-rate", "0.03", "--json"])
        == 0
    )
    (line,) = json.loads(capsys.readouterr().out)["lines"]
    assert line["chances"]["pass_unchanged"] > 0.8
    assert main(["gate", "--dry-run", "--n", "100", "--margin", "1"]) == 0
    assert "Not a gate at any of these" in capsys.readouterr().out


def test_row_10_a_new_grader_is_held_to_the_old_one_by_generation(capsys, tmp_path):
    flips = {3, 90, 91, 200, 311, 399}
    right = ["C" if i % 2 else "I" for i in range(400)]
    other = {"C": "I", "I": "C"}
    samples = [
        inspect_sample(f"q{i}", {"v1": old, "v2": other[old] if i in flips else old})
        for i, old in enumerate(right)
    ]
    spec = inspect_spec(n=400, scorers=[{"name": name, "options": {}} for name in ("v1", "v2")])
    results = [inspect_result("v1", 0.5), inspect_result("v2", 0.5)]
    path = write_eval(tmp_path / "run.eval", eval_members(samples, results, eval=spec))
    code, found = gated(capsys, f"{path}@v1", f"{path}@v2", "--margin", "3")
    gate = es.gate(f"{path}@v1", f"{path}@v2", margin=0.03)
    assert (code, found["answer"], gate.answer) == (0, "pass", "pass")
    assert len(gate.comparisons.changed()) == 6


def _suite(tmp_path, run, which, **tables):
    """Three benchmarks of a release in one table."""
    rows = [
        {"benchmark": name, "model": run, **record}
        for name, table in tables.items()
        for record in records(counted(*table)[which])
    ]
    return write_csv(tmp_path / f"{run}.csv", rows)


def test_row_11_a_release_by_a_plan_that_was_frozen_before(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tables = {"math": (600, 30, 34, 336), "code": (500, 40, 35, 425), "safety": (950, 4, 3, 43)}
    old = _suite(tmp_path, "a", 0, **tables)
    assert main(["init", str(old), "--margin", "3pt"]) == 0
    plan = Path("evalstats.toml").read_text(encoding="utf-8")
    assert plan.count("[[benchmark]]") == 3
    assert plan.count("items_sha256") == 4  # three, and once in the comment above them
    capsys.readouterr()
    new = _suite(tmp_path, "b", 1, **tables)
    code, found = gated(capsys, new, "--plan", "evalstats.toml")
    gate = es.gate(str(new), plan="evalstats.toml")
    assert (code, found["answer"], gate.answer) == (0, "pass", "pass")
    assert [d["answer"] for d in found["decisions"]] == ["pass"] * 3
    assert found["family"]["method"] == "holm"
    assert found["family"]["m"] == 3
    assert found["chances"]["basis"] == "product"
    worse = _suite(tmp_path, "c", 1, **tables | {"safety": (800, 154, 3, 43)})
    assert gated(capsys, worse, "--plan", "evalstats.toml")[0] == 1
    gone = _suite(tmp_path, "d", 1, math=tables["math"], code=tables["code"])
    code, found = gated(capsys, gone, "--plan", "evalstats.toml")
    assert (code, found["reasons"][0]["code"]) == (1, "benchmark_missing")
    short = _suite(tmp_path, "e", 1, **tables | {"math": (599, 30, 34, 336)})
    code, found = gated(capsys, short, "--plan", "evalstats.toml")
    assert (code, found["reasons"][0]["code"]) == (3, "items_changed")
    assert "1 missing" in found["reasons"][0]["text"]


def test_row_16_forty_null_benchmarks_light_one_in_87_per_cent_and_holm_holds_the_gate(capsys):
    assert round(1 - 0.95**40, 3) == 0.871
    assert es.bonferroni([0.05 / 40] * 40)["adjusted"][0] == pytest.approx(0.05)
    assert 0.05 / 40 == 0.00125
    rng = np.random.default_rng(16)
    suites, n, psi = 2000, 400, 0.2
    cells = rng.multinomial(n, [psi / 2, psi / 2, 1 - psi], (suites, 40))
    p = mcnemar_pvalues(cells[..., 0].ravel(), cells[..., 1].ravel(), "mid_p").reshape(suites, 40)
    assert (p <= 0.05).any(axis=1).mean() == pytest.approx(0.871, abs=0.03)
    assert (p <= 0.00125).any(axis=1).mean() <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / suites)


def _forty(rng, which, cells):

    parts = []
    for at, (b, c, _) in enumerate(cells):
        scores = counted(90, int(c), int(b), 110 - int(b) - int(c))[which]
        parts.append(header(run=f"r{which}", benchmark=f"b{at}", path=f"r{which}.eval"))
        parts += [row(item, value, run=f"r{which}", benchmark=f"b{at}") for item, value in scores.items()]
    return build(parts)


def test_row_16_forty_benchmarks_that_did_not_change_pass_by_their_macro_average(tmp_path):
    rng = np.random.default_rng(40)
    cells = rng.multinomial(200, [0.1, 0.1, 0.8], 40)
    old, new = _forty(rng, 0, cells), _forty(rng, 1, cells)
    gate = es.gate(old, new, margin=0.02)
    lit = [one for one in gate.comparisons if one.test.pvalue <= 0.05]
    assert lit  # some cell lights by luck
    assert (gate.answer, gate.family.m) == ("pass", 40)
    assert gate.family.expected_by_luck == pytest.approx(2, abs=0.3)
    assert gate.chances.fail_unchanged < 0.06
    assert gate.chances.pass_unchanged == pytest.approx(
        stats.norm.cdf(0.02 / np.sqrt(0.2 / 200 / 40) - 1.96) * 0.98, abs=0.03
    )


def test_row_16_decision_benchmarks_are_chosen_in_advance(tmp_path):
    rng = np.random.default_rng(40)
    cells = rng.multinomial(200, [0.1, 0.1, 0.8], 40)
    old, new = _forty(rng, 0, cells), _forty(rng, 1, cells)
    path = tmp_path / "evalstats.toml"
    path.write_text(
        "".join(f'[[benchmark]]\nname = "b{i}"\nmargin = "10pt"\n' for i in (3, 8)), encoding="utf-8"
    )
    gate = es.gate(old, new, plan=str(path))
    assert (gate.answer, gate.family.m) == ("pass", 2)
    assert [one.benchmark for one in gate.comparisons] == ["b3", "b8"]
    assert any("not in" in note for note in gate.notes)
