"""Games of one's own: known values, stores, and refusals of rules that are not rules."""

import importlib.util
import sqlite3
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from everyply import Error, solver

Keys = np.ndarray[Any, np.dtype[np.uint64]]


def example() -> ModuleType:
    path = Path(__file__).parents[1] / "examples" / "solve_games.py"
    spec = importlib.util.spec_from_file_location("solve_games", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


games = example()


@pytest.mark.parametrize("kind", ["memory:", "sqlite:", "file:"])
def test_known_values(kind: str, tmp_path: Path) -> None:
    def store(name: str) -> str:
        return kind if kind == "memory:" else f"{kind}{tmp_path / name}"

    solution = solver.solve(games.rows_game(3, 3, 3, falls=False), store("tic-tac-toe"))
    assert (solution.value, solution.positions) == (0, 5_478)
    assert solution.verify() == 5_478
    assert len(solution.line()) == 9
    solution = solver.solve(games.rows_game(4, 4, 4, falls=True), store("connect-four"))
    assert (solution.value, solution.positions) == (0, 161_029)
    assert solution.verify(1_000, seed=3) == 1_000


@pytest.mark.parametrize("kind", ["sqlite:", "file:"])
def test_nim_is_won_unless_the_nim_sum_is_zero(kind: str, tmp_path: Path) -> None:
    game = games.nim(6, 5, 4)
    solution = solver.solve(game, f"{kind}{tmp_path / 'nim'}")
    heaps = np.array([(a, b, c) for a in range(7) for b in range(6) for c in range(5)])
    keys = (heaps[:, 0] | heaps[:, 1] << 8 | heaps[:, 2] << 16).astype(np.uint64)
    expected = np.where(heaps[:, 0] ^ heaps[:, 1] ^ heaps[:, 2] == 0, -1, 1)
    assert solution.positions == len(keys) == 210
    assert (solution.values(keys) == expected).all()
    assert solution.values([]).tolist() == []
    for move in solution.moves():
        assert move.before == game.start and move.value == -solution.values([move.after])[0]
    assert [move.best for move in solution.moves()].count(True) == 1


def test_points_and_extra_moves() -> None:
    """Take one stone for a point and move again, or two for three points."""

    def children(keys: Keys) -> tuple[Any, ...]:
        one, two = np.flatnonzero(keys >= 1), np.flatnonzero(keys >= 2)
        places = np.concatenate([one, two])
        taken = np.concatenate([np.full(len(one), 1), np.full(len(two), 2)])
        gains = np.where(taken == 1, 1, 3)
        return places, taken, keys[places] - taken.astype(np.uint64), gains, taken == 1

    game = solver.Game(
        "points",
        start=9,
        key_bits=8,
        children=children,
        ranks=lambda keys: (keys, np.zeros(len(keys), dtype=int)),
        values=lambda keys: np.zeros(len(keys), dtype=np.int8),
    )
    solution = solver.solve(game)

    def value(stones: int) -> int:
        if stones == 0:
            return 0
        moves = [1 + value(stones - 1)]
        if stones >= 2:
            moves.append(3 - value(stones - 2))
        return max(moves)

    assert solution.values(np.arange(10)).tolist() == [value(stones) for stones in range(10)]
    first = solution.line()[0]
    assert first.gain == (1 if first.again else 3)


def countdown(**changed: Any) -> solver.Game:
    def children(keys: Keys) -> tuple[Any, ...]:
        places = np.flatnonzero(keys)
        return places, np.ones(len(places), dtype=int), keys[places] - np.uint64(1)

    rules: dict[str, Any] = {
        "start": 3,
        "key_bits": 8,
        "children": children,
        "ranks": lambda keys: keys,
        "values": lambda keys: np.full(len(keys), -1),
    }
    return solver.Game("countdown", **{**rules, **changed})


def test_a_stopped_solve_is_resumed(tmp_path: Path) -> None:
    url = f"file:{tmp_path / 'store'}"
    calls = 0

    def children(keys: Keys) -> tuple[Any, ...]:
        nonlocal calls
        calls += 1
        if calls == 60:
            raise KeyboardInterrupt
        places = np.flatnonzero(keys)
        return places, np.ones(len(places), dtype=int), keys[places] - np.uint64(1)

    with pytest.raises(KeyboardInterrupt):
        solver.solve(countdown(start=200, children=children), url)
    game = countdown(start=200)
    with pytest.raises(solver.SolveError, match="not solved completely; resume it"):
        solver.open(game, url)
    with pytest.raises(solver.StoreError, match="already holds a game"):
        solver.solve(game, url)
    assert solver.solve(game, url, resume=True).positions == 201
    assert solver.open(game, url).value == -1
    with pytest.raises(solver.StoreError, match="the store holds 'countdown'"):
        solver.open(games.nim(3), url)


def moves(change: Callable[[Any, Any, Any], tuple[Any, ...]]) -> Callable[[Keys], tuple[Any, ...]]:
    def children(keys: Keys) -> tuple[Any, ...]:
        places = np.flatnonzero(keys)
        return change(places, np.ones(len(places), dtype=int), keys[places] - np.uint64(1))

    return children


chance = np.random.default_rng(7)


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        (
            {"ranks": lambda keys: np.full(len(keys), 5)},
            solver.SolveError,
            "position 0x3: a move leads from rank 5.0 to 5.0, which is not lower",
        ),
        (
            {"children": moves(lambda p, m, k: (p, m, k + np.uint64(256)))},
            solver.SolveError,
            "key 0x102 has more than 8 bits, the number that countdown declares",
        ),
        (
            {"children": moves(lambda p, m, k: (p, m + chance.integers(1 << 15), k))},
            solver.SolveError,
            "position 0x3 of rank 3.0: countdown gave two different answers about its moves",
        ),
        (
            {"children": moves(lambda p, m, k: (p + 7, m, k))},
            solver.SolveError,
            "parent 7 of 1 positions, which are counted from 0",
        ),
        (
            {"children": moves(lambda p, m, k: (p, m, k[1:]))},
            Error,
            r"children\[2\]: shape \(0,\), expected \(1,\)",
        ),
        (
            {"children": moves(lambda p, m, k: (p, m))},
            TypeError,
            "children: expected a tuple of 3 to 5 arrays",
        ),
        (
            {"children": moves(lambda p, m, k: (p, m, k.astype(float)))},
            TypeError,
            r"children\[2\]: an array of float64, expected integers",
        ),
        (
            {"children": moves(lambda p, m, k: (p, m - 2, k))},
            Error,
            r"children\[1\]\[0\]: -1 is not a number from 0 to 2\^16 - 1",
        ),
        ({"ranks": lambda keys: keys[1:]}, Error, r"ranks: shape \(0,\), expected \(1,\)"),
        ({"ranks": lambda keys: (keys, keys, keys)}, Error, "ranks: 3 arrays, expected 1 or 2"),
        (
            {"values": lambda keys: np.full(len(keys), 40_000)},
            Error,
            r"values\[0\]: 40000 points, expected -32768 to 32767",
        ),
        ({"values": lambda keys: 1 // 0}, ZeroDivisionError, "by zero"),
        ({"values": None}, TypeError, "not callable"),
        ({"key_bits": 64}, Error, "key_bits 64, expected 1 to 63"),
        ({"start": 256}, Error, "start 256 has more than 8 bits"),
    ],
)
def test_broken_rules(changed: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        solver.solve(countdown(**changed))


def test_unknown_positions_and_wrong_rows(tmp_path: Path) -> None:
    path = tmp_path / "countdown.sqlite"
    solution = solver.solve(countdown(), f"sqlite:{path}")
    assert repr(solution) == f"Solution(countdown: value 1, best 1, 4 positions in sqlite:{path})"
    with pytest.raises(solver.UnknownPosition, match=r"9 \(0x9\) cannot be reached in countdown"):
        solution.values([1, 9])
    with pytest.raises(solver.UnknownPosition, match="cannot be reached"):
        solution.moves(200)
    del solution
    connection = sqlite3.connect(path)
    connection.execute("update positions set value = 5 where key = 2")
    connection.commit()
    connection.close()
    with pytest.raises(Error):
        solver.open(countdown(), f"sqlite:{path}").verify()
