//! A game while it is read or written.

use super::{Exit, Ply};
use crate::{
    game::Game,
    notation::{Fate, fallen},
    position::{Position, Status},
    rules::{Departure, Rules},
    seat::Seat,
};

/// Numbers rows: a new one begins when the turns come round.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rows {
    pub(super) number: usize,
    last: Option<Seat>,
}

impl Rows {
    /// Goes on to what a seat does, and says whether that begins a row.
    pub(super) fn go(&mut self, seat: Seat) -> bool {
        let begins = self.last.is_none_or(|last| seat <= last);
        self.number += usize::from(begins);
        self.last = Some(seat);
        begins
    }

    /// The number of the row in which the seat would be next.
    pub(super) fn number_of(mut self, seat: Seat) -> usize {
        self.go(seat);
        self.number
    }
}

/// A game, with what its text still has to say.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// Boxed, because a state for each level of variations would not fit a small stack.
    pub(super) game: Box<Game>,
    pub(super) rows: Rows,
    /// Who was put out by the last plies and is not marked yet.
    pub(super) unmarked: Vec<(Seat, Fate)>,
    /// The letters that the next moves of walking kings get.
    pub(super) owed: [Option<Exit>; 4],
}

impl State {
    pub(super) fn new(start: &Position, rules: &Rules) -> State {
        let game = Box::new(Game::from_position(*start, rules));
        let unmarked = fallen(*start, game.position(), rules);
        State { game, rows: Rows::default(), unmarked, owed: [None; 4] }
    }

    pub(super) fn turn(&self) -> Seat {
        self.game.position().turn()
    }

    /// Lets a ply happen if it can, and says whether it could. Who falls by it is added to those
    /// who are not marked.
    pub(super) fn apply(&mut self, ply: Ply) -> bool {
        let mut made = *self.game.position();
        let rules = *self.game.rules();
        if !self.game.apply(ply) {
            return false;
        }
        match ply {
            Ply::Move(mv) => {
                self.owed[made.turn().index()] = None;
                made.make(mv, &rules);
            }
            Ply::Leave { seat, exit } => {
                self.owed[seat.index()] = Some(exit);
                leave(&mut made, seat, &rules);
            }
        }
        self.unmarked.extend(fallen(made, self.game.position(), &rules));
        true
    }
}

/// A departure without its consequences.
fn leave(position: &mut Position, seat: Seat, rules: &Rules) {
    match rules.departure {
        Departure::KingWalks => position.kill_pieces(seat, Status::Walking, rules),
        Departure::AllDie => {
            position.kill_pieces(seat, Status::Out, rules);
            if position.turn() == seat {
                position.pass_turn();
            }
        }
        Departure::EndsGame => {}
    }
}
