"""Labels from a table: one row an item with a column for each rater, or one row a label."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from evalstats.analyses.agree_options import AgreeOptions
from evalstats.analyses.rated import Rated, same_words
from evalstats.errors import InputError
from evalstats.readers.cells import Cell, is_empty, text_of
from evalstats.readers.names import ITEM, plain
from evalstats.readers.raw_table import RawTable
from evalstats.sources import argument_of, table_inputs

RATER = (
    "rater",
    "rater_id",
    "annotator",
    "annotator_id",
    "labeler",
    "labeller",
    "worker",
    "worker_id",
    "grader",
)
VERDICT = ("label", "verdict", "rating", "grade", "score", "value", "annotation")
_JUDGE = re.compile(r"(llm_|model_)?judge(_(label|score|verdict|grade|rating))?")
_HUMAN = re.compile(r"(human|annotator|rater|labell?er|expert|person)(_?\w+)?")
_FEW = 20  # different values of a column that could be labels
_MOST_RATERS = 50


def rated_table(table: RawTable, options: AgreeOptions) -> Rated:
    """Raises InputError that lists the columns where it is not clear whose labels stand where."""
    columns = {name: list(cells) for name, cells in table.columns.items()}
    found = _long(table, columns, options)
    if found is not None:
        return found
    options.refuse(("id", "verdict"), "for a table with a row a label; here each row is an item.")
    judge, humans, notes = _wide(table, columns, options)
    names = (*((judge,) if judge else ()), *humans)
    cluster = options.run.cluster
    if cluster is None:
        cluster = _repeated(columns, names)
        if cluster is not None:
            notes = (
                *notes,
                f"{table.path}: rows of one {cluster} belong together (--cluster none: they do not)",
            )
    labels = None if cluster in (None, "none") else _filled(table, columns, str(cluster))
    return Rated(
        where=table.path,
        key="row",
        raters=names,
        has_judge=judge is not None,
        columns=same_words([columns[name] for name in names], options.categories),
        inputs=table_inputs(table, "labels"),
        runs=(argument_of(table),),
        cluster=labels,
        cluster_name=None if labels is None else cluster,
        notes=notes,
    )


def _repeated(columns: dict[str, list[Cell]], raters: Sequence[str]) -> str | None:
    """The column of ids, where it is filled and an item stands in several rows: those are not independent."""
    named = {plain(name): name for name in reversed(list(columns)) if name not in raters}
    item = next((named[word] for word in ITEM if word in named), None)
    if item is None:
        return None
    texts = [text_of(cell) for cell in columns[item]]
    return item if None not in texts and len(set(texts)) < len(texts) else None


def _wide(
    table: RawTable, columns: dict[str, list[Cell]], options: AgreeOptions
) -> tuple[str | None, tuple[str, ...], tuple[str, ...]]:
    """The judge's column, the humans', and what was taken without being asked for."""
    for name in (options.judge, *options.human):
        if name is not None and name not in columns:
            raise InputError(f"{table.path} has no column {name!r}. {_candidates(columns)}")
    notes = []
    judge, humans = options.judge, options.human
    if judge is None and not humans:
        judge = next((name for name in columns if _JUDGE.fullmatch(plain(name))), None)
        notes += [f"judge = {judge}"] if judge else []
    if not humans:
        humans = tuple(name for name in columns if name != judge and _HUMAN.fullmatch(plain(name)))
        if judge is not None and not humans and "label" in columns:
            humans = ("label",)
        notes += [f"human = {', '.join(humans)}"] if humans else []
    if len(humans) + (judge is not None) < 2:
        wanted = "--judge COLUMN --human COLUMN[,COLUMN]"
        raise InputError(f"{table.path}: say whose labels stand where, {wanted}. {_candidates(columns)}")
    named = [name for name in (judge, *humans) if name is not None]
    twice = next((name for name in named if named.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"column {twice!r} was named twice: judge and humans stand in columns of their own.")
    return judge, humans, (f"{table.path}: {'; '.join(notes)}",) if notes else ()


def _candidates(columns: dict[str, list[Cell]]) -> str:
    """The columns that could hold labels: few different values."""
    few = [
        name
        for name, cells in columns.items()
        if 1 <= len({text_of(cell) for cell in cells if not is_empty(cell)}) <= _FEW
    ]
    return f"Columns with few values are: {', '.join(few or columns)}."


def _filled(table: RawTable, columns: dict[str, list[Cell]], name: str) -> tuple[str, ...]:
    if name not in columns:
        raise InputError(f"{table.path} has no column {name!r} for --cluster. It has: {', '.join(columns)}.")
    texts = [text_of(cell) for cell in columns[name]]
    if None in texts:
        raise InputError(f"{table.path}, row {texts.index(None) + 1} has no {name}: every row needs one.")
    return tuple(str(text) for text in texts)


def _long(table: RawTable, columns: dict[str, list[Cell]], options: AgreeOptions) -> Rated | None:
    """One row a label, where a column says whose it is; None for a table of another shape."""
    named = {plain(name): name for name in reversed(list(columns))}
    rater = options.rater or next((named[word] for word in RATER if word in named), None)
    asked = (options.judge, *options.human)
    if rater is None or (options.rater is None and any(name in columns for name in asked)):
        return None
    item = options.run.id or next((named[word] for word in ITEM if word in named), None)
    verdict = options.verdict or next((named[word] for word in VERDICT if word in named), None)
    for option, name in (("--rater", rater), ("--id", item), ("--verdict", verdict)):
        if name not in columns:
            if options.rater is None:
                return None
            raise InputError(
                f"{table.path}: a row a label needs the item, the rater and the label; name the column with "
                f"{option}. It has: {', '.join(columns)}."
            )
    return _pivoted(table, columns, (str(item), rater, str(verdict)), options)


def _pivoted(
    table: RawTable, columns: dict[str, list[Cell]], named: tuple[str, str, str], options: AgreeOptions
) -> Rated:
    item, rater, verdict = named
    items, raters = _filled(table, columns, item), _filled(table, columns, rater)
    cells: dict[tuple[str, str], Cell] = {}
    for one, who, label in zip(items, raters, columns[verdict], strict=True):
        if (one, who) in cells:
            raise InputError(
                f"{table.path}: {who!r} labels {one!r} twice. Keep one row of each, or name the column "
                "that tells items apart with --id."
            )
        cells[one, who] = label
    judge, humans = _people(table, list(dict.fromkeys(raters)), rater, options)
    names = (*((judge,) if judge else ()), *humans)
    order = list(dict.fromkeys(items))
    labels = [[cells.get((one, who)) for one in order] for who in names]
    clusters, cluster = None, options.run.cluster
    if cluster not in (None, "none"):
        of_item = dict(zip(items, _filled(table, columns, str(cluster)), strict=True))
        clusters = tuple(of_item[one] for one in order)
    said = () if options.rater else (f"{table.path}: item = {item}, rater = {rater}, label = {verdict}",)
    return Rated(
        where=table.path,
        key=item,
        raters=names,
        has_judge=judge is not None,
        columns=same_words(labels, options.categories),
        inputs=table_inputs(table, "labels"),
        runs=(argument_of(table),),
        cluster=clusters,
        cluster_name=None if clusters is None else cluster,
        notes=said,
    )


def _people(
    table: RawTable, there: Sequence[str], rater: str, options: AgreeOptions
) -> tuple[str | None, tuple[str, ...]]:
    for name in (options.judge, *options.human):
        if name is not None and name not in there:
            raise InputError(
                f"{table.path}: column {rater} has no {name!r}. It has: {', '.join(there[:20])}."
            )
    judge: Any = options.judge
    if judge is None and not options.human:
        judge = next((name for name in there if _JUDGE.fullmatch(plain(name))), None)
    humans = options.human or tuple(name for name in there if name != judge)
    if judge in humans or len(set(humans)) < len(humans):
        twice = judge if judge in humans else next(name for name in humans if humans.count(name) > 1)
        raise InputError(f"{twice!r} was named twice: a rater is held against others, not against itself.")
    if len(humans) + (judge is not None) < 2:
        raise InputError(
            f"{table.path}: column {rater} has one rater alone ({there[0]}): agreement takes two."
        )
    if len(humans) > _MOST_RATERS:
        raise InputError(
            f"{table.path}: column {rater} has {len(humans)} raters. Is it the column of raters? If it is, "
            f"choose up to {_MOST_RATERS} with --human A,B."
        )
    return judge, tuple(humans)
