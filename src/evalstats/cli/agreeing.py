"""What `agree` does once its arguments are read: the analysis, or the sample and its file."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any

from evalstats.analyses.agree import agreement_of
from evalstats.analyses.agree_result import Agreement
from evalstats.analyses.agree_sample import Sample, label_sample
from evalstats.cli.files import create
from evalstats.errors import InputError
from evalstats.report.agree_sample_text import sample_markdown, sample_text
from evalstats.report.agree_text import agreement_markdown, agreement_text

DEFAULT_OUT = "labels.csv"
_OF_SAMPLE = ("n", "out")
_NOT_OF_SAMPLE = (
    "judge",
    "human",
    "rater",
    "verdict",
    "measures",
    "weights",
    "scale",
    "categories",
    "method",
)


def answer(runs: list[str], **keywords: Any) -> Agreement | Sample:
    """The agreement; after "sample", which is no file, the sample, written."""
    if runs[:1] == ["sample"] and not os.path.exists("sample"):
        return _sample(runs[1:], keywords)
    for name in _OF_SAMPLE:
        if name in keywords:
            raise InputError(f"--{name} is of a sample to label: evalstats agree sample RUN --{name} ...")
    return agreement_of(runs, **keywords)


def _sample(runs: list[str], keywords: dict[str, Any]) -> Sample:
    if len(runs) != 1:
        raise InputError(
            f"agree sample came with {len(runs)} runs: it wants one RUN, whose answers are labelled."
        )
    given = [name for name in (*_NOT_OF_SAMPLE, "id", "cluster", "n_boot") if name in keywords]
    if given:
        raise InputError(
            f"--{given[0].replace('_', '-')} is about labels, and a sample has none yet; leave it out."
        )
    out = Path(keywords.pop("out", DEFAULT_OUT))
    if out.exists():
        raise InputError(f"{out} is there already and may hold labels. Name another file with --out.")
    found = label_sample(runs[0], **keywords)
    create(out, found.csv(), ".csv")
    return dataclasses.replace(found, out=str(out))


def text(result: Agreement | Sample, width: int, color: bool) -> str:
    if isinstance(result, Sample):
        return sample_text(result, width, color)
    return agreement_text(result, width, color)


def markdown(result: Agreement | Sample) -> str:
    return sample_markdown(result) if isinstance(result, Sample) else agreement_markdown(result)
