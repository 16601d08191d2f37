//! The command `best`.

use std::cmp::Reverse;

use tables::{
    Shape,
    game::{MOVES, legal_move},
};

use crate::{
    Notation,
    exit::{Exit, Outcome},
    rows::Output,
    stored::{Stored, Worth},
};

/// List the moves of a position, best first, each with its value
///
/// remoteness is the number of plies to the end with best play, from this move on: the side that is
/// ahead, or even, takes the shortest way and the side that is behind the longest.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Position [default: the start of the game]
    #[arg(value_name = "POSITION")]
    position: Option<String>,
    #[command(flatten)]
    stored: Stored,
    #[command(flatten)]
    output: Output,
}

/// Lists the moves of a position.
pub fn run<G: Notation>(args: &Args) -> Outcome {
    let mut solved = args.stored.open::<G>()?;
    let position = solved.position_or_start(args.position.as_deref())?;
    let best = solved.verdict(&position)?.best;
    let mut moves = solved.moves(&position)?;
    moves.sort_by_key(|Worth { edge, value, .. }| (Reverse(*value), best != Some(edge.mv)));
    let game = &solved.game;
    let mut rows = args.output.rows(&MOVES, Shape::Many)?;
    for Worth { edge, value, remoteness } in moves {
        let (name, after) = (game.name_move(&position, edge.mv), game.write(&edge.to));
        rows.row(&legal_move(name, &edge, value, remoteness, best == Some(edge.mv), after))?;
    }
    rows.finish()?;
    Ok(Exit::Fine)
}
