"""Three games of one's own, solved: tic-tac-toe, Nim, and Connect Four on four columns of four.

    python crates/python/examples/solve_games.py

A position is a number. Rules take an array of positions at a time, so NumPy does the work.
"""

import time

import numpy as np
from numpy.typing import NDArray

from everyply import solver

Keys = NDArray[np.uint64]
Children = tuple[NDArray[np.intp], NDArray[np.intp], Keys]


def lines(columns: int, rows: int, length: int) -> list[int]:
    """Every row of so many cells, as a set of bits."""
    found = []
    for right, up in [(1, 0), (0, 1), (1, 1), (1, -1)]:
        for cell in range(columns * rows):
            x, y = cell % columns, cell // columns
            way = [(x + at * right, y + at * up) for at in range(length)]
            if all(0 <= column < columns and 0 <= row < rows for column, row in way):
                found.append(sum(1 << (row * columns + column) for column, row in way))
    return found


def rows_game(columns: int, rows: int, length: int, *, falls: bool) -> solver.Game:
    """Whoever first has `length` stones in a row gets a point.

    The key is two sets of cells: the stones of the side to move above those of the other side.
    """
    cells = columns * rows
    full = np.uint64((1 << cells) - 1)
    shift = np.uint64(cells)
    ways = [np.uint64(line) for line in lines(columns, rows, length)]

    def is_lost(keys: Keys) -> NDArray[np.bool_]:
        other = keys & full
        lost = np.zeros(len(keys), dtype=np.bool_)
        for line in ways:
            lost |= (other & line) == line
        return lost

    def children(keys: Keys) -> Children:
        own, other = keys >> shift, keys & full
        taken = own | other
        going = ~is_lost(keys)
        places, moves, after = [], [], []
        for cell in range(cells):
            bit = np.uint64(1 << cell)
            legal = going & ((taken & bit) == 0)
            if falls and cell >= columns:
                legal &= (taken & np.uint64(1 << (cell - columns))) != 0
            here = np.flatnonzero(legal)
            places.append(here)
            moves.append(np.full(len(here), cell))
            after.append(other[here] << shift | own[here] | bit)
        return np.concatenate(places), np.concatenate(moves), np.concatenate(after)

    def ranks(keys: Keys) -> NDArray[np.uint8]:
        """The empty cells, which every move makes fewer."""
        empty: NDArray[np.uint8] = cells - np.bitwise_count((keys >> shift) | (keys & full))
        return empty

    def values(keys: Keys) -> NDArray[np.intp]:
        """A lost game is worth -1 to the side to move, a full board nothing."""
        return np.where(is_lost(keys), -1, 0)

    name = f"rows columns={columns} rows={rows} length={length} falls={falls}"
    return solver.Game(
        name, start=0, key_bits=2 * cells, children=children, ranks=ranks, values=values
    )


def nim(*heaps: int) -> solver.Game:
    """Take any number of stones from one heap. Whoever cannot move has lost. A heap is a byte."""

    def stones(keys: Keys, heap: int) -> Keys:
        return (keys >> np.uint64(8 * heap)) & np.uint64(255)

    def children(keys: Keys) -> Children:
        places, moves, after = [], [], []
        for heap, most in enumerate(heaps):
            own = stones(keys, heap)
            for taken in range(1, most + 1):
                here = np.flatnonzero(own >= taken)
                places.append(here)
                moves.append(np.full(len(here), 256 * heap + taken))
                after.append(keys[here] - np.uint64(taken << (8 * heap)))
        return np.concatenate(places), np.concatenate(moves), np.concatenate(after)

    def ranks(keys: Keys) -> Keys:
        total = np.zeros(len(keys), dtype=np.uint64)
        for heap in range(len(heaps)):
            total += stones(keys, heap)
        return total

    def values(keys: Keys) -> NDArray[np.intp]:
        return np.full(len(keys), -1)

    start = sum(most << (8 * heap) for heap, most in enumerate(heaps))
    name = f"nim heaps={heaps}"
    bits = 8 * len(heaps)
    return solver.Game(
        name, start=start, key_bits=bits, children=children, ranks=ranks, values=values
    )


def main() -> None:
    tic_tac_toe = rows_game(3, 3, 3, falls=False)
    connect_four = rows_game(4, 4, 4, falls=True)
    for game in [tic_tac_toe, nim(7, 6, 5), connect_four]:
        began = time.process_time()
        solution = solver.solve(game)
        seconds = time.process_time() - began
        line = " ".join(str(move.number) for move in solution.line())
        speed = solution.positions / seconds
        print(f"{game.name}: value {solution.value}, {solution.positions} positions")
        print(f"  best play {line}; {speed:,.0f} positions per CPU second")


if __name__ == "__main__":
    main()
