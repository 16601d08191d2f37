//! The rules again, slowly and obviously: a board of 14 by 14 cells, moves that are made and then
//! tested for whether the king could be taken. Shares no table with the crate, only its words.

mod step;

use fourchess::{
    EnPassant, Manner, Move, Piece, Position, Role, Rules, Seat, Seating, Sides, Square, Status,
};

/// File and rank, from 0.
pub(crate) type At = (i8, i8);

pub(crate) type Board = [[Option<Piece>; 14]; 14];

const STRAIGHT: [At; 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const DIAGONAL: [At; 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

pub(crate) struct Twin {
    pub(crate) rules: Rules,
    pub(crate) board: Board,
    pub(crate) turn: Seat,
    /// Towards the nearer and the farther rook.
    pub(crate) castling: [[bool; 2]; 4],
    /// The square that a seat's pawn has just passed, and where the pawn is.
    pub(crate) offers: [Option<(At, At)>; 4],
    pub(crate) points: [i16; 4],
    pub(crate) status: [Status; 4],
    pub(crate) quiet: u16,
    pub(crate) plies: u16,
    pub(crate) last_mover: Option<Seat>,
    pub(crate) ending: Option<fourchess::Ending>,
    /// How the board looked after each move.
    pub(crate) seen: Vec<String>,
    /// The legal moves, once [`Twin::settle`] has found them.
    pub(crate) moves: Vec<Move>,
}

pub(crate) fn square(at: At) -> Square {
    Square::at(at.0 as u8, at.1 as u8).expect("on the board")
}

fn at(square: Square) -> At {
    (square.file() as i8, square.rank() as i8)
}

pub(crate) fn is_on_board((file, rank): At) -> bool {
    let inside = |x: i8| (0..14).contains(&x);
    let middle = |x: i8| (3..11).contains(&x);
    inside(file) && inside(rank) && (middle(file) || middle(rank))
}

fn plus(one: At, other: At) -> At {
    (one.0 + other.0, one.1 + other.1)
}

impl Twin {
    /// Takes over what is on the board; the position's own knowledge of it is not used.
    pub(crate) fn new(position: &Position, rules: &Rules) -> Twin {
        let mut board = [[None; 14]; 14];
        for square in Square::all() {
            board[square.rank() as usize][square.file() as usize] = position.piece(square);
        }
        Twin {
            rules: *rules,
            board,
            turn: position.turn(),
            castling: Seat::ALL.map(|seat| position.castling(seat, rules)),
            offers: Seat::ALL.map(|seat| {
                position.offer(seat, rules).map(|offer| (at(offer.passed), at(offer.pawn)))
            }),
            points: position.points(),
            status: Seat::ALL.map(|seat| position.status(seat)),
            quiet: position.quiet(),
            plies: position.plies(),
            last_mover: position.last_mover(),
            ending: position.ending(),
            seen: Vec::new(),
            moves: Vec::new(),
        }
    }

    /// The same position to try a move on, without the past.
    fn copy(&self) -> Twin {
        Twin { seen: Vec::new(), moves: Vec::new(), ..*self }
    }

    pub(crate) fn piece(&self, (file, rank): At) -> Option<Piece> {
        self.board[rank as usize][file as usize]
    }

    pub(crate) fn set(&mut self, (file, rank): At, piece: Option<Piece>) {
        self.board[rank as usize][file as usize] = piece;
    }

    /// Calls `visit` with each living piece: whose, where, what. Loops, because this is where the
    /// time goes.
    fn each_living(&self, mut visit: impl FnMut(Seat, At, Role)) {
        for rank in 0..14 {
            for file in 0..14 {
                if let Some(Piece::Living { seat, role, .. }) = self.board[rank][file] {
                    visit(seat, (file as i8, rank as i8), role);
                }
            }
        }
    }

    /// Living pieces of a seat.
    pub(crate) fn own(&self, seat: Seat) -> Vec<(At, Role)> {
        let mut own = Vec::new();
        self.each_living(|owner, at, role| {
            if owner == seat {
                own.push((at, role));
            }
        });
        own
    }

    pub(crate) fn king(&self, seat: Seat) -> Option<At> {
        let mut king = None;
        self.each_living(|owner, at, role| {
            if owner == seat && role == Role::King {
                king = Some(at);
            }
        });
        king
    }

    pub(crate) fn are_opponents(&self, one: Seat, other: Seat) -> bool {
        match self.rules.sides {
            Sides::Free => one != other,
            Sides::Pairs => one != other && one.opposite() != other,
        }
    }

    /// One step forward for a seat's pawns.
    pub(crate) fn forward(&self, seat: Seat) -> At {
        let blue = match self.rules.seating {
            Seating::Clockwise => (1, 0),
            Seating::Counterclockwise => (-1, 0),
        };
        match seat {
            Seat::Red => (0, 1),
            Seat::Yellow => (0, -1),
            Seat::Blue => blue,
            Seat::Green => (-blue.0, 0),
        }
    }

    /// The rank counted from the own edge, from 1.
    pub(crate) fn own_rank(&self, seat: Seat, (file, rank): At) -> i8 {
        match self.forward(seat) {
            (0, 1) => rank + 1,
            (0, -1) => 14 - rank,
            (1, 0) => file + 1,
            _ => 14 - file,
        }
    }

    fn pawn_takes(&self, seat: Seat, from: At) -> [At; 2] {
        let (files, ranks) = self.forward(seat);
        let sides = if files == 0 { [(1, 0), (-1, 0)] } else { [(0, 1), (0, -1)] };
        sides.map(|side| plus(plus(from, (files, ranks)), side))
    }

    /// Squares that a piece other than a pawn bears on, those of own pieces included.
    pub(crate) fn reach(&self, role: Role, from: At) -> Vec<At> {
        let slide = |ways: &[At]| {
            let mut reach = Vec::new();
            for &way in ways {
                let mut to = plus(from, way);
                while is_on_board(to) {
                    reach.push(to);
                    if self.piece(to).is_some() {
                        break;
                    }
                    to = plus(to, way);
                }
            }
            reach
        };
        match role {
            Role::Pawn => Vec::new(),
            Role::Knight => {
                let mut jumps = Vec::new();
                for files in -2i8..=2 {
                    for ranks in -2i8..=2 {
                        if files.abs() + ranks.abs() == 3 {
                            jumps.push(plus(from, (files, ranks)));
                        }
                    }
                }
                jumps.into_iter().filter(|&to| is_on_board(to)).collect()
            }
            Role::Bishop => slide(&DIAGONAL),
            Role::Rook => slide(&STRAIGHT),
            Role::Queen => [slide(&DIAGONAL), slide(&STRAIGHT)].concat(),
            Role::King => [STRAIGHT, DIAGONAL]
                .concat()
                .into_iter()
                .map(|way| plus(from, way))
                .filter(|&to| is_on_board(to))
                .collect(),
        }
    }

    /// Whether a piece on `from` attacks `to`, if anything stands there that it may take.
    fn bears_on(&self, seat: Seat, role: Role, from: At, to: At) -> bool {
        let (files, ranks) = (to.0 - from.0, to.1 - from.1);
        let (wide, high) = (files.abs(), ranks.abs());
        let is_straight = wide == 0 || high == 0;
        let slides = match role {
            Role::Pawn => return self.pawn_takes(seat, from).contains(&to),
            Role::Knight => return wide * high == 2,
            Role::King => return wide.max(high) == 1,
            Role::Bishop => wide == high,
            Role::Rook => is_straight,
            Role::Queen => wide == high || is_straight,
        };
        let way = (files.signum(), ranks.signum());
        let mut cell = plus(from, way);
        while slides && cell != to && is_on_board(cell) && self.piece(cell).is_none() {
            cell = plus(cell, way);
        }
        slides && cell == to && from != to
    }

    /// Where pieces of `by` stand that attack the square.
    pub(crate) fn attackers(&self, to: At, by: Seat) -> Vec<At> {
        let attacks = |&(from, role): &(At, Role)| self.bears_on(by, role, from, to);
        self.own(by).into_iter().filter(attacks).map(|(from, _)| from).collect()
    }

    pub(crate) fn is_attacked(&self, to: At, seat: Seat) -> bool {
        let mut found = false;
        self.each_living(|by, from, role| {
            found |= self.are_opponents(seat, by) && self.bears_on(by, role, from, to);
        });
        found
    }

    pub(crate) fn in_check(&self, seat: Seat) -> bool {
        self.king(seat).is_some_and(|king| self.is_attacked(king, seat))
    }

    fn may_take(&self, seat: Seat, piece: Piece) -> bool {
        match piece {
            Piece::Living { seat: owner, .. } => self.are_opponents(seat, owner),
            Piece::Dead { .. } => true,
        }
    }

    /// Moves by the ways of the pieces alone, which may leave the king in check. Castling out of
    /// check or through it is no such way; arriving in check is like any other move's.
    pub(crate) fn pseudo_moves(&self) -> Vec<Move> {
        let seat = self.turn;
        let mut moves = Vec::new();
        for (from, role) in self.own(seat) {
            if role == Role::Pawn {
                self.pawn_moves(from, &mut moves);
                continue;
            }
            for to in self.reach(role, from) {
                if self.piece(to).is_none_or(|piece| self.may_take(seat, piece)) {
                    moves.push(Move::plain(square(from), square(to)));
                }
            }
        }
        if self.rules.castling && self.status[seat.index()] == Status::Active {
            self.castling_moves(&mut moves);
        }
        moves
    }

    fn pawn_moves(&self, from: At, moves: &mut Vec<Move>) {
        let seat = self.turn;
        let forward = self.forward(seat);
        let mut add = |to: At, manner: Manner| {
            let mv = Move { manner, ..Move::plain(square(from), square(to)) };
            if self.own_rank(seat, to) == self.rules.promotion_rank as i8 {
                let roles = self.rules.promotion.roles();
                moves.extend(roles.iter().map(|&role| Move { promotion: Some(role), ..mv }));
            } else {
                moves.push(mv);
            }
        };
        let push = plus(from, forward);
        if is_on_board(push) && self.piece(push).is_none() {
            add(push, Manner::Plain);
            let jump = plus(push, forward);
            if self.own_rank(seat, from) == 2 && is_on_board(jump) && self.piece(jump).is_none() {
                add(jump, Manner::DoubleStep);
            }
        }
        for to in self.pawn_takes(seat, from).into_iter().filter(|&to| is_on_board(to)) {
            let occupant = self.piece(to);
            if occupant.is_some_and(|piece| !self.may_take(seat, piece)) {
                continue;
            }
            let passing = self.rules.en_passant != EnPassant::Off && self.pusher(to).is_some();
            if passing {
                add(to, Manner::EnPassant);
            }
            let instead = passing && self.rules.en_passant == EnPassant::TakesBoth;
            if occupant.is_some() && !instead {
                add(to, Manner::Plain);
            }
        }
    }

    /// Whose pawn the seat to move could take in passing by going to this square.
    fn pusher(&self, to: At) -> Option<Seat> {
        let beside = [self.turn.next(), self.turn.next().opposite()];
        beside.into_iter().find(|pusher| {
            self.offers[pusher.index()].is_some_and(|(passed, pawn)| {
                passed == to && self.piece(pawn) == Some(Piece::new(*pusher, Role::Pawn))
            })
        })
    }

    /// The rook's square, the king's goal and the king's way for castling to a side: 0 nearer,
    /// 1 farther.
    fn castle(&self, king: At, side: usize) -> (At, At, At) {
        // Along the edge, whichever that is.
        let along: At = if self.forward(self.turn).0 == 0 { (1, 0) } else { (0, 1) };
        let ends: Vec<At> = [along, (-along.0, -along.1)]
            .into_iter()
            .map(|way| {
                let mut end = king;
                while is_on_board(plus(end, way)) {
                    end = plus(end, way);
                }
                end
            })
            .collect();
        let far = |end: &At| (end.0 - king.0).abs() + (end.1 - king.1).abs();
        let rook = if side == 0 {
            *ends.iter().min_by_key(|end| far(end)).unwrap()
        } else {
            *ends.iter().max_by_key(|end| far(end)).unwrap()
        };
        let way = ((rook.0 - king.0).signum(), (rook.1 - king.1).signum());
        (rook, plus(plus(king, way), way), way)
    }

    fn castling_moves(&self, moves: &mut Vec<Move>) {
        let seat = self.turn;
        for side in 0..2 {
            if !self.castling[seat.index()][side] {
                continue;
            }
            let king = self.king(seat).expect("a right to castle needs a king");
            let (rook, goal, way) = self.castle(king, side);
            let mut cell = plus(king, way);
            let mut is_free = true;
            while cell != rook {
                is_free &= self.piece(cell).is_none();
                cell = plus(cell, way);
            }
            let is_safe = [king, plus(king, way)].into_iter().all(|to| {
                let mut there = self.copy();
                there.set(king, None);
                there.set(to, self.piece(king));
                !there.in_check(seat)
            });
            if is_free && is_safe {
                let mv = Move::plain(square(king), square(goal));
                moves.push(Move { manner: Manner::Castling, ..mv });
            }
        }
    }

    pub(crate) fn legal_moves(&self) -> Vec<Move> {
        if self.ending.is_some() {
            return Vec::new();
        }
        let is_legal = |&mv: &Move| {
            let mut after = self.copy();
            after.place(mv);
            !after.in_check(self.turn)
        };
        self.pseudo_moves().into_iter().filter(is_legal).collect()
    }

    /// Lines of `depth` legal moves.
    pub(crate) fn perft(&self, depth: u32) -> u64 {
        self.count(depth, &Twin::legal_moves)
    }

    /// Lines of `depth` moves that may leave the own king in check.
    pub(crate) fn pseudo_perft(&self, depth: u32) -> u64 {
        self.count(depth, &Twin::pseudo_moves)
    }

    fn count(&self, depth: u32, moves: &impl Fn(&Twin) -> Vec<Move>) -> u64 {
        if self.ending.is_some() {
            return 0;
        }
        let moves_here = moves(self);
        if depth == 1 {
            return moves_here.len() as u64;
        }
        let below = |mv: Move| {
            let mut next = self.copy();
            next.play(mv);
            next.count(depth - 1, moves)
        };
        moves_here.into_iter().map(below).sum()
    }
}
