"""everyply.chess against the perft suites, the facts of an oracle, and itself."""

import gzip
import json
import pickle
import re
from typing import Any

import pandas
import polars
import pyarrow
import pytest

import everyply
from conftest import FIXTURES
from everyply import chess

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KINGLESS = "k7/8/8/8/8/8/8/8 w - - 0 1"


def positions() -> list[str]:
    lines = (FIXTURES / "chess/fens/positions.tsv").read_text().splitlines()
    return [line.split("\t")[0] for line in lines]


def column(table: everyply.Table, name: str) -> list[Any]:
    return list(pyarrow.table(table)[name].to_pylist())


@pytest.mark.parametrize("suite", ["perftsuite", "tricky", "random"])
def test_perft_is_that_of_the_suites(suite: str) -> None:
    lines = (FIXTURES / f"chess/perft/{suite}.epd").read_text().splitlines()
    checked = 0
    for line in lines[:150]:
        fen, *counts = line.split(";")
        for count in counts:
            found = re.fullmatch(r"D(\d+) (\d+)", count.strip())
            assert found, line
            depth, nodes = int(found[1]), int(found[2])
            if nodes <= 20_000:
                assert chess.perft(depth, fen.strip()) == nodes, line
                assert chess.perft(depth, fen.strip(), hash=4096) == nodes, line
                assert sum(chess.divide(depth, fen.strip()).values()) == nodes, line
                checked += 1
    print(f"{suite}: {checked} counts")
    assert checked > 10


def test_moves_and_play_agree() -> None:
    for fen in positions()[:200]:
        uci, san = chess.moves(fen), chess.moves(fen, notation="san")
        assert len(uci) == len(set(uci)) == len(san) == chess.perft(1, fen)
        for one, other in zip(uci, san):
            assert chess.play(fen, [one]) == chess.play(fen, [other])


def test_facts_are_those_of_the_oracle() -> None:
    """The same facts by another program, on python-chess, in the fixtures."""
    with gzip.open(FIXTURES / "chess/fens/positions.facts.jsonl.gz", "rt") as lines:
        oracle = [json.loads(line) for line in lines]
    names = {"attacked": "attacked", "undefended": "undefended", "loose": "loose"}
    names |= {"pinned": "pinned", "relatively_pinned": "pinned_rel", "checkers": "checks"}
    names |= {"hanging_see": "hanging_see"}
    table = pyarrow.table(chess.facts([row["fen"] for row in oracle], names))
    checked = 0
    for ours, theirs in names.items():
        for color in ("white", "black"):
            found = table[f"{color}_{ours}"].to_pylist()
            for row, count in zip(oracle, found):
                listed = row[color[0]][theirs]
                # A pin is listed with its line; a piece pinned twice is one piece.
                squares = {item[1] if isinstance(item, list) else item for item in listed}
                assert count == len(squares), (row["fen"], color, ours)
                checked += 1
    print(f"{checked} facts of {len(oracle)} positions")
    assert checked > 10_000


def test_rows_keep_the_order_of_the_lines_over_many_batches() -> None:
    fens = positions()
    once, times = pyarrow.table(chess.facts(fens)), 300_000 // len(fens) + 1
    many = pyarrow.table(chess.facts(fens * times))
    assert many["game"].to_pylist() == list(range(1, times * len(fens) + 1))
    for name in ("fen", "zobrist", "white_material", "black_mobility"):
        assert many[name].to_pylist() == once[name].to_pylist() * times, name


def test_arrow_libraries_take_a_table() -> None:
    fens = positions()[:50]
    table = chess.facts(fens, "everything,masks,lists")
    by_pyarrow = pyarrow.table(table)
    by_polars = polars.DataFrame(table)
    by_pandas = pandas.DataFrame.from_arrow(table)
    assert by_pyarrow.schema.metadata[b"everyply.schema"] == b"chess.facts"
    assert len(table) == table.num_rows == 50
    for library in (by_pyarrow.column_names, by_polars.columns, list(by_pandas.columns)):
        assert library == table.column_names
    assert table.num_columns == len(table.column_names)
    for name in table.column_names:
        values = by_pyarrow[name].to_pylist()
        assert by_polars[name].to_list() == values, name
    assert by_pandas["white_pinned"].tolist() == by_pyarrow["white_pinned"].to_pylist()
    # A table can be read as often as one likes.
    assert pyarrow.table(table) == by_pyarrow


def test_a_table_shares_its_memory() -> None:
    table = chess.facts(positions()[:10], "material")
    first, second = (pyarrow.table(table)["white_material"].chunk(0) for _ in range(2))
    assert first.buffers()[1].address == second.buffers()[1].address


@pytest.mark.parametrize(
    "made",
    [
        tuple,
        iter,
        pyarrow.array,
        lambda fens: pyarrow.chunked_array([fens[:3], fens[3:]]),
        lambda fens: pyarrow.array(fens, pyarrow.large_string()),
        polars.Series,
        lambda fens: pandas.Series(fens, dtype="str"),
    ],
)
def test_lines_come_from_lists_and_from_arrow(made: Any) -> None:
    fens = positions()[:20]
    expected = pyarrow.table(chess.facts(fens))
    assert pyarrow.table(chess.facts(made(fens))) == expected


def test_no_lines_make_an_empty_table() -> None:
    table = chess.facts([])
    assert len(table) == 0
    assert pyarrow.table(table).num_rows == 0
    assert polars.DataFrame(table).columns == table.column_names


def test_epd_lines_are_read() -> None:
    table = chess.facts(["4k3/8/8/8/8/8/8/4K2R w K - bm O-O; id \"castle\";"])
    assert column(table, "fen") == ["4k3/8/8/8/8/8/8/4K2R w K - 0 1"]


def test_definitions_are_told_apart() -> None:
    fens = positions()
    std, literal = chess.facts(fens, "lines"), chess.facts(fens, "lines", definitions="literal")
    assert literal.metadata["everyply.definitions"] == "literal"
    assert sum(column(std, "white_backward")) > 0
    assert sum(column(literal, "white_backward")) == 0


def test_what_is_shown_of_a_table_names_it() -> None:
    shown = repr(chess.facts([START] * 20, "material"))
    assert shown.startswith("chess.facts: 20 rows, 7 columns\n")
    assert len(shown.splitlines()) == 10


# The types forbid most of these too.
untyped: Any = chess

ERRORS: list[tuple[Any, type[Exception], str]] = [
    (lambda: untyped.moves("8/8/8 w - - 0 1"), chess.FenError, "fen: 3 ranks, expected 8"),
    (lambda: untyped.perft(2, "x"), chess.FenError, "fen: "),
    (lambda: untyped.facts([START, KINGLESS]), chess.FenError, "fens[1]: white has no king"),
    (lambda: untyped.facts([START + ' id "x']), chess.EpdError, "fens[0]: operation id: text"),
    (lambda: untyped.facts([START], "materiel"), chess.UnknownFact, "facts: 'materiel' is neither"),
    (lambda: untyped.facts([START], ["pins", "x"]), chess.UnknownFact, "facts: 'x' is neither"),
    (lambda: untyped.facts([START], definitions="mine"), everyply.Error, "definitions: expected"),
    (lambda: untyped.facts(START), TypeError, "fens: one str, expected many"),
    (lambda: untyped.facts([START, 3]), TypeError, "fens[1]: <class 'int'>, expected str"),
    (lambda: untyped.facts(3), TypeError, "'int' object is not iterable"),
    (lambda: untyped.facts(pyarrow.array([START, None])), everyply.Error, "fens[1]: null"),
    (lambda: untyped.facts(pyarrow.array([1, 2])), TypeError, "fens: an Arrow array of Int64"),
    (lambda: untyped.play("start", ["e4", "e4"]), chess.SanError, "moves[1]: e4 is not a legal"),
    (lambda: untyped.moves(notation="lan"), everyply.Error, "notation 'lan', expected uci or san"),
    (lambda: untyped.perft(65), everyply.Error, "depth 65, expected at most 64"),
    (lambda: untyped.perft(-1), OverflowError, "depth"),
    (lambda: untyped.perft(1, hash=2**63), MemoryError, "hash: "),
    (lambda: untyped.divide(0), everyply.Error, "depth 0, expected at least 1"),
]


@pytest.mark.parametrize(("call", "kind", "words"), ERRORS)
def test_bad_input_is_named(call: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=re.escape(words)):
        call()


def test_exceptions_are_value_errors_with_a_common_base() -> None:
    for kind in (chess.FenError, chess.EpdError, chess.SanError, chess.UnknownFact):
        assert issubclass(kind, everyply.Error)
        assert kind.__module__ == "everyply.chess"
    assert issubclass(everyply.Error, ValueError)


def test_functions_and_errors_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(chess.perft)) is chess.perft
    error = pickle.loads(pickle.dumps(chess.FenError("x")))
    assert type(error) is chess.FenError
