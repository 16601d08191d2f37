//! Whole games between built-in players, recorded ply by ply.

use std::convert::Infallible;

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
        self.game_with(seed, |position, legal, random| {
            let player = self.players[position.turn().index()];
            player.choose(position, &self.rules, legal, random)
        })
    }

    /// Plays a game in which a function chooses one of the legal actions of each position. It is
    /// given the random numbers of the game.
    ///
    /// # Panics
    ///
    /// If it chooses an action that is not legal.
    pub fn game_with(
        &self,
        seed: u64,
        mut choose: impl FnMut(&Position, &[u16], &mut Random) -> u16,
    ) -> Record {
        let mut random = Random::new(seed);
        self.record(seed, |position, legal| {
            let action = choose(position, legal, &mut random);
            assert!(legal.contains(&action), "action {action} is not legal");
            Ok::<u16, Infallible>(action)
        })
        .unwrap_or_else(|never| match never {})
    }

    /// The game in which these actions were chosen, by players elsewhere. It is unfinished after the
    /// last one, if it does not end there. An action that is not legal is an error; the game in it is
    /// called 0.
    pub fn replay(&self, seed: u64, actions: &[u16]) -> Result<Record, Error> {
        let mut left = actions.iter().copied();
        let shortened = SelfPlay { max_plies: self.max_plies.min(actions.len()), ..self.clone() };
        shortened.record(seed, |_, legal| {
            let action = left.next().expect("as many plies as actions");
            if legal.contains(&action) {
                return Ok(action);
            }
            Err(Error::IllegalAction { game: 0, action })
        })
    }

    fn record<E>(
        &self,
        seed: u64,
        mut choose: impl FnMut(&Position, &[u16]) -> Result<u16, E>,
    ) -> Result<Record, E> {
        let rules = &self.rules;
        let (mut position, mut history) = (self.start, History::new());
        let mut list = [NONE; ROOM];
        let mut legal = LegalActions::new(&mut list, 0);
        position.settle(&mut history, rules, &mut legal);
        let mut count = legal.finish();
        let mut plies = Vec::new();
        while count > 0 && plies.len() < self.max_plies {
            let seat = position.turn();
            let id = choose(&position, &list[..count as usize])?;
            let action = Action::new(id).expect("legal actions are actions");
            let (mv, choices) = (action.move_in(&position, rules), count);
            let mut legal = LegalActions::new(&mut list, count);
            position.step(&mut history, mv, rules, &mut legal);
            count = legal.finish();
            plies.push(Ply { seat, mv, action, choices, points: position.points() });
        }
        let (ending, points) = (position.ending(), position.points());
        let places = position.places(rules);
        Ok(Record { seed, start: self.start, plies, ending, points, places })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replayed_game_is_the_game_and_an_illegal_action_is_an_error() {
        for rules in Rules::PRESETS {
            let mut selfplay = SelfPlay::new(rules, [Player::Greedy; 4]).unwrap();
            selfplay.max_plies = 300;
            let game = selfplay.game(3);
            let mut actions: Vec<u16> = game.plies.iter().map(|ply| ply.action.id()).collect();
            assert_eq!(selfplay.replay(3, &actions), Ok(game));
            actions[7] = NONE;
            let error = Error::IllegalAction { game: 0, action: NONE };
            assert_eq!(selfplay.replay(3, &actions), Err(error));
        }
    }
}
