//! Results as rows on standard output, in the format that was asked for.

use std::{
    borrow::Cow,
    io::{self, BufWriter, StdoutLock, Write},
};

use clap::ValueEnum;
use unicode_width::UnicodeWidthStr;

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

/// A column: its name, and whether the aligned table shows it. That one is for reading and
/// leaves out what would make it too wide; the other formats have every column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) in_table: bool,
}

/// A column that every format has.
pub(crate) const fn column(name: &'static str) -> Column {
    Column { name, in_table: true }
}

/// A column that the aligned table leaves out.
pub(crate) const fn detail(name: &'static str) -> Column {
    Column { name, in_table: false }
}

/// Whether the result is a list or one thing; JSON tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    One,
    Many,
}

/// Writes rows as they come, in constant memory.
pub(crate) struct Rows<W: Write> {
    columns: &'static [Column],
    shape: Shape,
    writer: Writer<W>,
    rows: u64,
}

enum Writer<W: Write> {
    Table(Table<W>),
    Json(W),
    Jsonl(W),
    Csv(Box<csv::Writer<W>>),
}

impl Rows<BufWriter<StdoutLock<'static>>> {
    /// Rows on standard output.
    pub(crate) fn to_stdout(output: Output, columns: &'static [Column], shape: Shape) -> Self {
        let out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
        Rows::new(out, output.format, columns, shape)
    }
}

impl<W: Write> Rows<W> {
    pub(crate) fn new(out: W, format: Format, columns: &'static [Column], shape: Shape) -> Rows<W> {
        let writer = match format {
            Format::Table => Writer::Table(Table::new(out)),
            Format::Json => Writer::Json(out),
            Format::Jsonl => Writer::Jsonl(out),
            Format::Csv => Writer::Csv(Box::new(csv::Writer::from_writer(out))),
        };
        Rows { columns, shape, writer, rows: 0 }
    }

    /// Writes a row: a cell for each column.
    pub(crate) fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        assert_eq!(cells.len(), self.columns.len(), "a cell for each column");
        let first = self.rows == 0;
        self.rows += 1;
        match &mut self.writer {
            Writer::Table(table) => {
                let shown = || self.columns.iter().zip(cells).filter(|(column, _)| column.in_table);
                if first {
                    table.add(
                        shown().map(|(column, _)| (column.name.to_owned(), false)).collect(),
                    )?;
                }
                table.add(shown().map(|(_, cell)| (text(cell), is_number(cell))).collect())
            }
            Writer::Json(out) => {
                match (self.shape, first) {
                    (Shape::One, _) => {}
                    (Shape::Many, true) => out.write_all(b"[\n")?,
                    (Shape::Many, false) => out.write_all(b",\n")?,
                }
                write_object(out, self.columns, cells)
            }
            Writer::Jsonl(out) => {
                write_object(out, self.columns, cells)?;
                out.write_all(b"\n")
            }
            Writer::Csv(out) => {
                if first {
                    out.write_record(self.columns.iter().map(|column| column.name))?;
                }
                Ok(out.write_record(cells.iter().map(text))?)
            }
        }
    }

    /// Writes what is still held back. Without it nothing is promised to be written.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self.writer {
            Writer::Table(mut table) => {
                table.write_held()?;
                table.out.flush()
            }
            Writer::Json(mut out) => {
                let end: &[u8] = match (self.shape, self.rows) {
                    (Shape::One, _) => b"\n",
                    (Shape::Many, 0) => b"[]\n",
                    (Shape::Many, _) => b"\n]\n",
                };
                out.write_all(end)?;
                out.flush()
            }
            Writer::Jsonl(mut out) => out.flush(),
            Writer::Csv(mut out) => {
                if self.rows == 0 {
                    out.write_record(self.columns.iter().map(|column| column.name))?;
                }
                out.flush()
            }
        }
    }
}

fn write_object(out: &mut impl Write, columns: &[Column], cells: &[Cell<'_>]) -> io::Result<()> {
    for (index, (column, cell)) in columns.iter().zip(cells).enumerate() {
        let before = if index == 0 { "{" } else { "," };
        write!(out, "{before}\"{}\":", column.name)?;
        match cell {
            Cell::Text(text) => serde_json::to_writer(&mut *out, text)?,
            Cell::Count(count) => write!(out, "{count}")?,
            Cell::Real(real) => serde_json::to_writer(&mut *out, real)?,
            Cell::Flag(flag) => write!(out, "{flag}")?,
            Cell::Nothing => out.write_all(b"null")?,
        }
    }
    out.write_all(b"}")
}

fn text(cell: &Cell<'_>) -> String {
    match cell {
        Cell::Text(text) => text.as_ref().to_owned(),
        Cell::Count(count) => count.to_string(),
        Cell::Real(real) => real.to_string(),
        Cell::Flag(flag) => flag.to_string(),
        Cell::Nothing => String::new(),
    }
}

fn is_number(cell: &Cell<'_>) -> bool {
    matches!(cell, Cell::Count(_) | Cell::Real(_))
}

/// Aligned columns. The first rows are held back to learn how wide the columns are; what is
/// wider later sticks out.
struct Table<W> {
    out: W,
    held: Vec<Vec<(String, bool)>>,
    widths: Option<Vec<usize>>,
}

const HELD_ROWS: usize = 1_000;

impl<W: Write> Table<W> {
    fn new(out: W) -> Table<W> {
        Table { out, held: Vec::new(), widths: None }
    }

    fn add(&mut self, row: Vec<(String, bool)>) -> io::Result<()> {
        let row: Vec<_> = row.into_iter().map(|(text, number)| (printable(text), number)).collect();
        if let Some(widths) = &self.widths {
            return write_aligned(&mut self.out, &row, widths);
        }
        self.held.push(row);
        if self.held.len() > HELD_ROWS { self.write_held() } else { Ok(()) }
    }

    fn write_held(&mut self) -> io::Result<()> {
        if self.widths.is_some() {
            return Ok(());
        }
        let columns = self.held.first().map_or(0, Vec::len);
        let width = |column: usize| self.held.iter().map(|row| row[column].0.width()).max();
        let widths: Vec<usize> = (0..columns).filter_map(width).collect();
        // A header stands over its numbers.
        if let [header, rows @ ..] = &mut self.held[..] {
            for (column, cell) in header.iter_mut().enumerate() {
                cell.1 = rows.iter().any(|row| row[column].1);
            }
        }
        for row in &self.held {
            write_aligned(&mut self.out, row, &widths)?;
        }
        self.held.clear();
        self.widths = Some(widths);
        Ok(())
    }
}

fn write_aligned(out: &mut impl Write, row: &[(String, bool)], widths: &[usize]) -> io::Result<()> {
    let mut line = String::new();
    for (index, ((text, number), width)) in row.iter().zip(widths).enumerate() {
        if index > 0 {
            line.push_str("  ");
        }
        let blanks = " ".repeat(width.saturating_sub(text.width()));
        let (before, after) = if *number { (blanks.as_str(), "") } else { ("", blanks.as_str()) };
        line.push_str(before);
        line.push_str(text);
        line.push_str(after);
    }
    writeln!(out, "{}", line.trim_end())
}

/// Text from outside must not move the cursor or change the terminal.
fn printable(text: String) -> String {
    if text.chars().any(char::is_control) {
        text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static COLUMNS: [Column; 3] = [column("name"), column("count"), detail("note")];

    fn written(format: Format, shape: Shape, rows: &[[Cell<'static>; 3]]) -> String {
        let mut out = Vec::new();
        let mut writer = Rows::new(&mut out, format, &COLUMNS, shape);
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
