"""The large logs that the whole program is timed on, made small."""

from __future__ import annotations

from pathlib import Path

import pytest

import evalstats as es
from bench.made_logs import write_inspect, write_lm_eval


@pytest.fixture
def folders(tmp_path: Path) -> tuple[list[Path], list[Path]]:
    return write_lm_eval(tmp_path / "one", 60), write_inspect(tmp_path / "one", 60)


def test_the_same_number_of_items_gives_the_same_logs(folders, tmp_path):
    again = write_lm_eval(tmp_path / "two", 60)
    for one, two in zip(folders[0], again, strict=True):
        files = sorted(path.name for path in one.iterdir())
        assert files == sorted(path.name for path in two.iterdir())
        assert all((one / name).read_bytes() == (two / name).read_bytes() for name in files)


def test_both_formats_hold_the_same_answers(folders):
    rows = [es.compare(*runs).only for runs in folders]
    (one, other) = ([row.difference.ci_low, row.difference.point, row.difference.ci_high] for row in rows)
    assert one == other
    assert rows[0].difference.n == 60
