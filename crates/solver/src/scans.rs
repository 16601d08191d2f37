//! Queries on a store: scans and look-ups.

use std::ops::{ControlFlow, RangeInclusive};

use game::{Key, Rank};

use crate::store::{Row, Store, StoreError};

/// Passes all positions of a level, such as the seeds in play of Kalah, to `visit`, ordered by rank
/// and key.
pub fn at_level(
    store: &mut dyn Store,
    level: u16,
    visit: &mut dyn FnMut(&Row),
) -> Result<(), StoreError> {
    rows_of(store, Rank { level, step: 0 }..=Rank { level, step: u16::MAX }, visit)
}

/// Passes all positions with this depth, the fewest moves from the start, to `visit`, ordered by
/// rank and key. Rows are not sorted by depth, so this reads every row.
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

/// Passes every position to `visit`, ordered by rank and key.
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

/// Passes at most `most` rows of a rank to `visit`, those after the key `last`. Returns whether
/// there are more.
///
/// A store cannot be written during a scan. So work that writes reads a batch, writes, and reads
/// the next batch with a new scan that skips the rows already done. Most ranks are one batch. For
/// the others this keeps memory within its limit.
pub(crate) fn next_batch(
    store: &mut dyn Store,
    rank: Rank,
    last: Option<Key>,
    most: usize,
    mut visit: impl FnMut(&Row),
) -> Result<bool, StoreError> {
    let (mut left, mut more) = (most, false);
    store.scan(rank..=rank, &mut |rows| {
        let done = last.map_or(0, |last| rows.partition_point(|row| row.key <= last));
        let new = &rows[done..];
        let now = new.len().min(left);
        new[..now].iter().for_each(&mut visit);
        left -= now;
        more = now < new.len();
        if more { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(more)
}

/// The row of one position. To look up many positions, use [`Store::find`].
pub fn get(store: &mut dyn Store, rank: Rank, key: Key) -> Result<Option<Row>, StoreError> {
    let mut rows = Vec::with_capacity(1);
    store.find(rank, &[key], &mut rows)?;
    Ok(rows[0])
}

/// The number of positions.
pub fn count(store: &mut dyn Store) -> Result<u64, StoreError> {
    Ok(store.ranks()?.iter().map(|(_, rows)| rows).sum())
}
