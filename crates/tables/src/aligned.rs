//! Aligned columns for reading.

use std::io::{self, Write};

use arrow::record_batch::RecordBatch;
use unicode_width::UnicodeWidthStr;

use crate::{TableError, cells, schema::is_wide};

/// The first rows are held back to learn how wide the columns are; what is wider later sticks out.
#[derive(Default)]
pub(crate) struct Aligned {
    held: Vec<Vec<String>>,
    columns: Vec<Column>,
    header_written: bool,
}

struct Column {
    name: String,
    is_number: bool,
    width: usize,
}

const HELD_ROWS: usize = 1_000;

impl Aligned {
    pub(crate) fn add(
        &mut self,
        out: &mut impl Write,
        batch: &RecordBatch,
    ) -> Result<(), TableError> {
        let columns = cells::columns(batch)?;
        let shown: Vec<_> = columns.iter().filter(|(field, _)| !is_wide(field)).collect();
        if self.columns.is_empty() {
            self.columns.extend(shown.iter().map(|(field, cells)| Column {
                name: field.name().clone(),
                is_number: cells.is_number(),
                width: field.name().width(),
            }));
        }
        for row in 0..batch.num_rows() {
            let texts = shown.iter().map(|(_, cells)| {
                let mut text = Vec::new();
                cells.push_plain(row, &mut text);
                String::from_utf8_lossy(&text).into_owned()
            });
            let texts: Vec<String> = texts.collect();
            // A value of several lines, such as a plan, goes on below itself.
            let lines = texts.iter().map(|text| text.lines().count()).max().unwrap_or(0).max(1);
            for line in 0..lines {
                let part = |text: &String| printable(text.lines().nth(line).unwrap_or(""));
                self.held.push(texts.iter().map(part).collect());
            }
            if self.header_written || self.held.len() >= HELD_ROWS {
                self.write_held(out)?;
            }
        }
        Ok(())
    }

    pub(crate) fn write_held(&mut self, out: &mut impl Write) -> io::Result<()> {
        if !self.header_written && !self.columns.is_empty() {
            for (index, column) in self.columns.iter_mut().enumerate() {
                let widest = self.held.iter().map(|row| row[index].width()).max();
                column.width = column.width.max(widest.unwrap_or(0));
            }
            let names: Vec<String> =
                self.columns.iter().map(|column| column.name.clone()).collect();
            self.write_row(out, &names)?;
            self.header_written = true;
        }
        for row in std::mem::take(&mut self.held) {
            self.write_row(out, &row)?;
        }
        Ok(())
    }

    fn write_row(&self, out: &mut impl Write, row: &[String]) -> io::Result<()> {
        let mut line = String::new();
        for (index, (text, column)) in row.iter().zip(&self.columns).enumerate() {
            if index > 0 {
                line.push_str("  ");
            }
            let blanks = " ".repeat(column.width.saturating_sub(text.width()));
            let (before, after) = if column.is_number { (&*blanks, "") } else { ("", &*blanks) };
            line.push_str(before);
            line.push_str(text);
            line.push_str(after);
        }
        writeln!(out, "{}", line.trim_end())
    }
}

/// Text from outside must not move the cursor or change the terminal.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
