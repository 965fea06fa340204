"""`gate --dry-run` as text and Markdown: what the gate will do, at each share of items that may change."""

from __future__ import annotations

from evalstats.analyses.gate_chances import GateChances
from evalstats.analyses.gate_dry_run import DryRun, DryRunLine
from evalstats.report.lines import Line, paragraphs, rendered, spaced
from evalstats.report.markdown_parts import bullets, columns_table, escaped
from evalstats.report.numbers import chance_text, counted, is_fraction, listed, percent, rounded_up, size_text
from evalstats.report.tables import Column, fitted, laid_out
from evalstats.report.terminal import NB, clean

_FOR_80 = f"80{NB}% at items"
_SOURCES = {
    "option": "as given",
    "plan": "the plan's",
    "completions": "as often as two completions of one item do in the baseline",
}


def dry_run_text(run: DryRun, width: int = 80, color: bool = False) -> str:
    """What `gate --dry-run` prints."""
    blocks = [
        paragraphs([_heading(run)], width, "title", indent=0),
        _table(_columns(run), width),
        *([_table(_benchmark_columns(run.lines[0]), width)] if _several(run) else []),
        paragraphs(_sentences(run), width),
    ]
    return rendered(spaced(blocks), color)


def dry_run_markdown(run: DryRun) -> str:
    """What `gate --dry-run --markdown` prints."""
    several = [*columns_table(_benchmark_columns(run.lines[0])), ""] if _several(run) else []
    lines = [
        f"**{escaped(_heading(run))}**",
        "",
        *columns_table(_columns(run)),
        "",
        *several,
        *bullets(_sentences(run)),
    ]
    return "\n".join(lines) + "\n"


def _table(columns: list[Column], width: int) -> list[Line]:
    lines = laid_out(fitted(columns, width - 2))
    return [Line(text, "plain" if at else "faint") for at, text in enumerate(lines)]


def _heading(run: DryRun) -> str:
    """ "Gate, before any data: 500 items, margin 1 point"."""
    items = sum(one.n_items for one in run.benchmarks)
    if run.plan is not None:
        return f"Gate, before any data: {counted(len(run.benchmarks), 'benchmark')} of {clean(run.plan, 60)}"
    over = f" over {len(run.benchmarks)} benchmarks, their macro average" if run.macro else ""
    margin = "" if run.margin is None else f", margin {size_text(run.margin, run.scale)}"
    return f"Gate, before any data: {counted(items, 'item')}{over}{margin}"


def _several(run: DryRun) -> bool:
    """A plan's benchmarks have a line each, where one rate of disagreement is known."""
    return run.plan is not None and len(run.benchmarks) > 1 and len(run.lines) == 1


def _columns(run: DryRun) -> list[Column]:
    chances = [line.chances for line in run.lines]
    return [
        Column("change", tuple(_rate(line) for line in run.lines)),
        Column("unchanged passes", tuple(chance_text(c.pass_unchanged) for c in chances)),
        Column("and fails", tuple(chance_text(c.fail_unchanged) for c in chances), keep=1),
        Column("worse passes", tuple(chance_text(c.pass_worse) for c in chances)),
        Column(_FOR_80, tuple(_items(c) for c in chances), keep=2),
        Column("or margin", tuple(_margin(c, run) for c in chances), keep=2),
    ]


def _rate(line: DryRunLine) -> str:
    rate = line.discordant_rate if line.discordant_rate is not None else line.chances.discordant_rate
    return "" if rate is None else percent(float(f"{rate:.2g}"))


def _items(chances: GateChances) -> str:
    return "" if chances.items_needed is None else f"{chances.items_needed:,}"


def _margin(chances: GateChances, run: DryRun) -> str:
    if chances.margin_needed is None:
        return ""
    size = rounded_up(chances.margin_needed, run.scale)
    return f"{size}{NB}points" if is_fraction(run.scale) else size


def _benchmark_columns(line: DryRunLine) -> list[Column]:
    known = [(one, one.chances) for one in line.benchmarks if one.chances is not None]
    return [
        Column("benchmark", tuple(clean(one.benchmark, 40) for one, _ in known), right=False, shrink=True),
        Column("tier", tuple(one.tier for one, _ in known), right=False, keep=1),
        Column("items", tuple(f"{c.items:,}" for _, c in known), keep=2),
        Column("unchanged passes", tuple(chance_text(c.pass_unchanged) for _, c in known)),
        Column("worse passes", tuple(chance_text(c.pass_worse) for _, c in known)),
        Column(_FOR_80, tuple(_items(c) for _, c in known)),
    ]


def _sentences(run: DryRun) -> list[str]:
    said = [_columns_line(run), _gates(run), _sources(run), _together(run), _clusters(run)]
    return [sentence for sentence in said if sentence]


def _columns_line(run: DryRun) -> str:
    """What the columns are, since their titles are short."""
    change = "Change: the share of items that two runs disagree on. " if _rate(run.lines[0]) else ""
    known = any(line.chances.items_needed is not None for line in run.lines)
    needed = f" 80{NB}%: what would let an unchanged one pass so often." if known or _several(run) else ""
    by = "its margin on one benchmark" if run.plan else "the margin"
    return (
        f"{change}Unchanged: how often a candidate that equals the baseline passes, and fails; worse: how "
        f"often one that is worse by {by} passes.{needed}"
    )


def _gates(run: DryRun) -> str | None:
    """Where it is no gate."""
    bad = [line for line in run.lines if not line.chances.is_gate]
    if not bad:
        return None
    if len(bad) == len(run.lines):
        where = "" if len(bad) == 1 else " at any of these"
    else:
        where = f" where {listed([_rate(line) for line in bad])} of the items change"
    return f"Not a gate{where}: an unchanged candidate passes in under half of cases."


def _sources(run: DryRun) -> str | None:
    """Where the share of changing items comes from."""
    if len(run.lines) > 1:
        return (
            "How many items two runs of one model disagree on is not known here: run the baseline twice and "
            "compare, or give --discordant-rate."
        )
    found = dict.fromkeys(one.rate_source for one in run.benchmarks if one.rate_source)
    return f"Items change {listed([_SOURCES[source] for source in found])}." if found else None


def _together(run: DryRun) -> str | None:
    if run.plan is None:
        return None
    critical = [one for one in run.benchmarks if one.tier == "critical"]
    if len(critical) < 2:
        return None
    return f"All {len(critical)} critical benchmarks must pass: the figures are for all, if independent."


def _clusters(run: DryRun) -> str | None:
    """Items that are worth fewer, or more, independent pairs."""
    worth = [
        f"{one.n_items:,} of {clean(one.benchmark, 40)} as {one.n_eff:,.0f}"
        for one in run.benchmarks
        if one.v is None and round(one.n_eff) != one.n_items
    ]
    return f"Items count, by clusters and completions, {listed(worth)} independent pairs." if worth else None
