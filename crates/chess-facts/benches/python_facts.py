"""Ours next to Python on python-chess: the same facts, and the time for them.

Run by `cargo xtask bench facts`, which installs python-chess in an environment of its own. Two
Python versions are timed. The one here goes once over the pieces and asks python-chess for attackers,
attacks and rays, as its users do; what comes after the line facts it takes from the other one, so
that nothing is made and unmade. The other one, python_tuned.py, knows the tables inside
python-chess. Exits with an error if a fact of any position differs; the times are only printed.
"""

import pathlib
import subprocess
import sys
import time

import chess
from chess import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, SquareSet

sys.dont_write_bytecode = True
import python_tuned as tuned  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
POSITIONS = ROOT / "fixtures/chess/fens/positions.tsv"
BENCH = ["cargo", "bench", "--quiet", "-p", "everyply-chess-facts", "--bench", "facts", "--"]
VALUES = {PAWN: 1, KNIGHT: 3, BISHOP: 3, ROOK: 5, QUEEN: 9, KING: 100}


def main():
    fens = [line.split("\t")[0] for line in POSITIONS.read_text().splitlines()]
    boards = [chess.Board(fen, chess960=True) for fen in fens]
    ours = dict(line.split() for line in bench("times").splitlines())
    failures = []
    for level in ("lines", "everything"):
        expected = bench("facts", level).splitlines()
        us = float(ours[level])
        print(f"{level:<20} {us:8.1f} ns a position")
        for name, version in (("one pass", facts), ("tuned", tuned.facts)):
            found = [words(version(board, level == "everything")) for board in boards]
            failures += compare(fens, found, expected)
            them = measure(version, boards, level == "everything")
            print(
                f"  Python, {name:<10} {them:8.0f} ns a position, "
                f"{1e9 / them:.0f} positions/s, ratio {them / us:.0f}"
            )
    for failure in failures[:5]:
        print(f"error: {failure}", file=sys.stderr)
    sys.exit(1 if failures else 0)


def measure(version, boards, everything):
    """Nanoseconds of CPU time per position, best of three."""
    times = []
    for _ in range(3):
        start = time.process_time()
        for board in boards:
            version(board, everything)
        times.append(time.process_time() - start)
    return min(times) / len(boards) * 1e9


def bench(*arguments):
    """What our bench prints when asked for one thing."""
    run = subprocess.run([*BENCH, *arguments], cwd=ROOT, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"error: {' '.join(run.args)}\n{run.stderr}")
    return run.stdout


def compare(fens, found, expected):
    """What differs, fact by fact."""
    if len(found) != len(expected):
        return [f"{len(expected)} positions, expected {len(found)}"]
    failures = []
    for fen, us, them in zip(fens, expected, found):
        if us != them:
            pairs = [pair for pair in zip(us.split(), them.split()) if pair[0] != pair[1]]
            failures.append(f"{fen}: ours and Python's: {pairs}")
    return failures


def words(found):
    """The facts as our bench prints them."""
    parts = []
    for group in found:
        for name, value in group.items():
            if isinstance(value, list):
                value = LISTS[name](value)
            parts.append(f"{name}={value:x}")
    return " ".join(parts)


def fold(mask):
    return mask >> 32 ^ mask & 0xFFFF_FFFF


def sum_lines(lines):
    return sum((a << 12 | b << 6 | c) ** 2 for a, b, c in lines)


def sum_gains(hanging):
    return sum(gain * (square + 1) ** 2 for square, gain in hanging)


LISTS = {
    "pins": sum_lines,
    "relative_pins": sum_lines,
    "skewers": sum_lines,
    "xrays": sum_lines,
    "discovered": sum_lines,
    "batteries": lambda pairs: sum((a << 6 | b) ** 2 for a, b in pairs),
    "hanging": sum_gains,
    "hanging_pins": sum_gains,
    "forks": lambda forks: sum(fold(targets) for _, targets in forks),
    "fork_moves": lambda moves: sum(
        (a << 6 | b) * (1 + promotion) + fold(targets) for a, b, promotion, targets in moves
    ),
    "attackers": lambda pieces: sum((fold(w) + 3 * fold(b)) * (s + 1) for s, w, b in pieces),
}


def facts(board, everything):
    """The facts of a position: those of neither side, White's, Black's."""
    occupied = SquareSet(board.occupied)
    pieces = board.piece_map()
    listed = []
    attackers = {}
    reach = {True: [], False: []}
    every_attack = {True: SquareSet(), False: SquareSet()}
    lines = {color: ([], [], [], [], [], []) for color in chess.COLORS}
    sides = {color: empty_side() for color in chess.COLORS}
    for square in occupied:
        piece = pieces[square]
        color, role = piece.color, piece.piece_type
        side = sides[color]
        theirs = board.attackers(not color, square)
        ours = board.attackers(color, square)
        attackers[square] = theirs.mask | ours.mask
        listed.append((square, *((ours.mask, theirs.mask) if color else (theirs.mask, ours.mask))))
        attacks = board.attacks(square)
        every_attack[color] |= attacks
        if role == KING:
            side["checkers"] = theirs
        else:
            if theirs:
                side["attacked"].add(square)
                if len(theirs) > len(ours):
                    side["hanging_count"].add(square)
                if not ours:
                    side["undefended"].add(square)
            if not ours:
                side["loose"].add(square)
            side["material"] += VALUES[role]
        if role in (KNIGHT, BISHOP):
            side["minors"].add(square)
            if chess.square_rank(square) != (0 if color else 7):
                side["developed"].add(square)
            elif chess.square_file(square) in ((1, 6) if role == KNIGHT else (2, 5)):
                side["home_minors"].add(square)
        if role == PAWN:
            continue
        reach[color].append((role, square, attacks.mask))
        if role in (BISHOP, ROOK, QUEEN):
            look_along(board, square, color, attacks & occupied, pieces, lines)
    found = []
    for color in chess.COLORS:
        found.append(finish(board, color, sides[color], every_attack, lines[color]))
    pawns = board.pieces(PAWN, True) | board.pieces(PAWN, False)
    files = SquareSet()
    for file in chess.BB_FILES:
        if not pawns & file:
            files |= file
    if everything:
        for men_of_color in reach.values():
            men_of_color.sort()
        unions = {color: every_attack[color].mask for color in chess.COLORS}
        worth = {square: VALUES[piece.piece_type] for square, piece in pieces.items()}
        tuned.more(board, found, reach, unions, attackers, worth, lines)
    return {"open_files": files.mask, "attackers": listed}, *found


def empty_side():
    names = ("attacked", "loose", "undefended", "hanging_count", "minors", "developed")
    return {"material": 0, **{name: SquareSet() for name in (*names, "home_minors")}}


def look_along(board, square, color, fronts, pieces, lines):
    """The lines of a slider: the first piece it meets on each ray and the one behind."""
    for front in fronts:
        blocker = pieces[front]
        if blocker.color == color and front > square and moves_along(blocker, square, front):
            lines[color][5].append((square, front))
        on_line = chess.ray(square, front) & board.occupied
        if front > square:
            behind = on_line >> (front + 1) << (front + 1)
            behind &= -behind
        else:
            behind = on_line & ((1 << front) - 1)
        if not behind:
            continue
        back = behind.bit_length() - 1
        target = pieces[back]
        if target.color == color:
            continue
        line = (square, front, back)
        lines[color][3].append(line)
        if blocker.color == color:
            if target.piece_type != PAWN:
                lines[color][4].append(line)
            continue
        pins, relative, skewers = lines[not color][:3]
        fore, aft = VALUES[blocker.piece_type], VALUES[target.piece_type]
        if target.piece_type == KING:
            pins.append(line)
        elif aft > fore:
            relative.append(line)
        elif fore > aft > 1:
            skewers.append(line)


def moves_along(piece, a, b):
    """Whether a piece slides along the line through two squares."""
    straight = chess.square_file(a) == chess.square_file(b) or (
        chess.square_rank(a) == chess.square_rank(b)
    )
    return piece.piece_type in ((ROOK, QUEEN) if straight else (BISHOP, QUEEN))


def finish(board, color, side, every_attack, lines):
    """The facts of a side in the order of our bench."""
    target = board.king(not color)
    occupied = board.occupied
    pins, relative, skewers, xrays, discovered, batteries = lines
    diagonal, straight = tuned.diagonal(target, occupied), tuned.straight(target, occupied)
    found = {
        "attacks": every_attack[color].mask,
        "attacked": side["attacked"].mask,
        "loose": side["loose"].mask,
        "undefended": side["undefended"].mask,
        "hanging_count": side["hanging_count"].mask,
        "checkers": side["checkers"].mask,
        "check_squares_pawn": chess.BB_PAWN_ATTACKS[not color][target],
        "check_squares_knight": chess.BB_KNIGHT_ATTACKS[target],
        "check_squares_bishop": diagonal,
        "check_squares_rook": straight,
        "check_squares_queen": diagonal | straight,
        "pinned": mask_of(pins),
        "relatively_pinned": mask_of(relative),
        "skewered": mask_of(skewers),
        "minors": side["minors"].mask,
        "developed": side["developed"].mask,
        "home_minors": side["home_minors"].mask,
    }
    islands = pawn_facts(board, color, found)
    found.update(hanging_see=0, forkers=0, mobility=0)
    found.update(pins=pins, relative_pins=relative, skewers=skewers, xrays=xrays)
    found.update(discovered=discovered, material=side["material"], islands=islands)
    found["batteries"] = batteries
    found.update(hanging=[], hanging_pins=[], forks=[], fork_moves=[])
    return found


def mask_of(lines):
    mask = 0
    for _, front, _ in lines:
        mask |= 1 << front
    return mask


def pawn_facts(board, color, found):
    """Adds the facts about the pawns of a side and returns how many islands there are."""
    names = ("doubled", "doubled_extra", "isolated", "backward", "behind_all", "passed")
    names += ("passed_front", "candidates", "connected", "half_open_files")
    sets = {name: SquareSet() for name in names}
    own, enemy = board.pieces(PAWN, color), board.pieces(PAWN, not color)
    places = [(square, chess.square_file(square), chess.square_rank(square)) for square in own]
    rivals = [(chess.square_file(square), chess.square_rank(square)) for square in enemy]
    forward = 1 if color else -1
    for square, file, rank in places:
        neighbours = [r for _, f, r in places if abs(f - file) == 1]
        same_file = [r for _, f, r in places if f == file]
        led = any((r - rank) * forward > 0 for r in same_file)
        if len(same_file) > 1:
            sets["doubled"].add(square)
        if led:
            sets["doubled_extra"].add(square)
        helpers = sum((r - rank) * forward <= 0 for r in neighbours)
        if not neighbours:
            sets["isolated"].add(square)
        elif not helpers:
            sets["behind_all"].add(square)
            stop = square + 8 * forward
            if stop in enemy or enemy & chess.BB_PAWN_ATTACKS[color][stop]:
                sets["backward"].add(square)
        if any(abs(r - rank) <= 1 for r in neighbours):
            sets["connected"].add(square)
        ahead = [f for f, r in rivals if abs(f - file) <= 1 and (r - rank) * forward > 0]
        if not ahead:
            sets["passed"].add(square)
            if not led:
                sets["passed_front"].add(square)
        elif not led and file not in ahead and helpers >= len(ahead):
            sets["candidates"].add(square)
    files = {file for _, file, _ in places}
    for file in {file for file, _ in rivals} - files:
        sets["half_open_files"] |= chess.BB_FILES[file]
    found["pawns"] = own.mask
    found.update((name, squares.mask) for name, squares in sets.items())
    return sum(file - 1 not in files for file in files)


if __name__ == "__main__":
    main()
