//! `everyply fourchess perft`

use std::time::Instant;

use fourchess::{Move, MoveList, Position, Rules, perft};
use rayon::prelude::*;
use tables::{Shape, fourchess as table};

use super::Board;
use crate::{
    exit::{Exit, Outcome},
    interrupt,
    perft::{Counting, say_rate},
    progress,
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
    let pool = counting.threads.pool()?;
    let divided = pool.install(|| divide(&position, rules, counting.depth));
    if interrupt::requested() {
        return Ok(Exit::Interrupted);
    }
    let (nodes, took) = (counting.total(&divided), start.elapsed());
    if counting.is_divided() {
        let mut rows = counting.output.rows(&table::DIVIDE, Shape::Many)?;
        for (mv, nodes) in divided {
            rows.row(&table::divided(&position, rules, mv, nodes))?;
        }
        rows.finish()?;
    } else {
        let mut rows = counting.output.rows(&table::PERFT, Shape::One)?;
        rows.row(&table::perft(&position, rules, counting.depth, nodes))?;
        rows.finish()?;
    }
    say_rate(nodes, took);
    Ok(Exit::Fine)
}

/// Counts below each legal move, the work cut into pieces of two plies and shared among threads.
fn divide(position: &Position, rules: &Rules, depth: u32) -> Vec<(Move, u64)> {
    let moves = legal(position, rules);
    let mut pieces = Vec::new();
    for (index, &mv) in moves.iter().enumerate() {
        let mut next = *position;
        next.play(mv, rules);
        match depth {
            0 => {}
            1 => pieces.push((index, next, 0)),
            _ => pieces.extend(legal(&next, rules).into_iter().map(|reply| {
                let mut after = next;
                after.play(reply, rules);
                (index, after, depth - 2)
            })),
        }
    }
    let bar = progress::pieces("perft", pieces.len() as u64);
    let counts = pieces.par_iter().with_max_len(1).map(|(index, position, depth)| {
        let nodes = if interrupt::requested() { 0 } else { perft(position, rules, *depth) };
        bar.inc(1);
        (*index, nodes)
    });
    let counts: Vec<(usize, u64)> = counts.collect();
    bar.finish_and_clear();
    let mut divided: Vec<(Move, u64)> = moves.into_iter().map(|mv| (mv, 0)).collect();
    for (index, nodes) in counts {
        divided[index].1 += nodes;
    }
    divided
}

fn legal(position: &Position, rules: &Rules) -> Vec<Move> {
    let mut moves = MoveList::new();
    position.legal_moves(rules, &mut moves);
    moves.as_slice().to_vec()
}
