//! Writes, reads and checks parts.

use std::{
    collections::{BTreeSet, VecDeque},
    ops::RangeInclusive,
};

use bytes::Bytes;
use game::Rank;
use parquet::errors::ParquetError;
use solver::{Header, Row, StoreError, tasks::Number};

use super::{
    Bucket, PART,
    manifest::{Entry, Manifest, Run},
    part::{self, Reader},
};

pub(super) const MANIFEST: &str = "manifest";

/// The size of the cache of parts, in bytes.
const KEPT: usize = 1 << 28;

pub(super) struct Shelf {
    bucket: Box<dyn Bucket>,
    /// The number of this writer.
    writer: u64,
    /// The number of parts that this writer has written.
    written: u64,
    /// The cached parts, the most recently used last.
    kept: VecDeque<(String, Bytes)>,
}

impl Shelf {
    pub(super) fn new(bucket: Box<dyn Bucket>) -> Shelf {
        Shelf { bucket, writer: 0, written: 0, kept: VecDeque::new() }
    }

    pub(super) fn place(&self) -> &str {
        self.bucket.place()
    }

    /// Takes a writer number for new parts, and returns it.
    pub(super) fn begin_writing(&mut self, last: u64) -> u64 {
        self.writer = self.bucket.writer(last);
        self.writer
    }

    pub(super) fn manifest(&mut self) -> Result<Option<Manifest>, StoreError> {
        let Some(text) = self.bucket.read(MANIFEST)? else { return Ok(None) };
        Manifest::from_text(&text).map(Some).map_err(|cause| self.corrupt(MANIFEST, cause))
    }

    pub(super) fn swap(&mut self, manifest: &Manifest) -> Result<(), StoreError> {
        self.bucket.swap(MANIFEST, manifest.to_text().into())
    }

    pub(super) fn remove(&mut self, name: &str) -> Result<(), StoreError> {
        self.kept.retain(|(kept, _)| kept != name);
        self.bucket.remove(name)
    }

    /// Removes our parts that the manifest does not list, and everything that tasks wrote on the
    /// way.
    pub(super) fn remove_others(&mut self, manifest: &Manifest) -> Result<(), StoreError> {
        let listed: BTreeSet<&str> = manifest.parts().map(|part| part.name.as_str()).collect();
        let mut names = self.bucket.list()?;
        names.retain(|name| is_work(name) || is_part(name) && !listed.contains(name.as_str()));
        // The last stages of tasks come first, then what tasks wrote: whenever this is cut short,
        // the stages that are left are the first ones, and whole.
        names.sort_unstable_by(|a, b| b.cmp(a));
        names.iter().try_for_each(|name| self.bucket.remove(name))
    }

    pub(super) fn begin_run<'a>(&'a mut self, header: &'a Header) -> RunWriter<'a> {
        RunWriter { shelf: self, header, rows: Vec::new(), run: Vec::new() }
    }

    pub(super) fn reader(
        &mut self,
        part: &Entry,
        ranks: RangeInclusive<Rank>,
    ) -> Result<Reader, StoreError> {
        let bytes = self.load(part)?;
        Reader::new(bytes, ranks).map_err(|error| self.corrupt(&part.name, error.to_string()))
    }

    /// The error of a part whose checksum matches but which is not valid Parquet.
    pub(super) fn unreadable(&self, error: &ParquetError) -> StoreError {
        StoreError::Corrupt { place: self.place().to_owned(), cause: error.to_string() }
    }

    fn load(&mut self, part: &Entry) -> Result<Bytes, StoreError> {
        if let Some(at) = self.kept.iter().position(|(name, _)| *name == part.name) {
            let latest = self.kept.remove(at).expect("it was just found there");
            let bytes = latest.1.clone();
            self.kept.push_back(latest);
            return Ok(bytes);
        }
        let Some(bytes) = self.bucket.read(&part.name)? else {
            return Err(self.corrupt(&part.name, "it is missing".to_owned()));
        };
        if bytes.len() as u64 != part.bytes {
            let cause = format!("it has {} bytes, expected {}", bytes.len(), part.bytes);
            return Err(self.corrupt(&part.name, cause));
        }
        if crc32fast::hash(&bytes) != part.crc32 {
            return Err(self.corrupt(&part.name, "its checksum does not match".to_owned()));
        }
        self.keep(part.name.clone(), bytes.clone());
        Ok(bytes)
    }

    fn keep(&mut self, name: String, bytes: Bytes) {
        self.kept.push_back((name, bytes));
        let mut total: usize = self.kept.iter().map(|(_, bytes)| bytes.len()).sum();
        while total > KEPT {
            total -= self.kept.pop_front().map_or(total, |(_, bytes)| bytes.len());
        }
    }

    fn corrupt(&self, name: &str, cause: String) -> StoreError {
        StoreError::Corrupt { place: format!("{}/{name}", self.place()), cause }
    }

    fn write(&mut self, header: &Header, rows: &[Row]) -> Result<Entry, StoreError> {
        self.written += 1;
        let number = Number { writer: self.writer, part: self.written };
        write_part(&mut *self.bucket, number, header, rows)
    }

    pub(super) fn bucket(&mut self) -> &mut dyn Bucket {
        &mut *self.bucket
    }
}

/// Writes rows as the part with a number.
pub(super) fn write_part(
    bucket: &mut dyn Bucket,
    number: Number,
    header: &Header,
    rows: &[Row],
) -> Result<Entry, StoreError> {
    let name = format!("positions-{:06}-{:06}.parquet", number.writer, number.part);
    let bytes = part::encode(header, rows).map_err(|error| StoreError::Unavailable {
        place: format!("{}/{name}", bucket.place()),
        cause: error.to_string(),
    })?;
    let place = |row: &Row| (row.rank, row.key);
    let entry = Entry {
        name: name.clone(),
        bytes: bytes.len() as u64,
        crc32: crc32fast::hash(&bytes),
        rows: rows.len() as u64,
        first: rows.first().map(place).expect("a part has rows"),
        last: rows.last().map(place).expect("a part has rows"),
    };
    bucket.write(&name, bytes)?;
    Ok(entry)
}

/// Whether a blob has a name of ours.
pub(crate) fn is_blob(name: &str) -> bool {
    name == MANIFEST || is_part(name) || is_work(name)
}

/// Whether a blob has the name of one that tasks read and write on the way.
fn is_work(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    name.strip_prefix("work-").is_some_and(|rest| rest.bytes().all(plain))
}

/// Whether a blob has the name of a part.
pub(super) fn is_part(name: &str) -> bool {
    let number = |digits: &str| digits.len() >= 6 && digits.bytes().all(|b| b.is_ascii_digit());
    let middle = name.strip_prefix("positions-").and_then(|name| name.strip_suffix(".parquet"));
    let numbers = middle.and_then(|middle| middle.split_once('-'));
    numbers.is_some_and(|(writer, part)| number(writer) && number(part))
}

/// Divides sorted rows into parts.
pub(super) struct RunWriter<'a> {
    shelf: &'a mut Shelf,
    header: &'a Header,
    rows: Vec<Row>,
    run: Run,
}

impl RunWriter<'_> {
    pub(super) fn shelf(&mut self) -> &mut Shelf {
        self.shelf
    }

    pub(super) fn push(&mut self, mut rows: &[Row]) -> Result<(), StoreError> {
        while !rows.is_empty() {
            let (now, later) = rows.split_at(rows.len().min(PART - self.rows.len()));
            self.rows.extend_from_slice(now);
            rows = later;
            if self.rows.len() == PART {
                self.cut()?;
            }
        }
        Ok(())
    }

    pub(super) fn end(mut self) -> Result<Run, StoreError> {
        if !self.rows.is_empty() {
            self.cut()?;
        }
        Ok(self.run)
    }

    fn cut(&mut self) -> Result<(), StoreError> {
        self.run.push(self.shelf.write(self.header, &self.rows)?);
        self.rows.clear();
        Ok(())
    }
}
