//! Where answers go: standard output, or one file.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use arrow::record_batch::RecordBatch;
use sinks::Unfinished;
use sql::Answer;
use tables::{Format, Shape, Writer};

use super::told;
use crate::{exit::bad_input, files, rows};

/// Writes the rows of answers.
pub struct Sink {
    format: Format,
    /// The file that is asked for, if any.
    file: Option<PathBuf>,
    unfinished: Option<Unfinished>,
    answers: usize,
}

impl Sink {
    /// Nothing is written yet. The format is that of the file unless it is chosen.
    pub fn new(format: Option<Format>, file: Option<&Path>) -> anyhow::Result<Sink> {
        let format = rows::chosen(format, file)?;
        Ok(Sink { format, file: file.map(Path::to_owned), unfinished: None, answers: 0 })
    }

    /// Writes the rows of an answer as they come. A statement that only does something has none.
    pub fn write(&mut self, answer: Answer<'_>) -> anyhow::Result<u64> {
        if answer.schema().fields().is_empty() {
            return drain(answer);
        }
        self.answers += 1;
        if self.answers > 1 && (self.file.is_some() || self.format.is_binary()) {
            return Err(bad_input(
                "a file or a binary format holds only one result, but there is a second",
            ));
        }
        let Some(path) = &self.file else {
            let mut out = files::stdout();
            if self.answers > 1 && self.format == Format::Table {
                writeln!(out)?;
            }
            return Ok(write(out, self.format, answer)?.1);
        };
        let (file, rows) = write(Unfinished::create(path)?, self.format, answer)?;
        self.unfinished = Some(file);
        Ok(rows)
    }

    /// Gives the file its name.
    pub fn finish(self) -> anyhow::Result<()> {
        match (self.file, self.unfinished) {
            (None, _) => Ok(()),
            (Some(_), Some(file)) => files::complete(file),
            (Some(_), None) => {
                Err(bad_input("no statement returned rows, so there is nothing to write to --out"))
            }
        }
    }
}

fn drain(answer: Answer<'_>) -> anyhow::Result<u64> {
    let mut rows = 0;
    for batch in answer {
        rows += batch.map_err(told)?.num_rows() as u64;
    }
    Ok(rows)
}

fn write<W: Write + Send>(
    out: W,
    format: Format,
    mut answer: Answer<'_>,
) -> anyhow::Result<(W, u64)> {
    let schema = answer.schema().clone();
    // Names of columns are no answer by themselves: what fails at once writes nothing. An answer
    // without rows has columns, though, which aligned text learns from a batch.
    let first = answer.next().unwrap_or_else(|| Ok(RecordBatch::new_empty(schema.clone())));
    let first = first.map_err(told)?;
    let mut writer = Writer::new(out, format, &schema, Shape::Many)?;
    let mut rows = 0;
    for batch in std::iter::once(Ok(first)).chain(answer) {
        match batch {
            Ok(batch) => {
                rows += batch.num_rows() as u64;
                writer.write(&batch)?;
            }
            Err(error) => {
                // Rows that are only held back to be aligned are good ones.
                if format == Format::Table && rows > 0 {
                    writer.finish()?;
                }
                return Err(told(error));
            }
        }
    }
    Ok((writer.finish()?, rows))
}
