//! Opponents of different strength.

use std::{fmt, str::FromStr};

use game::{Game, MoveId};
use kalah::{Kalah, Position};
use solver::mix;

use crate::{AnswerError, Oracle, Watch, look_ahead};

/// How an opponent chooses its moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Opponent {
    /// Always a best move, as far as the time suffices.
    Perfect,
    /// The best move as far as it looks ahead.
    Good {
        /// How many moves it looks ahead.
        depth: u32,
    },
    /// A best move, but now and then any move.
    Casual {
        /// How often it takes any move, in percent.
        errs: u32,
    },
    /// Any move.
    Random,
}

impl Opponent {
    /// The names, each with what it means.
    pub const NAMES: [(&'static str, &'static str); 4] = [
        ("perfect", "Always makes a best move"),
        ("good", "Looks some moves ahead; good=8 looks eight moves ahead"),
        ("casual", "Plays at random now and then; casual=30 in 30 percent of its moves"),
        ("random", "Plays at random"),
    ];

    /// Its move in a position; `None` if the game is over. The same seed and the same number of
    /// moves before give the same move.
    pub fn choose(
        self,
        oracle: &mut Oracle,
        position: &Position,
        seed: u64,
        moves_before: usize,
        watch: Watch<'_>,
    ) -> Result<Option<MoveId>, AnswerError> {
        let kalah = Kalah::from_start(*position, oracle.rules());
        if kalah.outcome(position).is_some() {
            return Ok(None);
        }
        let chance = mix(seed ^ mix(moves_before as u64));
        let any = || {
            let moves: Vec<_> = kalah.moves(position).collect();
            Some(MoveId(moves[(mix(chance) % moves.len() as u64) as usize].number()))
        };
        match self {
            Opponent::Random => Ok(any()),
            Opponent::Casual { errs } if chance % 100 < u64::from(errs) => Ok(any()),
            Opponent::Good { depth } => Ok(look_ahead(&kalah, position, depth)),
            Opponent::Perfect | Opponent::Casual { .. } => oracle.reply(position, watch),
        }
    }
}

impl fmt::Display for Opponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Opponent::Perfect => f.write_str("perfect"),
            Opponent::Good { depth } => write!(f, "good={depth}"),
            Opponent::Casual { errs } => write!(f, "casual={errs}"),
            Opponent::Random => f.write_str("random"),
        }
    }
}

/// There is no opponent with this name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "'{}' is not an opponent, expected perfect, good, good=1 to good=16, casual, casual=0 to \
     casual=100 or random",
    .0.escape_debug()
)]
pub struct ParseOpponentError(String);

impl FromStr for Opponent {
    type Err = ParseOpponentError;

    fn from_str(text: &str) -> Result<Opponent, ParseOpponentError> {
        let (name, number) = match text.split_once('=') {
            Some((name, number)) => (name, Some(number.parse::<u32>())),
            None => (text, None),
        };
        match (name, number) {
            ("perfect", None) => Ok(Opponent::Perfect),
            ("random", None) => Ok(Opponent::Random),
            ("good", None) => Ok(Opponent::Good { depth: 6 }),
            ("good", Some(Ok(depth @ 1..=16))) => Ok(Opponent::Good { depth }),
            ("casual", None) => Ok(Opponent::Casual { errs: 25 }),
            ("casual", Some(Ok(errs @ 0..=100))) => Ok(Opponent::Casual { errs }),
            _ => Err(ParseOpponentError(text.to_owned())),
        }
    }
}
