"""Times proofs of uniqueness by OR-Tools CP-SAT with one worker, and by us, on the same puzzles.

Both times include reading the game ID. CP-SAT gets each puzzle as integer variables with one
all-different a line and one constraint a cage, and looks for a second solution; its time is CPU
time. Ours is the best of five, from the example `uniqueness`.

Usage: cpsat.py [puzzles a size, default 60]
"""

import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

from ortools.sat.python import cp_model

ROOT = Path(__file__).resolve().parents[3]
FIXTURES = ROOT / "fixtures" / "kenken"


def parse(game_id):
    """The side and the cages (operator, target, cells) of a game ID without long runs."""
    parameters, description = game_id.split(":", 1)
    side = int(re.match(r"\d+", parameters).group())
    blocks, clues = description.split(",", 1)
    parent = list(range(side * side))

    def root(cell):
        while parent[cell] != cell:
            cell = parent[cell]
        return cell

    border = 0
    for symbol, repeat in re.findall(r"([_a-z])(\d*)", blocks):
        open_borders = 0 if symbol == "_" else ord(symbol) - ord("a") + 1
        for _ in range(max(int(repeat or 1), 1)):
            for at in range(border, border + open_borders):
                line, place = divmod(at, side - 1)
                if line < side:
                    a, b = line * side + place, line * side + place + 1
                else:
                    a, b = place * side + line - side, (place + 1) * side + line - side
                low, high = sorted((root(a), root(b)))
                parent[high] = low
            border += open_borders + 1
    cages = {}
    for cell in range(side * side):
        cages.setdefault(root(cell), []).append(cell)
    return side, [
        (operator, int(target), cells)
        for (operator, target), cells in zip(re.findall(r"([amsd])(\d+)", clues), cages.values())
    ]


class Stop(cp_model.CpSolverSolutionCallback):
    """Counts solutions and stops at the second."""

    def __init__(self):
        super().__init__()
        self.solutions = 0

    def on_solution_callback(self):
        self.solutions += 1
        if self.solutions == 2:
            self.stop_search()


def count(game_id):
    """Solutions of a puzzle, up to two."""
    side, cages = parse(game_id)
    model = cp_model.CpModel()
    grid = [model.new_int_var(1, side, "") for _ in range(side * side)]
    for line in range(side):
        model.add_all_different(grid[line * side : (line + 1) * side])
        model.add_all_different(grid[line::side])
    for operator, target, cells in cages:
        digits = [grid[cell] for cell in cells]
        if len(digits) == 1:
            model.add(digits[0] == target)
        elif operator == "a":
            model.add(sum(digits) == target)
        elif operator == "m":
            model.add_multiplication_equality(target, digits)
        else:
            span = range(1, side + 1)
            fits = {
                "s": lambda a, b: abs(a - b) == target,
                "d": lambda a, b: max(a, b) == target * min(a, b),
            }[operator]
            model.add_allowed_assignments(digits, [(a, b) for a in span for b in span if fits(a, b)])
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.enumerate_all_solutions = True
    callback = Stop()
    solver.solve(model, callback)
    return callback.solutions


def sample(side, most):
    """Game IDs of one size, spread evenly over all levels."""
    ids = [
        line
        for path in sorted(FIXTURES.glob(f"keen_{side}*.txt"))
        for line in path.read_text().split()
    ]
    return ids[:: max(1, len(ids) // most)]


def ours(ids):
    """Our time for each puzzle, in seconds."""
    command = ["cargo", "run", "--quiet", "--release", "--package", "everyply-kenken"]
    command += ["--example", "uniqueness"]
    text = "\n".join(ids) + "\n"
    result = subprocess.run(command, cwd=ROOT, input=text, capture_output=True, text=True, check=True)
    rows = [line.split() for line in result.stdout.splitlines()]
    assert all(solutions == "1" for _, solutions in rows), "a puzzle is not unique to us"
    return [int(nanoseconds) / 1e9 for nanoseconds, _ in rows]


def main():
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    count("2:__b,a3a3")
    print("size  puzzles   CP-SAT median        p99   ours median        p99   median ratio")
    for side in range(4, 10):
        ids = sample(side, most)
        theirs = []
        for game_id in ids:
            start = time.process_time()
            solutions = count(game_id)
            theirs.append(time.process_time() - start)
            assert solutions == 1, f"{game_id} is not unique to CP-SAT"
        us = ours(ids)
        ratio = statistics.median(a / b for a, b in zip(theirs, us))
        p99 = lambda times: sorted(times)[int(0.99 * (len(times) - 1))]
        print(
            f"{side:4}  {len(ids):7}  {statistics.median(theirs) * 1e3:11.2f} ms"
            f"  {p99(theirs) * 1e3:6.2f} ms  {statistics.median(us) * 1e6:8.1f} us"
            f"  {p99(us) * 1e6:6.1f} us  {ratio:13.0f}"
        )


if __name__ == "__main__":
    main()
