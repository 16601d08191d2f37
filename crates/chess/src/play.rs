//! Making moves: copy the position, then change the copy.

use crate::{
    Bitboard, CastlingSide, Color, Move, Piece, Position, Rank, Role, Square, attacks,
    movegen::{self, Black, Side, White},
    zobrist,
};

impl Position {
    /// The position after a legal move.
    ///
    /// # Panics
    /// May panic or give a wrong position if the move is not legal here; ask
    /// [`Position::is_legal`] first when it comes from outside.
    pub fn play(&self, mv: Move) -> Position {
        let role = self.board.role_at(mv.from).expect("a move starts from an occupied square");
        let mut next = *self;
        next.make(role, mv);
        next
    }

    #[inline]
    pub(crate) fn make(&mut self, role: Role, mv: Move) {
        match self.turn {
            Color::White => self.make_as::<White>(role, mv),
            Color::Black => self.make_as::<Black>(role, mv),
        }
    }

    #[inline(always)]
    fn make_as<C: Side>(&mut self, role: Role, mv: Move) {
        let Move { from, to, promotion } = mv;
        let us = C::COLOR;
        let captured = self.board.role_at(to);
        let castling = self.castling;
        let mut hash = self.hash ^ zobrist::black_to_move();
        if let Some(square) = self.en_passant {
            hash ^= zobrist::en_passant(square);
        }
        let key = |color, role, square| zobrist::piece(Piece { color, role }, square);

        if role == Role::King && self.board.by_color(us).contains(to) {
            let side = CastlingSide::of(from, to);
            let rank = Rank::FIRST.of(us);
            let (king_to, rook_to) = (side.king_to(rank), side.rook_to(rank));
            hash ^= key(us, Role::King, from) ^ key(us, Role::King, king_to);
            hash ^= key(us, Role::Rook, to) ^ key(us, Role::Rook, rook_to);
            self.halfmoves = self.halfmoves.saturating_add(1);
            self.shift::<C>(role, mv);
        } else {
            let placed = promotion.unwrap_or(role);
            hash ^= key(us, role, from) ^ key(us, placed, to);
            if let Some(captured) = captured {
                hash ^= key(!us, captured, to);
            } else if role == Role::Pawn && self.en_passant == Some(to) {
                hash ^= key(!us, Role::Pawn, passed_pawn::<C>(to));
            }
            let irreversible = role == Role::Pawn || captured.is_some();
            self.halfmoves = if irreversible { 0 } else { self.halfmoves.saturating_add(1) };
            self.shift::<C>(role, mv);
        }
        for rook in castling ^ self.castling {
            hash ^= zobrist::castling(rook);
        }
        // `shift` keeps the square whenever an enemy pawn stands ready; here it must be able to.
        if let Some(square) = self.en_passant {
            if !movegen::en_passant_capturers(&self.board, !us, square).is_empty() {
                hash ^= zobrist::en_passant(square);
            } else {
                self.en_passant = None;
            }
        }
        self.fullmoves = self.fullmoves.saturating_add((us == Color::Black).into());
        self.hash = hash;
    }

    /// Moves the pieces and changes sides, castling rights and the en-passant square, which is
    /// kept if a pawn stands ready to capture there, legally or not. Hash and counters stay
    /// behind: all that perft needs and no more.
    #[inline(always)]
    pub(crate) fn shift<C: Side>(&mut self, role: Role, mv: Move) {
        let Move { from, to, promotion } = mv;
        let us = C::COLOR as usize;
        let them = C::Other::COLOR as usize;
        let board = &mut self.board;
        let last_en_passant = self.en_passant.take();
        self.turn = C::Other::COLOR;

        if role == Role::King {
            self.castling -= Bitboard::rank(Rank::FIRST.of(C::COLOR));
            if board.colors[us].contains(to) {
                let side = CastlingSide::of(from, to);
                let rank = Rank::FIRST.of(C::COLOR);
                let king = Bitboard::of(side.king_to(rank));
                let rook = Bitboard::of(side.rook_to(rank));
                board.colors[us] = (board.colors[us] - from - to) | king | rook;
                board.roles[Role::King.index()] ^= king ^ from;
                board.roles[Role::Rook.index()] ^= rook ^ to;
                return;
            }
        }
        let step = Bitboard::of(from) | to;
        self.castling -= step;
        for set in &mut board.roles {
            *set -= to;
        }
        board.colors[them] -= to;
        board.colors[us] ^= step;
        board.roles[role.index()] ^= step;
        if role == Role::Pawn {
            if let Some(promotion) = promotion {
                board.roles[Role::Pawn.index()] ^= to;
                board.roles[promotion.index()] |= to;
            } else if last_en_passant == Some(to) {
                let pawn = passed_pawn::<C>(to);
                board.roles[Role::Pawn.index()] ^= pawn;
                board.colors[them] ^= pawn;
            } else if from.index().abs_diff(to.index()) == 16 {
                let passed = Square::from_low_bits((from.index() + to.index()) as u32 / 2);
                let ready = attacks::pawn(C::COLOR, passed) & board.roles[Role::Pawn.index()];
                if !(ready & board.colors[them]).is_empty() {
                    self.en_passant = Some(passed);
                }
            }
        }
    }
}

/// The square of the pawn that is captured by going to the en-passant square.
#[inline(always)]
fn passed_pawn<C: Side>(en_passant: Square) -> Square {
    Square::from_low_bits(C::Other::ahead(en_passant.into()).0.trailing_zeros())
}
