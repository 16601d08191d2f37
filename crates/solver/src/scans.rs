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

/// Hands at most `most` rows of a rank to `visit`, those after the key `last`, and says whether
/// there are more.
///
/// A store can be either scanned or written. So work that writes asks for a batch, writes, and asks
/// for the next, for which the scan begins again, past the rows that are done. Most ranks are one
/// batch; of the others that keeps no more in memory than it may.
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
