//! Whole games: consequences of a move, eliminations, draws, history.

use crate::{
    moves::{Move, MoveList, Sink},
    position::{Position, Status},
    rules::{Departure, Rules, Sides},
    seat::Seat,
    square::Square,
};

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Ending {
    /// At most one player is left; points decide.
    LastPlayer,
    /// Between pairs: a player was mated.
    Mate,
    /// A king was taken and the rules end the game with it.
    KingTaken,
    /// A player left and the rules end the game with it.
    Departure,
    /// Between pairs: a player was stalemated, which draws the game.
    Stalemate,
    /// Drawn: a position occurred too often.
    Repetition,
    /// Drawn: too many plies without a capture, a pawn's move or an elimination.
    QuietLimit,
    /// Drawn: nobody could mate.
    InsufficientMaterial,
    /// Cut off: too many plies.
    PlyLimit,
    /// One of the last two players had a lead that wins.
    Claim,
}

impl Ending {
    /// All endings in their order.
    pub const ALL: [Ending; 10] = [
        Ending::LastPlayer,
        Ending::Mate,
        Ending::KingTaken,
        Ending::Departure,
        Ending::Stalemate,
        Ending::Repetition,
        Ending::QuietLimit,
        Ending::InsufficientMaterial,
        Ending::PlyLimit,
        Ending::Claim,
    ];

    /// The name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Ending::LastPlayer => "last player",
            Ending::Mate => "mate",
            Ending::KingTaken => "king taken",
            Ending::Departure => "departure",
            Ending::Stalemate => "stalemate",
            Ending::Repetition => "repetition",
            Ending::QuietLimit => "quiet limit",
            Ending::InsufficientMaterial => "insufficient material",
            Ending::PlyLimit => "ply limit",
            Ending::Claim => "claim",
        }
    }

    /// How the game ended, as a sentence without a full stop.
    pub const fn sentence(self) -> &'static str {
        match self {
            Ending::LastPlayer => "the game is over, because one player is left",
            Ending::Mate => "the game is decided by mate",
            Ending::KingTaken => "the game is decided, because a king was captured",
            Ending::Departure => "the game is decided, because a player left",
            Ending::Stalemate => "the game is drawn by stalemate",
            Ending::Repetition => "the game is drawn by repetition",
            Ending::QuietLimit => "the game is drawn, because nothing was captured for too long",
            Ending::InsufficientMaterial => "the game is drawn, because nobody can mate",
            Ending::PlyLimit => "the game was cut off at its limit of plies",
            Ending::Claim => "the game is over, because the lead cannot be made up",
        }
    }

    /// Whether the game was cut off rather than played out.
    pub const fn is_cut_off(self) -> bool {
        matches!(self, Ending::PlyLimit)
    }

    /// Whether the game was drawn, with the award for it.
    pub const fn is_draw(self) -> bool {
        matches!(
            self,
            Ending::Stalemate
                | Ending::Repetition
                | Ending::QuietLimit
                | Ending::InsufficientMaterial
        )
    }
}

/// The keys of the positions since the last capture, pawn move or elimination, in a fixed ring
/// that needs no allocation: a batch of games keeps one beside each [`Position`].
///
/// Repetitions that lie more than [`History::ROOM`] plies back are not seen; with a quiet limit
/// below that there are none.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct History {
    len: u32,
    /// The highest bits of each key. Few keys share them with another, so that looking for a key
    /// mostly reads a quarter of the bytes.
    tags: [u16; History::ROOM],
    keys: [u64; History::ROOM],
}

impl History {
    /// How many positions are remembered.
    pub const ROOM: usize = 256;

    /// How many tags are compared at once.
    const GROUP: usize = 16;

    /// Nothing has occurred.
    pub const fn new() -> History {
        History { len: 0, tags: [0; History::ROOM], keys: [0; History::ROOM] }
    }

    /// Forgets everything, without touching the ring.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// How many positions were added since everything was forgotten.
    pub fn added(&self) -> u32 {
        self.len
    }

    /// The keys that are remembered, at most [`ROOM`](History::ROOM).
    #[inline]
    pub fn keys(&self) -> &[u64] {
        &self.keys[..(self.len as usize).min(History::ROOM)]
    }

    /// Adds a position and says how often it has now occurred.
    #[inline]
    pub fn add(&mut self, key: u64) -> usize {
        let before = if self.may_have(key) { self.count(key) } else { 0 };
        self.put(self.len as usize % History::ROOM, key);
        self.len += 1;
        before + 1
    }

    /// Replaces everything by what [`added`](History::added) and [`keys`](History::keys) returned.
    pub fn refill(&mut self, added: u32, keys: impl Iterator<Item = u64>) {
        self.len = added;
        keys.take(History::ROOM).enumerate().for_each(|(index, key)| self.put(index, key));
    }

    #[inline]
    fn put(&mut self, index: usize, key: u64) {
        self.tags[index] = tag(key);
        self.keys[index] = key;
    }

    /// Whether a key may be among those that are remembered. Entries behind the last key may let
    /// one through that is not.
    #[inline]
    fn may_have(&self, key: u64) -> bool {
        let used = self.keys().len().next_multiple_of(History::GROUP);
        let mut found = 0;
        for tags in self.tags[..used].as_chunks::<{ History::GROUP }>().0 {
            tags.iter().for_each(|&other| found |= u16::from(other == tag(key)));
        }
        found != 0
    }

    #[cold]
    fn count(&self, key: u64) -> usize {
        self.keys().iter().filter(|&&old| old == key).count()
    }
}

#[inline]
fn tag(key: u64) -> u16 {
    (key >> 48) as u16
}

impl Default for History {
    fn default() -> History {
        History::new()
    }
}

impl std::fmt::Debug for History {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("History").field("len", &self.len).finish_non_exhaustive()
    }
}

impl Position {
    /// Makes a legal move and draws every consequence: awards, eliminations, draws, the end. Then
    /// `moves` holds the legal moves of the seat to move, none if the game has ended.
    ///
    /// Points that were won are the difference of [`Position::points`] before and after.
    #[inline]
    pub fn step<S: Sink>(&mut self, history: &mut History, mv: Move, rules: &Rules, moves: &mut S) {
        let mover = self.turn;
        self.make(mv, rules);
        if rules.awards_checks() && self.status[mover.index()] == Status::Active {
            self.earn(mover, self.check_award(mv, mover, rules));
        }
        self.settle(history, rules, moves);
    }

    /// Puts out seats that cannot move until one can, and ends the game where it must end. Then
    /// `moves` holds the legal moves of the seat to move, none if the game has ended.
    ///
    /// [`Position::step`] does this; a position that was read from text needs it once.
    pub fn settle<S: Sink>(&mut self, history: &mut History, rules: &Rules, moves: &mut S) {
        self.end_if_alone(rules);
        self.legal_moves(rules, moves);
        while self.ending.is_none() && moves.is_empty() {
            self.put_out(rules);
            self.end_if_alone(rules);
            self.legal_moves(rules, moves);
        }
        if self.quiet == 0 {
            history.clear();
        }
        if self.ending.is_none() {
            self.end_if_claimed(rules);
            if self.ending.is_none() {
                self.end_if_drawn(history, rules);
            }
            if self.ending.is_some() {
                moves.clear();
            }
        }
    }

    /// A player resigns or runs out of time, on turn or not.
    pub fn leave<S: Sink>(
        &mut self,
        history: &mut History,
        seat: Seat,
        rules: &Rules,
        moves: &mut S,
    ) {
        if self.ending.is_some() || self.status[seat.index()] != Status::Active {
            return;
        }
        self.depart(seat, rules);
        self.settle(history, rules, moves);
    }

    /// A departure without its consequences for others.
    pub(crate) fn depart(&mut self, seat: Seat, rules: &Rules) {
        match rules.departure {
            Departure::KingWalks => self.kill_pieces(seat, Status::Walking, rules),
            Departure::AllDie => self.kill_pieces(seat, Status::Out, rules),
            Departure::EndsGame => {
                self.ending = Some(Ending::Departure);
                self.loser = Some(seat);
            }
        }
        self.quiet = 0;
        if self.turn == seat && self.status[seat.index()] == Status::Out {
            self.pass_turn();
        }
    }

    /// The seat to move cannot: it is mated or stalemated.
    #[cold]
    pub(crate) fn put_out(&mut self, rules: &Rules) {
        let victim = self.turn;
        let is_mate = self.in_check(victim, rules);
        if rules.sides == Sides::Pairs {
            if is_mate {
                self.ending = Some(Ending::Mate);
                self.loser = Some(victim);
            } else {
                self.draw(Ending::Stalemate, rules);
            }
            return;
        }
        let was_walking = self.status[victim.index()] == Status::Walking;
        self.kill_pieces(victim, Status::Out, rules);
        self.quiet = 0;
        if is_mate {
            if let Some(mover) = self.last_mover
                && mover != victim
                && self.status[mover.index()] == Status::Active
            {
                self.earn(mover, rules.mate);
            }
        } else if was_walking {
            self.award_active(rules.walking_stalemate);
        } else {
            self.earn(victim, rules.stalemate_victim);
            self.award_active(rules.stalemate_others);
        }
        self.pass_turn();
    }

    #[inline]
    pub(crate) fn end_if_alone(&mut self, rules: &Rules) {
        if rules.sides == Sides::Free && self.ending.is_none() && self.active() <= 1 {
            self.ending = Some(Ending::LastPlayer);
            let walking = self.status.iter().filter(|&&s| s == Status::Walking).count() as i16;
            self.award_active(rules.walking_left * walking);
        }
    }

    #[inline]
    pub(crate) fn end_if_claimed(&mut self, rules: &Rules) {
        if rules.claim_lead > 0 && rules.sides == Sides::Free && self.active() == 2 {
            self.claim(rules);
        }
    }

    /// Ends the game if one of the two players who are left can claim it.
    #[cold]
    fn claim(&mut self, rules: &Rules) {
        let walking = self.status.iter().filter(|&&s| s == Status::Walking).count() as i16;
        let award = rules.walking_left.saturating_mul(walking + 1);
        let mut active = Seat::ALL.into_iter().filter(|seat| self.status(*seat) == Status::Active);
        let (Some(one), Some(other)) = (active.next(), active.next()) else { return };
        for (leader, other) in [(one, other), (other, one)] {
            let lead_over = |seat: Seat| {
                i32::from(self.points[leader.index()]) - i32::from(self.points[seat.index()])
            };
            let is_first = Seat::ALL.into_iter().all(|seat| seat == leader || lead_over(seat) > 0);
            let lead = lead_over(other);
            if is_first && lead >= i32::from(rules.claim_lead) && lead > i32::from(award) {
                self.ending = Some(Ending::Claim);
                self.earn(other, award);
                return;
            }
        }
    }

    /// How many seats are active.
    #[inline]
    fn active(&self) -> usize {
        self.status.iter().filter(|&&status| status == Status::Active).count()
    }

    fn award_active(&mut self, points: i16) {
        for seat in Seat::ALL {
            if self.status[seat.index()] == Status::Active {
                self.earn(seat, points);
            }
        }
    }

    #[inline]
    pub(crate) fn end_if_drawn(&mut self, history: &mut History, rules: &Rules) {
        if rules.repetitions > 0 && history.add(self.key) >= usize::from(rules.repetitions) {
            self.draw(Ending::Repetition, rules);
        } else if rules.insufficient_material && self.quiet == 0 && self.nobody_can_mate() {
            self.draw(Ending::InsufficientMaterial, rules);
        } else if rules.quiet_limit > 0 && self.quiet >= rules.quiet_limit {
            self.draw(Ending::QuietLimit, rules);
        } else if rules.max_plies > 0 && self.plies >= rules.max_plies {
            self.ending = Some(Ending::PlyLimit);
        }
    }

    #[cold]
    fn draw(&mut self, ending: Ending, rules: &Rules) {
        self.ending = Some(ending);
        self.award_active(rules.draw);
    }

    /// Only kings are left, or two kings with one knight or bishop and no dead pieces.
    fn nobody_can_mate(&self) -> bool {
        let heavy = self.pawns | self.straights;
        if !heavy.is_empty() {
            return false;
        }
        let minor = (self.knights | self.diagonals).len();
        let kings = self.kings.iter().filter(|king| king.index() < Square::COUNT).count();
        let standing = || self.cells().iter().filter(|cell| !cell.is_empty()).count();
        minor == 0 || (minor == 1 && kings == 2 && standing() == 3)
    }
}

/// A move that is not legal in the position it was meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not a legal move here")]
pub struct IllegalMove(pub Move);

/// A game: a position with its rules, its history and its legal moves.
///
/// For one game at a time; a batch keeps positions and histories in arrays and calls
/// [`Position::step`].
#[derive(Clone, Debug)]
pub struct Game {
    rules: Rules,
    position: Position,
    pub(crate) history: History,
    moves: MoveList,
}

impl Game {
    /// A new game.
    pub fn new(rules: &Rules) -> Game {
        Game::from_position(Position::start(rules), rules)
    }

    /// A game that goes on from a position. If the seat to move cannot, it is put out at once,
    /// and nobody is paid for it.
    pub fn from_position(mut position: Position, rules: &Rules) -> Game {
        let (mut history, mut moves) = (History::new(), MoveList::new());
        position.settle(&mut history, rules, &mut moves);
        Game { rules: *rules, position, history, moves }
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The position now.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The legal moves; none once the game has ended.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// How the game ended, once it has.
    pub fn ending(&self) -> Option<Ending> {
        self.position.ending
    }

    /// Makes a legal move. An illegal move changes nothing.
    pub fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if !self.moves.contains(&mv) {
            return Err(IllegalMove(mv));
        }
        self.position.step(&mut self.history, mv, &self.rules, &mut self.moves);
        Ok(())
    }

    /// A player resigns or runs out of time; nothing happens if they are out already.
    pub fn leave(&mut self, seat: Seat) {
        self.position.leave(&mut self.history, seat, &self.rules, &mut self.moves);
    }

    /// The place of each seat, 1 for the best; equals share the better place.
    pub fn places(&self) -> [u8; 4] {
        self.position.places(&self.rules)
    }
}
