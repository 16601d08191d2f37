//! A game of Kalah solved completely.

use std::{
    fs,
    io::{ErrorKind, Write},
    path::Path,
};

use anyhow::Context;
use commands::stats::bar;
use game::{Game, Score};
use kalah::{Kalah, Rules};
use pictures::chart::{AHEAD_EVEN_BEHIND, Chart, Palette};
use solver::{Access, Header, Limits, Next, line, lookup, solve, statistics};

use super::picture;
use crate::{files::Stream, interrupt};

pub(super) const FILE: &str = "kalah.sqlite";

/// What SQLite keeps beside the file while it is open.
pub(super) fn beside() -> impl Iterator<Item = String> {
    ["-wal", "-shm"].into_iter().map(|ending| format!("{FILE}{ending}"))
}

/// Solves Kalah(4,3) into SQLite, tells its value and best play, and draws what positions are
/// worth.
pub(super) fn write(out: &mut Stream, directory: &Path) -> anyhow::Result<()> {
    let kalah = Kalah::new(4, 3, Rules::STD_EITHER)?;
    for name in beside().chain([FILE.to_owned()]) {
        remove(&directory.join(name))?;
    }
    let url = format!("sqlite:{}", directory.join(FILE).display());
    let mut store = stores::open(&url, Access::Create(Header::of(&kalah)))?;
    let solution = solve(&kalah, &mut *store, &Limits::default(), &mut |_| {
        if interrupt::requested() { Next::Stop } else { Next::Continue }
    })?;
    let best = line(&kalah, &kalah.start(), |position| {
        let row = lookup(&kalah, &mut *store, position)?;
        row.and_then(|row| row.verdict).context("every position has its value")
    })?;
    let pits: Vec<_> = best.iter().map(|step| step.edge.mv.0.to_string()).collect();
    writeln!(
        out,
        "Kalah with four pits on a side and three seeds in each pit: {} positions. The first \
         player wins by {}. Best play sows the pits {}. kalah.png shows the values of all \
         positions.",
        solution.positions,
        solution.verdict.score.0,
        pits.join(" ")
    )?;
    let statistics = statistics(&kalah, &mut *store)?;
    let bars: Vec<_> = statistics
        .by_score
        .iter()
        .map(|(Score(value), count)| bar(value.to_string(), count))
        .collect();
    let title = kalah.name();
    let axis = "value for the side to move";
    let chart = Chart { title: &title, axis, series: &AHEAD_EVEN_BEHIND, palette: Palette::LIGHT };
    picture(directory, "kalah", &chart.stacked(&bars))
}

/// Removes a file if it is there.
fn remove(path: &Path) -> anyhow::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}
