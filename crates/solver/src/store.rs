//! The interface between the solver and the stores, which keep positions and values.

use std::ops::{ControlFlow, RangeInclusive};

use game::{Key, MoveId, Rank, Score, Verdict};
use sinks::SinkError;

use crate::solvable::Solvable;

/// The version of the layout of rows and header. Every store contains it. It is raised when either
/// changes.
pub const FORMAT: u32 = 3;

/// The oldest format that can still be read. Its rows have no remoteness.
pub const OLDEST_FORMAT: u32 = 2;

/// Rows of positions, sorted by rank and then key.
///
/// A store receives and returns rows in batches. It knows neither rules nor the order of work. A
/// handle sees at once what was added or settled through it. [`Store::commit`] makes that durable.
/// If the process ends without a commit, everything since the last commit is lost, and nothing
/// else. Only one handle at a time may write. Dropping a handle closes it. After a failed write the
/// handle must be dropped; the store is then back at its last commit.
///
/// The tests in [`crate::conformance`] check all this for every store.
pub trait Store: Send {
    /// The game and the progress of the work, as of the last commit.
    fn state(&self) -> &State;

    /// Every rank that has rows, in ascending order, with the number of its rows.
    fn ranks(&mut self) -> Result<Vec<(Rank, u64)>, StoreError>;

    /// Adds positions of one rank, with keys in ascending order and without duplicates. If a
    /// position is already there, it keeps its verdict and the smaller of the two depths. Returns
    /// the number of new positions.
    fn add(&mut self, rank: Rank, found: &[Found]) -> Result<u64, StoreError>;

    /// Sets the verdicts of existing positions of one rank, with keys in ascending order and
    /// without duplicates.
    fn settle(&mut self, rank: Rank, settled: &[Settled]) -> Result<(), StoreError>;

    /// Passes all rows of a range of ranks to `visit` in batches, ordered by rank and key, until
    /// `visit` breaks.
    fn scan(
        &mut self,
        ranks: RangeInclusive<Rank>,
        visit: &mut dyn FnMut(&[Row]) -> ControlFlow<()>,
    ) -> Result<(), StoreError>;

    /// Looks up positions of one rank, with keys in ascending order and without duplicates, and
    /// appends them to `rows`: `None` for a position that is not in the store.
    fn find(
        &mut self,
        rank: Rank,
        keys: &[Key],
        rows: &mut Vec<Option<Row>>,
    ) -> Result<(), StoreError>;

    /// Makes everything so far durable, together with the progress of the work.
    fn commit(&mut self, stage: Stage) -> Result<(), StoreError>;

    /// Removes all rows of some ranks, even if they are damaged. The ranks are in ascending order.
    /// A repair begins with this. A store that does not implement it cannot be repaired.
    fn clear(&mut self, ranks: &[Rank]) -> Result<(), StoreError> {
        let _ = ranks;
        let place = self.state().header.game.clone();
        let cause = "this kind of store cannot be repaired; solve the game again".to_owned();
        Err(StoreError::Unavailable { place, cause })
    }
}

/// A reachable position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Found {
    /// The position.
    pub key: Key,
    /// The fewest moves from the start.
    pub depth: u16,
}

/// A position with its verdict.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Settled {
    /// The position.
    pub key: Key,
    /// Its value, best move and remoteness.
    pub verdict: Verdict,
}

/// Everything that a store keeps of a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Row {
    /// Its place in the order of work.
    pub rank: Rank,
    /// The position.
    pub key: Key,
    /// The fewest moves from the start.
    pub depth: u16,
    /// Its value, best move and remoteness, once settled.
    pub verdict: Option<Verdict>,
}

impl Row {
    /// A row that has no verdict yet.
    pub fn unsettled(rank: Rank, found: Found) -> Row {
        Row { rank, key: found.key, depth: found.depth, verdict: None }
    }

    /// The verdict as three columns: score, best move and remoteness. All are missing until the
    /// position is settled. The best move is also missing if the game is over.
    pub fn verdict_columns(verdict: Option<Verdict>) -> (Option<i16>, Option<u16>, Option<u16>) {
        match verdict {
            Some(Verdict { score, best, remoteness }) => {
                (Some(score.0), best.map(|mv| mv.0), remoteness)
            }
            None => (None, None, None),
        }
    }

    /// The verdict from its three columns.
    pub fn verdict_of(
        score: Option<i16>,
        best: Option<u16>,
        remoteness: Option<u16>,
    ) -> Option<Verdict> {
        let best = best.map(MoveId);
        score.map(|score| Verdict { score: Score(score), best, remoteness })
    }
}

/// What a store is opened for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Access {
    /// To create a new store for a game.
    Create(Header),
    /// To continue a store for a game, or to create it if it does not exist.
    Resume(Header),
    /// To read a store of any game.
    Read,
}

impl Access {
    /// The game to be written; `None` for reading.
    pub fn header(&self) -> Option<&Header> {
        match self {
            Access::Create(header) | Access::Resume(header) => Some(header),
            Access::Read => None,
        }
    }

    /// Checks that a store at `place` with the header `found` may be opened in this way.
    pub fn admit(&self, found: &Header, place: &str) -> Result<(), StoreError> {
        match self {
            Access::Create(_) => Err(StoreError::Exists(place.to_owned())),
            Access::Resume(wanted) => found.check(wanted, place),
            Access::Read if (OLDEST_FORMAT..FORMAT).contains(&found.format) => Ok(()),
            Access::Read => found.check_format(FORMAT, place),
        }
    }
}

/// The game of a store and the progress of the work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// The game it holds.
    pub header: Header,
    /// The progress of the work.
    pub stage: Stage,
}

/// The game of a store. A store can be opened only for exactly the same game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The game with its size and rules, [`game::Game::name`].
    pub game: String,
    /// How many low bits of a key can be set, [`game::Game::key_bits`].
    pub key_bits: u32,
    /// The layout of the rows, [`FORMAT`].
    pub format: u32,
}

impl Header {
    /// The header for a game.
    pub fn of<G: Solvable>(game: &G) -> Header {
        Header { game: game.name(), key_bits: game.key_bits(), format: FORMAT }
    }

    /// Whether every key fits a signed 64-bit integer, which all databases and Parquet readers
    /// support. If not, a store keeps keys as 16 bytes that sort like the number.
    pub fn has_integer_keys(&self) -> bool {
        self.key_bits <= 63
    }

    /// Whether the rows have a remoteness.
    pub fn has_remoteness(&self) -> bool {
        self.format > OLDEST_FORMAT
    }

    /// Returns an error if a store at `place` holds `self` and not `wanted`.
    fn check(&self, wanted: &Header, place: &str) -> Result<(), StoreError> {
        if (OLDEST_FORMAT..FORMAT).contains(&self.format) {
            return Err(StoreError::Old { place: place.to_owned(), found: self.format });
        }
        self.check_format(wanted.format, place)?;
        if self != wanted {
            let (found, wanted) = (self.game.clone(), wanted.game.clone());
            return Err(StoreError::Game { place: place.to_owned(), found, wanted });
        }
        Ok(())
    }

    fn check_format(&self, wanted: u32, place: &str) -> Result<(), StoreError> {
        if self.format != wanted {
            let (place, found) = (place.to_owned(), self.format);
            return Err(StoreError::Format { place, found, wanted });
        }
        Ok(())
    }
}

/// The progress of the work on a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Every position of this rank and of higher ranks is stored, and so is every successor of
    /// these positions. `None`: no rank is complete yet.
    Exploring(Option<Rank>),
    /// All positions are stored. Those up to this rank have verdicts. `None`: no position has.
    Settling(Option<Rank>),
    /// Every position has its verdict.
    Solved,
}

impl Stage {
    /// The stage as two columns: its name and a rank.
    pub fn to_columns(self) -> (&'static str, Option<u32>) {
        match self {
            Stage::Exploring(rank) => ("exploring", rank.map(Rank::to_u32)),
            Stage::Settling(rank) => ("settling", rank.map(Rank::to_u32)),
            Stage::Solved => ("solved", None),
        }
    }

    /// The stage from its two columns.
    pub fn from_columns(name: &str, rank: Option<u32>) -> Option<Stage> {
        let rank = rank.map(Rank::from_u32);
        match name {
            "exploring" => Some(Stage::Exploring(rank)),
            "settling" => Some(Stage::Settling(rank)),
            "solved" => Some(Stage::Solved),
            _ => None,
        }
    }
}

/// What can go wrong with a store.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StoreError {
    /// Another writer has it open.
    #[error("{0} is being written by another process")]
    Busy(String),
    /// There is no store at this place.
    #[error("there is no solved game at {0}")]
    Missing(String),
    /// There is already a store at this place, and it was not opened to resume.
    #[error("{0} already holds a game; resume it or choose another place")]
    Exists(String),
    /// It is open for reading only.
    #[error("{0} is open for reading only")]
    ReadOnly(String),
    /// It holds another game.
    #[error("{place}: the store holds '{found}', not '{wanted}'")]
    Game {
        /// Where.
        place: String,
        /// What it holds.
        found: String,
        /// What was asked for.
        wanted: String,
    },
    /// It has another format.
    #[error("{place}: the store has format {found}, this program reads format {wanted}")]
    Format {
        /// Where.
        place: String,
        /// Its format.
        found: u32,
        /// The format that this program reads.
        wanted: u32,
    },
    /// It has an earlier format, which can be read but not written.
    #[error(
        "{place}: the store has format {found}, which this program can read but not write; \
         to go on, solve the game again into a new store"
    )]
    Old {
        /// Where.
        place: String,
        /// Its format.
        found: u32,
    },
    /// Its content is damaged.
    #[error("{place} is damaged: {cause}")]
    Corrupt {
        /// Where.
        place: String,
        /// What is wrong there.
        cause: String,
    },
    /// The place cannot be used or reached, or is full.
    #[error("{place}: {cause}")]
    Unavailable {
        /// Where.
        place: String,
        /// What the system, the database or the service said.
        cause: String,
    },
    /// The URL is not one of a store.
    #[error("'{url}' is not a store: {cause}")]
    Url {
        /// The URL, without any password.
        url: String,
        /// What is wrong with it.
        cause: String,
    },
}

impl From<SinkError> for StoreError {
    fn from(error: SinkError) -> StoreError {
        match error {
            SinkError::Busy { name } => StoreError::Busy(name),
            SinkError::Directory { name } => {
                StoreError::Unavailable { place: name, cause: "it is a directory".to_owned() }
            }
            SinkError::Failed { name, cause } => {
                StoreError::Unavailable { place: name, cause: cause.to_string() }
            }
        }
    }
}
