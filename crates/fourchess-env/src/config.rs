//! What is chosen when a batch is made.

use fourchess::{EnPassant, Promotion, Rules, Sides};

use crate::error::Error;

/// How a batch plays and what it computes.
#[derive(Clone, Debug)]
pub struct Config {
    /// How many games.
    pub games: usize,
    /// The rules of all of them.
    pub rules: Rules,
    /// What is computed besides the list of legal actions.
    pub outputs: Outputs,
    /// What happens to games that have ended.
    pub autoreset: Autoreset,
    /// What happens when an action is not legal.
    pub illegal: Illegal,
    /// What is rewarded.
    pub reward: Reward,
    /// The seed of all games together; each gets one of its own from it.
    pub seed: u64,
    /// How many threads work on a step. The results are the same for any number.
    pub threads: usize,
}

impl Config {
    /// Games under these rules: one thread, the list of legal actions alone, [`Reward::Points`] if
    /// everyone plays for themselves and [`Reward::Outcome`] for pairs, which have no points.
    pub fn new(rules: &Rules, games: usize) -> Config {
        Config {
            games,
            rules: *rules,
            outputs: Outputs::default(),
            autoreset: Autoreset::default(),
            illegal: Illegal::default(),
            reward: match rules.sides {
                Sides::Free => Reward::Points,
                Sides::Pairs => Reward::Outcome,
            },
            seed: 0,
            threads: 1,
        }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let rules = &self.rules;
        if self.games == 0 {
            return Err(Error::NoGames);
        }
        if self.threads == 0 {
            return Err(Error::NoThreads);
        }
        if rules.en_passant == EnPassant::TwoMoves {
            return Err(Error::Rules("two en-passant captures share an action"));
        }
        if rules.promotion == Promotion::Any && ![8, 11].contains(&rules.promotion_rank) {
            return Err(Error::Rules("underpromotions have actions on ranks 8 and 11 only"));
        }
        Ok(())
    }
}

/// What is computed in every step. What is not asked for costs nothing, and its array is empty.
///
/// The list of legal actions is always there: mate cannot be told without it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Outputs {
    /// Legal actions as bits: 904 bytes a game.
    pub legal_bits: bool,
    /// Legal actions as bytes 0 and 1: 7,192 bytes a game.
    pub legal_bytes: bool,
    /// The observation: 620 bytes a game.
    pub observation: bool,
}

/// What happens to a game that has ended, as Gymnasium names and documents it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Autoreset {
    /// The step that ends a game shows its end. The next step ignores the action, begins a new
    /// game and shows its start with reward 0.
    #[default]
    NextStep,
    /// The step that ends a game begins the next one at once and shows its start; rewards and
    /// flags are those of the end, and the last observation is kept apart.
    SameStep,
    /// A game that has ended stays as it is until it is reset. To step it is an error; where
    /// illegal actions are no error, it stays as it is and its move is not valid.
    Disabled,
}

/// What happens when an action is not legal.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Illegal {
    /// The step fails, and the whole batch stays as it was.
    #[default]
    Error,
    /// The game stays as it was, with reward 0.
    Noop,
    /// The game ends: [`ILLEGAL_REWARD`] for the player, 0 for the others.
    Lose,
}

/// What a player gets for an illegal action that loses the game.
pub const ILLEGAL_REWARD: f32 = -1.0;

/// What is rewarded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reward {
    /// The points that each seat won in the step, awards included.
    Points,
    /// At the end of a game, 1 for the first, 1/3, -1/3 and -1 for the last; equals share. For
    /// pairs 1 for both winners and -1 for both losers. Nothing for a game that was cut off.
    Outcome,
}
