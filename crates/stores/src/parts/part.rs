//! One Parquet file.

use std::{ops::RangeInclusive, sync::Arc};

use arrow::{
    array::{
        Array, ArrayRef, FixedSizeBinaryArray, FixedSizeBinaryBuilder, Int16Array, Int64Array,
        RecordBatch, UInt16Array, UInt32Array,
    },
    datatypes::{DataType, Field, Schema, SchemaRef},
};
use bytes::Bytes;
use game::{Key, Rank};
use parquet::{
    arrow::{
        ArrowWriter,
        arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder},
    },
    basic::{Compression, Encoding, ZstdLevel},
    errors::ParquetError,
    file::{
        metadata::{KeyValue, RowGroupMetaData},
        properties::WriterProperties,
        statistics::Statistics,
    },
    schema::types::ColumnPath,
};
use sinks::{CREATED_BY, Layout, Summed};
use solver::{Header, Row};

/// Rows that are decoded at once.
const BATCH: usize = 1 << 13;

/// Rows of a row group. At least one row group is read to find a rank.
const GROUP: usize = 1 << 16;

/// The columns of the parts of a game. A key is a 64-bit integer if it fits, else 16 bytes that
/// sort like the number.
pub(super) fn schema(header: &Header) -> SchemaRef {
    let key =
        if header.has_integer_keys() { DataType::Int64 } else { DataType::FixedSizeBinary(16) };
    Arc::new(Schema::new(vec![
        Field::new("rank", DataType::UInt32, false),
        Field::new("key", key, false),
        Field::new("depth", DataType::UInt16, false),
        Field::new("value", DataType::Int16, true),
        Field::new("best", DataType::UInt16, true),
        Field::new("remoteness", DataType::UInt16, true),
    ]))
}

/// Encodes rows as a part. The manifest has a checksum of it; its own checksums are for those who
/// read it without the manifest, as SQL does.
pub(super) fn encode(header: &Header, rows: &[Row]) -> Result<Bytes, ParquetError> {
    let schema = schema(header);
    let out = Summed::new(Vec::new(), Layout::Parquet);
    let mut writer = ArrowWriter::try_new(out, schema.clone(), Some(properties(header)))?;
    for rows in rows.chunks(GROUP) {
        writer.write(&RecordBatch::try_new(schema.clone(), columns(header, rows)?)?)?;
    }
    writer.flush()?;
    writer.inner_mut().hold();
    Ok(writer.into_inner()?.finish()?.into())
}

fn properties(header: &Header) -> WriterProperties {
    let about = |key: &str, value: &str| KeyValue::new(format!("everyply.{key}"), value.to_owned());
    // Sorted keys have small differences, which zstd alone would not find.
    let key = ColumnPath::from("key");
    WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1).expect("zstd has a level 1")))
        .set_max_row_group_row_count(Some(GROUP))
        .set_created_by(CREATED_BY.into())
        .set_column_dictionary_enabled(key.clone(), false)
        .set_column_encoding(
            key,
            if header.has_integer_keys() { Encoding::DELTA_BINARY_PACKED } else { Encoding::PLAIN },
        )
        .set_key_value_metadata(Some(vec![
            about("schema", "game.positions"),
            about("version", "1.1"),
            about("game", &header.game),
        ]))
        .build()
}

fn columns(header: &Header, rows: &[Row]) -> Result<Vec<ArrayRef>, ParquetError> {
    let keys: ArrayRef = if header.has_integer_keys() {
        Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.key.0 as i64)))
    } else {
        let mut keys = FixedSizeBinaryBuilder::with_capacity(rows.len(), 16);
        for row in rows {
            keys.append_value(row.key.0.to_be_bytes())?;
        }
        Arc::new(keys.finish())
    };
    let verdicts = || rows.iter().map(|row| Row::verdict_columns(row.verdict));
    Ok(vec![
        Arc::new(UInt32Array::from_iter_values(rows.iter().map(|row| row.rank.to_u32()))),
        keys,
        Arc::new(UInt16Array::from_iter_values(rows.iter().map(|row| row.depth))),
        Arc::new(verdicts().map(|(value, ..)| value).collect::<Int16Array>()),
        Arc::new(verdicts().map(|(_, best, _)| best).collect::<UInt16Array>()),
        Arc::new(verdicts().map(|(.., remoteness)| remoteness).collect::<UInt16Array>()),
    ])
}

/// Reads the rows of a part within a range of ranks, in batches.
pub(super) struct Reader {
    batches: ParquetRecordBatchReader,
    ranks: RangeInclusive<Rank>,
}

impl Reader {
    pub(super) fn new(part: Bytes, ranks: RangeInclusive<Rank>) -> Result<Reader, ParquetError> {
        let builder = ParquetRecordBatchReaderBuilder::try_new(part)?;
        let groups = builder.metadata().row_groups().iter().enumerate();
        let groups = groups.filter(|(_, group)| may_hold(group, &ranks)).map(|(at, _)| at);
        let groups = groups.collect();
        let batches = builder.with_batch_size(BATCH).with_row_groups(groups).build()?;
        Ok(Reader { batches, ranks })
    }

    /// Reads the next rows into `rows`. Returns false at the end.
    pub(super) fn next(&mut self, rows: &mut Vec<Row>) -> Result<bool, ParquetError> {
        rows.clear();
        while rows.is_empty() {
            let Some(batch) = self.batches.next() else { return Ok(false) };
            decode(&batch?, &self.ranks, rows)?;
        }
        Ok(true)
    }
}

fn may_hold(group: &RowGroupMetaData, ranks: &RangeInclusive<Rank>) -> bool {
    let Some(Statistics::Int32(bounds)) = group.column(0).statistics() else { return true };
    let (Some(min), Some(max)) = (bounds.min_opt(), bounds.max_opt()) else { return true };
    Rank::from_u32(*max as u32) >= *ranks.start() && Rank::from_u32(*min as u32) <= *ranks.end()
}

fn decode(
    batch: &RecordBatch,
    ranks: &RangeInclusive<Rank>,
    rows: &mut Vec<Row>,
) -> Result<(), ParquetError> {
    let rank: &UInt32Array = column(batch, "rank")?;
    let depth: &UInt16Array = column(batch, "depth")?;
    let value: &Int16Array = column(batch, "value")?;
    let best: &UInt16Array = column(batch, "best")?;
    // Parts of earlier formats do not have it.
    let remoteness: Option<&UInt16Array> = match batch.column_by_name("remoteness") {
        Some(_) => Some(column(batch, "remoteness")?),
        None => None,
    };
    let keys = Keys::of(batch)?;
    // Rows are sorted by rank.
    let start = rank.values().partition_point(|rank| *rank < ranks.start().to_u32());
    let end = rank.values().partition_point(|rank| *rank <= ranks.end().to_u32());
    rows.extend((start..end).map(|at| {
        let value = value.is_valid(at).then(|| value.value(at));
        let best = best.is_valid(at).then(|| best.value(at));
        let remoteness = remoteness.filter(|plies| plies.is_valid(at));
        let remoteness = remoteness.map(|plies| plies.value(at));
        let verdict = Row::verdict_of(value, best, remoteness);
        let rank = Rank::from_u32(rank.value(at));
        Row { rank, key: keys.at(at), depth: depth.value(at), verdict }
    }));
    Ok(())
}

enum Keys<'a> {
    Integers(&'a Int64Array),
    Bytes(&'a FixedSizeBinaryArray),
}

impl Keys<'_> {
    fn of(batch: &RecordBatch) -> Result<Keys<'_>, ParquetError> {
        column(batch, "key").map(Keys::Integers).or_else(|_| column(batch, "key").map(Keys::Bytes))
    }

    fn at(&self, at: usize) -> Key {
        match self {
            Keys::Integers(keys) => Key(keys.value(at) as u128),
            Keys::Bytes(keys) => {
                Key(keys.value(at).iter().fold(0, |key, byte| key << 8 | u128::from(*byte)))
            }
        }
    }
}

fn column<'a, A: 'static>(batch: &'a RecordBatch, name: &str) -> Result<&'a A, ParquetError> {
    let column = batch.column_by_name(name).and_then(|column| column.as_any().downcast_ref());
    column.ok_or_else(|| {
        ParquetError::General(format!("column {name} is missing or of another type"))
    })
}
