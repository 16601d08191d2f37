//! What each piece attacks from where, by table lookup.
//!
//! Leapers, rays and lines are `const` tables. Sliders have two tables, filled by
//! the build script from the obvious walk along the rays: one indexed by a
//! multiplication, which works everywhere, and one by the PEXT instruction. The
//! functions here use the first; move generation and perft choose at run time, and
//! others that look up much do so through [`quickest`].

use crate::{Bitboard, Color, Role, Square};

mod sliders;
mod walk;

#[cfg(target_arch = "x86_64")]
pub(crate) use sliders::Pext;
pub(crate) use sliders::{Magic, has_quick_pext};
pub use sliders::{SliderWork, Sliders, quickest};

/// The squares a pawn of `color` on `square` attacks.
#[inline]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    PAWN[color as usize][square.index()]
}

/// The squares a knight attacks.
#[inline]
pub fn knight(square: Square) -> Bitboard {
    KNIGHT[square.index()]
}

/// The squares a king attacks.
#[inline]
pub fn king(square: Square) -> Bitboard {
    KING[square.index()]
}

/// The squares a bishop attacks, up to and including the first occupied one of each ray.
#[inline]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    Magic::bishop(square, occupied)
}

/// The squares a rook attacks, up to and including the first occupied one of each ray.
#[inline]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    Magic::rook(square, occupied)
}

/// The squares a queen attacks, up to and including the first occupied one of each ray.
#[inline]
pub fn queen(square: Square, occupied: Bitboard) -> Bitboard {
    bishop(square, occupied) | rook(square, occupied)
}

/// The squares a piece attacks.
#[inline]
pub fn of(role: Role, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::Pawn => pawn(color, square),
        Role::Knight => knight(square),
        Role::Bishop => bishop(square, occupied),
        Role::Rook => rook(square, occupied),
        Role::Queen => queen(square, occupied),
        Role::King => king(square),
    }
}

/// The squares a pawn set attacks, all at once.
#[inline]
pub fn pawns(color: Color, pawns: Bitboard) -> Bitboard {
    let ahead = match color {
        Color::White => pawns.up(),
        Color::Black => pawns.down(),
    };
    ahead.left() | ahead.right()
}

/// The bishop's rays on an empty board.
#[inline]
pub fn bishop_rays(square: Square) -> Bitboard {
    BISHOP_RAYS[square.index()]
}

/// The rook's rays on an empty board.
#[inline]
pub fn rook_rays(square: Square) -> Bitboard {
    ROOK_RAYS[square.index()]
}

/// The squares strictly between two squares of one rank, file or diagonal; otherwise none.
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// The whole rank, file or diagonal through two squares, edge to edge; otherwise nothing.
#[inline]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a.index()][b.index()]
}

const KNIGHT_STEPS: [(i8, i8); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const KING_STEPS: [(i8, i8); 8] =
    [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

pub(crate) static KNIGHT: [Bitboard; 64] = leaper(&KNIGHT_STEPS);
pub(crate) static KING: [Bitboard; 64] = leaper(&KING_STEPS);
pub(crate) static PAWN: [[Bitboard; 64]; 2] =
    [leaper(&[(-1, 1), (1, 1)]), leaper(&[(-1, -1), (1, -1)])];
pub(crate) static BISHOP_RAYS: [Bitboard; 64] = rays(&walk::BISHOP);
pub(crate) static ROOK_RAYS: [Bitboard; 64] = rays(&walk::ROOK);
static BETWEEN: [[Bitboard; 64]; 64] = between_table();
static LINE: [[Bitboard; 64]; 64] = line_table();

const fn leaper(steps: &[(i8, i8)]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        let mut step = 0;
        while step < steps.len() {
            let (files, ranks) = steps[step];
            if let Some(to) = Square::from_index(square).step(files, ranks) {
                table[square].0 |= 1 << to.index();
            }
            step += 1;
        }
        square += 1;
    }
    table
}

const fn rays(directions: &[(i8, i8); 4]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = Bitboard(walk::walk(square as u8, 0, directions));
        square += 1;
    }
    table
}

const fn between_table() -> [[Bitboard; 64]; 64] {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (files, ranks) = KING_STEPS[direction];
            let mut passed = 0;
            let mut here = Square::from_index(from).step(files, ranks);
            while let Some(square) = here {
                table[from][square.index()] = Bitboard(passed);
                passed |= 1 << square.index();
                here = square.step(files, ranks);
            }
            direction += 1;
        }
        from += 1;
    }
    table
}

const fn line_table() -> [[Bitboard; 64]; 64] {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut a = 0;
    while a < 64 {
        let mut b = 0;
        while b < 64 {
            if a != b {
                let ends = 1 << a | 1 << b;
                if ROOK_RAYS[a].0 >> b & 1 != 0 {
                    table[a][b] = Bitboard(ROOK_RAYS[a].0 & ROOK_RAYS[b].0 | ends);
                } else if BISHOP_RAYS[a].0 >> b & 1 != 0 {
                    table[a][b] = Bitboard(BISHOP_RAYS[a].0 & BISHOP_RAYS[b].0 | ends);
                }
            }
            b += 1;
        }
        a += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_holds_both_ends_and_everything_between() {
        for a in Square::all() {
            for b in Square::all() {
                let line = line(a, b);
                let aligned = (rook_rays(a) | bishop_rays(a)).contains(b);
                assert_eq!(!line.is_empty(), aligned, "{a} {b}");
                if aligned {
                    assert!(line.contains(a) && line.contains(b) && between(a, b).is_subset(line));
                    assert!(line.into_iter().all(|s| s == a || super::line(a, s) == line));
                } else {
                    assert!(between(a, b).is_empty());
                }
            }
        }
    }

    #[test]
    fn between_is_symmetric_and_what_two_sliders_see_of_each_other() {
        for a in Square::all() {
            for b in rook_rays(a) {
                let ends = Bitboard::of(a) | b;
                assert_eq!(between(a, b), rook(a, ends) & rook(b, ends) & line(a, b));
            }
            for b in bishop_rays(a) {
                let ends = Bitboard::of(a) | b;
                assert_eq!(between(a, b), bishop(a, ends) & bishop(b, ends) & line(a, b));
            }
        }
    }

    #[test]
    fn a_pawn_attacks_where_an_enemy_pawn_would_be_attacked_from() {
        for a in Square::all() {
            for b in pawn(Color::White, a) {
                assert!(pawn(Color::Black, b).contains(a));
            }
            assert_eq!(pawns(Color::White, a.into()), pawn(Color::White, a));
            assert_eq!(pawns(Color::Black, a.into()), pawn(Color::Black, a));
        }
    }
}
