"""everyply.sql against the arithmetic of pyarrow and polars."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet
import pytest

import everyply
from conftest import FIXTURES
from everyply import chess, relations, sql

PUZZLES = FIXTURES / "chess/puzzles/puzzles.csv"


def rows(statement: str, **others: Any) -> list[dict[str, Any]]:
    return list(pyarrow.table(sql.query(statement, **others)).to_pylist())


def numbers(count: int) -> pyarrow.Table:
    random = np.random.default_rng(7)
    kinds, values = random.integers(0, 50, count), random.random(count)
    table = pyarrow.table({"id": np.arange(count), "kind": kinds, "x": values})
    # In pieces, as tables are that were read from files.
    pieces = [table.slice(start, 10_000) for start in range(0, count, 10_000)]
    return pyarrow.concat_tables(pieces)


@pytest.mark.parametrize(
    "made",
    [
        lambda table: table,
        lambda table: table.to_reader(),
        lambda table: table.combine_chunks().to_batches()[0],
        polars.DataFrame,
        lambda table: table.to_pandas(),
    ],
    ids=["table", "reader", "batch", "polars", "pandas"],
)
def test_groups_and_joins_are_those_of_pyarrow(made: Any) -> None:
    table = numbers(35_000)
    grouped = table.group_by("kind").aggregate([("x", "sum"), ("id", "count")]).sort_by("kind")
    statement = "select kind, sum(x) as x_sum, count(id) as id_count from t group by 1 order by 1"
    found = pyarrow.table(sql.query(statement, tables={"t": made(table)}))
    assert found["kind"].to_pylist() == grouped["kind"].to_pylist()
    assert found["id_count"].to_pylist() == grouped["id_count"].to_pylist()
    assert np.allclose(found["x_sum"].to_numpy(), grouped["x_sum"].to_numpy())
    names = pyarrow.table({"kind": [3, 4], "name": ["three", "four"]})
    joined = table.join(names, "kind", join_type="inner").sort_by("id")
    statement = "select t.id, n.name from t join n on t.kind = n.kind order by t.id"
    found = pyarrow.table(sql.query(statement, tables={"t": made(table), "n": names}))
    assert found["id"].to_pylist() == joined["id"].to_pylist()
    assert found["name"].to_pylist() == joined["name"].to_pylist()


def test_files_are_tables_by_name_and_by_path(tmp_path: Path) -> None:
    puzzles = pyarrow.csv.read_csv(PUZZLES)
    hardest = pyarrow.compute.max(puzzles["Rating"]).as_py()
    for statement, tables in [
        (f"select max(\"Rating\") as hardest, count(*) as puzzles from '{PUZZLES}'", None),
        ('select max("Rating") as hardest, count(*) as puzzles from p', {"p": PUZZLES}),
        ('select max("Rating") as hardest, count(*) as puzzles from p', {"p": str(PUZZLES)}),
    ]:
        assert rows(statement, tables=tables) == [{"hardest": hardest, "puzzles": len(puzzles)}]
    pyarrow.parquet.write_table(puzzles, tmp_path / "p.parquet")
    assert rows("select count(*) as n from p", tables={"p": tmp_path}) == [{"n": len(puzzles)}]


def test_functions_know_chess() -> None:
    lines = (FIXTURES / "chess/fens/positions.tsv").read_text().splitlines()
    fens = [line.split("\t")[0] for line in lines][:200]
    statement = "select chess_move_count(fen) as moves from t"
    for table in (pyarrow.table({"fen": fens}), polars.DataFrame({"fen": fens})):
        found = rows(statement, tables={"t": table}, threads=1)
        assert [row["moves"] for row in found] == [len(chess.moves(fen)) for fen in fens]
    counted = rows("select nodes from chess_perft('start', 3)")
    assert counted == [{"nodes": chess.perft(3)}]


def test_tables_of_ours_are_tables() -> None:
    fen = "rnb1kbnr/ppp2ppp/8/3qp3/8/2N5/PPPP1PPP/R1BQKBNR w KQkq - 0 4"
    tables = {"f": chess.facts([fen], "everything,masks"), "m": relations.legal_moves([fen])}
    statement = (
        "select uci, black_hanging_gain as gain from m join f using (fen) "
        "where captured is not null"
    )
    assert rows(statement, tables=tables) == [{"uci": "c3d5", "gain": 9}]
    answer = sql.query("select * from m", tables=tables)
    again = sql.query("select uci from a order by uci", tables={"a": answer})
    assert again.column_names == ["uci"]
    assert len(again) == len(chess.moves(fen))


def test_rules_of_ones_own_count_in_statements() -> None:
    count = "select count(*) as moves from chess_moves('start')"
    steps = polars.col("name").str.contains("first|double")
    slow = polars.DataFrame(relations.rules()).filter(~steps)
    assert rows(count) == [{"moves": 20}]
    assert rows(count, patterns=slow) == [{"moves": 12}]
    knight = "select count(*) as moves from chess_moves('7k/8/8/8/4N3/8/8/K7 w - - 0 1')"
    assert rows(knight, variant="crowned-knights") == [{"moves": 19}]


def test_the_last_of_several_statements_is_answered() -> None:
    assert rows("create view v as select 6 * 7 as answer; select * from v") == [{"answer": 42}]
    nothing = sql.query("create view v as select 1")
    assert (len(nothing), nothing.column_names) == (0, [])
    assert repr(nothing).startswith("table: 0 rows, 0 columns")


def test_an_answer_without_rows_has_columns() -> None:
    found = pyarrow.table(sql.query("select 1 as one, 'x' as two where false"))
    assert (found.num_rows, found.column_names) == (0, ["one", "two"])


def test_a_session_writes_only_if_told_so(tmp_path: Path) -> None:
    statement = f"copy (select 1 as one) to '{tmp_path / 'one.parquet'}'"
    with pytest.raises(sql.SqlError, match="this session is read-only; writable=True allows it"):
        sql.query(statement)
    assert list(tmp_path.iterdir()) == []
    assert rows(statement, writable=True) == [{"count": 1}]
    assert pyarrow.parquet.read_table(tmp_path / "one.parquet").to_pylist() == [{"one": 1}]


def test_files_outside_the_root_and_servers_are_refused(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.csv").write_text("n\n1\n")
    (tmp_path / "b.csv").write_text("n\n2\n")
    root = tmp_path / "root"
    assert rows(f"select n from '{root / 'a.csv'}'", root=root) == [{"n": 1}]
    with pytest.raises(sql.SqlError, match="is refused: it is outside"):
        sql.query(f"select n from '{tmp_path / 'b.csv'}'", root=root)
    with pytest.raises(sql.SqlError, match="has no access to the network"):
        sql.query("select * from 's3://bucket/a.parquet'", network=False)


SERIES = "generate_series(1, 9000000)"
JOIN = f"select count(*) from {SERIES} as a(x) join {SERIES} as b(y) on x = y"
ENDLESS = "with recursive t as (select 1 as n union all select n + 1 from t) select max(n) from t"

# The types forbid some of these too.
untyped: Any = sql

ERRORS: list[tuple[Any, type[Exception], str]] = [
    (lambda: untyped.query("selec 1"), sql.SqlError, "Expected: an SQL statement"),
    (lambda: untyped.query(""), sql.SqlError, "expected one statement, found 0"),
    (lambda: untyped.query("select * from nowhere"), sql.SqlError, "nowhere"),
    (lambda: untyped.query("select chess_is_mate('x')"), sql.SqlError, "chess_is_mate: FEN 'x': "),
    (lambda: untyped.query(JOIN, memory_limit=32 << 20), sql.SqlError, "memory_limit raises it"),
    (lambda: untyped.query(ENDLESS, time_limit=0.5), sql.SqlError, "the time limit of 0.5 s"),
    (lambda: untyped.query("select 1", time_limit=-1), everyply.Error, "time_limit -1, expected 0"),
    (lambda: untyped.query("select 1", threads=0), everyply.Error, "threads 0, expected 1"),
    (lambda: untyped.query("select 1", threads=4097), everyply.Error, "threads 4097, expected 1"),
    (lambda: untyped.query("select 1", tables={"t": 3}), TypeError, "tables['t']: <class 'int'>"),
    (
        lambda: untyped.query("select 1", tables={"t": pyarrow.array([1])}),
        TypeError,
        "tables['t']: an Arrow array of Int64, expected a table",
    ),
    (
        lambda: untyped.query("select 1", tables={"t": pyarrow.array([{"x": 1}, None])}),
        everyply.Error,
        "tables['t']: an array with nulls, expected a table",
    ),
    (lambda: untyped.query("select 1", tables={"t": "no.csv"}), sql.SqlError, "no such file"),
    (lambda: untyped.query("select 1", tables=3), TypeError, "tables"),
    (lambda: untyped.query("select 1", variant="x"), everyply.Error, "variant 'x', expected"),
]


@pytest.mark.parametrize(("call", "kind", "words"), ERRORS)
def test_bad_input_is_named(call: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=re.escape(words)):
        call()


def test_pandas_keeps_its_columns() -> None:
    frame = pandas.DataFrame({"a": [1, 2], "b": ["x", None]})
    assert rows("select * from t order by a", tables={"t": frame}) == [
        {"a": 1, "b": "x"},
        {"a": 2, "b": None},
    ]
