//! `everyply.chess`

mod pgn;
mod position;
mod reader;
mod reading;

use ::chess::{Epd, Move, PerftTable, Position, San, Uci};
use arrow::record_batch::RecordBatch;
use chess_facts::{Definitions, Facts, Selection};
use pyo3::{
    exceptions::{PyMemoryError, PyRuntimeError},
    prelude::*,
    types::PyDict,
};
use rayon::prelude::*;
use tables::{
    TableError,
    chess::{FactRows, facts_schema},
};

use crate::{
    error::{Raise, exceptions, refuse},
    strings::Strings,
    table::Table,
    threads,
};

exceptions! {
    chess.FenError from ::chess::FenError,
        "A text that is not a FEN, or a FEN of an illegal position.";
    chess.EpdError from ::chess::EpdError, "A line with malformed EPD operations.";
    chess.SanError from ::chess::SanError, "A move that cannot be parsed, or that is not legal in \
                                            its position.";
    chess.UnknownFact from chess_facts::UnknownFact, "A name that is neither a fact nor a group of \
                                                 facts.";
}

/// Chess: legal moves, and facts of positions.
#[pymodule(name = "chess", submodule)]
pub(crate) mod module {
    #[pymodule_export]
    use super::pgn::{
        PgnError, PgnFiles, comment_clock, comment_eval, ending, parse_pgn, pgn_start, write_pgn,
    };
    #[pymodule_export]
    use super::position::Position;
    #[pymodule_export]
    use super::reader::{ConditionError, RecordError, games, positions};
    #[pymodule_export]
    use super::{EpdError, FenError, SanError, UnknownFact, divide, facts, moves, perft, play};
    #[pymodule_export]
    use crate::reader::{BadRecord, Reader};
}

/// Positions between two looks at Python's signals, so that Ctrl-C is heard.
const LOOK: usize = 1 << 18;
/// Positions turned into columns at once.
const BATCH: usize = 1 << 14;

/// The facts of positions, one row each.
///
/// `fens` are FEN or EPD lines: any iterable of str, or an Arrow array of strings (pyarrow,
/// polars). `facts` selects the columns by name, in a str with commas or an iterable: `lines`,
/// `exchange`, `forks` and `everything` are all counts up to that level, `masks` and `lists` are
/// all of those, and every fact has a name of its own. `definitions` is `std` or `literal`. The
/// columns are those of docs/facts.md; `game` is the number of the line, from 1.
///
/// Raises FenError or EpdError for the first bad line, UnknownFact for a bad name.
///
/// >>> from everyply import chess
/// >>> table = chess.facts(
/// ...     ["rnb1kbnr/ppp2ppp/8/3qp3/8/2N5/PPPP1PPP/R1BQKBNR w KQkq - 0 4"],
/// ...     "hanging_see,hanging_gain",
/// ... )
/// >>> import pyarrow
/// >>> pyarrow.table(table)["black_hanging_gain"].to_pylist()
/// [9]
#[pyfunction]
#[pyo3(signature = (fens, facts=None, *, definitions="std"))]
fn facts(
    py: Python<'_>,
    fens: &Bound<'_, PyAny>,
    facts: Option<&Bound<'_, PyAny>>,
    definitions: &str,
) -> PyResult<Table> {
    let selection = selection(facts)?;
    let definitions = self::definitions(definitions)?;
    let strings = Strings::new(fens, "fens")?;
    let texts = strings.texts("fens")?;
    let mut batches = Vec::new();
    for (number, texts) in texts.chunks(LOOK).enumerate() {
        py.check_signals()?;
        let computed = threads::detach(py, || {
            let parts = texts.par_chunks(BATCH).enumerate();
            let batch = |(part, texts)| {
                compute(texts, number * LOOK + part * BATCH, &selection, definitions)
            };
            parts.map(batch).collect::<Result<Vec<_>, _>>()
        });
        batches.extend(computed.map_err(Bad::raise)?);
    }
    Ok(Table::new(facts_schema(&selection, definitions), batches))
}

fn definitions(name: &str) -> PyResult<Definitions> {
    let found = Definitions::ALL.into_iter().find(|definitions| definitions.name() == name);
    found.ok_or_else(|| refuse("definitions: expected std or literal".to_owned()))
}

fn selection(facts: Option<&Bound<'_, PyAny>>) -> PyResult<Selection> {
    let Some(facts) = facts else {
        return Ok(Selection::counts(chess_facts::Level::Everything));
    };
    let parsed = if let Ok(names) = facts.extract::<&str>() {
        Selection::parse(names.split(',').map(str::trim))
    } else {
        let names = Strings::new(facts, "facts")?;
        Selection::parse(names.texts("facts")?)
    };
    parsed.map_err(|error| error.raise_at("facts: "))
}

/// What can go wrong while rows are computed, away from Python.
enum Bad {
    Line(usize, ::chess::EpdError),
    Table(TableError),
}

impl Bad {
    fn raise(self) -> PyErr {
        match self {
            Bad::Line(index, ::chess::EpdError::Fen(error)) => {
                error.raise_at(&format!("fens[{index}]: "))
            }
            Bad::Line(index, error) => error.raise_at(&format!("fens[{index}]: ")),
            Bad::Table(error) => PyRuntimeError::new_err(error.to_string()),
        }
    }
}

fn compute(
    texts: &[&str],
    first: usize,
    selection: &Selection,
    definitions: Definitions,
) -> Result<RecordBatch, Bad> {
    let level = selection.level();
    let mut facts = Box::new(Facts::empty());
    let mut rows = FactRows::new(selection, definitions);
    for (index, text) in (first..).zip(texts) {
        let epd = Epd::from_line(text.trim().as_bytes());
        let position = epd.map_err(|error| Bad::Line(index, error))?.position;
        facts.compute(&position, level, definitions);
        rows.push("python", index as u64 + 1, 0, &position, &facts);
    }
    rows.finish().map_err(Bad::Table)
}

/// The legal moves of a position, in UCI notation or, with `notation="san"`, in SAN.
///
/// `fen` may be `start`.
///
/// >>> from everyply import chess
/// >>> chess.moves("8/P7/8/8/8/4k3/8/4K3 w - - 0 1")
/// ['e1d1', 'e1f1', 'a7a8q', 'a7a8r', 'a7a8b', 'a7a8n']
/// >>> len(chess.moves())
/// 20
#[pyfunction]
#[pyo3(signature = (fen="start", *, notation="uci"))]
fn moves(fen: &str, notation: &str) -> PyResult<Vec<String>> {
    written(&position(fen)?, notation)
}

/// The legal moves of a position in a notation.
fn written(position: &Position, notation: &str) -> PyResult<Vec<String>> {
    let written: fn(&Position, Move) -> String = match notation {
        "uci" => |position, mv| Uci::of(position, mv).to_string(),
        "san" => |position, mv| San::of(position, mv).to_string(),
        other => return Err(refuse(format!("notation '{other}', expected uci or san"))),
    };
    Ok(position.legal_moves().iter().map(|mv| written(position, mv)).collect())
}

/// The position, as FEN, after moves in UCI notation or SAN.
///
/// >>> from everyply import chess
/// >>> chess.play("start", ["e4", "e7e5", "Nf3"])
/// 'rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2'
#[pyfunction]
fn play(fen: &str, moves: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut position = position(fen)?;
    let strings = Strings::new(moves, "moves")?;
    for (index, text) in strings.texts("moves")?.into_iter().enumerate() {
        let found = ::chess::find_move(&position, text);
        position = position.play(found.map_err(|e| e.raise_at(&format!("moves[{index}]: ")))?);
    }
    Ok(position.to_string())
}

/// How many sequences of `depth` legal moves start from a position. With `hash`, a number of
/// bytes, the counts of positions are kept in a table of that size: deep counts are several times
/// faster, and the same.
///
/// >>> from everyply import chess
/// >>> chess.perft(4), chess.perft(4, hash=2**20)
/// (197281, 197281)
#[pyfunction]
#[pyo3(signature = (depth, fen="start", *, hash=None))]
fn perft(py: Python<'_>, depth: u32, fen: &str, hash: Option<usize>) -> PyResult<u64> {
    match depth {
        0 => position(fen).map(|_| 1),
        _ => Ok(counts(py, &position(fen)?, depth, hash)?.iter().map(|(_, nodes)| nodes).sum()),
    }
}

/// The count below each legal move, by UCI notation. `hash` is that of `perft`.
///
/// >>> from everyply import chess
/// >>> chess.divide(2, "8/8/8/8/8/4k3/8/4K2R b K - 0 1")
/// {'e3d3': 13, 'e3f3': 13, 'e3d4': 15, 'e3e4': 15, 'e3f4': 15}
#[pyfunction]
#[pyo3(signature = (depth, fen="start", *, hash=None))]
fn divide<'py>(
    py: Python<'py>,
    depth: u32,
    fen: &str,
    hash: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    if depth == 0 {
        return Err(refuse("depth 0, expected at least 1".to_owned()));
    }
    let position = position(fen)?;
    let divided = PyDict::new(py);
    for (mv, nodes) in counts(py, &position, depth, hash)? {
        divided.set_item(Uci::of(&position, mv).to_string(), nodes)?;
    }
    Ok(divided)
}

/// Counts below each legal move on all cores, with a table of `hash` bytes.
pub(crate) fn counts(
    py: Python<'_>,
    position: &Position,
    depth: u32,
    hash: Option<usize>,
) -> PyResult<Vec<(Move, u64)>> {
    let no_memory = |error| PyMemoryError::new_err(format!("hash: {error}"));
    let table = hash.map(PerftTable::new).transpose().map_err(no_memory)?;
    let perft = |position: &Position, depth| match &table {
        Some(table) => table.perft(position, depth),
        None => ::chess::perft(position, depth),
    };
    let legal = |position: &Position| position.legal_moves().iter().collect();
    crate::perft::divide(py, position, depth, &legal, &Position::play, &perft)
}

pub(crate) fn position(fen: &str) -> PyResult<Position> {
    read(fen).map_err(|error| error.raise_at("fen: "))
}

/// The position of a FEN, or the one that games start with.
pub(crate) fn read(fen: &str) -> Result<Position, ::chess::FenError> {
    Position::from_text(fen)
}
