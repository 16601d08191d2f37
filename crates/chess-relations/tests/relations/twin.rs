//! A slow and obvious chess with variants: a board of 64 boxes, pieces that walk step by step, and
//! a move that is legal if no enemy piece can take the king afterwards. No castling and no
//! promotion besides the usual ones; castling by the book, from e1 and e8.

use std::collections::BTreeSet;

use chess::{Color, Piece, Position, Role};

/// What differs from chess.
#[derive(Clone, Copy, Default)]
pub(crate) struct Variant {
    /// Knights also step like kings.
    pub(crate) crowned_knights: bool,
    /// Pawns never make two steps.
    pub(crate) no_double_step: bool,
}

#[derive(Clone)]
pub(crate) struct Twin {
    cells: [Option<Piece>; 64],
    turn: Color,
    /// Cells of rooks that may castle.
    castling: BTreeSet<i8>,
    passed: Option<i8>,
    variant: Variant,
}

type Step = (i8, i8);
const STRAIGHT: [Step; 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];
const DIAGONAL: [Step; 4] = [(1, 1), (-1, 1), (-1, -1), (1, -1)];
const LEAPS: [Step; 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

impl Twin {
    pub(crate) fn of(position: &Position, variant: Variant) -> Twin {
        let mut cells = [None; 64];
        for (square, piece) in position.board().pieces() {
            cells[square.index()] = Some(piece);
        }
        let castling = position.castling_rooks().map(|square| square.index() as i8).collect();
        let passed = position.en_passant().map(|square| square.index() as i8);
        Twin { cells, turn: position.turn(), castling, passed, variant }
    }

    /// Every legal move in UCI, with the position after it.
    pub(crate) fn legal(&self) -> Vec<(String, Twin)> {
        let mut moves = self.pseudo();
        moves.retain(|(_, after)| !after.is_attacked(after.king(self.turn), !self.turn));
        moves
    }

    pub(crate) fn perft(&self, depth: u32) -> u64 {
        match depth {
            0 => 1,
            _ => self.legal().iter().map(|(_, after)| after.perft(depth - 1)).sum(),
        }
    }

    pub(crate) fn is_check(&self) -> bool {
        self.is_attacked(self.king(self.turn), !self.turn)
    }

    /// What might move, whatever becomes of the king, without castling through attacks.
    pub(crate) fn pseudo(&self) -> Vec<(String, Twin)> {
        let mut moves = Vec::new();
        for from in 0..64 {
            let Some(piece) = self.at(from).filter(|piece| piece.color == self.turn) else {
                continue;
            };
            if piece.role == Role::Pawn {
                self.pawn(from, &mut moves);
            } else {
                for to in self.reach(from, piece) {
                    if self.at(to).is_none_or(|man| man.color != self.turn) {
                        moves.push((uci(from, to, None), self.after(from, to, None)));
                    }
                }
            }
            if piece.role == Role::King {
                self.castle(from, &mut moves);
            }
        }
        moves
    }

    fn pawn(&self, from: i8, moves: &mut Vec<(String, Twin)>) {
        let ahead = if self.turn == Color::White { 1 } else { -1 };
        let mut targets = Vec::new();
        if let Some(one) = step(from, (0, ahead)).filter(|to| self.at(*to).is_none()) {
            targets.push(one);
            let home = if self.turn == Color::White { 1 } else { 6 };
            let two = step(one, (0, ahead)).filter(|to| self.at(*to).is_none());
            let may = from / 8 == home && !self.variant.no_double_step;
            targets.extend(two.filter(|_| may));
        }
        for side in [-1, 1] {
            let to = step(from, (side, ahead));
            let foe = |to: &i8| self.at(*to).is_some_and(|man| man.color != self.turn);
            targets.extend(to.filter(|to| foe(to) || self.passed == Some(*to)));
        }
        for to in targets {
            if matches!(to / 8, 0 | 7) {
                for role in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight] {
                    moves.push((uci(from, to, Some(role)), self.after(from, to, Some(role))));
                }
            } else {
                moves.push((uci(from, to, None), self.after(from, to, None)));
            }
        }
    }

    fn castle(&self, from: i8, moves: &mut Vec<(String, Twin)>) {
        for &rook in self.castling.iter().filter(|rook| *rook / 8 == from / 8) {
            if self.at(rook).is_none_or(|man| man.color != self.turn) {
                continue;
            }
            let way = if rook > from { 1 } else { -1 };
            let between =
                |end: i8| (1..).map(move |n| from + n * way).take_while(move |c| *c != end);
            let mut safe = [from, from + way, from + 2 * way].into_iter();
            let is_open = between(rook).all(|cell| self.at(cell).is_none());
            if is_open && safe.all(|cell| !self.is_attacked(cell, !self.turn)) {
                let to = from + 2 * way;
                let mut after = self.after(from, to, None);
                after.cells[(from + way) as usize] = after.cells[rook as usize].take();
                moves.push((uci(from, to, None), after));
            }
        }
    }

    fn after(&self, from: i8, to: i8, promotion: Option<Role>) -> Twin {
        let mut next = self.clone();
        let mut piece = next.cells[from as usize].take().expect("a piece moves");
        if piece.role == Role::Pawn && self.passed == Some(to) {
            next.cells[(from / 8 * 8 + to % 8) as usize] = None;
        }
        let is_double = piece.role == Role::Pawn && (to - from).abs() == 16;
        next.passed = is_double.then_some((from + to) / 2);
        next.castling.retain(|rook| *rook != from && *rook != to);
        if piece.role == Role::King {
            let home = if self.turn == Color::White { 0 } else { 7 };
            next.castling.retain(|rook| rook / 8 != home);
        }
        piece.role = promotion.unwrap_or(piece.role);
        next.cells[to as usize] = Some(piece);
        next.turn = !self.turn;
        next
    }

    /// The cells that a piece other than a pawn can walk to, own pieces included.
    fn reach(&self, from: i8, piece: Piece) -> Vec<i8> {
        let king = [STRAIGHT, DIAGONAL].concat();
        let (steps, slides) = match piece.role {
            Role::Pawn => (Vec::new(), false),
            Role::Knight if self.variant.crowned_knights => ([&LEAPS[..], &king].concat(), false),
            Role::Knight => (LEAPS.to_vec(), false),
            Role::Bishop => (DIAGONAL.to_vec(), true),
            Role::Rook => (STRAIGHT.to_vec(), true),
            Role::Queen => (king, true),
            Role::King => (king, false),
        };
        let mut cells = Vec::new();
        for by in steps {
            let mut at = from;
            while let Some(to) = step(at, by) {
                cells.push(to);
                if !slides || self.at(to).is_some() {
                    break;
                }
                at = to;
            }
        }
        cells
    }

    /// The cells that a piece attacks, whoever stands there.
    pub(crate) fn attacked_from(&self, from: i8) -> Vec<i8> {
        let piece = self.at(from).expect("a piece attacks");
        if piece.role == Role::Pawn {
            let ahead = if piece.color == Color::White { 1 } else { -1 };
            return [-1, 1].into_iter().filter_map(|side| step(from, (side, ahead))).collect();
        }
        self.reach(from, piece)
    }

    fn is_attacked(&self, cell: i8, by: Color) -> bool {
        let pieces = (0..64).filter(|from| self.at(*from).is_some_and(|man| man.color == by));
        pieces.into_iter().any(|from| self.attacked_from(from).contains(&cell))
    }

    fn king(&self, color: Color) -> i8 {
        let king = Piece { color, role: Role::King };
        (0..64).find(|cell| self.at(*cell) == Some(king)).expect("there is a king")
    }

    pub(crate) fn at(&self, cell: i8) -> Option<Piece> {
        self.cells[cell as usize]
    }

    pub(crate) fn turn(&self) -> Color {
        self.turn
    }
}

fn step(from: i8, by: Step) -> Option<i8> {
    let (file, rank) = (from % 8 + by.0, from / 8 + by.1);
    ((0..8).contains(&file) && (0..8).contains(&rank)).then_some(rank * 8 + file)
}

pub(crate) fn name(cell: i8) -> String {
    format!("{}{}", char::from(b'a' + (cell % 8) as u8), cell / 8 + 1)
}

fn uci(from: i8, to: i8, promotion: Option<Role>) -> String {
    let letter = match promotion {
        Some(Role::Queen) => "q",
        Some(Role::Rook) => "r",
        Some(Role::Bishop) => "b",
        Some(Role::Knight) => "n",
        _ => "",
    };
    format!("{}{}{letter}", name(from), name(to))
}
