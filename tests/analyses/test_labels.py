"""What two runs are called: the first of model, metric, date and path that tells them apart."""

from __future__ import annotations

import evalstats as es
from tests.made_runs import records, run_of, write_csv

OLD = {"q1": 1, "q2": 0, "q3": 1}
NEW = {"q1": 1, "q2": 1, "q3": 0}


def test_labels_are_models_then_dates_then_paths(tmp_path):
    def labels(one, two):
        row = es.compare(one, two).only
        return row.baseline.label, row.candidate.label

    dated = {"model": "lab/m", "path": "x.eval"}
    a, b = (run_of(s, model=f"lab/{m}", created=f"2026-{m}") for s, m in ((OLD, "one"), (NEW, "two")))
    assert labels(a, b) == ("one", "two")
    assert labels(run_of(OLD, model="x/m"), run_of(NEW, model="y/m")) == ("x/m", "y/m")
    days = run_of(OLD, created="2026-01-02T03:04:05", **dated), run_of(NEW, created="2026-01-09", **dated)
    assert labels(*days) == ("2026-01-02", "2026-01-09")
    one_day = [run_of(OLD, created=f"2026-01-02T0{hour}:04:05", **dated) for hour in (3, 4)]
    assert labels(*one_day) == ("2026-01-02T03:04", "2026-01-02T04:04")
    for folder in ("before", "after"):
        (tmp_path / folder / "logs").mkdir(parents=True)
        write_csv(tmp_path / folder / "logs" / "run.csv", [{**r, "model": "m"} for r in records(OLD)])
    paths = [tmp_path / folder / "logs" / "run.csv" for folder in ("before", "after")]
    assert labels(*paths) == ("before", "after")


def test_a_run_s_name_is_no_path(tmp_path):
    names = ("openai/gpt", "<script>alert(1)</script>", "x/y")
    rows = [{"id": f"q{i}", **{name: (i + at) % 2 for at, name in enumerate(names)}} for i in range(20)]
    path = write_csv(tmp_path / "runs.csv", rows)
    assert {run.label for run in es.rank(path).only} == set(names)
    assert es.score(f"{path}::openai/gpt").only.run.label == "openai/gpt"
