"""Kalah from Python: values against the fixture, and every place that holds them."""

import contextlib
import csv
import inspect
import os
import re
import signal
import sqlite3
import threading
from pathlib import Path
from typing import Any, cast

import duckdb
import numpy as np
import pytest

from conftest import FIXTURES
from everyply import Error, kalah


def rows() -> list[dict[str, str]]:
    with (FIXTURES / "kalah/values.csv").open() as lines:
        return [row for row in csv.DictReader(lines) if small(row)]


def small(row: dict[str, str]) -> bool:
    return int(row["pits"]) * int(row["seeds"]) <= 8


@pytest.mark.parametrize("row", rows(), ids=lambda row: "-".join(list(row.values())[:3]))
def test_values_are_those_of_the_fixture(row: dict[str, str]) -> None:
    solution = kalah.solve(int(row["pits"]), int(row["seeds"]), cast(Any, row["variant"]))
    assert solution.value == int(row["value"])
    first = kalah.best(solution.start, solution)[0]
    assert (first.pit, first.value, first.best) == (solution.best, solution.value, True)


@pytest.mark.parametrize("kind", ["memory", "sqlite", "file"])
def test_every_store_answers_the_same(kind: str, tmp_path: Path) -> None:
    url = "memory:" if kind == "memory" else f"{kind}:{tmp_path / 'kalah'}"
    solution = kalah.solve(3, 3, store=url)
    there: kalah.Solution | str = solution if kind == "memory" else url
    in_memory = kalah.solve(3, 3)
    positions = [move.position for move in kalah.best(solution.start, there)]
    expected = kalah.values(positions, in_memory)
    assert kalah.values(positions, there).tolist() == expected.tolist()
    assert kalah.values(positions, solution).tolist() == expected.tolist()
    assert kalah.value(positions[0], there) == expected[0]
    line = kalah.line(solution.start + "/4-1", there)
    assert line[-1].stores[0] - line[-1].stores[1] <= solution.value + 3
    if kind != "memory":
        with pytest.raises(kalah.StoreError, match="already holds a game"):
            kalah.solve(3, 3, store=url)
        assert kalah.solve(3, 3, store=url, resume=True).positions == in_memory.positions
        with pytest.raises(kalah.StoreError, match="the store holds"):
            kalah.solve(3, 2, store=url, resume=True)


def test_a_table_has_the_values_of_a_store(tmp_path: Path) -> None:
    solution = kalah.solve(3, 2)
    assert kalah.build_table(3, 12, tmp_path / "table") > solution.positions
    with pytest.raises(kalah.TableError, match="memory"):
        kalah.build_table(3, 12, tmp_path / "none", memory_limit=1)
    assert kalah.solve(3, 2, memory_limit=1).positions == solution.positions
    seen: set[str] = set()
    waiting = [solution.start]
    while waiting and len(seen) < 500:
        position = waiting.pop()
        if position not in seen:
            seen.add(position)
            waiting += [move.position for move in kalah.best(position, solution)]
    positions = sorted(seen)
    in_table = kalah.values(positions, table=tmp_path / "table")
    assert np.array_equal(in_table, kalah.values(positions, solution))
    with pytest.raises(kalah.UnknownPosition, match="13 seeds, but the table has values for at most 12"):
        kalah.value("5,4,4/0,0,0", table=tmp_path / "table")


def test_bad_input_is_refused_with_its_place(tmp_path: Path) -> None:
    solution = kalah.solve(2, 2)
    with pytest.raises(kalah.SizeError, match="9"):
        kalah.solve(9, 2)
    with pytest.raises(kalah.ParseRulesError, match="rules: unknown rules 'none'"):
        kalah.solve(2, 2, cast(Any, "none"))
    with pytest.raises(kalah.ParsePositionError, match=r"positions\[1\]: .*two sides"):
        kalah.values(["1,1/1,1", "1,1"], solution)
    with pytest.raises(Error, match="3 pits on a side, not 2"):
        kalah.value("1,1,1/1,1,1", solution)
    with pytest.raises(kalah.UnknownPosition, match="cannot be reached"):
        kalah.value("9,9/9,9", solution)
    with pytest.raises(kalah.StoreError, match="no solved game"):
        kalah.value("1,1/1,1", f"sqlite:{tmp_path / 'none'}")
    with pytest.raises(Error, match="no table"):
        kalah.value("1,1/1,1", table=tmp_path / "none")
    with pytest.raises(Error, match="solved with the rules std_either, not with empty_mover"):
        kalah.value("1,1/1,1", solution, rules="empty_mover")
    with pytest.raises(TypeError, match="either store or table, not both"):
        kalah.value("1,1/1,1", solution, table=tmp_path)
    with pytest.raises(TypeError, match="expected a Solution or the URL"):
        kalah.value("1,1/1,1", cast(Any, 3))


def test_ctrl_c_stops_and_the_work_goes_on_later(tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path / 'kalah'}"
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        kalah.solve(4, 3, store=url)
    timer.join()
    with pytest.raises(kalah.UnknownPosition, match="not solved yet|cannot be reached"):
        kalah.value("3,3,3,3/3,3,3,3", url)
    assert kalah.solve(4, 3, store=url, resume=True).positions == 849_460


def test_any_position_is_answered_by_search(tmp_path: Path) -> None:
    solution = kalah.solve(3, 3)
    assert kalah.value(solution.start, cache=tmp_path) == solution.value
    assert kalah.value("9,0,0/0,0,9", cache=tmp_path) == kalah.value("9,0,0/0,0,9", cache=tmp_path)
    searched = kalah.best(solution.start, cache=tmp_path)
    stored = kalah.best(solution.start, solution)
    # Of equally good moves a search takes the first, and a store one by its remoteness.
    assert {repr(move) for move in searched} == {repr(move) for move in stored}
    assert [move.remoteness for move in searched] == [None] * 3
    assert [move.remoteness for move in stored] == [18, 19, 14]
    assert kalah.line(solution.start, cache=tmp_path)[0].remoteness is None
    line = kalah.line(solution.start, solution)
    assert [step.remoteness for step in line] == list(range(18, 0, -1))
    assert kalah.values([solution.start], rules="empty_mover", cache=tmp_path).tolist() == [
        kalah.solve(3, 3, "empty_mover").value
    ]
    assert (tmp_path / "kalah-3-std_either" / "manifest").exists()
    with pytest.raises(Error, match="expected 0 to 1000000000"):
        kalah.value("1,1/1,1", time_limit=-1)


def test_a_game_is_played_against_an_opponent(tmp_path: Path) -> None:
    solution = kalah.solve(3, 3)
    game = kalah.Game("3x3", against="perfect", cache=tmp_path)
    with pytest.raises(kalah.RecordError, match="move 1: pit 4 cannot be sown"):
        game.play(4)
    while not game.over:
        if game.player == 1:
            game.play(game.legal[-1])
        else:
            moves = kalah.best(game.position.rsplit("/", 1)[0], solution)
            best = [move.pit for move in moves if move.value == moves[0].value]
            assert game.reply() in best
    assert game.totals is not None and sum(game.totals) == 18
    assert game.result is not None and game.reply() is None
    again = kalah.Game(game.record, cache=tmp_path)
    assert (again.record, again.position) == (game.record, game.position)
    assert again.undo() and not again.over
    with pytest.raises(kalah.ParseOpponentError, match="against: 'god' is not an opponent"):
        kalah.Game(against="god")
    with pytest.raises(kalah.UnknownPosition, match="cannot be reached"):
        kalah.path("0,0,18/0,0,0", 3)


def test_the_statement_about_packed_keys_in_sqlite_and_duckdb(tmp_path: Path) -> None:
    page = Path(__file__).parents[3].joinpath("docs/kalah.md").read_text()
    (statement,) = re.findall(r"```sql\n(SELECT key & 31.*?);\n```", page, re.DOTALL)
    kalah.solve(3, 3, store=f"sqlite:{tmp_path}/kalah.sqlite")
    kalah.solve(3, 3, store=f"file:{tmp_path}/kalah")
    with contextlib.closing(sqlite3.connect(tmp_path / "kalah.sqlite")) as store:
        found = store.execute(statement).fetchall()
    # A position begins with the pits of the side to move; only after pit 1 does the side stay.
    assert sorted(row[:6] for row in found) == [
        (0, 4, 4, 3, 3, 3),
        (4, 3, 3, 3, 0, 4),
        (4, 4, 3, 3, 3, 0),
    ]
    texts = ["{},{},{}/{},{},{}".format(*row[:6]) for row in found]
    assert [row[6] for row in found] == list(kalah.values(texts, kalah.solve(3, 3)))
    parts = statement.replace("FROM positions", f"FROM '{tmp_path}/kalah/*.parquet'")
    assert parts != statement
    assert duckdb.execute(parts).fetchall() == found


def test_help_shows_the_default_of_every_argument() -> None:
    for made in (kalah.Game, kalah.best, kalah.path, kalah.solve):
        parameters = inspect.signature(made).parameters.values()
        assert all(parameter.default is not ... for parameter in parameters), made
    assert inspect.signature(kalah.Game).parameters["time_limit"].default == 60.0
