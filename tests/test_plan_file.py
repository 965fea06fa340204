"""The plan file: what it says, what is refused and where, and that what is written is read again."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalstats.errors import InputError
from evalstats.plan_file import Plan, PlannedBenchmark, items_digest, plan_text, read_plan
from tests.made_runs import part, row

WHOLE = """\
[plan]
level = 0.9
correction = "bonferroni"
family = ["gsm8k"]

[[benchmark]]
name = "gsm8k"
metric = "exact_match,strict"
cluster = "passage"
bounds = [0, 1]
margin = "1pt"
tier = "critical"
discordant_rate = 0.1
baseline = "runs/old"
items_sha256 = "{digest}"

[benchmark.config]
num_fewshot = "5"

[[benchmark]]
name = "safety"
margin = 0.02
tier = "advisory"
""".format(digest="0" * 64)


def _written(folder: Path, text: str) -> Path:
    path = folder / "evalstats.toml"
    path.write_text(text, encoding="utf-8")
    return path


def _refusal(folder: Path, text: str) -> str:
    with pytest.raises(InputError) as caught:
        read_plan(_written(folder, text))
    return str(caught.value)


def test_every_key_is_kept(tmp_path):
    plan = read_plan(_written(tmp_path, WHOLE))
    assert (plan.level, plan.correction, plan.family) == (0.9, "bonferroni", ("gsm8k",))
    assert plan["gsm8k"] == PlannedBenchmark(
        "gsm8k",
        "exact_match,strict",
        "passage",
        (0.0, 1.0),
        "1pt",
        "critical",
        0.1,
        "runs/old",
        "0" * 64,
        {"num_fewshot": "5"},
    )
    assert plan["safety"] == PlannedBenchmark("safety", margin=0.02, tier="advisory")
    assert plan.clusters == {"passage"}
    assert "mmlu" not in plan


def test_what_is_left_out_has_the_defaults_and_the_family_is_what_decides(tmp_path):
    text = '[[benchmark]]\nname = "a"\n[[benchmark]]\nname = "b"\ntier = "advisory"\n'
    plan = read_plan(_written(tmp_path, text))
    assert (plan.level, plan.correction, plan.family) == (0.95, "holm", ("a",))
    assert plan["a"].decides
    assert not plan["b"].decides


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[benchmark]]\nname = "a"\nteir = "critical"', ["line 3", "'teir'", "Did you mean 'tier'?"]),
        (
            '[[benchmark]]\nname = "a"\n\n[[benchmark]]\nname = "b"\ntier = "critcal"',
            ["line 6", "'b'", "'critical'?"],
        ),
        ("[plann]\nlevel = 0.9", ["line 1", "'plann'", "Did you mean 'plan'?"]),
        ('[plan]\nlevle = 0.9\n[[benchmark]]\nname = "a"', ["line 2", "'levle'", "'level'"]),
        ('[plan]\nlevel = 95\n[[benchmark]]\nname = "a"', ["line 2", "level of [plan] is 95"]),
        ('[plan]\nlevel = true\n[[benchmark]]\nname = "a"', ["line 2", "True"]),
        ('[plan]\ncorrection = "bonferoni"\n[[benchmark]]\nname = "a"', ["line 2", "'bonferroni'?"]),
        ('[plan]\nfamily = ["aa"]\n[[benchmark]]\nname = "a"', ["line 2", "'aa'", "Did you mean 'a'?"]),
        ('[plan]\nfamily = "a"\n[[benchmark]]\nname = "a"', ["line 2", "no list of names"]),
        ('plan = 3\n[[benchmark]]\nname = "a"', ["line 1", "[plan] on a line of its own"]),
        ('[benchmark]\nname = "a"', ["line 1", "[[benchmark]]"]),
        ("[plan]\nlevel = 0.9", ["no [[benchmark]]", "evalstats init RUN"]),
        ("", ["no [[benchmark]]"]),
        ("[[benchmark]]\nmargin = 0.1", ["line 1", "needs its name"]),
        ("[[benchmark]]\nname = 3", ["line 2", "needs its name"]),
        ('[[benchmark]]\nname = "a"\n[[benchmark]]\nname = "a"', ["line 4", "'a' is there twice"]),
        ('[[benchmark]]\nname = "a"\nmargin = 0', ["line 3", "margin of [[benchmark]] 'a' is 0"]),
        ('[[benchmark]]\nname = "a"\nmargin = nan', ["line 3", "nan"]),
        ('[[benchmark]]\nname = "a"\nmargin = true', ["line 3", "True"]),
        ('[[benchmark]]\nname = "a"\nbounds = [10, 1]', ["line 3", "[low, high]"]),
        ('[[benchmark]]\nname = "a"\nbounds = 10', ["line 3", "[low, high]"]),
        ('[[benchmark]]\nname = "a"\nmetric = 3', ["line 3", "no text in quotes"]),
        ('[[benchmark]]\nname = "a"\ndiscordant_rate = 1.5', ["line 3", "from 0 to below 1"]),
        ('[[benchmark]]\nname = "a"\nitems_sha256 = "abc"', ["line 3", "64 digits"]),
        ('[[benchmark]]\nname = "a"\nconfig = 3', ["line 3", "[benchmark.config]"]),
        ('[[benchmark]]\nname = "a"\n[benchmark.config]\nshots = 5', ["line 4", "shots", "text in quotes"]),
        ("[[benchmark]]\nname = gsm8k", ["no TOML", "line 2"]),
    ],
)
def test_a_wrong_plan_is_refused_with_table_key_line_and_near_miss(tmp_path, text, said):
    message = _refusal(tmp_path, text)
    assert message.startswith(str(tmp_path / "evalstats.toml"))
    assert [word for word in said if word not in message] == []
    assert message.endswith(".")


def test_a_plan_that_is_not_there_or_no_text_is_refused(tmp_path):
    with pytest.raises(InputError, match="evalstats init RUN"):
        read_plan(tmp_path / "evalstats.toml")
    (tmp_path / "evalstats.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="UTF-8"):
        read_plan(tmp_path / "evalstats.toml")


def test_one_baseline_for_all_or_an_error(tmp_path):
    two = '[[benchmark]]\nname = "{}"\nbaseline = "{}"\n'
    plan = read_plan(_written(tmp_path, two.format("a", "old") + two.format("b", "old")))
    assert plan.baseline == "old"
    (tmp_path / "old").mkdir()
    assert plan.baseline == str(tmp_path / "old")  # beside the plan
    with pytest.raises(InputError, match=r"names 2 baselines \(old, older\)"):
        read_plan(_written(tmp_path, two.format("a", "old") + two.format("b", "older"))).baseline  # noqa: B018
    with pytest.raises(InputError, match="names no baseline"):
        read_plan(_written(tmp_path, '[[benchmark]]\nname = "a"')).baseline  # noqa: B018


def test_the_digest_is_of_the_content_in_any_order_and_of_ids_without_content():
    items = part([row("1", 1, hash="bb"), row("2", 0, hash="aa")]).items
    turned = part([row("7", 0, hash="aa"), row("8", 1, hash="bb")]).items
    assert items_digest(items) == items_digest(turned) == hashlib.sha256(b"aa\nbb").hexdigest()
    plain = part([row("q2", 1), row("q1", 0)]).items
    assert items_digest(plain) == hashlib.sha256(b"q1\nq2").hexdigest()
    assert items_digest(plain) != items_digest(part([row("q2", 1), row("q3", 0)]).items)


texts = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=20)
benchmarks = st.builds(
    PlannedBenchmark,
    name=texts,
    metric=st.none() | texts,
    cluster=st.none() | texts,
    bounds=st.none() | st.just((1.0, 10.0)),
    margin=st.none() | st.just("1pt") | st.floats(1e-6, 1e3),
    tier=st.sampled_from(["critical", "supporting", "advisory"]),
    discordant_rate=st.none() | st.floats(0, 0.99),
    baseline=st.none() | texts,
    items_sha256=st.none() | st.just("ab" * 32),
    config=st.dictionaries(texts, texts, max_size=3),
)


@given(st.lists(benchmarks, min_size=1, max_size=4, unique_by=lambda b: b.name), st.floats(0.5, 0.999))
def test_what_is_written_is_read_again(tmp_path_factory, found, level):
    family = tuple(b.name for b in found[:2])
    plan = Plan("evalstats.toml", tuple(found), family, round(level, 4), "hochberg")
    path = tmp_path_factory.getbasetemp() / "evalstats.toml"
    path.write_text(plan_text(plan, {found[0].name: "decide\nbefore"}), encoding="utf-8")
    again = read_plan(path)
    assert again.benchmarks == plan.benchmarks
    assert (again.family, again.level, again.correction) == (plan.family, plan.level, plan.correction)
