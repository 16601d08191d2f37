//! Results as rows, handed to `tables` in the format that was asked for.

use std::{
    borrow::Cow,
    io::{self, IsTerminal, Write},
    path::Path,
    sync::Arc,
};

use arrow::{
    array::{ArrayRef, BooleanBuilder, Float64Builder, Int64Builder, StringBuilder, UInt64Builder},
    datatypes::{Field, SchemaRef},
    record_batch::RecordBatch,
};
use clap::ValueEnum;
pub(crate) use tables::Shape;
use tables::{TableError, Version, Writer};

use crate::{
    exit::bad_command,
    files::{self, Stream},
};

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Aligned columns, for reading
    Table,
    /// One JSON document: an array of objects, or one object where the answer is one
    Json,
    /// One JSON object a line
    Jsonl,
    /// Comma-separated values with a header
    Csv,
    /// Parquet, compressed with zstd
    Parquet,
    /// Arrow IPC stream
    Arrow,
}

impl From<Format> for tables::Format {
    fn from(format: Format) -> tables::Format {
        match format {
            Format::Table => tables::Format::Table,
            Format::Json => tables::Format::Json,
            Format::Jsonl => tables::Format::Jsonl,
            Format::Csv => tables::Format::Csv,
            Format::Parquet => tables::Format::Parquet,
            Format::Arrow => tables::Format::Arrow,
        }
    }
}

impl Format {
    /// The format that the name of a file tells.
    pub(crate) fn by_name(path: &Path) -> Option<Format> {
        match path.extension()?.to_str()? {
            "parquet" => Some(Format::Parquet),
            "arrow" | "arrows" => Some(Format::Arrow),
            "jsonl" | "ndjson" => Some(Format::Jsonl),
            "json" => Some(Format::Json),
            "csv" => Some(Format::Csv),
            "txt" => Some(Format::Table),
            _ => None,
        }
    }

    /// The format that was asked for, else the one that the name of --out tells, else aligned
    /// columns on standard output.
    pub(crate) fn chosen(format: Option<Format>, out: Option<&Path>) -> anyhow::Result<Format> {
        match (format, out) {
            (format, None) => format.unwrap_or(Format::Table).for_stdout(),
            (Some(format), _) => Ok(format),
            (None, Some(path)) => Format::by_name(path).ok_or_else(|| {
                bad_command("the name of --out does not name a format; use --format")
            }),
        }
    }

    /// The same format, if standard output is a place for it.
    pub(crate) fn for_stdout(self) -> anyhow::Result<Format> {
        if self.is_binary() && io::stdout().is_terminal() {
            return Err(bad_command(
                "this format is binary and cannot be printed on a terminal; redirect it to a file \
                 or a program",
            ));
        }
        Ok(self)
    }

    /// Whether it is made of bytes that no terminal shows.
    pub(crate) fn is_binary(self) -> bool {
        matches!(self, Format::Parquet | Format::Arrow)
    }
}

/// The flag that every command with rows has.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Output {
    /// How to write the result
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub(crate) format: Format,
}

/// One value of a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell<'a> {
    Text(Cow<'a, str>),
    Count(u64),
    Number(i64),
    Real(f64),
    Flag(bool),
    Nothing,
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Cell<'a> {
        Cell::Text(text.into())
    }
}

impl From<String> for Cell<'_> {
    fn from(text: String) -> Self {
        Cell::Text(text.into())
    }
}

impl From<u64> for Cell<'_> {
    fn from(count: u64) -> Self {
        Cell::Count(count)
    }
}

impl From<i64> for Cell<'_> {
    fn from(number: i64) -> Self {
        Cell::Number(number)
    }
}

impl From<f64> for Cell<'_> {
    fn from(real: f64) -> Self {
        Cell::Real(real)
    }
}

impl From<bool> for Cell<'_> {
    fn from(flag: bool) -> Self {
        Cell::Flag(flag)
    }
}

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(value: Option<T>) -> Cell<'a> {
        value.map_or(Cell::Nothing, Into::into)
    }
}

/// A named table and its columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    /// The name of the schema, such as `chess.games`.
    pub(crate) name: &'static str,
    pub(crate) columns: &'static [Column],
}

const VERSION: Version = Version { major: 1, minor: 0 };

impl Table {
    pub(crate) fn schema(&self) -> SchemaRef {
        let fields = self.columns.iter().map(Column::field).collect();
        tables::schema(self.name, VERSION, fields, &[])
    }
}

/// A column: its name, its type, and whether the aligned table shows it. That one is for reading
/// and leaves out what would make it too wide; the other formats have every column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    name: &'static str,
    kind: Kind,
    is_wide: bool,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Text,
    Count,
    Number,
    Hash,
    Real,
    Flag,
}

/// A column of text.
pub(crate) const fn text(name: &'static str) -> Column {
    Column { name, kind: Kind::Text, is_wide: false }
}

/// A column of numbers from 0 up.
pub(crate) const fn count(name: &'static str) -> Column {
    Column { name, kind: Kind::Count, is_wide: false }
}

/// A column of whole numbers, also below 0.
pub(crate) const fn number(name: &'static str) -> Column {
    Column { name, kind: Kind::Number, is_wide: false }
}

/// A column of 64-bit hashes.
pub(crate) const fn hash(name: &'static str) -> Column {
    Column { name, kind: Kind::Hash, is_wide: false }
}

/// A column of real numbers.
pub(crate) const fn real(name: &'static str) -> Column {
    Column { name, kind: Kind::Real, is_wide: false }
}

/// A column of yes and no.
pub(crate) const fn flag(name: &'static str) -> Column {
    Column { name, kind: Kind::Flag, is_wide: false }
}

impl Column {
    /// The column, left out of aligned text.
    pub(crate) const fn wide(self) -> Column {
        Column { is_wide: true, ..self }
    }

    fn field(&self) -> Field {
        let field = match self.kind {
            Kind::Text => tables::text(self.name),
            Kind::Count => tables::count(self.name),
            Kind::Number => tables::number(self.name),
            Kind::Hash => tables::hash(self.name),
            Kind::Real => tables::real(self.name),
            Kind::Flag => tables::flag(self.name),
        };
        if self.is_wide { tables::wide(field) } else { field }
    }
}

/// Collects rows into batches.
pub(crate) struct Batches {
    schema: SchemaRef,
    builders: Vec<Builder>,
    held: usize,
}

/// Collects rows into batches and writes them, in constant memory.
pub(crate) struct Rows<W: Write + Send> {
    writer: Writer<W>,
    batches: Batches,
}

enum Builder {
    Text(StringBuilder),
    Count(UInt64Builder),
    Number(Int64Builder),
    Real(Float64Builder),
    Flag(BooleanBuilder),
}

const BATCH: usize = 1_024;

impl Batches {
    pub(crate) fn new(table: &Table) -> Batches {
        let builders = table.columns.iter().map(|column| Builder::of(column.kind)).collect();
        Batches { schema: table.schema(), builders, held: 0 }
    }

    /// Adds a row: a cell for each column. Gives the batch that it fills, if it does.
    pub(crate) fn row(&mut self, cells: &[Cell<'_>]) -> Result<Option<RecordBatch>, TableError> {
        assert_eq!(cells.len(), self.builders.len(), "a cell for each column");
        for (builder, cell) in self.builders.iter_mut().zip(cells) {
            builder.add(cell);
        }
        self.held += 1;
        if self.held == BATCH { self.rest() } else { Ok(None) }
    }

    /// The rows that fill no batch, if there are any.
    pub(crate) fn rest(&mut self) -> Result<Option<RecordBatch>, TableError> {
        if self.held == 0 {
            return Ok(None);
        }
        let columns = self.builders.iter_mut().map(Builder::finish).collect();
        self.held = 0;
        Ok(Some(RecordBatch::try_new(self.schema.clone(), columns)?))
    }
}

impl Rows<Stream> {
    /// Rows on standard output.
    pub(crate) fn to_stdout(output: Output, table: &Table, shape: Shape) -> anyhow::Result<Self> {
        Ok(Rows::new(files::stdout(), output.format.for_stdout()?, table, shape)?)
    }
}

impl<W: Write + Send> Rows<W> {
    pub(crate) fn new(
        out: W,
        format: Format,
        table: &Table,
        shape: Shape,
    ) -> Result<Rows<W>, TableError> {
        let batches = Batches::new(table);
        let writer = Writer::new(out, format.into(), &batches.schema, shape)?;
        Ok(Rows { writer, batches })
    }

    /// Writes a row: a cell for each column.
    pub(crate) fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), TableError> {
        let full = self.batches.row(cells)?;
        full.map_or(Ok(()), |batch| self.writer.write(&batch))
    }

    /// Writes what is still held back, and returns what was written to. Without it nothing is
    /// promised to be written.
    pub(crate) fn finish(mut self) -> Result<W, TableError> {
        if let Some(batch) = self.batches.rest()? {
            self.writer.write(&batch)?;
        }
        self.writer.finish()
    }
}

impl Builder {
    fn of(kind: Kind) -> Builder {
        match kind {
            Kind::Text => Builder::Text(StringBuilder::new()),
            Kind::Count | Kind::Hash => Builder::Count(UInt64Builder::new()),
            Kind::Number => Builder::Number(Int64Builder::new()),
            Kind::Real => Builder::Real(Float64Builder::new()),
            Kind::Flag => Builder::Flag(BooleanBuilder::new()),
        }
    }

    fn add(&mut self, cell: &Cell<'_>) {
        match (self, cell) {
            (Builder::Text(builder), Cell::Text(text)) => builder.append_value(text),
            (Builder::Count(builder), Cell::Count(count)) => builder.append_value(*count),
            (Builder::Number(builder), Cell::Number(number)) => builder.append_value(*number),
            (Builder::Real(builder), Cell::Real(real)) => builder.append_value(*real),
            (Builder::Flag(builder), Cell::Flag(flag)) => builder.append_value(*flag),
            (Builder::Text(builder), Cell::Nothing) => builder.append_null(),
            (Builder::Count(builder), Cell::Nothing) => builder.append_null(),
            (Builder::Number(builder), Cell::Nothing) => builder.append_null(),
            (Builder::Real(builder), Cell::Nothing) => builder.append_null(),
            (Builder::Flag(builder), Cell::Nothing) => builder.append_null(),
            (_, cell) => panic!("{cell:?} is not of its column's type"),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Builder::Text(builder) => Arc::new(builder.finish()),
            Builder::Count(builder) => Arc::new(builder.finish()),
            Builder::Number(builder) => Arc::new(builder.finish()),
            Builder::Real(builder) => Arc::new(builder.finish()),
            Builder::Flag(builder) => Arc::new(builder.finish()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static TABLE: Table =
        Table { name: "test", columns: &[text("name"), count("count"), flag("note").wide()] };

    fn written(format: Format, shape: Shape, rows: &[[Cell<'static>; 3]]) -> String {
        let mut out = Vec::new();
        let mut writer = Rows::new(&mut out, format, &TABLE, shape).unwrap();
        for row in rows {
            writer.row(row).unwrap();
        }
        writer.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    fn rows() -> [[Cell<'static>; 3]; 2] {
        [
            ["a \"b\"".into(), 7u64.into(), Cell::Nothing],
            ["c,\x1bd".into(), 120u64.into(), true.into()],
        ]
    }

    #[test]
    fn a_table_is_aligned_and_brief_and_safe_for_a_terminal() {
        let table = written(Format::Table, Shape::Many, &rows());
        assert_eq!(table, "name   count\na \"b\"      7\nc,\u{fffd}d     120\n");
    }

    #[test]
    fn json_is_one_document() {
        let many = written(Format::Json, Shape::Many, &rows());
        let value: serde_json::Value = serde_json::from_str(&many).unwrap();
        assert_eq!(value[1]["name"], "c,\u{1b}d");
        assert_eq!(value[0]["note"], serde_json::Value::Null);
        assert_eq!(written(Format::Json, Shape::Many, &[]), "[]\n");
        let one = written(Format::Json, Shape::One, &rows()[..1]);
        assert_eq!(one, "{\"name\":\"a \\\"b\\\"\",\"count\":7,\"note\":null}\n");
    }

    #[test]
    fn json_lines_and_csv_have_every_column() {
        let lines = written(Format::Jsonl, Shape::Many, &rows());
        assert_eq!(lines.lines().count(), 2);
        let csv = written(Format::Csv, Shape::Many, &rows());
        assert_eq!(csv, "name,count,note\n\"a \"\"b\"\"\",7,\n\"c,\u{1b}d\",120,true\n");
        assert_eq!(written(Format::Csv, Shape::Many, &[]), "name,count,note\n");
    }

    #[test]
    fn a_long_table_keeps_the_widths_of_its_beginning() {
        let row = |index: u64| [format!("row {index}").into(), index.into(), Cell::Nothing];
        let rows: Vec<_> = (0..2_500).map(row).collect();
        let table = written(Format::Table, Shape::Many, &rows);
        assert_eq!(table.lines().count(), 2_501);
        assert_eq!(table.lines().nth(2_000), Some("row 1999   1999"));
    }
}
