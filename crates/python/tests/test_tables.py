"""Tables from Python: those of docs/formats.md, with the columns, types and notes it lists."""

import re
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from conftest import FIXTURES
from everyply import Table, chess, fourchess, kalah, relations, sql, tables

PAGE = Path(__file__).parents[3] / "docs/formats.md"
PUZZLES = ["4:_a_7a4_a3,a4a5s1s1d2d2m4m6", "2:__b,a3a3"]
# Of a machine, of the demo, and of the clock.
OF_THE_COMMAND = {"doctor", "demo.puzzles", "demo.puzzle_steps", "fourchess.bench"}
GAMES = FIXTURES / "chess/pgn/lichess_438_games.pgn"
PGN4 = FIXTURES.parent / "crates/fourchess/tests/played.pgn4"
Rows = Table | chess.Reader | fourchess.Reader
TYPES = {
    "Utf8": pa.string(),
    "UInt64": pa.uint64(),
    "UInt8": pa.uint8(),
    "Int64": pa.int64(),
    "Float64": pa.float64(),
    "Boolean": pa.bool_(),
    "List(Utf8)": pa.list_(pa.field("item", pa.string())),
    "Map(Utf8:Utf8)": pa.map_(pa.string(), pa.string()),
}

Columns = list[tuple[str, pa.DataType, str]]


def listed() -> dict[str, list[tuple[str, Columns]]]:
    """Each table of the page: its notes and columns, for each choice of columns there is."""
    _, rest = PAGE.read_text().split("## Every table\n")
    found: dict[str, list[tuple[str, Columns]]] = {}
    blocks = re.split(r"\n(?! )", rest.split("```")[1].removeprefix("text\n").strip())
    for block in blocks:
        head, text = block.split("\n", 1)
        name, notes = head.split(" ", 1)
        columns: Columns = []
        for column in text.replace("\n", " ").split(","):
            column_name, kind, *shown = column.split()
            columns.append((column_name, TYPES[kind], " ".join(shown)))
        found.setdefault(name, []).append((notes, columns))
    return found


@pytest.fixture(scope="module")
def solution() -> kalah.Solution:
    return kalah.solve(3, 2)


@pytest.fixture(scope="module")
def returned(
    solution: kalah.Solution, tmp_path_factory: pytest.TempPathFactory
) -> list[Rows]:
    directory = tmp_path_factory.mktemp("kalah") / "table"
    start = solution.start
    calls: list[Callable[[], Rows]] = [
        lambda: chess.facts(["4k3/8/8/8/8/8/8/4K2R w K - 0 1"]),
        lambda: chess.games(GAMES),
        lambda: chess.positions(GAMES),
        lambda: chess.positions(GAMES, facts="everything"),
        lambda: relations.rules(),
        lambda: tables.chess_perft(2),
        lambda: tables.chess_divide(2),
        lambda: tables.chess_moves(),
        lambda: tables.chess_play("start", ["e4"]),
        lambda: tables.fourchess_perft(1),
        lambda: tables.fourchess_divide(1),
        lambda: tables.fourchess_moves(),
        lambda: tables.fourchess_games(2, players="greedy", max_plies=20),
        lambda: tables.fourchess_plies(2, max_plies=20),
        lambda: fourchess.games(PGN4),
        lambda: fourchess.positions(PGN4),
        lambda: tables.kalah_solution(solution, pie=True),
        lambda: tables.kalah_table(3, 8, directory),
        lambda: tables.kalah_search(start, directory, memory_limit=1 << 24),
        lambda: tables.kalah_values([start, start + "/1-2"], solution),
        lambda: tables.kalah_moves(start, solution),
        lambda: tables.kalah_line(start, solution),
        lambda: tables.kalah_path(start, 2),
        lambda: tables.kalah_review("start 3x2\nmoves 2", solution),
        lambda: tables.kalah_store(solution),
        lambda: tables.kalah_faults(solution),
        lambda: tables.kalah_faults(table=directory, sample=10),
        lambda: tables.kalah_stats_by_seeds(solution),
        lambda: tables.kalah_stats_by_depth(solution),
        lambda: tables.kalah_stats_by_value(solution),
        lambda: tables.kalah_stats_by_moves(solution),
        lambda: tables.kalah_stats_by_rank(solution),
        lambda: tables.kalah_positions(solution),
        lambda: tables.kenken_solutions(PUZZLES),
        lambda: tables.kenken_all_solutions(PUZZLES),
        lambda: tables.kenken_counts(PUZZLES),
        lambda: tables.kenken_checks(PUZZLES),
        lambda: tables.kenken_grades(PUZZLES),
        lambda: tables.kenken_steps(PUZZLES[0]),
        lambda: tables.kenken_hints(PUZZLES[0], steps=3),
        lambda: tables.kenken_puzzles(4, 2),
    ]
    return [call() for call in calls]


def test_every_table_of_the_page_is_returned_with_its_columns_and_notes(
    returned: list[Rows],
) -> None:
    page = listed()
    seen = set()
    for table in returned:
        notes = table.metadata
        name = notes.pop("everyply.schema")
        said = notes.pop("everyply.version")
        said += "".join(f" {key.removeprefix('everyply.')}={text}" for key, text in notes.items())
        schema = pa.schema(table)
        columns = [
            (field.name, field.type, (field.metadata or {}).get(b"everyply.shown", b"").decode())
            for field in schema
        ]
        assert (said, columns) in page[name], name
        seen.add(name)
    assert seen | OF_THE_COMMAND == set(page)
    assert not seen & OF_THE_COMMAND


def test_every_function_is_named_by_its_table(returned: list[Rows]) -> None:
    names = {table.metadata["everyply.schema"].replace(".", "_") for table in returned}
    assert set(tables.__all__) == names - {
        "chess_facts",
        "chess_games",
        "chess_patterns",
        "chess_positions",
        "fourchess_pgn4_games",
        "fourchess_pgn4_positions",
    }


def test_tables_hold_what_the_plain_functions_return(solution: kalah.Solution) -> None:
    moves = pa.table(tables.kalah_moves(solution.start, solution)).to_pylist()
    plain = kalah.best(solution.start, solution)
    assert [(row["pit"], row["value"], row["why"]) for row in moves] == [
        (move.pit, move.value, move.why) for move in plain
    ]
    line = pa.table(tables.kalah_line(solution.start + "/3-1", solution)).to_pylist()
    steps = kalah.line(solution.start + "/3-1", solution)
    assert [(row["store_1"], row["store_2"]) for row in line] == [step.stores for step in steps]
    positions = pa.table(tables.kalah_positions(solution))
    assert positions.num_rows == solution.positions
    scans: list[tuple[str, Callable[[int], Table]]] = [
        ("depth", lambda number: tables.kalah_positions(solution, depth=number)),
        ("seeds_in_play", lambda number: tables.kalah_positions(solution, seeds=number)),
    ]
    for column, scan in scans:
        for number in set(positions[column].to_pylist()):
            same = pc.equal(positions[column], number)
            assert pa.table(scan(number)).equals(positions.filter(same)), (column, number)
    counted = pa.table(tables.kalah_stats_by_depth(solution))
    assert sum(counted["positions"].to_pylist()) == solution.positions
    divided = pa.table(tables.chess_divide(3))
    assert dict(zip(*divided.select(["uci", "nodes"]).to_pydict().values())) == chess.divide(3)


def test_one_puzzle_and_its_own_id_and_solution_are_taken() -> None:
    made = pa.table(tables.kenken_puzzles(3, 1, seed=5)).to_pylist()[0]
    checked = pa.table(tables.kenken_checks(made["puzzle"])).to_pylist()
    assert checked == [{"id": made["id"], "solutions": "one", "given": "right"}]


def test_a_store_is_a_table_of_sql(tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path / 'kalah.sqlite'}"
    solution = kalah.solve(3, 2, store=url)
    counted = sql.query(f"select count(*) as n from kalah_store('{url}')")
    assert pa.table(counted)["n"].to_pylist() == [solution.positions]
