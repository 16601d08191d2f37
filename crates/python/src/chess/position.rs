//! `everyply.chess.Position`

use ::chess::{
    Bitboard, CastlingSide, Color, Ending, Move, Position as Inner, San, Square, Uci,
    drawing::Drawing,
};
use arrow::{
    array::{Array, ArrayRef, AsArray},
    datatypes::{DataType, UInt8Type, UInt64Type},
};
use chess_facts::{Definitions, Facts, Selection};
use pyo3::{
    exceptions::PyRuntimeError,
    prelude::*,
    sync::PyOnceLock,
    types::{PyDict, PyList, PyMappingProxy, PyString},
};
use tables::chess::{FACT_KEYS, FactRows};

use super::{position, written};
use crate::{
    error::{Raise, refuse},
    strings::Strings,
};

/// A legal position of chess or Chess960. It never changes: `play` returns another one.
///
/// `fen` may be `start`. Raises FenError.
///
/// >>> from everyply import chess
/// >>> position = chess.Position().play(["e4", "e5", "Qh5", "Nc6", "Bc4"])
/// >>> position.turn, position.san("g8f6"), position.is_legal("Ke6")
/// ('black', 'Nf6', False)
/// >>> mate = position.play("Nf6").play("Qxf7")
/// >>> mate
/// Position('r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4')
/// >>> mate.ending, mate.attackers("f7", by="black"), mate.facts["black_checkers"]
/// ('checkmate', ['e8'], 1)
#[pyclass(frozen, module = "everyply.chess")]
pub(crate) struct Position {
    inner: Inner,
    facts: PyOnceLock<Py<PyMappingProxy>>,
}

impl From<Inner> for Position {
    fn from(inner: Inner) -> Position {
        Position { inner, facts: PyOnceLock::new() }
    }
}

#[pymethods]
impl Position {
    #[new]
    #[pyo3(signature = (fen="start"))]
    fn new(fen: &str) -> PyResult<Position> {
        Ok(position(fen)?.into())
    }

    /// The position of a `chess.Board` of python-chess. Its earlier moves are dropped.
    #[staticmethod]
    fn from_board(board: &Bound<'_, PyAny>) -> PyResult<Position> {
        let is_chess960 = board.getattr("chess960")?.is_truthy()?;
        let fen = board.call_method0(if is_chess960 { "shredder_fen" } else { "fen" })?;
        Position::new(fen.extract()?)
    }

    /// The position as a `chess.Board` of python-chess, which must be installed.
    fn to_board<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let is_chess960 = self.has_other_rooks();
        let fen = if is_chess960 { self.inner.shredder_fen() } else { self.fen() };
        let options = PyDict::new(py);
        options.set_item("chess960", is_chess960)?;
        py.import("chess")?.call_method("Board", (fen,), Some(&options))
    }

    /// The position in FEN.
    #[getter]
    fn fen(&self) -> String {
        self.inner.to_string()
    }

    /// The side to move: `white` or `black`.
    #[getter]
    fn turn(&self) -> &'static str {
        self.inner.turn().name()
    }

    /// The plies since the last capture or pawn move.
    #[getter]
    fn halfmoves(&self) -> u16 {
        self.inner.halfmoves()
    }

    /// The number of the current move, from 1.
    #[getter]
    fn fullmoves(&self) -> u16 {
        self.inner.fullmoves()
    }

    /// The square behind a pawn that can be captured en passant by a legal move; otherwise None.
    #[getter]
    fn en_passant(&self) -> Option<String> {
        self.inner.en_passant().map(|square| square.to_string())
    }

    /// The Zobrist hash, as in tables. Positions that count as repeated have the same hash.
    #[getter]
    fn zobrist(&self) -> u64 {
        self.inner.zobrist()
    }

    /// Whether the side to move is in check.
    #[getter]
    fn check(&self) -> bool {
        self.inner.is_check()
    }

    /// The squares of the pieces that give check.
    #[getter]
    fn checkers(&self) -> Vec<String> {
        names(self.inner.checkers())
    }

    /// How the game ends here by the rules: `checkmate`, `stalemate`, `insufficient_material` or
    /// `seventy_five_moves`; None if it goes on. A position does not know repetitions.
    #[getter]
    fn ending(&self) -> Option<&'static str> {
        Ending::of(&[self.inner]).map(Ending::name)
    }

    /// The pieces by their squares, as letters of FEN: `K` is White's king, `k` is Black's.
    #[getter]
    fn pieces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let pieces = PyDict::new(py);
        for (square, piece) in self.inner.board().pieces() {
            pieces.set_item(square.to_string(), piece.letter())?;
        }
        Ok(pieces)
    }

    /// All facts of the position, by the names of their columns in docs/facts.md: counts, masks
    /// and lists. They are computed at the first use and kept.
    ///
    /// >>> from everyply import chess
    /// >>> position = chess.Position("4k3/8/8/8/4q3/8/4B3/4K3 w - - 0 1")
    /// >>> position.facts["white_pins"]
    /// [{'slider': 'e4', 'slider_piece': 'queen', 'front': 'e2', 'front_piece': 'bishop', 'back': 'e1', 'back_piece': 'king'}]
    /// >>> position.facts["white_pinned"], hex(position.facts["white_pinned_mask"])
    /// (1, '0x1000')
    #[getter]
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyMappingProxy>> {
        let facts = self.facts.get_or_try_init(py, || {
            let facts = facts(py, &self.inner)?;
            Ok::<_, PyErr>(PyMappingProxy::new(py, facts.as_mapping()).unbind())
        });
        Ok(facts?.bind(py).clone())
    }

    /// The legal moves in UCI notation or, with `notation="san"`, in SAN.
    #[pyo3(signature = (*, notation="uci"))]
    fn moves(&self, notation: &str) -> PyResult<Vec<String>> {
        written(&self.inner, notation)
    }

    /// Whether a text is a legal move, in UCI notation or SAN.
    fn is_legal(&self, r#move: &str) -> bool {
        ::chess::find_move(&self.inner, r#move).is_ok()
    }

    /// A move in SAN, given in UCI notation or SAN. Raises SanError.
    fn san(&self, r#move: &str) -> PyResult<String> {
        let found = find(&self.inner, r#move, "move: ")?;
        Ok(San::of(&self.inner, found).to_string())
    }

    /// A move in UCI notation, given in UCI notation or SAN. Raises SanError.
    fn uci(&self, r#move: &str) -> PyResult<String> {
        let found = find(&self.inner, r#move, "move: ")?;
        Ok(Uci::of(&self.inner, found).to_string())
    }

    /// The position after a move, or after an iterable of moves, in UCI notation or SAN. Raises
    /// SanError for the first that is not legal.
    fn play(&self, moves: &Bound<'_, PyAny>) -> PyResult<Position> {
        if let Ok(text) = moves.cast::<PyString>() {
            let found = find(&self.inner, text.to_str()?, "move: ")?;
            return Ok(self.inner.play(found).into());
        }
        let mut position = self.inner;
        let strings = Strings::new(moves, "moves")?;
        for (index, text) in strings.texts("moves")?.into_iter().enumerate() {
            position = position.play(find(&position, text, &format!("moves[{index}]: "))?);
        }
        Ok(position.into())
    }

    /// The squares of the pieces that attack a square, pinned ones included. `by` is `white` or
    /// `black`, by default the side to move.
    #[pyo3(signature = (square, *, by=None))]
    fn attackers(&self, square: &str, by: Option<&str>) -> PyResult<Vec<String>> {
        let square = self::square(square, "square")?;
        let by = by.map_or(Ok(self.inner.turn()), |by| color(by, "by"))?;
        let board = self.inner.board();
        Ok(names(board.attackers(square, by, board.occupied())))
    }

    /// A picture in SVG, with a king in check marked.
    ///
    /// `viewpoint` is the side at the bottom, `white` or `black`. `lit` are squares in another
    /// colour, `dots` squares with a dot, and `arrows` are pairs of squares such as `e2e4`.
    #[pyo3(signature = (*, viewpoint="white", lit=None, dots=None, arrows=None))]
    fn svg(
        &self,
        viewpoint: &str,
        lit: Option<&Bound<'_, PyAny>>,
        dots: Option<&Bound<'_, PyAny>>,
        arrows: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let drawing = Drawing {
            viewpoint: color(viewpoint, "viewpoint")?,
            lit: squares(lit, "lit")?,
            dots: squares(dots, "dots")?,
            arrows: self::arrows(arrows)?,
            ..Drawing::of(&self.inner)
        };
        Ok(drawing.svg())
    }

    fn _repr_svg_(&self) -> String {
        Drawing::of(&self.inner).svg()
    }

    /// The board as text.
    fn __str__(&self) -> String {
        Drawing::of(&self.inner).plain().trim_end().to_owned()
    }

    fn __repr__(&self) -> String {
        format!("Position('{}')", self.inner)
    }

    /// Positions are equal if their FENs are.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Position>().is_ok_and(|other| other.get().inner == self.inner)
    }

    fn __hash__(&self) -> u64 {
        self.inner.zobrist()
    }

    /// Pickles as its FEN.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (String,)) {
        (slf.get_type().into_any(), (slf.get().inner.shredder_fen(),))
    }
}

impl Position {
    pub(super) fn inner(&self) -> &Inner {
        &self.inner
    }

    /// Whether somebody may castle as only Chess960 knows it.
    fn has_other_rooks(&self) -> bool {
        Color::ALL.into_iter().any(|color| {
            let sides = [(CastlingSide::Long, 'a'), (CastlingSide::Short, 'h')];
            let king = self.inner.king(color).file().letter();
            sides.into_iter().any(|(side, file)| {
                let rook = self.inner.castling_rook(color, side);
                rook.is_some_and(|rook| king != 'e' || rook.file().letter() != file)
            })
        })
    }
}

fn find(position: &Inner, text: &str, place: &str) -> PyResult<Move> {
    ::chess::find_move(position, text).map_err(|error| error.raise_at(place))
}

fn names(squares: Bitboard) -> Vec<String> {
    squares.map(|square| square.to_string()).collect()
}

fn square(name: &str, argument: &str) -> PyResult<Square> {
    let wrong = || refuse(format!("{argument}: '{name}' is not a square"));
    Square::from_ascii(name.as_bytes()).ok_or_else(wrong)
}

fn color(name: &str, argument: &str) -> PyResult<Color> {
    let found = Color::ALL.into_iter().find(|color| color.name() == name);
    found.ok_or_else(|| refuse(format!("{argument} '{name}', expected white or black")))
}

fn squares(given: Option<&Bound<'_, PyAny>>, argument: &str) -> PyResult<Bitboard> {
    let Some(given) = given else { return Ok(Bitboard::EMPTY) };
    let strings = Strings::new(given, argument)?;
    strings.texts(argument)?.into_iter().map(|name| square(name, argument)).collect()
}

fn arrows(given: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<(Square, Square)>> {
    let Some(given) = given else { return Ok(Vec::new()) };
    let strings = Strings::new(given, "arrows")?;
    let arrow = |text: &str| {
        let pair = text.split_at_checked(2);
        let (from, to) =
            pair.ok_or_else(|| refuse(format!("arrows: '{text}' is not two squares")))?;
        Ok((square(from, "arrows")?, square(to, "arrows")?))
    };
    strings.texts("arrows")?.into_iter().map(arrow).collect()
}

/// Every fact by the name of its column.
fn facts<'py>(py: Python<'py>, position: &Inner) -> PyResult<Bound<'py, PyDict>> {
    let selection = Selection::parse(["everything", "masks", "lists"]);
    let selection = selection.map_err(|error| error.raise_at("facts: "))?;
    let mut facts = Box::new(Facts::empty());
    facts.compute(position, selection.level(), Definitions::Std);
    let mut rows = FactRows::new(&selection, Definitions::Std);
    rows.push("python", 1, 0, position, &facts);
    let batch = rows.finish().map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let named = PyDict::new(py);
    let fields = batch.schema_ref().fields().iter().zip(batch.columns());
    for (field, column) in fields.skip(FACT_KEYS.len()) {
        named.set_item(field.name(), value(py, column, 0)?)?;
    }
    Ok(named)
}

/// A value of a column of facts.
fn value<'py>(py: Python<'py>, column: &ArrayRef, row: usize) -> PyResult<Bound<'py, PyAny>> {
    Ok(match column.data_type() {
        DataType::UInt8 => {
            column.as_primitive::<UInt8Type>().value(row).into_pyobject(py)?.into_any()
        }
        DataType::UInt64 => {
            column.as_primitive::<UInt64Type>().value(row).into_pyobject(py)?.into_any()
        }
        DataType::Utf8 => PyString::new(py, column.as_string::<i32>().value(row)).into_any(),
        DataType::List(_) => {
            let items = column.as_list::<i32>().value(row);
            let rows = (0..items.len()).map(|item| value(py, &items, item));
            PyList::new(py, rows.collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
        DataType::Struct(fields) => {
            let item = PyDict::new(py);
            for (field, column) in fields.iter().zip(column.as_struct().columns()) {
                item.set_item(field.name(), value(py, column, row)?)?;
            }
            item.into_any()
        }
        other => return Err(PyRuntimeError::new_err(format!("a fact of type {other}"))),
    })
}
