//! What people ask of a store, by means of its scans and look-ups.

use std::ops::{ControlFlow, RangeInclusive};

use game::{Key, Rank};

use crate::store::{Row, Store, StoreError};

/// Hands all positions of a level, such as the seeds in play of Kalah, to `visit`, ordered by rank
/// and key.
pub fn at_level(
    store: &mut dyn Store,
    level: u16,
    visit: &mut dyn FnMut(&Row),
) -> Result<(), StoreError> {
    rows_of(store, Rank { level, step: 0 }..=Rank { level, step: u16::MAX }, visit)
}

/// Hands all positions that take this many moves from the start to `visit`, ordered by rank and
/// key. Rows are not ordered by depth, so this reads every one.
pub fn at_depth(
    store: &mut dyn Store,
    depth: u16,
    visit: &mut dyn FnMut(&Row),
) -> Result<(), StoreError> {
    every_row(store, &mut |row| {
        if row.depth == depth {
            visit(row);
        }
    })
}

/// Hands every position to `visit`, ordered by rank and key.
pub fn every_row(store: &mut dyn Store, visit: &mut dyn FnMut(&Row)) -> Result<(), StoreError> {
    rows_of(store, Rank::default()..=Rank::MAX, visit)
}

fn rows_of(
    store: &mut dyn Store,
    ranks: RangeInclusive<Rank>,
    visit: &mut dyn FnMut(&Row),
) -> Result<(), StoreError> {
    store.scan(ranks, &mut |rows| {
        rows.iter().for_each(&mut *visit);
        ControlFlow::Continue(())
    })
}

/// What is known of one position. Ask for many at once where there are many.
pub fn get(store: &mut dyn Store, rank: Rank, key: Key) -> Result<Option<Row>, StoreError> {
    let mut rows = Vec::with_capacity(1);
    store.find(rank, &[key], &mut rows)?;
    Ok(rows[0])
}

/// How many positions there are.
pub fn count(store: &mut dyn Store) -> Result<u64, StoreError> {
    Ok(store.ranks()?.iter().map(|(_, rows)| rows).sum())
}
