"""everyply.chess.Game: what python-chess reads in the same PGN, before and after edits."""

import gzip
import io
import pickle
from pathlib import Path
from typing import Any

import chess.pgn as oracle
import pyarrow as pa
import pytest

from conftest import FIXTURES
from everyply import Error, chess

SAMPLE = FIXTURES / "chess/pgn/lichess_438_games.pgn"
NESTED = """[Event "nested"]
[Site "?"]
[Result "1-0"]

{before} 1. e4 $1 {[%clk 0:05:00] best} ({instead} 1. d4 d5 (1... Nf6 $6 2. c4 {Indian}) 2. c4)
(1. c4) 1... e5 $2 $18 2. Nf3 {a} {b} Nc6 1-0
"""


def nodes(line: chess.Line) -> list[Any]:
    """A line as nested lists."""
    return [
        (node.move, sorted(node.nags), " ".join(node.comments), [nodes(one) for one in node.variations])
        for node in line.moves
    ]


def theirs(node: oracle.GameNode) -> list[Any]:
    """The main line after a node of python-chess, in the same form."""
    found: list[Any] = []
    while node.variations:
        main = node.variations[0]
        others = [[entry(other), *theirs(other)] for other in node.variations[1:]]
        found.append((*entry(main)[:3], others))
        node = main
    return found


def entry(node: oracle.ChildNode) -> tuple[str, list[int], str, list[Any]]:
    return node.san(), sorted(node.nags), " ".join(node.comment.split()), []


def compare(game: chess.Game, text: str) -> None:
    other = oracle.read_game(io.StringIO(text))
    assert other is not None and not other.errors
    assert nodes(game.line) == theirs(other)
    for name, value in game.tags.items():
        assert other.headers[name] == value
    assert game.result == other.headers["Result"]
    board = other.end().board()
    assert game.positions()[-1].fen == board.fen()


def test_games_of_the_sample_are_those_of_python_chess_and_come_back() -> None:
    table = pa.table(chess.games(SAMPLE)).to_pylist()
    games = list(chess.Game.read(SAMPLE))
    assert len(games) == len(table) == 438
    for game, row in list(zip(games, table))[::4]:
        text = game.pgn()
        compare(game, text)
        assert chess.Game.parse(text) == game
        assert (len(game.moves), game.ending) == (row["plies"], row["ending"])
        assert game.positions()[-1].fen == row["fen"]
    with SAMPLE.open() as file:
        for game in games[:50]:
            other = oracle.read_game(file)
            assert other is not None and nodes(game.line) == theirs(other)


def test_clocks_and_evaluations_are_those_of_the_table() -> None:
    rows = pa.table(chess.positions(SAMPLE, where="ply > 0")).to_pylist()
    found = [
        (number, ply, node.clock, node.eval)
        for number, game in enumerate(chess.Game.read(SAMPLE), 1)
        for ply, node in enumerate(game.line.moves, 1)
    ]
    assert found == [(row["game"], row["ply"], row["clock"], row["eval"]) for row in rows]
    assert any(clock for _, _, clock, _ in found)


def test_variations_comments_and_glyphs_are_read_edited_and_written() -> None:
    game = chess.Game.parse(NESTED)
    assert game.line.comments == ["before"]
    first = game.line.moves[0]
    assert (first.nags, first.comments, first.clock) == ([1], ["[%clk 0:05:00] best"], 300.0)
    assert [line.moves[0].move for line in first.variations] == ["d4", "c4"]
    assert first.variations[0].comments == ["instead"]
    assert first.variations[0].moves[1].variations[0].moves[1].comments == ["Indian"]
    assert chess.Game.parse(game.pgn()) == game
    assert pickle.loads(pickle.dumps(game)) == game

    game.tags["White"] = 'A "quoted" \\ name'
    del game.tags["Site"]
    first.clock = 3661.5
    assert first.comments == ["[%clk 1:01:01.5]", "best"]
    first.variations.pop()
    first.variations[0].moves[0].comments.append("with } a brace")
    game.line.moves[3].variations.append(chess.Line([chess.Node("g8f6"), chess.Node("Nxe5")]))
    game.play("f1b5")
    game.play(["a6", "Bxc6"])
    game.result = "*"
    text = game.pgn()
    again = chess.Game.parse(text)
    assert again.tags == game.tags
    assert again.moves == ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Bxc6"]
    assert again.line.moves[0] == first
    assert [node.move for node in again.line.moves[3].variations[0].moves] == ["Nf6", "Nxe5"]
    first.clock = None
    assert (first.clock, first.comments) == (None, ["best"])


def test_a_game_starts_from_any_position() -> None:
    position = chess.Position("7k/5Q2/6K1/8/8/8/8/8 w - - 10 50")
    game = chess.Game.from_position(position)
    assert game.tags == {"SetUp": "1", "FEN": position.fen} and game.start == position
    game.play("Qg7")
    assert game.ending == "checkmate"
    assert chess.Game.parse(game.pgn()).positions() == game.positions()
    assert chess.Game.from_position(chess.Position()) == chess.Game()
    shuffle = ["Nf3", "Nf6", "Ng1", "Ng8"]
    assert chess.Game(line=chess.Line([chess.Node(move) for move in shuffle * 3])).ending is None
    repeated = chess.Game(line=chess.Line([chess.Node(move) for move in shuffle * 4]))
    assert repeated.ending == "fivefold_repetition"


def test_a_bad_game_raises_and_the_next_is_read(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn.gz"
    text = '[White "A"]\n\n1. e4 *\n\n[White "B"]\n\n1. e5 *\n\n[White "C"]\n\n1. d4 *\n'
    path.write_bytes(gzip.compress(text.encode()))
    games = chess.Game.read([path, path])
    assert next(games).tags == {"White": "A"}
    with pytest.raises(chess.RecordError, match=r"games\.pgn\.gz: game 2, line 7: e5 is not"):
        next(games)
    assert next(games).tags == {"White": "C"}
    assert next(games).tags == {"White": "A"}
    path.write_bytes(gzip.compress(text.replace("e5", "c4").encode())[:-12])
    with pytest.raises(chess.RecordError, match="truncated gzip"):
        list(chess.Game.read(path))
    with pytest.raises(chess.RecordError, match="no such file"):
        chess.Game.read(tmp_path / "none.pgn")


def test_what_is_wrong_is_named_with_its_place() -> None:
    with pytest.raises(chess.PgnError, match="game 1, line 1: e5 is not a legal move here"):
        chess.Game.parse("1. e5 *")
    with pytest.raises(Error, match="the text has no game"):
        chess.Game.parse(" \n")
    with pytest.raises(Error, match="the text has several games, expected one"):
        chess.Game.parse("1. e4 *\n\n1. d4 *")
    game = chess.Game.parse(NESTED)
    game.line.moves[0].variations[0].moves[1].move = "d6d5"
    place = r"line\.moves\[0\]\.variations\[0\]\.moves\[1\]: "
    with pytest.raises(chess.SanError, match=place):
        game.pgn()
    with pytest.raises(chess.SanError, match="move: Ke5 is not a legal move"):
        game.play(["d4", "Ke5"])
    assert len(game.moves) == 4, "nothing was added"
    with pytest.raises(Error, match="result '2-0', expected 1-0, 0-1, 1/2-1/2 or"):
        chess.Game(result="2-0").pgn()
    with pytest.raises(chess.FenError, match=r"tags\['FEN'\]: "):
        chess.Game({"FEN": "8/8 w"}).pgn()
    with pytest.raises(Error, match="nag 256, expected 0 to 255"):
        chess.Game(line=chess.Line([chess.Node("e4", [256])])).pgn()
    circle = chess.Line([chess.Node("e4")])
    circle.moves[0].variations.append(circle)
    with pytest.raises(Error, match="variations nested more than 64 deep"):
        chess.Game(line=circle).pgn()
