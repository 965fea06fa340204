"""Editors and type checkers see what the door opens."""

from __future__ import annotations

import ast
from pathlib import Path

import evalstats

STUB = Path(evalstats.__file__).with_suffix(".pyi")


def test_the_stub_names_what_the_door_names_and_from_the_same_places() -> None:
    imports = [node for node in ast.parse(STUB.read_text("utf-8")).body if isinstance(node, ast.ImportFrom)]
    said = {alias.asname: (node.module, alias.name) for node in imports for alias in node.names}
    opened = {name: (module, name) for name, module in evalstats._NAMES.items()}
    opened |= {name: tuple(module.rsplit(".", 1)) for name, module in evalstats._NAMESPACES.items()}
    assert said == opened | {"__version__": ("evalstats._version", "__version__")}
