//! The parts of files that are read next to each other.

use std::{
    io::{self, Read, Seek, SeekFrom},
    ops::{ControlFlow, Range},
    sync::{Arc, Mutex, PoisonError},
};

use arrow::{
    array::{ArrayRef, AsArray, StringArray, UInt64Array},
    datatypes::{DataType, Field, Schema, SchemaRef, UInt64Type},
    record_batch::RecordBatch,
};
use datafusion::{
    error::{DataFusionError, Result},
    execution::{object_store::ObjectStoreUrl, runtime_env::RuntimeEnv},
};
use games::{BEHIND, Before, Kind, count, find_start, is_pgn};
use object_store::{GetOptions, GetRange, GetResultPayload, path::Path};
use sources::{Packing, Source};
use tokio::runtime::Handle;

use crate::{
    error::Unanswered,
    files::text::{Streamed, TextFile},
};

/// A part of a file: the games that begin in a range of its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) file: TextFile,
    /// Where the part begins and ends, roughly: it begins with the first game that certainly begins
    /// there or behind, and so does what follows.
    pub(crate) range: Range<u64>,
    /// The bytes of the file.
    pub(crate) size: u64,
}

/// Parts of fewer bytes cost more than they spare.
const SMALLEST: u64 = 1 << 16;

/// Shares files out to at most so many groups, of about the same number of bytes each. Only files
/// that are not compressed can be cut.
pub(crate) fn shared_out(files: Vec<(TextFile, u64)>, groups: usize) -> Vec<Vec<Part>> {
    let groups = groups.max(1);
    let total: u64 = files.iter().map(|(_, size)| size).sum();
    let share = total.div_ceil(groups as u64).max(SMALLEST);
    let mut shared = vec![Vec::new()];
    let mut filled = 0;
    for (file, size) in files {
        let is_plain = !(file.location.ends_with(".gz") || file.location.ends_with(".zst"));
        let mut from = 0;
        while is_plain && shared.len() < groups && size - from > share - filled {
            let to = from + share - filled;
            let part = Part { file: file.clone(), range: from..to, size };
            shared.last_mut().expect("there is a group").push(part);
            shared.push(Vec::new());
            (from, filled) = (to, 0);
        }
        filled += size - from;
        let part = Part { file, range: from..size, size };
        shared.last_mut().expect("there is a group").push(part);
        if filled >= share && shared.len() < groups {
            shared.push(Vec::new());
            filled = 0;
        }
    }
    if shared.len() > 1 && shared.last().is_some_and(Vec::is_empty) {
        shared.pop();
    }
    shared
}

impl Part {
    fn is_whole(&self) -> bool {
        self.range == (0..self.size)
    }

    /// The unpacked bytes of the part, and where it begins; nothing if no game begins in it.
    pub(crate) fn open(&self, runtime: &RuntimeEnv, kind: Kind) -> Result<Option<(Source, u64)>> {
        if self.is_whole() {
            return Ok(Some((self.file.open(runtime)?, 0)));
        }
        // What a file holds is told by its beginning. Whoever reads that reads all of a file that
        // cannot be cut.
        let mut head = self.file.open(runtime)?;
        if head.packing() != Packing::Plain || !is_pgn(&mut head, kind) {
            return Ok((self.range.start == 0).then_some((head, 0)));
        }
        let Range { start, end } = self.found(runtime)?;
        if start >= end {
            return Ok(None);
        }
        let bytes = self.file.bytes(runtime, start..end)?;
        Ok(Some((Source::from_reader(self.file.name.clone(), bytes), start)))
    }

    /// Where the part really begins and ends.
    fn found(&self, runtime: &RuntimeEnv) -> Result<Range<u64>> {
        let find = |from: u64| {
            if from == 0 || from >= self.size {
                return Ok(from.min(self.size));
            }
            // A game begins at the first byte, or where enough stands before it to tell.
            let from = from.max(BEHIND as u64).min(self.size);
            let bytes = self.file.bytes(runtime, from - BEHIND as u64..self.size)?;
            let found = find_start(bytes).map_err(|error| self.failed(&error))?;
            Ok::<_, DataFusionError>(found.map_or(self.size, |at| from + at))
        };
        let start = if self.range.start == 0 { 0 } else { find(self.range.start)? };
        Ok(start..find(self.range.end)?)
    }

    /// What a range of the file holds; nothing if nobody wants to know any more.
    fn count(
        &self,
        range: Range<u64>,
        runtime: &RuntimeEnv,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<Option<Before>> {
        let go_on = || if is_wanted() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
        let bytes = self.file.bytes(runtime, range)?;
        count(bytes, go_on).map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &io::Error) -> DataFusionError {
        Unanswered::or_failed(error, format!("{}: {error}", self.file.name))
    }
}

/// The columns of parts as rows.
pub(crate) fn parts_schema() -> SchemaRef {
    let text = ["store", "location", "name"].map(|name| Field::new(name, DataType::Utf8, false));
    let numbers = ["start", "end", "size"].map(|name| Field::new(name, DataType::UInt64, false));
    Arc::new(Schema::new(text.into_iter().chain(numbers).collect::<Vec<Field>>()))
}

/// Parts as rows.
pub(crate) fn rows_of(parts: &[Part]) -> Result<RecordBatch> {
    let text = |of: fn(&Part) -> &str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(parts.iter().map(of)))
    };
    let number = |of: fn(&Part) -> u64| -> ArrayRef {
        Arc::new(UInt64Array::from_iter_values(parts.iter().map(of)))
    };
    let columns = vec![
        text(|part| &part.file.store),
        text(|part| &part.file.location),
        text(|part| &part.file.name),
        number(|part| part.range.start),
        number(|part| part.range.end),
        number(|part| part.size),
    ];
    Ok(RecordBatch::try_new(parts_schema(), columns)?)
}

/// The parts that rows tell.
pub(crate) fn parts_of(rows: &[RecordBatch]) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    for batch in rows {
        if batch.schema().fields() != parts_schema().fields() {
            return Err(DataFusionError::Internal("rows that are not parts of files".to_owned()));
        }
        let text = |column: usize, row: usize| {
            batch.column(column).as_string::<i32>().value(row).to_owned()
        };
        let number = |column: usize, row: usize| {
            batch.column(column).as_primitive::<UInt64Type>().value(row)
        };
        parts.extend((0..batch.num_rows()).map(|row| Part {
            file: TextFile { store: text(0, row), location: text(1, row), name: text(2, row) },
            range: number(3, row)..number(4, row),
            size: number(5, row),
        }));
    }
    Ok(parts)
}

/// What stands before each part of a scan in its file, counted when it is asked for.
#[derive(Debug)]
pub(crate) struct Counts {
    parts: Vec<Part>,
    /// What each part holds, once that is known.
    held: Vec<Mutex<Option<Before>>>,
}

impl Counts {
    pub(crate) fn new(groups: &[Vec<Part>]) -> Arc<Counts> {
        let parts: Vec<Part> = groups.iter().flatten().cloned().collect();
        let held = parts.iter().map(|_| Mutex::default()).collect();
        Arc::new(Counts { parts, held })
    }

    /// What stands before a part that begins at a place; nothing if nobody wants to know any more.
    ///
    /// The part in front is counted first: others that wait for numbers too count those in front
    /// of them meanwhile.
    pub(crate) fn before(
        &self,
        part: &Part,
        start: u64,
        runtime: &RuntimeEnv,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<Option<Before>> {
        let mut before = Before::default();
        if start == 0 {
            return Ok(Some(before));
        }
        let Some(own) = self.parts.iter().position(|other| other == part) else {
            // A task of a cluster knows its own parts only.
            return part.count(0..start, runtime, is_wanted);
        };
        for index in (0..own).rev().take_while(|&index| self.parts[index].file == part.file) {
            match self.held(index, runtime, is_wanted)? {
                Some(held) => before = before + held,
                None => return Ok(None),
            }
        }
        Ok(Some(before))
    }

    fn held(
        &self,
        index: usize,
        runtime: &RuntimeEnv,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<Option<Before>> {
        let mut held = self.held[index].lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_some() {
            return Ok(*held);
        }
        let part = &self.parts[index];
        let range = part.found(runtime)?;
        if range.is_empty() {
            *held = Some(Before::default());
            return Ok(*held);
        }
        *held = part.count(range, runtime, is_wanted)?;
        Ok(*held)
    }
}

impl TextFile {
    /// Some of the bytes, as they are. It may wait for a bucket, so it must not be called where
    /// others wait.
    fn bytes(&self, runtime: &RuntimeEnv, range: Range<u64>) -> Result<Box<dyn Read + Send>> {
        let store = runtime.object_store(ObjectStoreUrl::parse(&self.store)?)?;
        let location = Path::parse(&self.location)?;
        let handle = Handle::current();
        let length = range.end - range.start;
        let start = range.start;
        let options = GetOptions { range: Some(GetRange::Bounded(range)), ..GetOptions::default() };
        let found = handle.block_on(store.get_opts(&location, options))?;
        Ok(match found.payload {
            GetResultPayload::File(mut file, _) => {
                file.seek(SeekFrom::Start(start))?;
                Box::new(file.take(length))
            }
            GetResultPayload::Stream(bytes) => Box::new(Streamed::new(handle, bytes)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str) -> TextFile {
        let text = || name.to_owned();
        TextFile { store: "file:///".into(), location: text(), name: text() }
    }

    #[test]
    fn files_are_shared_out_whole_and_once() {
        let sizes = [0, 10, 70_000, 1 << 20, 3 << 20, 5];
        for groups in 1..9 {
            for packed in 0..1 << sizes.len() {
                let name = |at: usize| match packed >> at & 1 {
                    0 => format!("{at}.pgn"),
                    _ => format!("{at}.pgn.zst"),
                };
                let files = (0..sizes.len()).map(|at| (file(&name(at)), sizes[at])).collect();
                let shared = shared_out(files, groups);
                assert!(shared.len() <= groups, "{groups} {packed:b} {shared:?}");
                assert!(shared.iter().all(|group| !group.is_empty()));
                let mut parts = shared.iter().flatten();
                for (at, &size) in sizes.iter().enumerate() {
                    let mut from = 0;
                    loop {
                        let part = parts.next().unwrap();
                        assert_eq!((&part.file, part.range.start), (&file(&name(at)), from));
                        assert!(part.is_whole() || packed >> at & 1 == 0);
                        from = part.range.end;
                        if from == size {
                            break;
                        }
                    }
                }
                assert_eq!(parts.next(), None);
                for group in &shared {
                    assert_eq!(parts_of(&[rows_of(group).unwrap()]).unwrap(), *group);
                }
            }
        }
    }
}
