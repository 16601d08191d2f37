//! Parquet files, and directories of them.

mod small;

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use arrow::{
    array::{ArrayRef, AsArray},
    compute::cast,
    datatypes::{DataType, FieldRef, IntervalUnit, Schema, SchemaRef, UInt8Type},
    record_batch::RecordBatch,
};
use parquet::{
    arrow::{
        arrow_writer::{
            ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, ArrowWriter,
            compute_leaves,
        },
        parquet_to_arrow_schema,
    },
    basic::{Compression, Encoding, ZstdLevel},
    errors::ParquetError,
    file::{
        metadata::KeyValue,
        properties::WriterProperties,
        reader::{FileReader, SerializedFileReader},
        writer::SerializedFileWriter,
    },
    schema::types::{ColumnDescPtr, ColumnPath},
};

use sinks::{CREATED_BY, Checksums, Directory, Layout, Summed, Unfinished};

use self::small::{SmallChunk, SmallColumns};
use crate::{TableError, schema::is_hex};

/// Encodes rows into row groups, on any thread.
pub struct ParquetEncoder {
    schema: SchemaRef,
    factory: ArrowRowGroupWriterFactory,
    /// Of each field, the columns that Parquet makes of it.
    leaves: Vec<Vec<ColumnDescPtr>>,
}

/// An encoded row group.
pub struct RowGroup {
    columns: Vec<Column>,
    rows: usize,
}

/// An encoded column.
enum Column {
    Small(SmallChunk),
    Other(ArrowColumnChunk),
}

impl RowGroup {
    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.rows
    }
}

impl ParquetEncoder {
    /// An encoder for one schema.
    pub fn new(schema: &SchemaRef) -> Result<ParquetEncoder, TableError> {
        let schema = storable(schema);
        let writer = ArrowWriter::try_new(io::sink(), schema.clone(), Some(properties(&schema)?))?;
        let (writer, factory) = writer.into_serialized_writer()?;
        let mut leaves = vec![Vec::new(); schema.fields().len()];
        let columns = writer.schema_descr();
        for (index, column) in columns.columns().iter().enumerate() {
            leaves[columns.get_column_root_idx(index)].push(column.clone());
        }
        Ok(ParquetEncoder { schema, factory, leaves })
    }

    /// Encodes and compresses batches into one row group.
    pub fn encode(&self, batches: &[RecordBatch]) -> Result<RowGroup, TableError> {
        let rows = batches.iter().map(RecordBatch::num_rows).sum();
        let mut writers = self.factory.create_column_writers(0)?.into_iter();
        let mut small = SmallColumns::new(compression_level()?)?;
        let mut columns = Vec::new();
        for (index, (field, leaves)) in self.schema.fields().iter().zip(&self.leaves).enumerate() {
            let arrays = || batches.iter().map(|batch| batch.column(index));
            let writers: Vec<_> = writers.by_ref().take(leaves.len()).collect();
            if rows > 0 && *field.data_type() == DataType::UInt8 && !field.is_nullable() {
                let numbers = arrays().map(|array| &array.as_primitive::<UInt8Type>().values()[..]);
                let numbers: Vec<&[u8]> = numbers.collect();
                columns.push(Column::Small(small.encode(&leaves[0], &numbers.concat())?));
            } else {
                columns.extend(encoded(field, writers, arrays())?.into_iter().map(Column::Other));
            }
        }
        Ok(RowGroup { columns, rows })
    }
}

/// The columns of a field, by the general writer.
fn encoded<'a>(
    field: &FieldRef,
    mut writers: Vec<ArrowColumnWriter>,
    arrays: impl Iterator<Item = &'a ArrayRef>,
) -> Result<Vec<ArrowColumnChunk>, TableError> {
    for array in arrays {
        let array = match is_storable(array.data_type()) {
            true => array.clone(),
            false => cast(array, field.data_type())?,
        };
        for (leaf, writer) in compute_leaves(field, &array)?.iter().zip(&mut writers) {
            writer.write(leaf)?;
        }
    }
    Ok(writers.into_iter().map(ArrowColumnWriter::close).collect::<Result<_, _>>()?)
}

/// One Parquet file, with checksums.
pub struct ParquetFile<W: Write + Send> {
    writer: SerializedFileWriter<Summed<W>>,
}

impl<W: Write + Send> ParquetFile<W> {
    /// Begins a file.
    pub fn new(out: W, schema: &SchemaRef) -> Result<ParquetFile<W>, TableError> {
        let schema = storable(schema);
        let out = Summed::new(out, Layout::Parquet);
        let writer = ArrowWriter::try_new(out, schema.clone(), Some(properties(&schema)?))?;
        Ok(ParquetFile { writer: writer.into_serialized_writer()?.0 })
    }

    /// Writes a row group encoded for the same schema.
    pub fn append(&mut self, group: RowGroup) -> Result<(), TableError> {
        // Some readers refuse a row group without rows.
        if group.rows == 0 {
            return Ok(());
        }
        let mut writer = self.writer.next_row_group()?;
        for column in group.columns {
            match column {
                Column::Small(chunk) => writer.append_column(&chunk.pages, chunk.close)?,
                Column::Other(chunk) => chunk.append_to_row_group(&mut writer)?,
            }
        }
        writer.close()?;
        Ok(())
    }

    /// Adds a note to the file's metadata.
    pub fn note(&mut self, key: &str, value: String) {
        self.writer.append_key_value_metadata(KeyValue::new(format!("everyply.{key}"), value));
    }

    /// Writes the footer, without which the file cannot be read, and returns what was written to.
    pub fn finish(mut self) -> Result<W, TableError> {
        self.writer.inner_mut().hold();
        Ok(self.writer.into_inner()?.finish()?)
    }
}

/// A directory of Parquet files, `part-00000.parquet` and so on, and its only writer. A part
/// appears under its name only when it is complete, so whatever happens, finished parts can be
/// read.
pub struct Parts {
    directory: Directory,
    schema: SchemaRef,
    next: usize,
    rows_per_part: usize,
    open: Option<(ParquetFile<Unfinished>, usize)>,
}

/// What is known of a finished part.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its file.
    pub path: PathBuf,
    /// Its metadata, notes included.
    pub metadata: HashMap<String, String>,
    /// Its number of rows.
    pub rows: u64,
    schema: Schema,
}

impl Part {
    /// What distinguishes the part's schema from another: names, types and metadata of the columns
    /// and of the table. `None` if parts of both make one table.
    pub fn difference(&self, schema: &SchemaRef) -> Option<String> {
        let wanted = storable(schema);
        let names = |schema: &Schema| -> Vec<String> {
            schema.fields().iter().map(|field| field.name().clone()).collect()
        };
        let (found, expected) = (names(&self.schema), names(&wanted));
        let has_no = |name: &&String| !expected.contains(*name);
        let lacks = |name: &&String| !found.contains(*name);
        if let Some(name) = found.iter().find(has_no) {
            return Some(format!("it has a column {name}"));
        }
        if let Some(name) = expected.iter().find(lacks) {
            return Some(format!("it has no column {name}"));
        }
        if found != expected {
            return Some("its columns are in a different order".to_owned());
        }
        let mut pairs = self.schema.fields().iter().zip(wanted.fields());
        if let Some((field, _)) = pairs.find(|(field, wanted)| field != wanted) {
            return Some(format!("its column {} has a different type", field.name()));
        }
        let mut notes: Vec<_> = wanted.metadata().iter().collect();
        notes.sort();
        let other = notes.into_iter().find(|(key, value)| self.metadata.get(*key) != Some(*value));
        other.map(|(key, value)| match self.metadata.get(key) {
            Some(found) => format!("its {key} is '{found}', not '{value}'"),
            None => format!("it has no {key}"),
        })
    }
}

impl Parts {
    /// Begins to write parts into a directory, after those that are there. What a killed writer
    /// left unfinished is removed; a second writer is refused.
    pub fn open(
        directory: &Path,
        schema: &SchemaRef,
        rows_per_part: usize,
    ) -> Result<Parts, TableError> {
        let directory = Directory::open(directory, |name| number(Path::new(name)).is_some())?;
        let last = paths(directory.path())?.last().and_then(|path| number(path));
        let next = last.map_or(0, |number| number + 1);
        Ok(Parts { directory, schema: schema.clone(), next, rows_per_part, open: None })
    }

    /// How many finished parts there are.
    pub fn count(&self) -> Result<usize, TableError> {
        Ok(paths(self.directory.path())?.len())
    }

    /// The finished parts, in order. An error names the part.
    pub fn finished(&self) -> Result<Vec<Part>, TableError> {
        paths(self.directory.path())?.into_iter().map(read_part).collect()
    }

    /// The first part that is not there although later ones are.
    pub fn missing(&self) -> Result<Option<PathBuf>, TableError> {
        let paths = paths(self.directory.path())?;
        let gap = paths.iter().enumerate().find(|(index, path)| number(path) != Some(*index));
        Ok(gap.map(|(index, _)| self.directory.path().join(name(index))))
    }

    /// Writes a row group. A part that is large enough is finished with these notes, which say
    /// how far it goes.
    pub fn append(&mut self, group: RowGroup, notes: &[(&str, String)]) -> Result<(), TableError> {
        let rows = group.rows();
        if self.open.is_none() {
            let file = self.directory.create(&name(self.next))?;
            self.open = Some((ParquetFile::new(file, &self.schema)?, 0));
        }
        let (file, written) = self.open.as_mut().expect("just opened");
        file.append(group)?;
        *written += rows;
        if *written >= self.rows_per_part { self.finish(notes) } else { Ok(()) }
    }

    /// Finishes the part that is being written, if there is one.
    pub fn finish(&mut self, notes: &[(&str, String)]) -> Result<(), TableError> {
        let Some((mut file, _)) = self.open.take() else { return Ok(()) };
        for (key, value) in notes {
            file.note(key, value.clone());
        }
        file.finish()?.complete()?;
        self.next += 1;
        Ok(())
    }
}

fn paths(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(directory)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()?;
    paths.retain(|path| number(path).is_some());
    paths.sort_by_key(|path| number(path));
    Ok(paths)
}

fn name(number: usize) -> String {
    format!("part-{number:05}.parquet")
}

fn number(path: &Path) -> Option<usize> {
    let name = path.file_name()?.to_str()?;
    name.strip_prefix("part-")?.strip_suffix(".parquet")?.parse().ok()
}

fn read_part(path: PathBuf) -> Result<Part, TableError> {
    let damaged = |cause: String| TableError::Part { path: path.clone(), cause };
    let unreadable = |error: ParquetError| damaged(error.to_string());
    let mut file = File::open(&path)?;
    if let Err(error) = Checksums::of(&mut file, Layout::Parquet) {
        let is_damage = error.kind() == io::ErrorKind::InvalidData;
        return Err(if is_damage { damaged(error.to_string()) } else { error.into() });
    }
    let reader = SerializedFileReader::new(file).map_err(unreadable)?;
    let file = reader.metadata().file_metadata();
    let pairs = file.key_value_metadata();
    let schema = parquet_to_arrow_schema(file.schema_descr(), pairs).map_err(unreadable)?;
    let pairs = pairs.into_iter().flatten();
    let metadata = pairs.filter_map(|pair| Some((pair.key.clone(), pair.value.clone()?))).collect();
    Ok(Part { metadata, rows: file.num_rows() as u64, schema, path })
}

/// The schema with text in the place of what Parquet cannot hold.
fn storable(schema: &SchemaRef) -> SchemaRef {
    if schema.fields().iter().all(|field| is_storable(field.data_type())) {
        return schema.clone();
    }
    let fields = schema.fields().iter().map(|field| match is_storable(field.data_type()) {
        true => field.clone(),
        false => Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8)),
    });
    Arc::new(Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone()))
}

/// Parquet has no type for a span of months, days and nanoseconds.
fn is_storable(data_type: &DataType) -> bool {
    !matches!(data_type, DataType::Interval(IntervalUnit::MonthDayNano))
}

/// Compressed with zstd; values that hardly repeat are not put into dictionaries, and the numbers of
/// games and plies are written as differences.
fn properties(schema: &SchemaRef) -> Result<WriterProperties, TableError> {
    let mut notes: Vec<KeyValue> = schema
        .metadata()
        .iter()
        .map(|(key, value)| KeyValue::new(key.clone(), value.clone()))
        .collect();
    // Maps have no order, files have.
    notes.sort_by(|a, b| a.key.cmp(&b.key));
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(compression_level()?))
        .set_write_batch_size(1 << 14)
        .set_key_value_metadata(Some(notes))
        .set_created_by(CREATED_BY.into());
    for field in schema.fields() {
        let path = ColumnPath::from(field.name().as_str());
        let rises = matches!(field.name().as_str(), "game" | "ply")
            && *field.data_type() == DataType::UInt64;
        if rises {
            properties =
                properties.set_column_encoding(path.clone(), Encoding::DELTA_BINARY_PACKED);
        }
        let is_unique = is_hex(field) || field.name() == "fen";
        // Small numbers among NULLs need no dictionary: zstd makes them smaller than packing by
        // differences does, in the same time. Without NULLs they are `small` columns.
        if rises || is_unique || *field.data_type() == DataType::UInt8 {
            properties = properties.set_column_dictionary_enabled(path, false);
        }
    }
    Ok(properties.build())
}

fn compression_level() -> Result<ZstdLevel, TableError> {
    Ok(ZstdLevel::try_new(1)?)
}
