//! Merges several sorted lists of rows.

use std::{collections::BTreeMap, ops::RangeInclusive};

use game::{Key, Rank};
use solver::{Row, StoreError};

use super::{
    manifest::{Entry, Run},
    part::Reader,
    shelf::Shelf,
};

/// A list of rows sorted by rank and key, read in batches.
pub(super) enum Source<'a> {
    Memory(Box<dyn Iterator<Item = &'a Vec<Row>> + 'a>),
    Run { parts: std::slice::Iter<'a, Entry>, ranks: RangeInclusive<Rank>, reader: Option<Reader> },
}

impl<'a> Source<'a> {
    pub(super) fn memory(
        rows: &'a BTreeMap<Rank, Vec<Row>>,
        ranks: RangeInclusive<Rank>,
    ) -> Source<'a> {
        Source::Memory(Box::new(rows.range(ranks).map(|(_, rows)| rows)))
    }

    pub(super) fn run(run: &'a Run, ranks: RangeInclusive<Rank>) -> Source<'a> {
        let start = run.partition_point(|part| part.last.0 < *ranks.start());
        let end = run.partition_point(|part| part.first.0 <= *ranks.end());
        Source::Run { parts: run[start..end.max(start)].iter(), ranks, reader: None }
    }

    /// Reads the next rows into `batch`. Returns false at the end.
    pub(super) fn next(
        &mut self,
        shelf: &mut Shelf,
        batch: &mut Vec<Row>,
    ) -> Result<bool, StoreError> {
        batch.clear();
        match self {
            Source::Memory(lists) => {
                let rows = lists.find(|rows| !rows.is_empty());
                batch.extend_from_slice(rows.map_or(&[], Vec::as_slice));
                Ok(!batch.is_empty())
            }
            Source::Run { parts, ranks, reader } => loop {
                if let Some(open) = reader
                    && open.next(batch).map_err(|error| shelf.unreadable(&error))?
                {
                    return Ok(true);
                }
                let Some(part) = parts.next() else { return Ok(false) };
                *reader = Some(shelf.reader(part, ranks.clone())?);
            },
        }
    }
}

/// The union of sources. If several have a position, the row of the first one is used.
pub(super) struct Merge<'a> {
    sources: Vec<Ahead<'a>>,
}

struct Ahead<'a> {
    source: Source<'a>,
    batch: Vec<Row>,
    at: usize,
    ended: bool,
}

impl Ahead<'_> {
    fn head(&self) -> Option<(Rank, Key)> {
        self.batch.get(self.at).map(place)
    }

    fn fill(&mut self, shelf: &mut Shelf) -> Result<(), StoreError> {
        if self.at == self.batch.len() && !self.ended {
            self.at = 0;
            self.ended = !self.source.next(shelf, &mut self.batch)?;
        }
        Ok(())
    }
}

impl<'a> Merge<'a> {
    pub(super) fn new(sources: Vec<Source<'a>>) -> Merge<'a> {
        let ahead = |source| Ahead { source, batch: Vec::new(), at: 0, ended: false };
        Merge { sources: sources.into_iter().map(ahead).collect() }
    }

    /// Reads the next rows into `rows`. Returns false at the end.
    pub(super) fn next(
        &mut self,
        shelf: &mut Shelf,
        rows: &mut Vec<Row>,
    ) -> Result<bool, StoreError> {
        const ENOUGH: usize = 1 << 13;
        rows.clear();
        while rows.len() < ENOUGH {
            for source in &mut self.sources {
                source.fill(shelf)?;
            }
            let heads = self.sources.iter().enumerate();
            // The first of equal rows, which is the newest.
            let first = heads.filter_map(|(at, source)| Some((source.head()?, at))).min();
            let Some((_, first)) = first else { break };
            self.take_from(first, rows);
        }
        Ok(!rows.is_empty())
    }

    /// Takes from one source its first row, and all further rows that come before the first row of
    /// any other source.
    fn take_from(&mut self, first: usize, rows: &mut Vec<Row>) {
        let others = self.sources.iter().enumerate().filter(|(at, _)| *at != first);
        let next = others.filter_map(|(_, source)| source.head()).min();
        let source = &mut self.sources[first];
        let left = &source.batch[source.at..];
        let head = place(&left[0]);
        let free = next.map_or(left.len(), |next| left.partition_point(|row| place(row) < next));
        let taken = free.max(1);
        rows.extend_from_slice(&left[..taken]);
        source.at += taken;
        for source in &mut self.sources {
            if source.head() == Some(head) {
                source.at += 1;
            }
        }
    }
}

fn place(row: &Row) -> (Rank, Key) {
    (row.rank, row.key)
}
