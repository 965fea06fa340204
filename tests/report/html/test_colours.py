"""The colours of the page, light, dark and on paper: text at 4.5, marks at 3, better and worse apart."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from evalstats.report.charts import COLOURS
from evalstats.report.html.page import _asset as asset
from evalstats.report.notebook import COLOURS as NOTEBOOK

TEXTS = ("ink", "muted", "up", "down", "band-line", "focus")
MARKS = ("bar", "up", "down", "faint", "ink")

# Linear RGB as seen without one kind of cone (Viénot, Brettel, Mollon 1999; the third Machado et al. 2009).
BLINDNESS = {
    "protan": ((0.112, 0.888, 0.0), (0.112, 0.888, 0.0), (0.004, -0.004, 1.0)),
    "deutan": ((0.293, 0.707, 0.0), (0.293, 0.707, 0.0), (-0.022, 0.022, 1.0)),
    "tritan": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
}


def schemes() -> dict[str, dict[str, str]]:
    blocks = re.findall(r":root \{(.*?)\}", asset("tokens.css"), re.DOTALL)
    read = [dict(re.findall(r"--([\w-]+): ([^;]+);", block)) for block in blocks]
    light, dark, _, paper = read
    return {"light": light, "dark": {**light, **dark}, "paper": {**light, **paper}}


def linear(colour: str) -> tuple[float, float, float]:
    digits = colour.lstrip("#")
    digits = "".join(d * 2 for d in digits) if len(digits) == 3 else digits
    channels = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return red, green, blue


def luminance(colour: str) -> float:
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear(colour), strict=True))


def contrast(one: str, two: str) -> float:
    """WCAG 2's ratio."""
    low, high = sorted((luminance(one), luminance(two)))
    return (high + 0.05) / (low + 0.05)


def lab(rgb: tuple[float, ...]) -> tuple[float, float, float]:
    matrix = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    white = (0.9505, 1.0, 1.089)
    xyz = [sum(m * max(0.0, c) for m, c in zip(row, rgb, strict=True)) for row in matrix]
    x, y, z = (
        (v / w) ** (1 / 3) if v / w > 0.008856 else 7.787 * v / w + 16 / 116
        for v, w in zip(xyz, white, strict=True)
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def apart(one: str, two: str, seen: tuple[tuple[float, ...], ...] | None) -> float:
    """CIE 1976 ΔE of two colours, as they look without a kind of cone."""
    rgbs = [linear(colour) for colour in (one, two)]
    if seen is not None:
        rgbs = [tuple(sum(m * c for m, c in zip(row, rgb, strict=True)) for row in seen) for rgb in rgbs]
    return sum((a - b) ** 2 for a, b in zip(*map(lab, rgbs), strict=True)) ** 0.5


@pytest.mark.parametrize("scheme", ["light", "dark", "paper"])
def test_text_stands_out_and_marks_can_be_seen(scheme):
    tokens = schemes()[scheme]
    for ground in ("bg", "panel", "soft"):
        for name in TEXTS:
            if (ground, name) != ("soft", "band-line"):  # the margin's label stands on bg and band only
                assert contrast(tokens[name], tokens[ground]) >= 4.5, (name, ground)
    assert contrast(tokens["band-line"], tokens["bg"]) >= 4.5
    assert contrast(tokens["ink"], tokens["band"]) >= 4.5
    for name in MARKS:
        assert contrast(tokens[name], tokens["bg"]) >= 3, name
    assert contrast(tokens["bg"], tokens["ink"]) >= 4.5  # a pressed button


@pytest.mark.parametrize("eyes", [None, *BLINDNESS])
@pytest.mark.parametrize("pair", ["light", "dark", "chart", "notebook"])
def test_better_and_worse_are_apart_for_all_eyes(pair, eyes):
    colours = {name: (tokens["up"], tokens["down"]) for name, tokens in schemes().items()}
    colours |= {
        "chart": (COLOURS["better"], COLOURS["worse"]),
        "notebook": (NOTEBOOK["up"], NOTEBOOK["down"]),
    }
    assert apart(*colours[pair], BLINDNESS.get(eyes or "")) >= 40


def test_a_notebook_is_seen_on_white_and_on_near_black():
    for colour in NOTEBOOK.values():
        assert contrast(colour, "#ffffff") >= 3
        assert contrast(colour, "#111111") >= 3


def test_charts_are_seen_on_white():
    assert all(contrast(colour, "#ffffff") >= 4.5 for colour in COLOURS.values())
    assert all(one != two for one, two in combinations(COLOURS.values(), 2))
