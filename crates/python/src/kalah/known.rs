//! Where the values of positions come from.

use std::{path::PathBuf, sync::PoisonError};

use ::kalah::Rules;
use kalah_answers::{AnswerError, Answers, TABLE_MEMORY, check_rules};
use pyo3::{exceptions::PyTypeError, prelude::*};

use super::{Solution, UnknownPosition, named};
use crate::{
    error::{Raise, refuse},
    threads,
};

/// A source of values, and the rules that it must have.
pub(crate) struct Place {
    source: Source,
    rules: Option<Rules>,
}

enum Source {
    Solution(Py<Solution>),
    Elsewhere(kalah_answers::Place),
}

/// The exception for an error of a look-up.
pub(crate) fn raise(error: AnswerError) -> PyErr {
    match error {
        AnswerError::Store(error) => error.raise_at(""),
        AnswerError::Sheets { place, cause } => cause.raise_at(&format!("{place}: ")),
        error @ (AnswerError::Unreachable { .. }
        | AnswerError::Beyond { .. }
        | AnswerError::Unsolved(_)) => UnknownPosition::new_err(error.to_string()),
        error => refuse(error.to_string()),
    }
}

impl Place {
    pub(crate) fn new(
        store: Option<&Bound<'_, PyAny>>,
        table: Option<PathBuf>,
        rules: Option<&str>,
    ) -> PyResult<Place> {
        let source = match (store, table) {
            (Some(store), None) => {
                if let Ok(solution) = store.cast::<Solution>() {
                    Source::Solution(solution.clone().unbind())
                } else if let Ok(url) = store.extract() {
                    Source::Elsewhere(kalah_answers::Place::Store(url))
                } else {
                    let kind = store.get_type();
                    let words = format!("store: {kind}, expected a Solution or the URL of a store");
                    return Err(PyTypeError::new_err(words));
                }
            }
            (None, Some(directory)) => Source::Elsewhere(kalah_answers::Place::Table(directory)),
            _ => return Err(PyTypeError::new_err("expected either store or table")),
        };
        Ok(Place { source, rules: rules.map(named).transpose()? })
    }

    /// Opens it and calls `work`, while other Python threads run.
    pub(crate) fn ask<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Answers) -> Result<R, AnswerError> + Send,
    ) -> PyResult<R> {
        let memory = match &self.source {
            Source::Solution(solution) => solution.get().memory.as_ref(),
            Source::Elsewhere(_) => None,
        };
        let asked = threads::detach(py, || {
            if let Some(answers) = memory {
                // A panic in another thread does not damage a store that is only read.
                let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
                check_rules("memory:", answers.kalah().rules(), self.rules)?;
                return work(&mut answers);
            }
            let place = match &self.source {
                Source::Solution(solution) => {
                    &kalah_answers::Place::Store(solution.get().url.clone())
                }
                Source::Elsewhere(place) => place,
            };
            work(&mut Answers::open(place, self.rules, TABLE_MEMORY)?)
        });
        asked.map_err(raise)
    }
}
