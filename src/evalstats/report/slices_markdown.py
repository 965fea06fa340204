"""Slices as Markdown for a pull request: the finding and a few rows to see, all of them folded."""

from __future__ import annotations

from evalstats.analyses.slices_result import Slices
from evalstats.report import slices_wording
from evalstats.report.markdown_parts import bullets, code, columns_table, escaped, flags, joined
from evalstats.report.slices_table import columns

_SEEN, _FOLDED = 5, 200  # rows: all if no more, else the first settled ones; folded at the most


def slices_markdown(result: Slices) -> str:
    """What `slices --markdown` prints."""
    ordered = slices_wording.in_order(result)
    settled = [one for one in ordered if one.direction != "not_settled"]
    few = len(ordered) <= _SEEN
    shown = ordered if few else settled[:_SEEN]
    said = (
        slices_wording.finding(result),
        *slices_wording.cut_off_lines(result),
        slices_wording.margin_line(result),
    )
    visible = [
        f"**{escaped(slices_wording.heading(result))}**",
        "",
        escaped(" ".join(line for line in said if line)),
        *flags(slices_wording.flags(result)),
        "",
        *(columns_table(columns(result, shown)) if shown else []),
    ]
    folded = [] if few else [*columns_table(columns(result, ordered[:_FOLDED])), ""]
    left = slices_wording.left_out(ordered[_FOLDED:])
    notes = [
        left,
        slices_wording.whole_line(result),
        *slices_wording.notes(result),
        *result.notes,
        slices_wording.also_line(result),
    ]
    return joined(visible, [*folded, *bullets(notes), "", code(slices_wording.signature(result))])
