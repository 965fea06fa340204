"""Every module imports alone and in any order, the lazy door opens every name, and floors keep their laws."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import evalstats

PACKAGE = Path(evalstats.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
PURE = ("errors", "caveats", "numeric", "results", "envelope", "answers", "kernel", "methods", "subjects")
DEFERRED = {  # the only imports of our own modules inside a function
    ("__init__.py", "__getattr__"),  # the door
    ("results.py", "display"),  # a result finds its renderer
    ("cli/main.py", "_load"),  # the verb table
    ("readers/detect.py", "_module"),  # the table of formats
}
OPEN_EVERY_NAME = """
import importlib, inspect, json, sys
modules, forward = json.loads(sys.argv[1])
for module in modules if forward else reversed(modules):
    importlib.import_module(module)
import evalstats
for name in evalstats.__all__:
    value = getattr(evalstats, name)
    wanted_module = name in evalstats._NAMESPACES
    if inspect.ismodule(value) != wanted_module:
        sys.exit(f"evalstats.{name} is {value!r}")
    if getattr(evalstats, name) is not value:
        sys.exit(f"evalstats.{name} changes between two looks")
"""


def _module(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = [_module(path) for path in FILES]
IMPORTABLE = [module for module in MODULES if module != "evalstats.__main__"]  # that one runs the command


def _imported(node: ast.AST) -> list[str]:
    """The dotted names an import statement names: `from scipy import special` is scipy.special."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


def _is_import_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) in {
        "importlib.import_module",
        "import_module",
        "__import__",
    }


def _fresh(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-c", code, *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("forward", [True, False], ids=["forward", "reverse"])
def test_the_door_opens_every_name_after_every_module_in_any_order(forward):
    opened = _fresh(OPEN_EVERY_NAME, json.dumps([IMPORTABLE, forward]))
    assert (opened.returncode, opened.stdout, opened.stderr) == (0, "", "")


def test_every_public_name_opens_a_fresh_interpreter_first_or_last():
    code = "import sys, evalstats; [getattr(evalstats, name) for name in sys.argv[1:]]"
    for names in (evalstats.__all__, evalstats.__all__[::-1]):
        assert _fresh(code, *names).stderr == ""


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'bootstrap_mean_of'"):
        evalstats.bootstrap_mean_of  # noqa: B018


def test_public_names_are_sorted_into_one_door():
    assert len(set(evalstats.__all__)) == len(evalstats.__all__)
    assert set(evalstats.__all__) <= set(dir(evalstats))


def test_the_init_of_a_sub_package_is_empty():
    inits = [path for path in PACKAGE.rglob("__init__.py") if path.parent != PACKAGE]
    assert inits
    assert [str(path) for path in inits if path.read_bytes()] == []


def test_no_module_under_the_root_has_the_name_of_a_public_function():
    rooms = {path.stem for path in PACKAGE.iterdir()} - {"__init__"}
    assert rooms & set(evalstats.__all__) == set()


@pytest.mark.parametrize("path", FILES, ids=MODULES)
def test_floors_0_to_3_stand_on_numpy_and_scipy_special(path):
    room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if room not in PURE:
        return
    allowed = (*sys.stdlib_module_names, "evalstats", "numpy", "scipy.special")
    names = [name for node in ast.walk(_tree(path)) for name in _imported(node)]
    assert [name for name in names if not any(f"{name}.".startswith(f"{ok}.") for ok in allowed)] == []


def test_our_own_modules_are_deferred_in_the_listed_places_only():
    found = set()
    for path in FILES:
        for function in ast.walk(_tree(path)):
            if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            for node in ast.walk(function):
                ours = any(name.split(".")[0] == "evalstats" for name in _imported(node))
                if ours or _is_import_call(node):
                    found.add((str(path.relative_to(PACKAGE)), function.name))
    assert found == DEFERRED
