//! Columns of small numbers.
//!
//! They are written as indices into a dictionary in which each number stands at its own index, so
//! a number is neither hashed nor widened to four bytes, and only a fraction of the bytes is left
//! for zstd. Readers see a column with a dictionary.

use bytes::Bytes;
use parquet::{
    basic::{Compression, Encoding, PageType, Type, ZstdLevel},
    column::{
        page::{CompressedPage, Page, PageWriteSpec, PageWriter},
        writer::ColumnCloseResult,
    },
    errors::Result,
    file::{
        metadata::{
            ColumnChunkMetaData, ColumnIndexBuilder, OffsetIndexBuilder, PageEncodingStats,
        },
        statistics::Statistics,
        writer::{SerializedPageWriter, TrackedWrite},
    },
    schema::types::ColumnDescPtr,
};
use zstd::bulk::Compressor;

/// An encoded column of a row group.
pub(super) struct SmallChunk {
    pub(super) pages: Bytes,
    pub(super) close: ColumnCloseResult,
}

/// Encodes columns one after the other.
pub(super) struct SmallColumns {
    compressor: Compressor<'static>,
    level: ZstdLevel,
}

/// Numbers of a page; each takes at most one byte.
const PAGE: usize = 1 << 16;

impl SmallColumns {
    pub(super) fn new(level: ZstdLevel) -> Result<SmallColumns> {
        let compressor = Compressor::new(level.compression_level())?;
        Ok(SmallColumns { compressor, level })
    }

    /// Encodes the numbers of a column that has no NULLs; there is at least one.
    pub(super) fn encode(&mut self, column: &ColumnDescPtr, numbers: &[u8]) -> Result<SmallChunk> {
        let [min, max] = bounds(numbers);
        let mut pages = Pages {
            out: TrackedWrite::new(Vec::new()),
            compressor: &mut self.compressor,
            uncompressed: 0,
        };
        let dictionary: Vec<u8> = (0..=i32::from(max)).flat_map(i32::to_le_bytes).collect();
        pages.write(&dictionary, |buf| Page::DictionaryPage {
            buf,
            num_values: u32::from(max) + 1,
            encoding: Encoding::PLAIN,
            is_sorted: true,
        })?;
        let mut offsets = OffsetIndexBuilder::new();
        let mut bounds_of_pages = ColumnIndexBuilder::new(Type::INT32);
        let (mut first, mut body) = (None, Vec::new());
        for numbers in numbers.chunks(PAGE) {
            body.clear();
            push_indices(numbers, width(max), &mut body);
            let page = pages.write(&body, |buf| Page::DataPage {
                buf,
                num_values: numbers.len() as u32,
                encoding: Encoding::RLE_DICTIONARY,
                def_level_encoding: Encoding::RLE,
                rep_level_encoding: Encoding::RLE,
                statistics: None,
            })?;
            first.get_or_insert(page.offset);
            offsets.append_row_count(numbers.len() as i64);
            offsets.append_offset_and_size(page.offset as i64, page.compressed_size as i32);
            let [min, max] = bounds(numbers).map(|bound| i32::from(bound).to_le_bytes().to_vec());
            bounds_of_pages.append(false, min, max, 0);
        }
        let uncompressed = pages.uncompressed;
        let pages = pages.out.into_inner()?;
        let counted = |page_type, encoding, count| PageEncodingStats { page_type, encoding, count };
        let metadata = ColumnChunkMetaData::builder(column.clone())
            .set_compression(Compression::ZSTD(self.level))
            .set_encodings(vec![Encoding::PLAIN, Encoding::RLE, Encoding::RLE_DICTIONARY])
            .set_page_encoding_stats(vec![
                counted(PageType::DICTIONARY_PAGE, Encoding::PLAIN, 1),
                counted(
                    PageType::DATA_PAGE,
                    Encoding::RLE_DICTIONARY,
                    numbers.len().div_ceil(PAGE) as i32,
                ),
            ])
            .set_num_values(numbers.len() as i64)
            .set_total_compressed_size(pages.len() as i64)
            .set_total_uncompressed_size(uncompressed as i64)
            .set_dictionary_page_offset(Some(0))
            .set_data_page_offset(first.unwrap_or(0) as i64)
            .set_statistics(Statistics::int32(
                Some(min.into()),
                Some(max.into()),
                None,
                Some(0),
                false,
            ))
            .build()?;
        let close = ColumnCloseResult {
            bytes_written: pages.len() as u64,
            rows_written: numbers.len() as u64,
            metadata,
            bloom_filter: None,
            column_index: Some(bounds_of_pages.build()?),
            offset_index: Some(offsets.build()),
        };
        Ok(SmallChunk { pages: pages.into(), close })
    }
}

/// The pages of a column so far.
struct Pages<'a> {
    out: TrackedWrite<Vec<u8>>,
    compressor: &'a mut Compressor<'static>,
    uncompressed: usize,
}

impl Pages<'_> {
    fn write(&mut self, body: &[u8], page: impl FnOnce(Bytes) -> Page) -> Result<PageWriteSpec> {
        let compressed = self.compressor.compress(body)?;
        let page = CompressedPage::new(page(compressed.into()), body.len());
        let written = SerializedPageWriter::new(&mut self.out).write_page(page)?;
        self.uncompressed += written.uncompressed_size;
        Ok(written)
    }
}

fn bounds(numbers: &[u8]) -> [u8; 2] {
    let min = numbers.iter().fold(u8::MAX, |min, &number| min.min(number));
    [min, numbers.iter().fold(0, |max, &number| max.max(number))]
}

/// The bits of an index. Indices that do not cross bytes compress better.
fn width(max: u8) -> u32 {
    (u8::BITS - max.leading_zeros()).next_power_of_two()
}

/// Eight numbers, which is what Parquet packs at a time.
type Group = [u8; 8];

/// So many equal groups are written as a run rather than packed.
const SHORTEST_RUN: usize = 8;

/// Appends the width and then the numbers, as packed groups and runs.
fn push_indices(numbers: &[u8], width: u32, out: &mut Vec<u8>) {
    out.push(width as u8);
    let (groups, rest) = numbers.as_chunks::<8>();
    let (mut packed, mut at) = (0, 0);
    while at < groups.len() {
        let equal = equal_groups(&groups[at..]);
        if equal >= SHORTEST_RUN {
            push_packed(&groups[packed..at], width, out);
            push_varint(equal << 4, out);
            out.push(groups[at][0]);
            packed = at + equal;
        }
        at += equal;
    }
    if rest.is_empty() {
        return push_packed(&groups[packed..], width, out);
    }
    // Readers know how many numbers there are, and pass over what fills the last group.
    let mut last = Group::default();
    last[..rest.len()].copy_from_slice(rest);
    let groups = groups[packed..].iter().copied().chain([last]);
    push_packed(&groups.collect::<Vec<Group>>(), width, out);
}

/// How many groups hold nothing but the first number; 1 if the first group holds others.
fn equal_groups(groups: &[Group]) -> usize {
    let equal = [groups[0][0]; 8];
    groups.iter().take_while(|&&group| group == equal).count().max(1)
}

fn push_packed(groups: &[Group], width: u32, out: &mut Vec<u8>) {
    if groups.is_empty() {
        return;
    }
    push_varint(groups.len() << 1 | 1, out);
    for &group in groups {
        let bytes = packed(u64::from_le_bytes(group), width).to_le_bytes();
        out.extend_from_slice(&bytes[..width as usize]);
    }
}

/// Moves eight numbers of so many bits next to each other, the first one lowest.
fn packed(numbers: u64, width: u32) -> u64 {
    let gap = 8 - width;
    let in_pairs = (numbers | numbers >> gap) & lowest_bits(2 * width, 16);
    let in_fours = (in_pairs | in_pairs >> (2 * gap)) & lowest_bits(4 * width, 32);
    (in_fours | in_fours >> (4 * gap)) & lowest_bits(8 * width, 64)
}

/// The lowest bits of each lane of a word.
const fn lowest_bits(count: u32, lane: u32) -> u64 {
    let (one, every) = (u64::MAX >> (64 - count), u64::MAX / (u64::MAX >> (64 - lane)));
    one * every
}

fn push_varint(mut number: usize, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[cfg(test)]
mod tests {
    use std::{mem::replace, ops::Range, sync::Arc};

    use arrow::{
        array::{AsArray, RecordBatch, UInt8Array},
        datatypes::{DataType, Field, Schema, UInt8Type},
    };
    use parquet::{
        arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection},
        file::{metadata::PageIndexPolicy, page_index::column_index::ColumnIndexMetaData},
    };
    use proptest::{collection::vec, prelude::*};

    use super::*;
    use crate::parquet::{ParquetEncoder, ParquetFile};

    /// Writes row groups of one column.
    fn written(groups: &[Vec<u8>]) -> Bytes {
        let field = Field::new("x", DataType::UInt8, false);
        let schema = Arc::new(Schema::new(vec![field]));
        let encoder = ParquetEncoder::new(&schema).unwrap();
        let mut file = ParquetFile::new(Vec::new(), &schema).unwrap();
        for numbers in groups {
            // Batches end where pages do not.
            let batches = numbers.chunks(10_007).map(|numbers| {
                let array = Arc::new(UInt8Array::from(numbers.to_vec()));
                RecordBatch::try_new(schema.clone(), vec![array]).unwrap()
            });
            file.append(encoder.encode(&batches.collect::<Vec<_>>()).unwrap()).unwrap();
        }
        file.finish().unwrap().into()
    }

    /// Reads some rows with the library, by the index of pages.
    fn read(bytes: Bytes, rows: Range<usize>) -> Vec<u8> {
        let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Required);
        let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(bytes, options);
        let builder = builder.unwrap();
        let all = builder.metadata().file_metadata().num_rows() as usize;
        let rows = RowSelection::from_consecutive_ranges([rows].into_iter(), all);
        let batches = builder.with_row_selection(rows).build().unwrap().map(Result::unwrap);
        let numbers =
            |batch: RecordBatch| batch.column(0).as_primitive::<UInt8Type>().values().to_vec();
        batches.flat_map(numbers).collect()
    }

    /// The bounds that the index has for each page of the last row group.
    fn bounds_of_last(bytes: Bytes) -> Vec<[i32; 2]> {
        let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Required);
        let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(bytes, options);
        let builder = builder.unwrap();
        let ColumnIndexMetaData::INT32(index) =
            &builder.metadata().column_index().unwrap().last().unwrap()[0]
        else {
            panic!("a column without bounds of its pages")
        };
        let bounds = index.min_values().iter().zip(index.max_values());
        bounds.map(|(&min, &max)| [min, max]).collect()
    }

    /// Writes row groups of one column and reads them with the library.
    fn read_back(groups: &[Vec<u8>]) -> Vec<u8> {
        let builder = ParquetRecordBatchReaderBuilder::try_new(written(groups)).unwrap();
        let rows = |numbers: &Vec<u8>| numbers.len() as i64;
        assert_eq!(
            builder.metadata().file_metadata().num_rows(),
            groups.iter().map(rows).sum::<i64>()
        );
        let filled: Vec<_> = groups.iter().filter(|numbers| !numbers.is_empty()).collect();
        assert_eq!(builder.metadata().num_row_groups(), filled.len());
        for (group, numbers) in builder.metadata().row_groups().iter().zip(filled) {
            let bound = |number: Option<&u8>| number.map(|&number| i32::from(number));
            let Some(Statistics::Int32(bounds)) = group.column(0).statistics() else {
                panic!("a row group without bounds")
            };
            assert_eq!(bounds.min_opt().copied(), bound(numbers.iter().min()));
            assert_eq!(bounds.max_opt().copied(), bound(numbers.iter().max()));
        }
        let batches = builder.build().unwrap().map(Result::unwrap);
        batches
            .flat_map(|batch| batch.column(0).as_primitive::<UInt8Type>().values().to_vec())
            .collect()
    }

    /// Numbers below a bound that stay the same for a while.
    fn numbers() -> impl Strategy<Value = Vec<u8>> {
        let runs = (1..=u8::MAX).prop_flat_map(|bound| vec((0..=bound, 1..200_usize), 0..60));
        runs.prop_map(|runs| {
            runs.into_iter().flat_map(|(number, count)| vec![number; count]).collect()
        })
    }

    proptest! {
        #[test]
        fn numbers_are_read_as_they_were_written(groups in vec(numbers(), 1..4)) {
            prop_assert_eq!(read_back(&groups), groups.concat());
        }
    }

    #[test]
    fn every_width_and_several_pages_are_read_as_they_were_written() {
        for max in [0, 1, 2, 3, 4, 7, 15, 16, 100, 255_u32] {
            let numbers =
                |count: u32| (0..count).map(|n| (n.wrapping_mul(n) / 7 % (max + 1)) as u8);
            let groups = [1, 7, 8, 9, 3 * PAGE as u32 + 5].map(|count| numbers(count).collect());
            assert_eq!(read_back(&groups), groups.concat(), "up to {max}");
            let (bytes, all) = (written(&groups), groups.concat());
            let begins = groups.iter().scan(0, |end, group| Some(replace(end, *end + group.len())));
            let (second, last) = (PAGE, begins.last().unwrap());
            for rows in [3..20, last + second - 9..last + second + 9, last + 2 * second..all.len()]
            {
                assert_eq!(read(bytes.clone(), rows.clone()), all[rows.clone()], "{rows:?}");
            }
        }
    }

    #[test]
    fn each_page_has_bounds_of_its_own() {
        let numbers = (0..3 * PAGE).map(|row| (10 * (row / PAGE) + row % 7) as u8).collect();
        assert_eq!(bounds_of_last(written(&[numbers])), [[0, 6], [10, 16], [20, 26]]);
    }

    #[test]
    fn numbers_are_packed_bit_by_bit() {
        for width in [1, 2, 4, 8] {
            let group: Group = std::array::from_fn(|index| (index * 89 % (1 << width)) as u8);
            let bits = |(index, &number): (usize, &u8)| u64::from(number) << (index as u32 * width);
            let expected: u64 = group.iter().enumerate().map(bits).sum();
            assert_eq!(packed(u64::from_le_bytes(group), width), expected, "{width} bits");
        }
    }

    #[test]
    fn long_runs_take_a_few_bytes() {
        let mut out = Vec::new();
        push_indices(&[3; 4096], 2, &mut out);
        assert_eq!(out, [2, 0x80, 0x40, 3]);
    }
}
