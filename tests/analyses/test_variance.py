"""`components` and the verb variance: logs, runs and tables; refusals; JSON, text and Markdown."""

from __future__ import annotations

import doctest
import json
import math
import re

import jsonschema
import numpy as np
import pytest

import evalstats as es
from evalstats.analyses.reproduce import reproduce
from evalstats.cli.main import main
from evalstats.errors import InputError, MethodError
from evalstats.report.variance_text import variance_markdown, variance_text
from evalstats.subjects import variance
from tests.made_runs import LOGS, command, log, refused, row, run_of, write_csv

FAST = {"n_boot": 200}
DOCS = LOGS.parents[2] / "docs"


def epochs(model="model-a"):
    return next((LOGS / "inspect_eval" / model).glob("*arith-epochs*"))


def grades(n=12, judges="abcdefg", seed=3):
    """A row a score: how hard the item, how kind the judge, and noise."""
    draw = np.random.default_rng(seed)
    kind = dict(zip(judges, draw.normal(0, 0.6, len(judges)), strict=True))
    return [
        {"item": f"q{i}", "judge": judge, "score": round(float(quality + shift + draw.normal(0, 0.8)), 2)}
        for i, quality in enumerate(draw.normal(6, 1.2, n))
        for judge, shift in kind.items()
    ]


def columns(rows, *names):
    return [[one[name] for one in rows] for name in names]


def runs(*shifts, n=15, seed=5, **configs):
    """Logs of the same items, one a shift; configs : setting -> its value in each."""
    draw = np.random.default_rng(seed)
    hard = draw.normal(0, 1, n)
    return [
        run_of(
            {f"q{i}": float(round(h + shift + draw.normal(0, 0.5), 3)) for i, h in enumerate(hard)},
            model=f"run-{at}",
            config={name: values[at] for name, values in configs.items()},
        )
        for at, shift in enumerate(shifts)
    ]


def test_a_log_with_completions_is_the_one_way_of_its_scores():
    (part,) = es.read(epochs()).benchmarks
    metric = part.metric(part.primary)
    found = es.components(epochs(), **FAST).only.found
    assert found == variance.one_way(metric.score.astype(float), metric.item, **FAST)
    score = es.score(epochs(), cluster="none").only.run.estimate
    assert found.mean == pytest.approx(score.point)


def test_the_standard_error_of_balanced_completions_is_that_of_the_item_means():
    """√(σ²_i/n + σ²_c/(nm)) is s/√n of the item means, where neither component is cut at 0."""
    run = run_of({f"q{i}": [i / 2, i / 2 + i % 3 / 2, i / 2 - i % 4 / 3] for i in range(20)})
    found = es.components(run, **FAST).only.found
    assert all(component.raw > 0 for component in found.components)
    assert found.standard_error == pytest.approx(es.score(run).only.run.estimate.standard_error)


def test_a_table_by_its_columns_in_a_file_a_list_and_a_frame(tmp_path):
    import pandas as pd

    rows = grades()
    wanted = variance.crossed(
        *columns(rows, "score", "item", "judge"), names=("item", "judge", "completion"), **FAST
    )
    for run in (rows, pd.DataFrame(rows), write_csv(tmp_path / "grades.csv", rows)):
        one = es.components(run, by="item,judge", **FAST).only
        assert one.found == wanted
        assert (one.factor, one.levels) == ("judge", tuple("abcdefg"))


def test_a_nested_table():
    rows = [
        {"family": f, "task": t, "score": s}
        for f, scores in zip("ab", ((3, 5, 4, 6), (9, 9, 8, 6)), strict=True)
        for t, s in zip((1, 1, 2, 2), scores, strict=True)
    ]
    found = es.components(rows, by="family/task", **FAST).only.found
    assert [(one.name, one.variance) for one in found.components] == [
        ("family", 5.5),
        ("task", 0.5),
        ("attempt", 1.5),
    ]


def test_fields_of_a_log_nest_its_items():
    rows = [
        row(f"q{i}", float((i * 7 + e) % 5), epoch=e, fields={"passage": f"p{i // 3}"})
        for i in range(12)
        for e in (1, 2)
    ]
    run = log(rows)
    found = es.components(run, by="passage/item", **FAST).only.found
    assert found.sizes == {"passage": 4, "item": 3, "attempt": 2}
    with pytest.raises(
        InputError, match=r"no field 'pasage' to decompose by. There are: item, completion, passage"
    ):
        es.components(run, by="pasage/item")


def test_runs_of_the_same_items_are_items_by_the_setting_that_differs():
    logs = runs(0.0, 0.3, -0.2, prompt=("short", "long", "terse"), temperature=("0", "0", "0"))
    one = es.components(*logs, **FAST).only
    assert (one.factor, one.levels, one.key) == ("prompt", ("short", "long", "terse"), "id")
    y = [part.metrics[0].score.astype(float) for scores in logs for part in scores]
    wanted = variance.crossed(
        np.concatenate(y),
        [f"q{i}" for i in range(15)] * 3,
        np.repeat(["short", "long", "terse"], 15),
        names=("item", "prompt", "completion"),
        **FAST,
    )
    assert one.found == wanted
    assert es.components(*logs, factor="wording", **FAST).only.factor == "wording"


def test_runs_that_differ_in_several_settings_are_levels_themselves_and_it_is_said():
    result = es.components(*runs(0.0, 0.3, prompt=("a", "b"), engine=("x", "y")), **FAST)
    assert result.only.factor == "run"
    assert result.notes == (
        "several settings differ between the runs (prompt, engine): the run itself is the factor",
    )
    assert es.components(
        *runs(0.0, 0.3, prompt=("a", "b"), engine=("x", "y")), factor="engine", **FAST
    ).only.levels == ("x", "y")


def test_runs_with_one_level_are_its_repeats():
    logs = runs(0.0, 0.3, 0.1, -0.2, prompt=("a", "a", "b", "b"))
    found = es.components(*logs, **FAST).only.found
    assert found.sizes == {"item": 15, "prompt": 2, "completion": 2}
    assert [c.name for c in found.components] == ["item", "prompt", "item × prompt", "completion"]


def test_two_graders_of_the_same_completions_do_not_count_them_twice(tmp_path):
    rows = [
        {"item": f"q{i}", "epoch": e, "relevance": (i * 3 + e) % 5, "fluency": (i * 3 + 2 * e) % 5}
        for i in range(12)
        for e in (1, 2)
    ]
    path = write_csv(tmp_path / "graded.csv", rows)
    one = es.components(f"{path}@relevance", f"{path}@fluency", factor="grader", **FAST).only
    assert one.together
    assert one.levels == ("relevance", "fluency")
    means = [
        [(first[name] + second[name]) / 2 for name in ("relevance", "fluency")]
        for first, second in zip(rows[::2], rows[1::2], strict=True)
    ]
    y, item, grader = np.array(means).ravel(), np.repeat(np.arange(12), 2), [0, 1] * 12
    wanted = variance.crossed(y, item, grader, **FAST)
    assert [c.raw for c in one.found.components] == pytest.approx([c.raw for c in wanted.components])
    assert "their noise is in item" in str(es.components(f"{path}@relevance", f"{path}@fluency", **FAST))


def test_the_order_of_a_graded_table_changes_no_digit(tmp_path):
    draw = np.random.default_rng(2)
    rows = [
        {"item": f"q{i:02d}", "epoch": e, "relevance": draw.normal(), "fluency": draw.normal()}
        for i in range(12)
        for e in range(7)
    ]
    moved = [*rows[:7], *(rows[at] for at in 7 + draw.permutation(77))]
    found = [
        es.components(f"{path}@relevance", f"{path}@fluency", factor="grader", **FAST).only.found
        for path in (write_csv(tmp_path / "one.csv", rows), write_csv(tmp_path / "two.csv", moved))
    ]
    assert found[0] == found[1]


def test_one_file_twice_is_a_red_flag_and_two_metrics_of_one_are_not(tmp_path):
    path = tmp_path / "j.csv"
    path.write_text("id,score\n" + "".join(f"{i},{i % 3 % 2}\n" for i in range(30)), encoding="utf-8")
    found = es.components(str(path), str(path), **FAST)
    assert [c["code"] for c in found.only.caveats][:1] == ["same_file"]
    assert "are the same file" in " ".join(str(found).split())


@pytest.mark.parametrize(
    ("low", "top", "said"), [(0, 100, "per cent beside fractions, it seems"), (1, 10, "two scales, it seems")]
)
def test_runs_of_two_scales_are_a_red_flag_as_in_compare(tmp_path, low, top, said):
    rows = [(i, i % 7 / 7, low + i % 5 * (top - low) / 4) for i in range(30)]
    one, two = (
        write_csv(tmp_path / f"{name}.csv", [{"id": i, "score": scores[at]} for i, *scores in rows])
        for at, name in enumerate("ab")
    )
    found = es.components(one, two, **FAST)
    assert found.only.caveats[0] == es.compare(one, two).only.caveats[0] | {
        "text": f"scores reach {6 / 7:g} in a and {top} in b: {said}"
    }
    assert f"Red flag: Scores reach {6 / 7:g} in a and {top} in b: {said}. " in " ".join(str(found).split())
    assert found.only.scale == es.components(two, one, **FAST).only.scale


def test_a_table_does_not_make_a_missing_score_the_worst():
    rows = [
        {"item": i, "judge": j, "score": i + len(j) if i else None} for i in range(5) for j in ("a", "bb")
    ]
    with pytest.raises(InputError, match="missing=wrong"):
        es.components(rows, by="item,judge", missing="wrong", bounds=(1, 10), **FAST)


def test_two_purchases_that_pay_the_same_are_a_tie():
    rows = [{"item": i, "judge": j, "score": i + j} for i in range(4) for j in range(4)]
    text = " ".join(str(es.components(rows, by="item,judge", **FAST)).split())
    assert "each takes as much off the variance of the mean" in text


def test_a_missing_cell_is_refused_and_named_or_left_out_when_asked():
    logs = runs(0.0, 0.3)
    short = run_of({f"q{i}": float(i % 3) for i in range(14)}, model="short")
    with pytest.raises(MethodError, match=r"item 'q14' has no score in short \(1 such\)"):
        es.components(logs[0], short)
    with pytest.raises(MethodError, match="item 'q14' has no score in run-0"):
        es.components(short, logs[0], labels=("run-0", "whole"))
    left = es.components(logs[0], short, missing="scored", **FAST).only
    assert (left.n_dropped, left.found.sizes["item"]) == (1, 14)
    broken = [one for one in grades() if (one["item"], one["judge"]) != ("q3", "b")]
    with pytest.raises(MethodError, match="item 'q3' by judge 'b' has no score"):
        es.components(broken, by="item,judge")
    assert es.components(broken, by="item,judge", missing="scored", **FAST).only.n_dropped == 1


def test_what_is_no_design_of_ours_is_refused():
    rows = [{**one, "prompt": "xy"[i % 2]} for i, one in enumerate(grades())]
    with pytest.raises(MethodError, match="two crossed factors"):
        es.components(rows, by="item,judge,prompt")
    with pytest.raises(InputError, match="the rows differ in model too"):
        es.components([{**one, "model": "mn"[i % 2]} for i, one in enumerate(grades())], by="item,judge")
    with pytest.raises(InputError, match=r"no column 'juge'. It has: item, judge, score"):
        es.components(grades(), by="item,juge")
    with pytest.raises(MethodError, match="each item has one completion"):
        es.components(run_of({f"q{i}": float(i % 2) for i in range(12)}))
    with pytest.raises(InputError, match="counts"):
        es.components("3/5")
    with pytest.raises(InputError, match="without a run"):
        es.components()
    with pytest.raises(InputError, match="factor='judge' differs between runs, but one came"):
        es.components(grades(), factor="judge")
    with pytest.raises(InputError, match="margin"):
        es.components(grades(), by="item,judge", margin=0.1)


def test_the_command_prints_json_that_is_valid_and_reproduces(capsys, tmp_path):
    path = write_csv(tmp_path / "grades.csv", grades())
    printed = command(
        capsys, "variance", path, "--by", "item,judge", "--n-boot", 200, "--cost", "judge=50,score=0.5"
    )
    schema = json.loads((DOCS / "schema" / "variance.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(printed)
    called = es.components(grades(), by="item,judge", costs={"judge": 50, "score": 0.5}, **FAST)
    assert printed["benchmarks"] == json.loads(json.dumps(called.to_dict()))["benchmarks"]
    saved = tmp_path / "result.json"
    saved.write_text(json.dumps(printed), encoding="utf-8")
    assert reproduce(saved).reproduced
    saved.write_text(
        json.dumps(command(capsys, "variance", epochs(), epochs("model-b"), "--n-boot", 200)),
        encoding="utf-8",
    )
    again = reproduce(saved)
    assert again.reproduced
    assert again.compared > 40


def test_text_at_80_and_60_columns_says_where_noise_is_and_what_to_buy():
    result = es.components(grades(n=40), by="item,judge", bounds=(1, 10), **FAST)
    for width in (80, 60):
        shown = variance_text(result, width)
        assert max(map(len, shown.splitlines())) <= width
        said = " ".join(shown.split())
        for part in (
            "40 items × 7 judges",
            "What to buy next: judge",
            "has a standard error of",
            "one in each cell",
        ):
            assert part in said
    assert str(result) == variance_text(result)
    assert "| item × judge |" in variance_markdown(result)
    assert "&lt;" not in variance_markdown(result)
    assert "<table" in result._repr_html_()


def test_a_factor_with_few_levels_says_why_it_has_no_interval():
    text = " ".join(str(es.components(grades(judges="abc"), by="item,judge", **FAST)).split())
    assert "No interval for judge: 3 of judge say too little of how they differ: 6 are the least." in text
    assert "With a, b and c as they are, and no other judge, the standard error is" in text


def test_columns_of_a_table_are_not_taken_for_fields_of_its_items(tmp_path):
    path = write_csv(tmp_path / "grades.csv", [{**one, "model": "m"} for one in grades()])
    for run in (f"{path}::m", f"mine={path}", es.read(path)):
        with pytest.raises(InputError, match=r"judge are columns of a table \(csv\)"):
            es.components(run, by="item,judge")
    assert es.components(path, by="item,judge", **FAST).only.found.sizes == {"item": 12, "judge": 7}
    assert es.components(f"{path}::m", by="item,epoch", **FAST).only.found.sizes == {"item": 12, "epoch": 7}


def test_a_benchmark_without_repeats_keeps_no_other_from_its_answer():
    rows = [
        {"item": i, "benchmark": "twice", "epoch": e, "score": (i + e) % 3} for i in range(12) for e in (1, 2)
    ]
    rows += [{"item": i, "benchmark": "once", "epoch": 1, "score": i % 2} for i in range(12)]
    result = es.components(rows, **FAST)
    assert [one.benchmark for one in result] == ["twice"]
    assert any(note.startswith("no answer for once: each item has one completion") for note in result.notes)


def test_rows_are_flat_and_what_is_not_known_is_none():
    flat = es.components(grades(judges="abc"), by="item,judge", **FAST).rows()
    assert [one["source"] for one in flat] == ["item", "judge", "item × judge"]
    assert flat[1]["ci_low"] is None
    assert math.isclose(sum(one["share"] for one in flat), 1)


def test_the_command_line_is_told_what_it_lacks(capsys):
    assert "without a run" in refused(capsys, "variance")
    assert "NAME=AMOUNT" in refused(capsys, "variance", epochs(), "--cost", "item")
    assert "nothing here is called 'judge'" in refused(capsys, "variance", epochs(), "--cost", "judge=3")


def test_the_page_shows_what_the_commands_print(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(DOCS.parent)
    text = (DOCS / "variance.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n\$ evalstats (.*)\n([^`]*)^```", text, flags=re.MULTILINE)
    assert len(blocks) == 2
    for words, shown in blocks:
        assert main(words.split()) == 0
        assert capsys.readouterr().out == shown
    assert not doctest.testfile(str(DOCS / "variance.md"), module_relative=False).failed


def test_no_resamples_are_refused():
    with pytest.raises(InputError, match="n_boot=0 is too few resamples"):
        es.components(epochs(), n_boot=0)
