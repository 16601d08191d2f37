"""Checks, mates, attack maps, x-rays and pins of random positions, next to python-chess."""

import json
import random
import subprocess
from collections.abc import Iterator
from typing import Any

import chess

from conftest import COMMAND, SLOW

SEED = 15
POSITIONS = 20_000 if SLOW else 400
FACTS = "checking_moves,mating_moves,checks,mates,attack_map,xray_defenses,xray_defense_lines,pins"


def boards() -> Iterator[chess.Board]:
    """Positions of games in which every legal move is as likely as every other."""
    chance = random.Random(SEED)
    found = 0
    while True:
        board = chess.Board()
        while not board.is_game_over():
            board.push(chance.choice(list(board.legal_moves)))
            if chance.random() < 0.2:
                yield board.copy(stack=False)
                found += 1
                if found == POSITIONS:
                    return


def facts(fens: list[str]) -> list[dict[str, Any]]:
    sides = [f"{side}_{name}" for side in ("white", "black") for name in FACTS.split(",")]
    sides += [f"{side}_mating_moves" for side in ("mover", "opponent")]
    command = [str(COMMAND), "chess", "facts", "-", "--facts", ",".join(sides)]
    command += ["--format", "jsonl"]
    run = subprocess.run(command, input="\n".join(fens), capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def name(board: chess.Board, square: chess.Square) -> str:
    kind = board.piece_type_at(square)
    assert kind
    return chess.piece_name(kind)


def checks(board: chess.Board, color: chess.Color) -> list[dict[str, Any]]:
    """The moves of a side that give check, as if it were its turn."""
    turned = board.copy(stack=False)
    if board.turn != color:
        if board.is_check():
            return []
        turned.push(chess.Move.null())
    found = []
    for move in turned.legal_moves:
        if not turned.gives_check(move):
            continue
        captured = None
        if turned.is_capture(move):
            captured = "pawn" if turned.is_en_passant(move) else name(turned, move.to_square)
        san = turned.san(move)
        found.append(
            {
                "uci": turned.uci(move),
                "san": san,
                "piece": name(turned, move.from_square),
                "from": chess.square_name(move.from_square),
                "to": chess.square_name(move.to_square),
                "captured": captured,
                "promotion": chess.piece_name(move.promotion) if move.promotion else None,
            }
        )
    return sorted(found, key=lambda row: row["uci"])


def attack_map(board: chess.Board, color: chess.Color) -> list[dict[str, Any]]:
    rows = []
    for square in chess.SQUARES:
        attackers = sorted(board.attackers(color, square))
        if attackers:
            rows.append(
                {
                    "square": chess.square_name(square),
                    "attackers": " ".join(map(chess.square_name, attackers)),
                    "attacker_pieces": " ".join(name(board, one) for one in attackers),
                    "count": len(attackers),
                }
            )
    return rows


def line(board: chess.Board, squares: tuple[int, int, int]) -> dict[str, str]:
    row = {}
    for role, square in zip(("slider", "front", "back"), squares):
        row[role] = chess.square_name(square)
        row[f"{role}_piece"] = name(board, square)
    return row


def slides(board: chess.Board, slider: chess.Square, target: chess.Square) -> bool:
    """Whether a slider would attack a square on an empty board."""
    kind = board.piece_type_at(slider)
    files = abs(chess.square_file(slider) - chess.square_file(target))
    ranks = abs(chess.square_rank(slider) - chess.square_rank(target))
    straight, diagonal = (files == 0) != (ranks == 0), files == ranks and files > 0
    return {
        chess.ROOK: straight,
        chess.BISHOP: diagonal,
        chess.QUEEN: straight or diagonal,
    }.get(kind or 0, False)


def defenses(board: chess.Board, color: chess.Color) -> list[dict[str, str]]:
    own = chess.SquareSet(board.occupied_co[color])
    rows = []
    for slider in own:
        for back in own - chess.SquareSet(board.kings):
            between = chess.SquareSet(chess.between(slider, back)) & board.occupied
            if slides(board, slider, back) and len(between) == 1:
                rows.append(line(board, (slider, between.pop(), back)))
    return rows


def pins(board: chess.Board, color: chess.Color) -> list[dict[str, str]]:
    king = board.king(color)
    assert king is not None
    rows = []
    for front in chess.SquareSet(board.occupied_co[color]):
        if front != king and board.is_pinned(color, front):
            ray = board.pin(color, front) & board.occupied_co[not color]
            behind = [
                slider
                for slider in ray
                if slides(board, slider, king)
                and chess.SquareSet(chess.between(slider, king)) & board.occupied
                == chess.SquareSet([front])
            ]
            rows.append(line(board, (behind[0], front, king)))
    return rows


def ordered(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


def test_facts_of_random_positions_are_those_of_python_chess() -> None:
    not_run = "" if SLOW else "; 20000 not run (EVERYPLY_SLOW=1)"
    print(f"seed {SEED}, {POSITIONS} positions{not_run}")
    found = list(boards())
    rows = facts([board.fen() for board in found])
    assert len(rows) == len(found) == POSITIONS
    mates = 0
    for board, row in zip(found, rows):
        for side, color in [("white", chess.WHITE), ("black", chess.BLACK)]:
            expected = checks(board, color)
            mating = [move for move in expected if move["san"].endswith("#")]
            assert ordered(row[f"{side}_checks"]) == ordered(expected), board.fen()
            assert ordered(row[f"{side}_mates"]) == ordered(mating), board.fen()
            assert row[f"{side}_checking_moves"] == len(expected)
            assert row[f"{side}_mating_moves"] == len(mating)
            whose = "mover" if board.turn == color else "opponent"
            assert row[f"{whose}_mating_moves"] == len(mating)
            mates += len(mating)
            assert ordered(row[f"{side}_attack_map"]) == ordered(attack_map(board, color))
            lines = defenses(board, color)
            assert ordered(row[f"{side}_xray_defense_lines"]) == ordered(lines), board.fen()
            assert row[f"{side}_xray_defenses"] == len(lines)
            assert ordered(row[f"{side}_pins"]) == ordered(pins(board, color)), board.fen()
    print(f"{mates} mating moves")
    assert mates > POSITIONS / 200
