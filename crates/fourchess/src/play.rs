//! Making a move: the pieces, the rights, the points for what is taken.

use crate::{
    castling::{CASTLES, RIGHTS_OF, home_index, rights},
    game::Ending,
    geometry::{KING_SETS, PAWNS},
    moves::{Manner, Move},
    piece::{Cell, DEAD, Piece, Role, code},
    position::{Position, Status},
    rules::{EnPassant, KingCapture, Rules},
    seat::Seat,
    square::{OUTSIDE, Square},
};

const PAWN: u8 = code(Role::Pawn) as u8;
const KING: u8 = code(Role::King) as u8;

impl Position {
    /// The legal move of the seat to move between these squares. `promotion` matters only to a
    /// pawn that promotes and means a queen where it is none.
    ///
    /// What else the move does follows from the position; whether it is legal is not looked at.
    /// Under [`EnPassant::TwoMoves`](crate::EnPassant::TwoMoves) it takes both pieces.
    #[inline]
    pub fn move_between(
        &self,
        from: Square,
        to: Square,
        promotion: Option<Role>,
        rules: &Rules,
    ) -> Move {
        let plain = Move::plain(from, to);
        let edge = rules.edge(self.turn);
        match self.cells[from.index()].0 & 7 {
            PAWN => {
                let pawn = &PAWNS[edge as usize][from.index()];
                let manner = if to == pawn.jump {
                    Manner::DoubleStep
                } else if to != pawn.push && self.is_passed(to) {
                    Manner::EnPassant
                } else {
                    Manner::Plain
                };
                let promotes = to.own_rank(edge) == rules.promotion_rank;
                let promotion = promotes.then_some(promotion.unwrap_or(Role::Queen));
                Move { manner, promotion, ..plain }
            }
            KING if !KING_SETS[from.index()].contains(to) => {
                Move { manner: Manner::Castling, ..plain }
            }
            _ => plain,
        }
    }

    /// Whether a pawn of a seat at a perpendicular edge has passed the square.
    #[inline]
    fn is_passed(&self, square: Square) -> bool {
        let pushers = [self.turn.next(), self.turn.next().opposite()];
        pushers.into_iter().any(|seat| self.passed[seat.index()] == square)
    }

    /// The position after a legal move, with the turn passed to the next seat that is not out.
    ///
    /// Pieces and kings that are taken have their consequences; awards for checks, mates and
    /// draws are [`Position::step`]'s business.
    #[inline]
    pub fn play(&self, mv: Move, rules: &Rules) -> Position {
        let mut next = *self;
        next.make(mv, rules);
        next
    }

    #[inline]
    pub(crate) fn make(&mut self, mv: Move, rules: &Rules) {
        let seat = self.turn;
        let taken_king = self.carry(mv, rules);
        self.plies = self.plies.saturating_add(1);
        self.last_mover = Some(seat);
        if let Some(victim) = taken_king {
            self.king_falls(victim, rules);
        }
        self.pass_turn();
    }

    /// Gives the turn to the next seat that is not out.
    #[inline]
    pub(crate) fn pass_turn(&mut self) {
        let mut next = self.turn.next();
        while self.status[next.index()] == Status::Out && next != self.turn {
            next = next.next();
        }
        self.set_turn(next);
    }

    /// Moves and takes pieces; says whose king was taken. The turn stays.
    #[inline]
    pub(crate) fn carry(&mut self, mv: Move, rules: &Rules) -> Option<Seat> {
        let seat = self.turn;
        let cell = self.cells[mv.from.index()];
        let taken = self.cells[mv.to.index()];
        self.quiet = self.quiet.saturating_add(1);
        self.set_passed(seat, Square::raw(OUTSIDE));
        self.set_rights(self.rights & !RIGHTS_OF[mv.from.index()] & !RIGHTS_OF[mv.to.index()]);

        let mut taken_king = None;
        if taken.is_empty() {
            self.flip_lines(mv.to);
        } else {
            taken_king = self.take(mv.to, taken, rules);
        }
        self.flip_lines(mv.from);
        self.flip_sets(mv.from, cell);
        self.cells[mv.from.index()] = Cell::EMPTY;
        let arrives = match mv.promotion {
            None => cell,
            Some(role) => {
                let promoted = role == Role::Queen && rules.marks_promoted();
                Cell::of(Piece::Living { seat, role, promoted })
            }
        };
        self.flip_sets(mv.to, arrives);
        self.cells[mv.to.index()] = arrives;

        match cell.living_role() {
            Role::Pawn => self.pawn_moved(mv, rules),
            Role::King => self.king_moved(mv, rules),
            _ => {}
        }
        taken_king
    }

    #[inline]
    fn pawn_moved(&mut self, mv: Move, rules: &Rules) {
        self.quiet = 0;
        let edge = rules.edge(self.turn);
        match mv.manner {
            Manner::DoubleStep if rules.en_passant != EnPassant::Off => {
                self.set_passed(self.turn, PAWNS[edge as usize][mv.from.index()].push);
            }
            Manner::EnPassant => self.take_passing_pawn(mv.to, rules),
            Manner::Plain | Manner::DoubleStep | Manner::Castling => {}
        }
    }

    /// The pieces that a legal move takes: mostly one or none, two where a pawn takes in passing
    /// onto an occupied square.
    pub fn captures(&self, mv: Move, rules: &Rules) -> impl Iterator<Item = Piece> {
        let passing = (mv.manner == Manner::EnPassant).then(|| self.passing_pawn(mv.to, rules));
        [Some(mv.to), passing].into_iter().flatten().filter_map(|square| self.piece(square))
    }

    /// Where the pawn stands that has just passed a square.
    fn passing_pawn(&self, passed: Square, rules: &Rules) -> Square {
        let pusher = [self.turn.next(), self.turn.next().opposite()]
            .into_iter()
            .find(|seat| self.passed[seat.index()] == passed)
            .expect("a pawn is taken in passing where one has passed");
        PAWNS[rules.edge(pusher) as usize][passed.index()].push
    }

    #[cold]
    fn take_passing_pawn(&mut self, passed: Square, rules: &Rules) {
        let pawn = self.passing_pawn(passed, rules);
        self.take(pawn, self.cells[pawn.index()], rules);
        self.flip_lines(pawn);
        self.cells[pawn.index()] = Cell::EMPTY;
    }

    #[inline]
    fn king_moved(&mut self, mv: Move, rules: &Rules) {
        let edge = rules.edge(self.turn);
        self.kings[self.turn.index()] = mv.to;
        self.set_rights(self.rights & !rights(edge));
        if mv.manner == Manner::Castling {
            let home = home_index(edge, mv.from).expect("a king castles from its home");
            let castle = CASTLES[edge as usize][home - 3]
                .iter()
                .find(|castle| castle.king_to == mv.to)
                .expect("a castling king arrives on one of two squares");
            let rook = self.cells[castle.rook_from.index()];
            self.flip_lines(castle.rook_from);
            self.flip_sets(castle.rook_from, rook);
            self.cells[castle.rook_from.index()] = Cell::EMPTY;
            self.put(castle.rook_to, rook);
        }
    }

    /// Takes a piece off the sets, but not off its cell and lines, and gives the taker the points.
    #[inline]
    fn take(&mut self, square: Square, taken: Cell, rules: &Rules) -> Option<Seat> {
        self.quiet = 0;
        self.flip_sets(square, taken);
        if taken.0 & 7 == DEAD {
            return None;
        }
        let owner = Seat::ALL[(taken.0 >> 3 & 3) as usize];
        let role = taken.living_role();
        if self.status[self.turn.index()] == Status::Active {
            let value =
                if taken.is_promoted() { rules.promoted_value } else { rules.values[role.index()] };
            self.earn(self.turn, value);
        }
        match role {
            Role::Pawn => {
                let passed = self.passed[owner.index()];
                if passed.index() < Square::COUNT
                    && PAWNS[rules.edge(owner) as usize][passed.index()].push == square
                {
                    self.set_passed(owner, Square::raw(OUTSIDE));
                }
                None
            }
            Role::King => {
                self.kings[owner.index()] = Square::raw(OUTSIDE);
                self.set_rights(self.rights & !rights(rules.edge(owner)));
                Some(owner)
            }
            _ => None,
        }
    }

    #[cold]
    fn king_falls(&mut self, victim: Seat, rules: &Rules) {
        match rules.king_capture {
            KingCapture::Eliminates => self.kill_pieces(victim, Status::Out, rules),
            KingCapture::EndsGame => {
                self.ending = Some(Ending::KingTaken);
                self.loser = Some(victim);
            }
            KingCapture::Continues => {}
        }
    }
}
