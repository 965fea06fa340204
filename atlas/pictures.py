"""A picture a row: every cell by its informative units and its coverage, default and guarantee."""

from __future__ import annotations

import math
from typing import Any

from atlas.figure import Row
from atlas.measured import CELL_SHORT
from atlas.words import LEVEL

WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 34, 44
LOWEST = 0.8  # cells below are drawn on the lower edge
FEWEST, MOST = 0.1, 3000.0
COLOURS = {
    "default": "#1f5fa8",
    "guarantee": "#b3541e",
}  # 4.5 : 1 and more on white, apart for the colour-blind


def _x(informative: float) -> float:
    share = math.log(min(max(informative, FEWEST), MOST) / FEWEST) / math.log(MOST / FEWEST)
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _y(coverage: float) -> float:
    share = (max(coverage, LOWEST) - LOWEST) / (1 - LOWEST)
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _axes() -> list[str]:
    parts = []
    for coverage in (0.8, 0.85, 0.9, 0.95, 1.0):
        y = _y(coverage)
        strong = ' stroke-width="1.5"' if coverage == 0.95 else ""
        colour = "#555" if strong else "#ccc"
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="{colour}"{strong}/>')
        label = f"{'≤ ' if coverage == LOWEST else ''}{coverage:.0%}"
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    for informative in (0.1, 1, 10, 100, 1000):
        x = _x(informative)
        parts.append(
            f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{informative:g}</text>'
        )
    middle = (LEFT + WIDTH - RIGHT) / 2
    label = "units expected to carry information (logarithmic)"
    parts.append(f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">{label}</text>')
    return parts


def _promise() -> str:
    """Where the promise holds: from 10 informative units, at most 3 points below nominal."""
    y = _y(float(LEVEL) - CELL_SHORT)
    path = f"M{_x(10):.1f} {TOP}V{y:.1f}H{WIDTH - RIGHT}"
    return f'<path d="{path}" fill="none" stroke="#555" stroke-dasharray="4 3"/>'


def _dots(stored: dict[str, Any], method: str, colour: str) -> list[str]:
    coverage = stored["methods"][method][LEVEL]["coverage"]
    places = {
        (round(_x(informative), 1), round(_y(value), 1))
        for informative, value in zip(stored["informative"], coverage, strict=True)
        if value is not None
    }
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="2.5"/>' for x, y in sorted(places))
    return [f'<g fill="{colour}" fill-opacity=".55">{dots}</g>']


def drawn(row: Row, stored: dict[str, Any]) -> str:
    """An SVG."""
    shown = {row.default: COLOURS["default"]}
    for method in row.methods[1:]:
        if row.table[method].role == "guarantee" and LEVEL in stored["methods"].get(method, {}):
            shown[method] = COLOURS["guarantee"]
    parts = _axes()
    x = float(LEFT)
    for method, colour in reversed(shown.items()):
        parts += _dots(stored, method, colour)
    for method, colour in shown.items():
        parts.append(
            f'<circle cx="{x + 4}" cy="16" r="4" fill="{colour}"/><text x="{x + 14}" y="20">{method}</text>'
        )
        x += 30 + 7.5 * len(method)
    title = f"{row.title}: coverage at 95 % in {len(row.cells)} cells"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="12" fill="#222"><title>{title}</title>'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>{"".join(parts)}{_promise()}</svg>\n'
    )
