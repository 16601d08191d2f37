//! A task that puts rows in order, as parts of a store.

use super::{Blobs, Number, Part, bytes::sections, damaged, message::Gather};
use crate::{
    store::{Header, Row},
    work::SolveError,
};

pub(super) fn run(
    header: &Header,
    task: &Gather,
    blobs: &mut dyn Blobs,
) -> Result<Vec<Part>, SolveError> {
    let read: u64 = task.sources.iter().map(|source| source.span.bytes).sum();
    blobs.hold(read as usize)?;
    let mut sources = Vec::with_capacity(task.sources.len());
    for source in &task.sources {
        let name = source.id.blob();
        let bytes = blobs.read(&name, source.span)?;
        sources.push((name, bytes));
    }
    // The sections of all sources, by rank.
    let mut ranks = Vec::new();
    for (name, bytes) in &sources {
        for section in sections(bytes).ok_or_else(|| damaged(name))? {
            let (rank, count) = section.head().ok_or_else(|| damaged(name))?;
            ranks.push((rank, count, name, section));
        }
    }
    ranks.sort_by_key(|(rank, ..)| *rank);
    let mut parts = Parts { header, task, rows: Vec::new(), parts: Vec::new() };
    let mut rows = Vec::new();
    for of_rank in ranks.chunk_by(|a, b| a.0 == b.0) {
        rows.clear();
        let count: usize = of_rank.iter().map(|(_, count, ..)| count).sum();
        let held = count.max(rows.capacity()) + parts.rows.capacity();
        blobs.hold(read as usize + held * size_of::<Row>())?;
        rows.reserve_exact(count);
        for (_, _, name, section) in of_rank {
            { *section }.rows(&mut rows).ok_or_else(|| damaged(name))?;
        }
        if of_rank.len() > 1 {
            rows.sort_unstable_by_key(|row: &Row| row.key);
        }
        parts.push(&rows, blobs)?;
    }
    parts.cut(blobs)?;
    Ok(parts.parts)
}

struct Parts<'a> {
    header: &'a Header,
    task: &'a Gather,
    rows: Vec<Row>,
    parts: Vec<Part>,
}

impl Parts<'_> {
    fn push(&mut self, mut rows: &[Row], blobs: &mut dyn Blobs) -> Result<(), SolveError> {
        let most = self.task.part as usize;
        while !rows.is_empty() {
            let (now, later) = rows.split_at(rows.len().min(most - self.rows.len()));
            self.rows.extend_from_slice(now);
            rows = later;
            if self.rows.len() == most {
                self.cut(blobs)?;
            }
        }
        Ok(())
    }

    fn cut(&mut self, blobs: &mut dyn Blobs) -> Result<(), SolveError> {
        if !self.rows.is_empty() {
            let part = self.task.first + self.parts.len() as u64;
            let number = Number { writer: self.task.writer, part };
            self.parts.push(blobs.write_part(number, self.header, &self.rows)?);
            self.rows.clear();
        }
        Ok(())
    }
}
