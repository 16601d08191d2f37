//! `everyply.relations`

mod kept;
pub(crate) mod patterns;

use std::sync::Arc;

use ::sql::{Ahead, Answer, Positions, SqlError as Failure};
use arrow::{
    array::{ArrayRef, StringArray},
    datatypes::Schema,
    record_batch::RecordBatch,
};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::{
    chess,
    error::{Error, Raise, refuse},
    perft::DEEPEST,
    strings::Strings,
    table::{Arrow, Table},
    threads,
};

pyo3::create_exception!(
    everyply.relations,
    RulesError,
    Error,
    "Rows that are not valid rules of chess."
);

/// The rules of chess as rows: legal moves and timelines of many positions as one query plan.
#[pymodule(name = "relations", submodule)]
pub(crate) mod module {
    #[pymodule_export]
    use super::{RulesError, legal_moves, outcomes, perft, rules, timeline};
}

/// The rules of a variant: `standard`, `chess960` or `crowned-knights`, a row for each pattern.
///
/// The rows can be edited and handed back as `patterns`. The columns are explained in
/// docs/relations.md.
///
/// >>> from everyply import relations, sql
/// >>> rules = relations.rules()
/// >>> rules.column_names
/// ['name', 'source', 'destination', 'dx', 'dy', 'sequence', 'effects']
/// >>> slow = sql.query(
/// ...     "select * from rules where name not in ('pawn first step', 'pawn double step')",
/// ...     tables={"rules": rules},
/// ... )
/// >>> relations.perft(1, patterns=slow)
/// 12
#[pyfunction]
#[pyo3(signature = (variant="chess960"))]
fn rules(variant: &str) -> PyResult<Table> {
    patterns::named(variant).map(|rules| patterns::table(&rules))
}

/// The legal moves of positions, a row each.
///
/// `positions` are FENs: any iterable of str, an Arrow array of strings, or an Arrow table with a
/// column `fen`, whose other columns are kept; `start` is the start position. Adds
/// `uci`, the squares `from` and `to`, the `piece`, what it captures (`captured`) and becomes
/// (`promotion`), and the `rule` that the move follows. Rows come in the order of the positions, and
/// of `uci`. A column of the table with one of these names gets `given_` before it.
///
/// The rules are those of `variant`, or of `patterns`, a table with the columns of `rules`. The
/// whole call is one query plan, run on all cores or on `threads` of them.
///
/// Raises chess.FenError for the first bad position, RulesError for bad rows of `patterns`.
///
/// >>> from everyply import relations
/// >>> relations.legal_moves(["8/P7/8/8/8/4k3/8/4K3 w - - 0 1"])
/// table: 6 rows, 8 columns
/// fen                             uci    from  to  piece  captured  promotion  rule
/// 8/P7/8/8/8/4k3/8/4K3 w - - 0 1  a7a8b  a7    a8  pawn             bishop     promotes to bishop
/// 8/P7/8/8/8/4k3/8/4K3 w - - 0 1  a7a8n  a7    a8  pawn             knight     promotes to knight
/// 8/P7/8/8/8/4k3/8/4K3 w - - 0 1  a7a8q  a7    a8  pawn             queen      promotes to queen
/// 8/P7/8/8/8/4k3/8/4K3 w - - 0 1  a7a8r  a7    a8  pawn             rook       promotes to rook
/// 8/P7/8/8/8/4k3/8/4K3 w - - 0 1  e1d1   e1    d1  king                        king steps straight
/// 8/P7/8/8/8/4k3/8/4K3 w - - 0 1  e1f1   e1    f1  king                        king steps straight
#[pyfunction]
#[pyo3(signature = (positions, *, variant="chess960", patterns=None, threads=None))]
fn legal_moves(
    py: Python<'_>,
    positions: &Bound<'_, PyAny>,
    variant: &str,
    patterns: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
) -> PyResult<Table> {
    let positions = read(py, positions)?;
    kept::ask(py, variant, patterns, threads, |engine| table(engine.moves(positions)?))
}

/// Whether positions are check, mate or stalemate, a row each.
///
/// Adds `check`, the number of `legal_moves`, and `ending`: checkmate, stalemate or null. The
/// arguments are those of `legal_moves`.
///
/// >>> from everyply import relations
/// >>> relations.outcomes(["start", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"])
/// table: 2 rows, 4 columns
/// fen                             check  legal_moves  ending
/// start                           false           20
/// 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1  false            0  stalemate
#[pyfunction]
#[pyo3(signature = (positions, *, variant="chess960", patterns=None, threads=None))]
fn outcomes(
    py: Python<'_>,
    positions: &Bound<'_, PyAny>,
    variant: &str,
    patterns: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
) -> PyResult<Table> {
    let positions = read(py, positions)?;
    kept::ask(py, variant, patterns, threads, |engine| table(engine.outcomes(positions)?))
}

/// Every sequence of legal moves within a number of plies, a row each with the position after it.
///
/// Adds the `ply`, the moves that lead there (`path`), the path without its last move (`parent`),
/// and the `position` as FEN. With `merge`, equal positions of a ply are one row, and the number of
/// paths that lead there (`multiplicity`) replaces the path. The other arguments are those of
/// `legal_moves`.
///
/// >>> from everyply import relations
/// >>> relations.timeline(["k7/8/8/8/8/8/8/K7 w - - 0 1"], 1).column_names
/// ['fen', 'ply', 'path', 'parent', 'position']
/// >>> [len(relations.timeline(["start"], 3, merge=merge)) for merge in (False, True)]
/// [9323, 5783]
#[pyfunction]
#[pyo3(signature = (positions, plies, *, merge=false, variant="chess960", patterns=None, threads=None))]
fn timeline(
    py: Python<'_>,
    positions: &Bound<'_, PyAny>,
    plies: u32,
    merge: bool,
    variant: &str,
    patterns: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
) -> PyResult<Table> {
    if plies > DEEPEST {
        return Err(refuse(format!("plies {plies}, expected at most {DEEPEST}")));
    }
    let positions = read(py, positions)?;
    let ahead = Ahead { plies, merge };
    kept::ask(py, variant, patterns, threads, |engine| table(engine.timeline(positions, ahead)?))
}

/// How many sequences of `depth` legal moves start from a position.
///
/// It shares no code with the bitboards of `chess.perft`, so each verifies the other. The other
/// arguments are those of `legal_moves`.
///
/// >>> from everyply import chess, relations
/// >>> relations.perft(3), chess.perft(3)
/// (8902, 8902)
/// >>> relations.perft(3, variant="crowned-knights")
/// 9462
#[pyfunction]
#[pyo3(signature = (depth, fen="start", *, variant="chess960", patterns=None, threads=None))]
fn perft(
    py: Python<'_>,
    depth: u32,
    fen: &str,
    variant: &str,
    patterns: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
) -> PyResult<u64> {
    if depth > DEEPEST {
        return Err(refuse(format!("depth {depth}, expected at most {DEEPEST}")));
    }
    let position = chess::position(fen)?;
    kept::ask(py, variant, patterns, threads, |engine| engine.perft(&position, depth))
}

/// The argument, and its column.
const POSITIONS: &str = "positions";
const FEN: &str = "fen";

fn table(answer: Answer<'_>) -> Result<Table, Failure> {
    let schema = answer.schema().clone();
    Ok(Table::new(schema, answer.collect::<Result<_, _>>()?))
}

/// Positions as a table with a column of FENs, all of them good.
fn read(py: Python<'_>, positions: &Bound<'_, PyAny>) -> PyResult<Positions> {
    let table = match Arrow::new(positions)? {
        Some(arrow) if arrow.is_table() => arrow.into_table(POSITIONS)?,
        Some(arrow) => column(&Strings::Arrow(arrow.chunks))?,
        None => column(&Strings::new(positions, POSITIONS)?)?,
    };
    if table.schema.index_of(FEN).is_err() {
        return Err(refuse(format!("{POSITIONS}: no column {FEN}")));
    }
    let fens = table.batches.iter().filter_map(|batch| batch.column_by_name(FEN).cloned());
    let fens = Strings::Arrow(fens.collect());
    let texts = fens.texts(POSITIONS)?;
    let bad = threads::detach(py, || {
        let bad = |(index, fen): (usize, &&str)| Some((index, chess::read(fen).err()?));
        texts.par_iter().enumerate().find_map_first(bad)
    });
    match bad {
        Some((index, error)) => Err(error.raise_at(&format!("{POSITIONS}[{index}]: "))),
        None => Ok(Positions::Rows { schema: table.schema, batches: table.batches }),
    }
}

fn column(fens: &Strings) -> PyResult<Table> {
    let schema = Arc::new(Schema::new(vec![tables::text(FEN).field()]));
    let fens: ArrayRef = Arc::new(StringArray::from(fens.texts(POSITIONS)?));
    let batch = RecordBatch::try_new(schema.clone(), vec![fens]);
    Ok(Table::new(schema, vec![batch.expect("the column is that of the schema")]))
}
