"""Every question of docs/questions.md, answered once more by loops over python-chess."""

import json
import re
import subprocess
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest

from conftest import COMMAND, FIXTURES, ROOT

PGN = FIXTURES / "chess/pgn/lichess_438_games.pgn"
PAGE = ROOT / "docs/questions.md"
VALUES = {1: 1, 2: 3, 3: 3, 4: 5, 5: 9, 6: 100}
Row = dict[str, Any]


@dataclass
class Place:
    """A position of a game, and the move that was played there."""

    game: int
    ply: int
    board: chess.Board
    move: chess.Move | None
    san: str | None
    key: str
    is_third: bool


@dataclass
class Game:
    number: int
    tags: dict[str, str]
    places: list[Place]

    @property
    def last(self) -> chess.Board:
        return self.places[-1].board

    @property
    def result(self) -> str:
        return self.tags["Result"]

    @property
    def ending(self) -> str | None:
        outcome = self.last.outcome()
        return outcome.termination.name.lower() if outcome else None

    def elo(self, color: chess.Color) -> int:
        return int(self.tags["WhiteElo" if color else "BlackElo"])


def read() -> list[Game]:
    games: list[Game] = []
    with PGN.open() as text:
        while (game := chess.pgn.read_game(text)) is not None:
            board, number = game.board(), len(games) + 1
            places: list[Place] = []
            for move in [*game.mainline_moves(), None]:
                san = board.san(move) if move else None
                key = board.epd(en_passant="legal")
                now, is_third = board.copy(stack=False), board.is_repetition(3)
                places.append(Place(number, len(places), now, move, san, key, is_third))
                if move:
                    board.push(move)
            games.append(Game(number, dict(game.headers), places))
    return games


GAMES = read()
PLACES = [place for game in GAMES for place in game.places]
MOVED = [place for place in PLACES if place.move]


def share(part: float, whole: int, digits: int) -> float:
    return round(part / whole, digits)


def material(board: chess.Board, color: chess.Color) -> int:
    return sum(VALUES[kind] * len(board.pieces(kind, color)) for kind in range(1, 6))


def mates(board: chess.Board) -> list[chess.Move]:
    found = []
    for move in board.legal_moves:
        if board.gives_check(move):
            board.push(move)
            if board.is_checkmate():
                found.append(move)
            board.pop()
    return found


MATES = {(place.game, place.ply): mates(place.board.copy(stack=False)) for place in MOVED}


def endings() -> list[Row]:
    counts = Counter((game.ending, game.result) for game in GAMES)
    rows = [{"ending": e, "result": r, "games": n} for (e, r), n in counts.items()]
    return sorted(rows, key=lambda row: (-row["games"], row["result"]))


def first_moves() -> list[Row]:
    scores = defaultdict(list)
    for game in GAMES:
        if game.places[0].san:
            score = {"1-0": 1.0, "0-1": 0.0}.get(game.result, 0.5)
            scores[game.places[0].san].append(score)
    rows = [
        {"san": san, "games": len(all), "score": round(100 * sum(all) / len(all), 1)}
        for san, all in scores.items()
        if len(all) >= 10
    ]
    return sorted(rows, key=lambda row: (-row["score"], row["san"]))


def underpromotions() -> list[Row]:
    return [
        {"game": place.game, "ply": place.ply, "san": place.san}
        for place in MOVED
        if place.move and place.move.promotion not in (None, chess.QUEEN)
    ]


def en_passant() -> list[Row]:
    return [{"captures": sum(p.board.is_en_passant(p.move) for p in MOVED if p.move)}]


def missed(places: list[Place]) -> tuple[int, int]:
    chances = [place for place in places if MATES[place.game, place.ply]]
    return len(chances), sum(p.move not in MATES[p.game, p.ply] for p in chances)


def missed_mates() -> list[Row]:
    chances, count = missed(MOVED)
    return [{"chances": chances, "missed": count}]


def missed_mates_by_rating() -> list[Row]:
    by_rating = defaultdict(list)
    for place in MOVED:
        elo = GAMES[place.game - 1].elo(place.board.turn)
        if MATES[place.game, place.ply]:
            by_rating[elo // 400 * 400].append(place)
    rows = []
    for rating, places in sorted(by_rating.items()):
        chances, count = missed(places)
        rows.append({"rating": rating, "chances": chances, "missed": count})
    return rows


def mating_pieces() -> list[Row]:
    counts: Counter[str] = Counter()
    for game in GAMES:
        if game.ending == "checkmate":
            before = game.places[-2]
            assert before.move
            counts[chess.piece_name(kind(before.board, before.move.from_square))] += 1
    best = sorted(counts.items(), key=lambda x: (-x[1], x[0]))
    return [{"piece": piece, "mates": count} for piece, count in best]


def mated_kings() -> list[Row]:
    counts: Counter[str] = Counter()
    for game in GAMES:
        if game.ending == "checkmate":
            king = game.last.king(game.last.turn)
            assert king is not None
            counts[chess.square_name(king)] += 1
    best = sorted(counts.items(), key=lambda x: (-x[1], x[0]))[:5]
    return [{"square": square, "games": count} for square, count in best]


def sacrifices() -> list[Row]:
    rows = []
    for game in GAMES:
        if game.ending != "checkmate":
            continue
        last = len(game.places) - 1
        winner = not game.last.turn
        for place in game.places:
            if place.board.turn != winner or last - place.ply > 9 or place.ply + 2 > last:
                continue

            def ahead(ply: int) -> int:
                board = game.places[ply].board
                return material(board, winner) - material(board, not winner)

            stays = place.ply + 4 > last or ahead(place.ply) - ahead(place.ply + 4) >= 3
            if ahead(place.ply) - ahead(place.ply + 2) >= 3 and stays:
                moves = (last - place.ply + 1) // 2
                rows.append(
                    {"game": game.number, "ply": place.ply, "san": place.san, "moves": moves}
                )
    return rows[:10]


def lines(board: chess.Board) -> list[tuple[chess.Color, int, int, int]]:
    """A slider, the first enemy piece it meets and the next one behind, both of one side."""
    found = []
    for color in chess.COLORS:
        sliders = board.pieces(3, color) | board.pieces(4, color) | board.pieces(5, color)
        for slider in sliders:
            attacks = board.attacks(slider)
            for front in attacks & board.occupied_co[not color]:
                ray = chess.SquareSet(chess.ray(slider, front)) - chess.SquareSet([slider, front])
                behind = [
                    back
                    for back in ray & board.occupied
                    if front in chess.SquareSet(chess.between(slider, back))
                    and len(chess.SquareSet(chess.between(slider, back)) & board.occupied) == 1
                ]
                for back in behind:
                    if board.color_at(back) != color:
                        found.append((not color, slider, front, back))
    return found


LINES = [(place, line) for place in PLACES for line in lines(place.board)]


def kind(board: chess.Board, square: int) -> int:
    found = board.piece_type_at(square)
    assert found
    return found


def pinned_to_queens() -> list[Row]:
    counts: Counter[tuple[str, str]] = Counter()
    for place, (_, slider, front, back) in LINES:
        board = place.board
        if kind(board, back) == chess.QUEEN and VALUES[kind(board, front)] < 9:
            counts[chess.piece_name(kind(board, front)), chess.piece_name(kind(board, slider))] += 1
    best = sorted(counts.items(), key=lambda x: (-x[1], x[0]))[:5]
    return [{"piece": piece, "pinned_by": by, "pins": n} for (piece, by), n in best]


def longest_skewer() -> list[Row]:
    found = []
    for place, (_, slider, front, back) in LINES:
        fore, aft = kind(place.board, front), kind(place.board, back)
        if VALUES[fore] > VALUES[aft] > 1:
            steps = chess.square_distance(slider, back)
            names = [chess.square_name(square) for square in (slider, front, back)]
            key = (-steps, place.game, place.ply, names[0], names[2])
            found.append((key, place, names, fore, aft, steps))
    _, place, names, fore, aft, steps = min(found, key=lambda one: one[0])
    row: Row = {"game": place.game, "ply": place.ply, "steps": steps}
    row |= dict(zip(("slider", "front", "back"), names))
    return [row | {"front_piece": chess.piece_name(fore), "back_piece": chess.piece_name(aft)}]


def swapped_off(board: chess.Board, square: int, color: chess.Color) -> int:
    """What a side gains by captures on a square, the least valuable piece first."""
    victim = board.piece_type_at(square)
    attackers = board.attackers(color, square)
    if not victim or not attackers:
        return 0
    first = min(attackers, key=lambda one: (VALUES[kind(board, one)], one))
    after = board.copy(stack=False)
    piece = after.remove_piece_at(first)
    after.set_piece_at(square, piece)
    if kind(board, first) == chess.KING and after.attackers(not color, square):
        return 0
    return max(0, VALUES[victim] - swapped_off(after, square, not color))


def missed_forks() -> list[Row]:
    chances: Counter[bool] = Counter()
    failed: Counter[bool] = Counter()
    for place in MOVED:
        board = place.board
        enemy = not board.turn
        forks = []
        for move in board.legal_moves:
            if board.piece_type_at(move.from_square) != chess.KNIGHT:
                continue
            seen = chess.SquareSet(chess.BB_KNIGHT_ATTACKS[move.to_square])
            king, queens = board.pieces(chess.KING, enemy), board.pieces(chess.QUEEN, enemy)
            if seen & king and seen & queens:
                after = board.copy(stack=False)
                after.push(move)
                if swapped_off(after, move.to_square, enemy) == 0:
                    forks.append(move)
        if forks:
            strong = GAMES[place.game - 1].elo(board.turn) >= 1800
            chances[strong] += 1
            failed[strong] += place.move not in forks
    return [
        {"strong": strong, "chances": chances[strong], "missed": failed[strong]}
        for strong in sorted(chances)
    ]


def transpositions() -> list[Row]:
    openings = defaultdict(set)
    for place in PLACES:
        if 1 <= place.ply <= 20:
            openings[place.key].add(GAMES[place.game - 1].tags.get("ECO", "?")[0])
    return [{"transpositions": sum({"C", "D"} <= kinds for kinds in openings.values())}]


def frequent_positions() -> list[Row]:
    groups = defaultdict(list)
    for place in PLACES:
        if place.ply == 10:
            groups[place.key].append(place.board.fen(en_passant="legal"))
    rows: list[Row] = [{"games": len(fens), "fen": min(fens)} for fens in groups.values()]
    return sorted(rows, key=lambda row: (-row["games"], row["fen"]))[:3]


def opposite_castling() -> list[Row]:
    groups = defaultdict(list)
    for game in GAMES:
        sides = defaultdict(set)
        for place in game.places:
            if place.move and place.board.is_castling(place.move):
                sides[place.board.turn].add(place.board.is_kingside_castling(place.move))
        opposite = any(
            short in sides[True] and (not short) in sides[False] for short in (True, False)
        )
        if game.places[0].move:
            groups[opposite].append(game)
    rows = []
    for opposite, games in sorted(groups.items()):
        plies = sum(len(game.places) - 1 for game in games)
        mated = sum(game.ending == "checkmate" for game in games)
        average = share(plies, len(games), 1)
        rows.append({"opposite": opposite, "games": len(games), "mates": mated, "plies": average})
    return rows


def repetitions() -> list[Row]:
    rows = []
    for game in GAMES:
        for place in game.places:
            if place.is_third:
                rows.append({"game": game.number, "ply": place.ply, "result": game.result})
                break
    return rows


def quiet_plies() -> list[Row]:
    rows = [
        {"game": game.number, "plies": max(place.board.halfmove_clock for place in game.places)}
        for game in GAMES
    ]
    return sorted(rows, key=lambda row: (-row["plies"], row["game"]))[:3]


def last_material() -> list[Row]:
    counts: Counter[str] = Counter()
    for game in GAMES:
        if len(game.last.piece_map()) <= 4:
            sides = []
            for color in (chess.WHITE, chess.BLACK):
                letters = [
                    chess.piece_symbol(one).upper() * len(game.last.pieces(one, color))
                    for one in (6, 5, 4, 3, 2, 1)
                ]
                sides.append("".join(letters))
            counts["v".join(sides)] += 1
    best = sorted(counts.items(), key=lambda x: (-x[1], x[0]))
    return [{"material": text, "games": count} for text, count in best]


def fianchettos() -> list[Row]:
    wanted = {"g3": "P", "f2": "P", "g2": "B", "h2": "P", "f1": "R", "g1": "K", "h1": None}

    def is_behind(board: chess.Board) -> bool:
        for square, symbol in wanted.items():
            piece = board.piece_at(chess.parse_square(square))
            if (piece.symbol() if piece else None) != symbol:
                return False
        return True

    return [{"games": len({place.game for place in PLACES if is_behind(place.board)})}]


def isolated_pawns() -> list[Row]:
    counts: Counter[str] = Counter()
    for game in GAMES:
        if len(game.places) <= 30:
            continue
        pawns = game.places[30].board.pieces(chess.PAWN, chess.WHITE)
        beside = chess.SquareSet(chess.BB_FILE_C | chess.BB_FILE_E)
        if chess.D4 in pawns and not pawns & beside:
            counts[game.result] += 1
    return [{"result": result, "games": count} for result, count in sorted(counts.items())]


def double_checks() -> list[Row]:
    boards = [place.board for place in PLACES if len(place.board.checkers()) >= 2]
    return [{"double_checks": len(boards), "mates": sum(b.is_checkmate() for b in boards)}]


def freest() -> list[Row]:
    place = min(PLACES, key=lambda one: (-one.board.legal_moves.count(), one.game, one.ply))
    count, fen = place.board.legal_moves.count(), place.board.fen(en_passant="legal")
    return [{"game": place.game, "ply": place.ply, "legal_moves": count, "fen": fen}]


def stalemates() -> list[Row]:
    rows = []
    for game in GAMES:
        if game.ending == "stalemate":
            before = game.places[-2]
            others = before.board.legal_moves.count() - 1
            rows.append({"game": game.number, "san": before.san, "others": others})
    return rows


ANSWERS: dict[str, Callable[[], list[Row]]] = {
    "How do the games end?": endings,
    "Which first moves score best?": first_moves,
    "Which underpromotions were played?": underpromotions,
    "How many captures were en passant?": en_passant,
    "How often was a mate in one missed?": missed_mates,
    "Who misses mates in one?": missed_mates_by_rating,
    "Which piece gives mate?": mating_pieces,
    "Where are kings mated?": mated_kings,
    "Which games were won by a sacrifice and a mate within five moves?": sacrifices,
    "Which pieces are pinned to their queen?": pinned_to_queens,
    "What is the longest skewer?": longest_skewer,
    "Who misses forks of king and queen?": missed_forks,
    "How many positions arise from two openings?": transpositions,
    "Which positions are reached by most games?": frequent_positions,
    "What happens after castling on opposite sides?": opposite_castling,
    "In which games did a position occur three times?": repetitions,
    "How long can a game go without a capture or a pawn move?": quiet_plies,
    "Which material is left at the end?": last_material,
    "How often did White castle behind a fianchetto?": fianchettos,
    "Who wins with an isolated queen's pawn?": isolated_pawns,
    "How many double checks were given?": double_checks,
    "Which position offers the most moves?": freest,
    "Were there stalemates that a better move avoids?": stalemates,
}


def sections() -> dict[str, list[str]]:
    """The commands of the page, by the heading above them."""
    found: dict[str, list[str]] = {}
    for part in re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE):
        heading, _, text = part.partition("\n")
        found[heading] = re.findall(r"^\$ everyply (.*)$", text, flags=re.MULTILINE)
    return found


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the files that the page makes first."""
    directory = tmp_path_factory.mktemp("questions")
    (directory / "games.pgn").write_bytes(PGN.read_bytes())
    for command in sections()["The files"]:
        subprocess.run(f"'{COMMAND}' {command}", shell=True, check=True, cwd=directory)
    return directory


@pytest.mark.parametrize("question", ANSWERS)
def test_the_answer_is_that_of_a_loop(question: str, directory: Path) -> None:
    (command,) = sections()[question]
    start = time.perf_counter()
    run = subprocess.run(
        f"'{COMMAND}' {command} --format jsonl",
        shell=True,
        check=True,
        capture_output=True,
        text=True,
        cwd=directory,
    )
    seconds = time.perf_counter() - start
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    assert rows == ANSWERS[question]()
    print(f"{seconds:.2f} s")


def test_every_question_of_the_page_is_compared() -> None:
    asked = [heading for heading, commands in sections().items() if commands]
    assert asked == ["The files", *ANSWERS]
    assert len(ANSWERS) >= 20
