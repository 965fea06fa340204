"""The routing table as text and Markdown: many situations as a list, a few in full."""

from __future__ import annotations

from evalstats.analyses.which_result import Answer, Route, Routes
from evalstats.report.lines import Line, paragraphs, rendered, spaced
from evalstats.report.markdown_parts import columns_table
from evalstats.report.numbers import listed
from evalstats.report.tables import Column
from evalstats.report.terminal import wrap

_IN_FULL = 3  # situations that are told in full
_HEAD = "Which tool? The situation decides."


def which_text(result: Routes, width: int = 80, color: bool = False) -> str:
    """What `which` prints."""
    if len(result) <= _IN_FULL:
        return rendered(spaced([_full(route, width) for route in result]), color)
    blocks = [[Line(_HEAD, "title")], [line for route in result for line in _short(route, width)]]
    blocks.append([*paragraphs([_narrow(result), _not_here(result)], width)])
    return rendered(spaced(blocks), color)


def _short(route: Route, width: int) -> list[Line]:
    """ "7  checkpoint against checkpoint ... → Tango's interval ..."."""
    lead = f"{route.number:>2}  "
    first, *rest = wrap(f"{route.situation} → {_tool(route)}", width, 4, 2)
    return [Line(lead + first.strip(), "plain", 2), *(Line(text, "faint") for text in rest)]


def _full(route: Route, width: int) -> list[Line]:
    said = [
        f"Why: {route.reason}.",
        *map(_method, route.answers),
        *(f"Not {avoid.what}: {avoid.why}." for avoid in route.avoid),
        f"Not in this version: {route.missing}." if route.missing else "",
        f"Read: docs/{route.page}" if route.page else "",
    ]
    typed = [f"$ {route.command}" if route.command else "", route.call]
    return [
        *paragraphs([f"{route.number}  {route.situation}"], width, "title", indent=0),
        *paragraphs([f"{_sentence(route.answer)}."], width),
        *(Line(line) for text in typed if text for line in wrap(text, width, 4, 4)),
        *paragraphs(said, width),
    ]


def _method(answer: Answer, elsewhere: str = "") -> str:
    """ "The difference: tango (Tango 1998 ...); measured ...; with --guarantee tango_bonett_price; ...".

    elsewhere : what is said in place of the methods by name.
    """
    parts = [f"{_sentence(answer.what)}: {answer.method} ({answer.citation})"]
    if answer.measured:
        parts.append(f"measured {answer.measured.replace(' / ', ', on average ')}")
    if answer.guarantee == answer.method:
        parts.append("proved")
    elif answer.guarantee:
        parts.append(f"with --guarantee {answer.guarantee}")
    if elsewhere:
        parts.append(elsewhere)
    elif answer.by_name:
        parts.append(f"by name {', '.join(answer.by_name)}")
    return f"{'; '.join(parts)}."


def _narrow(result: Routes) -> str:
    example = result[0].number
    return (
        f"In full: `evalstats which {example}`, or by words, as `evalstats which zero failures`. To narrow "
        "down: --runs, --scores, --units, --items, --goal, or --ask to be asked."
    )


def _not_here(result: Routes) -> str:
    absent = [str(route.number) for route in result if route.missing]
    if not absent:
        return ""
    return f"Not in this version: {listed(absent)} ({len(absent)} of {len(result)}); each says what to call."


def which_markdown(result: Routes) -> str:
    """What `which --markdown` prints, and docs/which.md holds: the table, then each situation."""
    table = [
        Column("", tuple(str(route.number) for route in result)),
        Column("situation", tuple(route.situation for route in result), right=False),
        Column("tool", tuple(_tool(route) for route in result), right=False),
    ]
    parts = [*columns_table(table), ""]
    listed_in: dict[str, int] = {}
    for route in result:
        parts += [f"## {route.number}. {_sentence(route.situation)}", "", *_told(route, listed_in), ""]
    return "\n".join(parts).rstrip("\n") + "\n"


def _tool(route: Route) -> str:
    return f"{route.answer} (not in this version)" if route.missing else route.answer


def _told(route: Route, listed_in: dict[str, int]) -> list[str]:
    """Of one situation. listed_in : table of methods -> the row that lists them, as far as that was said."""
    lines = [f"{_sentence(route.answer)}: {route.reason}.", ""]
    typed = [text for text in (f"$ {route.command}" if route.command else "", route.call) if text]
    if typed:
        lines += ["```", *typed, "```", ""]
    for answer in route.answers:
        row = listed_in.setdefault(answer.situation, route.number)
        elsewhere = "" if row == route.number or not answer.by_name else f"by name as in row {row}"
        lines.append(f"- {_method(answer, elsewhere)}")
    lines += [f"- Not {avoid.what}: {avoid.why}." for avoid in route.avoid]
    lines += [f"- Not in this version: {route.missing}."] if route.missing else []
    return [
        *lines,
        *([f"- Read: [{route.page}]({route.page})"] if route.page not in ("", "which.md") else []),
    ]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
