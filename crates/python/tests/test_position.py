"""everyply.chess.Position against python-chess, and as a value of Python."""

import pickle
import random
from xml.etree import ElementTree

import chess as oracle
import pyarrow as pa
import pytest

from conftest import FIXTURES, SLOW
from everyply import Error, chess

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
SEED = 7
GAMES = 300 if SLOW else 30


def fens(name: str) -> list[str]:
    lines = (FIXTURES / f"chess/perft/{name}.epd").read_text().splitlines()
    return [line.split(";")[0].strip() for line in lines if line.strip()]


def compare(position: chess.Position, board: oracle.Board) -> None:
    assert sorted(position.moves()) == sorted(board.uci(move) for move in board.legal_moves)
    sans = {board.san(move) for move in board.legal_moves}
    assert set(position.moves(notation="san")) == sans, board.fen()
    for move in board.legal_moves:
        uci, san = board.uci(move), board.san(move)
        assert (position.uci(san), position.san(uci)) == (uci, san)
    assert position.turn == ("white" if board.turn else "black")
    assert position.check == board.is_check()
    assert position.checkers == [oracle.square_name(square) for square in board.checkers()]
    assert position.pieces == {
        oracle.square_name(square): piece.symbol() for square, piece in board.piece_map().items()
    }
    for square in oracle.SQUARES:
        for name, color in [("white", oracle.WHITE), ("black", oracle.BLACK)]:
            expected = [oracle.square_name(one) for one in board.attackers(color, square)]
            found = position.attackers(oracle.square_name(square), by=name)  # type: ignore[arg-type]
            assert found == expected
    outcome = board.outcome()
    expected_ending = outcome.termination.name.lower() if outcome else None
    assert position.ending == {"seventyfive_moves": "seventy_five_moves"}.get(
        expected_ending or "", expected_ending
    )


@pytest.mark.parametrize("suite", ["tricky", "chess960"])
def test_positions_are_those_of_python_chess(suite: str) -> None:
    checked = fens(suite)[:: 1 if SLOW else 8]
    for fen in checked:
        position = chess.Position(fen)
        board = oracle.Board(fen, chess960=position.to_board().chess960)
        compare(position, board)
        assert chess.Position.from_board(board) == position
        assert chess.Position.from_board(position.to_board()) == position
    print(f"{suite}: {len(checked)} positions")


def test_random_games_are_those_of_python_chess() -> None:
    print(f"seed {SEED}, {GAMES} games" + ("" if SLOW else "; 300 not run (EVERYPLY_SLOW=1)"))
    choose = random.Random(SEED)
    plies = 0
    for _ in range(GAMES):
        board, position = oracle.Board(), chess.Position()
        for ply in range(200):
            if ply % 8 == 0:
                compare(position, board)
            if position.ending or board.is_game_over():
                compare(position, board)
                break
            move = choose.choice(list(board.legal_moves))
            notation = board.san(move) if ply % 2 else move.uci()
            board.push(move)
            position = position.play(notation)
            assert position.fen == board.fen()
            assert (position.halfmoves, position.fullmoves) == (
                board.halfmove_clock,
                board.fullmove_number,
            )
            plies += 1
        assert position.to_board().fen() == board.fen()
        assert chess.Position.from_board(board) == position
    assert plies > 1000


def test_facts_are_those_of_the_table_and_are_kept() -> None:
    lines = fens("tricky")
    rows = pa.table(chess.facts(lines, "everything,masks,lists")).to_pylist()
    for fen, row in zip(lines, rows):
        position = chess.Position(fen)
        for key in ["source", "game", "ply", "fen"]:
            row.pop(key)
        assert row.pop("zobrist") == position.zobrist
        assert dict(position.facts) == row
        assert position.facts is position.facts
        with pytest.raises(TypeError):
            position.facts["white_pins"] = []  # type: ignore[index]


def test_a_position_is_a_value() -> None:
    position = chess.Position()
    assert position == chess.Position(START) and hash(position) == hash(chess.Position(START))
    assert position != START
    assert position.play("e4") != position
    assert position.play(["e4", "e7e5"]) == position.play("e2e4").play("e5")
    assert position.play([]) == position
    assert pickle.loads(pickle.dumps(position)) == position
    other = chess.Position("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1")
    assert pickle.loads(pickle.dumps(other)) == other
    assert other.to_board().chess960
    assert repr(position) == f"Position('{START}')"
    assert str(position).splitlines()[0].startswith("8 ♜ ♞")
    assert position.en_passant is None
    assert chess.Position().play(["e4", "a6", "e5", "d5"]).en_passant == "d6"


def test_a_picture_shows_what_is_asked_for() -> None:
    position = chess.Position()
    plain = position.svg()
    assert plain == position._repr_svg_()
    pictures = {
        plain,
        position.svg(viewpoint="black"),
        position.svg(lit=["e2", "e4"]),
        position.svg(dots=["e3"]),
        position.svg(arrows=["e2e4"]),
    }
    assert len(pictures) == 5
    for picture in pictures:
        assert ElementTree.fromstring(picture).tag.endswith("svg")


def test_bad_arguments_are_named() -> None:
    position = chess.Position()
    with pytest.raises(chess.FenError, match="fen: 3 ranks, expected 8"):
        chess.Position("8/8/8 w - - 0 1")
    with pytest.raises(chess.SanError, match="move: e5 is not a legal move"):
        position.play("e5")
    with pytest.raises(chess.SanError, match=r"moves\[1\]: e4 is not a legal move"):
        position.play(["e4", "e4"])
    with pytest.raises(chess.SanError):
        position.san("e2e5")
    assert not position.is_legal("e5") and position.is_legal("e4") and position.is_legal("g1f3")
    with pytest.raises(Error, match="square: 'e9' is not a square"):
        position.attackers("e9")
    with pytest.raises(Error, match="by 'red', expected white or black"):
        position.attackers("e4", by="red")  # type: ignore[arg-type]
    with pytest.raises(Error, match="arrows: 'e2' is not two squares|arrows: '' is not a square"):
        position.svg(arrows=["e2"])
    with pytest.raises(Error, match="notation 'lan', expected uci or san"):
        position.moves(notation="lan")  # type: ignore[arg-type]
