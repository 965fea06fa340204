"""What stands on each kind of page: one comparison or several, one score or several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evalstats.answers import Comparisons, Scorecard
from evalstats.envelope import Provenance
from evalstats.report import families, particulars, scoring, slices_wording
from evalstats.report.html import agree, forest, origin, rank, rows, scores, shown, slices
from evalstats.report.html.document import agreement_of, comparisons_of, ranking_of, scorecard_of, slices_of
from evalstats.report.numbers import counted, is_fraction, percent
from evalstats.report.terminal import clean

View = dict[str, Any]


def comparisons_page(document: Mapping[str, Any]) -> View:
    """The page of `compare`: one row with all there is to say, or a forest of several."""
    result = comparisons_of(document)
    first = result.primary[0]
    names = f"{shown.name(first.candidate.label, 60)} against {shown.name(first.baseline.label, 60)}"
    levels = _levels(row.difference.level for row in result)
    fraction = is_fraction(first.scale)
    return {
        "verb": "compare",
        "convention": f"{levels} intervals · difference = candidate − baseline",
        **_made(result.provenance, result.notes, [row.metric for row in result.secondary], fraction),
        **(_one_comparison(result, names) if len(result) == 1 else _several_comparisons(result, names)),
    }


def _one_comparison(result: Comparisons, names: str) -> View:
    row = rows.comparison_view(result.only)
    return {
        "template": "compare.html.j2",
        "title": f"{names} · {shown.name(result.only.benchmark, 60)}",
        "width": "",
        "row": row,
        "signature": row["signature"],
    }


def _several_comparisons(result: Comparisons, names: str) -> View:
    return {
        "template": "family.html.j2",
        "title": f"{names} · {counted(len(particulars.benchmarks(result.primary)), 'benchmark')}",
        "width": "broad",
        "signature": clean(families.family_signature(result), 400),
        **forest.family_view(result),
    }


def scorecard_page(document: Mapping[str, Any]) -> View:
    """The page of `score`: one score with its interval large, or a table of several."""
    result = scorecard_of(document)
    name = shown.name(result.primary[0].run.label, 60)
    return {
        "verb": "score",
        "convention": f"{_levels(row.run.estimate.level for row in result)} intervals",
        **_made(result.provenance, result.notes, [row.metric for row in result.secondary]),
        **(_one_score(result, name) if len(result) == 1 else _several_scores(result, name)),
    }


def _one_score(result: Scorecard, name: str) -> View:
    row = scores.score_view(result.only)
    return {
        "template": "score.html.j2",
        "title": f"{name} · {shown.name(result.only.benchmark, 60)}",
        "width": "",
        "row": row,
        "signature": row["signature"],
    }


def _several_scores(result: Scorecard, name: str) -> View:
    return {
        "template": "scores.html.j2",
        "title": f"{name} · {counted(len(particulars.benchmarks(result.primary)), 'benchmark')}",
        "width": "broad",
        "signature": clean(scoring.scores_signature(result.primary), 400),
        **scores.scores_view(result),
    }


def slices_page(document: Mapping[str, Any]) -> View:
    """The page of `slices`: a forest of the slices of one run, or of two."""
    result = slices_of(document)
    levels = _levels(slices_wording.estimate_of(one).level for one in result.whole)
    against = "slice − rest" if result.against == "rest" else "candidate − baseline"
    return {
        "verb": "slices",
        "convention": f"{levels} intervals · difference = {against}",
        "template": "slices.html.j2",
        "title": f"{slices_wording.runs(result)} · slices by {shown.name(' and '.join(result.by), 60)}",
        "width": "broad",
        **_made(result.provenance, result.notes, result.also),
        **slices.slices_view(result),
    }


def rank_page(document: Mapping[str, Any]) -> View:
    """The page of `rank`: the ranking of one benchmark drawn, or a line for each of several."""
    result = ranking_of(document)
    first = result.benchmarks[0]
    names = first.benchmark if len(result) == 1 else counted(len(result), "benchmark")
    return {
        "verb": "rank",
        "convention": f"{_levels(one.methods.level for one in result)} intervals",
        "template": "rank.html.j2",
        "title": f"{counted(len(first), 'run')} · {shown.name(names, 60)}",
        "width": "",
        **_made(result.provenance, result.notes, ()),
        **rank.ranking_view(result),
    }


def agreement_page(document: Mapping[str, Any]) -> View:
    """The page of `agree`: the answer, the measures, the confusion matrix."""
    result = agreement_of(document)
    names = " and ".join(shown.name(one.name, 40) for one in result.raters[:3])
    return {
        "verb": "agree",
        "convention": f"{_levels([result.rows[0].estimate.level])} intervals",
        "template": "agree.html.j2",
        "title": f"agreement of {names}",
        "width": "broad",
        **_made(result.provenance, result.notes, ()),
        **agree.agreement_view(result),
    }


def _levels(levels: Iterable[float]) -> str:
    return " and ".join(dict.fromkeys(percent(level) for level in levels))


def _made(provenance: Provenance, notes: Sequence[str], others: Sequence[str], fraction: bool = True) -> View:
    """Where the numbers came from, and what was said once about the inputs."""
    inputs = origin.inputs(provenance)
    also = particulars.also_line(others)
    said = [clean(note, 2000) for note in dict.fromkeys(notes)]
    return {
        "command": origin.command_line(provenance, fraction),
        "inputs": inputs,
        "inputs_text": f"{counted(len(inputs), 'input')}, with hashes" if inputs else "",
        "file": f"evalstats-{provenance.call}.json",
        "asked_texts": bool(provenance.options.get("with_text")),
        "notes": [*said, *([also] if also else [])],
    }
