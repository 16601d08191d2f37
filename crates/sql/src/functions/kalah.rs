//! Solved games of Kalah as tables.

use std::ops::ControlFlow;

use kalah_answers::Solved;
use tables::{
    Batches,
    kalah::{POSITIONS, position},
};

use crate::{Supplier, Taker};

/// The function `kalah_store`.
pub(crate) fn supplier() -> Supplier {
    Supplier {
        name: "kalah_store",
        takes: "url",
        says: "The positions of a solved game of Kalah, as the table kalah.positions. The argument \
               is a store URL, as for --store.",
        example: "kalah_store('sqlite:kalah-4x3-std_either.sqlite')",
        schema: POSITIONS.schema(),
        rows: supply,
    }
}

fn supply(url: &str, take: &mut Taker<'_>) -> Result<(), String> {
    let mut solved = Solved::open(url).map_err(|error| error.to_string())?;
    let kalah = solved.kalah;
    let mut batches = Batches::new(&POSITIONS);
    let end = solved.each_position(|at, row| match batches.row(&position(&kalah, at, row)) {
        Some(batch) => take(batch),
        None => ControlFlow::Continue(()),
    });
    if end.map_err(|error| error.to_string())?.is_continue()
        && let Some(rest) = batches.rest()
    {
        // Whether more is wanted does not matter after the last.
        let _ = take(rest);
    }
    Ok(())
}
