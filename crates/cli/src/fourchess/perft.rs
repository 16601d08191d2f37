//! `everyply fourchess perft`

use std::time::Instant;

use fourchess::{MoveList, perft};
use tables::{Shape, fourchess as table};

use super::Board;
use crate::{
    exit::{Exit, Outcome},
    interrupt,
    perft::{Counting, say_rate},
};

/// Count the legal move sequences of a given length (perft)
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply fourchess perft --depth 5
  everyply fourchess perft --depth 4 --rules teams --setup classic --format json
  everyply fourchess perft --depth 3 --divide

A sequence ends if the seat to move has no legal moves: mated and stalemated seats are not
skipped.")]
pub(crate) struct Args {
    #[command(flatten)]
    board: Board,
    #[command(flatten)]
    counting: Counting,
}

pub(crate) fn run(args: &Args) -> Outcome {
    args.counting.output.check()?;
    let (position, rules) = (args.board.position()?, args.board.rules());
    let counting = &args.counting;
    let start = Instant::now();
    let divided = counting.divide(
        &position,
        |position| MoveList::of(position, &rules).to_vec(),
        |position, mv| position.play(mv, &rules),
        |position, depth| perft(position, &rules, depth),
    )?;
    if interrupt::requested() {
        return Ok(Exit::Interrupted);
    }
    let (nodes, took) = (counting.total(&divided), start.elapsed());
    if counting.is_divided() {
        let mut rows = counting.output.rows(&table::DIVIDE, Shape::Many)?;
        for (mv, nodes) in divided {
            rows.row(&table::divided(&position, &rules, mv, nodes))?;
        }
        rows.finish()?;
    } else {
        let mut rows = counting.output.rows(&table::PERFT, Shape::One)?;
        rows.row(&table::perft(&position, &rules, counting.depth, nodes))?;
        rows.finish()?;
    }
    say_rate(nodes, took);
    Ok(Exit::Fine)
}
