# Curves in SVG: points of a quantity over another quantity, joined by lines.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
from html import escape

from bars import page

LEFT, TOP, WIDE, HIGH = 70, 20, 560, 300  # pixels around and of the plane
COLORS = ("#2a7f62", "#b3541e")


def marks(largest):
    """From 0 to above the largest number, in steps of 1, 2 or 5."""
    unit = 10.0 ** math.floor(math.log10(largest))
    step = unit * next(n for n in (0.1, 0.2, 0.5, 1, 2) if unit * n * 6 >= largest)
    return [step * i for i in range(math.ceil(largest / step) + 1)]


def write(path, across, up, curves):
    """`across` and `up` name the axes; a curve is its name and points (x, y, label)."""
    points = [point for _, each in curves for point in each]
    xs, ys = marks(max(x for x, *_ in points)), marks(max(y for _, y, _ in points))
    at = lambda x, y: (LEFT + WIDE * x / xs[-1], TOP + HIGH * (1 - y / ys[-1]))
    parts = []
    for x in xs:
        column, row = at(x, 0)
        parts.append(f'<line x1="{column:.0f}" y1="{TOP}" x2="{column:.0f}" y2="{row:.0f}" stroke="#ddd"/>'
                     f'<text x="{column:.0f}" y="{row + 16:.0f}" text-anchor="middle">{x:g}</text>')
    for y in ys:
        column, row = at(0, y)
        parts.append(f'<line x1="{column:.0f}" y1="{row:.0f}" x2="{LEFT + WIDE}" y2="{row:.0f}" stroke="#ddd"/>'
                     f'<text x="{column - 8:.0f}" y="{row + 4:.0f}" text-anchor="end">{y:g}</text>')
    parts.append(f'<text x="{LEFT + WIDE}" y="{TOP + HIGH + 34}" text-anchor="end">{escape(across)}</text>'
                 f'<text x="8" y="{TOP - 6}">{escape(up)}</text>')
    for (name, each), color in zip(curves, COLORS):
        line = " ".join(f"{column:.1f},{row:.1f}" for column, row in (at(x, y) for x, y, _ in each))
        parts.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="1.5"/>')
        for x, y, label in each:
            column, row = at(x, y)
            parts.append(f'<circle cx="{column:.1f}" cy="{row:.1f}" r="3" fill="{color}"/><text x="{column + 6:.0f}" y="{row - 6:.0f}">{escape(label)}</text>')
        parts.append(f'<text x="{LEFT + WIDE - 8}" y="{TOP + 14 + 15 * COLORS.index(color)}" text-anchor="end" fill="{color}">{escape(name)}</text>')
    page(path, LEFT + WIDE + 60, TOP + HIGH + 46, parts)
