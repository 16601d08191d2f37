//! Values between separators.
//!
//! An empty value is NULL and `""` is empty text. A line without anything is no row, unless the
//! table has one column: then it is NULL.

use std::io::Read;

use arrow::datatypes::Schema;
use memchr::{memchr, memchr_iter, memchr3};

use super::{
    Absent, Row, TextError,
    columns::{Column, Expected},
    distinct,
    feed::Feed,
    shortened,
};

/// Where a value stands in its row, without its quotation marks.
#[derive(Clone, Copy)]
struct Span {
    start: usize,
    end: usize,
    is_quoted: bool,
    /// Whether quotation marks are doubled in it.
    is_doubled: bool,
}

/// The rows of a text.
pub(super) struct Lines<R> {
    feed: Feed<R>,
    separator: u8,
    spans: Vec<Span>,
    /// How many values a row has; known from the first on.
    width: Option<usize>,
    /// Where each wanted column stands in a row, if it is there.
    places: Vec<Option<usize>>,
    unquoted: String,
}

/// What the bytes at hand begin with.
enum Scan {
    /// A row of so many bytes, the end of its line included.
    Row(usize),
    /// A row whose end is not at hand.
    Part,
    /// A quotation mark at a byte is never closed.
    Open(usize),
    /// A byte behind a closing quotation mark is no separator.
    Behind(usize),
}

impl<R: Read> Lines<R> {
    pub(super) fn new(feed: Feed<R>, separator: u8) -> Lines<R> {
        let (spans, places) = (Vec::new(), Vec::new());
        Lines { feed, separator, spans, width: None, places, unquoted: String::new() }
    }

    /// The names in the first row; none where there is no row.
    pub(super) fn header(&mut self) -> Result<Vec<String>, TextError> {
        let Some(length) = self.find()? else { return Ok(Vec::new()) };
        let Lines { feed, spans, unquoted, .. } = self;
        let row = utf8(&feed.ahead()[..length], feed.line)?;
        let name = |&span: &Span| value(row, span, unquoted).unwrap_or_default().to_owned();
        let names: Vec<String> = spans.iter().map(name).collect();
        self.pass(length);
        self.width = Some(names.len());
        Ok(distinct(names.iter().map(String::as_str)))
    }

    /// Finds out where the wanted columns of a table stand.
    pub(super) fn place(
        &mut self,
        table: &Schema,
        wanted: &[usize],
        has_header: bool,
        absent: Absent,
    ) -> Result<(), TextError> {
        if !has_header {
            self.width = Some(table.fields().len());
            self.places = wanted.iter().copied().map(Some).collect();
            return Ok(());
        }
        let names = self.header()?;
        for &index in wanted {
            let field = table.field(index);
            let place = names.iter().position(|name| name == field.name());
            if place.is_none() && absent == Absent::Refused {
                let (name, found) = (field.name().clone(), names.join(", "));
                return Err(TextError::Missing { name, found });
            }
            self.places.push(place);
        }
        Ok(())
    }

    /// Appends the next row to the columns.
    pub(super) fn read(
        &mut self,
        schema: &Schema,
        columns: &mut [Column],
    ) -> Result<Option<Row>, TextError> {
        let Some(length) = self.find()? else { return Ok(None) };
        let line = self.feed.line;
        let Lines { feed, spans, places, unquoted, .. } = self;
        let row = utf8(&feed.ahead()[..length], line)?;
        for (index, (column, place)) in columns.iter_mut().zip(places).enumerate() {
            let span = place.map(|place| spans[place]);
            let text = span.and_then(|span| value(row, span, unquoted));
            let Some(text) = text else {
                column.push_null();
                continue;
            };
            column.push_plain(text).map_err(|Expected(expected)| TextError::Value {
                line,
                column: schema.field(index).name().clone(),
                value: shortened(text),
                expected,
            })?;
        }
        self.pass(length);
        Ok(Some(Row { line, bytes: length }))
    }

    /// Looks at the values of the next row; `None` stands for NULL.
    pub(super) fn look(
        &mut self,
        mut see: impl FnMut(usize, Option<&str>),
    ) -> Result<bool, TextError> {
        let Some(length) = self.find()? else { return Ok(false) };
        let Lines { feed, spans, unquoted, .. } = self;
        let row = utf8(&feed.ahead()[..length], feed.line)?;
        for (index, &span) in spans.iter().enumerate() {
            see(index, value(row, span, unquoted));
        }
        self.pass(length);
        Ok(true)
    }

    /// How many values a row has, if there is a row.
    pub(super) fn width(&mut self) -> Result<usize, TextError> {
        self.find()?;
        Ok(self.width.unwrap_or(0))
    }

    /// Finds the values of the next row, and tells its length.
    fn find(&mut self) -> Result<Option<usize>, TextError> {
        loop {
            let length = match scan(&self.feed, self.separator, &mut self.spans) {
                Scan::Row(0) if self.feed.is_ended() => return Ok(None),
                Scan::Row(length) => length,
                Scan::Part => {
                    self.feed.more()?;
                    continue;
                }
                Scan::Open(at) => return Err(self.broken(at, "the quotation mark is not closed")),
                Scan::Behind(at) => {
                    let what = "text after a closing quotation mark; inside a quoted value, \
                                quotation marks are doubled";
                    return Err(self.broken(at, what));
                }
            };
            let is_blank = matches!(self.spans[..], [span]
                if span.start == span.end && !span.is_quoted);
            if is_blank && self.width != Some(1) {
                self.pass(length);
                continue;
            }
            let found = self.spans.len();
            let expected = *self.width.get_or_insert(found);
            if found != expected {
                return Err(TextError::Width { line: self.feed.line, found, expected });
            }
            return Ok(Some(length));
        }
    }

    fn broken(&self, at: usize, what: &str) -> TextError {
        let before = &self.feed.ahead()[..at];
        let line = self.feed.line + memchr_iter(b'\n', before).count() as u64;
        let byte = at - memchr::memrchr(b'\n', before).map_or(0, |end| end + 1) + 1;
        TextError::Syntax { line, byte: byte as u64, what: what.to_owned() }
    }

    fn pass(&mut self, length: usize) {
        let row = &self.feed.ahead()[..length];
        let is_quoted = self.spans.iter().any(|span| span.is_quoted);
        let lines = if is_quoted { memchr_iter(b'\n', row).count() } else { 1 };
        self.feed.pass(length, lines);
    }
}

/// Finds the values of the row that begins the bytes at hand.
fn scan<R: Read>(feed: &Feed<R>, separator: u8, spans: &mut Vec<Span>) -> Scan {
    let (bytes, is_ended) = (feed.ahead(), feed.is_ended());
    spans.clear();
    let mut at = 0;
    loop {
        if bytes.get(at) == Some(&b'"') {
            let (start, mut is_doubled) = (at + 1, false);
            let mut from = start;
            let end = loop {
                let Some(found) = memchr(b'"', &bytes[from..]) else {
                    return if is_ended { Scan::Open(at) } else { Scan::Part };
                };
                let mark = from + found;
                match bytes.get(mark + 1) {
                    Some(b'"') => (is_doubled, from) = (true, mark + 2),
                    None if !is_ended => return Scan::Part,
                    _ => break mark,
                }
            };
            spans.push(Span { start, end, is_quoted: true, is_doubled });
            at = end + 1;
        } else {
            let end = match memchr3(separator, b'\n', b'\r', &bytes[at..]) {
                Some(found) => at + found,
                None if is_ended => bytes.len(),
                None => return Scan::Part,
            };
            spans.push(Span { start: at, end, is_quoted: false, is_doubled: false });
            at = end;
        }
        match bytes.get(at) {
            Some(&byte) if byte == separator => at += 1,
            Some(b'\n') => return Scan::Row(at + 1),
            Some(b'\r') => match bytes.get(at + 1) {
                Some(b'\n') => return Scan::Row(at + 2),
                None if !is_ended => return Scan::Part,
                _ => return Scan::Row(at + 1),
            },
            Some(_) => return Scan::Behind(at),
            None => return Scan::Row(at),
        }
    }
}

/// The value at a place of its row; `None` if it is missing.
fn value<'a>(row: &'a str, span: Span, unquoted: &'a mut String) -> Option<&'a str> {
    let text = &row[span.start..span.end];
    if span.is_doubled {
        unquoted.clear();
        let mut parts = text.split("\"\"");
        unquoted.push_str(parts.next().unwrap_or_default());
        for part in parts {
            unquoted.push('"');
            unquoted.push_str(part);
        }
        return Some(unquoted);
    }
    (!text.is_empty() || span.is_quoted).then_some(text)
}

pub(super) fn utf8(row: &[u8], line: u64) -> Result<&str, TextError> {
    std::str::from_utf8(row).map_err(|error| {
        let before = &row[..error.valid_up_to()];
        let line = line + memchr_iter(b'\n', before).count() as u64;
        let byte = before.len() - memchr::memrchr(b'\n', before).map_or(0, |end| end + 1) + 1;
        TextError::Syntax { line, byte: byte as u64, what: "not UTF-8".to_owned() }
    })
}
