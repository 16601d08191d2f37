//! Whole answers as files.

use std::{
    io::{self, Write},
    sync::Arc,
};

use axum::{
    http::header,
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use tables::{Format, Shape, Writer};

use super::answers::Answer;
use crate::{
    app::App,
    jobs::{self, Sender},
    refusal::Refusal,
};

/// Which answer, and how it is written.
#[derive(Deserialize)]
pub(super) struct Wanted {
    pub(super) answer: u64,
    format: String,
    /// The first so many rows; all of them if it is missing.
    rows: Option<usize>,
}

/// Rows between two looks at whether they are still wanted.
const STEP: usize = 8_192;
/// Bytes that are sent at a time.
const PIECE: usize = 64 << 10;

/// An answer in a format of the command line, as it is written.
pub(super) async fn stream(
    app: &App,
    answer: Arc<Answer>,
    wanted: Wanted,
) -> Result<Response, Refusal> {
    let rows = wanted.rows.unwrap_or(usize::MAX).min(answer.rows());
    let format = Format::ALL.into_iter().find(|format| format.name() == wanted.format);
    let format = format
        .ok_or_else(|| Refusal::bad(format!("there is no format {:?} for rows", wanted.format)))?;
    let body = jobs::bytes(app, move |out| write(&answer, rows, format, out)).await?;
    let name = format!("attachment; filename=\"answer.{}\"", ending(format));
    let about = [(header::CONTENT_TYPE, kind(format)), (header::CONTENT_DISPOSITION, &name)];
    Ok((about, body).into_response())
}

fn kind(format: Format) -> &'static str {
    match format {
        Format::Json => "application/json",
        Format::Jsonl => "application/x-ndjson",
        Format::Csv => "text/csv; charset=utf-8",
        Format::Parquet | Format::Arrow => "application/octet-stream",
        _ => "text/plain; charset=utf-8",
    }
}

fn ending(format: Format) -> &'static str {
    if format == Format::Table { "txt" } else { format.name() }
}

fn write(answer: &Answer, rows: usize, format: Format, out: &Sender) -> Result<(), Refusal> {
    let pieces = Pieces { out, held: Vec::with_capacity(PIECE) };
    let mut writer =
        Writer::new(pieces, format, &answer.schema, Shape::Many).map_err(Refusal::bad)?;
    for from in (0..rows).step_by(STEP) {
        for batch in answer.slices(from, STEP.min(rows - from)) {
            writer.write(&batch).map_err(Refusal::bad)?;
        }
    }
    let mut pieces = writer.finish().map_err(Refusal::bad)?;
    pieces.flush().map_err(Refusal::bad)
}

/// Bytes on their way to the client.
struct Pieces<'a> {
    out: &'a Sender,
    held: Vec<u8>,
}

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        if self.held.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.held.is_empty() {
            return Ok(());
        }
        let piece = std::mem::replace(&mut self.held, Vec::with_capacity(PIECE));
        let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.out.send_bytes(piece.into()).map_err(gone)
    }
}
