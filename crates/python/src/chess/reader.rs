//! `everyply.chess.games` and `everyply.chess.positions`: tables of games in files, which are read
//! while the rows are taken.

use std::{num::NonZeroUsize, sync::Arc};

use ::chess::pgn::PgnError;
use ::games::{Condition, RecordError as Cause};
use pyo3::prelude::*;
use sources::SourceError;

use super::{
    definitions,
    reading::{Chosen, Plan, Rows},
    selection,
};
use crate::{
    error::{Raise, exceptions, refuse},
    reader::{BadRecord, OnBad, Reader, files},
    strings::Strings,
    threads,
};

exceptions! {
    chess.RecordError from ::games::RecordError,
        "A file that cannot be read, or a bad game or line in it. The message names the place.";
    chess.ConditionError from ::games::ConditionError, "A text that is not a condition on games or \
                                                      positions.";
}

/// The games of PGN files, one row each: the table `chess.games`.
///
/// `paths` is a path or an iterable of paths. Files are plain or compressed with gzip or zstd, and
/// `-` is standard input. Nothing is read until rows are taken from the reader that is returned.
///
/// `columns` is an iterable of the names of the columns that are wanted, in this order; only they
/// are computed. Without it there are all of the table.
///
/// `where` is a condition or an iterable of conditions, all of which must hold, such as
/// `white_elo >= 2000`: a key (`result`, `white_elo`, `black_elo`, `eco`), an operator (`=`, `!=`,
/// `<`, `<=`, `>`, `>=`, and `~` for "contains") and a value. A tag that is missing satisfies no
/// condition.
///
/// The reader skips bad games and lists them in `bad`; with `on_bad="raise"` it raises RecordError
/// at the first. `threads` is the number of threads, by default one for each core. The rows are
/// the same for any number.
///
/// Raises RecordError for a path that cannot be opened, ConditionError for a bad condition.
///
/// >>> from everyply import chess
/// >>> import pathlib, tempfile
/// >>> path = pathlib.Path(tempfile.mkdtemp(), "games.pgn")
/// >>> text = '[White "A"]\n\n1. e4 e5 *\n\n[White "B"]\n\n1. e5 *\n\n[White "C"]\n\n1. d4 *\n'
/// >>> _ = path.write_text(text)
/// >>> games = chess.games(path)
/// >>> import pyarrow
/// >>> pyarrow.table(games).select(["white", "plies"]).to_pylist()
/// [{'white': 'A', 'plies': 2}, {'white': 'C', 'plies': 1}]
/// >>> games.bad
/// [BadRecord(game 2, line 7: e5 is not a legal move here (move 1 of white))]
#[pyfunction]
#[pyo3(signature = (paths, *, columns=None, r#where=None, threads=None, on_bad="skip"))]
pub(super) fn games(
    paths: &Bound<'_, PyAny>,
    columns: Option<&Bound<'_, PyAny>>,
    r#where: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
    on_bad: &str,
) -> PyResult<Reader> {
    let conditions = conditions(r#where)?;
    if let Some(condition) = conditions.iter().find(|condition| condition.is_of_positions()) {
        return Err(refuse(format!("where: '{condition}' is a condition on positions, not games")));
    }
    Ok(Reader::new(Arc::new(Plan {
        paths: files(paths, bad_path)?,
        rows: Rows::Games(chosen(columns, Chosen::of_games)?.unwrap_or_else(Chosen::games)),
        conditions,
        every: NonZeroUsize::MIN,
        threads: threads::given(threads)?,
        on_bad: OnBad::from_word(on_bad)?,
    })))
}

/// The positions of games in files, one row each.
///
/// Without `facts` this is the table `chess.positions` of PGN files. With `facts` it is the table
/// `chess.facts` with these facts as columns, and files may also hold a FEN or EPD on each line.
/// `facts` and `definitions` are those of the function `facts`.
///
/// `columns` is an iterable of the names of the columns that are wanted, in this order; only they
/// are computed. It may name every column of the SQL function `chess_positions`: those of
/// `chess.positions`, the tags of the game, and every fact. Files may then also hold a FEN or EPD
/// on each line. It cannot be combined with `facts`.
///
/// `every` keeps every Nth position of a game, the first one included. `where` may also contain
/// conditions on `ply`. The other arguments are those of `games`.
///
/// Raises RecordError for a path that cannot be opened, ConditionError for a bad condition,
/// UnknownFact for a bad name.
///
/// >>> from everyply import chess
/// >>> import pathlib, tempfile
/// >>> path = pathlib.Path(tempfile.mkdtemp(), "games.pgn")
/// >>> _ = path.write_text("1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0")
/// >>> import pyarrow
/// >>> rows = pyarrow.table(chess.positions(path, where=["ply >= 5"]))
/// >>> rows.select(["ply", "san", "legal_moves", "check"]).to_pylist()[-1]
/// {'ply': 7, 'san': None, 'legal_moves': 0, 'check': True}
/// >>> rows = pyarrow.table(chess.positions(path, columns=["ply", "san", "mover_mating_moves"]))
/// >>> rows.to_pylist()[6]
/// {'ply': 6, 'san': 'Qxf7#', 'mover_mating_moves': 1}
/// >>> rows = pyarrow.table(chess.positions(path, facts="checkers", every=7))
/// >>> rows.select(["ply", "white_checkers", "black_checkers"]).to_pylist()
/// [{'ply': 0, 'white_checkers': 0, 'black_checkers': 0}, {'ply': 7, 'white_checkers': 0, 'black_checkers': 1}]
#[pyfunction]
#[pyo3(signature = (
    paths, *, columns=None, facts=None, definitions="std", r#where=None, every=1, threads=None,
    on_bad="skip"
))]
#[expect(clippy::too_many_arguments, reason = "in Python they have names and defaults")]
pub(super) fn positions(
    paths: &Bound<'_, PyAny>,
    columns: Option<&Bound<'_, PyAny>>,
    facts: Option<&Bound<'_, PyAny>>,
    definitions: &str,
    r#where: Option<&Bound<'_, PyAny>>,
    every: usize,
    threads: Option<usize>,
    on_bad: &str,
) -> PyResult<Reader> {
    let definitions = self::definitions(definitions)?;
    let rows = match (chosen(columns, Chosen::of_positions)?, facts) {
        (Some(_), Some(_)) => {
            return Err(refuse("columns and facts: columns can name facts too".to_owned()));
        }
        (Some(chosen), None) => Rows::Positions(chosen),
        (None, None) => Rows::Positions(Chosen::positions()),
        (None, facts) => Rows::Facts(selection(facts)?, definitions),
    };
    let every = NonZeroUsize::new(every);
    Ok(Reader::new(Arc::new(Plan {
        paths: files(paths, bad_path)?,
        rows,
        conditions: conditions(r#where)?,
        every: every.ok_or_else(|| refuse("every 0, expected at least 1".to_owned()))?,
        threads: threads::given(threads)?,
        on_bad: OnBad::from_word(on_bad)?,
    })))
}

/// The columns that are asked for, if any are.
fn chosen(
    names: Option<&Bound<'_, PyAny>>,
    of: fn(&[&str]) -> Result<Chosen, String>,
) -> PyResult<Option<Chosen>> {
    let Some(names) = names else { return Ok(None) };
    let names = Strings::new(names, "columns")?;
    let names: Vec<&str> = names.texts("columns")?;
    if names.is_empty() {
        return Err(refuse("columns: none is named".to_owned()));
    }
    of(&names).map(Some).map_err(|cause| refuse(format!("columns: {cause}")))
}

/// What is raised for a file that cannot be opened.
pub(super) fn bad_path(error: SourceError) -> PyErr {
    Cause::from(error).raise_at("")
}

fn conditions(given: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Condition>> {
    let Some(given) = given else { return Ok(Vec::new()) };
    let parse = |text: &str| text.parse::<Condition>().map_err(|error| error.raise_at("where: "));
    match given.extract::<&str>() {
        Ok(text) => Ok(vec![parse(text)?]),
        Err(_) => Strings::new(given, "where")?.texts("where")?.into_iter().map(parse).collect(),
    }
}

/// A bad record as Python sees it.
pub(super) fn bad_record(source: &str, error: &Cause) -> BadRecord {
    match error {
        Cause::Game { error: PgnError::Game { game, line, fault }, .. } => {
            BadRecord::new(source, Some(*game), Some(*line), &fault.to_string())
        }
        Cause::Position { line, error, .. } => {
            BadRecord::new(source, None, Some(*line), &error.to_string())
        }
        Cause::Source(SourceError::LineTooLong { line, limit, .. }) => {
            let cause = format!("longer than {limit} bytes");
            BadRecord::new(source, None, Some(*line), &cause)
        }
        error => BadRecord::of_file(source, error),
    }
}
