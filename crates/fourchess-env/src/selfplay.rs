//! Whole games between built-in players, recorded ply by ply.

use fourchess::{Ending, History, Move, Position, Random, Rules, Seat};

use crate::{
    actions::{Action, NONE},
    config::Config,
    error::Error,
    legal::{LegalActions, ROOM},
    players::Player,
};

/// The settings for self-play. Games are independent, so threads may share one of these.
///
/// ```
/// use fourchess::Rules;
/// use fourchess_env::{Player, SelfPlay};
///
/// let selfplay = SelfPlay::new(&Rules::FFA, [Player::Greedy; 4])?;
/// let record = selfplay.game(7);
/// assert_eq!(record.plies, selfplay.game(7).plies);
/// println!("{} plies, {:?}, {:?}", record.plies.len(), record.ending, record.points);
/// # Ok::<(), fourchess_env::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SelfPlay {
    rules: Rules,
    /// The player of each seat, Red first.
    pub players: [Player; 4],
    /// The start position of every game.
    pub start: Position,
    /// A game that is not over after this many plies is left unfinished.
    pub max_plies: usize,
}

/// A finished or unfinished game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Its seed.
    pub seed: u64,
    /// The position that it started from.
    pub start: Position,
    /// Its moves in order.
    pub plies: Vec<Ply>,
    /// How it ended, if it did.
    pub ending: Option<Ending>,
    /// The points of each seat at the end.
    pub points: [i16; 4],
    /// The place of each seat, 1 for the best.
    pub places: [u8; 4],
}

/// A move of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ply {
    /// The seat that moved.
    pub seat: Seat,
    /// The move.
    pub mv: Move,
    /// Its action.
    pub action: Action,
    /// The number of legal actions.
    pub choices: u16,
    /// The points of each seat after the move and the eliminations that followed from it.
    pub points: [i16; 4],
}

impl SelfPlay {
    /// Self-play from the start position of the rules, with at most 10,000 plies. Returns an error
    /// if moves under these rules have no actions.
    pub fn new(rules: &Rules, players: [Player; 4]) -> Result<SelfPlay, Error> {
        Config::new(rules, 1).check()?;
        Ok(SelfPlay { rules: *rules, players, start: Position::start(rules), max_plies: 10_000 })
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Plays a game. The same seed gives the same game.
    pub fn game(&self, seed: u64) -> Record {
        let rules = &self.rules;
        let (mut position, mut history) = (self.start, History::new());
        let (mut list, mut random) = ([NONE; ROOM], Random::new(seed));
        let mut legal = LegalActions::new(&mut list, 0);
        position.settle(&mut history, rules, &mut legal);
        let mut count = legal.finish();
        let mut plies = Vec::new();
        while count > 0 && plies.len() < self.max_plies {
            let seat = position.turn();
            let player = self.players[seat.index()];
            let id = player.choose(&position, rules, &list[..count as usize], &mut random);
            let action = Action::new(id).expect("legal actions are actions");
            let (mv, choices) = (action.move_in(&position, rules), count);
            let mut legal = LegalActions::new(&mut list, count);
            position.step(&mut history, mv, rules, &mut legal);
            count = legal.finish();
            plies.push(Ply { seat, mv, action, choices, points: position.points() });
        }
        let (ending, points) = (position.ending(), position.points());
        let places = position.places(rules);
        Record { seed, start: self.start, plies, ending, points, places }
    }
}
