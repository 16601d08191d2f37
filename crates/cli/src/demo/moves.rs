//! The legal moves of a whole table of positions, from the rules as rows, in one plan.

use std::{io::Write, path::Path};

use super::questions::Engine;
use crate::{files::Stream, sql::Sink};

pub(super) fn write(out: &mut Stream, directory: &Path) -> anyhow::Result<()> {
    let engine = Engine::new(directory)?;
    let mut sink = Sink::new(None, Some(&directory.join("moves.parquet")))?;
    let moves = sink.write(engine.stream(include_str!("questions/moves.sql"))?)?;
    sink.finish()?;
    writeln!(
        out,
        "{moves} legal moves of all those positions, computed in one query plan that joins the \
         positions to the rules, which are rows of a table. The result marks the moves that were \
         played and the moves that mate."
    )?;
    Ok(())
}
