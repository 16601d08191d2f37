"""Draws how a player learned: the curve.csv of train_fourchess.py as SVG.

    python draw_curve.py run/curve.csv learning.svg

The line is the share of games won by one learner against three greedy players while it learned and
still tried moves; dots are trials with the best move. Time goes to the right, on a logarithmic scale
of samples.
"""

import csv
import math
import sys
from pathlib import Path

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 860, 420, 80, 20, 66, 60
GAMES = 1000  # for a point of the line


def shares(rows: list[dict[str, str]]) -> list[tuple[float, float]]:
    """Samples and the share of games won, some games at a time."""
    found, ended, won = [], 0.0, 0.0
    for row in rows:
        ended, won = ended + float(row["ended"]), won + float(row["won"])
        if ended >= GAMES:
            found.append((float(row["samples"]), won / ended))
            ended, won = 0.0, 0.0
    return found


def draw(rows: list[dict[str, str]]) -> str:
    line = shares(rows)
    trials = [
        (float(row["samples"]), float(row["first_greedy"])) for row in rows if row["first_greedy"]
    ]
    low, high = math.log10(1e6), math.log10(max(line[-1][0], 1e7))

    def x(samples: float) -> float:
        share = (math.log10(max(samples, 1e6)) - low) / (high - low)
        return LEFT + (WIDTH - LEFT - RIGHT) * share

    def y(share: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="DejaVu Sans, sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="24" font-size="15">Games won by one learner against three greedy '
        "players, in percent</text>",
    ]
    for quarter in range(5):
        at = y(quarter / 4)
        parts.append(
            f'<line x1="{LEFT}" y1="{at:.1f}" x2="{WIDTH - RIGHT}" y2="{at:.1f}" stroke="#dddddd"/>'
            f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{25 * quarter}</text>'
        )
    for samples in [1e6, 2e6, 5e6, 1e7, 2e7, 5e7, 1e8, 2e8]:
        reached = [row for row in rows if float(row["samples"]) >= samples]
        if reached:
            seconds = float(reached[0]["seconds"])
            name = f"{samples / 1e6:.0f} million" if samples == 1e6 else f"{samples / 1e6:.0f}"
            for text, down in [(name, 18), (f"{seconds:.0f} s", 32)]:
                parts.append(
                    f'<text x="{x(samples):.1f}" y="{HEIGHT - BOTTOM + down}" '
                    f'text-anchor="middle">{text}</text>'
                )
    middle = LEFT + (WIDTH - LEFT - RIGHT) / 2
    parts.append(
        f'<text x="{middle:.1f}" y="{HEIGHT - 8}" text-anchor="middle">samples, and seconds since '
        "the start of the program</text>"
    )
    chance = y(0.25)
    parts.append(
        f'<line x1="{LEFT}" y1="{chance:.1f}" x2="{WIDTH - RIGHT}" y2="{chance:.1f}" '
        'stroke="#a8433a" stroke-dasharray="6 4"/>'
        f'<text x="{WIDTH - RIGHT}" y="{chance - 6:.1f}" text-anchor="end" fill="#a8433a">as good '
        "as greedy</text>"
    )
    points = " ".join(f"{x(samples):.1f},{y(share):.1f}" for samples, share in line)
    parts.append(f'<polyline points="{points}" fill="none" stroke="#2f7d5b" stroke-width="3"/>')
    for samples, share in trials:
        parts.append(f'<circle cx="{x(samples):.1f}" cy="{y(share):.1f}" r="5" fill="#c9b458"/>')
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    with Path(sys.argv[1]).open() as file:
        Path(sys.argv[2]).write_text(draw([*csv.DictReader(file)]))
