//! Tables written in every format, batch by batch.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use arrow::{
    datatypes::SchemaRef, error::ArrowError, ipc::writer::StreamWriter, record_batch::RecordBatch,
};
use parquet::errors::ParquetError;
use sinks::{Layout, SinkError, Summed};

use crate::{
    Format,
    aligned::Aligned,
    cells,
    parquet::{ParquetEncoder, ParquetFile, RowGroup},
};

/// Whether a result is a list of rows or a single object; only JSON distinguishes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One row, one object.
    One,
    /// Any number of rows, an array.
    Many,
}

/// Why a table cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The output refused it.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Arrow refused it.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
    /// Parquet refused it.
    #[error(transparent)]
    Parquet(ParquetError),
    /// A part of a directory cannot be read.
    #[error("{}: the part is damaged: {cause}", path.display())]
    Part {
        /// Its file.
        path: PathBuf,
        /// What is wrong with it.
        cause: String,
    },
    /// A type that text formats do not know.
    #[error("column {column} has type {found}, which cannot be written as text")]
    Type {
        /// The column.
        column: String,
        /// Its type.
        found: String,
    },
}

impl From<ParquetError> for TableError {
    /// What the output refused stays so; Parquet would say it twice.
    fn from(error: ParquetError) -> TableError {
        match error {
            ParquetError::External(cause) => match cause.downcast() {
                Ok(cause) => TableError::Io(*cause),
                Err(cause) => TableError::Parquet(ParquetError::External(cause)),
            },
            error => TableError::Parquet(error),
        }
    }
}

/// Turns batches into what is written of them, on any thread; [`Writer::append`] keeps the order.
pub struct Encoder {
    format: Format,
    parquet: Option<ParquetEncoder>,
}

/// Rows, encoded.
pub struct Chunk(Encoded);

enum Encoded {
    Bytes(Vec<u8>),
    Batches(Vec<RecordBatch>),
    RowGroup(RowGroup),
}

impl From<SinkError> for TableError {
    fn from(error: SinkError) -> TableError {
        TableError::Io(error.into())
    }
}

impl Chunk {
    /// The row group, if the format is Parquet.
    pub fn into_row_group(self) -> Option<RowGroup> {
        match self.0 {
            Encoded::RowGroup(group) => Some(group),
            _ => None,
        }
    }

    /// The bytes, if the format is made of rows that do not depend on those before.
    pub fn into_bytes(self) -> Option<Vec<u8>> {
        match self.0 {
            Encoded::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }
}

impl Encoder {
    /// An encoder for one schema and format.
    pub fn new(format: Format, schema: &SchemaRef) -> Result<Encoder, TableError> {
        let parquet = match format {
            Format::Parquet => Some(ParquetEncoder::new(schema)?),
            _ => None,
        };
        Ok(Encoder { format, parquet })
    }

    /// What stands before the first row of text.
    pub fn header(&self, schema: &SchemaRef) -> Vec<u8> {
        if self.format == Format::Csv { cells::csv_header(schema) } else { Vec::new() }
    }

    /// Encodes batches. In Parquet they become one row group.
    pub fn encode(&self, batches: Vec<RecordBatch>) -> Result<Chunk, TableError> {
        if let Some(encoder) = &self.parquet {
            return Ok(Chunk(Encoded::RowGroup(encoder.encode(&batches)?)));
        }
        let mut bytes = Vec::new();
        match self.format {
            Format::Jsonl => {
                for batch in &batches {
                    cells::push_json_rows(batch, |_| "", "\n", &mut bytes)?;
                }
            }
            Format::Csv => {
                for batch in &batches {
                    cells::push_csv_rows(batch, &mut bytes)?;
                }
            }
            // These depend on what came before.
            _ => return Ok(Chunk(Encoded::Batches(batches))),
        }
        Ok(Chunk(Encoded::Bytes(bytes)))
    }
}

/// Writes a table, batch by batch, in memory that does not grow with it.
pub struct Writer<W: Write + Send> {
    output: Output<W>,
    encoder: Encoder,
    shape: Shape,
    rows: u64,
    /// Batches that are to become a row group.
    held: Vec<RecordBatch>,
}

enum Output<W: Write + Send> {
    Text(W),
    Aligned(W, Box<Aligned>),
    Arrow(Box<StreamWriter<Summed<W>>>),
    Parquet(Box<ParquetFile<W>>),
}

/// Large enough to compress well, small enough for memory.
const ROW_GROUP: usize = 1 << 16;

impl<W: Write + Send> Writer<W> {
    /// A writer for one schema.
    pub fn new(
        mut out: W,
        format: Format,
        schema: &SchemaRef,
        shape: Shape,
    ) -> Result<Writer<W>, TableError> {
        let output = match format {
            Format::Table => Output::Aligned(out, Box::default()),
            Format::Json | Format::Jsonl => Output::Text(out),
            Format::Csv => {
                out.write_all(&cells::csv_header(schema))?;
                Output::Text(out)
            }
            Format::Arrow => {
                let out = Summed::new(out, Layout::Arrow);
                Output::Arrow(Box::new(StreamWriter::try_new(out, schema)?))
            }
            Format::Parquet => Output::Parquet(Box::new(ParquetFile::new(out, schema)?)),
        };
        let encoder = Encoder::new(format, schema)?;
        Ok(Writer { output, encoder, shape, rows: 0, held: Vec::new() })
    }

    /// Writes rows.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), TableError> {
        if self.encoder.format == Format::Parquet {
            self.held.push(batch.clone());
            let rows: usize = self.held.iter().map(RecordBatch::num_rows).sum();
            return if rows < ROW_GROUP { Ok(()) } else { self.write_held() };
        }
        let chunk = self.encoder.encode(vec![batch.clone()])?;
        self.append(chunk)
    }

    /// Writes rows that were encoded for this schema and format.
    pub fn append(&mut self, chunk: Chunk) -> Result<(), TableError> {
        if !self.held.is_empty() {
            self.write_held()?;
        }
        match (chunk.0, &mut self.output) {
            (Encoded::Bytes(bytes), Output::Text(out)) => out.write_all(&bytes)?,
            (Encoded::RowGroup(group), Output::Parquet(file)) => file.append(group)?,
            (Encoded::Batches(batches), output) => {
                for batch in &batches {
                    match output {
                        Output::Aligned(out, aligned) => aligned.add(out, batch)?,
                        Output::Arrow(writer) => writer.write(batch)?,
                        Output::Text(out) => {
                            write_document_rows(out, batch, self.shape, self.rows)?;
                        }
                        Output::Parquet(_) => unreachable!("Parquet is encoded as row groups"),
                    }
                    self.rows += batch.num_rows() as u64;
                }
            }
            _ => unreachable!("the chunk was encoded for another format"),
        }
        Ok(())
    }

    fn write_held(&mut self) -> Result<(), TableError> {
        let batches = std::mem::take(&mut self.held);
        if batches.is_empty() {
            return Ok(());
        }
        let chunk = self.encoder.encode(batches)?;
        self.append(chunk)
    }

    /// Writes buffered rows, and returns the output. Without this call, rows may be missing.
    pub fn finish(mut self) -> Result<W, TableError> {
        self.write_held()?;
        let mut out = match self.output {
            Output::Aligned(mut out, mut aligned) => {
                aligned.write_held(&mut out)?;
                out
            }
            Output::Text(mut out) => {
                if self.encoder.format == Format::Json {
                    let end: &[u8] = match (self.shape, self.rows) {
                        (Shape::One, _) => b"\n",
                        (Shape::Many, 0) => b"[]\n",
                        (Shape::Many, _) => b"\n]\n",
                    };
                    out.write_all(end)?;
                }
                out
            }
            Output::Arrow(writer) => writer.into_inner()?.finish()?,
            Output::Parquet(file) => file.finish()?,
        };
        out.flush()?;
        Ok(out)
    }
}

/// The rows of a JSON document; `written` have gone before.
fn write_document_rows(
    out: &mut impl Write,
    batch: &RecordBatch,
    shape: Shape,
    written: u64,
) -> Result<(), TableError> {
    let mut bytes = Vec::new();
    let before = |row| match (shape, written == 0 && row == 0) {
        (Shape::One, _) => "",
        (Shape::Many, true) => "[\n",
        (Shape::Many, false) => ",\n",
    };
    cells::push_json_rows(batch, before, "", &mut bytes)?;
    Ok(out.write_all(&bytes)?)
}
