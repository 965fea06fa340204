"""What `judge` does once its arguments are read: which of its forms, and how that is printed."""

from __future__ import annotations

from typing import Any

from evalstats.analyses.judge import judged
from evalstats.analyses.judge_bias import judge_bias
from evalstats.analyses.judge_checks_result import JudgeBias, JudgeDrift
from evalstats.analyses.judge_drift import judge_drift
from evalstats.analyses.judge_result import Judged
from evalstats.errors import InputError
from evalstats.report.judge_checks_text import bias_markdown, bias_text, drift_markdown, drift_text
from evalstats.report.judge_text import judged_markdown, judged_text

Answer = Judged | JudgeBias | JudgeDrift


def answer(runs: list[str], **keywords: Any) -> Answer:
    """A score corrected, pairs looked at for biases, or anchors for a drift."""
    files = keywords.pop("label_files", ())
    labels = files[0] if len(files) == 1 else files or None
    if "verdicts" in keywords:
        return _bias(runs, labels, keywords)
    if keywords.pop("anchors", False):
        return _drift(runs, labels, keywords)
    if "margin" in keywords:
        raise InputError("--margin is for --anchors: how much a judge may drift.")
    return judged(*runs, labels=labels, **keywords)


def _bias(runs: list[str], labels: Any, keywords: dict[str, Any]) -> JudgeBias:
    table = keywords.pop("verdicts")
    given = [*runs, *(["--labels"] if labels else []), *(f"--{name}" for name in keywords if name != "level")]
    if given:
        raise InputError(
            f"--verdicts FILE stands alone, with --level: {' and '.join(given)} is for the judge's scores of "
            "a run. People's winners go in the file's column human."
        )
    return judge_bias(table, **keywords)


def _drift(runs: list[str], labels: Any, keywords: dict[str, Any]) -> JudgeDrift:
    for name in ("sensitivity", "specificity"):
        if name in keywords:
            raise InputError(f"--{name} has no use for --anchors; leave it out.")
    if len(runs) != 2:
        came = f"{len(runs)} run{'s' * (len(runs) != 1)}"
        raise InputError(f"--anchors came with {came}: it wants BEFORE and AFTER.")
    if isinstance(labels, tuple):
        raise InputError("--anchors takes one file of labels: the answers are the same before and after.")
    return judge_drift(*runs, labels=labels, **keywords)


def text(result: Answer, width: int, color: bool) -> str:
    if isinstance(result, JudgeBias):
        return bias_text(result, width, color)
    return (
        drift_text(result, width, color)
        if isinstance(result, JudgeDrift)
        else judged_text(result, width, color)
    )


def markdown(result: Answer) -> str:
    if isinstance(result, JudgeBias):
        return bias_markdown(result)
    return drift_markdown(result) if isinstance(result, JudgeDrift) else judged_markdown(result)
