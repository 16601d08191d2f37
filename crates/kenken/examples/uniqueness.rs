//! Times proofs of uniqueness: reads game IDs from standard input, one per line, and writes for
//! each the best of five times in nanoseconds, parsing included, and the number of solutions.

use std::{
    io::{self, BufRead, Write},
    time::Instant,
};

use kenken::{Limits, Solver, keen};

fn main() -> io::Result<()> {
    let mut solver = Solver::new();
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let mut best = u128::MAX;
        let mut solutions = 0;
        for _ in 0..5 {
            let start = Instant::now();
            let puzzle = keen::parse(line.trim()).map_err(io::Error::other)?;
            solutions = solver.count(&puzzle, 2, &Limits::NONE).solutions;
            best = best.min(start.elapsed().as_nanos());
        }
        writeln!(out, "{best} {solutions}")?;
    }
    Ok(())
}
