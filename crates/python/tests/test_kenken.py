"""everyply.kenken against Keen's own letters, the malformed texts, and a checker in Python."""

import json
import math
import pickle
import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import everyply
from conftest import FIXTURES
from everyply import kenken

EASY = "4:_a_7a4_a3,a4a5s1s1d2d2m4m6"
LEVELS = {"e": "easy", "n": "normal", "h": "hard", "x": "extreme", "u": "unreasonable"}
EMPTY = [None] * 4


def keen_puzzles() -> list[tuple[str, str]]:
    """Some puzzles of each of Keen's files, with the level of the letter."""
    puzzles = []
    for path in sorted((FIXTURES / "kenken").glob("keen_*.txt")):
        found = re.fullmatch(r"keen_\d([enhxu])m?", path.stem)
        assert found, path
        puzzles += [(line, LEVELS[found[1]]) for line in path.read_text().split()[:4]]
    return puzzles


def solves(puzzle: kenken.Puzzle, grid: NDArray[np.uint8]) -> bool:
    """The rules as they are written, once more and in another language."""
    lowest = 0 if puzzle.zero else 1
    digits = list(range(lowest, lowest + puzzle.size))
    lines = [*grid.tolist(), *grid.T.tolist()]
    return all(sorted(line) == digits for line in lines) and all(
        made(sign, sorted(int(grid.flat[cell]) for cell in cells), target)
        for sign, target, cells in puzzle.cages
    )


def made(sign: str, digits: list[int], target: int) -> bool:
    *rest, largest = digits
    return {
        "=": lambda: not rest and largest == target,
        "+": lambda: sum(digits) == target,
        "*": lambda: math.prod(digits) == target,
        "-": lambda: largest - sum(rest) == target,
        "/": lambda: math.prod(rest) * target == largest,
        "?": lambda: any(made(sign, digits, target) for sign in "+-*/"),
    }[sign]()


def test_puzzles_of_keen_have_the_level_of_their_letter_and_one_solution() -> None:
    puzzles = keen_puzzles()
    counts = kenken.count_all([text for text, _ in puzzles])
    for (text, level), count in zip(puzzles, counts):
        puzzle = kenken.Puzzle(text)
        assert kenken.grade(puzzle) == level, text
        assert count.unique is True and count.complete, text
        solution = kenken.solve(puzzle)
        assert solution is not None and solves(puzzle, solution), text
        assert count.first is not None and np.array_equal(solution, count.first)
        kenken.check(puzzle, solution)
    print(f"{len(puzzles)} puzzles")
    assert len(puzzles) > 150


def test_a_solution_is_an_array_of_its_own() -> None:
    solution = kenken.solve(EASY)
    assert solution is not None
    assert solution.shape == (4, 4) and solution.dtype == np.uint8
    solution[0, 0] = 9
    again = kenken.solve(EASY)
    assert again is not None and again[0, 0] == 3


def test_malformed_game_ids_are_refused() -> None:
    refused = 0
    for row in (FIXTURES / "kenken/malformed.tsv").read_text().splitlines():
        text, verdict = row.split("\t")
        try:
            kenken.Puzzle(text)
        except everyply.Error:
            refused += 1
        else:
            assert not verdict.startswith("ERR"), text
    assert refused > 10


@pytest.mark.parametrize("variant", [{}, {"zero": True}, {"wide": True}, {"operators": "+?"}])
def test_generated_puzzles_have_one_solution(variant: dict[str, Any]) -> None:
    for seed in range(5):
        generated = kenken.generate(4, seed=seed, **variant)
        assert solves(generated.puzzle, generated.solution)
        assert kenken.count(generated.puzzle).unique is True
        assert kenken.Puzzle(generated.puzzle.json()) == generated.puzzle
        assert kenken.Puzzle(generated.puzzle.drawing()) == generated.puzzle


def test_generated_puzzles_have_the_wanted_level() -> None:
    for level in LEVELS.values():
        generated = kenken.generate(5, level, seed=2)  # type: ignore[arg-type]
        assert generated.level == level == kenken.grade(generated.puzzle)


def test_a_puzzle_depends_on_seed_and_number_alone() -> None:
    batch = kenken.generate_batch(5, 70, seed=9)
    later = kenken.generate_batch(5, 5, seed=9, start=65)
    assert [one.puzzle for one in batch[65:]] == [one.puzzle for one in later]
    assert batch[0].puzzle == kenken.generate(5, seed=9).puzzle
    assert len({one.puzzle for one in batch}) == 70


def test_explanations_lead_to_the_solution() -> None:
    for text, level in keen_puzzles()[::5]:
        explanation = kenken.explain(text, level=level)  # type: ignore[arg-type]
        assert explanation.end == "solved", text
        solution = kenken.solve(text)
        assert solution is not None
        for step in explanation.steps:
            assert step.rule and step.text == str(step)
            for cell, digit in step.placed:
                assert solution.flat[cell] == digit, text
            for cell, digits in step.removed:
                assert solution.flat[cell] not in digits, text


def test_hints_go_on_from_a_grid() -> None:
    solution = kenken.solve(EASY)
    assert solution is not None
    assert kenken.hint(EASY, solution) is None
    grid = solution.astype(np.int64)
    grid[2, 1] = -1
    step = kenken.hint(EASY, grid)
    assert step is not None
    assert kenken.explain(EASY, grid).end == "solved"
    wrong = solution.copy()
    wrong[0] = wrong[0][::-1]
    with pytest.raises(kenken.Fault, match="r1c1"):
        kenken.hint(EASY, wrong)
    with pytest.raises(kenken.Fault, match="r1c1"):
        kenken.explain(EASY, wrong)


def test_what_a_limit_leaves_open_is_said_to_be_open() -> None:
    hard = next(text for text, level in keen_puzzles() if level == "unreasonable")
    with pytest.raises(kenken.Unsettled, match="within the limits"):
        kenken.solve(hard, nodes=0)
    count = kenken.count(hard, nodes=0)
    assert (count.solutions, count.complete, count.unique) == (0, False, None)
    assert kenken.grade(hard, nodes=0) == "unknown"
    rows = [{"op": "+", "target": 45, "cells": list(range(9 * n, 9 * n + 9))} for n in range(9)]
    any_square = json.dumps({"n": 9, "cages": rows})
    assert not kenken.count(any_square, 10**15, time_limit=0.05).complete
    assert kenken.solve(hard, time_limit=None) is not None
    assert kenken.solve(hard, time_limit=0) is not None


def test_puzzles_without_one_solution_are_told_apart() -> None:
    several, none = "2:__b,a3a3", "2:__b,a4a2"
    assert kenken.count(several, most=10).solutions == 2
    assert kenken.grade(several) == "many solutions"
    assert kenken.solve(none) is None
    assert kenken.grade(none) == "no solution"


def test_a_puzzle_can_be_pickled_hashed_and_shown() -> None:
    puzzle = kenken.Puzzle(EASY)
    assert pickle.loads(pickle.dumps(puzzle)) == puzzle
    assert len({puzzle, kenken.Puzzle(puzzle.drawing())}) == 1
    assert repr(puzzle) == f"Puzzle('{EASY}')"
    assert puzzle.game_id() == EASY
    assert puzzle.svg().startswith("<svg")
    assert "┌" in str(puzzle) or "+" in str(puzzle)


# The types forbid some of these too.
untyped: Any = kenken

ERRORS: list[tuple[Any, type[Exception], str]] = [
    (lambda: untyped.Puzzle("3:_12,a1"), kenken.KeenError, "byte 5: the borders end after 12"),
    (lambda: untyped.solve("3:_12,a1"), kenken.KeenError, "puzzle: byte 5"),
    (lambda: untyped.count_all([EASY, "3:"]), kenken.KeenError, "puzzles[1]: byte"),
    (lambda: untyped.Puzzle("{"), kenken.JsonError, "not JSON"),
    (lambda: untyped.Puzzle('{"n":2,"cages":[]}'), kenken.JsonError, "cell r1c1 belongs to no"),
    (lambda: untyped.Puzzle("AB\nA\n"), kenken.DrawingError, "line 2: 1 cells, expected 2"),
    (lambda: untyped.Puzzle(""), kenken.DrawingError, "no rows"),
    (lambda: untyped.solve(3), TypeError, "puzzle"),
    (lambda: untyped.generate(33), everyply.Error, "size 33, expected 1 to 32"),
    (lambda: untyped.generate(4, "x y"), everyply.Error, "level 'x y', expected easy"),
    (lambda: untyped.generate(4, operators="%"), everyply.Error, "'%' is not one of"),
    (lambda: untyped.generate(4, cages=()), kenken.GenerateError, "the settings allow no cage size or no operator"),
    (lambda: untyped.generate(2, "unreasonable"), kenken.GenerateError, "no puzzle with these settings"),
    (lambda: untyped.count(EASY, 0), everyply.Error, "most 0, expected at least 1"),
    (lambda: untyped.solve(EASY, time_limit=-1), everyply.Error, "time_limit -1"),
    (lambda: untyped.solve(EASY, time_limit=math.nan), everyply.Error, "time_limit NaN"),
    (lambda: untyped.check(EASY, [[1, 2], [2, 1]]), kenken.Fault, "the puzzle is 4x4"),
    (lambda: untyped.check(EASY, [[1, 2], [2]]), everyply.Error, "expected a square"),
    (lambda: untyped.check(EASY, [[999] * 4] * 4), kenken.Fault, "is not a digit"),
    (lambda: untyped.hint(EASY, [[5] * 4] * 4), everyply.Error, "grid[0]: 5 is not a digit"),
    (lambda: untyped.hint(EASY, [EMPTY] * 3), everyply.Error, "grid: 3 rows, expected 4"),
    (lambda: untyped.hint(EASY, [EMPTY] * 3 + [[1]]), everyply.Error, "grid[3]: 1 cells"),
    (lambda: untyped.generate(3, zero=True).puzzle.game_id(), kenken.NotKeen, "digits start at 0"),
]


@pytest.mark.parametrize(("call", "kind", "words"), ERRORS)
def test_bad_input_is_named(call: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=re.escape(words)):
        call()
