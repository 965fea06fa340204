"""What `slices` does once its arguments are read."""

from __future__ import annotations

from typing import Any

from evalstats.analyses.slices import slices
from evalstats.analyses.slices_result import Slices
from evalstats.errors import InputError


def answer(runs: list[str], by: str | None = None, split: str | None = None, **keywords: Any) -> Slices:
    """The slices of one run, or of two. Raises InputError for another number of runs, or no field."""
    if len(runs) not in (1, 2):
        came = f"{len(runs)} runs" if runs else "no run"
        raise InputError(
            f"slices came with {came}: it wants one, or BASELINE and CANDIDATE. See evalstats slices --help."
        )
    if split is None and not (by or "").strip():
        raise InputError(
            f"slices wants --by FIELD: the field to cut by. `evalstats show {runs[0]}` lists those there are."
        )
    return slices(*runs, by=by, split=split, **keywords)
