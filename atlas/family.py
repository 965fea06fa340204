"""One page of docs/methods: what it says in words."""

from __future__ import annotations

from dataclasses import dataclass

from evalstats.kernel.method import MethodTable


@dataclass(frozen=True)
class Family:
    """One page. rows : keys of the atlas. example : executed by `make examples`."""

    key: str
    title: str
    when: str
    formula: str
    example: str
    tables: tuple[MethodTable, ...]
    rows: tuple[str, ...]
    caveats: tuple[str, ...]
