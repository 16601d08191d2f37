//! Making moves, and what follows from them.

use fourchess::{
    Departure, EnPassant, Ending, KingCapture, Manner, Move, Piece, Position, Role, Seat, Sides,
    Square, Squares, Status,
};

use super::{At, Twin, at, plus, square};

impl Twin {
    /// Moves the pieces and nothing else; says what was taken.
    pub(crate) fn place(&mut self, mv: Move) -> Vec<Piece> {
        let (from, to, seat) = (at(mv.from), at(mv.to), self.turn);
        let moved = self.piece(from).expect("a move starts on a piece");
        let mut taken: Vec<Piece> = self.piece(to).into_iter().collect();
        let arrives = match mv.promotion {
            None => moved,
            Some(role) => {
                let queen = self.rules.values[Role::Queen.index()];
                let promoted = role == Role::Queen && self.rules.promoted_value != queen;
                Piece::Living { seat, role, promoted }
            }
        };
        if mv.manner == Manner::EnPassant {
            let pusher = self.pusher(to).expect("a pawn has passed");
            let (_, pawn) = self.offers[pusher.index()].expect("a pawn has passed");
            taken.extend(self.piece(pawn));
            self.set(pawn, None);
        }
        if mv.manner == Manner::Castling {
            let side = (0..2).find(|&side| self.castle(from, side).1 == to).expect("a side");
            let (rook, _, way) = self.castle(from, side);
            self.set(plus(from, way), self.piece(rook));
            self.set(rook, None);
        }
        self.set(from, None);
        self.set(to, Some(arrives));
        taken
    }

    /// The clock, and what may be done later: castling and taking in passing.
    fn remember(&mut self, mv: Move, moved: Role, takes: bool) {
        let seat = self.turn;
        self.offers[seat.index()] = None;
        if mv.manner == Manner::DoubleStep && self.rules.en_passant != EnPassant::Off {
            let passed = plus(at(mv.from), self.forward(seat));
            self.offers[seat.index()] = Some((passed, at(mv.to)));
        }
        self.quiet = if moved == Role::Pawn || takes { 0 } else { self.quiet + 1 };
        if moved == Role::King {
            self.castling[seat.index()] = [false; 2];
        }
        self.drop_what_is_gone();
    }

    /// Rights without a king or rook at home, and offers whose pawn is gone.
    fn drop_what_is_gone(&mut self) {
        let turn = self.turn;
        for seat in Seat::ALL {
            self.turn = seat;
            let held = self.castling[seat.index()];
            for side in (0..2).filter(|&side| held[side]) {
                let holds = self.king(seat).is_some_and(|king| {
                    let (rook, _, _) = self.castle(king, side);
                    self.own_rank(seat, king) == 1
                        && self.is_home(seat, king)
                        && self.piece(rook) == Some(Piece::new(seat, Role::Rook))
                });
                self.castling[seat.index()][side] = holds;
            }
            if let Some((_, pawn)) = self.offers[seat.index()]
                && self.piece(pawn) != Some(Piece::new(seat, Role::Pawn))
            {
                self.offers[seat.index()] = None;
            }
        }
        self.turn = turn;
    }

    /// Middle squares of the back line. A king that has moved within them has lost its rights
    /// before, see [`Twin::play`].
    fn is_home(&self, seat: Seat, king: At) -> bool {
        let along = if self.forward(seat).0 == 0 { king.0 } else { king.1 };
        matches!(along, 6 | 7)
    }

    /// The move, kings that fall with it, and the next seat's turn.
    pub(crate) fn play(&mut self, mv: Move) {
        let seat = self.turn;
        let role = self.piece(at(mv.from)).expect("a piece").role();
        // A rook may come back to its corner and a king to its home: the right is gone.
        for corner in [mv.from, mv.to] {
            self.forget_corner(at(corner));
        }
        let taken = self.place(mv);
        self.remember(mv, role, !taken.is_empty());
        self.plies += 1;
        self.last_mover = Some(seat);
        for piece in taken {
            self.pay(seat, piece);
            if let Piece::Living { seat: victim, role: Role::King, .. } = piece {
                match self.rules.king_capture {
                    KingCapture::Eliminates => self.kill(victim, Status::Out),
                    KingCapture::EndsGame => self.ending = Some(Ending::KingTaken),
                    KingCapture::Continues => {}
                }
            }
        }
        self.pass_turn();
    }

    fn forget_corner(&mut self, corner: At) {
        let turn = self.turn;
        for seat in Seat::ALL {
            self.turn = seat;
            let held = self.castling[seat.index()];
            for side in (0..2).filter(|&side| held[side]) {
                let king = self.king(seat).expect("a right to castle needs a king");
                self.castling[seat.index()][side] = self.castle(king, side).0 != corner;
            }
        }
        self.turn = turn;
    }

    fn pay(&mut self, seat: Seat, taken: Piece) {
        if self.status[seat.index()] != Status::Active {
            return;
        }
        self.points[seat.index()] += match taken {
            Piece::Dead { .. } => 0,
            Piece::Living { promoted: true, .. } => self.rules.promoted_value,
            Piece::Living { role, .. } => self.rules.values[role.index()],
        };
    }

    fn pass_turn(&mut self) {
        let mut next = self.turn.next();
        while next != self.turn && self.status[next.index()] == Status::Out {
            next = next.next();
        }
        self.turn = next;
    }

    fn kill(&mut self, seat: Seat, left: Status) {
        for (place, role) in self.own(seat) {
            if !(left == Status::Walking && role == Role::King) {
                self.set(place, Some(Piece::Dead { seat: Some(seat), role }));
            }
        }
        self.status[seat.index()] = left;
        self.castling[seat.index()] = [false; 2];
        self.offers[seat.index()] = None;
    }

    /// A move with all its consequences.
    pub(crate) fn step(&mut self, mv: Move) {
        let (mover, before) = (self.turn, self.copy());
        self.play(mv);
        if self.status[mover.index()] == Status::Active {
            self.points[mover.index()] += self.check_award(&before, mv, mover);
        }
        self.settle();
    }

    fn check_award(&self, before: &Twin, mv: Move, mover: Seat) -> i16 {
        let rules = &self.rules;
        let is_checked = |seat: &Seat| {
            let Some(king) = self.king(*seat).filter(|_| self.are_opponents(mover, *seat)) else {
                return false;
            };
            let old = before.attackers(king, mover);
            let now = self.attackers(king, mover);
            now.iter().any(|from| *from == at(mv.to) || !old.contains(from))
        };
        let kings = Seat::ALL.iter().filter(|seat| is_checked(seat)).count();
        let queen = self.piece(at(mv.to)).is_some_and(|piece| piece.role() == Role::Queen);
        match (kings, queen) {
            (0 | 1, _) => 0,
            (2, true) => rules.two_kings_queen,
            (2, false) => rules.two_kings,
            (_, true) => rules.three_kings_queen,
            (_, false) => rules.three_kings,
        }
    }

    pub(crate) fn settle(&mut self) {
        self.end_if_alone();
        self.moves = self.legal_moves();
        while self.ending.is_none() && self.moves.is_empty() {
            self.put_out();
            self.moves = self.legal_moves();
        }
        if self.ending.is_none() {
            self.end_if_claimed();
        }
        if self.ending.is_none() {
            self.end_if_drawn();
        }
    }

    /// The leader of two resigns, unless that would give the win away.
    fn end_if_claimed(&mut self) {
        let rules = self.rules;
        let count = |status| self.status.iter().filter(|&&found| found == status).count();
        if rules.claim_lead == 0 || rules.sides == Sides::Pairs || count(Status::Active) != 2 {
            return;
        }
        let award = rules.walking_left * (1 + count(Status::Walking) as i16);
        let mut order = Seat::ALL;
        order.sort_by_key(|seat| -self.points[seat.index()]);
        let points = |seat: Seat| self.points[seat.index()];
        let leader = order[0];
        let plays = |seat: &Seat| self.status[seat.index()] == Status::Active;
        let other = order[1..].iter().copied().find(plays);
        let Some(other) = other.filter(|_| plays(&leader)) else { return };
        let lead = points(leader) - points(other);
        if points(leader) > points(order[1]) && lead >= rules.claim_lead && lead > award {
            self.ending = Some(Ending::Claim);
            self.points[other.index()] += award;
        }
    }

    pub(crate) fn leave(&mut self, seat: Seat) {
        if self.ending.is_some() || self.status[seat.index()] != Status::Active {
            return;
        }
        match self.rules.departure {
            Departure::KingWalks => self.kill(seat, Status::Walking),
            Departure::AllDie => self.kill(seat, Status::Out),
            Departure::EndsGame => self.ending = Some(Ending::Departure),
        }
        self.quiet = 0;
        if self.turn == seat && self.status[seat.index()] == Status::Out {
            self.pass_turn();
        }
        self.settle();
    }

    fn put_out(&mut self) {
        let (victim, rules) = (self.turn, self.rules);
        let is_mate = self.in_check(victim);
        if rules.sides == Sides::Pairs {
            self.ending = Some(if is_mate { Ending::Mate } else { Ending::Stalemate });
            if !is_mate {
                self.pay_active(rules.draw);
            }
            return;
        }
        let walked = self.status[victim.index()] == Status::Walking;
        self.kill(victim, Status::Out);
        self.quiet = 0;
        match (is_mate, walked) {
            (true, _) => {
                if let Some(mover) = self.last_mover
                    && self.status[mover.index()] == Status::Active
                {
                    self.points[mover.index()] += rules.mate;
                }
            }
            (false, true) => self.pay_active(rules.walking_stalemate),
            (false, false) => {
                self.points[victim.index()] += rules.stalemate_victim;
                self.pay_active(rules.stalemate_others);
            }
        }
        self.pass_turn();
        self.end_if_alone();
    }

    fn pay_active(&mut self, points: i16) {
        for seat in Seat::ALL {
            if self.status[seat.index()] == Status::Active {
                self.points[seat.index()] += points;
            }
        }
    }

    fn end_if_alone(&mut self) {
        let count = |status| self.status.iter().filter(|&&found| found == status).count();
        if self.rules.sides == Sides::Free && self.ending.is_none() && count(Status::Active) <= 1 {
            self.ending = Some(Ending::LastPlayer);
            self.pay_active(self.rules.walking_left * count(Status::Walking) as i16);
        }
    }

    fn end_if_drawn(&mut self) {
        let rules = self.rules;
        self.seen.push(self.look());
        let look = self.seen.last().unwrap();
        let seen = self.seen.iter().filter(|&seen| seen == look).count();
        let draw = if rules.repetitions > 0 && seen >= rules.repetitions as usize {
            Some(Ending::Repetition)
        } else if rules.insufficient_material && self.nobody_can_mate() {
            Some(Ending::InsufficientMaterial)
        } else if rules.quiet_limit > 0 && self.quiet >= rules.quiet_limit {
            Some(Ending::QuietLimit)
        } else {
            None
        };
        if let Some(ending) = draw {
            self.ending = Some(ending);
            self.pay_active(rules.draw);
        } else if rules.max_plies > 0 && self.plies >= rules.max_plies {
            self.ending = Some(Ending::PlyLimit);
        }
    }

    fn nobody_can_mate(&self) -> bool {
        let living: Vec<Role> =
            Seat::ALL.iter().flat_map(|&seat| self.own(seat)).map(|(_, role)| role).collect();
        let standing = self.board.iter().flatten().flatten().count();
        let others: Vec<Role> = living.iter().copied().filter(|&role| role != Role::King).collect();
        match others[..] {
            [] => true,
            [Role::Knight | Role::Bishop] => living.len() == 3 && standing == 3,
            _ => false,
        }
    }

    /// All that decides which moves follow, as text.
    fn look(&self) -> String {
        let cells = self.board.iter().flatten().map(|cell| match cell {
            Some(Piece::Living { seat, role, .. }) => {
                char::from(b'A' + 6 * *seat as u8 + role.index() as u8)
            }
            Some(Piece::Dead { .. }) => '#',
            None => '.',
        });
        let cells: String = cells.collect();
        format!("{cells} {:?} {:?} {:?}", self.turn, self.castling, self.offers)
    }

    /// Panics unless the position is what this one is.
    pub(crate) fn compare(&self, position: &Position) {
        for place in Square::all() {
            assert_eq!(position.piece(place), self.piece(at(place)), "on {place}");
        }
        let rules = &self.rules;
        assert_eq!(position.turn(), self.turn, "turn");
        assert_eq!(position.points(), self.points, "points");
        assert_eq!(position.ending(), self.ending, "ending");
        assert_eq!((position.plies(), position.quiet()), (self.plies, self.quiet), "clocks");
        for seat in Seat::ALL {
            assert_eq!(position.status(seat), self.status[seat.index()], "status of {seat}");
            assert_eq!(position.king(seat), self.king(seat).map(square), "king of {seat}");
            assert_eq!(position.castling(seat, rules), self.castling[seat.index()], "{seat}");
            let offer = position.offer(seat, rules).map(|offer| (at(offer.passed), at(offer.pawn)));
            assert_eq!(offer, self.offers[seat.index()], "offer of {seat}");
            assert_eq!(position.in_check(seat, rules), self.in_check(seat), "check of {seat}");
            let Some(king) = self.king(seat) else { continue };
            let foes = Seat::ALL.into_iter().filter(|foe| self.are_opponents(seat, *foe));
            let attackers = foes.flat_map(|foe| self.attackers(king, foe)).map(square);
            let attackers: Squares = attackers.collect();
            assert_eq!(position.attackers(square(king), seat, rules), attackers, "of {seat}");
        }
    }
}
