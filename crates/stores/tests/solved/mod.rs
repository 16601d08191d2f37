//! Kalah solved on a store has the rows it has in memory.

use kalah::{Kalah, Rules};
use solver::{Access, Header, Limits, Memory, Next, Row, Store, StoreError, every_row, solve};

/// Solves Kalah(3,3) and compares every row, which is all that an export is made of.
pub(crate) fn has_the_rows_of_memory(
    open: &impl Fn(&str, Access) -> Result<Box<dyn Store>, StoreError>,
) {
    let kalah = Kalah::new(3, 3, Rules::STD_EITHER).expect("a size that fits");
    let mut memory = Memory::new(Header::of(&kalah));
    let limits = Limits::default();
    solve(&kalah, &mut memory, &limits, &mut |_| Next::Continue).expect("a solution");
    let expected = rows(&mut memory);
    let name = "kalah-3-3";
    let mut store = open(name, Access::Create(Header::of(&kalah))).expect("a new store");
    solve(&kalah, &mut *store, &limits, &mut |_| Next::Continue).expect("a solution");
    assert!(rows(&mut *store) == expected, "the rows differ from those in memory");
    drop(store);
    let mut store = open(name, Access::Read).expect("a solved store");
    assert!(rows(&mut *store) == expected, "the rows read back differ from those in memory");
}

fn rows(store: &mut dyn Store) -> Vec<Row> {
    let mut rows = Vec::new();
    every_row(store, &mut |row| rows.push(*row)).expect("rows");
    rows
}
