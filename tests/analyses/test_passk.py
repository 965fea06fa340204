"""`attempts` and the verb passk: logs against expected.json, two runs, votes, refusals, JSON and text."""

from __future__ import annotations

import json
import math
from typing import Any

import jsonschema
import numpy as np
import pytest

import evalstats as es
from evalstats.cli.main import main
from evalstats.errors import InputError, MethodError, NoGuaranteeError, PairingError
from evalstats.report.passk_text import attempts_markdown, attempts_text
from tests.made_runs import LOGS, codes, command, refused, run_of, texts

HUMAN_EVAL = [LOGS / "human_eval" / f"model-{one}_samples.jsonl_results.jsonl" for one in "ab"]
EVALPLUS = [LOGS / "evalplus" / f"model-{one}_eval_results.json" for one in "ab"]


def epochs(model: str) -> Any:
    return next((LOGS / "inspect_eval" / model).glob("*arith-epochs*"))


def expected(folder: str) -> Any:
    return json.loads((LOGS / folder / "expected.json").read_text(encoding="utf-8"))["pass_at_k"]


def solved(*counts: tuple[int, int], **head: Any) -> Any:
    """A log in which (right, attempts) of each problem are as given."""
    return run_of({f"q{at}": [1.0] * c + [0.0] * (n - c) for at, (c, n) in enumerate(counts)}, **head)


@pytest.mark.parametrize("side", [0, 1])
def test_human_eval_equals_another_program(side: int) -> None:
    wanted = expected("human_eval")[side]
    table = es.attempts(HUMAN_EVAL[side], k=(1, 2, 5)).only
    found = {name: table[name].shown.point for name in wanted}
    assert found == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("metric", ["base", "plus"])
@pytest.mark.parametrize("side", [0, 1])
def test_evalplus_equals_another_program(side: int, metric: str) -> None:
    wanted = {name: both[metric] for name, both in expected("evalplus")[side].items()}
    table = es.attempts(EVALPLUS[side], k=(1, 2, 3), metric=metric).only
    assert {name: table[name].shown.point for name in wanted} == pytest.approx(wanted, abs=1e-12)


def test_inspect_s_own_reducer_is_our_pass_at_two() -> None:
    for model in ("model-a", "model-b"):
        ours = es.attempts(epochs(model)).only
        assert (ours.cluster, ours.sides[0].fewest) == ("passage_id", 3)
        theirs = es.score(epochs(model), metric="match/pass_at_2", cluster="none").only.run.estimate
        assert ours["pass@2"].shown.point == pytest.approx(theirs.point, abs=1e-6)


def test_pass_at_one_is_what_score_and_compare_say() -> None:
    table = es.attempts(*HUMAN_EVAL, k=1).only
    for estimate, path in zip(table["pass@1"].estimates, HUMAN_EVAL, strict=True):
        score = es.score(path).only.run.estimate
        assert (estimate.point, estimate.ci_low, estimate.ci_high) == (
            score.point,
            score.ci_low,
            score.ci_high,
        )
    compared = es.compare(*HUMAN_EVAL).only.difference
    assert table["pass@1"].shown.point == compared.point
    assert table["pass@1"].shown.standard_error == pytest.approx(compared.standard_error, rel=1e-12)


def test_two_runs_are_paired_by_problem_and_swap_mirrors() -> None:
    forward, backward = es.attempts(*HUMAN_EVAL).only, es.attempts(*HUMAN_EVAL[::-1]).only
    assert (forward.key, forward.n_problems, forward.n_common) == ("id", 40, 40)
    for one, two in zip(forward.rows, backward.rows, strict=True):
        assert one.shown.point == -two.shown.point
        assert one.shown.ci_low == -two.shown.ci_high
        assert one.test is not None
        assert two.test is not None
        assert one.test.pvalue == two.test.pvalue
        assert one.shown.point == pytest.approx(one.estimates[1].point - one.estimates[0].point, abs=1e-15)


def test_the_default_k_drop_no_problem() -> None:
    assert [row.k for row in es.attempts(HUMAN_EVAL[0], measures=["avg_at_k"]).only.rows] == [1, 2, 5, 10]
    table = es.attempts(solved((1, 7), (2, 3))).only
    assert ([row.name for row in table.rows], table.dropped) == (
        [
            "pass@1 (any of 1)",
            "pass@2 (any of 2)",
            "pass@3 (any of 3)",
            "pass^2 (all of 2)",
            "pass^3 (all of 3)",
        ],
        (),
    )


def test_problems_with_too_few_attempts_are_left_out_of_every_k_and_named() -> None:
    table = es.attempts(solved((1, 10), (0, 10), (4, 4)), k=(1, 5)).only
    assert (table.n_problems, table.n_common, table.dropped) == (3, 2, ("q2",))
    assert table["pass@1"].shown.point == pytest.approx(0.05, abs=1e-15)
    assert table["pass@5"].shown.point == pytest.approx(0.25, abs=1e-15)
    assert "2 of 3 problems" in texts(table.caveats, "ragged_attempts")


def test_of_two_runs_the_common_problems_are_those_of_both() -> None:
    old = solved((1, 5), (2, 5), (3, 4), (0, 5))
    new = solved((2, 5), (2, 3), (3, 5), (1, 5))
    table = es.attempts(old, new, k=(1, 5)).only
    assert (table.n_common, table.dropped) == (2, ("q1", "q2"))
    assert [estimate.n for estimate in table["pass@1"].estimates] == [2, 2]


def test_attempts_without_a_score_count_for_nothing_or_as_wrong() -> None:
    run = run_of({"a": [1.0, None, 0.0], "b": [1.0, 1.0, 1.0]})
    left_out, wrong = es.attempts(run, k=1).only, es.attempts(run, k=1, missing="wrong").only
    assert left_out["pass@1"].shown.point == 0.75
    assert wrong["pass@1"].shown.point == pytest.approx(2 / 3)
    assert (left_out.sides[0].n_unscored, left_out.sides[0].n_attempts) == (1, 5)
    assert "Attempts without a score, which count for nothing: 1 in m." in attempts_text(
        es.attempts(run, k=1)
    )
    with pytest.raises(InputError, match="missing or errored"):
        es.attempts(run, k=1, missing="error")


def test_one_attempt_each_gives_pass_at_one_and_says_why_no_more() -> None:
    table = es.attempts("50/164", k=(1, 10)).only
    assert table["pass@1"].shown.method == "wilson"
    assert math.isnan(table["pass@10"].shown.point)
    assert "not equally hard" in table["pass@10"].shown.extra["undefined"]["point"]
    assert "no problem has 10 attempts" in attempts_text(es.attempts("50/164", k=(1, 10)))


def votes(**answers: list[tuple[str, float]]) -> list[dict[str, Any]]:
    return [
        {"item": item, "epoch": epoch, "answer": answer, "score": score}
        for item, given in answers.items()
        for epoch, (answer, score) in enumerate(given, 1)
    ]


def test_a_majority_is_a_vote_over_the_answers() -> None:
    rows = votes(
        p=[("4", 1.0), ("4 ", 1.0), ("5", 0.0), ("5", 0.0), ("6", 0.0)],
        q=[("1", 0.0), ("1", 0.0), ("1", 0.0), ("2", 1.0), ("2", 1.0)],
    )
    table = es.attempts(rows, k=(1, 3), measures=["maj@k", "pass@k"]).only
    by_problem = [es.passk.maj_at_k("44556", "4", 3), es.passk.maj_at_k("11122", "2", 3)]
    assert table["maj@3"].shown.point == pytest.approx(np.mean(by_problem), abs=1e-15)
    assert table["maj@1"].shown.point == table["pass@1"].shown.point


def test_a_majority_needs_answers_that_are_right_or_wrong() -> None:
    with pytest.raises(InputError, match="a vote over answers"):
        es.attempts(solved((1, 3), (2, 3)), measures=["maj_at_k"])
    with pytest.raises(InputError, match="right once and wrong once"):
        es.attempts(votes(p=[("4", 1.0), ("4", 0.0)]), measures=["maj_at_k"])
    with pytest.raises(InputError, match="needs the answers"):
        es.attempts("3/5", measures=["maj_at_k"])


def test_clusters_are_used_and_a_guarantee_asks_for_the_largest() -> None:
    table = es.attempts(epochs("model-a"), epochs("model-b"), k=2).only
    assert (table.cluster, table.rows[0].shown.method) == ("passage_id", "cr2_t")
    assert es.attempts(epochs("model-a"), k=2, cluster="none").only.rows[0].shown.method == "wilson_effective"
    with pytest.raises(NoGuaranteeError, match="largest"):
        es.attempts(epochs("model-a"), k=2, guarantee=True)
    proved = es.attempts(epochs("model-a"), k=2, guarantee=True, largest_cluster=4).only
    assert {row.shown.method for row in proved.rows} == {"betting_mixture"}
    assert proved.caveats == ()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (es.attempts, "passk came with 0 runs"),
        (lambda: es.attempts("1/2", "1/2"), "which problems two runs share"),
        (lambda: es.attempts("1/2", counts=[(1, 2)]), "in place of runs"),
        (lambda: es.attempts(counts=[]), "pairs"),
        (lambda: es.attempts(counts=[(1, 2, 3)]), "pairs"),
        (lambda: es.attempts(counts=[(3, 20), (3, 2)]), "problem 2: 3 right of 2 attempts"),
        (lambda: es.attempts(counts=[(3, 20), (-1, 5)]), "problem 2: right=-1 is negative"),
        (lambda: es.attempts(counts=[(3, 20)], k=0), "k is 0: give 1 or more"),
        (lambda: es.attempts("1/2", margin=0.01), "margin: has no use"),
        (lambda: es.attempts("1/2", cluster="x"), "cluster: counts have no such thing"),
        (lambda: es.attempts(HUMAN_EVAL[0], id="x"), "id: one run is not paired"),
        (lambda: es.attempts(HUMAN_EVAL[0], measures=["pass_k"]), "no measure 'pass_k'"),
        (lambda: es.attempts(run_of({"a": [0.5, 1.0]})), "'a' has a score of 0.5"),
        (lambda: es.attempts("1/2", kk=1), "no option 'kk'"),
    ],
)
def test_what_cannot_be_answered_says_why(call: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        call()


def test_methods_and_pairs_that_cannot_be_are_refused() -> None:
    with pytest.raises(MethodError, match="1 − "):
        es.attempts(HUMAN_EVAL[0], method="plug_in")
    with pytest.raises(PairingError):
        es.attempts(solved((1, 2)), run_of({"other": [1.0, 0.0]}))


def test_json_is_strict_valid_and_the_call_s(capsys: Any) -> None:
    printed = command(capsys, "passk", *HUMAN_EVAL, "--k", "1,5")
    assert printed == json.loads(json.dumps(es.attempts(*map(str, HUMAN_EVAL), k=(1, 5)).to_dict()))
    assert printed["schema"] == "evalstats/passk/1"
    schema = json.loads((LOGS.parents[2] / "docs" / "schema" / "passk.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(printed)
    assert [entry["role"] for entry in printed["provenance"]["inputs"]] == ["baseline", "candidate"]


def test_the_numbers_of_text_markdown_and_rows_agree() -> None:
    result = es.attempts(*HUMAN_EVAL, k=(1, 5))
    text, markdown = attempts_text(result), attempts_markdown(result)
    for shown in ("+6.8 points", "−0.1 to +13.6", "67.2 %", "60.5 %", "0.054"):
        assert shown in text
        assert shown in markdown
    assert str(result) == text
    assert "pass@5 (any of 5)" in text
    assert "pass^5 (all of 5)" in text
    flat = result.rows()
    assert [row["run"] for row in flat[:3]] == ["model-a", "model-b", "candidate − baseline"]
    assert flat[2]["point"] == result.only["pass@1"].shown.point


@pytest.mark.parametrize("width", [80, 60, 40])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    for result in (es.attempts(*HUMAN_EVAL), es.attempts("50/164", k=(1, 10))):
        assert all(len(line) <= width for line in attempts_text(result, width).splitlines())


def test_fail_on_sees_caveats_of_the_benchmark_and_of_its_rows(capsys: Any) -> None:
    for code in ("few_problems", "dominant_item"):
        assert main(["passk", str(HUMAN_EVAL[0]), "--fail-on", code]) == 4
    assert main(["passk", str(HUMAN_EVAL[0]), "--fail-on", "few_clusters"]) == 0
    capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--k", "1,x"], "write whole numbers, such as 1,5,10"),
        (["--counts", "3of20"], "RIGHT/ATTEMPTS"),
        (["--k", "0"], "k is 0"),
        (["--margin", "1"], "no option --margin"),
        (["50/164", "--method", "plug_in"], "unbiased estimator"),
    ],
)
def test_the_command_says_what_is_wanted(arguments: list[str], said: str, capsys: Any) -> None:
    source = [] if "/" in arguments[0] or "--counts" in arguments else ["50/164"]
    assert said in refused(capsys, "passk", *source, *arguments)


def test_few_problems_are_a_caveat_of_the_benchmark() -> None:
    assert codes(es.attempts(HUMAN_EVAL[0]).only.caveats) == ["few_problems"]
    with pytest.raises(InputError, match="there are: pass@1"):
        _ = es.attempts(HUMAN_EVAL[0]).only["pass@3"]
    with pytest.raises(InputError, match="'HumanEval'"):
        _ = es.attempts(HUMAN_EVAL[0])["other"]


def test_attempts_show_themselves_in_a_notebook() -> None:
    html = es.attempts(*HUMAN_EVAL, k=(1, 5))._repr_html_()
    assert html.count("<table>") == 1
    assert "+6.8\xa0points" in html
    assert "pass^5 (all of 5)" in html
