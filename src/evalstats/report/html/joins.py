"""How two runs were put side by side, what changed between them, and what to keep in mind."""

from __future__ import annotations

from typing import Any

from evalstats.envelope import Comparison
from evalstats.report import particulars
from evalstats.report.html import shown
from evalstats.report.particulars import RED_FLAGS
from evalstats.report.terminal import clean

View = dict[str, Any]


def join_view(row: Comparison) -> View:
    """Items by run, from the log to the pairs, then the checks of the join."""
    sides = (row.baseline, row.candidate)
    pairing = row.pairing
    counts = [
        ("items in the log", [side.n_total for side in sides]),
        ("scored", [side.n_scored for side in sides]),
        ("without a score", [side.n_missing for side in sides]),
        ("ended in an error", [side.n_errored for side in sides]),
    ]
    if pairing is not None:
        counts.append(("only in this run", [pairing.only_in_baseline, pairing.only_in_candidate]))
        counts.append(("in both runs and scored in both", [row.design.n_items] * 2))
    checks = pairing.checks if pairing else ()
    return {
        "counts": [{"name": name, "cells": [f"{n:,}" for n in values]} for name, values in counts],
        "duplicates": f"{pairing.duplicates:,}" if pairing and pairing.duplicates else "",
        "checks": [
            {"name": clean(c.name, 40), "status": c.status, "text": shown.sentence(c.text)} for c in checks
        ],
        "missing": particulars.missing_lines(row),
    }


def config_view(row: Comparison) -> list[View]:
    """Each setting that differs, with both values."""
    changes = row.pairing.changed_config if row.pairing else ()
    return [
        {
            "setting": shown.name(change.setting, 60),
            "baseline": shown.name(change.baseline, shown.CELL),
            "candidate": shown.name(change.candidate, shown.CELL),
        }
        for change in changes
    ]


def care_view(row: Any) -> list[View]:
    """Each caveat with its code, but the red flags, which stand above the numbers, and missing scores."""
    apart = (*RED_FLAGS, "missing_items")
    said = [
        {"code": clean(c["code"], 60), "text": shown.sentence(c["text"])}
        for c in row.caveats
        if c["code"] not in apart
    ]
    return said + [{"code": "", "text": f"{line}."} for line in particulars.cluster_lines(row.design)]
