"""Scalar metadata of an item, and settings as flat text: what every reader of nested logs needs."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

from evalstats.data.builder import LONGEST_FIELD
from evalstats.data.scores import Scalar

_SHOWN = 80  # characters of a long text that stay readable
_LONGEST_SETTING = 160


def plain_names(wanted: frozenset[str], prefix: str) -> frozenset[str]:
    """The wanted fields as this log calls them: people also write `metadata.x` and `doc.x`."""
    return frozenset(name.removeprefix(prefix) for name in wanted)


def scalar_fields(document: Mapping[str, Any], wanted: frozenset[str]) -> dict[str, Scalar]:
    """The fields that can be an id, a cluster or a slice, and every wanted one, however long or nested.

    Long texts are left out unless wanted; a wanted one is known by its beginning and a digest.

    >>> scalar_fields({"id": 7, "idx": {"passage": 3}, "choices": ["a", "b"]}, frozenset({"idx.passage"}))
    {'id': 7, 'idx.passage': 3}
    """
    fields: dict[str, Scalar] = {}
    for name, value in document.items():
        if name in wanted or _is_short_scalar(value):
            _put(fields, name, value)
    for name in wanted - document.keys() if wanted else ():
        _put(fields, name, _reach(document, name))
    return fields


def flat(value: Any) -> str:
    """A setting as one line of text that is equal when the setting is; "" for what is not set.

    >>> flat({"temperature": 0.7, "stop": ["Q:"], "top_p": None})
    'stop=["Q:"], temperature=0.7'
    """
    if value is None or value in ({}, []):
        return ""
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={flat(value[key])}" for key in sorted(value) if flat(value[key]))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def settings(named: Mapping[str, Any]) -> dict[str, str]:
    """Settings as flat text, without those that are not set; long ones by their beginning and a digest."""
    texts = {key: flat(value) for key, value in named.items()}
    return {key: _shown(text, _LONGEST_SETTING) for key, text in texts.items() if text}


def digest(value: Any) -> str:
    """Ten characters that are equal when the values are: for settings too long to print."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10]


def _is_short_scalar(value: Any) -> bool:
    return isinstance(value, (int, float)) or (isinstance(value, str) and len(value) <= LONGEST_FIELD)


def _put(fields: dict[str, Scalar], name: str, value: Any) -> None:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return
    if not isinstance(value, str | int | float):
        value = flat(value)
    fields[name] = _shown(value, LONGEST_FIELD) if isinstance(value, str) else value


def _shown(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:_SHOWN]}… {digest(text)}"


def _reach(document: Any, name: str) -> Any:
    """The value at a dotted path, None if the path leads nowhere."""
    for part in name.split("."):
        document = document.get(part) if isinstance(document, Mapping) else None
    return document
