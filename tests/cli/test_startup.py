"""What a start may load: --help neither numpy nor argparse, a report nothing heavy."""

import subprocess
import sys

import pytest

HEAVY = {"scipy.stats", "pandas", "matplotlib", "polars", "pyarrow", "rich", "jinja2", "statsmodels"}


def loaded_by(*arguments: str) -> set[str]:
    code = (
        "import sys; from evalstats.cli.main import main; code = main(sys.argv[1:]);"
        "print('\\0' + '\\0'.join(sys.modules), file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    return set(done.stderr.split("\0")[1:])


@pytest.mark.parametrize("arguments", [("--help",), ("--version",)])
def test_help_loads_nothing_that_costs(arguments: tuple[str, ...]) -> None:
    loaded = loaded_by(*arguments)
    assert not loaded & {"numpy", "argparse", "typing", "dataclasses", "re"}


@pytest.mark.parametrize("verb", ["score", "compare", "show", "reproduce"])
def test_help_of_a_verb_loads_no_numpy(verb: str) -> None:
    loaded = loaded_by(verb, "--help")
    assert not loaded & {"numpy", "typing", "dataclasses"}


def test_a_text_report_of_counts_loads_nothing_heavy() -> None:
    loaded = loaded_by("compare", "360/500", "375/500", "--discordant", "40", "55")
    assert not loaded & HEAVY
    assert "duckdb" not in loaded
