# Ratios of a table as horizontal bars.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
from html import escape

HEIGHT, LEFT, SCALE, LONGEST = 18, 420, 240, 1.6  # pixels of a row, of its name, and of the ratio 1; longer bars are cut


def ratios(markdown):
    """(what, ratio, whether less is better, peer) of the rows that `row` in bench/common.py has written."""
    pattern = r"^\| (.+?) \| [^|]+ \| [^|(]+\(([^|]+)\) \| ([\d.]+) \(at (most|least) 1 is better\) \|$"
    return [(what, float(ratio), kind == "most", peer) for what, peer, ratio, kind in re.findall(pattern, markdown, re.M)]


def bar(y, what, ratio, less_is_better, peer):
    good = ratio <= 1 if less_is_better else ratio >= 1
    width = SCALE * min(ratio, LONGEST)
    return (f'<text x="{LEFT - 8}" y="{y + 13}" text-anchor="end">{escape(what)}</text>'
            f'<rect x="{LEFT}" y="{y + 3}" width="{width:.0f}" height="{HEIGHT - 5}" fill="{"#2a7f62" if good else "#b3541e"}"/>'
            f'<text x="{LEFT + width + 6:.0f}" y="{y + 13}">{ratio:.2f} of {escape(peer)}</text>')


def page(path, width, height, parts):
    with open(path, "w") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="11">'
                   f'<rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n')


def write(path, markdown):
    groups = [("time, of the peer's: less is better", True), ("speed, of the peer's: more is better", False)]
    parts, y, found = [], 8, ratios(markdown)
    for title, less_is_better in groups:
        rows = [each for each in found if each[2] == less_is_better]
        if not rows:
            continue
        parts.append(f'<text x="{LEFT}" y="{y + 13}" font-weight="bold">{title}</text>')
        top = y = y + HEIGHT + 4
        for each in rows:
            parts.append(bar(y, *each))
            y += HEIGHT
        parts.append(f'<line x1="{LEFT + SCALE}" y1="{top}" x2="{LEFT + SCALE}" y2="{y}" stroke="#444" stroke-dasharray="3 3"/>')
        y += HEIGHT
    page(path, 1040, y, parts)
