"""Several comparisons as one page: the finding, a forest that sorts and filters, each row to open."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from evalstats.answers import Comparisons
from evalstats.envelope import Comparison, Family
from evalstats.report import families, figures, particulars, wording
from evalstats.report.html import joins, shown
from evalstats.report.html import rows as single
from evalstats.report.labels import correction_label, method_label
from evalstats.report.numbers import counted, is_fraction, listed
from evalstats.report.terminal import NB, clean
from evalstats.report.text_families import family_columns

_SHORT = 20  # cells of a name over a column
View = dict[str, Any]


def family_view(result: Comparisons) -> View:
    """What the template of several rows needs; the rows are in the order of the text, regressions first."""
    rows = families.in_order(result.primary)
    first = rows[0]
    places = {id(row): at for at, row in enumerate(result.primary)}
    finding = families.finding(rows)
    lead = wording.lead_of(finding)
    axis = _shared_axis(rows)
    cells = {column.title: column.texts for column in family_columns(rows, result.family)}
    p_title = next(title for title in cells if title.startswith("p"))
    return {
        "candidate": shown.name(first.candidate.label),
        "baseline": shown.name(first.baseline.label),
        "heading": _heading(rows),
        "tags": _tags(rows),
        "lead": finding[:lead].strip(),
        "rest": finding[lead:].strip(),
        "margin_line": families.margin_count_line(rows),
        "flags": families.family_flags(rows),
        "luck": luck_view(result.family, rows),
        "axis": axis,
        "ends": _ends(rows),
        "p_title": p_title,
        "p_key": "adjusted" if result.family else "test.pvalue",
        "with_margin": any(row.margin is not None for row in rows),
        "rows": [
            _row(row, places[id(row)], {title: texts[at] for title, texts in cells.items()}, axis, p_title)
            for at, row in enumerate(rows)
        ],
        "under": [
            families.alone_line(result.family, rows),
            f"{families.unit_line(rows)} Shows: the smallest true difference seen with 80{NB}% power.",
            *filter(None, [families.direction_line(rows)]),
        ],
        "care": _care(rows),
        "reach": single.reach_text(first.difference),
        "unchecked": [shown.name(text, shown.SENTENCE) for text in particulars.all_unchecked(rows)],
        "config": _config(rows),
        "computed": _computed(result, rows),
        "details": [_detail(row, places[id(row)], result) for row in rows],
    }


def _heading(rows: Sequence[Comparison]) -> str:
    rows = particulars.benchmarks(rows)
    n = sum(row.difference.n for row in rows)
    paired = ", paired" if all(row.design.paired for row in rows) else ""
    return f"{counted(len(rows), 'benchmark')} · {counted(n, 'item')}{paired}"


def _tags(rows: Sequence[Comparison]) -> list[View]:
    counts = [
        ("regressed", "down", sum(row.direction == "regressed" for row in rows)),
        ("improved", "up", sum(row.direction == "improved" for row in rows)),
    ]
    found = [{"text": f"{n:,} {word}", "tone": tone} for word, tone, n in counts if n]
    return found or [{"text": "nothing settled", "tone": ""}]


def luck_view(family: Family | None, rows: Sequence[Comparison]) -> View | None:
    """Beside what is lit: what would be without correction, and what luck would light."""
    if family is None:
        return None
    lit = sum(row.reject is True for row in rows)
    alone = sum(row.test is not None and row.test.pvalue <= family.alpha for row in rows)
    most = max(lit, alone, family.expected_by_luck, 1)
    bars = [
        (f"lit after {correction_label(family.method)}", f"{lit:,} of {family.m:,}", lit, "lit"),
        (f"p ≤ {family.alpha:.4g} uncorrected", f"{alone:,}", alone, "plain"),
        ("by luck, were all equal", f"{family.expected_by_luck:.2g}", family.expected_by_luck, "luck"),
    ]
    return {
        "said": families.luck_line(family, rows),
        "bars": [
            {"name": name, "text": text, "width": round(100 * value / most, 1), "kind": kind}
            for name, text, value, kind in bars
        ],
    }


def _config(rows: Sequence[Comparison]) -> list[View]:
    """Each setting that differs on any of the rows, once for each pair of values."""
    changes = [change for row in rows for change in joins.config_view(row)]
    return list({tuple(change.values()): change for change in changes}.values())


def _computed(result: Comparisons, rows: Sequence[Comparison]) -> list[tuple[str, str]]:
    sources = list(dict.fromkeys(particulars.interval_source(row.difference) for row in rows))
    tests = list(dict.fromkeys(method_label(row.test.method) for row in rows if row.test is not None))
    family = result.family
    corrected = f"{correction_label(family.method)} over {family.m:,} p-values" if family else "none"
    return [
        ("difference", f"candidate − baseline; {families.unit_line(rows)}"),
        ("interval", listed(sources)),
        ("test", listed(tests)),
        ("correction", corrected),
    ]


def _care(rows: Sequence[Comparison]) -> list[View]:
    said = (
        families.family_missing_line(rows),
        *families.family_caveats(rows),
        families.family_cluster_line(rows),
    )
    return [{"code": "", "text": line} for line in said if line]


def _shared_axis(rows: Sequence[Comparison]) -> figures.Axis | None:
    """One axis for all rows in points; rows in other units have each their own."""
    shared = [row for row in rows if is_fraction(row.scale)]
    if not shared:
        return None
    reach = figures.reach_of([row.difference for row in shared], [row.margin for row in shared])
    return figures.difference_axis(reach, True, 3)


def _ends(rows: Sequence[Comparison]) -> tuple[str, str]:
    old, new = (clean(name, _SHORT) for name in particulars.called(rows[0]))
    if all(row.higher_is_better for row in rows):
        return f"{old} better", f"{new} better"
    if not any(row.higher_is_better for row in rows):
        return f"{new} better", f"{old} better"
    return f"{old} higher", f"{new} higher"


def _row(
    row: Comparison, place: int, cells: dict[str, str], shared: figures.Axis | None, p_title: str
) -> View:
    own = None
    if shared is None or not is_fraction(row.scale):
        reach = figures.reach_of([row.difference], [row.margin])
        own = figures.difference_axis(reach, is_fraction(row.scale), 2)
    axis = own or shared
    assert axis is not None
    return {
        "place": place,
        "state": row.direction,
        "mark": {"regressed": "▼", "improved": "▲"}.get(row.direction, ""),
        "tone": single.TONES.get(row.direction, ""),
        "name": particulars.name(row),
        "metric": shown.name(row.metric, 60),
        "lower": not row.higher_is_better,
        "count": cells["items"],
        "baseline": cells["baseline"],
        "candidate": cells["candidate"],
        "difference": cells["difference"],
        "alone": cells["alone"],
        "adjusted": cells["adjusted"],
        "p": cells[p_title],
        "margin": cells["margin"],
        "shows": cells["shows"],
        "axis": axis,
        "own": "" if own is None else own.ticks[-1].text.lstrip("+"),
        "bar": figures.bar_on(axis, row.difference, single.TONES.get(row.direction, "")),
        "band": single.margin_band(row, axis),
    }


def _detail(row: Comparison, place: int, result: Comparisons) -> View:
    """One row opened: what its own page says, without the pictures."""
    view = single.comparison_view(row, result.family, f"r{place}-", drawn=False)
    view["name"] = particulars.name(row)
    view["place"] = place
    view["checks"] = [check for check in view["join"]["checks"] if check["status"] != "ok"]
    view["known"] = math.isfinite(row.difference.point)
    view["task"] = clean(row.benchmark, 60)
    return view
