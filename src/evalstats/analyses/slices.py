"""`slices`: where is a run weak, or a change bad? Each slice's answer, and which hold up among so many."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from evalstats.analyses.compare import provenance_of, same_source, two_sources
from evalstats.analyses.cut_off import cut_off_of_two, cut_offs_of_run, together
from evalstats.analyses.labels import run_labels
from evalstats.analyses.options import OptionKeywords, Options, alpha_of
from evalstats.analyses.questions import Asked, questions_of_one, questions_of_two
from evalstats.analyses.score import ONLY_FOR_TWO, check_id, provenance_of_run
from evalstats.analyses.slice_family import Draft, settled_slices
from evalstats.analyses.slice_fields import Cut, check_shared, cut_at, cuts_by, names_in
from evalstats.analyses.slices_of_run import slices_of_run
from evalstats.analyses.slices_of_two import draft_of_two, parts_of_two, whole_of_two
from evalstats.analyses.slices_result import Slice, Slices
from evalstats.analyses.two_runs import two_runs
from evalstats.data.design import cluster_field
from evalstats.data.selection import Question
from evalstats.data.splitting import Split, split_named
from evalstats.envelope import Provenance
from evalstats.errors import InputError
from evalstats.sources import Run, Source, Wanted, named_source, single_run

DEFAULT_CORRECTION = "benjamini_hochberg"
_NEVER = ("discordant", "tried", "with_text")


def slices(
    *runs: Run,
    by: str | Sequence[str] | None = None,
    split: str | None = None,
    baseline: Run = None,
    candidate: Run = None,
    **keywords: Unpack[OptionKeywords],
) -> Slices:
    """Where is a run weak, and where did a change hurt? The items cut by a field, slice by slice.

    runs : one run, as `score` takes it, or two, as `compare` does. by : a field of the items' metadata, or
    several, as a list or "topic,language": each field's own slices, all in one family; "topic+language" are
    the slices by both at once. split : in place of `by`, a cut-off "created<2024-06-01", a date or a number:
    the items before and after it, and `.cut_offs` with after − before (of two runs the difference of
    differences, by Welch over items). keywords : see `Options`.
    One run: each slice's score with its interval, and the slice against the rest (the benchmark's other items
    that have a value): z pooled or Fisher for pass/fail, Welch for scores, CR2 in clusters. Two runs: each
    slice paired, as `compare` has it. Benjamini–Hochberg over all slices tested; correction= names another.
    Under 10 items a slice is shown and not tested: too small to say. Items without the field are shown last.
    Returns a sequence of Slice: `["law"]`, `.only`, `.rows()`, `.to_dict()`.
    Raises InputError for a field nobody has, and whatever `score` and `compare` raise.

    >>> right = {"art": 3, "law": 2}
    >>> items = [(topic, i) for topic in right for i in range(60)]
    >>> run = [{"id": f"{t}{i}", "topic": t, "score": int(i % 4 < right[t])} for t, i in items]
    >>> found = slices(run, by="topic")
    >>> print(found["law"].score.run.estimate)
    score 50.0% [37.7, 62.3] 95% wilson n=60
    >>> found["law"].direction, round(found["law"].comparison.adjusted, 4)
    ('worse', 0.0047)
    """
    options = _options(dict(keywords))
    asked = _by(by, split)
    if len(runs) == 1 and baseline is None and candidate is None:
        return _of_one(runs[0], asked, options)
    return _of_two(two_sources(runs, baseline, candidate, options, asked.names), asked, options)


@dataclass(frozen=True)
class _By:
    """What to cut by: fields, or a cut-off."""

    fields: str | Sequence[str]
    split: Split | None = None
    text: str | None = None

    @property
    def names(self) -> frozenset[str]:
        """Every field that may be meant, for the readers to keep."""
        return names_in(self.fields) if self.split is None else frozenset({self.split.field})


def _by(by: str | Sequence[str] | None, split: str | None) -> _By:
    if (by is None) == (split is None):
        raise InputError("slices wants by=FIELD, or split='FIELD<DATE or number' in place of it: give one.")
    return _By(by or (), None if split is None else split_named(split), split)


def _options(keywords: dict[str, Any]) -> Options:
    """Benjamini–Hochberg unless asked otherwise, or a plan names a correction."""
    if keywords.get("plan") is None:
        keywords = {"correction": DEFAULT_CORRECTION, **keywords}
    options = Options.of(keywords)
    options.refuse(_NEVER, "slices have no such thing; leave it out.")
    return options


def _of_one(run: Run, by: _By, options: Options) -> Slices:
    only_for_two = tuple(name for name in ONLY_FOR_TWO if name != "correction")
    options.refuse(only_for_two, "about two runs; use slices BASELINE CANDIDATE.")
    fields = (options.cluster, *by.names, *(options.plan.clusters if options.plan else ()))
    source = named_source(run, Wanted.of(options.id, *fields, metric=options.metric))
    _refuse_counts((source,))
    scores = single_run(source)
    (label,) = options.labels_of(1) or run_labels((source,), (scores,))
    asked = questions_of_one(scores, source, options)
    cuts = _cuts(by, asked, options)
    whole, drafts = [], []
    for question in asked.primary:
        check_id(question, options.id)
        everything, found = slices_of_run(question, cuts, label, options.of_benchmark(question.benchmark))
        whole.append(everything)
        drafts += found
    made = provenance_of_run(source, label, options)
    collected = _collected(whole, drafts, asked, cuts, options, made, by)
    if by.split is None:
        return collected
    found_at = cut_offs_of_run(collected.items, whole, by.split, collected.family)
    return dataclasses.replace(collected, cut_offs=found_at)


def _of_two(sources: tuple[Source, Source], by: _By, options: Options) -> Slices:
    if by.split is not None and not options.paired:
        raise InputError("split: runs on different items have no differences of items; leave unpaired out.")
    _refuse_counts(sources)
    scores = (single_run(sources[0]), single_run(sources[1]))
    old, new = options.labels_of(2) or run_labels(sources, scores)
    asked = questions_of_two(scores, sources, options)
    cuts = _cuts(by, asked, options)
    same = same_source(*sources)
    whole, parts, pairs = [], [], []
    for question in asked.primary:
        asked_here = options.of_benchmark(question.benchmark)
        runs = two_runs(question, asked_here, same_source=same)
        pairs.append((runs, asked_here))
        whole.append(whole_of_two(runs, (old, new), asked_here))
        parts += [(part, asked_here) for part in parts_of_two(runs, cuts, asked_here)]
    in_family = sum(part.tested for part, _ in parts) > 1 and options.correction != "none"
    drafts = [draft_of_two(part, (old, new), here, in_family=in_family) for part, here in parts]
    made = provenance_of(sources, (old, new), options)
    collected = _collected(whole, drafts, asked, cuts, options, made, by)
    if by.split is None:
        return collected
    found = []
    for runs, here in pairs:
        mine = [one for one in collected.items if one.benchmark == runs.question.benchmark]
        found.append(cut_off_of_two(runs, cuts[0], mine, here))
    return dataclasses.replace(
        collected, cut_offs=together([one for one in found if one is not None], alpha_of(options.level))
    )


def _refuse_counts(sources: Iterable[Source]) -> None:
    for source in sources:
        if source.counts is not None:
            raise InputError(f"{source.path} is counts, which carry no fields to cut by: give the log.")


def _cuts(by: _By, asked: Asked, options: Options) -> tuple[Cut, ...]:
    parts = [part for question in asked.primary for part in (question.baseline, question.candidate)]
    cuts = cuts_by(by.fields, parts) if by.split is None else (cut_at(by.split, parts),)
    for one in cuts:
        check_shared(one, parts)
    for question in asked.primary:
        cluster = _cluster(question, options.of_benchmark(question.benchmark))
        if any(cut.fields == (cluster,) for cut in cuts):
            raise InputError(
                f"{cluster} is the cluster of {question.benchmark}: each of its slices would be one cluster, "
                f"of which nothing can be said. Choose another field, or --cluster none."
            )
    return cuts


def _cluster(question: Question, options: Options) -> str | None:
    named = cluster_field((question.baseline.header, question.candidate.header), options.cluster)
    return named[0] if named else None


def _collected(
    whole: list[Slice],
    drafts: list[Draft],
    asked: Asked,
    cuts: tuple[Cut, ...],
    options: Options,
    made: Provenance,
    asked_by: _By,
) -> Slices:
    items, family = settled_slices(drafts, options)
    by = tuple(cut.name for cut in cuts)
    given = {**made.options, **({"by": list(by)} if asked_by.split is None else {"split": asked_by.text})}
    if options.plan is None:
        given["correction"] = options.correction
    also = dict.fromkeys(q.metric for q in asked.questions if not q.primary)
    return Slices(
        items=items,
        by=by,
        against="rest" if all(one.score is not None for one in whole) else "baseline",
        whole=tuple(whole),
        family=family,
        provenance=dataclasses.replace(made, call="slices", options=given),
        notes=(*asked.notes, *_without_fields(items, cuts, asked)),
        also=tuple(also),
        split=asked_by.text,
    )


def _without_fields(items: Iterable[Slice], cuts: tuple[Cut, ...], asked: Asked) -> tuple[str, ...]:
    """Which benchmarks have no such field, field by field."""
    there = {(one.benchmark, one.field) for one in items}
    notes = []
    for cut in cuts:
        lacking = [q.benchmark for q in asked.primary if (q.benchmark, cut.name) not in there]
        if lacking:
            notes.append(f"no {cut.name} in: {', '.join(lacking)}")
    return tuple(notes)
