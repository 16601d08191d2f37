//! Games with variations and comments, between PGN and the Python objects of `everyply._pgn`.

#![expect(clippy::needless_pass_by_value, reason = "PyO3 hands arguments over by value")]

use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use ::chess::{
    Ending, Position as Inner, San,
    pgn::{self, Evaluation, Fault, Game, GameResult, Node, PgnError as Failure, Tags, Variation},
};
use games::RecordError as Cause;
use pyo3::{
    prelude::*,
    types::{PyList, PyTuple},
};
use sources::{Source, SourceError};

use super::position::Position;
use crate::{
    error::{Raise, exceptions, refuse},
    reader::files,
};

exceptions! {
    chess.PgnError from Failure, "A text that is not a game in PGN, or a game with an illegal move.";
}

/// What Python makes a game of: tags, the line, the result.
type Told<'py> = (Vec<(String, String)>, Bound<'py, PyTuple>, &'static str);

/// The only game of a text.
#[pyfunction]
pub(super) fn parse_pgn<'py>(py: Python<'py>, text: &str) -> PyResult<Told<'py>> {
    let mut reader = pgn::Reader::new(text.as_bytes());
    let mut read = || py.detach(|| Game::read(&mut reader)).map_err(|error| error.raise_at(""));
    let Some(game) = read()? else { return Err(refuse("the text has no game".to_owned())) };
    match read()? {
        None => told(py, &game),
        Some(_) => Err(refuse("the text has several games, expected one".to_owned())),
    }
}

/// The games of files, one after the other. After a bad game it goes on with the next.
#[pyclass(frozen, module = "everyply.chess")]
pub(crate) struct PgnFiles(Mutex<Files>);

struct Files {
    paths: std::vec::IntoIter<PathBuf>,
    open: Option<(String, pgn::Reader<Source>)>,
}

#[pymethods]
impl PgnFiles {
    #[new]
    fn new(paths: &Bound<'_, PyAny>) -> PyResult<PgnFiles> {
        let paths = files(paths, super::reader::bad_path)?.into_iter();
        Ok(PgnFiles(Mutex::new(Files { paths, open: None })))
    }

    fn __iter__(files: PyRef<'_, Self>) -> PyRef<'_, Self> {
        files
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Told<'py>>> {
        py.check_signals()?;
        let next = py.detach(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).next());
        let game = next.map_err(|error| error.raise_at(""))?;
        game.map(|game| told(py, &game)).transpose()
    }
}

impl Files {
    fn next(&mut self) -> Result<Option<Game>, Cause> {
        loop {
            if self.open.is_none() {
                let Some(path) = self.paths.next() else { return Ok(None) };
                let source = Source::open(&path)?;
                self.open = Some((source.name().to_owned(), pgn::Reader::new(source)));
            }
            let Some((name, reader)) = &mut self.open else { return Ok(None) };
            match Game::read(reader) {
                Ok(Some(game)) => return Ok(Some(game)),
                Ok(None) => self.open = None,
                Err(Failure::Io(error)) => {
                    let name = name.clone();
                    self.open = None;
                    return Err(match error.downcast::<SourceError>() {
                        Ok(error) => error.into(),
                        Err(error) => Cause::Game { name, error: Failure::Io(error) },
                    });
                }
                Err(error) => return Err(Cause::Game { name: name.clone(), error }),
            }
        }
    }
}

fn told<'py>(py: Python<'py>, game: &Game) -> PyResult<Told<'py>> {
    let tags = game.tags.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
    Ok((tags.collect(), line(py, &game.mainline, game.start)?, game.result.as_str()))
}

/// A line as a tuple: its comments, and its moves, each a tuple with its variations.
fn line<'py>(
    py: Python<'py>,
    variation: &Variation,
    start: Inner,
) -> PyResult<Bound<'py, PyTuple>> {
    let moves = PyList::empty(py);
    let mut position = start;
    for node in &variation.moves {
        let san = San::of(&position, node.mv).to_string();
        let nags: Vec<u16> = node.nags.iter().copied().map(u16::from).collect();
        let variations = node.variations.iter().map(|variation| line(py, variation, position));
        let variations = variations.collect::<PyResult<Vec<_>>>()?;
        moves.append((san, nags, node.comments.clone(), variations))?;
        position = position.play(node.mv);
    }
    (variation.comments.clone(), moves).into_pyobject(py)
}

/// The PGN of a game, given as Python has it.
#[pyfunction]
pub(super) fn write_pgn(
    tags: Vec<(String, String)>,
    line: &Bound<'_, PyAny>,
    result: &str,
) -> PyResult<String> {
    let mut all = Tags::default();
    for (name, value) in &tags {
        all.push(name, value);
    }
    let results =
        [GameResult::WhiteWins, GameResult::BlackWins, GameResult::Draw, GameResult::Unknown];
    let result = results
        .into_iter()
        .find(|known| known.as_str() == result)
        .ok_or_else(|| refuse(format!("result '{result}', expected 1-0, 0-1, 1/2-1/2 or *")))?;
    let start = begin(&all)?;
    let mainline = variation(line, start, "line", 0)?;
    Ok(Game { tags: all, start, mainline, result }.to_string())
}

/// The position that a game with these tags starts from.
#[pyfunction]
pub(super) fn pgn_start(tags: Vec<(String, String)>) -> PyResult<Position> {
    let mut all = Tags::default();
    for (name, value) in &tags {
        all.push(name, value);
    }
    Ok(begin(&all)?.into())
}

fn begin(tags: &Tags) -> PyResult<Inner> {
    tags.start().map_err(|fault| match fault {
        Fault::Start(error) => error.raise_at("tags['FEN']: "),
        fault => refuse(format!("tags: {fault}")),
    })
}

/// As deep as the reader of PGN goes.
const DEEPEST: usize = 64;

/// Reads a line of Python, with the place of each move in errors.
fn variation(
    line: &Bound<'_, PyAny>,
    start: Inner,
    place: &str,
    depth: usize,
) -> PyResult<Variation> {
    if depth > DEEPEST {
        return Err(refuse(format!("variations nested more than {DEEPEST} deep")));
    }
    let mut read = Variation { comments: line.getattr("comments")?.extract()?, moves: Vec::new() };
    let mut position = start;
    for (index, node) in line.getattr("moves")?.try_iter()?.enumerate() {
        let node = node?;
        let place = format!("{place}.moves[{index}]");
        let text: String = node.getattr("move")?.extract()?;
        let found = ::chess::find_move(&position, &text);
        let mv = found.map_err(|error| error.raise_at(&format!("{place}: ")))?;
        let variations = node.getattr("variations")?.try_iter()?.enumerate();
        let variations = variations.map(|(index, line)| {
            variation(&line?, position, &format!("{place}.variations[{index}]"), depth + 1)
        });
        read.moves.push(Node {
            mv,
            nags: node
                .getattr("nags")?
                .extract::<Vec<u16>>()?
                .into_iter()
                .map(nag)
                .collect::<PyResult<_>>()?,
            comments: node.getattr("comments")?.extract()?,
            variations: variations.collect::<PyResult<_>>()?,
        });
        position = position.play(mv);
    }
    Ok(read)
}

fn nag(number: u16) -> PyResult<u8> {
    u8::try_from(number).map_err(|_| refuse(format!("nag {number}, expected 0 to 255")))
}

/// The seconds on the mover's clock that comments say.
#[pyfunction]
pub(super) fn comment_clock(comment: &str) -> Option<f64> {
    pgn::clock(comment.as_bytes()).as_ref().map(Duration::as_secs_f64)
}

/// The evaluation that comments say, as in the column `eval` of tables.
#[pyfunction]
pub(super) fn comment_eval(comment: &str) -> Option<String> {
    pgn::evaluation(comment.as_bytes()).map(|evaluation| match evaluation {
        Evaluation::Pawns(pawns) => pawns.to_string(),
        Evaluation::Mate(moves) => format!("#{moves}"),
    })
}

/// How a game that went through these positions has ended by the rules.
#[pyfunction]
pub(super) fn ending(positions: Vec<PyRef<'_, Position>>) -> Option<&'static str> {
    let positions: Vec<Inner> = positions.iter().map(|position| *position.inner()).collect();
    if positions.is_empty() { None } else { Ending::of(&positions).map(Ending::name) }
}
