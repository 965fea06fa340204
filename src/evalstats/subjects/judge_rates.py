"""A pass rate that a judge reported, corrected for how often it passes right and fails wrong answers."""

from __future__ import annotations

import math
from dataclasses import dataclass

from evalstats.caveats import caveat
from evalstats.errors import InputError, MethodError
from evalstats.kernel.check import check_part, check_rate, check_sample_size
from evalstats.kernel.limits import Held, Interval, hold
from evalstats.kernel.method import Method, MethodTable
from evalstats.methods.assembled import assembled
from evalstats.methods.items import Request
from evalstats.methods.rates import wilson_limits
from evalstats.methods.unpaired import unpaired_proportions
from evalstats.numeric import z_of
from evalstats.results import Estimate

_WHOLE = 0.005  # a share is written with two digits or more


@dataclass(frozen=True)
class Screening:
    """What the judge passed, and what is known of it. p : apparent rate of n items.

    Se, Sp : sensitivity and specificity, seen in n_Se right and n_Sp wrong answers (None: both are known).
    """

    p: float
    n: int
    Se: float
    Sp: float
    n_Se: int | None = None  # noqa: N815 (the formula's letters)
    n_Sp: int | None = None  # noqa: N815

    @property
    def J(self) -> float:  # noqa: N802 (Youden's letter)
        """How far the judge is from chance: 1 is never wrong, 0 tells nothing."""
        return self.Se + self.Sp - 1

    @property
    def theta(self) -> float:
        """(p + Sp − 1)/J, which may lie outside 0 to 1."""
        return (self.p + self.Sp - 1) / self.J


def rogan_gladen(
    pos: int,
    n: int,
    sensitivity: float,
    specificity: float,
    *,
    n_pos: int | None = None,
    n_neg: int | None = None,
    level: float = 0.95,
    method: str | None = None,
    name: str = "corrected rate",
) -> Estimate:
    """How many answers are right, if a judge that errs passed pos of n? (p + Sp − 1)/(Se + Sp − 1).

    sensitivity : share of right answers that the judge passes; specificity : of wrong ones that it fails.
    n_pos, n_neg : how many right and wrong answers, labelled by people, these two were seen in; leave both
    out where they are known. All other answers; the formula takes them for independent of the n.
    method : Wilson's limits mapped where the two are known; else lang_reiczigel (default) or
    rogan_gladen_delta. The point is moved to 0 or 1 where it lies beyond, with a caveat; extra["unclipped"]
    has point and limits as they came, extra["youden"] is J = Se + Sp − 1.
    Raises InputError for counts and rates that cannot be, MethodError for a judge that is no better than
    chance (J ≤ 0, or Newcombe's interval of J holds 0): then no share of right answers explains its verdicts
    better than another.
    Source: Rogan & Gladen 1978, American Journal of Epidemiology 107:71–76; Lang & Reiczigel 2014.

    >>> print(rogan_gladen(60, 200, 0.90, 0.95))
    corrected rate 29.4% [22.4, 37.3] 95% rogan_gladen_wilson n=200
    >>> print(rogan_gladen(60, 200, 0.90, 0.95, n_pos=100, n_neg=120))
    corrected rate 29.4% [20.9, 38.1] 95% lang_reiczigel n=200
    """
    n = check_sample_size(n)
    p = check_part(pos, "pos", n) / n
    Se, Sp = check_rate(sensitivity, "sensitivity"), check_rate(specificity, "specificity")
    if (n_pos is None) != (n_neg is None):
        raise InputError("give both n_pos and n_neg (answers that Se and Sp were seen in), or neither.")
    request = Request(level, method, name=name)
    if n_pos is None or n_neg is None:
        return corrected_rate(Screening(p, n, Se, Sp), request)
    seen = Screening(p, n, Se, Sp, check_sample_size(n_pos, "n_pos"), check_sample_size(n_neg, "n_neg"))
    for share, size, what in ((Se, n_pos, "sensitivity"), (Sp, n_neg, "specificity")):
        if abs(share * size - round(share * size)) > _WHOLE * size:
            raise InputError(
                f"{what}={share:g} of {size} answers is {share * size:g}, no whole number of them: give the "
                "share as it was counted, such as 2/3."
            )
    return corrected_rate(seen, request)


def corrected_rate(seen: Screening, request: Request) -> Estimate:
    """`rogan_gladen` for what is checked already: what the analyses call."""
    table = KNOWN if seen.n_Se is None else ESTIMATED
    chosen = table.choose(request.method, request.guarantee)
    _check_identifiable(seen, request.level)
    theta = seen.theta
    found: Interval = chosen.function(seen, request.level)
    point = min(max(theta, 0.0), 1.0)
    low, high, moved = hold(point, (found.low, found.high), (0.0, 1.0), chosen.name)
    said = [] if chosen.role == "default" else moved  # a default is cut at 0 and 1 by its definition
    if point != theta:
        text = (
            f"Se = {seen.Se:.3g} and Sp = {seen.Sp:.3g} do not fit {seen.p:.1%} passed: the corrected rate "
            f"would be {100 * theta:.1f} % and was moved to {point:.0%}"
        )
        said = [caveat("point_clipped", text), *said]
    about = {
        "youden": seen.J,
        "unclipped": [theta, found.low, found.high],
        "why": table.why(chosen, request.method),
        "unit": "fraction",
    }
    return assembled(
        request, chosen, seen.n, point, Held(low, high, {}, [], {}), _variance(seen), about, said
    )


def _check_identifiable(seen: Screening, level: float) -> None:
    """Raise MethodError for a judge whose verdicts may tell nothing."""
    tells_nothing = "so that its verdicts do not tell how many answers are right: not identifiable"
    J = f"Se + Sp − 1 = {seen.J:.3g}"
    if seen.J <= 0:
        turned = " Are its verdicts turned round?" if seen.J < 0 else ""
        raise MethodError(f"the judge is no better than chance ({J}), {tells_nothing}.{turned}")
    if seen.n_Se is None or seen.n_Sp is None:
        return
    wrongly, rightly = round((1 - seen.Sp) * seen.n_Sp), round(seen.Se * seen.n_Se)
    found = unpaired_proportions(wrongly, seen.n_Sp, rightly, seen.n_Se, level=level)
    if found.ci_low <= 0:
        raise MethodError(
            f"the judge may be no better than chance ({J}, {found.ci_low:.2f} to {found.ci_high:.2f}), "
            f"{tells_nothing}. Label more answers, or use the labels alone."
        )


def _variance(seen: Screening) -> float:
    """[p(1−p)/n + θ²Se(1−Se)/n_Se + (1−θ)²Sp(1−Sp)/n_Sp]/J², the last two 0 where Se and Sp are known."""
    p, Se, Sp, theta = seen.p, seen.Se, seen.Sp, seen.theta
    found = p * (1 - p) / seen.n
    if seen.n_Se is not None and seen.n_Sp is not None:
        found += theta**2 * Se * (1 - Se) / seen.n_Se + (1 - theta) ** 2 * Sp * (1 - Sp) / seen.n_Sp
    return found / seen.J**2


def _wilson_mapped(seen: Screening, level: float) -> Interval:
    """Wilson's limits of the apparent rate, each through (p + Sp − 1)/J."""
    low, high = wilson_limits(seen.p, seen.n, z_of(level))
    return Interval((low + seen.Sp - 1) / seen.J, (high + seen.Sp - 1) / seen.J)


def _delta(seen: Screening, level: float) -> Interval:
    half = z_of(level) * math.sqrt(_variance(seen))
    return Interval(seen.theta - half, seen.theta + half)


def _lang_reiczigel(seen: Screening, level: float) -> Interval:
    """The delta form after z² imaginary items, half of them passed, and two more labels of either kind.

    The centre moves by 2z²[θSe(1−Se)/n_Se − (1−θ)Sp(1−Sp)/n_Sp].
    """
    assert seen.n_Se is not None
    assert seen.n_Sp is not None
    z, n = z_of(level), seen.n
    p = (n * seen.p + z**2 / 2) / (n + z**2)
    n_Se, n_Sp = seen.n_Se + 2, seen.n_Sp + 2
    Se, Sp = (seen.n_Se * seen.Se + 1) / n_Se, (seen.n_Sp * seen.Sp + 1) / n_Sp
    J = Se + Sp - 1
    theta = (p + Sp - 1) / J
    v_Se, v_Sp = Se * (1 - Se) / n_Se, Sp * (1 - Sp) / n_Sp
    centre = theta + 2 * z**2 * (theta * v_Se - (1 - theta) * v_Sp)
    half = z * math.sqrt(p * (1 - p) / (n + z**2) + theta**2 * v_Se + (1 - theta) ** 2 * v_Sp) / J
    return Interval(centre - half, centre + half)


_ROGAN_GLADEN = "Rogan & Gladen 1978, American Journal of Epidemiology 107:71–76"
KNOWN = MethodTable(
    situation="a pass rate by a judge whose error rates are known",
    methods=(
        Method(
            "rogan_gladen_wilson",
            _wilson_mapped,
            f"{_ROGAN_GLADEN}, with the limits of Wilson 1927, JASA 22:209–212",
            role="default",
            label="Rogan–Gladen, Wilson's limits mapped",
        ),
    ),
)
ESTIMATED = MethodTable(
    situation="a pass rate by a judge whose error rates were estimated",
    methods=(
        Method(
            "lang_reiczigel",
            _lang_reiczigel,
            "Lang & Reiczigel 2014, Preventive Veterinary Medicine 113:13–22",
            role="default",
            label="Lang–Reiczigel",
        ),
        Method("rogan_gladen_delta", _delta, _ROGAN_GLADEN, label="Rogan–Gladen, delta"),
    ),
)
