//! Where the values of positions come from.

use std::{cmp::Reverse, path::PathBuf, sync::PoisonError};

use ::kalah::{Position, Rules};
use game::{Edge, MoveId, Score};
use kalah_answers::{AnswerError, Answers, Choice, Effort, Oracle, TABLE_MEMORY, check_rules};
use pyo3::{exceptions::PyTypeError, prelude::*};
use solver::{Step, search::Between};

use super::{Solution, UnknownPosition, heed, named};
use crate::{
    error::{Raise, refuse},
    limits, threads,
};

/// A source of values, and the rules that it must have.
pub(crate) struct Place {
    source: Source,
    rules: Option<Rules>,
}

/// A move, its value if it was found in time, and the plies to the end if a store has them.
pub(crate) type Worth = (Edge<Position>, Option<Score>, Option<u32>);

/// A source of values as a question sees it: a store or a table, or a search where neither is
/// given.
pub(crate) enum Replies<'a> {
    Known(&'a mut Answers),
    Searched { oracle: Box<Oracle>, signal: &'a mut Option<PyErr> },
}

impl Replies<'_> {
    pub(crate) fn rules(&self) -> Rules {
        match self {
            Replies::Known(answers) => answers.kalah().rules(),
            Replies::Searched { oracle, .. } => oracle.rules(),
        }
    }

    /// The value, if it was found in time, and the best move.
    pub(crate) fn answer(
        &mut self,
        position: &Position,
    ) -> Result<(Option<Score>, Option<MoveId>), AnswerError> {
        match self {
            Replies::Known(answers) => {
                let verdict = answers.verdict(position)?;
                Ok((Some(verdict.score), verdict.best))
            }
            Replies::Searched { oracle, signal } => {
                let answer = oracle.answer(position, &mut |_| heed(signal))?;
                Ok((answer.between.value(), answer.best))
            }
        }
    }

    /// The value; an error if it was not found in time.
    pub(crate) fn value(&mut self, position: &Position) -> Result<Score, AnswerError> {
        match self {
            Replies::Known(answers) => Ok(answers.verdict(position)?.score),
            Replies::Searched { oracle, signal } => {
                let between = oracle.answer(position, &mut |_| heed(signal))?.between;
                between.value().ok_or(undecided(position, between))
            }
        }
    }

    /// The moves, best first, each with its value if it was found in time.
    pub(crate) fn moves(&mut self, position: &Position) -> Result<Vec<Worth>, AnswerError> {
        match self {
            Replies::Known(answers) => {
                let best = answers.verdict(position)?.best;
                let mut moves = answers.moves(position)?;
                moves.sort_by_key(|kalah_answers::Worth { edge, value, .. }| {
                    (Reverse(*value), best != Some(edge.mv), edge.mv)
                });
                let worth =
                    |worth: kalah_answers::Worth| (worth.edge, Some(worth.value), worth.remoteness);
                Ok(moves.into_iter().map(worth).collect())
            }
            Replies::Searched { oracle, signal } => {
                let mut moves = oracle.moves(position, &mut |_| heed(signal))?;
                moves.sort_by_key(|choice| (Reverse(choice.between.most), choice.edge.mv));
                let worth =
                    |choice: Choice| (choice.edge, choice.between.value(), choice.remoteness);
                Ok(moves.into_iter().map(worth).collect())
            }
        }
    }

    pub(crate) fn line(&mut self, position: &Position) -> Result<Vec<Step<Position>>, AnswerError> {
        match self {
            Replies::Known(answers) => answers.line(position),
            Replies::Searched { oracle, signal } => oracle.line(position, &mut |_| heed(signal)),
        }
    }
}

/// How positions are searched: a time limit in seconds and the directory of the cache.
pub(crate) fn effort(time_limit: Option<f64>, cache: Option<PathBuf>) -> PyResult<Effort> {
    Ok(Effort { time: limits::time(time_limit)?, cache })
}

fn undecided(position: &Position, Between { least, most }: Between) -> AnswerError {
    AnswerError::Undecided { position: *position, least, most }
}

enum Source {
    Solution(Py<Solution>),
    Elsewhere(kalah_answers::Place),
    /// Neither a store nor a table: a search.
    Nowhere,
}

/// The exception for an error of a look-up.
pub(crate) fn raise(error: AnswerError) -> PyErr {
    match error {
        AnswerError::Store(error) => error.raise_at(""),
        AnswerError::Sheets { place, cause } => cause.raise_at(&format!("{place}: ")),
        AnswerError::Table(error) => error.raise_at(""),
        error @ (AnswerError::Unreachable { .. }
        | AnswerError::Beyond { .. }
        | AnswerError::Undecided { .. }
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
            (None, None) => Source::Nowhere,
            _ => return Err(PyTypeError::new_err("expected either store or table, not both")),
        };
        Ok(Place { source, rules: rules.map(named).transpose()? })
    }

    /// Opens it, or prepares a search where there is nothing to open, and calls `work`, while
    /// other Python threads run. Ctrl-C stops a search.
    pub(crate) fn consult<R: Send>(
        &self,
        py: Python<'_>,
        effort: Effort,
        work: impl FnOnce(&mut Replies<'_>) -> Result<R, AnswerError> + Send,
    ) -> PyResult<R> {
        if !matches!(self.source, Source::Nowhere) {
            return self.ask(py, |answers| work(&mut Replies::Known(answers)));
        }
        let mut signal = None;
        let asked = threads::detach(py, || {
            let oracle = Oracle::open(None, self.rules, effort)?;
            work(&mut Replies::Searched { oracle: Box::new(oracle), signal: &mut signal })
        });
        match signal {
            Some(signal) => Err(signal),
            None => asked.map_err(raise),
        }
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
            Source::Nowhere => return Err(PyTypeError::new_err("expected either store or table")),
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
                Source::Nowhere => unreachable!("it was refused above"),
            };
            work(&mut Answers::open(place, self.rules, TABLE_MEMORY)?)
        });
        asked.map_err(raise)
    }
}
