//! Games of a batch as values: saved, loaded, copied, pickled, and looked at as arrays.

use ::fourchess::{Cell, Position, Seat, Square, WIDTH};
use numpy::{
    PyArray1, PyArray2, PyArray3, PyArrayMethods, PyUntypedArrayMethods,
    ndarray::{Array2, Array3},
};
use pyo3::{
    prelude::*,
    types::{PyDict, PyEllipsis},
};

use super::{Batch, arrays::Access, memory, options, raise};
use crate::{error::refuse, input::shown};

const STATE_BYTES: usize = fourchess_env::Batch::STATE_BYTES;

/// The cell of a corner that is cut away: no piece has this code.
pub(super) const CORNER: u8 = 255;

pub(super) fn save<'py>(
    py: Python<'py>,
    batch: &Batch,
    games: &[usize],
) -> PyResult<Bound<'py, PyArray2<u8>>> {
    let bytes = py.detach(|| batch.lock().save(games)).map_err(raise)?;
    let array = Array2::from_shape_vec((games.len(), STATE_BYTES), bytes);
    Ok(PyArray2::from_owned_array(py, array.expect("as many bytes as games have")))
}

pub(super) fn load(
    py: Python<'_>,
    batch: &Batch,
    games: &[usize],
    states: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let bytes = bytes(states, games.len())?;
    py.detach(|| batch.lock().load(games, &bytes)).map_err(raise)
}

/// The bytes of so many saved games.
pub(super) fn bytes(states: &Bound<'_, PyAny>, games: usize) -> PyResult<Vec<u8>> {
    let expected = shown(&[games, STATE_BYTES]);
    let array = states.cast::<PyArray2<u8>>().map_err(|_| {
        pyo3::exceptions::PyTypeError::new_err(format!(
            "states: expected an array of uint8 with shape {expected}"
        ))
    })?;
    if array.shape() != [games, STATE_BYTES] {
        let found = shown(array.shape());
        return Err(refuse(format!("states: shape {found}, expected {expected}")));
    }
    // Copied, so that nobody can change what has been checked.
    memory::collected(array.try_readonly()?.as_array().iter().copied())
}

/// What `pickle` and `copy` make a batch of: games, keywords, and what the last step showed.
pub(super) fn reduced<'py>(batch: &Bound<'py, Batch>) -> PyResult<Bound<'py, PyDict>> {
    let py = batch.py();
    let all = memory::collected(0..batch.get().config.games)?;
    let state = PyDict::new(py);
    state.set_item("games", save(py, batch.get(), &all)?)?;
    for view in batch.get().views.iter().filter(|view| !view.is_empty()) {
        if view.access == Access::Write {
            let array = view.numpy(batch.clone().into_any())?;
            state.set_item(view.name, array.call_method0("copy")?)?;
        }
    }
    Ok(state)
}

pub(super) fn restore(batch: &Bound<'_, Batch>, state: &Bound<'_, PyDict>) -> PyResult<()> {
    let py = batch.py();
    let all = memory::collected(0..batch.get().config.games)?;
    let missing = |name: &str| refuse(format!("this is not the state of a batch: no {name}"));
    let games = state.get_item("games")?.ok_or_else(|| missing("games"))?;
    load(py, batch.get(), &all, &games)?;
    for view in batch.get().views.iter().filter(|view| !view.is_empty()) {
        if view.access == Access::Write {
            let saved = state.get_item(view.name)?.ok_or_else(|| missing(view.name))?;
            view.numpy(batch.clone().into_any())?.set_item(PyEllipsis::get(py), saved)?;
        }
    }
    Ok(())
}

/// The positional and the keyword arguments that make a batch like this one.
pub(super) fn arguments<'py>(
    py: Python<'py>,
    batch: &Batch,
) -> PyResult<((usize,), Bound<'py, PyDict>)> {
    Ok(((batch.config.games,), options::keywords(py, &batch.config)?))
}

impl Batch {
    /// Something of every game's four seats.
    pub(super) fn of_seats<'py, T: numpy::Element + Copy + Send>(
        &self,
        py: Python<'py>,
        of: impl Fn(&Position) -> [T; 4] + Send,
    ) -> PyResult<Bound<'py, PyArray2<T>>> {
        let mut values: Vec<T> = memory::room(4 * self.config.games)?;
        py.detach(|| values.extend(self.lock().positions().iter().flat_map(of)));
        let array = Array2::from_shape_vec((self.config.games, 4), values);
        Ok(PyArray2::from_owned_array(py, array.expect("four for each game")))
    }

    /// A number of every game.
    pub(super) fn of_games<'py>(
        &self,
        py: Python<'py>,
        of: impl Fn(&Position) -> u16 + Send,
    ) -> PyResult<Bound<'py, PyArray1<u16>>> {
        let values = py.detach(|| memory::collected(self.lock().positions().iter().map(of)))?;
        Ok(PyArray1::from_vec(py, values))
    }

    /// Every board as bytes of cells, ranks from 1 up, files from a, corners [`CORNER`].
    pub(super) fn boards<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let (games, width) = (self.config.games, usize::from(WIDTH));
        let cells = memory::filled(CORNER, games * width * width)?;
        let boards = Array3::from_shape_vec((games, width, width), cells);
        let mut boards = boards.expect("as many cells as the boards have");
        py.detach(|| {
            let batch = self.lock();
            for (position, mut board) in batch.positions().iter().zip(boards.outer_iter_mut()) {
                for square in Square::all() {
                    let place = (usize::from(square.rank()), usize::from(square.file()));
                    board[place] = Cell::bits(position.cell(square));
                }
            }
        });
        Ok(PyArray3::from_owned_array(py, boards))
    }
}

/// The seat with this number.
pub(super) fn seat(number: u64) -> PyResult<Seat> {
    let seat = usize::try_from(number).ok().and_then(|index| Seat::ALL.get(index));
    seat.copied().ok_or_else(|| refuse(format!("seat: {number}, expected 0 to 3, Red first")))
}
