//! The flags of commands that make puzzles.

use kenken::{GenerateError, OperatorMix};

use super::seed::{Seed, seed};
use crate::exit::bad_command;

/// What new puzzles are made of.
#[derive(clap::Args)]
pub(super) struct Making {
    /// Random seed; the same seed gives the same result. 'random' takes a new one and prints it
    #[arg(long, value_name = "SEED", default_value = "0", value_parser = seed)]
    pub(super) seed: Seed,
    /// Operators to use: + - * / and ? (hidden); repeat one to make it more frequent. Puzzles with
    /// hidden operators have no game ID
    #[arg(long, value_name = "SIGNS", default_value = "++---**//////", value_parser = mix)]
    pub(super) operators: OperatorMix,
    /// Weights of cages with 1, 2, 3... cells. A weight of 0 excludes a size; sizes that no
    /// operator in --operators allows are excluded too
    #[arg(long, value_name = "W,W,...", value_delimiter = ',', default_value = "2,50,30,12,4")]
    pub(super) cages: Vec<u32>,
}

/// Names the flags that leave no puzzle.
pub(super) fn refused(error: GenerateError) -> anyhow::Error {
    match error {
        GenerateError::Empty | GenerateError::Sizes { .. } => {
            bad_command(format_args!("--cages, --operators: {error}"))
        }
        error => bad_command(error),
    }
}

/// The operators of a text; repeats are weights.
fn mix(signs: &str) -> Result<OperatorMix, String> {
    let mut mix = OperatorMix { add: 0, subtract: 0, multiply: 0, divide: 0, unknown: 0 };
    for sign in signs.chars() {
        *match sign {
            '+' => &mut mix.add,
            '-' => &mut mix.subtract,
            '*' | 'x' => &mut mix.multiply,
            '/' => &mut mix.divide,
            '?' => &mut mix.unknown,
            _ => return Err(format!("'{sign}' is not one of + - * / ?")),
        } += 1;
    }
    Ok(mix)
}
