//! A game of Kalah solved completely.

use std::{fs, io, io::Write, path::Path};

use anyhow::Context;
use game::{Game, Score};
use kalah::{Kalah, Rules};
use pictures::Size;
use solver::{Access, Header, Limits, Next, line, lookup, solve, statistics};

use crate::{files, kalah::plot};

/// Solves Kalah(4,3) into SQLite, tells its value and best play, and draws what positions are
/// worth.
pub(super) fn write(out: &mut impl Write, folder: &Path) -> anyhow::Result<()> {
    let kalah = Kalah::new(4, 3, Rules::STD_EITHER)?;
    let path = folder.join("kalah.sqlite");
    for ending in ["", "-wal", "-shm"] {
        let old = folder.join(format!("kalah.sqlite{ending}"));
        match fs::remove_file(&old) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot replace {}", old.display()));
            }
            _ => {}
        }
    }
    let url = format!("sqlite:{}", path.display());
    let mut store = stores::open(&url, Access::Create(Header::of(&kalah)))?;
    let solution = solve(&kalah, &mut *store, &Limits::default(), &mut |_| Next::Continue)?;
    let best = line(&kalah, &kalah.start(), |position| {
        let row = lookup(&kalah, &mut *store, position)?;
        row.and_then(|row| row.verdict).context("every position has its value")
    })?;
    let pits: Vec<_> = best.iter().map(|step| step.edge.mv.0.to_string()).collect();
    writeln!(
        out,
        "\nKalah with four pits a side and three seeds in each, solved completely: {} positions, \
         and the first player wins by {}. Best play sows the pits {}.\n",
        solution.positions,
        solution.verdict.score.0,
        pits.join(" ")
    )?;
    let statistics = statistics(&mut *store)?;
    let bars: Vec<_> = statistics
        .by_score
        .iter()
        .map(|(Score(value), count)| plot::Bar {
            name: value.to_string(),
            parts: [count.ahead, count.even, count.behind],
        })
        .collect();
    let svg = plot::bars(&kalah.name(), "value for the side to move", &bars);
    files::write(&folder.join("kalah.svg"), svg.as_bytes())?;
    files::write(&folder.join("kalah.png"), &pictures::png(&svg, Size::Width(860))?)?;
    Ok(())
}
