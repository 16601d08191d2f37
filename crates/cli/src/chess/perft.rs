//! `everyply chess perft`

use std::{
    sync::atomic::{AtomicU64, AtomicUsize, Ordering},
    thread,
    time::Instant,
};

use chess::{Move, Position, San, Uci};

use crate::{
    exit::{Exit, Outcome},
    interrupt,
    perft::{Counting, say_rate},
    progress,
    rows::{Cell, Rows, Shape, Table, count, text},
};

/// Count the sequences of legal moves of a given length
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply chess perft --depth 6
  everyply chess perft --depth 5 --fen 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1'
  everyply chess perft --depth 4 --divide --format csv
  everyply chess perft --depth 5 --format json | jq .nodes")]
pub(crate) struct Args {
    /// The position, or 'start'
    #[arg(long, default_value = "start", value_name = "FEN")]
    fen: String,
    #[command(flatten)]
    counting: Counting,
}

static TOTAL: Table =
    Table { name: "chess.perft", columns: &[text("fen"), count("depth"), count("nodes")] };
static DIVIDED: Table =
    Table { name: "chess.divide", columns: &[text("uci"), text("san"), count("nodes")] };

pub(crate) fn run(args: &Args) -> Outcome {
    let position = super::position(&args.fen)?;
    let counting = &args.counting;
    let start = Instant::now();
    let divided = divide(&position, counting.depth, counting.threads.count().get());
    if interrupt::requested() {
        return Ok(Exit::Interrupted);
    }
    let (nodes, took) = (counting.total(&divided), start.elapsed());

    if counting.is_divided() {
        let mut rows = Rows::to_stdout(counting.output, &DIVIDED, Shape::Many)?;
        for &(mv, nodes) in &divided {
            let uci = Uci::of(&position, mv).to_string();
            let san = San::of(&position, mv).to_string();
            rows.row(&[uci.into(), san.into(), nodes.into()])?;
        }
        rows.finish()?;
    } else {
        let mut rows = Rows::to_stdout(counting.output, &TOTAL, Shape::One)?;
        rows.row(&[position.to_string().into(), Cell::Count(counting.depth.into()), nodes.into()])?;
        rows.finish()?;
    }
    say_rate(nodes, took);
    Ok(Exit::Fine)
}

/// Counts below each legal move, the work cut into pieces of two plies and shared among threads.
fn divide(position: &Position, depth: u32, threads: usize) -> Vec<(Move, u64)> {
    let moves: Vec<Move> = position.legal_moves().iter().collect();
    let counts: Vec<AtomicU64> = moves.iter().map(|_| AtomicU64::new(0)).collect();
    let mut pieces = Vec::new();
    for (index, &mv) in moves.iter().enumerate() {
        let next = position.play(mv);
        match depth {
            0 => {}
            1 => pieces.push((index, next, 0)),
            _ => pieces.extend(
                next.legal_moves().iter().map(|reply| (index, next.play(reply), depth - 2)),
            ),
        }
    }
    let bar = progress::pieces("perft", pieces.len() as u64);
    let next_piece = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..threads.min(pieces.len()) {
            scope.spawn(|| {
                while let Some((index, position, depth)) =
                    pieces.get(next_piece.fetch_add(1, Ordering::Relaxed))
                    && !interrupt::requested()
                {
                    counts[*index].fetch_add(chess::perft(position, *depth), Ordering::Relaxed);
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    moves.into_iter().zip(counts.into_iter().map(AtomicU64::into_inner)).collect()
}
