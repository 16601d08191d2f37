//! How the methods of a batch get at its games and arrays.

use std::sync::{MutexGuard, PoisonError};

use ::fourchess::{Edge, drawing::Drawing};
use fourchess_env::Action;
use numpy::{PyArray3, ndarray::Array3};
use pyo3::prelude::*;

use super::{Batch, arrays::View, memory, raise};
use crate::error::refuse;

impl Batch {
    /// Waits for a step in another thread, so the GIL must be released.
    pub(super) fn lock(&self) -> MutexGuard<'_, fourchess_env::Batch> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn asked_for(&self, name: &str) -> PyResult<&View> {
        let view = self.views.iter().find(|view| view.name == name);
        let view = view.ok_or_else(|| refuse(format!("a batch has no array {name}")))?;
        if !view.is_empty() {
            return Ok(view);
        }
        Err(Batch::not_computed(name))
    }

    pub(super) fn drawing(&self, py: Python<'_>, game: usize) -> PyResult<Drawing> {
        self.check_game(game)?;
        Ok(py.detach(|| {
            let batch = self.lock();
            Drawing::of(&batch.positions()[game], batch.rules())
        }))
    }

    pub(super) fn check_game(&self, game: usize) -> PyResult<()> {
        let games = self.config.games;
        if game < games {
            return Ok(());
        }
        Err(raise(fourchess_env::Error::NoGame { game, games }))
    }

    pub(super) fn edges_to_move(&self, py: Python<'_>) -> PyResult<Vec<Edge>> {
        let rules = &self.config.rules;
        py.detach(|| {
            let batch = self.lock();
            let positions = batch.positions().iter();
            memory::collected(positions.map(|position| rules.edge(position.turn())))
        })
    }

    pub(super) fn legal_moves(&self, game: usize) -> impl Iterator<Item = String> {
        let batch = self.lock();
        let (legal, position) = (batch.legal_of(game).to_vec(), batch.positions()[game]);
        let rules = self.config.rules;
        legal.into_iter().map(move |id| {
            let action = Action::new(id).expect("legal actions are actions");
            action.move_in(&position, &rules).to_string()
        })
    }
}

/// An array of a batch, by its name.
pub(super) fn show<'py>(batch: &Bound<'py, Batch>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    batch.get().asked_for(name)?.numpy(batch.clone().into_any())
}

/// A drawing as pixels.
pub(super) fn pixels<'py>(
    py: Python<'py>,
    svg: &str,
    width: u32,
) -> PyResult<Bound<'py, PyArray3<u8>>> {
    let image = py.detach(|| pictures::image(svg, pictures::Size::Width(width)));
    let image = image.map_err(|cause| refuse(format!("width: {cause}")))?;
    let pixels = Array3::from_shape_vec((image.height, image.width, 3), image.rgb);
    Ok(PyArray3::from_owned_array(py, pixels.expect("three bytes a pixel")))
}
