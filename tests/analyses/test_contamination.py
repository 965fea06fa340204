"""The verb contamination: one run, two, rewritten, orders; refusals, JSON, text."""

from __future__ import annotations

import doctest
import json
import re

import jsonschema
import pytest

import evalstats as es
from evalstats.analyses.reproduce import reproduce
from evalstats.cli.main import main
from evalstats.errors import InputError, NoGuaranteeError, PairingError
from evalstats.report.contamination_text import contamination_markdown, contamination_text
from evalstats.subjects.contamination import order_test
from tests.made_cut_offs import CUT, run
from tests.made_runs import LOGS, command, log, refused, row, write_csv

DOCS = LOGS.parents[2] / "docs"


def test_of_too_few_items_on_a_side_nothing_is_concluded():
    rows = [{**one, "published": "2022" if i < 5 else "2024"} for i, one in enumerate(run())]
    for runs in ((rows,), (rows, [{**one, "score": 1 - one["score"]} for one in rows])):
        text = " ".join(str(es.contaminated(*runs, split=CUT)).split())
        assert "before it 5 items were scored" in text
        assert "This says nothing of whether the older items were seen." in text
        assert "No fall" not in text


def test_a_difference_of_differences_has_no_guarantee_and_no_cut_off_takes_a_method():
    with pytest.raises(NoGuaranteeError, match="has a proof"):
        es.contaminated(run(), run("other"), split=CUT, guarantee=True)
    for runs in ((run(),), (run(), run("other"))):
        with pytest.raises(
            InputError, match="method: a difference across a cut-off has the method of its data"
        ):
            es.contaminated(*runs, split=CUT, method="wilson")


def test_clusters_on_both_sides_and_what_was_not_checked_are_said_of_one_run_and_of_two():
    rows = [{**one, "passage": f"p{i // 4}"} for i, one in enumerate(run())]
    for runs in ((rows,), (rows, [dict(one, score=1 - one["score"]) for one in rows])):
        found = es.contaminated(*runs, split=CUT, cluster="passage")
        assert "clusters_in_several_slices" in {c["code"] for c in found.only.caveats}
        assert "Not checked: decoding noise" in " ".join(str(found).split())
    apart = [{**one, "passage": f"{one['published'][:4]}{i // 20}"} for i, one in enumerate(run())]
    found = es.contaminated(apart, [dict(one) for one in apart], split=CUT, cluster="passage")
    assert "clusters_in_several_slices" not in {c["code"] for c in found.only.caveats}


def test_contents_of_rewritten_items_differ_on_purpose_and_are_not_asked_for():
    found = es.contaminated(run(), rewritten=run("other"))
    assert "content" not in str(found)
    assert "whether the prompts are the same" in " ".join(str(found).split())


def test_a_file_of_orders_may_have_a_mark_and_what_is_no_likelihood_is_named(tmp_path):
    path = tmp_path / "orders.txt"
    path.write_text("\n".join(["-10.0", *["-12.5"] * 19]), encoding="utf-8-sig")
    assert es.contaminated(order=path).order.statistic == -10.0
    with pytest.raises(InputError, match="is a directory: --order wants a file"):
        es.contaminated(order=tmp_path)
    path.write_text("-10\nnan\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"orders.txt, line 2: nan is no log-likelihood"):
        es.contaminated(order=path)
    path.write_text('{"canonical": -10, "shuffled": [-12, NaN]}', encoding="utf-8")
    with pytest.raises(InputError, match=r"shuffled\[1\] is nan, which is no log-likelihood"):
        es.contaminated(order=path)


def test_rewritten_items_are_paired_by_id_though_their_contents_differ():
    original = log([row(f"q{i}", float(i % 4 > 0), hash=f"h{i}") for i in range(80)])
    rewritten = log([row(f"q{i}", float(i % 4 > 1), hash=f"new{i}") for i in range(80)])
    with pytest.raises(PairingError):
        es.compare(original, rewritten)
    result = es.contaminated(original, rewritten=rewritten)
    wanted = es.compare(
        {"item": [f"q{i}" for i in range(80)], "score": [int(i % 4 > 0) for i in range(80)]},
        {"item": [f"q{i}" for i in range(80)], "score": [int(i % 4 > 1) for i in range(80)]},
    ).only
    assert (result.only.difference.point, result.only.difference.ci_low) == (
        wanted.difference.point,
        wanted.difference.ci_low,
    )
    assert result.labels == ("original", "rewritten")
    assert "Worse on the rewritten items" in str(result)


def test_orders_in_hand_and_in_files_are_one_answer(tmp_path, capsys):
    canonical, shuffled = -1200.5, [-1210.0 - at for at in range(39)]
    wanted = order_test(canonical, shuffled)
    (tmp_path / "o.json").write_text(
        json.dumps({"canonical": canonical, "shuffled": shuffled}), encoding="utf-8"
    )
    (tmp_path / "o.txt").write_text("\n".join(map(str, [canonical, *shuffled])), encoding="utf-8")
    for order in (
        (canonical, shuffled),
        {"canonical": canonical, "shuffled": shuffled},
        tmp_path / "o.json",
        tmp_path / "o.txt",
    ):
        assert es.contaminated(order=order).order == wanted
    printed = command(capsys, "contamination", "--order", tmp_path / "o.txt")
    assert printed["order"]["pvalue"] == 1 / 40
    assert "likelier to the model" in str(es.contaminated(order=(canonical, shuffled)))
    few = " ".join(str(es.contaminated(order=(canonical, shuffled[:3]))).split())
    assert "3 orders cannot show a p under 0.25" in few


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("-1200\n", "holds 1 numbers"),
        ("-1200\nabc\n", "line 2: 'abc' is no number"),
        ('{"canonical": 1}', "wanted: canonical, shuffled"),
        ('{"canonical": ', "is no JSON"),
    ],
)
def test_a_file_of_orders_that_is_none_says_what_is_wanted(tmp_path, capsys, content, said):
    path = tmp_path / "orders"
    path.write_text(content, encoding="utf-8")
    assert said in refused(capsys, "contamination", "--order", path)


def test_one_of_three_is_asked(capsys):
    assert "none came" in refused(capsys, "contamination")
    assert "rewritten and split came" in refused(
        capsys, "contamination", "a", "--rewritten", "b", "--split", CUT
    )
    assert "no file" in refused(capsys, "contamination", "--order", "nowhere.json")
    with pytest.raises(InputError, match="no run"):
        es.contaminated(run(), order=(1.0, [1.0]))
    with pytest.raises(InputError, match="has no use for orders"):
        es.contaminated(order=(1.0, [1.0]), method="wilson")
    with pytest.raises(InputError, match="0 came"):
        es.contaminated(split=CUT)
    with pytest.raises(InputError, match="0 came"):
        es.contaminated(rewritten=run())
    with pytest.raises(InputError, match="counts"):
        es.contaminated("3/5", rewritten="2/5")


def test_json_is_valid_and_reproduces(tmp_path, capsys):
    reference, suspect = (
        write_csv(tmp_path / f"{name}.csv", run(name, leak))
        for name, leak in (("clean", 0.0), ("leaked", 0.8))
    )
    (tmp_path / "o.txt").write_text("1\n0\n-1\n", encoding="utf-8")
    schema = json.loads((DOCS / "schema" / "contamination.json").read_text(encoding="utf-8"))
    for words in (
        (suspect, "--split", CUT),
        (reference, suspect, "--split", CUT),
        (reference, "--rewritten", suspect),
        ("--order", tmp_path / "o.txt"),
    ):
        printed = command(capsys, "contamination", *words)
        jsonschema.Draft202012Validator(schema).validate(printed)
        saved = tmp_path / "result.json"
        saved.write_text(json.dumps(printed), encoding="utf-8")
        again = reproduce(saved)
        assert again.reproduced
        assert again.compared > 8
    saved.write_text(
        json.dumps(command(capsys, "slices", reference, suspect, "--split", CUT)), encoding="utf-8"
    )
    assert reproduce(saved).reproduced


def test_text_and_markdown_say_what_the_sign_is_and_what_else_makes_it():
    one = es.contaminated(run("leaked", leak=0.8), split=CUT)
    two = es.contaminated(run(), run("leaked", leak=0.8), split=CUT, labels=("ref", "sus"))
    three = es.contaminated(run(), run("other"), split=CUT)
    order = es.contaminated(order=(1.0, [0.0] * 19))
    said = [
        (one, "or if the newer are harder"),
        (two, "Against ref, sus is worse on the newer items than on the older"),
        (three, "Not shown is not excluded"),
        (order, "as it would be if it had seen the file"),
    ]
    for result, part in said:
        for width in (80, 60):
            shown = contamination_text(result, width)
            assert max(map(len, shown.splitlines())) <= width
            assert part in " ".join(shown.split())
        assert part in contamination_markdown(result)
        assert part in result._repr_html_()
    assert "Difference of differences" in str(two)
    assert "rewritten" in contamination_markdown(es.contaminated(run(), rewritten=run("other")))


def test_the_page_shows_what_the_commands_print(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(DOCS.parent)
    text = (DOCS / "contamination.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n\$ evalstats (.*)\n([^`]*)^```", text, flags=re.MULTILINE)
    assert len(blocks) == 3
    for words, shown in blocks:
        assert main(re.sub("'", "", words).split()) == 0
        assert capsys.readouterr().out == shown
    assert not doctest.testfile(str(DOCS / "contamination.md"), module_relative=False).failed
