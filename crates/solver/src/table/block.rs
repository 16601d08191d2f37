//! A block: the sheets of two halves, one for each side to move, divided into chunks.

use std::ops::Range;

use game::{Half, Sheet};
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::{
    directory::{Directory, corrupt},
    manifest::{Listed, Manifest},
};
use crate::{StoreError, pages::Values};

/// About how many values are read at once where all values of a sheet are wanted.
const GROUP: usize = 1 << 20;

/// The compression level of zstd.
const LEVEL: i32 = 1;

const MAGIC: &[u8; 8] = b"evplytb1";
const HEAD: usize = 16;
const ENTRY: usize = 12;

/// The sheets of a block: first the one whose mover has more units, then the one whose mover has
/// fewer. There is only one if both sides have the same number.
pub(super) fn sheets((more, less): (u16, u16)) -> impl Iterator<Item = Sheet> {
    let sheet = Sheet { own: more, other: less };
    [sheet].into_iter().chain((more != less).then(|| sheet.turned()))
}

/// The block that a sheet belongs to.
pub(super) fn block_of(sheet: Sheet) -> (u16, u16) {
    (sheet.own.max(sheet.other), sheet.own.min(sheet.other))
}

/// How many values a sheet has.
pub(super) fn cells(halves: &[Half], sheet: Sheet) -> usize {
    halves[usize::from(sheet.own)].count() * halves[usize::from(sheet.other)].count()
}

/// The name of a file with blocks of this many units.
pub(super) fn file(units: u16, part: u16) -> String {
    format!("units-{units:03}-{part:03}")
}

/// Whether a name is one that [`file`] returns.
pub(super) fn is_file(name: &str) -> bool {
    let numbers = name.strip_prefix("units-").and_then(|numbers| numbers.split_once('-'));
    let Some((Ok(units), Ok(part))) = numbers.map(|(a, b)| (a.parse(), b.parse())) else {
        return false;
    };
    name == file(units, part)
}

/// Appends a block with these values, sheet after sheet, in chunks of this many values, to the
/// bytes of a part.
pub(super) fn append(
    (more, less): (u16, u16),
    values: &[&[i8]],
    chunk: usize,
    part: u16,
    bytes: &mut Vec<u8>,
) -> Listed {
    let chunks: Vec<&[i8]> = values.iter().flat_map(|values| values.chunks(chunk)).collect();
    let compressor = || {
        let mut compressor = zstd::bulk::Compressor::new(LEVEL).expect("a level of zstd");
        compressor.include_contentsize(false).expect("an option of zstd");
        compressor
    };
    let packed: Vec<Vec<u8>> = chunks
        .par_iter()
        .map_init(compressor, |zstd, chunk| {
            zstd.compress(bytemuck::cast_slice(chunk))
                .expect("zstd compresses whatever fits memory")
        })
        .collect();
    let start = bytes.len();
    bytes.reserve(HEAD + packed.iter().map(|chunk| ENTRY + chunk.len()).sum::<usize>());
    bytes.extend(MAGIC);
    bytes.extend(more.to_le_bytes());
    bytes.extend(less.to_le_bytes());
    bytes.extend((packed.len() as u32).to_le_bytes());
    for chunk in &packed {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(xxh3_64(chunk).to_le_bytes());
    }
    let (index, checksum) = ((bytes.len() - start) as u64, xxh3_64(&bytes[start..]));
    packed.iter().for_each(|chunk| bytes.extend(chunk));
    let (start, bytes) = (start as u64, (bytes.len() - start) as u64);
    Listed { part, start, bytes, index, checksum }
}

/// Where the chunks of a block lie, read from its file.
#[derive(Clone, Debug)]
pub(super) struct Index {
    block: (u16, u16),
    file: String,
    /// The number of values in a chunk.
    chunk: usize,
    /// Where each chunk begins in the file, and where the last one ends.
    bounds: Vec<u64>,
    checksums: Vec<u64>,
}

impl Index {
    /// Reads and checks the index of a block that the manifest lists.
    pub(super) fn read(
        place: &Directory,
        halves: &[Half],
        block: (u16, u16),
        manifest: &Manifest,
    ) -> Result<Index, StoreError> {
        let (listed, chunk) = (&manifest.blocks[&block], manifest.chunk());
        let file = file(block.0 + block.1, listed.part);
        let bytes = place.get_part(&file, listed.start..listed.start + listed.index)?;
        let wrong = |cause: &str| corrupt(&name(place, &file, block), cause);
        if xxh3_64(&bytes) != listed.checksum {
            return Err(wrong("the checksum of its index is wrong"));
        }
        let expected: usize = sheets(block).map(|sheet| cells(halves, sheet).div_ceil(chunk)).sum();
        if bytes.len() != HEAD + ENTRY * expected || &bytes[..MAGIC.len()] != MAGIC {
            return Err(wrong("its index belongs to another block"));
        }
        let mut at = listed.start + listed.index;
        let (mut bounds, mut checksums) = (vec![at], Vec::with_capacity(expected));
        for entry in bytes[HEAD..].chunks_exact(ENTRY) {
            let (length, checksum) = entry.split_at(4);
            at += u64::from(u32::from_le_bytes(length.try_into().expect("four bytes")));
            bounds.push(at);
            checksums.push(u64::from_le_bytes(checksum.try_into().expect("eight bytes")));
        }
        if at != listed.start + listed.bytes {
            return Err(wrong("the lengths of its chunks do not match the manifest"));
        }
        Ok(Index { block, file, chunk, bounds, checksums })
    }

    /// Compares all chunks with their checksums.
    pub(super) fn check(&self, place: &Directory) -> Result<(), StoreError> {
        let group = GROUP / self.chunk;
        (0..self.checksums.len()).step_by(group).try_for_each(|first| {
            let chunks = first..self.checksums.len().min(first + group);
            let packed = self.packed(place, chunks.clone())?;
            chunks
                .into_iter()
                .try_for_each(|chunk| self.checked(place, chunk, &packed, first).map(drop))
        })
    }

    /// The numbers of the chunks that belong to one sheet of the block.
    pub(super) fn chunks(&self, halves: &[Half], sheet: Sheet) -> Range<usize> {
        let first = sheets(self.block).next().expect("a block has a sheet");
        let count = cells(halves, sheet).div_ceil(self.chunk);
        let skipped = if sheet == first { 0 } else { self.checksums.len() - count };
        skipped..skipped + count
    }

    /// Reads, checks and decompresses a chunk into `values`, which has its length.
    pub(super) fn read_chunk(
        &self,
        place: &Directory,
        chunk: usize,
        zstd: &mut zstd::bulk::Decompressor<'_>,
        values: &mut [u8],
    ) -> Result<(), StoreError> {
        let packed = self.packed(place, chunk..chunk + 1)?;
        self.unpack(place, chunk, self.checked(place, chunk, &packed, chunk)?, zstd, values)
    }

    /// Decompresses a chunk.
    fn unpack(
        &self,
        place: &Directory,
        chunk: usize,
        packed: &[u8],
        zstd: &mut zstd::bulk::Decompressor<'_>,
        values: &mut [u8],
    ) -> Result<(), StoreError> {
        let wrong = |cause: &str| self.wrong(place, chunk, cause);
        let length = zstd
            .decompress_to_buffer(packed, values)
            .map_err(|error| wrong(&format!("it cannot be decompressed: {error}")))?;
        if length != values.len() {
            return Err(wrong("it has the wrong number of values"));
        }
        Ok(())
    }

    /// The bytes of some chunks.
    fn packed(&self, place: &Directory, chunks: Range<usize>) -> Result<Vec<u8>, StoreError> {
        place.get_part(&self.file, self.bounds[chunks.start]..self.bounds[chunks.end])
    }

    /// The bytes of a chunk, if its checksum matches. `packed` holds the bytes from that of the
    /// chunk `first` on.
    fn checked<'a>(
        &self,
        place: &Directory,
        chunk: usize,
        packed: &'a [u8],
        first: usize,
    ) -> Result<&'a [u8], StoreError> {
        let at = |bound: usize| (self.bounds[bound] - self.bounds[first]) as usize;
        let packed = &packed[at(chunk)..at(chunk + 1)];
        match xxh3_64(packed) == self.checksums[chunk] {
            true => Ok(packed),
            false => Err(self.wrong(place, chunk, "the checksum is wrong")),
        }
    }

    fn wrong(&self, place: &Directory, chunk: usize, cause: &str) -> StoreError {
        corrupt(&name(place, &self.file, self.block), &format!("chunk {chunk}: {cause}"))
    }

    /// All values of a sheet.
    pub(super) fn read_sheet(
        &self,
        place: &Directory,
        halves: &[Half],
        sheet: Sheet,
    ) -> Result<Values, StoreError> {
        let chunks = self.chunks(halves, sheet);
        let group = GROUP / self.chunk;
        let mut values = Values::zeroed(cells(halves, sheet));
        let groups = values.par_chunks_mut(group * self.chunk);
        groups.enumerate().try_for_each_init(decompressor, |zstd, (at, values)| {
            let first = chunks.start + at * group;
            let packed = self.packed(place, first..chunks.end.min(first + group))?;
            values.chunks_mut(self.chunk).zip(first..).try_for_each(|(values, chunk)| {
                let packed = self.checked(place, chunk, &packed, first)?;
                self.unpack(place, chunk, packed, zstd, bytemuck::cast_slice_mut(values))
            })
        })?;
        Ok(values)
    }
}

/// The name of a block in errors.
fn name(place: &Directory, file: &str, (more, less): (u16, u16)) -> String {
    format!("{}/{file}, the block of {more} and {less} units,", place.name())
}

pub(super) fn decompressor() -> zstd::bulk::Decompressor<'static> {
    zstd::bulk::Decompressor::new().expect("memory for zstd")
}
