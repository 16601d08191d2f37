//! Games of Kalah for Python: ways, records, and play against an opponent.

use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use ::kalah::{Kalah, Pit, Record, Standing, Way, drawing};
use game::Game as _;
use kalah_answers::{Opponent, Oracle};
use pyo3::prelude::*;

use super::{
    UnknownPosition, heed,
    known::{effort, raise},
    named, standing,
};
use crate::{
    error::{Raise, exceptions, refuse},
    threads,
};

exceptions! {
    kalah.RecordError from ::kalah::RecordError, "A text that is not the record of a game, or a move that is not legal.";
    kalah.ParseOpponentError from kalah_answers::ParseOpponentError, "An unknown opponent.";
}

/// A way from the start of a game to a position, as the pits to sow.
///
/// There are `seeds` seeds in each pit at the start; if they are not given, the stores after the
/// position say how many. At most `limit` positions are looked at. Raises UnknownPosition if there
/// is no way, or none was found.
///
/// >>> from everyply import kalah
/// >>> kalah.path("4,4,3/0,0,5/0-2")
/// [1, 2]
#[pyfunction]
#[pyo3(signature = (position, seeds=None, rules="std_either", *, limit=3_000_000))]
pub(super) fn path(
    py: Python<'_>,
    position: &str,
    seeds: Option<u32>,
    rules: &str,
    limit: usize,
) -> PyResult<Vec<u16>> {
    let record = way(py, position, seeds, rules, limit)?;
    Ok(record.pits().iter().map(|pit| pit.number()).collect())
}

/// The game that leads to a position.
pub(crate) fn way(
    py: Python<'_>,
    position: &str,
    seeds: Option<u32>,
    rules: &str,
    limit: usize,
) -> PyResult<Record> {
    let (target, rules) = (standing(position, "position: ")?, named(rules)?);
    let pits = target.position.pits();
    let seeds = match (seeds, target.stores) {
        (Some(seeds), _) => seeds,
        (None, Some((own, other))) => {
            (target.position.seeds_in_play() + own + other) / (2 * pits as u32)
        }
        (None, None) => return Err(refuse("a position without its stores needs seeds".to_owned())),
    };
    let kalah = Kalah::new(pits, seeds, rules).map_err(|error| error.raise_at(""))?;
    let found = match threads::detach(py, || kalah.way_to(&target, limit)) {
        Way::Found(found) => found,
        Way::None => {
            let words = format!("{target} cannot be reached in {}", kalah.name());
            return Err(UnknownPosition::new_err(words));
        }
        Way::Unknown => {
            let words =
                format!("no way to {target} among {limit} positions; look at more with limit");
            return Err(UnknownPosition::new_err(words));
        }
    };
    let mut record = Record::new(&Standing { position: kalah.start(), stores: None }, rules);
    for pit in found {
        record.play(pit.number()).map_err(|error| error.raise_at(""))?;
    }
    Ok(record)
}

/// A Game or the text of a record.
pub(crate) fn read_record(record: &Bound<'_, PyAny>) -> PyResult<Record> {
    if let Ok(game) = record.cast::<Game>() {
        return Ok(game.get().with(|record, _| record.clone()));
    }
    let text: String = record.extract()?;
    text.parse().map_err(|error: ::kalah::RecordError| error.raise_at("record: "))
}

/// A game against an opponent: `perfect`, `good` (looks 6 moves ahead; `good=8` looks 8 moves
/// ahead), `casual` (plays at random in 25 percent of its moves; `casual=40` in 40 percent) or
/// `random`.
///
/// `start` is a size such as `6x4`, a position, or the record of a game to go on with. The same
/// `seed` gives the same replies. `time_limit` bounds the search for a reply in seconds. `cache` is
/// the directory of the tables of the search; see `best`.
///
/// >>> from everyply import kalah
/// >>> game = kalah.Game("3x3", against="random", seed=1)
/// >>> game.play(1)
/// >>> game.player, game.position, game.legal
/// (1, '0,4,4/3,3,3/1-0', [2, 3])
/// >>> game.undo()
/// True
/// >>> print(game.record)
/// # Kalah, kalah pits=3 seeds=3 rules=std_either
/// rules std_either
/// start 3,3,3/3,3,3
/// moves
/// <BLANKLINE>
#[pyclass(frozen, module = "everyply.kalah")]
pub(crate) struct Game {
    /// The game, and the source of replies.
    table: Mutex<(Record, Oracle)>,
    against: Opponent,
    seed: u64,
}

impl Game {
    fn with<R>(&self, work: impl FnOnce(&mut Record, &mut Oracle) -> R) -> R {
        // A panic elsewhere leaves a record that is whole.
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let (record, oracle) = &mut *table;
        work(record, oracle)
    }
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (start="6x4", rules="std_either", *, against="perfect", seed=0, time_limit=Some(60.0), cache=None))]
    #[pyo3(
        text_signature = "(start='6x4', rules='std_either', *, against='perfect', seed=0, time_limit=60.0, cache=None)"
    )]
    fn new(
        start: &str,
        rules: &str,
        against: &str,
        seed: u64,
        time_limit: Option<f64>,
        cache: Option<PathBuf>,
    ) -> PyResult<Game> {
        let rules = named(rules)?;
        let text = match start.contains("start ") {
            true => start.to_owned(),
            false => format!("rules {rules}\nstart {start}"),
        };
        let record: Record =
            text.parse().map_err(|error: ::kalah::RecordError| error.raise_at("start: "))?;
        let opponent = against
            .parse()
            .map_err(|error: kalah_answers::ParseOpponentError| error.raise_at("against: "))?;
        let oracle = Oracle::open(None, Some(record.kalah().rules()), effort(time_limit, cache)?);
        let table = Mutex::new((record, oracle.map_err(raise)?));
        Ok(Game { table, against: opponent, seed })
    }

    /// The player to move, 1 or 2.
    #[getter]
    fn player(&self) -> usize {
        self.with(|record, _| record.last().mover + 1)
    }

    /// The position, seen from the player to move, with the stores.
    #[getter]
    fn position(&self) -> String {
        self.with(|record, _| record.last().to_string())
    }

    /// The pits that can be sown; empty if the game is over.
    #[getter]
    fn legal(&self) -> Vec<u16> {
        self.with(|record, _| {
            record.kalah().moves(&record.last().position).map(Pit::number).collect()
        })
    }

    /// Whether the game is over.
    #[getter]
    fn over(&self) -> bool {
        self.with(|record, _| record.totals().is_some())
    }

    /// The seeds of both players at the end, those left in the pits included; None before.
    #[getter]
    fn totals(&self) -> Option<(u32, u32)> {
        self.with(|record, _| record.totals().map(|[first, second]| (first, second)))
    }

    /// The result in words; None before the end.
    #[getter]
    fn result(&self) -> Option<String> {
        self.with(|record, _| record.result())
    }

    /// The game as text: lines `rules`, `start` and `moves`.
    #[getter]
    fn record(&self) -> String {
        self.with(|record, _| record.to_string())
    }

    /// Sows a pit, counted from 1. Raises RecordError if that is not legal.
    fn play(&self, pit: u16) -> PyResult<()> {
        self.with(|record, _| record.play(pit)).map(|_| ()).map_err(|error| error.raise_at(""))
    }

    /// Lets the opponent move once and returns its pit; None if the game is over. If it moves
    /// again, call this again.
    fn reply(&self, py: Python<'_>) -> PyResult<Option<u16>> {
        let mut signal = None;
        let chosen = threads::detach(py, || {
            self.with(|record, oracle| {
                let (position, before) = (record.last().position, record.pits().len());
                let chosen =
                    self.against
                        .choose(oracle, &position, self.seed, before, &mut |_| heed(&mut signal))?;
                Ok(chosen.map(|mv| {
                    record.play(mv.0).expect("opponents make legal moves");
                    mv.0
                }))
            })
        });
        match signal {
            Some(signal) => Err(signal),
            None => chosen.map_err(raise),
        }
    }

    /// Takes the last move back; False if there is none.
    fn undo(&self) -> bool {
        self.with(|record, _| record.undo())
    }

    /// The board as SVG, the player to move below; notebooks show it.
    fn _repr_svg_(&self) -> String {
        self.with(|record, _| drawing::svg(&record.last().standing()))
    }

    fn __str__(&self) -> String {
        self.with(|record, _| drawing::board(&record.last().standing(), &[]))
    }

    fn __repr__(&self) -> String {
        self.with(|record, _| {
            format!("Game({}, player {} to move)", record.last(), record.last().mover + 1)
        })
    }
}
