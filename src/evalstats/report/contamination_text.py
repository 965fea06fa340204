"""`contamination` as text and Markdown: the number, and what it says and does not say."""

from __future__ import annotations

import math

from evalstats._version import __version__
from evalstats.analyses.contamination_result import ASKED, Contamination
from evalstats.report import cut_offs
from evalstats.report.labels import method_label
from evalstats.report.lines import paragraphs, rendered, signature_lines, spaced
from evalstats.report.markdown import comparisons_markdown
from evalstats.report.markdown_parts import bullets, code, escaped
from evalstats.report.numbers import MINUS, counted, listed, p_text
from evalstats.report.particulars import LABEL, reach_line
from evalstats.report.terminal import clean
from evalstats.report.text import comparisons_text

_NO_PROOF = "Not shown is not excluded: a model may have seen items and gained little from it."
_LOWER = {"worse": "lower", "regressed": "lower", "better": "higher", "improved": "higher"}


def contamination_text(result: Contamination, width: int = 80, color: bool = False) -> str:
    """What `contamination` prints."""
    said = paragraphs(reading(result), width, "open")
    if result.comparisons is not None:
        title = paragraphs([_title(result)], width, "title", indent=0)
        return (
            rendered(spaced([title, said, []]), color)
            + "\n"
            + comparisons_text(result.comparisons, width, color)
        )
    blocks = [
        paragraphs([heading(result)], width, "title", indent=0),
        paragraphs(numbers(result), width),
        said,
        [*paragraphs(sentences(result), width), *signature_lines(signature(result), width)],
    ]
    return rendered(spaced(blocks), color)


def contamination_markdown(result: Contamination) -> str:
    """What `contamination --markdown` prints."""
    said = escaped(" ".join(reading(result)))
    if result.comparisons is not None:
        return f"**{escaped(_title(result))}**\n\n{said}\n\n{comparisons_markdown(result.comparisons)}"
    parts = [
        f"**{escaped(heading(result))}**",
        "",
        escaped(" ".join(numbers(result))),
        "",
        said,
        "",
        *bullets([*sentences(result), *result.notes]),
        "",
        code(signature(result)),
    ]
    return "\n".join(parts) + "\n"


def _title(result: Contamination) -> str:
    return f"Contamination: {ASKED[result.asked]}"


def heading(result: Contamination) -> str:
    """ "Contamination: the items before a cut-off against those after it · week-32 · gsm8k · accuracy"."""
    names = [clean(label, LABEL) for label in result.labels]
    who = " against ".join(reversed(names))
    first = result.cut_offs[0] if len(result.cut_offs) == 1 else None
    what = [clean(first.benchmark, LABEL), clean(first.metric, LABEL)] if first else []
    return " · ".join(part for part in (_title(result), who, *what) if part)


def numbers(result: Contamination) -> list[str]:
    """The answer in digits."""
    if result.order is not None:
        test = result.order
        side = "above" if test.effect >= 0 else "below"
        own = f"{test.statistic:.6g}".replace("-", MINUS)
        return [
            f"Published order {own}, {abs(test.effect):.4g} {side} the mean of "
            f"{counted(test.n, 'shuffled order')}; {p_text(test.pvalue, result.alpha)} "
            f"(one-sided, {method_label(test.method)}, exact)."
        ]
    several = len(result.cut_offs) > 1
    said = []
    for one in result.cut_offs:
        said.append(cut_offs.cut_off_line(one, several))
        sides = [("before", one.before), ("from it on", one.after)]
        known = [
            f"{name} {cut_offs.side_text(one, estimate)}" for name, estimate in sides if estimate is not None
        ]
        said += [f"{'; '.join(known)[:1].upper()}{'; '.join(known)[1:]}."] if known else []
    return said


def reading(result: Contamination) -> list[str]:
    """What the answer says, and what else would make it."""
    if result.order is not None:
        return _of_order(result)
    rows = result.primary
    found = {_LOWER.get(row.direction, "") for row in rows}
    said = _of_rewritten(found) if result.asked == "rewritten" else _of_cut_off(result, found)
    lower = [clean(row.benchmark, LABEL) for row in rows if _LOWER.get(row.direction) == "lower"]
    return [f"{listed(lower)}: {said[0][:1].lower()}{said[0][1:]}"] if lower and len(rows) > 1 else said


def _of_rewritten(found: set[str]) -> list[str]:
    if "lower" in found:
        return [
            "Worse on the rewritten items: as it would be if the originals had been seen, or if rewriting "
            "made them harder. A model that cannot have seen them, run on both, tells the two apart."
        ]
    if found == {"higher"}:
        return ["Better on the rewritten items: nothing speaks for the originals having been seen."]
    return [f"No fall on the rewritten items is shown. {_NO_PROOF}"]


def _of_cut_off(result: Contamination, found: set[str]) -> list[str]:
    if all(one.difference is None for one in result.cut_offs):
        return ["This says nothing of whether the older items were seen."]
    two = len(result.labels) == 2
    if "lower" in found and two:
        reference, run = (clean(label, LABEL) for label in result.labels)
        return [
            f"Against {reference}, {run} is worse on the newer items than on the older: as it would be if it "
            "had seen the older ones. Items that are harder for both drop out."
        ]
    if "lower" in found:
        return [
            "Worse on the newer items: as it would be if the older had been seen, or if the newer are "
            "harder. A reference that cannot have seen them tells the two apart: contamination REFERENCE "
            "RUN --split."
        ]
    if found == {"higher"}:
        return ["Better on the newer items: nothing speaks for the older having been seen."]
    return [f"No fall after the cut-off is shown. {_NO_PROOF}"]


def _of_order(result: Contamination) -> list[str]:
    test = result.order
    assert test is not None
    floor = test.extra["smallest_pvalue"]
    if test.pvalue <= result.alpha:
        return [
            "The published order is likelier to the model than chance allows: as it would be if it had seen "
            "the file. Items that are sorted or numbered make the same sign: their orders are not alike."
        ]
    few = f" {counted(test.n, 'order')} cannot show a p under {floor:.2g}: give more." * (
        floor > result.alpha
    )
    return [f"No preference for the published order is shown.{few} {_NO_PROOF}"]


def sentences(result: Contamination) -> list[str]:
    """What the numbers rest on."""
    if result.order is not None:
        floor = result.order.extra["smallest_pvalue"]
        return [f"The smallest p that {counted(result.order.n, 'order')} can show is {floor:.2g}."]
    said = []
    if any(one.of_differences for one in result.cut_offs):
        said.append("Differences are candidate − baseline, item by item; their means are compared.")
    texts = dict.fromkeys(c["text"] for one in result.cut_offs for c in one.caveats)
    said += [f"{clean(text)[:1].upper()}{clean(text)[1:]}." for text in texts]
    known = [one.difference for one in result.cut_offs if one.difference is not None]
    return [*said, *([reach_line(known[0], result.not_checked)] if known else [])]


def signature(result: Contamination) -> str:
    """`contamination|cut_off|welch|n:400|level:0.95|v:…`."""
    if result.order is not None:
        return result.order.signature
    found = [one.difference for one in result.cut_offs if one.difference is not None]
    methods = "+".join(dict.fromkeys(one.method for one in found)) or "none"
    n = sum(one.n_before + one.n_after for one in result.cut_offs)
    level = f"level:{1 - result.alpha:g}" if math.isfinite(result.alpha) else ""
    return f"contamination|{result.asked}|{methods}|n:{n}|{level}|v:{__version__}"
