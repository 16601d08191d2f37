//! The command `line`.

use tables::{
    Shape,
    game::{LINE, line},
};

use crate::{
    Notation,
    exit::{Exit, Outcome},
    rows::Output,
    stored::Stored,
};

/// Print best play from a position to the end of the game, with the value at every move
///
/// Player 1 is the side to move in POSITION. Each value is from the view of the player who moves.
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

/// Prints best play from a position to the end.
pub fn run<G: Notation>(args: &Args) -> Outcome {
    let mut solved = args.stored.open::<G>()?;
    let position = solved.position_or_start(args.position.as_deref())?;
    let steps = solved.line(&position)?;
    let game = &solved.game;
    let mut rows = args.output.rows(&LINE, Shape::Many)?;
    for row in line(&steps, |position, mv| (game.write(position), game.name_move(position, mv))) {
        rows.row(&row)?;
    }
    rows.finish()?;
    Ok(Exit::Fine)
}
