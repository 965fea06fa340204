"""Facts about a question's items: clusters, and fields that might be clusters. No method is chosen here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalstats.data.items import field_named
from evalstats.data.scores import Header, Items
from evalstats.errors import InputError

NEVER_CLUSTERS = frozenset(
    {"id", "question", "choices", "target", "answer", "qid", "question_id", "item_id", "task_id", "doc_id"}
)

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Cluster:
    """The field that groups the items, who said so (option or harness), and each item's group."""

    field: str
    source: str
    codes: Codes


def cluster_field(headers: tuple[Header, ...], asked: str | None) -> tuple[str, str] | None:
    """The field to cluster by and its source: the option, else what the harness declared, else none.

    Raises InputError when the runs declare different fields.
    """
    if asked == "none":
        return None
    if asked is not None:
        return asked, "option"
    declared = sorted({h.cluster for h in headers if h.cluster})
    if len(declared) > 1:
        raise InputError(
            f"the runs declare different clusters for {headers[0].benchmark}: {' and '.join(declared)}. "
            f"Choose with --cluster FIELD, or --cluster none."
        )
    return (declared[0], "harness") if declared else None


def cluster_codes(name: str, sides: tuple[tuple[Items, NDArray[np.int64]], ...]) -> Codes:
    """Each used item's group by a field that one of the runs has; sides pair Items with positions.

    Raises InputError for a field nobody has, for an item without a value, and where the runs disagree.
    """
    known = [(items, at) for items, at in sides if field_named(items, name) is not None]
    if not known:
        there = sorted({field for items, _ in sides for field in items.fields})
        raise InputError(
            f"--cluster {name}: no run has such a field. There are: {', '.join(there) or 'none'}."
        )
    texts = [_texts(items, at, name) for items, at in known]
    for one, two, item in zip(texts[0], texts[-1], known[0][1], strict=True):
        if one != two:
            raise InputError(
                f"item {known[0][0].ids[item]!r} is in cluster {one!r} of {name} in one run and {two!r} "
                f"in the other. Mend the logs, or choose another field with --cluster (none: no clusters)."
            )
    codes: dict[str, int] = {}
    return np.array([codes.setdefault(text, len(codes)) for text in texts[0]], dtype=np.int64)


def _texts(items: Items, positions: NDArray[np.int64], name: str) -> list[str]:
    field = field_named(items, name)
    texts: list[str] = []
    for at in positions:
        text = field.of(int(at)) if field is not None else None
        if text is None:
            raise InputError(
                f"item {items.ids[at]!r} has no {name}. Every item needs its cluster: fill it in, "
                f"or choose another field with --cluster."
            )
        texts.append(text)
    return texts


def cluster_candidates(items: Items, positions: NDArray[np.int64]) -> dict[str, Codes]:
    """Complete fields with 5 to n/2 distinct values among the used items, no id or text."""
    found: dict[str, Codes] = {}
    for name, field in items.fields.items():
        if name.rsplit(".", 1)[-1].lower() in NEVER_CLUSTERS:
            continue
        values, codes = np.unique(field.codes[positions], return_inverse=True)
        if len(values) and values[0] >= 0 and 5 <= len(values) <= len(positions) / 2:
            found[name] = codes.astype(np.int64)
    return found
