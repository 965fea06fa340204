"""`contaminated`, the verb contamination: three signs that a model has seen a test."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from evalstats.analyses.compare import compared, two_sources
from evalstats.analyses.contamination_result import Contamination
from evalstats.analyses.cut_off import NO_PROOF
from evalstats.analyses.options import OptionKeywords, Options, alpha_of
from evalstats.analyses.slices import slices
from evalstats.analyses.slices_result import Slices
from evalstats.data.scores import BenchmarkScores, Scores
from evalstats.envelope import Comparison, Input, Provenance, Side
from evalstats.errors import InputError, NoGuaranteeError
from evalstats.sources import Run, Source, file_digest
from evalstats.subjects.contamination import order_test

Orders = str | Path | tuple[float, Sequence[float]] | Mapping[str, Any]
_ROLES = ("original", "rewritten")
_NO_USE = ("view", "correction", "paired", "discordant", "plan", "tried", "with_text", "margin", "effect")
_FILE = 'JSON {"canonical": number, "shuffled": [numbers]}, or a number a line, the published order first'


def contaminated(
    *runs: Run,
    rewritten: Run = None,
    split: str | None = None,
    order: Orders | None = None,
    **keywords: Unpack[OptionKeywords],
) -> Contamination:
    """Has this model seen the test? One of three questions.

    rewritten : the run on the same items rewritten, beside the one run on the originals: rewritten −
    original, paired by id as `compare` does, though their contents differ.
    split : "created<2024-06-01", a date or number of the items: one run's scores after − before; of a
    reference that cannot have seen them and a run, the difference of differences, by Welch over items.
    order : log-likelihoods of the items in their published order and in shuffled ones, as (canonical,
    shuffled) or a file of them: p = (1 + #)/(1 + B).
    keywords : metric, filter, task, id, cluster, bounds, missing, level, method ... as for `compare`.
    Each is a sign and no proof: what else makes it is said. Raises InputError for none or several of the
    three, NoGuaranteeError for a difference of differences, and as `compare` and `slices` do.

    >>> result = contaminated(order=(-1200.5, [-1212.0, -1209.3, -1215.8, -1210.1] * 5))
    >>> round(result.order.pvalue, 3)
    0.048
    """
    return contaminated_of(list(runs), rewritten=rewritten, split=split, order=order, **keywords)


def contaminated_of(
    runs: Sequence[Run],
    rewritten: Run = None,
    split: str | None = None,
    order: Orders | None = None,
    **keywords: Unpack[OptionKeywords],
) -> Contamination:
    """`contaminated` with its runs in one list."""
    asked = [
        name
        for name, given in (("rewritten", rewritten), ("split", split), ("order", order))
        if given is not None
    ]
    if len(asked) != 1:
        came = " and ".join(asked) or "none"
        raise InputError(
            f"contamination asks one of three: rewritten (--rewritten RUN), split (--split 'FIELD<DATE') or "
            f"order (--order FILE); {came} came."
        )
    if order is not None:
        return _of_orders(runs, order, dict(keywords))
    Options.of(dict(keywords)).refuse(_NO_USE, "has no use here; leave it out.")
    if split is not None:
        return _of_split(runs, split, dict(keywords))
    if len(runs) != 1:
        raise InputError(f"rewritten wants the one run on the original items beside it; {len(runs)} came.")
    return _of_rewritten((runs[0], rewritten), dict(keywords))


def _of_rewritten(runs: tuple[Run, Run], keywords: dict[str, Any]) -> Contamination:
    options = Options.of(keywords)
    sources = two_sources(runs, None, None, options)
    named = tuple(source.label or role for source, role in zip(sources, _ROLES, strict=True))
    labelled = options if options.labels else dataclasses.replace(options, labels=named)
    blind = (_without_contents(sources[0]), _without_contents(sources[1]))
    result = compared(blind, labelled)
    result = dataclasses.replace(
        result,
        primary=tuple(map(_rewritten_on_purpose, result.primary)),
        secondary=tuple(map(_rewritten_on_purpose, result.secondary)),
    )
    made = result.provenance
    provenance = dataclasses.replace(
        made, call="contamination", options={**options.asked(), "asked": "rewritten"}
    )
    labels = labelled.labels
    return Contamination(
        "rewritten", labels, alpha_of(options.level), provenance, comparisons=result, notes=result.notes
    )


def _rewritten_on_purpose(row: Comparison) -> Comparison:
    """Without the check whether the contents are the same: they differ, as they should."""
    if row.pairing is None:
        return row
    checks = tuple(check for check in row.pairing.checks if check.name != "content")
    return dataclasses.replace(row, pairing=dataclasses.replace(row.pairing, checks=checks))


def _without_contents(source: Source) -> Source:
    """Without content hashes: the items were rewritten, so that only their ids say which is which."""
    if source.scores is None:
        raise InputError(f"{source.path} is counts: which items were rewritten is not known. Give the logs.")
    parts = tuple(_blind(part) for part in source.scores)
    return dataclasses.replace(source, scores=Scores(parts, source.scores.groups, source.scores.notes))


def _blind(part: BenchmarkScores) -> BenchmarkScores:
    return dataclasses.replace(part, items=dataclasses.replace(part.items, hashes=("",) * len(part.items)))


def _of_split(runs: Sequence[Run], split: str, keywords: dict[str, Any]) -> Contamination:
    if len(runs) not in (1, 2):
        raise InputError(
            f"split wants one run, or a reference that cannot have seen them and a run; {len(runs)} came."
        )
    options = Options.of(dict(keywords))
    options.refuse(
        ("method", "n_boot"), "a difference across a cut-off has the method of its data; leave it out."
    )
    if options.guarantee and len(runs) == 2:
        raise NoGuaranteeError(f"{NO_PROOF}.")
    found = slices(*runs, split=split, **{**keywords, "correction": "holm"})
    asked = {**found.provenance.options, "asked": "cut_off"}
    del asked["correction"]
    rows = found.whole[0]
    sides: tuple[Side, ...] = (rows.score.run,) if rows.score is not None else ()
    if rows.comparison is not None:
        sides = (rows.comparison.baseline, rows.comparison.candidate)
    provenance = dataclasses.replace(found.provenance, call="contamination", options=asked)
    labels = tuple(side.label for side in sides)
    return Contamination(
        "cut_off",
        labels,
        alpha_of(options.level),
        provenance,
        cut_offs=found.cut_offs,
        not_checked=_not_checked(found),
        notes=found.notes,
    )


def _not_checked(found: Slices) -> tuple[str, ...]:
    """What was not checked of any whole benchmark, each once."""
    rows = [one.comparison or one.score for one in found.whole]
    return tuple(dict.fromkeys(text for row in rows if row is not None for text in row.not_checked))


def _of_orders(runs: Sequence[Run], order: Orders, keywords: dict[str, Any]) -> Contamination:
    if runs:
        raise InputError("order takes log-likelihoods and no run: give one of the two.")
    options = Options.of(keywords)
    given = [name for name in options.asked() if name != "level"]
    if given:
        raise InputError(f"{' and '.join(given)}: has no use for orders; leave it out.")
    asked: dict[str, Any] = {**options.asked(), "asked": "order"}
    if isinstance(order, str | Path):
        canonical, shuffled = _read(Path(order))
        entry = Input("order", str(order), str(order), file_digest(Path(order)), "orders", "")
        asked["order"] = str(order)
    else:
        canonical, shuffled = _in_memory(order)
        entry = Input("order", "orders", "orders in memory", None, "orders", "")
    provenance = Provenance("contamination", (), (entry,), asked, None)
    test = order_test(canonical, shuffled)
    return Contamination("order", (), alpha_of(options.level), provenance, order=test)


def _in_memory(order: Any) -> tuple[Any, Any]:
    if isinstance(order, Mapping):
        if order.keys() != {"canonical", "shuffled"}:
            raise InputError(
                f"order has {', '.join(map(str, order)) or 'nothing'}; wanted: canonical, shuffled."
            )
        return order["canonical"], order["shuffled"]
    if not (isinstance(order, Sequence) and len(order) == 2):
        raise InputError(
            "order: give (canonical, shuffled), a number and a list of numbers, or a file of them."
        )
    return order[0], order[1]


def _read(path: Path) -> tuple[Any, Any]:
    """The log-likelihoods of a file: an object of JSON, or a number a line."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except IsADirectoryError:
        raise InputError(f"{path} is a directory: --order wants a file, {_FILE}.") from None
    except FileNotFoundError:
        raise InputError(f"no file {str(path)!r}: --order wants {_FILE}.") from None
    except (UnicodeDecodeError, OSError) as error:
        raise InputError(f"{path} could not be read: {error}.") from None
    if text.lstrip()[:1] == "{":
        canonical, shuffled = _in_memory(_json(text, path))
        _check_likelihoods(canonical, shuffled, path)
        return canonical, shuffled
    numbers = []
    for at, line in enumerate(text.split("\n"), 1):
        if line.strip():
            numbers.append(_number(line, at, path))
    if len(numbers) < 2:
        raise InputError(f"{path} holds {len(numbers)} numbers: --order wants {_FILE}.")
    return numbers[0], numbers[1:]


def _json(text: str, path: Path) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{path} is no JSON ({error}): --order wants {_FILE}.") from None


def _check_likelihoods(canonical: Any, shuffled: Any, path: Path) -> None:
    """Raises InputError naming the key whose number is not finite; what is no number is refused later."""
    others = shuffled if isinstance(shuffled, list) else []
    named = [("canonical", canonical), *((f"shuffled[{at}]", value) for at, value in enumerate(others))]
    for key, value in named:
        if isinstance(value, float) and not math.isfinite(value):
            raise InputError(f"{path}: {key} is {value}, which is no log-likelihood; wanted is {_FILE}.")


def _number(line: str, at: int, path: Path) -> float:
    try:
        number = float(line)
    except ValueError:
        raise InputError(
            f"{path}, line {at}: {line.strip()[:40]!r} is no number; wanted is {_FILE}."
        ) from None
    if not math.isfinite(number):
        raise InputError(f"{path}, line {at}: {number} is no log-likelihood; wanted is {_FILE}.")
    return number
