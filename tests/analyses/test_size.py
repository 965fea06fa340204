"""`size` as call and command: flags, counts, pilots; every option used or refused; text, Markdown, JSON."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import evalstats as es
from evalstats.analyses.size_result import SITUATIONS
from evalstats.cli.main import main
from evalstats.errors import InputError, PairingError
from evalstats.report.size_text import size_markdown, size_text
from tests.made_runs import LOGS, command, counted, records, refused, run_of

DOCS = LOGS.parents[2] / "docs"
COUNTS: Any = {"pilot": ("360/500", "375/500"), "discordant": (40, 55)}


def inspect_log(model: str, task: str) -> Any:
    return next((LOGS / "inspect_eval" / f"model-{model}").glob(f"*_{task}_*"))


EPOCHS = inspect_log("a", "arith-epochs"), inspect_log("b", "arith-epochs")
CALLS: dict[str, dict[str, Any]] = {
    "one rate": {"rate": 0.72, "half_width": 0.02},
    "one mean": {"sd": 1.9, "half_width": 0.3},
    "what a rate's items tell": {"rate": 0.72, "items": 500},
    "effect": {"discordant_rate": 0.25, "effect": 0.08},
    "effect, rate, cost": {"discordant_rate": 0.2, "effect": 0.02, "rate": 0.7, "cost": 0.02},
    "no disagreement known": {"effect": 0.05, "rate": 0.7},
    "what a suite decides": {"items": 500, "margin": 0.01},
    "margin and items": {"items": 500, "margin": 0.01, "discordant_rate": 0.19, "power": 0.9, "level": 0.9},
    "a curve alone": {"discordant_rate": 0.2},
    "unpaired": {"paired": False, "rate": 0.7, "effect": 0.02},
    "unpaired means": {"paired": False, "sd": 0.4, "effect": 0.05, "margin": 0.1},
    "paired means": {"sd": 0.45, "effect": 0.02, "bounds": (0, 1), "items": 4000},
    "own unit": {"sd": 1.2, "effect": 0.3, "margin": 0.5},
    "clusters": {"discordant_rate": 0.25, "effect": 0.05, "icc": 0.2, "cluster_size": 5, "cost": 0.01},
    "completions": {
        "discordant_rate": 0.25,
        "effect": 0.05,
        "within_variance": 0.08,
        "completions": 4,
        "cost": 0.01,
    },
    "what completions buy": {"sd": 0.5, "margin": 0.05, "within_variance": 0.1},
    "unpaired completions": {
        "paired": False,
        "rate": 0.6,
        "margin": 0.05,
        "within_variance": 0.1,
        "completions": 2,
    },
    "counts": {**COUNTS, "effect": 0.05},
    "unpaired counts": {"pilot": ("36/50", "40/50"), "paired": False, "effect": 0.05},
    "one count": {"pilot": "360/500", "half_width": 0.03},
    "a pilot alone": {"pilot": (inspect_log("a", "arith"), inspect_log("b", "arith"))},
    "a pilot with epochs": {"pilot": EPOCHS, "effect": 0.05, "margin": 0.03, "items": 60},
    "one pilot with epochs": {"pilot": EPOCHS[0], "half_width": 0.03},
    "one pilot, other items": {"pilot": EPOCHS[0], "paired": False, "effect": 0.1},
    "an unpaired pilot": {"pilot": EPOCHS, "paired": False, "effect": 0.1},
}


@pytest.mark.parametrize("name", CALLS)
def test_every_plan_has_valid_json_and_lines_that_fit(name: str) -> None:
    result = es.size(**CALLS[name])
    schema = json.loads((DOCS / "schema" / "size.json").read_text(encoding="utf-8"))
    content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    jsonschema.Draft202012Validator(schema).validate(content)
    assert result.situation in SITUATIONS
    for width in (80, 60):
        assert all(len(line) <= width for line in size_text(result, width).splitlines())
    assert str(result) == size_text(result)
    assert result.signature.split("|")[-1] in size_markdown(result)


@pytest.mark.parametrize("name", CALLS)
def test_the_curve_rises_in_items_and_decides_more(name: str) -> None:
    rows = es.size(**CALLS[name]).curve()
    assert rows
    for rate in {row["discordant_rate"] for row in rows}:
        line = [row for row in rows if row["discordant_rate"] == rate]
        assert [row["n"] for row in line] == sorted({row["n"] for row in line})
        for column, falls in (("mde", True), ("half_width", True), ("pass_unchanged", False)):
            found = [row[column] for row in line if row[column] is not None]
            assert found == sorted(found, reverse=falls)


@pytest.mark.parametrize("name", [name for name, call in CALLS.items() if call.get("cost")])
def test_cost_is_of_one_run(name: str) -> None:
    result = es.size(**CALLS[name])
    for each in (*result.needs, *result.lines[0].points):
        assert each.cost == pytest.approx(each.n * result.assumed.completions * CALLS[name]["cost"])
    assert "Costs are of one run" in size_text(result)


def test_both_figures_are_printed_with_what_the_exact_test_reaches() -> None:
    text = size_text(es.size(discordant_rate=0.25, effect=0.10))
    assert "194 items, by the normal formula; McNemar's exact test has 77.3 % power" in text
    assert "207 items, for McNemar's exact test" in text


def test_clusters_multiply_and_the_curve_counts_what_items_are_worth() -> None:
    plain, clustered = es.size(discordant_rate=0.25, effect=0.05), es.size(**CALLS["clusters"])
    assert (plain.n, clustered.n) == (783, 1410)
    assert clustered.needs[0].n_clusters == 282
    (at_n,) = [point for point in clustered.lines[0].points if point.n == 1410]
    assert at_n.n_eff == pytest.approx(1410 / 1.8)
    assert at_n.power == pytest.approx(clustered.needs[0].reached, abs=1e-3)


def test_completions_take_items_away_and_all_are_listed() -> None:
    result = es.size(**CALLS["completions"])
    assert [row.completions for row in result.by_completions] == [1, 2, 4, 8, 16]
    n = [row.n for row in result.by_completions]
    assert n == sorted(n, reverse=True)
    assert (n[0], n[2]) == (783, result.n)


def test_a_suite_s_chances_are_those_of_its_gate() -> None:
    result = es.size(**{**CALLS["margin and items"], "level": 0.95, "power": 0.8})
    gate = result.lines[0].gate
    assert gate is not None
    assert gate.pass_unchanged == pytest.approx(0.074, abs=1e-3)  # 7 % in the source of the mission
    dry = es_dry_run(n=500, margin=0.01, discordant_rate=0.19)
    assert (gate.pass_unchanged, gate.pass_worse) == (dry.pass_unchanged, dry.pass_worse)
    assert (gate.items_needed, gate.margin_needed) == (dry.items_needed, dry.margin_needed)
    assert "That is no gate" in size_text(result)


def es_dry_run(**options: Any) -> Any:
    from evalstats.analyses.gate_dry_run import dry_run

    return dry_run(**options).lines[0].chances


def test_the_table_has_the_rates_of_a_dry_run_and_their_own_n() -> None:
    result = es.size(items=500, margin=0.03)
    assert [line.discordant_rate for line in result.lines] == [0.05, 0.1, 0.2, 0.3]
    assert result.n is None
    for line in result.lines:
        alone = es.size(items=500, margin=0.03, discordant_rate=line.discordant_rate)
        assert alone.lines == (line,) or alone.lines[0].needs == line.needs


def test_counts_plan_as_their_rate_does() -> None:
    pilot, flags = es.size(**COUNTS, effect=0.05), es.size(discordant_rate=0.19, effect=0.05, rate=0.72)
    assert pilot.needs == flags.needs
    assert pilot.unpaired == flags.unpaired
    assert pilot.between is not None
    assert pilot.between.n_low < pilot.n < pilot.between.n_high  # type: ignore[operator]
    assert "After this pilot 15.8 to 22.7 % of items may change" in size_text(pilot)


def test_a_pilot_s_logs_plan_as_their_counts_do() -> None:
    old, new = counted(320, 40, 55, 85)
    logs = es.size(pilot=(records(old), records(new)), effect=0.05)
    assert logs.needs == es.size(**COUNTS, effect=0.05).needs
    assert logs.assumed.pilot_items == 500


def test_few_changes_are_planned_with_one_more_and_an_effect_changes_as_many() -> None:
    old, new = counted(60, 1, 2, 37)
    pilot = records(old), records(new)
    assert es.size(pilot=pilot).assumed.discordant_rate == pytest.approx(4 / 102)
    raised = es.size(pilot=pilot, effect=0.1)
    assert raised.assumed.discordant_rate == 0.1
    assert "planned with the 10 % that the effect changes" in raised.notes[-1]


def planted(n: int, k: int, within: float, seed: int) -> tuple[Any, Any]:
    """Two runs of k completions whose items truly differ by N(0, 1) and completions vary by `within`."""
    draw = np.random.default_rng(seed)
    level, apart = draw.normal(0, 3, n), draw.normal(0, 1, n)
    runs = []
    for mean in (level, level + apart):
        scores = mean[:, None] + draw.normal(0, math.sqrt(within), (n, k))
        runs.append(run_of({f"q{i}": row.tolist() for i, row in enumerate(scores)}))
    return runs[0], runs[1]


def test_a_pilot_tells_decoding_noise_from_differences_of_items() -> None:
    pilot = es.size(pilot=planted(4000, 3, 2.0, 1), effect=0.2)
    assert pilot.assumed.completions == 3
    assert pilot.assumed.within_variance == pytest.approx(2.0, rel=0.05)
    assert pilot.assumed.sd == pytest.approx(math.sqrt(1 + 2 * 2.0), rel=0.05)
    many = es.size(pilot=planted(4000, 3, 2.0, 1), effect=0.2, completions=1000)
    assert many.n == pytest.approx(
        (2.8016 / 0.2) ** 2, rel=0.18
    )  # three standard deviations of the pilot's ω²


def test_a_pilot_s_clusters_are_those_of_the_differences() -> None:
    pilot = es.size(pilot=EPOCHS, effect=0.05)
    assert (pilot.assumed.cluster_size, pilot.assumed.pilot_items) == (4.0, 40)
    assert pilot.assumed.icc is not None
    apart = es.size(pilot=EPOCHS, effect=0.05, cluster="none")
    assert apart.assumed.cluster_size is None
    own = es.size(pilot=EPOCHS, effect=0.05, cluster="none", icc=0.3, cluster_size=4)
    assert own.n == pytest.approx(1.9 * apart.n, abs=1)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "size wants a target"),
        ({"rate": 0.7}, "size wants a target"),
        ({"effect": 0.05, "discordant_rate": 0.02}, "cannot differ by more"),
        ({"effect": 5}, "did you mean 0.05"),
        ({"effect": 0.05, "power": 80}, "power=80 must be a fraction"),
        ({"effect": 0.05, "discordant_rate": 20}, "discordant_rate=20"),
        ({"half_width": 0.02}, "wants the run's --rate P"),
        ({"half_width": 0.02, "rate": 0.5, "sd": 0.5}, "2 of them came"),
        ({"half_width": 0.6, "rate": 0.5}, "the whole scale"),
        ({"half_width": 0.02, "rate": 0.5, "effect": 0.1}, "about two runs"),
        ({"half_width": 0.02, "rate": 0.5, "discordant_rate": 0.1}, "about two runs"),
        ({"paired": False, "effect": 0.1}, "--unpaired wants the run's --rate P"),
        (
            {"paired": False, "effect": 0.1, "rate": 0.5, "discordant_rate": 0.2},
            "no item on which to disagree",
        ),
        ({"paired": False, "effect": 0.1, "rate": 0.95}, "leaves no room"),
        ({"sd": 0.4, "effect": 0.1, "discordant_rate": 0.2}, "sd stands for scores"),
        ({"sd": 0, "effect": 0.1}, "sd=0 must be above 0"),
        ({"discordant_rate": 0.2, "margin": 0.1, "rate": 0.7}, "says nothing without --effect"),
        ({"effect": 0.1, "icc": 0.2}, "go together"),
        ({"effect": 0.1, "icc": 20, "cluster_size": 5}, "no correlation"),
        ({"effect": 0.1, "icc": 0.2, "cluster_size": 0.5}, "must be 1 or more"),
        ({"effect": 0.1, "completions": 4}, "--within-variance"),
        ({"effect": 0.1, "discordant_rate": 0.2, "within_variance": 0.2, "completions": 3}, "leaves nothing"),
        ({"effect": 0.1, "metric": "x"}, "about a pilot's logs"),
        ({"effect": 0.1, "discordant": (1, 2)}, "about a pilot's logs"),
        ({"effect": 0.1, "bounds": (0, 5)}, "go from 0 to 1"),
        ({"effect": 0.1, "guarantee": True}, "has no use for a number of items"),
        ({"effect": 0.1, "efect": 0.1}, "Did you mean 'effect'"),
        ({"items": 0}, "items is 0: give 1 or more"),
        ({"items": 10**11, "margin": 0.01}, "up to 10,000,000"),
        ({"effect": 0.02, "completions": 0}, "completions is 0: give 1 or more"),
        ({"effect": 0.02, "cost": -1}, "in money, above 0"),
        ({**COUNTS, "rate": 0.7, "effect": 0.1}, "read off the pilot"),
        ({"pilot": "36/50", "effect": 0.1}, "one pilot run tells"),
        ({"pilot": "36/50", "half_width": 0.1, "power": 0.9}, "about two runs"),
        ({"pilot": ("36/50", "40/50"), "effect": 0.1}, "do not say how many items changed"),
        ({"pilot": ("36/50", "40/60"), "discordant": (1, 5), "effect": 0.1}, "does not fit"),
        ({"pilot": ("36/50", "40/50"), "half_width": 0.1}, "about one run"),
        ({"pilot": ("1/2", "1/2", "1/2"), "effect": 0.1}, "came with 3 runs"),
        ({**COUNTS, "completions": 2, "effect": 0.1}, "one completion an item"),
        ({**COUNTS, "task": "x", "effect": 0.1}, "counts have no such thing"),
        ({"pilot": EPOCHS, "discordant": (1, 2), "effect": 0.1}, "hold the discordant items"),
        ({"pilot": EPOCHS, "icc": 0.1, "cluster_size": 2, "effect": 0.1}, "have their own"),
        ({"pilot": (EPOCHS[0], "36/50"), "effect": 0.1}, "one pilot run is counts"),
        ({"pilot": (LOGS / "lm_eval" / "model-a", LOGS / "lm_eval" / "model-b"), "effect": 0.1}, "--task"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises((InputError, PairingError, ValueError), match=said):
        es.size(**options)


def test_a_pilot_in_which_nothing_varies_plans_nothing() -> None:
    same = records({f"q{i}": 2.5 for i in range(9)})
    with pytest.raises(InputError, match="do not differ"):
        es.size(pilot=(same, same), effect=0.5, bounds=(0, 5))
    with pytest.raises(InputError, match="one item"):
        es.size(pilot=(records({"a": 1.5}), records({"a": 2.5})), effect=0.5)


def test_the_command_takes_points_and_is_the_call(capsys: Any) -> None:
    printed = command(
        capsys, "size", "--discordant-rate", "0.19", "--effect", "3", "--margin", "1pt", "--items", "500"
    )
    called = es.size(discordant_rate=0.19, effect=0.03, margin=0.01, items=500).to_dict()
    for key in called:
        if key != "provenance":
            assert printed[key] == json.loads(json.dumps(called[key])), key
    assert printed["provenance"]["options"]["effect"] == "3"


@pytest.mark.parametrize("page", ["size.md", "passk.md", "agree.md", "any-statistic.md"])
def test_the_pages_show_what_the_commands_print(
    page: str, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(DOCS.parent)
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n\$ evalstats (.*)\n([^`]*)^```", text, flags=re.MULTILINE)
    assert blocks
    for words, shown in blocks:
        assert main(words.split()) == 0
        assert capsys.readouterr().out == shown


def test_the_command_reads_a_pilot_and_refuses_in_one_paragraph(capsys: Any) -> None:
    printed = command(capsys, "size", "--pilot", *EPOCHS, "--effect", "5")
    assert [entry["role"] for entry in printed["provenance"]["inputs"]] == ["baseline", "candidate"]
    assert "size wants a target" in refused(capsys, "size")
    assert "no option --guarantee" in refused(capsys, "size", "--effect", "2", "--guarantee")
    assert main(["size", "--items", "500", "--margin", "1", "--markdown"]) == 0
    assert "| items that change |" in capsys.readouterr().out


@pytest.mark.parametrize(
    "name", ["effect", "no disagreement known", "completions", "one rate", "margin and items"]
)
def test_a_plan_shows_itself_in_a_notebook(name: str) -> None:
    result = es.size(**CALLS[name])
    html = result._repr_html_()
    assert html.count("<table>") == (2 if result.by_completions else 1)
    assert "How many items: " in html


@pytest.mark.parametrize(
    "arguments",
    [
        ["size", "--discordant-rate", "0.2", "--effect", "5", "--icc", "0.1", "--cluster-size", "4"],
        ["size", "--pilot", *map(str, EPOCHS), "--effect", "5"],
        ["size", "--pilot", "36/50", "40/50", "--discordant", "3", "7", "--margin", "5"],
        ["size", "--sd", "0.5", "--effect", "5", "--bounds", "0,1"],
        ["passk", *map(str, EPOCHS), "--k", "1,3"],
        ["passk", "--counts", "3/20,0/20", "--k", "5", "--measure", "pass^k"],
        ["passk", "50/164"],
    ],
)
def test_plans_and_attempts_are_computed_again_from_their_json(
    arguments: list[str], tmp_path: Path, capsys: Any
) -> None:
    path = tmp_path / "result.json"
    path.write_text(json.dumps(command(capsys, *arguments)), encoding="utf-8")
    again = es.reproduce(path)
    assert again.mismatches == ()
    assert again.compared > 10
    numbers = json.loads(path.read_text(encoding="utf-8"))
    place = numbers["lines"][0]["points"][0] if "lines" in numbers else numbers["benchmarks"][0]
    place["n" if "lines" in numbers else "n_common"] += 1
    path.write_text(json.dumps(numbers), encoding="utf-8")
    assert len(es.reproduce(path).mismatches) == 1
