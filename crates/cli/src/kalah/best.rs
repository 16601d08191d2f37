//! `everyply kalah best`

use std::cmp::Reverse;

use game::{Edge, Game, MoveId, Score, Turn};
use kalah::{Kalah, Position, Standing};

use super::known::{Known, Place, TABLE_MEMORY};
use crate::{
    exit::{Exit, Outcome, bad_input},
    rows::{Output, Rows, Shape, Table, count, flag, number, text},
};

/// List the moves of a position, best first, with what each is worth and why
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kalah best 3,3,3,3/3,3,3,3 --store sqlite:kalah-4x3-std_either.sqlite
  everyply kalah best 0,4,4,4/3,3,3,3 --store sqlite:k43.sqlite --format json")]
pub(crate) struct Args {
    /// The position
    #[arg(value_name = "POSITION")]
    position: String,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    output: Output,
}

static COLUMNS: Table = Table {
    name: "kalah.moves",
    columns: &[
        count("pit"),
        number("value"),
        flag("best"),
        count("gain"),
        count("captured"),
        flag("again"),
        text("position"),
        text("why"),
    ],
};

/// A move and what it is worth to its maker.
#[derive(Clone, Copy)]
pub(super) struct Worth {
    pub(super) edge: Edge<Position>,
    pub(super) value: Score,
}

/// The moves of a position in the order of their pits.
pub(super) fn moves(known: &mut Known, position: &Position) -> anyhow::Result<Vec<Worth>> {
    let mut edges = Vec::new();
    let kalah = known.kalah();
    if kalah.outcome(position).is_none() {
        kalah.edges(position, |edge| edges.push(edge));
    }
    let worth = edges.into_iter().map(|edge| {
        let after = known.verdict(&edge.to)?;
        Ok(Worth { edge, value: Score::new(edge.worth(after.score))? })
    });
    worth.collect()
}

pub(crate) fn run(args: &Args) -> Outcome {
    let Standing { position, .. } = args.position.parse().map_err(bad_input)?;
    let mut known = args.place.open(TABLE_MEMORY)?;
    let verdict = known.verdict(&position)?;
    let mut moves = moves(&mut known, &position)?;
    moves.sort_by_key(|worth| (Reverse(worth.value), worth.edge.mv));
    let mut rows = Rows::to_stdout(args.output, &COLUMNS, Shape::Many)?;
    for Worth { edge, value } in moves {
        let MoveId(pit) = edge.mv;
        let sown = sown(&known.kalah(), &position, edge.mv);
        rows.row(&[
            u64::from(pit).into(),
            i64::from(value.0).into(),
            (verdict.best == Some(edge.mv)).into(),
            u64::from(sown.gain).into(),
            u64::from(sown.captured).into(),
            (sown.turn == Turn::Keeps).into(),
            edge.to.to_string().into(),
            sown.why().into(),
        ])?;
    }
    rows.finish()?;
    Ok(Exit::Fine)
}

/// What a move of the position does.
pub(super) fn sown(kalah: &Kalah, position: &Position, mv: MoveId) -> kalah::Sown {
    kalah.sow(position, kalah.pit_of(mv).expect("a move of the position"))
}
