"""Results of every kind whose pages are tested, and results whose every text means harm."""

from __future__ import annotations

import dataclasses
from functools import cache
from html.parser import HTMLParser
from typing import Any

import evalstats as es
from evalstats.answers import Comparisons, Scorecard
from evalstats.carried import carried_by
from evalstats.envelope import Change, Check, ConfigChange, Input, Provenance, Texts
from evalstats.report.html.page import result_page
from tests.report import examples

Result = Comparisons | Scorecard
HOSTILE = (
    '</script><script>window.hacked=1</script><img src=x onerror="window.hacked=1">'
    "\"'><svg onload=window.hacked=1>&lt;b&gt;{{7*7}}${7*7}\u202egnp.exe\u2066\u0000\x1b[31m\ud800"
)
ALTERNATING = ("\u05de\u05d5\u05d3\u05dc-\u05d0", "\u0646\u0645\u0648\u0630\u062c")  # right-to-left names


def flipped(n: int = 95, baseline_only: int = 40, **fields: Any) -> tuple[Change, ...]:
    """The items of a comparison that flipped, as the analysis would list them."""
    return tuple(
        Change(f"q{at:04d}", None, float(at < baseline_only), float(at >= baseline_only), **fields)
        for at in range(n)
    )


def with_flips() -> Comparisons:
    return examples.design_example(changed=flipped(), margin=0.02)


def with_texts() -> Comparisons:
    texts = Texts("What is 2 + 2?\nThink first.", "4", "5, because\n\tI say so", "4")
    return examples.design_example(changed=flipped(texts=texts))


def improved() -> Comparisons:
    return examples.only(examples.pass_fail(20, 60, changed=flipped(80, 20)))


def lower_is_better() -> Comparisons:
    row = examples.judge(higher_is_better=False)
    changed = tuple(Change(f"q{at}", None, 5.0, 5.0 + (-1) ** at) for at in range(70))
    return examples.only(dataclasses.replace(row, changed=changed))


def thousand() -> Comparisons:
    """A thousand items of which each one flipped: no page of a thousand items is larger."""
    row = examples.pass_fail(450, 550, 1000, 0, changed=flipped(1000, 450))
    return examples.only(row)


def many_items() -> Comparisons:
    return examples.only(examples.pass_fail(400, 550, 5000, 3200, changed=flipped(950, 400)))


def mixed_family() -> Comparisons:
    """Rows in points and a row in a judge's unit."""
    family = examples.family(6, margin=0.02)
    rows = [dataclasses.replace(row, changed=flipped(20, 9)) for row in family.primary]
    return dataclasses.replace(family, primary=(*rows, examples.judge()))


def right_to_left() -> Comparisons:
    row = with_flips().only
    old, new = (
        dataclasses.replace(side, label=label)
        for side, label in zip((row.baseline, row.candidate), ALTERNATING, strict=True)
    )
    return examples.only(dataclasses.replace(row, baseline=old, candidate=new))


def hostile(text: str = HOSTILE) -> Comparisons:
    """Every text of a comparison that a log, a file name or an option can bring."""
    row = examples.with_everything()
    pairing = row.pairing
    assert pairing is not None
    old, new = (dataclasses.replace(side, label=text, model=text) for side in (row.baseline, row.candidate))
    changed = tuple(
        Change(f"{text}{at}", None, float(at % 2), float(1 - at % 2), Texts(text, text, text, text))
        for at in range(30)
    )
    candidates = row.design.cluster_candidates
    row = dataclasses.replace(
        row,
        benchmark=text,
        metric=text,
        slice=text,
        baseline=old,
        candidate=new,
        changed=changed,
        caveats=({"code": text, "text": text},),
        not_checked=(text,),
        mde_note=text,
        signature=text,
        design=dataclasses.replace(
            row.design, cluster_candidates=tuple(dataclasses.replace(c, field=text) for c in candidates)
        ),
        pairing=dataclasses.replace(
            pairing,
            key=text,
            changed_config=(ConfigChange(text, text, text),),
            checks=(Check(text, "problem", text),),
        ),
    )
    inputs = (Input("baseline", text, text, "0" * 64, text, text),)
    origin = Provenance("compare", (text, text), inputs, {"task": text}, 0)
    return Comparisons((row,), (), origin, (text,))


def hostile_family(text: str = HOSTILE) -> Comparisons:
    one = hostile(text).only
    rows = tuple(
        dataclasses.replace(one, benchmark=f"{text}{at}", adjusted=1.0, reject=False) for at in range(3)
    )
    return dataclasses.replace(hostile(text), primary=rows, family=examples.family(3).family)


def hostile_scores(text: str = HOSTILE) -> Scorecard:
    row = examples.score(metric=text, benchmark=text, caveats=({"code": text, "text": text},), signature=text)
    row = dataclasses.replace(row, run=dataclasses.replace(row.run, label=text, model=text))
    return examples.scorecard(row, dataclasses.replace(row, benchmark=f"{text}2"))


def sliced(name: str = "lang", values: tuple[str, ...] = ("en", "de", "fr"), two: bool = True) -> Any:
    """Slices of a run of 90 items, and of a change that hurt one of them."""
    items = [{"item": f"q{at}", name: values[at % len(values)]} for at in range(90)]
    old = [{**item, "score": int(at % 5 != 0)} for at, item in enumerate(items)]
    new = [{**item, "score": int(at % 5 != 0 and at % 3 != 1)} for at, item in enumerate(items)]
    return es.slices(new, old, by=(name,)) if two else es.slices(new, by=(name,))


def hostile_slices(text: str = HOSTILE) -> Any:
    text = text.replace("\ud800", "")
    return sliced("lang", (f"{text}1"[:190], f"2{text}"[:190], "3"))


RESULTS = {
    "flips": with_flips,
    "texts": with_texts,
    "improved": improved,
    "lower_is_better": lower_is_better,
    "everything": lambda: examples.only(examples.with_everything()),
    "unpaired": lambda: examples.only(examples.unpaired()),
    "completions": lambda: examples.only(examples.completions()),
    "identical": lambda: examples.only(examples.identical()),
    "no_interval": lambda: examples.only(examples.no_interval()),
    "many_items": many_items,
    "right_to_left": right_to_left,
    "family": lambda: examples.family(14, margin=0.02),
    "mixed_family": mixed_family,
    "score": examples.scorecard,
    "scores": lambda: examples.scorecard(
        examples.score(), examples.clustered_score(), examples.judge_score()
    ),
    "hostile": hostile,
    "hostile_family": hostile_family,
    "hostile_scores": hostile_scores,
    "slices_of_two": sliced,
    "slices_of_one": lambda: sliced(two=False),
    "hostile_slices": hostile_slices,
}


@cache
def page_of(name: str) -> str:
    return result_page(RESULTS[name]())


class Read(HTMLParser):
    """A page as a parser sees it: its elements, the attributes in it, its text, and what is not closed."""

    VOID = frozenset({"meta", "br", "input", "img", "wbr", "link", "hr"})

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, (tag, self.open[-3:])

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts.append((self.elements[-1][1], data))
        elif not self.open or self.open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    @property
    def document(self) -> dict[str, Any]:
        """The JSON that the page carries."""
        (kind,) = {attributes["type"] for attributes, _ in self.scripts if attributes.get("id") == "result"}
        found = "".join(text for attributes, text in self.scripts if attributes.get("id") == "result")
        return dict(carried_by(f'<!doctype html><script type="{kind}" id="result">{found}</script>'))
