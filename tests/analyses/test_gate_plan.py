"""The gate by a plan: tiers, what is required, what was frozen; compare and score by the same file."""

from __future__ import annotations

import json
import math

import pytest

import evalstats as es
from evalstats.analyses.gate_dry_run import dry_run
from evalstats.analyses.init_plan import draft
from evalstats.data.builder import build
from evalstats.data.scores import Scores
from evalstats.errors import EvalStatsError, InputError
from evalstats.plan_file import items_digest, read_plan
from evalstats.subjects.gate_power import GateRule, Pairs
from tests.made_runs import counted, header, row

FINE = (400, 12, 14, 74)  # 500 items, within 5 points
WORSE = (300, 75, 25, 100)
OPEN = (350, 55, 45, 50)  # within 10 points, not within 5


def planned_runs(**tables):
    """name=(both, baseline_only, candidate_only, neither) ; None: the candidate has not run it."""
    runs = []
    for which, run in enumerate(("old", "new")):
        parts = []
        for name, table in tables.items():
            if table is None and which == 1:
                continue
            parts += [
                header(run=run, benchmark=name, path=f"{run}.eval", config={"num_fewshot": "5", "model": run})
            ]
            scores = counted(*(table or FINE))[which]
            parts += [row(item, value, run=run, benchmark=name) for item, value in scores.items()]
        runs.append(build(parts))
    return runs


@pytest.fixture
def plan(tmp_path):
    """A plan from name=(tier, extra lines)."""

    def written(head="", **benchmarks):
        text = f"[plan]\n{head}\n"
        for name, (tier, *lines) in benchmarks.items():
            text += f'[[benchmark]]\nname = "{name}"\ntier = "{tier}"\n'
            text += "".join(f"{line}\n" for line in lines)
        path = tmp_path / "evalstats.toml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return written


M = 'margin = "5pt"'


@pytest.mark.parametrize(
    ("tier", "table", "answer"),
    [
        ("critical", FINE, "pass"),
        ("critical", WORSE, "fail"),
        ("critical", OPEN, "inconclusive"),
        ("critical", None, "fail"),
        ("supporting", FINE, "pass"),
        ("supporting", WORSE, "inconclusive"),
        ("supporting", OPEN, "pass"),
        ("supporting", None, "inconclusive"),
        ("advisory", WORSE, "pass"),
        ("advisory", OPEN, "pass"),
        ("advisory", None, "pass"),
    ],
)
def test_tiers_decide(plan, tier, table, answer):
    gate = es.gate(*planned_runs(a=FINE, b=table), plan=plan(a=("critical", M), b=(tier, M)))
    assert gate.answer == answer
    assert gate.exit_code == {"pass": 0, "fail": 1, "inconclusive": 3}[answer]
    mine = next(d for d in gate.decisions if d.benchmark == "b")
    assert (mine.tier, mine.answer) == (
        tier,
        {FINE: "pass", WORSE: "fail", OPEN: "inconclusive", None: "missing"}[table],
    )
    assert gate.macro is None


def test_a_fail_beats_what_is_inconclusive(plan):
    gate = es.gate(
        *planned_runs(a=OPEN, b=WORSE), plan=plan(a=("critical", M), b=("critical", 'margin = "7pt"'))
    )
    assert gate.answer == "fail"
    assert {reason.code for reason in gate.reasons} == {"regressed"}


def test_a_plan_of_which_nothing_was_run_is_no_go(plan):
    path = plan(x=("critical", M))
    gate = es.gate(*planned_runs(a=FINE), plan=path)
    assert (gate.answer, gate.exit_code, len(gate.comparisons)) == ("fail", 1, 0)
    assert gate.reasons[0].text == f"x: in {path} and not in the baseline nor in the candidate"
    assert json.dumps(gate.to_dict(), allow_nan=False)
    assert str(gate).startswith("Gate: fail (exit 1)")


def test_benchmarks_that_are_not_planned_are_named_and_decide_nothing(plan):
    gate = es.gate(*planned_runs(a=FINE, z=WORSE), plan=plan(a=("critical", M)))
    assert gate.answer == "pass"
    assert [one.benchmark for one in gate.comparisons] == ["a"]
    assert any(note.endswith("z") and "not in" in note for note in gate.notes)


def test_each_margin_is_its_own(plan):
    path = plan(a=("critical", M), b=("critical", "margin = 0.1"))
    gate = es.gate(*planned_runs(a=FINE, b=OPEN), plan=path)
    assert [d.margin for d in gate.decisions] == [0.05, 0.1]
    assert gate.answer == "pass"


def test_the_product_stands_beside_each_alone(plan):
    gate = es.gate(
        *planned_runs(a=FINE, b=FINE, c=FINE),
        plan=plan(a=("critical", M), b=("critical", M), c=("supporting", M)),
    )
    a, b, c = (d.chances for d in gate.decisions)
    assert gate.chances.basis == "product"
    assert gate.chances.pass_unchanged == pytest.approx(
        a.pass_unchanged * b.pass_unchanged * (1 - c.fail_unchanged)
    )
    assert gate.chances.fail_unchanged == pytest.approx(1 - (1 - a.fail_unchanged) * (1 - b.fail_unchanged))
    assert gate.chances.pass_worse == pytest.approx(a.pass_worse * b.pass_unchanged * (1 - c.fail_unchanged))
    law = Pairs(500, 27 / 502, 500)
    assert a.fail_unchanged == law.chances(GateRule(0.05, reject_alpha=0.05 / 3)).fails  # Holm over three


def test_many_benchmarks_that_must_all_pass_are_no_gate(plan):
    names = [f"b{i}" for i in range(8)]
    table = (300, 16, 16, 68)
    gate = es.gate(
        *planned_runs(**dict.fromkeys(names, table)),
        plan=plan(**dict.fromkeys(names, ("critical", "margin = 0.035"))),
    )
    alone = [d.chances.pass_unchanged for d in gate.decisions]
    assert min(alone) > 0.5
    assert gate.chances.pass_unchanged == pytest.approx(math.prod(alone))
    assert gate.chances.pass_unchanged < 0.5
    assert (gate.exit_code, gate.reasons[0].code) == (3, "not_a_gate")


def test_the_plan_s_disagreement_and_level_count(plan):
    path = plan("level = 0.9", a=("critical", M, "discordant_rate = 0.2"))
    gate = es.gate(*planned_runs(a=FINE), plan=path)
    assert gate.chances.pass_unchanged == Pairs(500, 0.2, 500).chances(GateRule(0.05, 0.9)).passes
    assert gate.chances.rate_source == "plan"
    assert gate.comparisons.only.difference.level == 0.9


def test_frozen_items_are_held_by_their_ids(plan):
    old, new = planned_runs(a=FINE)
    digest = items_digest(old.benchmarks[0].items)
    path = plan(a=("critical", M, f'items_sha256 = "{digest}"'))
    assert es.gate(old, new, plan=path).answer == "pass"
    scores = counted(*FINE)[1]
    changed = {item: value for item, value in scores.items() if item not in ("q0003", "q0007")} | {"q9999": 1}
    parts = [header(run="new", benchmark="a", path="new.eval", config={"num_fewshot": "5"})]
    other = build([*parts, *(row(item, value, run="new", benchmark="a") for item, value in changed.items())])
    gate = es.gate(old, other, plan=path)
    assert (gate.answer, gate.exit_code) == ("inconclusive", 3)
    assert gate.reasons[0].code == "items_changed"
    assert gate.reasons[0].text == (
        "a: the candidate has not the frozen items: 2 missing (q0003, q0007) and 1 new (q9999)"
    )
    both = es.gate(other, other, plan=path)
    assert both.reasons[0].text.startswith("a: neither run has the frozen items (499 items in the candidate")


def test_frozen_settings_are_held_in_bothplanned_runs(plan):
    path = plan(a=("critical", M, "[benchmark.config]", 'num_fewshot = "0"', 'prompt = "x"'))
    gate = es.gate(*planned_runs(a=FINE), plan=path)
    assert (gate.answer, [r.code for r in gate.reasons]) == (
        "inconclusive",
        ["config_changed", "config_changed", "not_worse"],
    )
    assert gate.reasons[0].text == "a: num_fewshot of the baseline and of the candidate is 5, frozen as 0"
    assert gate.reasons[1].text == "a: prompt of the baseline and of the candidate is absent, frozen as x"


@pytest.mark.parametrize("tier", ["critical", "supporting"])
def test_what_was_frozen_concerns_the_whole_gate_unless_it_only_advises(plan, tier):
    lines = (M, "[benchmark.config]", 'num_fewshot = "0"')
    assert (
        es.gate(*planned_runs(a=FINE, b=FINE), plan=plan(a=("critical", M), b=(tier, *lines))).exit_code == 3
    )
    assert (
        es.gate(*planned_runs(a=FINE, b=FINE), plan=plan(a=("critical", M), b=("advisory", *lines))).exit_code
        == 0
    )


def test_cluster_metric_and_bounds_come_from_the_plan(plan):
    rows = []
    for which, run in enumerate(("old", "new")):
        rows.append([header(run=run, benchmark="a", path=f"{run}.eval")])
        for at, (item, value) in enumerate(counted(*FINE)[which].items()):
            fields = {"passage": f"p{at // 4}"}
            rows[which].append(row(item, value, "match", run=run, benchmark="a", fields=fields))
            rows[which].append(row(item, 1 + 8 * value, "judge", run=run, benchmark="a", fields=fields))
    old, new = build(rows[0]), build(rows[1])
    path = plan(a=("critical", "margin = 0.5", 'metric = "judge"', 'cluster = "passage"', "bounds = [1, 10]"))
    for result in (es.gate(old, new, plan=path).comparisons, es.compare(old, new, plan=path)):
        assert (result.only.metric, result.only.design.unit) == ("judge", "passage")
        assert (result.only.scale.low, result.only.scale.high) == (1.0, 10.0)
        assert result.only.margin == 0.5
    score = es.score(new, plan=path).only
    assert (score.metric, score.design.unit, score.scale.high) == ("judge", "passage", 10.0)
    assert (
        es.compare(old, new, plan=path, metric="match", bounds=(0, 1)).only.metric == "match"
    )  # asked aloud
    plain = es.compare(old, new, plan=path, cluster="none").only
    assert plain.design.unit == "item"


def test_the_family_is_the_plan_s(plan):
    path = plan(
        'family = ["a", "b"]\ncorrection = "bonferroni"',
        a=("critical", M),
        b=("critical", M),
        c=("advisory", M),
    )
    result = es.compare(*planned_runs(a=FINE, b=OPEN, c=OPEN), plan=path)
    assert (result.family.m, result.family.method) == (2, "bonferroni")
    assert [one.adjusted is None for one in result] == [False, False, True]
    assert [one.test.method for one in result] == ["mcnemar_mid_p", "mcnemar_mid_p", "mcnemar_exact"]


@pytest.mark.parametrize("option", [{"margin": 0.01}, {"level": 0.9}, {"correction": "none"}])
def test_what_a_plan_decides_is_not_asked_twice(plan, option):
    path = plan(a=("critical", M))
    for call in (es.gate, es.compare):
        with pytest.raises(InputError, match="the plan file decides"):
            call(*planned_runs(a=FINE), plan=path, **option)


def test_a_plan_that_cannot_decide_is_refused(plan):
    with pytest.raises(InputError, match="no margin for a"):
        es.gate(*planned_runs(a=FINE), plan=plan(a=("critical",)))
    with pytest.raises(InputError, match='tier = "critical"'):
        es.gate(*planned_runs(a=FINE), plan=plan(a=("supporting", M)))
    with pytest.raises(InputError, match="counts are no benchmark"):
        es.gate("1/2", "2/2", plan=plan(a=("critical", M)))
    with pytest.raises(EvalStatsError, match=r"0\.05"):
        es.gate(*planned_runs(a=FINE), plan=plan(a=("critical", "margin = 5")))
    with pytest.raises(InputError, match=r"none of the benchmarks here \(a\) is in"):
        es.compare(*planned_runs(a=FINE), plan=plan(x=("critical", M)))


def _csv(folder, name, which):
    scores = counted(*FINE)[which]
    path = folder / name
    path.write_text("item,score\n" + "".join(f"{item},{value}\n" for item, value in scores.items()))
    return path


def test_the_baseline_of_the_plan_is_found_beside_it_and_the_result_reproduces(plan, tmp_path, monkeypatch):
    _csv(tmp_path, "old.csv", 0)
    new = _csv(tmp_path, "new.csv", 1)
    path = plan(old=("critical", M))
    text = (tmp_path / "evalstats.toml").read_text()
    (tmp_path / "evalstats.toml").write_text(
        text.replace('name = "old"', 'name = "scores"\nbaseline = "old.csv"')
    )
    names = [b.benchmark for b in es.read(new)]
    (tmp_path / "evalstats.toml").write_text(
        (tmp_path / "evalstats.toml").read_text().replace("scores", names[0])
    )
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    gate = es.gate(str(new), plan=path)
    assert gate.answer == "pass"
    assert gate.provenance.options == {"plan": path}
    assert [one.role for one in gate.provenance.inputs] == ["baseline", "candidate", "plan"]
    result = tmp_path / "result.json"
    result.write_text(json.dumps(gate.to_dict()))
    again = es.reproduce(result)
    assert again.reproduced
    assert again.compared > 50
    (tmp_path / "moved").mkdir()
    (tmp_path / "evalstats.toml").rename(tmp_path / "moved" / "evalstats.toml")
    moved = es.reproduce(result)
    assert moved.reproduced
    assert any("moved" in note for note in moved.notes)
    (tmp_path / "moved" / "evalstats.toml").rename(tmp_path / "evalstats.toml")
    text = (tmp_path / "evalstats.toml").read_text()
    (tmp_path / "evalstats.toml").write_text(text.replace("5pt", "4pt"))
    with pytest.raises(InputError, match=r"evalstats.toml has changed"):
        es.reproduce(result)


def test_a_gate_without_a_plan_reproduces_too(tmp_path):
    gate = es.gate(
        "4000/5000", "4010/5000", discordant=(120, 130), margin="2", inconclusive="pass", fail_on=["skewed"]
    )
    path = tmp_path / "gate.json"
    path.write_text(json.dumps(gate.to_dict()))
    assert es.reproduce(path).reproduced
    changed = path.read_text().replace('"pass_worse": 0.02', '"pass_worse": 0.03')
    path.write_text(changed)
    assert [m.where for m in es.reproduce(path).mismatches] == [
        "chances.pass_worse",
        "decisions[0].chances.pass_worse",
    ]


# init


def test_init_freezes_what_a_run_has_and_its_own_run_passes(tmp_path):
    old, new = planned_runs(a=FINE, b=FINE)
    found = draft(old, out=str(tmp_path / "evalstats.toml"), margin="5pt", level=0.9)
    (tmp_path / "evalstats.toml").write_text(found.text)
    plan = read_plan(tmp_path / "evalstats.toml")
    assert plan.names == plan.family == ("a", "b")
    assert plan["a"].items_sha256 == items_digest(old.benchmarks[0].items)
    assert plan["a"].config == {"num_fewshot": "5"}  # never the model that answers
    assert (plan.level, plan["a"].margin, plan["a"].metric) == (0.9, "5pt", "match")
    assert plan["a"].baseline is None  # Scores in memory have no path
    assert es.gate(old, new, plan=str(tmp_path / "evalstats.toml")).answer == "pass"


def test_init_without_a_margin_leaves_it_to_a_person_and_advises():
    old, _ = planned_runs(a=FINE)
    text = draft(old).text
    assert '# margin = "3pt"   decide before you look' in text
    chance = Pairs(500, 0.1, 500).chances(GateRule(0.05)).passes
    assert f'"5pt" {100 * chance:.0f} % of the time' in text


def test_init_writes_the_baseline_as_the_plan_s_folder_sees_it(tmp_path):
    path = _csv(tmp_path, "old.csv", 0)
    (tmp_path / "evals").mkdir()
    found = draft(str(path), out=str(tmp_path / "evals" / "evalstats.toml"))
    assert found.plan.benchmarks[0].baseline == "../old.csv"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"method": "wald"}, "method"),
        ({"tried": 3}, "tried"),
        ({"margin": "5x"}, "5x"),
        ({"margin": 3.0}, "0.03"),
    ],
)
def test_init_refuses_what_no_plan_has(call, said):
    with pytest.raises(EvalStatsError, match=said):
        draft(planned_runs(a=FINE)[0], **call)


def test_init_refuses_counts():
    with pytest.raises(InputError, match="a plan freezes items"):
        draft("360/500")


# dry runs


def test_a_dry_run_by_a_plan_has_each_benchmark_s_own_rate(plan):
    path = plan(
        a=("critical", M, "discordant_rate = 0.1"),
        b=("critical", M, "discordant_rate = 0.2"),
        c=("advisory",),
    )
    old, _ = planned_runs(a=FINE, b=FINE, c=FINE)
    found = dry_run(old, plan=path, discordant_rate=None)
    assert len(found.lines) == 4  # c has no rate
    a = next(one for one in found.lines[0].benchmarks if one.benchmark == "a")
    assert a.chances.pass_unchanged == Pairs(500, 0.1, 500).chances(GateRule(0.05)).passes
    one_rate = dry_run(old, plan=path, discordant_rate=0.3)
    assert [line.discordant_rate for line in one_rate.lines] == [None]
    json.dumps(found.to_dict(), allow_nan=False)


def test_scores_in_memory_hold_no_run_twice():
    old, _ = planned_runs(a=FINE)
    assert isinstance(old, Scores)
