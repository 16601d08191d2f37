//! Values, best moves and best play of Kalah, from a solved game in a store, from a dense table, or
//! by search.
//!
//! ```
//! use kalah::{Kalah, Rules};
//! use kalah_answers::{Answers, Solved};
//! use solver::{Header, Limits, Memory, Next, solve};
//!
//! let kalah = Kalah::new(3, 3, Rules::STD_EITHER)?;
//! let mut store = Memory::new(Header::of(&kalah));
//! solve(&kalah, &mut store, &Limits::default(), &mut |_| Next::Continue)?;
//! let mut answers = Answers::Solved(Solved { kalah, store: Box::new(store) });
//! let moves = answers.moves(&"3,3,3/3,3,3".parse()?)?;
//! assert_eq!(moves.iter().map(|mv| mv.value.0).collect::<Vec<_>>(), [2, 2, -4]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | open a store by its URL, or the directory of a table | [`Place`], [`Answers::open`] |
//! | look up a value, the moves or best play | [`Answers::verdict`], [`Answers::moves`], [`Answers::line`] |
//! | answer any position, by search if need be | [`Oracle`] |
//! | play against somebody, or review a game | [`Opponent`], [`Oracle::review`] |
//! | work on tasks of solving a game by its name | [`worker`] |
//! | go through every position of a solved game | [`Solved::each_position`] |
//!
//! To [`Answers`], an unreachable position, a position with more seeds than the table has, and a
//! position of another size are errors that name the position. An [`Oracle`] searches where
//! [`Answers`] have none. The search needs a table, which it builds in a cache directory; nothing
//! else is written by this crate.

mod cache;
mod depth;
mod error;
mod opponent;
mod oracle;

use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use game::{Edge, Game, Numbered, Rank, Score, Verdict};
use kalah::{Kalah, Position, Rules, Sheets};
use solver::{
    Access, Row, Stage, Step, Store, lookup,
    table::{Directory, Manifest, Table},
    tasks::Worker,
};

pub use cache::{CACHE, Cost, bytes_on_disk, cache_directory};
pub use depth::look_ahead;
pub use error::AnswerError;
pub use opponent::{Opponent, ParseOpponentError};
pub use oracle::{Answer, Choice, Effort, Event, Oracle, Reviewed, Watch};

/// Whoever works on tasks of solving the game of Kalah with a name; `None` if it is none.
pub fn worker(name: &str) -> Option<Box<dyn Worker>> {
    Some(Box::new(name.parse::<Kalah>().ok()?))
}

/// The default size of the cache of a table.
pub const TABLE_MEMORY: usize = 64 << 20;

/// Where values are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The URL of a store.
    Store(String),
    /// The directory of a dense table.
    Table(PathBuf),
}

/// A source of values: a store or a table.
pub enum Answers {
    /// A solved game.
    Solved(Solved),
    /// A dense table.
    Table(Box<DenseTable>),
}

/// A solved game in a store.
pub struct Solved {
    /// The game.
    pub kalah: Kalah,
    /// Its positions.
    pub store: Box<dyn Store>,
}

/// A dense table in a directory.
pub type DenseTable = Table<Sheets>;

/// A move and its value for the mover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Worth {
    /// The move.
    pub edge: Edge<Position>,
    /// With best play after the move, the seeds that the mover stores less those that the opponent
    /// stores, this move included.
    pub value: Score,
    /// The plies to the end with best play after the move, this move included; `None` unless a
    /// store has them.
    pub remoteness: Option<u32>,
}

impl Place {
    /// Its name in messages, without any password.
    pub fn shown(&self) -> String {
        match self {
            Place::Store(url) => stores::shown(url),
            Place::Table(directory) => directory.display().to_string(),
        }
    }
}

impl Answers {
    /// Opens a store or table. If rules are given, it must have these rules. The cache of a table
    /// takes at most `memory` bytes.
    pub fn open(
        place: &Place,
        rules: Option<Rules>,
        memory: usize,
    ) -> Result<Answers, AnswerError> {
        let answers = match place {
            Place::Store(url) => Answers::Solved(Solved::open(url)?),
            Place::Table(directory) => Answers::Table(Box::new(open_table(directory, memory)?)),
        };
        check_rules(&place.shown(), answers.kalah().rules(), rules)?;
        Ok(answers)
    }

    /// The game. For a table, its start position has no meaning.
    pub fn kalah(&self) -> Kalah {
        match self {
            Answers::Solved(solved) => solved.kalah,
            Answers::Table(table) => *table.numbered().game(),
        }
    }

    /// The value and the best move of a position.
    pub fn verdict(&mut self, position: &Position) -> Result<Verdict, AnswerError> {
        check_pits(&self.kalah(), position)?;
        match self {
            Answers::Solved(solved) => solved.verdict(position),
            Answers::Table(table) => {
                let beyond =
                    AnswerError::Beyond { position: *position, most: table.numbered().seeds() };
                table.verdict(position)?.ok_or(beyond)
            }
        }
    }

    /// The moves of a position in the order of their pits; empty if the game is over.
    pub fn moves(&mut self, position: &Position) -> Result<Vec<Worth>, AnswerError> {
        let kalah = self.kalah();
        let mut edges = Vec::new();
        if kalah.outcome(position).is_none() {
            kalah.edges(position, |edge| edges.push(edge));
        }
        let worth = |edge: Edge<Position>| {
            let after = self.verdict(&edge.to)?;
            let remoteness = after.remoteness.map(|plies| u32::from(plies) + 1);
            Ok(Worth { edge, value: Score::new(edge.worth(after.score))?, remoteness })
        };
        edges.into_iter().map(worth).collect()
    }

    /// Best play from a position to the end.
    pub fn line(&mut self, position: &Position) -> Result<Vec<Step<Position>>, AnswerError> {
        // Looked up first, so that an unknown position is an error even if the game is over.
        self.verdict(position)?;
        solver::line(&self.kalah(), position, |position| self.verdict(position))
    }
}

impl Solved {
    /// Opens the store that a URL names, for reading.
    pub fn open(url: &str) -> Result<Solved, AnswerError> {
        let store = stores::open(url, Access::Read)?;
        let kalah = store.state().header.game.parse();
        let kalah =
            kalah.map_err(|cause| AnswerError::OtherGame { place: stores::shown(url), cause })?;
        Ok(Solved { kalah, store })
    }

    /// Returns an error if the game is not completely solved.
    pub fn check_finished(&self) -> Result<(), AnswerError> {
        match self.store.state().stage {
            Stage::Solved => Ok(()),
            _ => Err(AnswerError::Unsolved(self.kalah.name())),
        }
    }

    fn verdict(&mut self, position: &Position) -> Result<Verdict, AnswerError> {
        let row = match position.seeds_in_play() <= self.kalah.seeds() {
            true => lookup(&self.kalah, &mut *self.store, position)?,
            false => None,
        };
        let game = self.kalah.name();
        match row {
            // While positions are still being enumerated, a missing position may still be found.
            None if matches!(self.store.state().stage, Stage::Exploring(_)) => {
                Err(AnswerError::Unsolved(game))
            }
            None => Err(AnswerError::Unreachable { position: *position, game }),
            Some(row) => row.verdict.ok_or(AnswerError::Unsolved(game)),
        }
    }

    /// Passes every position to `take`, ordered by seeds in play, steps and key, until `take`
    /// breaks.
    pub fn each_position<B>(
        &mut self,
        mut take: impl FnMut(&Position, &Row) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, AnswerError> {
        let Solved { kalah, store } = self;
        let mut end = Ok(ControlFlow::Continue(()));
        store.scan(Rank::default()..=Rank::MAX, &mut |batch| {
            for row in batch {
                end = match kalah.unpack(row.key) {
                    Some(position) => Ok(take(&position, row)),
                    None => Err(AnswerError::Key(row.key.0)),
                };
                if !matches!(end, Ok(ControlFlow::Continue(()))) {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        })?;
        end
    }
}

/// Opens a dense table of any size and rules. Its cache takes at most `memory` bytes.
pub fn open_table(directory: &Path, memory: usize) -> Result<DenseTable, AnswerError> {
    let place = || directory.display().to_string();
    let directory = Directory::new(directory);
    let manifest = Manifest::read(&directory)?.ok_or_else(|| AnswerError::NoTable(place()))?;
    let seeds = u32::from(manifest.units().unwrap_or(0));
    let sheets = Sheets::named(&manifest.game, seeds)
        .map_err(|cause| AnswerError::Sheets { place: place(), cause })?;
    Ok(Table::open(sheets, &directory, memory)?)
}

/// Returns an error if the rules asked for are not those of the place.
pub fn check_rules(place: &str, held: Rules, asked: Option<Rules>) -> Result<(), AnswerError> {
    match asked.filter(|asked| *asked != held) {
        None => Ok(()),
        Some(asked) => Err(AnswerError::OtherRules { place: place.to_owned(), held, asked }),
    }
}

/// Returns an error if the position has another number of pits.
pub fn check_pits(kalah: &Kalah, position: &Position) -> Result<(), AnswerError> {
    match position.pits() == kalah.pits() {
        true => Ok(()),
        false => Err(AnswerError::Pits { position: *position, expected: kalah.pits() }),
    }
}
