"""Numbers as people read them: one rule for text, Markdown and notebooks, so that their digits agree.

A number keeps its value: the digits shown are the nearest to it, in points or per cent for scores from
0 to 1 and in the score's own unit otherwise. Inside sentences a no-break space holds number and unit
together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evalstats.envelope import Scale
from evalstats.report.terminal import NB
from evalstats.results import Estimate

MINUS = "\u2212"

_MOST_DECIMALS = 6
_SAME = 1e-9  # two numbers closer than this, relative to the larger, are one number to a reader


@dataclass(frozen=True)
class Reading:
    """How the numbers of one estimate are written: all with the same decimals, enough to tell them apart.

    fraction : scores from 0 to 1, shown in per cent or points. decimals : None for scientific notation.

    >>> reading = reading_of([0.03, -0.0083, 0.0688], fraction=True)
    >>> reading.signed(0.03), reading.signed(-0.0083), reading.size(-0.0083)
    ('+3.0', '−0.8', '0.8')
    >>> reading_of([0.0015, 0.00051, 0.0044], fraction=True).plain(0.0015)
    '0.15'
    """

    fraction: bool
    decimals: int | None

    def plain(self, value: float) -> str:
        """Without a plus; a true minus; never a negative zero."""
        return _with_minus(self._digits(value))

    def signed(self, value: float) -> str:
        """With + or −, and no sign at zero."""
        text = self._digits(value)
        return _with_minus(text) if text.startswith("-") or float(text) == 0 else f"+{text}"

    def size(self, value: float) -> str:
        """Its size, for words such as "0.8 points worse"."""
        return self._digits(abs(value))

    def _digits(self, value: float) -> str:
        shown = 100 * value if self.fraction else value
        text = f"{shown:.4g}" if self.decimals is None else f"{shown:.{self.decimals}f}"
        return text.lstrip("-") if float(text) == 0 else text


def _with_minus(text: str) -> str:
    return text.replace("-", MINUS)


def reading_of(values: Iterable[float], fraction: bool) -> Reading:
    """The fewest decimals that give the width of `values` two digits and keep different numbers different.

    At least one decimal for points and per cent. nan and infinities are left aside.
    """
    shown = [100 * v if fraction else v for v in values if math.isfinite(v)]
    largest = max(map(abs, shown), default=0.0)
    if not fraction and (largest >= 1e9 or 0 < largest < 1e-3):
        return Reading(fraction, None)
    spread = max(shown, default=0.0) - min(shown, default=0.0)
    least = 1 if fraction else 0
    alone = least if fraction else _decimals_for(largest, 3)
    wanted = _decimals_for(spread, 2) if spread > _SAME * largest else alone
    decimals = min(max(least, wanted), _MOST_DECIMALS)
    while decimals < _MOST_DECIMALS and _told_apart(shown, decimals) < _told_apart(shown, _MOST_DECIMALS):
        decimals += 1
    return Reading(fraction, decimals)


def _decimals_for(size: float, digits: int) -> int:
    """Decimals at which `size` has that many significant digits."""
    return digits - 1 - math.floor(math.log10(size)) if size > 0 else 0


def _told_apart(shown: Sequence[float], decimals: int) -> int:
    """How many different numbers a reader sees; zero is always one of them, with or without a sign."""
    return len({float(f"{number:.{decimals}f}") for number in (*shown, 0.0)})


def is_fraction(scale: Scale) -> bool:
    """Scores from 0 to 1 are read in per cent, their differences in points."""
    return (scale.low, scale.high) == (0.0, 1.0)


def reading_for(estimate: Estimate, scale: Scale) -> Reading:
    return reading_of((estimate.point, estimate.ci_low, estimate.ci_high), is_fraction(scale))


def rate(reading: Reading, value: float) -> str:
    """A score: "72.0 %", or the bare number in its own unit."""
    return reading.plain(value) + (f"{NB}%" if reading.fraction else "")


def points_word(reading: Reading, text: str) -> str:
    """The unit of a difference already written: "point" after a lone 1, "points", or nothing."""
    if not reading.fraction:
        return ""
    return f"{NB}point" if text.lstrip("+" + MINUS) == "1" else f"{NB}points"


def size_text(size: float, scale: Scale) -> str:
    """A margin or effect as it was given: "1 point", "0.5 points", or a number in the score's unit."""
    if not is_fraction(scale):
        return f"{size:.6g}"
    text = f"{100 * size:.6g}"
    return f"{text}{NB}point" if text == "1" else f"{text}{NB}points"


def rounded_up(size: float, scale: Scale) -> str:
    """The smallest number shown that is not below `size`: the next tenth of a point, or two digits.

    >>> rounded_up(0.05412, Scale("pass_fail", 0.0, 1.0))
    '5.5'
    """
    if is_fraction(scale):
        return f"{math.ceil(round(1000 * size, 6)) / 10:.1f}"
    decimals = _decimals_for(size, 2)
    step = 10.0**-decimals
    return f"{math.ceil(round(size / step, 6)) * step:.{max(0, decimals)}f}"


def p_text(p: float, alpha: float = 0.05) -> str:
    """ "p = 0.15": two digits, more where rounding would put p on the other side of alpha.

    >>> p_text(0.0496).replace(NB, " "), p_text(3e-9).replace(NB, " ")
    ('p = 0.0496', 'p < 0.0001')
    """
    return f"p{NB}<{NB}0.0001" if p < 0.0001 else f"p{NB}={NB}{p_digits(p, alpha)}"


def p_digits(p: float, alpha: float = 0.05) -> str:
    """A p-value alone: "0.15", "1", "<0.0001"."""
    if p < 0.0001:
        return "<0.0001"
    if p > 0.9995:
        return "1"
    shown = [f"{p:.{digits}g}" for digits in range(2, 9)]
    return next((text for text in shown if _same_side(float(text), p, alpha)), shown[-1])


def _same_side(shown: float, p: float, alpha: float) -> bool:
    return p == alpha or ((shown < alpha) == (p < alpha) and shown != alpha)


def percent(share: float) -> str:
    """A confidence level or a share: "95 %", "19 %", "99.9 %"."""
    return f"{100 * share:.4g}{NB}%"


def chance_text(share: float) -> str:
    """A probability of an answer: "7.3 %", "63 %", "over 99.9 %", "under 0.1 %".

    >>> [chance_text(p).replace(NB, " ") for p in (0.07338, 0.6305, 0.9999, 0.0002)]
    ['7.3 %', '63 %', 'over 99.9 %', 'under 0.1 %']
    """
    if share > 0.999 or share < 0.001:
        return f"over 99.9{NB}%" if share > 0.5 else f"under 0.1{NB}%"
    digits = 0 if 0.0995 <= share < 0.9895 else 1
    return f"{100 * share:.{digits}f}{NB}%"


def counted(n: int, noun: str, plural: str = "") -> str:
    """ "1 item", "9,750 items"."""
    return f"{n:,}{NB}{noun if n == 1 else plural or noun + 's'}"


def listed(names: Sequence[str], most: int = 4) -> str:
    """ "a, b and c"; beyond `most`, "a, b, c, d and 3 more"."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
