//! Actions and the geometry of the board, as arrays.

use ::fourchess::{Edge, Ending, Role, Seat, Square, Squares, geometry};
use fourchess_env::{Action, Batch, Observation};
use numpy::{
    PyArray1, PyArray2, PyArray3,
    ndarray::{Array2, Array3},
};
use pyo3::{prelude::*, types::PyTuple};

use super::{memory, named};
use crate::{error::refuse, input::integers};

/// Constants whose values come from the crates.
pub(super) fn add_constants(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("ACTIONS", Action::COUNT)?;
    module.add("PAIRS", Action::PAIRS)?;
    module.add("WIDE_ACTIONS", Action::WIDE)?;
    module.add("NO_ACTION", Batch::NO_ACTION)?;
    module.add("LEGAL_ROOM", Batch::LEGAL_ROOM)?;
    module.add("LEGAL_WORDS", Batch::LEGAL_WORDS)?;
    module.add("STATE_BYTES", Batch::STATE_BYTES)?;
    module.add("PLANES", Observation::PLANES)?;
    module.add("SCALARS", Observation::SCALARS)?;
    module.add("FLOAT_PLANES", Observation::FLOAT_PLANES)?;
    let cells = (0..Square::COUNT).map(Observation::cell);
    module.add("CELLS", PyTuple::new(py, cells.collect::<Vec<_>>())?)?;
    let scales = (0..Observation::SCALARS).map(Observation::scale);
    module.add("SCALES", PyTuple::new(py, scales.collect::<Vec<_>>())?)?;
    let names = (0..Observation::FLOAT_PLANES).map(Observation::name);
    module.add("PLANE_NAMES", PyTuple::new(py, names.collect::<Vec<_>>())?)?;
    let seats = Seat::ALL.map(|seat| seat.to_string().to_lowercase());
    module.add("SEATS", PyTuple::new(py, seats)?)?;
    module.add("ENDINGS", PyTuple::new(py, endings())?)?;
    let version = format!("{}.{}", fourchess_env::ENCODING_VERSION, fourchess_env::RULES_VERSION);
    module.add("version", version)
}

/// The names of endings by their code in `Batch.endings`.
pub(super) fn endings() -> Vec<&'static str> {
    std::iter::once("none").chain(Ending::ALL.map(Ending::name)).collect()
}

/// All actions, in the frame of the player to move: `(ACTIONS, 3)` with the source square, the
/// destination square, and the underpromotion: 0 none, 1 knight, 2 bishop, 3 rook. Squares are
/// indices into `squares()`.
///
/// >>> from everyply import fourchess
/// >>> table, names = fourchess.actions(), fourchess.squares()
/// >>> [names[square] for square in table[fourchess.Batch(1).action(0, "e1-f3"), :2]]
/// ['e1', 'f3']
#[pyfunction]
pub(crate) fn actions(py: Python<'_>) -> Bound<'_, PyArray2<u8>> {
    let entry = |(id, column): (usize, usize)| {
        let action = Action::new(id as u16).expect("an id below the count");
        match column {
            0 => action.squares().0.index() as u8,
            1 => action.squares().1.index() as u8,
            _ => action.underpromotion().map_or(0, |role| role.index() as u8),
        }
    };
    PyArray2::from_owned_array(py, Array2::from_shape_fn((Action::COUNT, 3), entry))
}

/// The action between two squares, in the frame of the player to move: `(160, 160)`, with
/// `NO_ACTION` if no piece connects them.
///
/// >>> from everyply import fourchess
/// >>> squares = fourchess.squares()
/// >>> int(fourchess.pairs()[squares.index("h2"), squares.index("h4")]) == fourchess.Batch(1).action(0, "h2-h4")
/// True
#[pyfunction]
pub(crate) fn pairs(py: Python<'_>) -> Bound<'_, PyArray2<u16>> {
    let id = |from, to| Action::between(from, to).map_or(Batch::NO_ACTION, Action::id);
    PyArray2::from_owned_array(
        py,
        Array2::from_shape_fn(PAIR, |(from, to)| id(square(from), square(to))),
    )
}

/// Converts actions of the player at `edge` (0 south, 1 west, 2 north, 3 east) to the wide
/// encoding: 640 times the source square, plus four times the destination square, plus 1 if a pawn
/// becomes a rook, 2 a bishop, 3 a knight. Its squares are not rotated, and are numbered from the
/// top left.
///
/// >>> from everyply import fourchess
/// >>> wide = fourchess.to_wide(range(fourchess.ACTIONS), 1)
/// >>> bool((fourchess.from_wide(wide, 1) == range(fourchess.ACTIONS)).all())
/// True
#[pyfunction]
pub(crate) fn to_wide<'py>(
    actions: &Bound<'py, PyAny>,
    edge: usize,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let ids: Vec<u16> = integers(actions, "actions", None)?;
    widen(actions.py(), &ids, std::iter::repeat(at(edge)?))
}

/// Converts numbers of the wide encoding to actions of the player at `edge`; `NO_ACTION` if there
/// is no such action.
///
/// >>> from everyply import fourchess
/// >>> fourchess.from_wide([0, 4], 0).tolist()
/// [65535, 6674]
#[pyfunction]
pub(crate) fn from_wide<'py>(
    wide: &Bound<'py, PyAny>,
    edge: usize,
) -> PyResult<Bound<'py, PyArray1<u16>>> {
    let ids: Vec<u32> = integers(wide, "wide", None)?;
    narrow(wide.py(), &ids, std::iter::repeat(at(edge)?))
}

pub(super) fn widen<'py>(
    py: Python<'py>,
    ids: &[u16],
    edges: impl Iterator<Item = Edge>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let mut edges = edges;
    let wide = ids.iter().enumerate().map(|(at, &id)| {
        let edge = edges.next().expect("an edge for each action");
        let action = Action::new(id);
        let most = Action::COUNT - 1;
        let bad = || refuse(format!("actions[{at}]: {id} is not an action, expected 0 to {most}"));
        Ok(action.ok_or_else(bad)?.wide(edge))
    });
    Ok(PyArray1::from_vec(py, memory::tried(wide)?))
}

pub(super) fn narrow<'py>(
    py: Python<'py>,
    ids: &[u32],
    edges: impl Iterator<Item = Edge>,
) -> PyResult<Bound<'py, PyArray1<u16>>> {
    let mut edges = edges;
    let actions = ids.iter().enumerate().map(|(at, &id)| {
        let edge = edges.next().expect("an edge for each number");
        if id >= Action::WIDE {
            let most = Action::WIDE - 1;
            return Err(refuse(format!("wide[{at}]: {id}, expected 0 to {most}")));
        }
        Ok(Action::from_wide(id, edge).map_or(Batch::NO_ACTION, Action::id))
    });
    Ok(PyArray1::from_vec(py, memory::tried(actions)?))
}

/// The names of the 160 squares, by their index.
///
/// >>> from everyply import fourchess
/// >>> fourchess.squares()[:3], len(fourchess.squares())
/// (['d1', 'e1', 'f1'], 160)
#[pyfunction]
pub(crate) fn squares() -> Vec<String> {
    Square::all().map(|square| square.to_string()).collect()
}

/// The moves of a piece on an empty board: `(160, 160)`, true if it can go from the square of the
/// row to the square of the column. `kind` is `knight`, `bishop`, `rook`, `queen` or `king`.
///
/// >>> from everyply import fourchess
/// >>> kinds = ["bishop", "rook", "queen"]
/// >>> [int(fourchess.destinations(kind).sum(axis=1).max()) for kind in kinds]
/// [19, 26, 45]
#[pyfunction]
pub(crate) fn destinations<'py>(
    py: Python<'py>,
    kind: &str,
) -> PyResult<Bound<'py, PyArray2<bool>>> {
    let kind = named("kind", kind, &KINDS, |kind| kind.0)?.1;
    Ok(table(py, |from| geometry::destinations(kind, from)))
}

/// The squares that a king or a knight reaches from each square: `(160, 160)`. Together with
/// `far()`, these are all pairs of squares that have an action.
///
/// >>> from everyply import fourchess
/// >>> int(fourchess.near().sum(axis=1).max())
/// 16
#[pyfunction]
pub(crate) fn near(py: Python<'_>) -> Bound<'_, PyArray2<bool>> {
    table(py, geometry::near)
}

/// The moves of a queen of more than one step: `(160, 160)`.
///
/// >>> from everyply import fourchess
/// >>> int(fourchess.far().sum(axis=1).max())
/// 37
#[pyfunction]
pub(crate) fn far(py: Python<'_>) -> Bound<'_, PyArray2<bool>> {
    table(py, geometry::far)
}

/// The squares strictly between two squares of one line: `(160, 160, 160)`.
///
/// >>> from everyply import fourchess
/// >>> squares = fourchess.squares()
/// >>> row = fourchess.between()[squares.index("d1"), squares.index("g1")]
/// >>> [squares[index] for index in row.nonzero()[0]]
/// ['e1', 'f1']
#[pyfunction]
pub(crate) fn between(py: Python<'_>) -> Bound<'_, PyArray3<bool>> {
    let mut all = Array3::from_elem((Square::COUNT, Square::COUNT, Square::COUNT), false);
    for one in Square::all() {
        for other in Square::all() {
            for square in geometry::between(one, other) {
                all[[one.index(), other.index(), square.index()]] = true;
            }
        }
    }
    PyArray3::from_owned_array(py, all)
}

/// The moves without capture of a pawn from `edge` (0 south, 1 west, 2 north, 3 east) on an empty
/// board: `(160, 160)`.
///
/// >>> from everyply import fourchess
/// >>> squares = fourchess.squares()
/// >>> row = fourchess.pawn_pushes(0)[squares.index("h2")]
/// >>> [squares[index] for index in row.nonzero()[0]]
/// ['h3', 'h4']
#[pyfunction]
pub(crate) fn pawn_pushes(py: Python<'_>, edge: usize) -> PyResult<Bound<'_, PyArray2<bool>>> {
    let edge = at(edge)?;
    Ok(table(py, |from| geometry::pawn_pushes(edge, from)))
}

/// The captures of a pawn from `edge`: `(160, 160)`.
///
/// >>> from everyply import fourchess
/// >>> squares = fourchess.squares()
/// >>> row = fourchess.pawn_takes(1)[squares.index("b7")]
/// >>> [squares[index] for index in row.nonzero()[0]]
/// ['c6', 'c8']
#[pyfunction]
pub(crate) fn pawn_takes(py: Python<'_>, edge: usize) -> PyResult<Bound<'_, PyArray2<bool>>> {
    let edge = at(edge)?;
    Ok(table(py, |from| geometry::pawn_takes(edge, from)))
}

const PAIR: (usize, usize) = (Square::COUNT, Square::COUNT);

const KINDS: [(&str, Role); 5] = [
    ("knight", Role::Knight),
    ("bishop", Role::Bishop),
    ("rook", Role::Rook),
    ("queen", Role::Queen),
    ("king", Role::King),
];

fn table(py: Python<'_>, reach: impl Fn(Square) -> Squares) -> Bound<'_, PyArray2<bool>> {
    let mut table = Array2::from_elem(PAIR, false);
    for from in Square::all() {
        for to in reach(from) {
            table[[from.index(), to.index()]] = true;
        }
    }
    PyArray2::from_owned_array(py, table)
}

fn square(index: usize) -> Square {
    Square::new(index).expect("an index below the count")
}

fn at(edge: usize) -> PyResult<Edge> {
    let found = Edge::ALL.get(edge).copied();
    found.ok_or_else(|| refuse(format!("edge: {edge}, expected 0 to 3")))
}
