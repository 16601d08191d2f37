//! `everyply fourchess moves`

use fourchess::{Game, Kind, Move, Piece, Position, Rules, Seat};
use fourchess_env::Action;

use super::Board;
use crate::{
    exit::{Exit, Outcome},
    rows::{Output, Rows, Shape, Table, count, text},
};

/// List the legal moves of a position
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply fourchess moves
  everyply fourchess moves --rules teams --setup classic --format csv

The action is the number of the move for reinforcement learning, in the mover's frame.")]
pub(crate) struct Args {
    #[command(flatten)]
    board: Board,
    #[command(flatten)]
    output: Output,
}

static COLUMNS: Table = Table {
    name: "fourchess.moves",
    columns: &[
        text("move"),
        text("seat"),
        text("piece"),
        text("from"),
        text("to"),
        text("captures"),
        text("promotion"),
        count("action"),
        count("wide_action"),
    ],
};

pub(crate) fn run(args: &Args) -> Outcome {
    let rules = args.board.rules();
    let game = Game::from_position(args.board.position()?, rules);
    let mut rows = Rows::to_stdout(args.output, &COLUMNS, Shape::Many)?;
    for &mv in game.moves() {
        let position = game.position();
        let edge = rules.edge(position.turn());
        let action = Action::of(mv, edge);
        rows.row(&[
            game.move_text(mv).into(),
            position.turn().name().into(),
            position.piece(mv.from).map(|piece| piece.kind().name()).into(),
            mv.from.to_string().into(),
            mv.to.to_string().into(),
            captures(position, mv, rules).into(),
            mv.promotion.map(Kind::name).into(),
            action.map(|action| u64::from(action.id())).into(),
            action.map(|action| u64::from(action.wide(edge))).into(),
        ])?;
    }
    rows.finish()?;
    Ok(Exit::Fine)
}

/// What a move takes, if anything: a pawn that takes in passing may take two pieces.
fn captures(position: &Position, mv: Move, rules: &Rules) -> Option<String> {
    let taken: Vec<String> = position.captures(mv, rules).map(named).collect();
    (!taken.is_empty()).then(|| taken.join(" and "))
}

/// A piece with its owner: `blue knight`, `dead pawn`.
fn named(piece: Piece) -> String {
    let owner = piece.owner().map_or("dead", Seat::name);
    format!("{owner} {}", piece.kind().name())
}
