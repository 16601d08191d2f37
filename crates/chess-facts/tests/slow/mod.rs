//! The obvious way: pieces walk step by step, moves are made on a copy of the board.

use chess::{Bitboard, Board, CastlingSide, Color, Move, Piece, Position, Rank, Role, Square};
use chess_facts::VALUES;

/// A piece with its place as numbers.
#[derive(Clone, Copy, Debug)]
pub struct Man {
    pub color: Color,
    pub role: Role,
    pub square: Square,
    pub file: i32,
    pub height: i32,
}

impl Man {
    /// How far up the board it stands, as its side or the other sees it.
    pub fn height_for(&self, color: Color) -> i32 {
        if color == Color::White { self.height } else { 7 - self.height }
    }
}

pub fn pieces(position: &Position) -> Vec<Man> {
    let man = |(square, Piece { color, role }): (Square, Piece)| Man {
        color,
        role,
        square,
        file: square.file().index() as i32,
        height: square.rank().index() as i32,
    };
    position.board().pieces().map(man).collect()
}

const ALL_ROUND: [(i8, i8); 8] =
    [(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1)];

/// In each direction the pieces met on the way to the edge of the board.
pub fn walks(board: &Board, from: Square) -> Vec<((i8, i8), Vec<Square>)> {
    let walk = |direction: (i8, i8)| {
        let mut met = Vec::new();
        let mut here = from;
        while let Some(next) = here.step(direction.0, direction.1) {
            if board.occupied().contains(next) {
                met.push(next);
            }
            here = next;
        }
        (direction, met)
    };
    ALL_ROUND.map(walk).to_vec()
}

/// Whether pieces of a role slide in a direction.
pub fn slides(role: Role, direction: (i8, i8)) -> bool {
    let diagonal = direction.0 != 0 && direction.1 != 0;
    role == Role::Queen || role == if diagonal { Role::Bishop } else { Role::Rook }
}

/// What a piece would attack.
pub fn attacks(role: Role, color: Color, from: Square, occupied: Bitboard) -> Bitboard {
    let up = if color == Color::White { 1 } else { -1 };
    let leaps: Vec<(i8, i8)> = match role {
        Role::Pawn => vec![(-1, up), (1, up)],
        Role::Knight => {
            vec![(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
        }
        Role::King => ALL_ROUND.to_vec(),
        _ => Vec::new(),
    };
    let mut squares: Bitboard =
        leaps.into_iter().filter_map(|(files, ranks)| from.step(files, ranks)).collect();
    for direction in ALL_ROUND.into_iter().filter(|&direction| slides(role, direction)) {
        let mut here = from;
        while let Some(next) = here.step(direction.0, direction.1) {
            squares |= next;
            if occupied.contains(next) {
                break;
            }
            here = next;
        }
    }
    squares
}

/// The pieces of a side that attack a square.
pub fn attackers(board: &Board, square: Square, by: Color) -> Vec<(Square, Role)> {
    let all = board.pieces().filter(|(_, piece)| piece.color == by);
    all.filter(|&(from, piece)| attacks(piece.role, by, from, board.occupied()).contains(square))
        .map(|(from, piece)| (from, piece.role))
        .collect()
}

/// What the pieces of a side are worth, its king left out.
pub fn worth(board: &Board, color: Color) -> i32 {
    let own = board.pieces().filter(|(_, piece)| piece.color == color && piece.role != Role::King);
    own.map(|(_, piece)| i32::from(VALUES[piece.role.index()])).sum()
}

/// What `side` gains by capturing on a square, by recursion over boards.
pub fn swap_off(board: &Board, square: Square, side: Color) -> i32 {
    exchange(board, square, side, &|_| Vec::new())
}

/// The same with the pieces that are pinned on the board held to their lines.
pub fn swap_off_among_pins(board: &Board, square: Square, side: Color) -> i32 {
    swap_off_later(board, board, square, side)
}

/// The same after a move, with the pins there were before.
pub fn swap_off_later(board: &Board, now: &Board, square: Square, side: Color) -> i32 {
    let mut pins = Vec::new();
    for color in Color::ALL {
        let king = board.by_piece(color, Role::King).first().unwrap();
        for (direction, met) in walks(board, king) {
            let [front, back, ..] = met[..] else { continue };
            let pinner = board.piece_at(back).unwrap();
            if board.color_at(front) == Some(color)
                && pinner.color != color
                && slides(pinner.role, direction)
            {
                pins.push((king, front, back, direction));
            }
        }
    }
    // A pinned piece may go to the squares of its king's ray, the pinner's included.
    exchange(now, square, side, &|now| {
        let standing = pins.iter().filter(|(.., back, _)| {
            *back != square && now.piece_at(*back) == board.piece_at(*back)
        });
        let held = standing.filter(|(king, _, _, (files, ranks))| {
            let mut here = *king;
            while let Some(next) = here.step(*files, *ranks) {
                if next == square {
                    return false;
                }
                here = next;
            }
            // Behind the king, too, the line goes on, but no pinned piece gets there.
            true
        });
        held.map(|&(_, front, ..)| front).collect()
    })
}

fn exchange(
    board: &Board,
    square: Square,
    side: Color,
    held: &dyn Fn(&Board) -> Vec<Square>,
) -> i32 {
    let Some(victim) = board.piece_at(square) else { return 0 };
    let barred = held(board);
    let mut able = attackers(board, square, side);
    able.retain(|(from, _)| !barred.contains(from));
    let Some(&(from, role)) = able.iter().min_by_key(|&&(from, role)| (role, from)) else {
        return 0;
    };
    let mut next = *board;
    next.remove(from);
    next.put(square, Piece { color: side, role });
    if role == Role::King && !attackers(&next, square, !side).is_empty() {
        return 0;
    }
    0.max(i32::from(VALUES[victim.role.index()]) - exchange(&next, square, !side, held))
}

/// What the side to move gains by legal captures on one square, either side stopping at will.
pub fn minimax(position: &Position, square: Square) -> i32 {
    let mut best = 0;
    for mv in position.legal_moves().iter().filter(|mv| mv.to == square) {
        let Some(victim) = position.board().piece_at(square) else { continue };
        if victim.color == position.turn() {
            continue;
        }
        // Promotions are made, but only captures count.
        let gain = i32::from(VALUES[victim.role.index()]);
        best = best.max(gain - minimax(&position.play(mv), square));
    }
    best
}

/// What a piece on a square forks.
pub fn fork(board: &Board, square: Square, color: Color) -> Bitboard {
    let forker = board.piece_at(square).unwrap().role;
    let seen = attacks(forker, color, square, board.occupied());
    let targets = board.pieces().filter(|&(target, piece)| {
        let dearer = VALUES[piece.role.index()] > VALUES[forker.index()];
        piece.color != color
            && piece.role != Role::Pawn
            && seen.contains(target)
            && (dearer || attackers(board, target, !color).is_empty())
    });
    targets.map(|(target, _)| target).collect()
}

/// A legal move and the board after it.
pub struct Made {
    pub mv: Move,
    pub role: Role,
    /// Where the piece that moved stands afterwards.
    pub arrives: Square,
    pub board: Board,
    pub castles: bool,
}

/// Every move of a side, as if it were to move, that leaves its king unattacked.
pub fn legal_moves(position: &Position, color: Color) -> Vec<Made> {
    let board = position.board();
    let mut made = castlings(position, color);
    let own = board.pieces().filter(|(_, piece)| piece.color == color);
    for (from, Piece { role, .. }) in own {
        for to in destinations(position, color, role, from) {
            let last = Rank::EIGHTH.of(color);
            let promotions: Vec<Option<Role>> = if role == Role::Pawn && to.rank() == last {
                Role::PROMOTIONS.map(Some).to_vec()
            } else {
                vec![None]
            };
            for promotion in promotions {
                let mut next = *board;
                if role == Role::Pawn && from.file() != to.file() && board.piece_at(to).is_none() {
                    next.remove(Square::new(to.file(), from.rank()));
                }
                next.remove(from);
                next.put(to, Piece { color, role: promotion.unwrap_or(role) });
                let king = next.by_piece(color, Role::King).first().unwrap();
                if attackers(&next, king, !color).is_empty() {
                    let mv = Move { from, to, promotion };
                    made.push(Made { mv, role, arrives: to, board: next, castles: false });
                }
            }
        }
    }
    made
}

fn destinations(position: &Position, color: Color, role: Role, from: Square) -> Bitboard {
    let board = position.board();
    let enemy = board.by_color(!color) - board.by_piece(!color, Role::King);
    let seen = attacks(role, color, from, board.occupied());
    if role != Role::Pawn {
        return seen & (enemy | !board.occupied());
    }
    let mut squares = seen & enemy;
    if position.turn() == color
        && let Some(passed) = position.en_passant()
    {
        squares |= seen & passed;
    }
    let up = if color == Color::White { 1 } else { -1 };
    let free = |square: &Square| !board.occupied().contains(*square);
    if let Some(once) = from.step(0, up).filter(free) {
        squares |= once;
        if from.rank() == Rank::SECOND.of(color)
            && let Some(twice) = once.step(0, up).filter(free)
        {
            squares |= twice;
        }
    }
    squares
}

fn castlings(position: &Position, color: Color) -> Vec<Made> {
    let board = position.board();
    let king = position.king(color);
    let rank = Rank::FIRST.of(color);
    let mut made = Vec::new();
    for side in [CastlingSide::Short, CastlingSide::Long] {
        let Some(rook) = position.castling_rook(color, side) else { continue };
        let (king_to, rook_to) = (side.king_to(rank), side.rook_to(rank));
        let walk = |from: Square, to: Square| {
            let (low, high) = (from.index().min(to.index()), from.index().max(to.index()));
            (low..=high).map(Square::from_index).collect::<Bitboard>()
        };
        let mut without = *board;
        without.remove(king);
        let steps = walk(king, king_to);
        let unsafe_step =
            steps.into_iter().any(|s| s != king_to && !attackers(&without, s, !color).is_empty());
        without.remove(rook);
        let blocked = !((steps | walk(rook, rook_to)) & without.occupied()).is_empty();
        let mut next = without;
        next.put(king_to, Piece { color, role: Role::King });
        next.put(rook_to, Piece { color, role: Role::Rook });
        let check = !attackers(board, king, !color).is_empty();
        if !check && !blocked && !unsafe_step && attackers(&next, king_to, !color).is_empty() {
            let mv = Move { from: king, to: rook, promotion: None };
            made.push(Made { mv, role: Role::King, arrives: king_to, board: next, castles: true });
        }
    }
    made
}

/// The board with every piece elsewhere, and in the other colour if wanted.
pub fn moved(board: &Board, place: impl Fn(Square) -> Square, swap: bool) -> Board {
    let mut moved = Board::EMPTY;
    for (square, Piece { color, role }) in board.pieces() {
        moved.put(place(square), Piece { color: if swap { !color } else { color }, role });
    }
    moved
}
