"""everyply.kenken against Keen's own letters, the malformed texts, and a checker in Python."""

import json
import math
import pickle
import re
from typing import Any

import numpy as np
import pyarrow
import pytest
from numpy.typing import NDArray

import everyply
from conftest import FIXTURES
from everyply import kenken, tables

EASY = "4:_a_7a4_a3,a4a5s1s1d2d2m4m6"
LEVELS: dict[str, Any] = {"e": "easy", "n": "normal", "h": "hard", "x": "extreme", "u": "unreasonable"}
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
        generated = kenken.generate(5, level, seed=2)
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


def test_pencil_marks_are_carried_from_hint_to_hint() -> None:
    for level in LEVELS.values():
        made = kenken.generate(5, level, seed=11)
        grid: str | None = None
        steps = 0
        while step := kenken.hint(made.puzzle, grid, level=level):
            grid = step.grid
            steps += 1
        assert grid == "/".join("".join(map(str, row)) for row in made.solution.tolist()), level
        assert steps >= 25 // 2
    marks: list[list[Any]] = [[[1, 3], None, None, 2], [None] * 4, [None] * 4, [None] * 4]
    same = kenken.hint(EASY, "[13]..2/..../..../....")
    assert same is not None
    assert repr(kenken.hint(EASY, marks)) == repr(same)
    with pytest.raises(kenken.Fault, match="2 or 4 in r1c1"):
        kenken.hint(EASY, "[24].../..../..../....")


def test_all_solutions_and_where_they_differ() -> None:
    assert [grid.tolist() for grid in kenken.solutions("2:__b,a3a3", 1)] == [[[1, 2], [2, 1]]]
    assert kenken.solutions("2:_b_,a3a3") == []
    table = pyarrow.table(tables.kenken_all_solutions(["2:__b,a3a3", "2:_b_,a3a3", EASY]))
    assert table["solutions"].to_pylist() == [2, 2, 0, 1]
    assert table["number"].to_pylist() == [1, 2, None, 1]
    assert table["differs"].to_pylist() == ["r1c1 r1c2 r2c1 r2c2"] * 2 + [None] * 2
    first = pyarrow.table(tables.kenken_all_solutions("2:__b,a3a3", 1))
    assert first["solutions"].to_pylist() == [None]
    hard = next(text for text, level in keen_puzzles() if level == "unreasonable")
    with pytest.raises(kenken.Unsettled, match="not all solutions"):
        kenken.solutions(hard, nodes=0)
    given_up = pyarrow.table(tables.kenken_all_solutions(hard, nodes=0))
    assert given_up["solutions"].to_pylist() == [None]


def test_puzzles_are_reduced_and_layouts_made_unique() -> None:
    puzzle = kenken.generate(5, "easy", seed=1).puzzle
    bare = kenken.minimise(puzzle, seed=1)
    assert bare is not None
    assert "?" in [sign for sign, _, _ in bare.cages]
    merged = kenken.minimise(puzzle, "clues", cages=[1, 1, 0, 1], seed=1)
    assert merged is not None
    sizes = {len(cells) for _, _, cells in puzzle.cages}
    assert {len(cells) for _, _, cells in merged.cages} <= sizes | {1, 2, 4}
    assert kenken.count(bare).unique
    assert kenken.count(merged).unique
    assert kenken.minimise("2:__b,a3a3") is None
    made = kenken.make_unique(puzzle, seed=4, operators="+*")
    assert [cells for _, _, cells in made.puzzle.cages] == [cells for _, _, cells in puzzle.cages]
    assert {sign for sign, _, _ in made.puzzle.cages} <= {"+", "*", "="}


def test_pictures_and_booklets() -> None:
    puzzle = kenken.Puzzle(EASY)
    grid = "3[14].2/1.../..../...."
    assert puzzle.svg(grid).count('fill="#555"') == 2
    assert puzzle._repr_svg_() == puzzle.svg()
    assert puzzle.png(grid, 100).startswith(b"\x89PNG")
    assert puzzle.pdf(grid).startswith(b"%PDF")
    assert "1·" in puzzle.show(grid)
    book = kenken.book(4, 5, ["easy", "hard"], seed=2, per_page=2, solutions="facing", title="A")
    assert (len(book), len(book.pages)) == (6, 6)
    table = pyarrow.table(book.puzzles)
    assert table["level"].to_pylist() == ["easy"] * 3 + ["hard"] * 2
    ids = [made.puzzle.game_id() for made in kenken.generate_batch(4, 3, "easy", seed=2)]
    assert table["id"].to_pylist()[:3] == ids
    assert book.pdf() == kenken.book(
        4, 5, ["easy", "hard"], seed=2, per_page=2, solutions="facing", title="A"
    ).pdf()
    pages = book.png(dpi=30)
    assert all(page.startswith(b"\x89PNG") for page in pages)
    assert book._repr_svg_() == book.pages[0]
    html = book.puzzles._repr_html_()
    assert html.startswith("<table><caption>kenken.puzzles: 5 rows")
    assert html.count("<tr>") == 6


def test_a_batch_has_no_puzzle_twice() -> None:
    made = [made.puzzle for made in kenken.generate_batch(3, 300, seed=5)]
    assert len(set(made)) == 300


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
    (lambda: untyped.hint(EASY, [[5] * 4] * 4), everyply.Error, "grid: r1c1: 5 is not a digit"),
    (lambda: untyped.hint(EASY, [EMPTY] * 3), everyply.Error, "grid: 3 rows, expected 4"),
    (lambda: untyped.hint(EASY, [EMPTY] * 3 + [[1]]), everyply.Error, "grid[3]: 1 cells"),
    (lambda: untyped.hint(EASY, "...."), everyply.Error, "grid: 1 rows, expected 4"),
    (lambda: untyped.hint(EASY, "[9].../..../..../...."), everyply.Error, "grid: row 1: '[9]'"),
    (lambda: untyped.hint(EASY, [[[9], None, None, None]] + [EMPTY] * 3), everyply.Error, "r1c1: 9 is"),
    (lambda: untyped.minimise(EASY, "cells"), everyply.Error, "what 'cells', expected operators"),
    (lambda: untyped.book(4, 0), everyply.Error, "count 0"),
    (lambda: untyped.book(4, 1, []), everyply.Error, "level: expected at least one"),
    (lambda: untyped.book(4, 1, "silly"), everyply.Error, "level 'silly'"),
    (lambda: untyped.book(4, 1, paper="a5"), everyply.Error, "paper 'a5', expected a4 or letter"),
    (lambda: untyped.book(4, 1, per_page=3), everyply.Error, "per_page 3, expected 1, 2, 4 or 6"),
    (lambda: untyped.book(4, 1, solutions="x"), everyply.Error, "solutions 'x', expected end"),
    (lambda: untyped.book(4, 1).png(1e9), everyply.Error, "dpi: "),
    (lambda: untyped.generate(3, zero=True).puzzle.game_id(), kenken.NotKeen, "digits start at 0"),
]


@pytest.mark.parametrize(("call", "kind", "words"), ERRORS)
def test_bad_input_is_named(call: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=re.escape(words)):
        call()
