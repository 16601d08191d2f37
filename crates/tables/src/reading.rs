//! Rows read from text: CSV, TSV and JSON, in memory that does not grow with them.
//!
//! A [`Survey`] learns the columns and their types from whole texts, a [`TextReader`] then reads
//! batches. Where the names are those of a table of ours, [`known`](crate::known) tells the types.

mod columns;
mod feed;
mod json;
mod separated;
mod survey;
mod values;

use std::{
    io::{self, Read},
    sync::Arc,
};

use arrow::{
    array::ArrayRef,
    datatypes::{Schema, SchemaRef},
    error::ArrowError,
    record_batch::{RecordBatch, RecordBatchOptions},
};

use columns::Column;
use feed::Feed;
use json::Objects;
use separated::Lines;
pub use survey::Survey;

/// How rows are written in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// Values between separators, a row a line, as RFC 4180 has it.
    Separated {
        /// What stands between two values.
        separator: u8,
        /// Whether the first row names the columns.
        has_header: bool,
    },
    /// JSON objects, one after the other or in one array.
    Json,
}

/// Why rows cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// The bytes do not come.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Whoever waited for the rows has gone.
    #[error("reading was cancelled")]
    GivenUp,
    /// A value is not of the type of its column.
    #[error("line {line}, column {column}: '{value}' is not {expected}")]
    Value {
        /// The line where the row begins, from 1.
        line: u64,
        /// The column.
        column: String,
        /// The value, shortened if it is long.
        value: String,
        /// What values of the column are.
        expected: String,
    },
    /// A row has more or fewer values than the header has names.
    #[error("line {line} has {found} values, expected {expected}")]
    Width {
        /// The line where the row begins.
        line: u64,
        /// How many it has.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// The text breaks the rules of its notation.
    #[error("line {line}, byte {byte}: {what}")]
    Syntax {
        /// The line.
        line: u64,
        /// The byte in that line, from 1.
        byte: u64,
        /// What is wrong.
        what: String,
    },
    /// The text breaks the rules of its notation somewhere in a line.
    #[error("line {line}: {what}")]
    Line {
        /// The line.
        line: u64,
        /// What is wrong.
        what: String,
    },
    /// A row is longer than [`ROW_LIMIT`].
    #[error("line {line}: the row that begins here is longer than {} MiB", ROW_LIMIT >> 20)]
    Long {
        /// The line where it begins.
        line: u64,
    },
    /// A column that was asked for is not there.
    #[error("there is no column '{name}'; the columns are {found}")]
    Missing {
        /// The column.
        name: String,
        /// The columns that are there.
        found: String,
    },
    /// Arrow refused the rows.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
}

/// The most bytes that one row may have.
pub const ROW_LIMIT: usize = 16 << 20;
/// A batch ends when the text of its rows has so many bytes, however few rows that are.
const BATCH_BYTES: usize = 4 << 20;

/// What a column that a text does not have is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// NULL in every row.
    Null,
    /// An error.
    Refused,
}

/// Reads the rows of a text, batch by batch.
pub struct TextReader<R> {
    rows: Rows<R>,
    columns: Vec<Column>,
    schema: SchemaRef,
    batch_rows: usize,
}

enum Rows<R> {
    Separated(Lines<R>),
    Json(Objects<R>),
}

impl<R: Read> TextReader<R> {
    /// A reader of the `wanted` columns of a table. They are found by their names, or by their
    /// places where the text names none.
    pub fn new(
        text: R,
        notation: Notation,
        table: &Schema,
        wanted: &[usize],
        batch_rows: usize,
        absent: Absent,
    ) -> Result<TextReader<R>, TextError> {
        let schema = Arc::new(table.project(wanted)?);
        let columns = schema.fields().iter().map(|field| Column::of(field)).collect();
        let rows = match notation {
            Notation::Separated { separator, has_header } => {
                let mut lines = Lines::new(Feed::new(text), separator);
                lines.place(table, wanted, has_header, absent)?;
                Rows::Separated(lines)
            }
            Notation::Json => Rows::Json(Objects::new(Feed::new(text), &schema)),
        };
        Ok(TextReader { rows, columns, schema, batch_rows })
    }

    /// The next rows; `None` behind the last.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>, TextError> {
        let mut bytes = 0;
        let mut lines: Vec<u64> = Vec::new();
        while lines.len() < self.batch_rows && bytes < BATCH_BYTES {
            let read = match &mut self.rows {
                Rows::Separated(rows) => rows.read(&self.schema, &mut self.columns)?,
                Rows::Json(rows) => rows.read(&self.schema, &mut self.columns)?,
            };
            let Some(row) = read else { break };
            bytes += row.bytes;
            lines.push(row.line);
        }
        if lines.is_empty() {
            return Ok(None);
        }
        let finish = |(index, column): (usize, &mut Column)| {
            column.finish().map_err(|misfit| TextError::Value {
                line: lines[misfit.row],
                column: self.schema.field(index).name().clone(),
                value: shortened(&misfit.value),
                expected: misfit.expected,
            })
        };
        let arrays: Vec<ArrayRef> =
            self.columns.iter_mut().enumerate().map(finish).collect::<Result<_, _>>()?;
        let rows = RecordBatchOptions::new().with_row_count(Some(lines.len()));
        Ok(Some(RecordBatch::try_new_with_options(self.schema.clone(), arrays, &rows)?))
    }
}

/// A row that was read.
struct Row {
    line: u64,
    bytes: usize,
}

/// A value for an error: the beginning of a long one.
fn shortened(value: &str) -> String {
    const LONGEST: usize = 60;
    match value.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &value[..end]),
        None => value.to_owned(),
    }
}

/// The names, each made different from those before it: `id`, `id_1`. An empty one is called by
/// its place.
pub fn distinct<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut taken = std::collections::HashSet::new();
    let mut distinct = Vec::new();
    for (index, name) in names.into_iter().enumerate() {
        let base = if name.is_empty() { format!("column_{}", index + 1) } else { name.to_owned() };
        let mut name = base.clone();
        let mut number = 1;
        while !taken.insert(name.clone()) {
            name = format!("{base}_{number}");
            number += 1;
        }
        distinct.push(name);
    }
    distinct
}
