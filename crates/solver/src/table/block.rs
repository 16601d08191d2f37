//! A block: the sheets of two halves, one for each side to move, divided into chunks.

use std::ops::Range;

use game::{Half, Sheet};
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::{
    directory::{Directory, corrupt},
    manifest::Listed,
};
use crate::{StoreError, pages::Values};

/// The number of values in a chunk. The last chunk of a sheet may have fewer.
pub(super) const CHUNK: usize = 1 << 17;

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

/// Appends a block with these values, sheet after sheet, to the bytes of a part.
pub(super) fn append(
    (more, less): (u16, u16),
    values: &[&[i8]],
    part: u16,
    bytes: &mut Vec<u8>,
) -> Listed {
    let chunks: Vec<&[i8]> = values.iter().flat_map(|values| values.chunks(CHUNK)).collect();
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
    chunks: Vec<(Range<u64>, u64)>,
}

impl Index {
    /// Reads and checks the index of a block that the manifest lists.
    pub(super) fn read(
        place: &Directory,
        halves: &[Half],
        block: (u16, u16),
        listed: &Listed,
    ) -> Result<Index, StoreError> {
        let file = file(block.0 + block.1, listed.part);
        let bytes = place.get_part(&file, listed.start..listed.start + listed.index)?;
        let wrong = |cause: &str| corrupt(&name(place, &file, block), cause);
        if xxh3_64(&bytes) != listed.checksum {
            return Err(wrong("the checksum of its index is wrong"));
        }
        let expected: usize = sheets(block).map(|sheet| cells(halves, sheet).div_ceil(CHUNK)).sum();
        if bytes.len() != HEAD + ENTRY * expected || &bytes[..MAGIC.len()] != MAGIC {
            return Err(wrong("its index belongs to another block"));
        }
        let mut at = listed.start + listed.index;
        let chunks = bytes[HEAD..].chunks_exact(ENTRY).map(|entry| {
            let (length, checksum) = entry.split_at(4);
            let length = u32::from_le_bytes(length.try_into().expect("four bytes"));
            let checksum = u64::from_le_bytes(checksum.try_into().expect("eight bytes"));
            let start = at;
            at += u64::from(length);
            (start..at, checksum)
        });
        let chunks = chunks.collect();
        if at != listed.start + listed.bytes {
            return Err(wrong("the lengths of its chunks do not match the manifest"));
        }
        Ok(Index { block, file, chunks })
    }

    /// Compares all chunks with their checksums.
    pub(super) fn check(&self, place: &Directory) -> Result<(), StoreError> {
        (0..self.chunks.len()).try_for_each(|chunk| self.packed(place, chunk).map(drop))
    }

    /// The numbers of the chunks that belong to one sheet of the block.
    pub(super) fn chunks(&self, halves: &[Half], sheet: Sheet) -> Range<usize> {
        let first = sheets(self.block).next().expect("a block has a sheet");
        let count = cells(halves, sheet).div_ceil(CHUNK);
        let skipped = if sheet == first { 0 } else { self.chunks.len() - count };
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
        let packed = self.packed(place, chunk)?;
        let wrong = |cause: &str| self.wrong(place, chunk, cause);
        let length = zstd
            .decompress_to_buffer(&packed, values)
            .map_err(|error| wrong(&format!("it cannot be decompressed: {error}")))?;
        if length != values.len() {
            return Err(wrong("it has the wrong number of values"));
        }
        Ok(())
    }

    /// The bytes of a chunk, if its checksum matches.
    fn packed(&self, place: &Directory, chunk: usize) -> Result<Vec<u8>, StoreError> {
        let (range, checksum) = &self.chunks[chunk];
        let packed = place.get_part(&self.file, range.clone())?;
        if xxh3_64(&packed) != *checksum {
            return Err(self.wrong(place, chunk, "the checksum is wrong"));
        }
        Ok(packed)
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
        let mut values = Values::zeroed(cells(halves, sheet));
        values.par_chunks_mut(CHUNK).zip(chunks.into_par_iter()).try_for_each_init(
            decompressor,
            |zstd, (values, chunk)| {
                self.read_chunk(place, chunk, zstd, bytemuck::cast_slice_mut(values))
            },
        )?;
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
