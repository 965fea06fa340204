"""What a start may load: help without numpy, answers without scipy.stats, pandas or matplotlib.

Modules are counted, not seconds: a list of names does not depend on who else uses the machine.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from evalstats.cli.main import VERBS

LOGS = Path(__file__).parents[1] / "examples" / "logs"
LM_EVAL = (str(LOGS / "lm_eval" / "model-a"), str(LOGS / "lm_eval" / "model-b"))
INSPECT = (str(LOGS / "inspect" / "model-a.eval"), str(LOGS / "inspect" / "model-b.eval"))
JUDGE = LOGS.parent / "judge"
LISTED = """
import atexit, sys
listed = sys.argv.pop(1)
atexit.register(lambda: open(listed, "w").write(chr(10).join(sys.modules)))
"""
COMMAND = LISTED + "from evalstats.cli.main import main\nsys.exit(main())"
NEVER = {"scipy.stats", "scipy.optimize", "matplotlib", "statsmodels", "pandas", "pyarrow", "polars"}
NOT_FOR_HELP = {"numpy", "scipy", "msgspec", "duckdb", "narwhals", "rich", "jinja2", "backports", "typing"}
NOT_FOR_TEXT = {"duckdb", "narwhals", "jinja2"}
ANSWERS = {
    "score": [[LM_EVAL[0]], ["360/500"], [INSPECT[1]], [INSPECT[1], "--json"]],
    "compare": [
        [*LM_EVAL],
        [*LM_EVAL, "--task", "colors_law", "--margin", "1"],
        [*INSPECT],
        [*INSPECT, "--markdown"],
    ],
    "show": [[LM_EVAL[0]], [INSPECT[0]], ["formats"]],
    "gate": [[*LM_EVAL, "--margin", "5"]],
    "init": [[LM_EVAL[0], "--margin", "5"]],
    "slices": [[LM_EVAL[0], "--by", "passage_id"], [*LM_EVAL, "--task", "colors_law", "--by", "passage_id"]],
    "rank": [[*LM_EVAL, f"again={LM_EVAL[0]}"], [*INSPECT, f"again={INSPECT[0]}", "--markdown"]],
    "agree": [
        [f"{INSPECT[0]}@match_clustered", f"{INSPECT[1]}@match_clustered"],
        ["sample", INSPECT[0], "--n", "30", "--out", "sample.csv"],
    ],
    "passk": [["--counts", "3/20,0/20,17/20"], [INSPECT[0]]],
    "variance": [[INSPECT[0]], [*INSPECT, "--factor", "model"]],
    "contamination": [[INSPECT[0], "--rewritten", INSPECT[1]]],
    "which": [["7"]],
    "judge": [
        ["60/200", "--sensitivity", "90/100", "--specificity", "114/120"],
        [str(JUDGE / "judged-new.csv"), "--labels", str(JUDGE / "labels-new.csv")],
        ["--verdicts", str(JUDGE / "pairs.csv")],
    ],
    "size": [["--discordant-rate", "0.2", "--effect", "5"], ["--pilot", *INSPECT, "--effect", "9"]],
}
GATE_ANSWERS = (1, 3)  # fail, inconclusive


def _loaded(tmp_path: Path, code: str, *arguments: str) -> set[str]:
    """Names of all modules that a fresh interpreter holds at its end, parents included."""
    listed = tmp_path / "modules"
    command = [sys.executable, "-c", code, str(listed), *arguments]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode in (0, *(GATE_ANSWERS if "gate" in arguments else ())), done.stderr
    return set(listed.read_text(encoding="utf-8").split("\n"))


def test_the_names_that_are_watched_would_be_seen(tmp_path):
    assert {"scipy.stats", "pandas", "numpy"} <= _loaded(tmp_path, LISTED + "import scipy.stats, pandas")


def test_importing_the_package_loads_its_door_alone(tmp_path):
    bare = _loaded(tmp_path, LISTED + "import importlib, __future__")
    assert _loaded(tmp_path, LISTED + "import evalstats") - bare == {"evalstats", "evalstats._version"}


def test_a_number_in_python_loads_numpy_and_scipy_special(tmp_path):
    loaded = _loaded(tmp_path, LISTED + "import evalstats as es\nes.proportion(360, 500)")
    assert {"numpy", "scipy.special"} <= loaded
    assert loaded & (NEVER | NOT_FOR_TEXT | {"rich", "msgspec"}) == set()


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], *([verb, "--help"] for verb in VERBS)], ids=" ".join
)
def test_help_loads_no_number(tmp_path, arguments):
    assert _loaded(tmp_path, COMMAND, *arguments) & (NEVER | NOT_FOR_HELP) == set()


def test_help_stays_small(tmp_path):
    """A bare interpreter has about 40 modules; argparse is for the verbs."""
    bare = _loaded(tmp_path, LISTED)
    assert len(_loaded(tmp_path, COMMAND, "--help") - bare) < 25
    for verb in VERBS:
        assert len(_loaded(tmp_path, COMMAND, verb, "--help") - bare) < 50


@pytest.mark.parametrize("arguments", [[verb, *words] for verb in VERBS for words in ANSWERS.get(verb, ())])
def test_an_answer_from_logs_loads_no_heavy_library(tmp_path, arguments):
    assert _loaded(tmp_path, COMMAND, *arguments) & (NEVER | NOT_FOR_TEXT) == set()


def test_reproducing_an_answer_loads_no_heavy_library(tmp_path):
    command = [sys.executable, "-m", "evalstats", "compare", *LM_EVAL, "--json"]
    result = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    (tmp_path / "result.json").write_text(result, encoding="utf-8")
    loaded = _loaded(tmp_path, COMMAND, "reproduce", str(tmp_path / "result.json"))
    assert loaded & (NEVER | NOT_FOR_TEXT) == set()


def test_a_table_loads_its_engine_and_no_other_frame_library(tmp_path):
    table = tmp_path / "scores.csv"
    rows = "".join(
        f"q{i},{model},{(i * skill) % 3 > 0:d}\n" for model, skill in (("a", 2), ("b", 5)) for i in range(30)
    )
    table.write_text(f"item,model,score\n{rows}", encoding="utf-8")
    loaded = _loaded(tmp_path, COMMAND, "compare", f"{table}::a", f"{table}::b")
    assert loaded & NEVER == set()


def test_every_verb_of_the_table_is_tried():
    assert set(VERBS) <= {*ANSWERS, "reproduce"}, "a new verb needs a line in ANSWERS"
