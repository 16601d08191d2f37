//! Parquet files, and folders of them.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use arrow::{
    compute::cast,
    datatypes::{DataType, IntervalUnit, Schema, SchemaRef},
    record_batch::RecordBatch,
};
use parquet::{
    arrow::arrow_writer::{
        ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, ArrowWriter,
        compute_leaves,
    },
    basic::{Compression, ZstdLevel},
    file::{
        metadata::KeyValue,
        properties::WriterProperties,
        reader::{FileReader, SerializedFileReader},
        writer::SerializedFileWriter,
    },
    schema::types::ColumnPath,
};

use crate::{TableError, schema::is_hex};

/// Encodes rows into row groups, on any thread.
pub struct ParquetEncoder {
    schema: SchemaRef,
    factory: ArrowRowGroupWriterFactory,
}

/// An encoded row group.
pub struct RowGroup {
    columns: Vec<ArrowColumnChunk>,
    rows: usize,
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
        let (_, factory) = writer.into_serialized_writer()?;
        Ok(ParquetEncoder { schema, factory })
    }

    /// Encodes and compresses batches into one row group.
    pub fn encode(&self, batches: &[RecordBatch]) -> Result<RowGroup, TableError> {
        let mut writers = self.factory.create_column_writers(0)?;
        for batch in batches {
            let mut leaf_writers = writers.iter_mut();
            for (field, column) in self.schema.fields().iter().zip(batch.columns()) {
                let column = match is_storable(column.data_type()) {
                    true => column.clone(),
                    false => cast(column, field.data_type())?,
                };
                for leaf in compute_leaves(field, &column)? {
                    let writer = leaf_writers.next().expect("a writer for each leaf");
                    writer.write(&leaf)?;
                }
            }
        }
        let columns =
            writers.into_iter().map(ArrowColumnWriter::close).collect::<Result<_, _>>()?;
        Ok(RowGroup { columns, rows: batches.iter().map(RecordBatch::num_rows).sum() })
    }
}

/// One Parquet file.
pub struct ParquetFile<W: Write + Send> {
    writer: SerializedFileWriter<W>,
}

impl<W: Write + Send> ParquetFile<W> {
    /// Begins a file.
    pub fn new(out: W, schema: &SchemaRef) -> Result<ParquetFile<W>, TableError> {
        let schema = storable(schema);
        let writer = ArrowWriter::try_new(out, schema.clone(), Some(properties(&schema)?))?;
        Ok(ParquetFile { writer: writer.into_serialized_writer()?.0 })
    }

    /// Writes a row group encoded for the same schema.
    pub fn append(&mut self, group: RowGroup) -> Result<(), TableError> {
        let mut writer = self.writer.next_row_group()?;
        for column in group.columns {
            column.append_to_row_group(&mut writer)?;
        }
        writer.close()?;
        Ok(())
    }

    /// Adds a note to the file's metadata.
    pub fn note(&mut self, key: &str, value: String) {
        self.writer.append_key_value_metadata(KeyValue::new(format!("everyply.{key}"), value));
    }

    /// Writes the footer, without which the file cannot be read, and all that is buffered.
    pub fn finish(self) -> Result<(), TableError> {
        self.writer.into_inner()?.flush()?;
        Ok(())
    }
}

/// A folder of Parquet files, `part-00000.parquet` and so on. A part appears under its name only
/// when it is complete, so whatever happens, finished parts can be read.
pub struct Parts {
    folder: PathBuf,
    schema: SchemaRef,
    next: usize,
    rows_per_part: usize,
    open: Option<(ParquetFile<BufWriter<File>>, usize)>,
}

/// What is known of a finished part.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its file.
    pub path: PathBuf,
    /// Its metadata.
    pub metadata: HashMap<String, String>,
    /// Its number of rows.
    pub rows: u64,
    /// Its number of columns.
    pub columns: usize,
}

impl Parts {
    /// Begins to write parts into a folder, after those that are there.
    pub fn new(
        folder: &Path,
        schema: &SchemaRef,
        rows_per_part: usize,
    ) -> Result<Parts, TableError> {
        fs::create_dir_all(folder)?;
        let next = Parts::paths(folder)?.last().and_then(|path| number(path)).map_or(0, |n| n + 1);
        Ok(Parts { folder: folder.into(), schema: schema.clone(), next, rows_per_part, open: None })
    }

    /// The finished parts of a folder, in order.
    pub fn read(folder: &Path) -> Result<Vec<Part>, TableError> {
        Parts::paths(folder)?.into_iter().map(read_part).collect()
    }

    /// The first part that is not there although later ones are.
    pub fn missing(folder: &Path) -> Result<Option<PathBuf>, TableError> {
        let paths = Parts::paths(folder)?;
        let gap = paths.iter().enumerate().find(|(index, path)| number(path) != Some(*index));
        Ok(gap.map(|(index, _)| folder.join(name(index))))
    }

    /// Removes the finished parts of a folder.
    pub fn remove(folder: &Path) -> Result<(), TableError> {
        for path in Parts::paths(folder)? {
            fs::remove_file(path)?;
        }
        Ok(())
    }

    fn paths(folder: &Path) -> io::Result<Vec<PathBuf>> {
        let mut paths: Vec<PathBuf> = fs::read_dir(folder)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<io::Result<_>>()?;
        paths.retain(|path| number(path).is_some());
        paths.sort_by_key(|path| number(path));
        Ok(paths)
    }

    /// Writes a row group. A part that is large enough is finished with these notes, which say
    /// how far it goes.
    pub fn append(&mut self, group: RowGroup, notes: &[(&str, String)]) -> Result<(), TableError> {
        let rows = group.rows();
        if self.open.is_none() {
            let file = File::create(self.unfinished())?;
            self.open = Some((ParquetFile::new(BufWriter::new(file), &self.schema)?, 0));
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
        let mut out = file.writer.into_inner()?;
        out.flush()?;
        out.get_ref().sync_all()?;
        fs::rename(self.unfinished(), self.folder.join(name(self.next)))?;
        self.next += 1;
        Ok(())
    }

    fn unfinished(&self) -> PathBuf {
        self.folder.join(name(self.next)).with_added_extension("unfinished")
    }
}

fn name(number: usize) -> String {
    format!("part-{number:05}.parquet")
}

fn number(path: &Path) -> Option<usize> {
    let name = path.file_name()?.to_str()?;
    name.strip_prefix("part-")?.strip_suffix(".parquet")?.parse().ok()
}

fn read_part(path: PathBuf) -> Result<Part, TableError> {
    let reader = SerializedFileReader::new(File::open(&path)?)?;
    let file = reader.metadata().file_metadata();
    let pairs = file.key_value_metadata().into_iter().flatten();
    let metadata = pairs.filter_map(|pair| Some((pair.key.clone(), pair.value.clone()?))).collect();
    let columns = file.schema_descr().root_schema().get_fields().len();
    Ok(Part { metadata, rows: file.num_rows() as u64, columns, path })
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

/// Compressed with zstd; values that hardly repeat are not put into dictionaries.
fn properties(schema: &SchemaRef) -> Result<WriterProperties, TableError> {
    let mut notes: Vec<KeyValue> = schema
        .metadata()
        .iter()
        .map(|(key, value)| KeyValue::new(key.clone(), value.clone()))
        .collect();
    // Maps have no order, files have.
    notes.sort_by(|a, b| a.key.cmp(&b.key));
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_write_batch_size(1 << 14)
        .set_key_value_metadata(Some(notes))
        .set_created_by("everyply".into());
    for field in schema.fields() {
        let is_unique = is_hex(field) || field.name() == "fen";
        // Small numbers need no dictionary: zstd makes them smaller than packing by differences
        // does, in the same time.
        if is_unique || *field.data_type() == DataType::UInt8 {
            let path = ColumnPath::from(field.name().as_str());
            properties = properties.set_column_dictionary_enabled(path, false);
        }
    }
    Ok(properties.build())
}
