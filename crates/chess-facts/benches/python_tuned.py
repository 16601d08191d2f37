"""The facts in Python as quick as they can be made: masks, the tables of python-chess instead of its
methods, each attack set computed once. Used by python_facts.py.
"""

import chess
from chess import (
    BB_DIAG_ATTACKS,
    BB_DIAG_MASKS,
    BB_FILE_ATTACKS,
    BB_FILE_MASKS,
    BB_FILES,
    BB_KING_ATTACKS,
    BB_KNIGHT_ATTACKS,
    BB_PAWN_ATTACKS,
    BB_RANK_ATTACKS,
    BB_RANK_MASKS,
    BB_RANKS,
    BB_RAYS,
)

VALUES = [0, 1, 3, 3, 5, 9, 100]
ALL = chess.BB_ALL
NOT_A, NOT_H = ALL & ~BB_FILES[0], ALL & ~BB_FILES[7]
BETWEEN = [[chess.between(a, b) for b in range(64)] for a in range(64)]
LATER = [ALL & ~((2 << square) - 1) for square in range(64)]
ADJACENT = [
    (BB_FILES[file - 1] if file else 0) | (BB_FILES[file + 1] if file < 7 else 0)
    for file in range(8)
]
AHEAD = [
    [sum(BB_RANKS[r] for r in range(8) if (r > rank if color else r < rank)) for rank in range(8)]
    for color in (False, True)
]
KNIGHT_HOMES = BB_FILES[1] | BB_FILES[6]
BISHOP_HOMES = BB_FILES[2] | BB_FILES[5]


def diagonal(square, occupied):
    return BB_DIAG_ATTACKS[square][BB_DIAG_MASKS[square] & occupied]


def straight(square, occupied):
    return (
        BB_RANK_ATTACKS[square][BB_RANK_MASKS[square] & occupied]
        | BB_FILE_ATTACKS[square][BB_FILE_MASKS[square] & occupied]
    )


def facts(board, everything):
    """The facts of a position: those of neither side, White's, Black's."""
    occupied = board.occupied
    colors = board.occupied_co
    pawns, knights, kings = board.pawns, board.knights, board.kings
    bishops, rooks, queens = board.bishops, board.rooks, board.queens
    diagonals, straights = bishops | queens, rooks | queens
    roles = (0, pawns, knights, bishops, rooks, queens, kings)
    worth = {}
    for role in range(1, 7):
        mask, value = roles[role], VALUES[role]
        while mask:
            low = mask & -mask
            worth[low.bit_length() - 1] = value
            mask ^= low

    # One pass: what each piece attacks and the lines it looks along.
    reach = {True: [], False: []}
    attacked_by = {}
    lines = {color: ([], [], [], [], [], []) for color in (True, False)}
    for color in (True, False):
        own, enemy = colors[color], colors[not color]
        xrays, discovered, batteries = lines[color][3], lines[color][4], lines[color][5]
        pins, relative, skewers = lines[not color][0], lines[not color][1], lines[not color][2]
        pieces = reach[color]
        mine = pawns & own
        if color:
            union = (mine & NOT_A) << 7 | (mine & NOT_H) << 9
        else:
            union = (mine & NOT_A) >> 9 | (mine & NOT_H) >> 7
        for role in (2, 3, 4, 5, 6):
            mask = roles[role] & own
            while mask:
                low = mask & -mask
                mask ^= low
                square = low.bit_length() - 1
                if role == 2:
                    attacks = BB_KNIGHT_ATTACKS[square]
                elif role == 6:
                    attacks = BB_KING_ATTACKS[square]
                else:
                    attacks = beyond = pairs = 0
                    if role != 4:
                        diag = BB_DIAG_MASKS[square]
                        attacks = BB_DIAG_ATTACKS[square][diag & occupied]
                        beyond = BB_DIAG_ATTACKS[square][diag & occupied & ~attacks]
                        pairs = attacks & diagonals
                    if role != 3:
                        rank, file = BB_RANK_MASKS[square], BB_FILE_MASKS[square]
                        lateral = (
                            BB_RANK_ATTACKS[square][rank & occupied]
                            | BB_FILE_ATTACKS[square][file & occupied]
                        )
                        left = occupied & ~lateral
                        beyond |= (
                            BB_RANK_ATTACKS[square][rank & left]
                            | BB_FILE_ATTACKS[square][file & left]
                        )
                        attacks |= lateral
                        pairs |= lateral & straights
                    pairs &= own & LATER[square]
                    while pairs:
                        second = pairs & -pairs
                        pairs ^= second
                        batteries.append((square, second.bit_length() - 1))
                    backs = beyond & ~attacks & enemy
                    while backs:
                        low = backs & -backs
                        backs ^= low
                        back = low.bit_length() - 1
                        between = BETWEEN[square][back] & occupied
                        front = between.bit_length() - 1
                        line = (square, front, back)
                        xrays.append(line)
                        if between & own:
                            if not low & pawns:
                                discovered.append(line)
                            continue
                        fore, aft = worth[front], worth[back]
                        if aft == 100:
                            pins.append(line)
                        elif aft > fore:
                            relative.append(line)
                        elif fore > aft > 1:
                            skewers.append(line)
                union |= attacks
                pieces.append((role, square, attacks))
        attacked_by[color] = union

    # Who attacks each piece.
    attackers = {}
    white, black = colors[True], colors[False]
    white_pawns, black_pawns = pawns & white, pawns & black
    up, down = BB_PAWN_ATTACKS[True], BB_PAWN_ATTACKS[False]
    listed = []
    mask = occupied
    while mask:
        low = mask & -mask
        mask ^= low
        square = low.bit_length() - 1
        every = (
            BB_KNIGHT_ATTACKS[square] & knights
            | BB_KING_ATTACKS[square] & kings
            | up[square] & black_pawns
            | down[square] & white_pawns
            | BB_DIAG_ATTACKS[square][BB_DIAG_MASKS[square] & occupied] & diagonals
            | (
                BB_RANK_ATTACKS[square][BB_RANK_MASKS[square] & occupied]
                | BB_FILE_ATTACKS[square][BB_FILE_MASKS[square] & occupied]
            )
            & straights
        )
        attackers[square] = every
        listed.append((square, every & white, every & black))

    sides = []
    for color in (True, False):
        side = judge(board, color, attackers, attacked_by, lines)
        sides.append(side)
    files = 0
    for file in BB_FILES:
        if not pawns & file:
            files |= file
    if everything:
        more(board, sides, reach, attacked_by, attackers, worth, lines)
    return {"open_files": files, "attackers": listed}, *sides


def judge(board, color, attackers, attacked_by, lines):
    """What follows for one side from the attacks and lines of both."""
    own, enemy = board.occupied_co[color], board.occupied_co[not color]
    pawns, kings = board.pawns, board.kings
    pieces = own & ~kings
    by_us, by_them = attacked_by[color], attacked_by[not color]
    attacked = pieces & by_them
    outnumbered = 0
    mask = attacked
    while mask:
        low = mask & -mask
        mask ^= low
        every = attackers[low.bit_length() - 1]
        if (every & enemy).bit_count() > (every & own).bit_count():
            outnumbered |= low
    king = (own & kings).bit_length() - 1
    target = (enemy & kings).bit_length() - 1
    diag, lateral = diagonal(target, board.occupied), straight(target, board.occupied)
    pins, relative, skewers, xrays, discovered, batteries = lines[color]
    pinned = relatively = skewered = 0
    for _, front, _ in pins:
        pinned |= 1 << front
    for _, front, _ in relative:
        relatively |= 1 << front
    for _, front, _ in skewers:
        skewered |= 1 << front
    minors = (board.knights | board.bishops) & own
    first = BB_RANKS[0 if color else 7]
    side = {
        "attacks": by_us,
        "attacked": attacked,
        "loose": pieces & ~by_us,
        "undefended": attacked & ~by_us,
        "hanging_count": outnumbered,
        "checkers": attackers[king] & enemy,
        "check_squares_pawn": BB_PAWN_ATTACKS[not color][target],
        "check_squares_knight": BB_KNIGHT_ATTACKS[target],
        "check_squares_bishop": diag,
        "check_squares_rook": lateral,
        "check_squares_queen": diag | lateral,
        "pinned": pinned,
        "relatively_pinned": relatively,
        "skewered": skewered,
        "minors": minors,
        "developed": minors & ~first,
        "home_minors": own
        & first
        & (board.knights & KNIGHT_HOMES | board.bishops & BISHOP_HOMES),
    }
    islands = pawn_facts(color, pawns & own, pawns & enemy, side)
    side.update(hanging_see=0, forkers=0, mobility=0)
    side.update(pins=pins, relative_pins=relative, skewers=skewers, xrays=xrays)
    side["discovered"] = discovered
    side["material"] = (
        (pawns & own).bit_count()
        + 3 * minors.bit_count()
        + 5 * (board.rooks & own).bit_count()
        + 9 * (board.queens & own).bit_count()
    )
    side["islands"] = islands
    side["batteries"] = batteries
    side.update(hanging=[], hanging_pins=[], forks=[], fork_moves=[])
    return side


def pawn_facts(color, own, enemy, side):
    """Writes the facts about the pawns of a side and returns how many islands there are."""
    doubled = extra = isolated = backward = behind_all = 0
    passed = front = candidates = connected = half_open = 0
    islands = before = 0
    if color:
        guarded = (enemy & NOT_A) >> 9 | (enemy & NOT_H) >> 7
        stopped = (enemy | guarded) >> 8
    else:
        guarded = (enemy & NOT_A) << 7 | (enemy & NOT_H) << 9
        stopped = (enemy | guarded) << 8
    for index, file in enumerate(BB_FILES):
        mine = own & file
        islands += 1 if mine and not before else 0
        before = mine
        if not mine:
            if enemy & file:
                half_open |= file
            continue
        if mine & (mine - 1):
            doubled |= mine
        adjacent = ADJACENT[index]
        neighbours = own & adjacent
        rivals = enemy & adjacent
        mask = mine
        while mask:
            low = mask & -mask
            mask ^= low
            rank = (low.bit_length() - 1) >> 3
            ahead = AHEAD[color][rank]
            led = mine & ahead
            if led:
                extra |= low
            if not neighbours:
                isolated |= low
            elif not neighbours & ~ahead:
                behind_all |= low
                if low & stopped:
                    backward |= low
            if neighbours & (BB_RANKS[rank] | BB_RANKS[rank - 1] | BB_RANKS[rank + 1]):
                connected |= low
            if not enemy & file & ahead:
                guards = rivals & ahead
                if not guards:
                    passed |= low
                    if not led:
                        front |= low
                elif not led and (neighbours & ~ahead).bit_count() >= guards.bit_count():
                    candidates |= low
    side["pawns"] = own
    side["doubled"] = doubled
    side["doubled_extra"] = extra
    side["isolated"] = isolated
    side["backward"] = backward
    side["behind_all"] = behind_all
    side["passed"] = passed
    side["passed_front"] = front
    side["candidates"] = candidates
    side["connected"] = connected
    side["half_open_files"] = half_open
    return islands


def more(board, sides, reach, attacked_by, attackers, worth, lines):
    """Exchanges, forks, fork moves and mobility of both sides."""
    colors = board.occupied_co
    pins = lines[True][0] + lines[False][0]
    for color, side in zip((True, False), sides):
        hanging = 0
        mask = side["attacked"]
        while mask:
            low = mask & -mask
            mask ^= low
            square = low.bit_length() - 1
            every = attackers[square]
            gain = exchange(board, square, board.occupied, not color, worth[square], every, ())
            if gain:
                side["hanging"].append((square, gain))
                hanging |= low
            held = [pin for pin in pins if not BB_RAYS[pin[0]][pin[2]] & low]
            if held:
                gain = exchange(
                    board, square, board.occupied, not color, worth[square], every, held
                )
            if gain:
                side["hanging_pins"].append((square, gain))
        side["hanging_see"] = hanging
    for color, side, other in ((True, *sides), (False, *reversed(sides))):
        forks(board, color, side, reach, attacked_by)
        moves(board, color, side, other, reach, attacked_by, lines, attackers)


def exchange(board, square, occupied, side, value, attackers, held):
    """What `side` gains by capturing on a square what is worth `value`."""
    colors = board.occupied_co
    roles = (0, board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    diagonals, straights = board.bishops | board.queens, board.rooks | board.queens
    captured = []
    while True:
        pieces = attackers & colors[side] & occupied
        for slider, front, _ in held:
            if occupied >> slider & 1:
                pieces &= ~(1 << front)
        if not pieces:
            break
        for role in (1, 2, 3, 4, 5, 6):
            least = pieces & roles[role]
            if least:
                break
        occupied ^= least & -least
        if role != 2:
            attackers |= (
                diagonal(square, occupied) & diagonals | straight(square, occupied) & straights
            )
        side = not side
        if role == 6 and attackers & colors[side] & occupied:
            break
        captured.append(value)
        value = VALUES[role]
    gain = 0
    for value in reversed(captured):
        gain = value - gain if value > gain else 0
    return gain


def all_attackers(board, square, occupied):
    white, black = board.occupied_co[True], board.occupied_co[False]
    return (
        BB_KNIGHT_ATTACKS[square] & board.knights
        | BB_KING_ATTACKS[square] & board.kings
        | BB_PAWN_ATTACKS[True][square] & board.pawns & black
        | BB_PAWN_ATTACKS[False][square] & board.pawns & white
        | diagonal(square, occupied) & (board.bishops | board.queens)
        | straight(square, occupied) & (board.rooks | board.queens)
    )


def dearer_than(board):
    rook = board.queens | board.kings
    minor = rook | board.rooks
    return (0, ALL & ~board.pawns, minor, minor, rook, board.kings, 0)


def forks(board, color, side, reach, attacked_by):
    """The forks a side has now."""
    pieces = board.occupied_co[not color] & ~board.pawns
    undefended = pieces & ~attacked_by[not color]
    dearer = dearer_than(board)
    forkers = 0
    mask = board.pawns & board.occupied_co[color]
    while mask:
        low = mask & -mask
        mask ^= low
        square = low.bit_length() - 1
        targets = BB_PAWN_ATTACKS[color][square] & pieces
        if targets & (targets - 1):
            forkers |= low
            side["forks"].append((square, targets))
    for role, square, attacks in reach[color]:
        if role != 6:
            targets = attacks & pieces & (dearer[role] | undefended)
            if targets & (targets - 1):
                forkers |= 1 << square
                side["forks"].append((square, targets))
    side["forkers"] = forkers


def moves(board, color, side, other, reach, attacked_by, lines, attackers):
    """The squares that legal moves of pieces reach, and the moves that fork."""
    occupied, own, enemy = board.occupied, board.occupied_co[color], board.occupied_co[not color]
    king = (own & board.kings).bit_length() - 1
    checkers = side["checkers"]
    targets = ALL & ~own & ~board.kings
    if checkers:
        if checkers & (checkers - 1):
            targets = 0
        else:
            targets &= BETWEEN[king][checkers.bit_length() - 1] | checkers
    tied = {front: BB_RAYS[king][front] for _, front, _ in lines[color][0]}
    pieces = enemy & ~board.pawns
    dearer = dearer_than(board)
    shaky = 0
    mask = pieces
    while mask:
        low = mask & -mask
        mask ^= low
        if (attackers[low.bit_length() - 1] & enemy).bit_count() < 2:
            shaky |= low
    possible = pieces & (pieces - 1)

    def test(role, start, to, promotion):
        after = occupied & ~(1 << start) | 1 << to
        if role == 2:
            seen = BB_KNIGHT_ATTACKS[to] & pieces
        elif role == 3:
            seen = diagonal(to, after) & pieces
        elif role == 4:
            seen = straight(to, after) & pieces
        else:
            seen = (diagonal(to, after) | straight(to, after)) & pieces
        found = seen & dearer[role]
        uncertain = seen & shaky & ~found
        if not (found | uncertain) & ((found | uncertain) - 1):
            return
        left = enemy & after & ~(1 << to)
        while uncertain:
            low = uncertain & -uncertain
            uncertain ^= low
            if not all_attackers(board, low.bit_length() - 1, after) & left:
                found |= low
        if found & (found - 1):
            every = all_attackers(board, to, after)
            if not exchange(board, to, after, not color, VALUES[role], every, ()):
                side["fork_moves"].append((start, to, promotion, found))

    reached = 0
    for role, square, attacks in reach[color]:
        if role == 6:
            steps = attacks & ~own & ~attacked_by[not color]
            sliders = checkers & (board.bishops | board.rooks | board.queens)
            while sliders:
                low = sliders & -sliders
                sliders ^= low
                steps &= ~BB_RAYS[low.bit_length() - 1][king] | low
            reached |= steps
            continue
        to = attacks & targets
        if square in tied:
            to &= tied[square]
        reached |= to
        if not possible:
            continue
        while to:
            low = to & -to
            to ^= low
            test(role, square, low.bit_length() - 1, 0)
    if not checkers and board.castling_rights & own:
        reached |= castlings(board, color, king, attacked_by[not color])
    side["mobility"] = reached
    if possible:
        pawn_forks(board, color, side, pieces, targets, tied, test)


def castlings(board, color, king, dangerous):
    """Where the king arrives by castling."""
    arrivals = 0
    rank = BB_RANKS[0 if color else 7]
    rooks = board.castling_rights & board.occupied_co[color] & rank
    sliders = (board.rooks | board.queens) & board.occupied_co[not color]
    while rooks:
        low = rooks & -rooks
        rooks ^= low
        rook = low.bit_length() - 1
        base = king & 56
        king_to, rook_to = (base | 6, base | 5) if rook > king else (base | 2, base | 3)
        path = BETWEEN[king][king_to] | 1 << king_to
        others = board.occupied & ~low & ~(1 << king)
        if (path | BETWEEN[rook][rook_to] | 1 << rook_to) & others or path & dangerous:
            continue
        if not straight(king_to, others | 1 << rook_to) & sliders:
            arrivals |= 1 << king_to
    return arrivals


def pawn_forks(board, color, side, pieces, targets, tied, test):
    """The moves of pawns that fork, and their promotions."""
    own, enemy = board.occupied_co[color], board.occupied_co[not color]
    occupied = board.occupied
    up = 8 if color else -8
    passed = board.ep_square if board.turn == color and board.has_legal_en_passant() else None
    mask = board.pawns & own
    while mask:
        low = mask & -mask
        mask ^= low
        start = low.bit_length() - 1
        to = BB_PAWN_ATTACKS[color][start] & enemy
        once = 1 << (start + up)
        if not once & occupied:
            to |= once
            if start >> 3 == (1 if color else 6) and not occupied >> (start + 2 * up) & 1:
                to |= 1 << (start + 2 * up)
        to &= targets
        if start in tied:
            to &= tied[start]
        if start >> 3 == (6 if color else 1):
            while to:
                low_to = to & -to
                to ^= low_to
                for role in (5, 4, 3, 2):
                    test(role, start, low_to.bit_length() - 1, role - 1)
            continue
        if passed is not None and BB_PAWN_ATTACKS[color][start] >> passed & 1:
            if board.is_legal(chess.Move(start, passed)):
                to |= 1 << passed
        while to:
            low_to = to & -to
            to ^= low_to
            square = low_to.bit_length() - 1
            found = BB_PAWN_ATTACKS[color][square] & pieces
            if not found & (found - 1):
                continue
            after = occupied & ~low | low_to
            if square == passed and (start ^ square) & 7 and not enemy & low_to:
                after &= ~(1 << (square - up))
            every = all_attackers(board, square, after)
            if not exchange(board, square, after, not color, 1, every, ()):
                side["fork_moves"].append((start, square, 0, found))

