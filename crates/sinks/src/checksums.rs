//! Checksums inside of a file, so that a changed byte is noticed by whoever reads that byte.
//!
//! A record with a CRC-32 for each block of the file stands where readers that know nothing of it
//! do not look: in front of the footer of Parquet, behind the end of a stream of Arrow. Metadata
//! would be no place for it, because other programs copy those into the files that they write.
//!
//! ```text
//! the record     bytes
//! zeros          8        to a reader of Arrow that looks for a second stream: there is none
//! blocks         4 each   CRC-32 of each 65,536 bytes before the record; the last may be fewer
//! tail           4        CRC-32 of what follows the record
//! before, after  8 + 8    how many bytes come before the record, and how many after it
//! record         4        CRC-32 of the record up to here
//! magic          8        evplysum
//! ```
//!
//! All numbers are little-endian.

use std::{
    io::{self, Read, Seek, SeekFrom, Write},
    ops::Range,
};

use crc32fast::Hasher;
use thiserror::Error;

/// Bytes of a block.
const BLOCK: u64 = 1 << 16;
const ZEROS: usize = 8;
const MAGIC: &[u8; 8] = b"evplysum";
/// Bytes of the record behind the sums of its blocks.
const END: usize = 32;

/// What a Parquet file with checksums names as its writer, in the form that the format asks for. It
/// stands in the footer, and other programs do not copy it: with this name and without a record, a
/// file is damaged.
pub const CREATED_BY: &str = "everyply version 1 (build checksums)";

/// What a file is, which says where the record stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Arrow: behind the end of a stream, or in front of the footer of a file that has one.
    Arrow,
    /// Parquet: in front of the footer.
    Parquet,
}

impl Layout {
    /// How many last bytes of a file tell how many follow the record.
    pub const LOOK: usize = 10;

    /// How many bytes follow the record, by the last ones of the file.
    fn after(self, end: &[u8]) -> Option<u64> {
        let (magic, is_stream): (&[u8], bool) = match self {
            Layout::Arrow => (b"ARROW1", !end.ends_with(b"ARROW1")),
            Layout::Parquet => (b"PAR1", false),
        };
        if is_stream {
            return Some(0);
        }
        let length = end.strip_suffix(magic)?.last_chunk()?;
        Some(u64::from(u32::from_le_bytes(*length)) + 4 + magic.len() as u64)
    }
}

/// A file is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Damage {
    /// Some bytes are others.
    #[error("bytes {} to {} do not match their checksum", .0.start, .0.end - 1)]
    Changed(Range<u64>),
    /// There are more or fewer bytes.
    #[error("the file has {found} bytes, expected {expected}")]
    Length {
        /// How many there are.
        found: u64,
        /// How many there were.
        expected: u64,
    },
    /// The record is not there, and the file says that it had one.
    #[error("its checksums are missing")]
    Missing,
}

/// Writes a file with its checksums.
#[derive(Debug)]
pub struct Summed<W> {
    out: W,
    layout: Layout,
    sums: Sums,
    /// Bytes that may come after the record.
    held: Option<Vec<u8>>,
}

impl<W: Write> Summed<W> {
    /// Begins a file.
    pub fn new(out: W, layout: Layout) -> Summed<W> {
        Summed { out, layout, sums: Sums::default(), held: None }
    }

    /// Says that the end is about to be written. It is kept in memory until [`Summed::finish`], to
    /// put the record in its place.
    pub fn hold(&mut self) {
        self.held.get_or_insert_default();
    }

    /// Writes the record and what comes after it, and returns what was written to.
    pub fn finish(mut self) -> io::Result<W> {
        let held = self.held.take().unwrap_or_default();
        let after = self.layout.after(&held).unwrap_or(0).min(held.len() as u64) as usize;
        let (before, after) = held.split_at(held.len() - after);
        self.sums.add(before);
        self.out.write_all(before)?;
        self.out.write_all(&self.sums.record(after))?;
        self.out.write_all(after)?;
        Ok(self.out)
    }
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.held {
            Some(held) => held.write(bytes),
            None => {
                let written = self.out.write(bytes)?;
                self.sums.add(&bytes[..written]);
                Ok(written)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Puts the record into a file that has been written without. A file whose end is not that of its
/// layout is left as it is.
pub(crate) fn add(file: &mut (impl Read + Write + Seek), layout: Layout) -> io::Result<()> {
    let size = file.seek(SeekFrom::End(0))?;
    let last = bytes(file, size.saturating_sub(Layout::LOOK as u64)..size)?;
    let Some(before) = layout.after(&last).and_then(|after| size.checked_sub(after)) else {
        return Ok(());
    };
    let after = bytes(file, before..size)?;
    file.rewind()?;
    let mut sums = Sums::default();
    let mut piece = vec![0; BLOCK as usize];
    while sums.length < before {
        let length = (before - sums.length).min(BLOCK) as usize;
        file.read_exact(&mut piece[..length])?;
        sums.add(&piece[..length]);
    }
    file.write_all(&sums.record(&after))?;
    file.write_all(&after)
}

fn bytes(file: &mut (impl Read + Seek), range: Range<u64>) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; (range.end - range.start) as usize];
    file.seek(SeekFrom::Start(range.start))?;
    file.read_exact(&mut bytes).map(|()| bytes)
}

/// The sums of the bytes that have gone by.
#[derive(Debug, Default)]
struct Sums {
    blocks: Vec<u8>,
    open: Hasher,
    length: u64,
}

impl Sums {
    fn add(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = BLOCK - self.length % BLOCK;
            let (now, later) = bytes.split_at(bytes.len().min(room as usize));
            self.open.update(now);
            self.length += now.len() as u64;
            if self.length.is_multiple_of(BLOCK) {
                self.close();
            }
            bytes = later;
        }
    }

    fn close(&mut self) {
        let sum = std::mem::take(&mut self.open).finalize();
        self.blocks.extend(sum.to_le_bytes());
    }

    fn record(mut self, after: &[u8]) -> Vec<u8> {
        if !self.length.is_multiple_of(BLOCK) {
            self.close();
        }
        let mut record = vec![0; ZEROS];
        record.extend(self.blocks);
        record.extend(crc32fast::hash(after).to_le_bytes());
        record.extend(self.length.to_le_bytes());
        record.extend((after.len() as u64).to_le_bytes());
        record.extend(crc32fast::hash(&record).to_le_bytes());
        record.extend(MAGIC);
        record
    }
}

/// The checksums of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checksums {
    blocks: Vec<u32>,
    record: u32,
    after: u32,
    /// Where the record begins and ends, and the file.
    places: [u64; 3],
}

impl Checksums {
    /// Where the last bytes of the record should be, by the last [`Layout::LOOK`] bytes of a file.
    /// `None` if the file cannot have a record.
    pub fn end(layout: Layout, last: &[u8], size: u64) -> Option<Range<u64>> {
        let end = size.checked_sub(layout.after(last)?)?;
        Some(end.checked_sub(END as u64)?..end)
    }

    /// Where the record is, by its last bytes, which stand at a place. `None` if there is none.
    pub fn place(end: &[u8], at: Range<u64>, size: u64) -> Result<Option<Range<u64>>, Damage> {
        if end.len() != END || !end.ends_with(MAGIC) {
            return Ok(None);
        }
        let [before, after] = [4, 12].map(|at| number(end, at));
        let record_end = before.saturating_add(Checksums::length(before));
        let expected = record_end.saturating_add(after);
        if expected != size {
            return Err(Damage::Length { found: size, expected });
        }
        if record_end != at.end {
            return Err(Damage::Changed(at));
        }
        Ok(Some(before..at.end))
    }

    /// Whether what follows the place of a record says that there was one.
    pub fn are_missing(after: &[u8]) -> bool {
        after.windows(CREATED_BY.len()).any(|text| text == CREATED_BY.as_bytes())
    }

    /// How long the record of so many bytes is.
    fn length(before: u64) -> u64 {
        before.div_ceil(BLOCK).saturating_mul(4).saturating_add((ZEROS + END) as u64)
    }

    /// Reads the record that stands at a place.
    pub fn from_record(record: &[u8], at: Range<u64>, size: u64) -> Result<Checksums, Damage> {
        let changed = || Damage::Changed(at.clone());
        let sums = record.len().checked_sub(ZEROS + END).ok_or_else(changed)?;
        let (summed, _) = record.split_at(record.len() - 12);
        let end = &record[ZEROS + sums..];
        if record.len() as u64 != Checksums::length(at.start)
            || crc32fast::hash(summed) != small(end, 20)
            || !record.ends_with(MAGIC)
        {
            return Err(changed());
        }
        let blocks = (0..sums / 4).map(|index| small(record, ZEROS + 4 * index)).collect();
        let places = [at.start, at.end, size];
        Ok(Checksums { blocks, record: crc32fast::hash(record), after: small(end, 0), places })
    }

    /// The checksums of a file, if it has any; what comes after the record is checked.
    pub fn of(file: &mut (impl Read + Seek), layout: Layout) -> io::Result<Option<Checksums>> {
        let size = file.seek(SeekFrom::End(0))?;
        let mut bytes = |range| bytes(file, range);
        let last = bytes(size.saturating_sub(Layout::LOOK as u64)..size)?;
        let Some(at) = Checksums::end(layout, &last, size) else { return Ok(None) };
        let end = at.end;
        let Some(at) = Checksums::place(&bytes(at.clone())?, at, size)? else {
            let are_missing = Checksums::are_missing(&bytes(end..size)?);
            return if are_missing { Err(Damage::Missing.into()) } else { Ok(None) };
        };
        let sums = Checksums::from_record(&bytes(at.clone())?, at.clone(), size)?;
        sums.check(at.end, &bytes(at.end..size)?)?;
        Ok(Some(sums))
    }

    /// Checks all bytes of a file.
    pub fn check_all(&self, file: &mut (impl Read + Seek)) -> io::Result<()> {
        let size = file.seek(SeekFrom::End(0))?;
        if size != self.size() {
            return Err(Damage::Length { found: size, expected: self.size() }.into());
        }
        file.rewind()?;
        let mut bytes = Vec::new();
        let mut at = 0;
        while at < size {
            let block = self.block(at).0;
            bytes.clear();
            file.take(block.end - block.start).read_to_end(&mut bytes)?;
            self.check(at, &bytes)?;
            at = block.end;
        }
        Ok(())
    }

    /// How many bytes the file has.
    pub fn size(&self) -> u64 {
        self.places[2]
    }

    /// The bytes that have to be read to check a range.
    pub fn around(&self, range: Range<u64>) -> Range<u64> {
        if range.is_empty() || range.start >= self.size() {
            return range;
        }
        self.block(range.start).0.start..self.block(range.end.min(self.size()) - 1).0.end
    }

    /// Checks whole blocks that begin at a place, see [`Checksums::around`].
    pub fn check(&self, mut at: u64, mut bytes: &[u8]) -> Result<(), Damage> {
        while !bytes.is_empty() && at < self.size() {
            let (block, sum) = self.block(at);
            let length = (block.end - at).min(bytes.len() as u64) as usize;
            let (now, later) = bytes.split_at(length);
            if at != block.start
                || now.len() as u64 != block.end - at
                || crc32fast::hash(now) != sum
            {
                return Err(Damage::Changed(block));
            }
            (at, bytes) = (block.end, later);
        }
        Ok(())
    }

    /// The block of a byte, and its sum. The record and what follows it are blocks of their own.
    fn block(&self, at: u64) -> (Range<u64>, u32) {
        let [before, after, size] = self.places;
        if at < before {
            let index = at / BLOCK;
            let start = index * BLOCK;
            (start..(start + BLOCK).min(before), self.blocks[index as usize])
        } else if at < after {
            (before..after, self.record)
        } else {
            (after..size, self.after)
        }
    }
}

impl From<Damage> for io::Error {
    fn from(damage: Damage) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, damage)
    }
}

fn small(bytes: &[u8], at: usize) -> u32 {
    bytes[at..at + 4].try_into().map_or(0, u32::from_le_bytes)
}

fn number(bytes: &[u8], at: usize) -> u64 {
    bytes[at..at + 8].try_into().map_or(0, u64::from_le_bytes)
}
