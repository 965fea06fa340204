"""What lm-evaluation-harness sent and got back: read for whoever asks, from the lines of the samples file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalstats.data.scores import Exchange


def exchange_of(record: Any) -> Exchange:
    """One line's prompt, target and answer.

    record : has `arguments` (by name, or a list in older logs), `resps` and `target`. Where a request
    each was made for the choices, the answer is the likeliest one.
    """
    requests = [_request(one) for one in _listed(record.arguments)]
    replies = [one for one in record.resps or [] if isinstance(one, Sequence)]
    choices = [second for _, second in requests]
    if len(requests) > 1 and len(requests) == len(replies) and all(isinstance(c, str) for c in choices):
        answer = str(choices[max(range(len(replies)), key=lambda at: _likelihood(replies[at]))]).strip()
    else:
        answer = _generated(replies)
    prompt = requests[0][0] if requests else ""
    return Exchange(prompt=prompt, target=_plain(record.target), answer=answer)


def _listed(arguments: Any) -> list[Any]:
    return list(arguments.values()) if isinstance(arguments, dict) else list(arguments or [])


def _request(one: Any) -> tuple[str, Any]:
    """The text sent, and what else: the continuation to be weighed, or settings of the generation."""
    parts = list(one.values()) if isinstance(one, dict) else list(one) if isinstance(one, list) else [one]
    return (_plain(parts[0]) if parts else ""), (parts[1] if len(parts) > 1 else None)


def _likelihood(reply: Sequence[Any]) -> float:
    first = reply[0] if reply else None
    value: Any = first[0] if isinstance(first, list) and first else first
    try:
        return float(value)  # the log writes numbers as texts
    except (TypeError, ValueError):
        return float("-inf")


def _generated(replies: Sequence[Sequence[Any]]) -> str:
    """The text generated; several are numbered."""
    texts = [_plain(text) for reply in replies for text in reply]
    if len(texts) == 1:
        return texts[0]
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, 1))


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_plain(one) for one in value)
    return "" if value is None else str(value)
