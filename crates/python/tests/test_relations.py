"""everyply.relations against the bitboards, the perft suites, and rules of one's own."""

import pickle
import re
from collections import Counter
from typing import Any

import pandas
import polars
import pyarrow
import pytest

import everyply
from conftest import FIXTURES
from everyply import chess, relations

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
MATE = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"


def positions() -> list[str]:
    lines = (FIXTURES / "chess/fens/positions.tsv").read_text().splitlines()
    return [line.split("\t")[0] for line in lines]


def rows(table: everyply.Table) -> list[dict[str, Any]]:
    return list(pyarrow.table(table).to_pylist())


def test_legal_moves_are_those_of_the_bitboards() -> None:
    fens = positions()[:500]
    moves = rows(relations.legal_moves(fens))
    expected = [(fen, uci) for fen in fens for uci in sorted(chess.moves(fen))]
    assert [(row["fen"], row["uci"]) for row in moves] == expected
    for row in moves:
        letter = {"knight": "n"}.get(row["promotion"] or "", (row["promotion"] or "")[:1])
        assert row["uci"] == row["from"] + row["to"] + letter
    print(f"{len(moves)} moves of {len(fens)} positions")
    assert len(moves) > 10_000


@pytest.mark.parametrize("suite", ["perftsuite", "tricky", "chess960"])
def test_perft_is_that_of_the_suites(suite: str) -> None:
    checked = 0
    for line in (FIXTURES / f"chess/perft/{suite}.epd").read_text().splitlines()[:15]:
        fen, *counts = line.split(";")
        for count in counts:
            found = re.fullmatch(r"D(\d+) (\d+)", count.strip())
            assert found, line
            depth, nodes = int(found[1]), int(found[2])
            if nodes <= 2_000:
                assert relations.perft(depth, fen.strip()) == nodes, line
                checked += 1
    print(f"{suite}: {checked} counts")
    assert checked > 10


def test_a_timeline_has_every_way_and_merged_every_position() -> None:
    fens = [START, STALEMATE, "8/P7/8/8/8/4k3/8/4K3 w - - 0 1"]
    ways = rows(relations.timeline(fens, 3))
    plies = Counter((row["fen"], row["ply"]) for row in ways)
    for fen in fens:
        for ply in range(4):
            assert plies[fen, ply] == chess.perft(ply, fen), (fen, ply)
    for row in ways:
        assert row["position"] == chess.play(row["fen"], row["path"].split()), row
        assert row["parent"] == (" ".join(row["path"].split()[:-1]) if row["ply"] else None)
    merged = rows(relations.timeline(fens, 3, merge=True))

    def key(row: dict[str, Any]) -> tuple[str, int, str]:
        # Positions are equal although their clocks are not.
        return row["fen"], row["ply"], row["position"].rsplit(" ", 2)[0]

    found = {key(row): row["multiplicity"] for row in merged}
    assert len(found) == len(merged) < len(ways)
    assert found == Counter(map(key, ways))


def test_outcomes_are_those_of_the_bitboards() -> None:
    fens = [START, MATE, STALEMATE, *positions()[:300]]
    found = rows(relations.outcomes(fens))
    assert [row["fen"] for row in found] == fens
    checkers = pyarrow.table(chess.facts(fens, "checkers")).to_pylist()
    for row, facts in zip(found, checkers):
        moves = len(chess.moves(row["fen"]))
        checked = facts["white_checkers"] + facts["black_checkers"] > 0
        assert (row["legal_moves"], row["check"]) == (moves, checked), row["fen"]
        stuck = "checkmate" if checked else "stalemate"
        assert row["ending"] == (stuck if moves == 0 else None), row["fen"]
    assert [row["ending"] for row in found[:3]] == [None, "checkmate", "stalemate"]


def test_rows_do_not_depend_on_threads() -> None:
    fens = positions()[:100]
    once = relations.legal_moves(fens, threads=1)
    assert pyarrow.table(relations.legal_moves(fens, threads=3)) == pyarrow.table(once)


@pytest.mark.parametrize(
    "made",
    [
        tuple,
        iter,
        pyarrow.array,
        lambda fens: pyarrow.chunked_array([fens[:1], fens[1:]]),
        polars.Series,
        lambda fens: pyarrow.table({"fen": fens}),
        lambda fens: pyarrow.record_batch({"fen": fens}),
        lambda fens: polars.DataFrame({"fen": fens}),
        lambda fens: pandas.DataFrame({"fen": fens}),
    ],
)
def test_positions_come_from_lists_and_from_arrow(made: Any) -> None:
    fens = [MATE, START, STALEMATE, START]
    expected = rows(relations.outcomes(fens))
    assert len(expected) == 4
    assert rows(relations.outcomes(made(fens))) == expected


def test_columns_of_a_table_come_along() -> None:
    table = pyarrow.table({"id": [7, 8], "fen": [STALEMATE, "start"], "weight": [0.5, None]})
    found = [(row["id"], row["weight"], row["legal_moves"]) for row in rows(relations.outcomes(table))]
    assert found == [(7, 0.5, 0), (8, None, 20)]
    # One table of everyply's as the input of another.
    facts = chess.facts([MATE, START], "material")
    outcomes = rows(relations.outcomes(facts))
    assert [(row["game"], row["white_material"]) for row in outcomes] == [(1, 39), (2, 39)]
    assert [row["legal_moves"] for row in outcomes] == [0, 20]


def test_a_column_that_has_the_name_of_a_new_one_is_renamed() -> None:
    found = rows(relations.legal_moves(pyarrow.table({"fen": [START], "uci": [1]})))
    assert len(found) == 20
    assert {row["given_uci"] for row in found} == {1}
    assert "e2e4" in {row["uci"] for row in found}


def test_no_positions_make_an_empty_table() -> None:
    nothings: list[Any] = [[], pyarrow.table({"fen": pyarrow.array([], pyarrow.string())})]
    for nothing in nothings:
        assert rows(relations.legal_moves(nothing)) == []
        assert relations.timeline(nothing, 2).column_names[-1] == "position"


def test_rules_come_back_as_they_went() -> None:
    table = relations.rules("standard")
    assert table.metadata["everyply.schema"] == "chess.patterns"
    assert len(table) == 26
    libraries: list[Any] = [
        table,
        pyarrow.table(table),
        polars.DataFrame(table),
        pandas.DataFrame.from_arrow(table),
        # As a file that was read again may have it.
        polars.DataFrame(table).with_columns(
            polars.col("dy").cast(polars.Int64), polars.col("effects").replace("", None)
        ),
    ]
    for patterns in libraries:
        assert relations.perft(3, patterns=patterns) == 8902
    assert relations.perft(1, patterns=pyarrow.table(table).slice(0, 0)) == 0


def test_edited_rules_are_other_rules() -> None:
    steps = ["pawn first step", "pawn double step"]
    slow = polars.DataFrame(relations.rules()).filter(~polars.col("name").is_in(steps))
    assert relations.perft(1, patterns=slow) == 12
    moves = {row["uci"] for row in rows(relations.legal_moves(["start"], patterns=slow))}
    assert moves == {uci for uci in chess.moves() if not uci.endswith("4")}
    knights = "7k/8/8/8/4N3/8/8/K7 w - - 0 1"
    crowned = relations.legal_moves([knights], variant="crowned-knights")
    assert {row["uci"] for row in rows(crowned)} - set(chess.moves(knights)) == {
        f"e4{square}" for square in ("d3", "d4", "d5", "e3", "e5", "f3", "f4", "f5")
    }


def test_variants_castle_each_in_their_way() -> None:
    castles = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"
    for variant in ("standard", "chess960"):
        found = relations.legal_moves([castles], variant=variant)
        assert len(found) == len(chess.moves(castles)), variant


def broken(source: str) -> pyarrow.Table:
    patterns = rows(relations.rules())
    patterns[3]["source"] = source
    return pyarrow.Table.from_pylist(patterns)


# The types forbid most of these too.
untyped: Any = relations

ERRORS: list[tuple[Any, type[Exception], str]] = [
    (lambda: untyped.legal_moves([START, "x"]), chess.FenError, "positions[1]: "),
    (lambda: untyped.perft(2, "x"), chess.FenError, "fen: "),
    (lambda: untyped.legal_moves(START), TypeError, "positions: one str, expected many"),
    (lambda: untyped.outcomes(pyarrow.array(["start", None])), everyply.Error, "positions[1]: null"),
    (lambda: untyped.outcomes(pyarrow.table({"x": [1]})), everyply.Error, "no column fen"),
    (lambda: untyped.outcomes(pyarrow.table({"fen": [1]})), TypeError, "an Arrow array of Int64"),
    (lambda: untyped.timeline([START], 65), everyply.Error, "plies 65, expected at most 64"),
    (lambda: untyped.perft(65), everyply.Error, "depth 65, expected at most 64"),
    (lambda: untyped.perft(1, threads=0), everyply.Error, "threads 0, expected 1 to 4096"),
    (lambda: untyped.rules("x"), everyply.Error, "variant 'x', expected one of standard, chess960"),
    (lambda: untyped.perft(1, patterns=3), TypeError, "patterns: <class 'int'>, expected an Arrow"),
    (
        lambda: untyped.perft(1, patterns=pyarrow.table({"name": ["x"]})),
        everyply.Error,
        "patterns: no column source, expected name, source",
    ),
    (
        lambda: untyped.perft(1, patterns=broken("self camel")),
        relations.RulesError,
        "patterns[3]: column source: unknown word 'camel'",
    ),
]


@pytest.mark.parametrize(("call", "kind", "words"), ERRORS)
def test_bad_input_is_named(call: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=re.escape(words)):
        call()


def test_functions_and_errors_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(relations.perft)) is relations.perft
    assert type(pickle.loads(pickle.dumps(relations.RulesError("x")))) is relations.RulesError
