//! The configuration of a batch.

use fourchess::{EnPassant, Promotion, Rules, Sides};

use crate::{error::Error, games::Arrays};

/// How a batch plays and what it computes.
#[derive(Clone, Debug)]
pub struct Config {
    /// The number of games.
    pub games: usize,
    /// The rules of all games.
    pub rules: Rules,
    /// What to compute besides the list of legal actions.
    pub outputs: Outputs,
    /// What to do with games that have ended.
    pub autoreset: Autoreset,
    /// What to do with an illegal action.
    pub illegal: Illegal,
    /// How rewards are computed.
    pub reward: Reward,
    /// What the masks of legal actions show of a game that has ended.
    pub ended_mask: EndedMask,
    /// The random seed. The seed of each game is derived from it.
    pub seed: u64,
    /// The number of threads for a step. The results are the same for any number.
    pub threads: usize,
}

impl Config {
    /// The default configuration for these rules: one thread, only the list of legal actions,
    /// [`Reward::Points`] if everyone plays for themselves, and [`Reward::Outcome`] for teams,
    /// which have no points.
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
            ended_mask: EndedMask::default(),
            seed: 0,
            threads: 1,
        }
    }

    /// An estimate of the memory that a batch needs.
    pub fn bytes(&self) -> usize {
        Arrays::bytes_of_a_game(self).saturating_mul(self.games)
    }

    /// Refuses a batch without games or threads, and rules whose moves have no actions of their
    /// own.
    pub fn check(&self) -> Result<(), Error> {
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

/// Optional outputs of a step. An output that is off costs nothing, and its array is empty.
///
/// The list of legal actions is always computed, because it is needed to detect mate.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Outputs {
    /// Legal actions as a bit mask: 904 bytes for each game.
    pub legal_bits: bool,
    /// Legal actions as a byte mask: 7,192 bytes for each game.
    pub legal_bytes: bool,
    /// The observation: 620 bytes for each game.
    pub observation: bool,
}

/// Gymnasium's autoreset modes: what happens to a game that has ended.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Autoreset {
    /// The step that ends a game returns its final observation. The next step ignores its action,
    /// resets the game, and returns the first observation with reward 0.
    #[default]
    NextStep,
    /// The step that ends a game also resets it and returns the first observation of the next game.
    /// Rewards and flags are those of the game that ended. Its final observation is kept
    /// separately.
    SameStep,
    /// A game that has ended stays as it is until it is reset. A step of such a game is an error.
    /// If illegal actions are not errors, it has no effect, and `move_valid` is false.
    Disabled,
}

/// What the masks of legal actions, bits and bytes, show of a game that has ended. The list of
/// legal actions is empty either way.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum EndedMask {
    /// No action: there is none.
    #[default]
    Zeros,
    /// Every action, so that a softmax over the mask has something to share out. Under
    /// [`Autoreset::NextStep`] whatever is chosen is ignored.
    Ones,
}

/// What happens on an illegal action.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Illegal {
    /// The step is an error, and the whole batch is left unchanged.
    #[default]
    Error,
    /// The game is left unchanged, with reward 0.
    Noop,
    /// The game ends, with [`ILLEGAL_REWARD`] for the player and 0 for the others.
    Lose,
}

/// The reward of a player who loses by an illegal action.
pub const ILLEGAL_REWARD: f32 = -1.0;

/// How rewards are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reward {
    /// The points that each seat gained in the step, awards included.
    Points,
    /// At the end of a game, 1 for the first place, 1/3 and -1/3 for the next, and -1 for the last;
    /// tied players get the mean. For teams, 1 for both winners and -1 for both losers. 0 for a
    /// truncated game.
    Outcome,
}
