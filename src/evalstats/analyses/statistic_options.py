"""Which statistic is asked of a run in place of the mean, which benchmarks count how much: checked once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from evalstats.errors import InputError
from evalstats.kernel.check import check_alpha
from evalstats.methods.macro import check_weights

MACRO, MICRO = "macro", "micro"
STATISTICS = ("weights", "quantile", "ratio")
Weights = str | tuple[tuple[str, float], ...]
# metrics of lm-eval have commas in their names, so that a part ends at the first number after "="
_NO_NUMBER = re.compile(r"(?:^|,)\s*([^=,]+?)\s*=\s*([-+]?(?:nan|inf(?:inity)?))\s*(?:,|$)", re.IGNORECASE)
_PART = re.compile(r"\s*(.+?)\s*=\s*([-+0-9.eE]+)\s*(?:,|$)")


def checked_weights(given: Any) -> Weights | None:
    """ "macro", "micro", or ((name, weight), ...) from a text "gsm8k=2,mmlu=1" or a mapping.

    Raises InputError for anything else, negative weights, and a name given twice.
    """
    if given is None:
        return None
    if isinstance(given, str) and given in (MACRO, MICRO):
        return given
    pairs = _parsed(given) if isinstance(given, str) else _listed(given)
    names = [name for name, _ in pairs]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"weights names {', '.join(twice)} twice.")
    found = check_weights([weight for _, weight in pairs], len(pairs), "names")
    return tuple(zip(names, found, strict=True))


def _parsed(text: str) -> list[tuple[str, Any]]:
    unknown = _NO_NUMBER.search(text)
    if unknown:
        raise InputError(
            f"weights: {unknown[1]} has {unknown[2]}, which is no weight: give a number of 0 or more."
        )
    pairs, at = [], 0
    while at < len(text):
        part = _PART.match(text, at)
        if part is None:
            break
        pairs.append((part[1], part[2]))
        at = part.end()
    try:
        found = [(name, float(number)) for name, number in pairs]
    except ValueError:
        found = []
    if not found or at < len(text):
        raise InputError(
            f"weights is {text!r}: write macro (every benchmark the same), micro (every item the same), or a "
            "weight for each, such as gsm8k=2,mmlu=1."
        )
    return found


def _listed(given: Any) -> list[tuple[str, Any]]:
    pairs = list(
        given.items() if isinstance(given, Mapping) else given if isinstance(given, Sequence) else []
    )
    if not pairs or not all(isinstance(pair, Sequence) and len(pair) == 2 for pair in pairs):
        raise InputError(
            f"weights={given!r}: give 'macro', 'micro', or {{name: weight}}, of benchmarks or metrics; "
            "weights of single items go to weighted_mean."
        )
    return [(str(name), weight) for name, weight in pairs]


def checked_quantile(q: Any) -> float | None:
    return None if q is None else check_alpha(q, "quantile")


def checked_ratio(ratio: Any) -> str | None:
    if ratio is not None and (not isinstance(ratio, str) or "/" not in ratio):
        raise InputError(f"ratio={ratio!r}: write two metrics as NUMERATOR/DENOMINATOR, such as cost/solved.")
    return ratio


def check_one(given: Mapping[str, Any]) -> None:
    """Raises InputError for two statistics in one call."""
    asked = [name for name in STATISTICS if given.get(name) is not None]
    if len(asked) > 1:
        raise InputError(f"{' and '.join(asked)}: one answer has one of them. Ask twice.")


def quantile_name(q: float) -> str:
    """ "median", "p95", "p99.9".

    >>> quantile_name(0.5), quantile_name(0.95), quantile_name(0.999)
    ('median', 'p95', 'p99.9')
    """
    return "median" if q == 0.5 else f"p{100 * q:.6g}"
