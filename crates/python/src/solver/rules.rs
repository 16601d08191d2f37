//! Rules that are functions of Python.

use std::sync::{Mutex, PoisonError};

use ::solver::{Batch, Edges, Fault};
use game::{Key, MoveId, Rank, Score, Turn};
use numpy::PyArray1;
use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    types::{PySequence, PyTuple},
};

use crate::{error::refuse, input::integers};

/// A game whose rules are three functions over arrays of keys.
pub(super) struct Rules {
    pub(super) name: String,
    pub(super) start: u64,
    pub(super) key_bits: u32,
    pub(super) children: Py<PyAny>,
    pub(super) ranks: Py<PyAny>,
    pub(super) values: Py<PyAny>,
    /// What a function raised last.
    pub(super) raised: Mutex<Option<PyErr>>,
}

impl Rules {
    /// What a function raised since it was last asked.
    pub(super) fn raised(&self) -> Option<PyErr> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Calls a function with an array of keys and reads its answer.
    fn call<R>(
        &self,
        function: &Py<PyAny>,
        keys: &[Key],
        read: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<R>,
    ) -> Result<R, String> {
        Python::attach(|py| {
            let keys = PyArray1::from_iter(py, keys.iter().map(|key| key.0 as u64));
            let answer = function.bind(py).call1((keys,)).and_then(|answer| read(&answer));
            answer.map_err(|error| {
                let words = error.to_string();
                *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                words
            })
        })
    }
}

impl Batch for Rules {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn key_bits(&self) -> u32 {
        self.key_bits
    }

    fn start(&self) -> Key {
        Key(self.start.into())
    }

    fn ranks(&self, keys: &[Key]) -> Result<Vec<Rank>, String> {
        self.call(&self.ranks, keys, |answer| {
            let Some(pair) = several(answer)? else {
                let levels = integers::<u16>(answer, "ranks", Some(keys.len()))?;
                return Ok(levels.into_iter().map(|level| Rank { level, step: 0 }).collect());
            };
            let [levels, steps] = &pair[..] else {
                return Err(refuse(format!("ranks: {} arrays, expected 1 or 2", pair.len())));
            };
            let levels = integers::<u16>(levels, "ranks[0]", Some(keys.len()))?;
            let steps = integers::<u16>(steps, "ranks[1]", Some(keys.len()))?;
            let ranks = levels.into_iter().zip(steps);
            Ok(ranks.map(|(level, step)| Rank { level, step }).collect())
        })
    }

    fn edges(&self, keys: &[Key]) -> Result<Edges, String> {
        self.call(&self.children, keys, |answer| {
            let parts = several(answer)?.unwrap_or_default();
            if !(3..=5).contains(&parts.len()) {
                let words = "children: expected a tuple of 3 to 5 arrays: places, moves, keys and, \
                             if wanted, points and who moves again";
                return Err(PyTypeError::new_err(words));
            }
            let parents = integers::<u32>(&parts[0], "children[0]", None)?;
            let count = Some(parents.len());
            let moves = integers::<u16>(&parts[1], "children[1]", count)?;
            let to = integers::<u64>(&parts[2], "children[2]", count)?;
            let gains = parts.get(3).map(|gains| scores(gains, "children[3]", parents.len()));
            let again = parts.get(4).map(|again| flags(again, parents.len())).transpose()?;
            let turn = |again: bool| if again { Turn::Keeps } else { Turn::Passes };
            Ok(Edges {
                parents,
                moves: moves.into_iter().map(MoveId).collect(),
                to: to.into_iter().map(|key| Key(key.into())).collect(),
                gains: gains.transpose()?.unwrap_or_default(),
                turns: again.unwrap_or_default().into_iter().map(turn).collect(),
            })
        })
    }

    fn outcomes(&self, keys: &[Key]) -> Result<Vec<Score>, String> {
        self.call(&self.values, keys, |answer| scores(answer, "values", keys.len()))
    }
}

/// The parts of an answer, if it is a tuple or a list of arrays.
fn several<'py>(answer: &Bound<'py, PyAny>) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
    let is_several = answer.is_instance_of::<PyTuple>()
        || answer.cast::<PySequence>().is_ok_and(|parts| {
            parts.get_item(0).is_ok_and(|first| first.hasattr("dtype").unwrap_or(false))
        });
    if !is_several {
        return Ok(None);
    }
    answer.try_iter()?.collect::<PyResult<Vec<_>>>().map(Some)
}

fn scores(array: &Bound<'_, PyAny>, name: &str, count: usize) -> PyResult<Vec<Score>> {
    let points = integers::<i64>(array, name, Some(count))?.into_iter().enumerate();
    let fit = |(at, points): (usize, i64)| {
        let fits = i16::try_from(points).map(Score);
        fits.map_err(|_| refuse(format!("{name}[{at}]: {points} points, expected -32768 to 32767")))
    };
    points.map(fit).collect()
}

fn flags(array: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<bool>> {
    let bytes = array.call_method1("astype", ("uint8",))?;
    let flags = integers::<u8>(&bytes, "children[4]", Some(count))?;
    Ok(flags.into_iter().map(|flag| flag != 0).collect())
}

/// The key of a fault, in words.
pub(super) fn place_of(fault: &Fault) -> String {
    match fault {
        Fault::Wrong { row, .. } | Fault::Unsettled(row) | Fault::Foreign(row) => {
            format!(" and key {} ({:#x})", row.key.0, row.key.0)
        }
        Fault::Missing { key, .. } => format!(" and key {} ({:#x})", key.0, key.0),
        Fault::Unreadable { error, .. } => format!(": {error}"),
    }
}
