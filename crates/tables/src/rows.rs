//! Rows of cells, collected into batches and written.

use std::{borrow::Cow, io::Write, sync::Arc};

use arrow::{
    array::{
        ArrayRef, BooleanBuilder, Float64Builder, Int64Builder, ListBuilder, MapBuilder,
        MapFieldNames, StringBuilder, UInt8Builder, UInt64Builder,
    },
    datatypes::SchemaRef,
    record_batch::RecordBatch,
};

use crate::{Format, Kind, Shape, Table, TableError, Writer};

/// One value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    /// Text.
    Text(Cow<'a, str>),
    /// A number from 0 up.
    Count(u64),
    /// A whole number.
    Number(i64),
    /// A real number.
    Real(f64),
    /// True or false.
    Flag(bool),
    /// A list of text.
    List(Vec<Cow<'a, str>>),
    /// Text by names.
    Map(Vec<(&'a str, &'a str)>),
    /// A missing value, NULL.
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

/// Collects rows into batches.
pub struct Batches {
    schema: SchemaRef,
    builders: Vec<Builder>,
    held: usize,
}

/// Collects rows into batches and writes them, in constant memory.
pub struct Rows<W: Write + Send> {
    writer: Writer<W>,
    batches: Batches,
}

/// Collects the values of a column.
pub(crate) enum Builder {
    Text(StringBuilder),
    Count(UInt64Builder),
    Small(UInt8Builder),
    Number(Int64Builder),
    Real(Float64Builder),
    Flag(BooleanBuilder),
    List(ListBuilder<StringBuilder>),
    Map(MapBuilder<StringBuilder, StringBuilder>),
}

const BATCH: usize = 1_024;

impl Batches {
    /// No rows yet.
    pub fn new(table: &Table) -> Batches {
        let builders = table.columns.iter().map(|column| Builder::of(column.kind)).collect();
        Batches { schema: table.schema(), builders, held: 0 }
    }

    /// Adds a row: a cell for each column. Returns the batch that it fills, if it does.
    pub fn row(&mut self, cells: &[Cell<'_>]) -> Option<RecordBatch> {
        assert_eq!(cells.len(), self.builders.len(), "a cell for each column");
        for (builder, cell) in self.builders.iter_mut().zip(cells) {
            builder.add(cell);
        }
        self.held += 1;
        if self.held == BATCH { self.rest() } else { None }
    }

    /// The batches of all these rows.
    pub fn collect<'a, R: AsRef<[Cell<'a>]>>(
        table: &Table,
        rows: impl IntoIterator<Item = R>,
    ) -> Vec<RecordBatch> {
        let mut batches = Batches::new(table);
        let mut full = Vec::new();
        for row in rows {
            full.extend(batches.row(row.as_ref()));
        }
        full.extend(batches.rest());
        full
    }

    /// The rows that fill no batch, if there are any.
    pub fn rest(&mut self) -> Option<RecordBatch> {
        if self.held == 0 {
            return None;
        }
        let columns = self.builders.iter_mut().map(Builder::finish).collect();
        self.held = 0;
        let batch = RecordBatch::try_new(self.schema.clone(), columns);
        Some(batch.expect("the columns are those of the schema"))
    }
}

impl<W: Write + Send> Rows<W> {
    /// A writer of rows of one table.
    pub fn new(out: W, format: Format, table: &Table, shape: Shape) -> Result<Rows<W>, TableError> {
        let batches = Batches::new(table);
        let writer = Writer::new(out, format, &batches.schema, shape)?;
        Ok(Rows { writer, batches })
    }

    /// Writes a row: a cell for each column.
    pub fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), TableError> {
        let full = self.batches.row(cells);
        full.map_or(Ok(()), |batch| self.writer.write(&batch))
    }

    /// Writes what is still held back, and returns what was written to. Without it nothing is
    /// promised to be written.
    pub fn finish(mut self) -> Result<W, TableError> {
        if let Some(batch) = self.batches.rest() {
            self.writer.write(&batch)?;
        }
        self.writer.finish()
    }
}

impl Builder {
    pub(crate) fn of(kind: Kind) -> Builder {
        match kind {
            Kind::Text => Builder::Text(StringBuilder::new()),
            Kind::Count | Kind::Hash => Builder::Count(UInt64Builder::new()),
            Kind::Small => Builder::Small(UInt8Builder::new()),
            Kind::Number => Builder::Number(Int64Builder::new()),
            Kind::Real => Builder::Real(Float64Builder::new()),
            Kind::Flag => Builder::Flag(BooleanBuilder::new()),
            Kind::List => Builder::List(ListBuilder::new(StringBuilder::new())),
            Kind::Map => {
                let names = MapFieldNames {
                    entry: "entries".to_owned(),
                    key: "key".to_owned(),
                    value: "value".to_owned(),
                };
                let (keys, values) = (StringBuilder::new(), StringBuilder::new());
                Builder::Map(MapBuilder::new(Some(names), keys, values))
            }
        }
    }

    pub(crate) fn add(&mut self, cell: &Cell<'_>) {
        match (self, cell) {
            (Builder::Text(builder), Cell::Text(text)) => builder.append_value(text),
            (Builder::Count(builder), Cell::Count(count)) => builder.append_value(*count),
            (Builder::Small(builder), Cell::Count(count)) => {
                builder.append_value(u8::try_from(*count).expect("a number from 0 to 255"));
            }
            (Builder::Number(builder), Cell::Number(number)) => builder.append_value(*number),
            (Builder::Real(builder), Cell::Real(real)) => builder.append_value(*real),
            (Builder::Flag(builder), Cell::Flag(flag)) => builder.append_value(*flag),
            (Builder::List(builder), Cell::List(items)) => {
                items.iter().for_each(|item| builder.values().append_value(item));
                builder.append(true);
            }
            (Builder::Map(builder), Cell::Map(entries)) => {
                for (name, value) in entries {
                    builder.keys().append_value(name);
                    builder.values().append_value(value);
                }
                builder.append(true).expect("a value for each name");
            }
            (Builder::List(builder), Cell::Nothing) => builder.append_null(),
            (Builder::Map(builder), Cell::Nothing) => {
                builder.append(false).expect("no name and no value");
            }
            (Builder::Text(builder), Cell::Nothing) => builder.append_null(),
            (Builder::Count(builder), Cell::Nothing) => builder.append_null(),
            (Builder::Small(builder), Cell::Nothing) => builder.append_null(),
            (Builder::Number(builder), Cell::Nothing) => builder.append_null(),
            (Builder::Real(builder), Cell::Nothing) => builder.append_null(),
            (Builder::Flag(builder), Cell::Nothing) => builder.append_null(),
            (_, cell) => panic!("{cell:?} is not of its column's type"),
        }
    }

    pub(crate) fn finish(&mut self) -> ArrayRef {
        match self {
            Builder::Text(builder) => Arc::new(builder.finish()),
            Builder::Count(builder) => Arc::new(builder.finish()),
            Builder::Small(builder) => Arc::new(builder.finish()),
            Builder::Number(builder) => Arc::new(builder.finish()),
            Builder::Real(builder) => Arc::new(builder.finish()),
            Builder::Flag(builder) => Arc::new(builder.finish()),
            Builder::List(builder) => Arc::new(builder.finish()),
            Builder::Map(builder) => Arc::new(builder.finish()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{count, flag, text};

    static TABLE: Table = Table::new("test", &[text("name"), count("count"), flag("note").wide()]);

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
