//! `everyply.fourchess.games` and `everyply.fourchess.positions`: tables of PGN4 files, which are
//! read while the rows are taken.

use std::{path::PathBuf, sync::Arc};

use ::fourchess::pgn::PgnError;
use ::games::fourchess::{Played, Reader as Games, RecordError as Cause};
use ::tables::{
    Batches as Collected,
    fourchess::{PGN4_GAMES, PGN4_POSITIONS, pgn4_game, pgn4_positions},
};
use arrow::{compute::concat_batches, datatypes::SchemaRef, record_batch::RecordBatch};
use pyo3::prelude::*;

use crate::{
    error::{Raise, exceptions},
    reader::{Bad, BadRecord, Failure, Files, Home, OnBad, Reader, Reading, files},
};

exceptions! {
    fourchess.RecordError from ::games::fourchess::RecordError,
        "A file that cannot be read, or a bad game in it. The message names the place.";
}

/// The games of PGN4 files, one row each: the table `fourchess.pgn4_games`.
///
/// `paths` is a path or an iterable of paths. Files are plain or compressed with gzip or zstd, and
/// `-` is standard input. Nothing is read until rows are taken from the reader that is returned.
///
/// The reader skips bad games and lists them in `bad`; with `on_bad="raise"` it raises RecordError
/// at the first.
///
/// >>> from everyply import fourchess
/// >>> import pathlib, tempfile
/// >>> path = pathlib.Path(tempfile.mkdtemp(), "games.pgn4")
/// >>> _ = path.write_text('[Red "A"]\n\n1. h2-h3 .. b7-c7\n\n[Red "B"]\n\n1. h2-h9\n')
/// >>> games = fourchess.games(path)
/// >>> import pyarrow
/// >>> pyarrow.table(games).select(["red", "rules", "plies"]).to_pylist()
/// [{'red': 'A', 'rules': 'ffa', 'plies': 2}]
/// >>> games.bad
/// [BadRecord(game 2, line 7: h2-h9 is not a legal move here (move 1 of Red))]
#[pyfunction]
#[pyo3(signature = (paths, *, on_bad="skip"))]
pub(crate) fn games(paths: &Bound<'_, PyAny>, on_bad: &str) -> PyResult<Reader> {
    reader(paths, Rows::Games, on_bad)
}

/// The positions of PGN4 files, one row each with the move that was made in it and its action: the
/// table `fourchess.pgn4_positions`. The last row of a game has no move.
///
/// The arguments are those of `games`.
///
/// >>> from everyply import fourchess
/// >>> import pathlib, tempfile
/// >>> path = pathlib.Path(tempfile.mkdtemp(), "games.pgn4")
/// >>> _ = path.write_text("1. h2-h3 .. b7-c7 .. R")
/// >>> import pyarrow
/// >>> rows = pyarrow.table(fourchess.positions(path))
/// >>> rows.select(["ply", "seat", "san", "action"]).to_pylist()[:2]
/// [{'ply': 0, 'seat': 'red', 'san': 'h2-h3', 'action': 441}, {'ply': 1, 'seat': 'blue', 'san': 'b7-c7', 'action': 441}]
#[pyfunction]
#[pyo3(signature = (paths, *, on_bad="skip"))]
pub(crate) fn positions(paths: &Bound<'_, PyAny>, on_bad: &str) -> PyResult<Reader> {
    reader(paths, Rows::Positions, on_bad)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rows {
    Games,
    Positions,
}

impl Rows {
    fn table(self) -> &'static tables::Table {
        match self {
            Rows::Games => &PGN4_GAMES,
            Rows::Positions => &PGN4_POSITIONS,
        }
    }

    fn of(self, played: &Played) -> Vec<RecordBatch> {
        let (source, number, record) = (&*played.source, played.number, &played.record);
        match self {
            Rows::Games => Collected::collect(&PGN4_GAMES, [pgn4_game(source, number, record)]),
            Rows::Positions => {
                Collected::collect(&PGN4_POSITIONS, pgn4_positions(source, number, record))
            }
        }
    }
}

/// What is to be read.
struct Plan {
    paths: Vec<PathBuf>,
    rows: Rows,
    on_bad: OnBad,
}

fn reader(paths: &Bound<'_, PyAny>, rows: Rows, on_bad: &str) -> PyResult<Reader> {
    let on_bad = OnBad::from_word(on_bad)?;
    let paths = files(paths, |error| Cause::from(error).raise_at(""))?;
    Ok(Reader::new(Plan { paths, rows, on_bad }))
}

impl Files for Plan {
    fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    fn schema(&self) -> SchemaRef {
        self.rows.table().schema()
    }

    fn begin(&self, bad: Arc<Bad>) -> PyResult<Reading> {
        Ok(Box::new(Batches {
            games: Some(Games::new(self.paths.clone())),
            rows: self.rows,
            on_bad: self.on_bad,
            schema: self.schema(),
            bad,
            home: Home::here(),
        }))
    }
}

/// Files that are being read, a game at a time.
struct Batches {
    /// None when no more rows are wanted.
    games: Option<Games>,
    rows: Rows,
    on_bad: OnBad,
    schema: SchemaRef,
    bad: Arc<Bad>,
    home: Home,
}

/// Rows of a batch, unless they are the last.
const BATCH: usize = 1 << 13;

impl Iterator for Batches {
    type Item = Result<RecordBatch, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut games = self.games.take()?;
        let (mut held, mut count) = (Vec::new(), 0);
        while count < BATCH {
            if let Err(failure) = self.home.signals() {
                return Some(Err(failure));
            }
            match games.next() {
                Some(Ok(played)) => {
                    let batches = self.rows.of(&played);
                    count += batches.iter().map(RecordBatch::num_rows).sum::<usize>();
                    held.extend(batches);
                }
                Some(Err(error)) if self.on_bad == OnBad::Raise => {
                    return Some(Err(Failure::record(error)));
                }
                Some(Err(error)) => self.bad.add([record(games.source(), &error)].into_iter()),
                None if count == 0 => return None,
                None => return Some(self.joined(&held)),
            }
        }
        self.games = Some(games);
        Some(self.joined(&held))
    }
}

impl Batches {
    fn joined(&self, held: &[RecordBatch]) -> Result<RecordBatch, Failure> {
        concat_batches(&self.schema, held).map_err(|error| Failure::Table(error.into()))
    }
}

/// A bad game as Python sees it.
fn record(source: &str, error: &Cause) -> BadRecord {
    match error {
        Cause::Game { error: PgnError::Game { game, line, fault }, .. } => {
            BadRecord::new(source, Some(*game), Some(*line), &fault.to_string())
        }
        error => BadRecord::of_file(source, error),
    }
}
