//! Where positions and values are kept: the seam between solving and storing.

use std::ops::{ControlFlow, RangeInclusive};

use game::{Game, Key, MoveId, Rank, Score, Verdict};
use sinks::SinkError;

/// The layout of rows and of the header, kept in every store and raised when either changes.
pub const FORMAT: u32 = 2;

/// Rows of positions, sorted by rank and then key.
///
/// A store is told what to keep and asked for it in batches; it knows neither rules nor the order
/// of work. What was added or settled through a handle is seen by that handle at once, and lives
/// on after [`Store::commit`]; what was not committed may be lost with the process, but then all
/// of it since the last commit. One handle at a time may write. Dropping a handle closes it. A
/// handle whose writing failed must be dropped: the store is then as of its last
/// commit.
///
/// [`crate::conformance`] says all this in tests that every store passes.
pub trait Store: Send {
    /// Which game this is and how far the work on it has come, as of the last commit.
    fn state(&self) -> &State;

    /// Every rank that has rows, in ascending order, with how many.
    fn ranks(&mut self) -> Result<Vec<(Rank, u64)>, StoreError>;

    /// Adds positions of one rank, their keys ascending without repeats. One that is there
    /// already keeps the smaller depth and its verdict. Returns how many are new.
    fn add(&mut self, rank: Rank, found: &[Found]) -> Result<u64, StoreError>;

    /// Gives verdicts to positions of one rank that are there, their keys ascending without
    /// repeats.
    fn settle(&mut self, rank: Rank, settled: &[Settled]) -> Result<(), StoreError>;

    /// Hands all rows of some ranks to `visit` in batches, ordered by rank and key, until it
    /// breaks off.
    fn scan(
        &mut self,
        ranks: RangeInclusive<Rank>,
        visit: &mut dyn FnMut(&[Row]) -> ControlFlow<()>,
    ) -> Result<(), StoreError>;

    /// Appends to `rows` what is known of positions of one rank, their keys ascending without
    /// repeats; `None` for one that is not there.
    fn find(
        &mut self,
        rank: Rank,
        keys: &[Key],
        rows: &mut Vec<Option<Row>>,
    ) -> Result<(), StoreError>;

    /// Makes everything so far durable, together with how far the work has come.
    fn commit(&mut self, stage: Stage) -> Result<(), StoreError>;

    /// Removes all rows of some ranks, which ascend, also where they are damaged: what a repair
    /// begins with. A store without this cannot be repaired.
    fn clear(&mut self, ranks: &[Rank]) -> Result<(), StoreError> {
        let _ = ranks;
        let place = self.state().header.game.clone();
        let cause = "this kind of store cannot be repaired; solve the game again".to_owned();
        Err(StoreError::Unavailable { place, cause })
    }
}

/// A position that can be reached.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Found {
    /// The position.
    pub key: Key,
    /// The fewest moves it takes from the start.
    pub depth: u16,
}

/// A position with its verdict.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Settled {
    /// The position.
    pub key: Key,
    /// What it is worth.
    pub verdict: Verdict,
}

/// All that is kept of a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Row {
    /// Its place in the order of work.
    pub rank: Rank,
    /// The position.
    pub key: Key,
    /// The fewest moves it takes from the start.
    pub depth: u16,
    /// What it is worth, once settled.
    pub verdict: Option<Verdict>,
}

impl Row {
    /// A row that has no verdict yet.
    pub fn unsettled(rank: Rank, found: Found) -> Row {
        Row { rank, key: found.key, depth: found.depth, verdict: None }
    }

    /// The verdict as the two columns that stores have for it: the score is missing until the
    /// position is settled, the best move also where play is over.
    pub fn verdict_columns(verdict: Option<Verdict>) -> (Option<i16>, Option<u16>) {
        let best = verdict.and_then(|verdict| verdict.best);
        (verdict.map(|verdict| verdict.score.0), best.map(|mv| mv.0))
    }

    /// The verdict of two columns.
    pub fn verdict_of(score: Option<i16>, best: Option<u16>) -> Option<Verdict> {
        score.map(|score| Verdict { score: Score(score), best: best.map(MoveId) })
    }
}

/// What a store is opened for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Access {
    /// To begin a store for a game, where there is none.
    Create(Header),
    /// To go on with a store for a game, or to begin it where there is none.
    Resume(Header),
    /// To read whatever game is there.
    Read,
}

impl Access {
    /// The game that is to be written; none when reading.
    pub fn header(&self) -> Option<&Header> {
        match self {
            Access::Create(header) | Access::Resume(header) => Some(header),
            Access::Read => None,
        }
    }

    /// Whether what is found at `place` may be opened this way.
    pub fn admit(&self, found: &Header, place: &str) -> Result<(), StoreError> {
        match self {
            Access::Create(_) => Err(StoreError::Exists(place.to_owned())),
            Access::Resume(wanted) => found.check(wanted, place),
            Access::Read => found.check_format(FORMAT, place),
        }
    }
}

/// What a store says of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// The game it holds.
    pub header: Header,
    /// How far the work has come.
    pub stage: Stage,
}

/// Which game a store holds. A store is opened only for the very same one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The game with its size and rules, [`Game::name`].
    pub game: String,
    /// How many low bits of a key can be set, [`Game::key_bits`].
    pub key_bits: u32,
    /// The layout of the rows, [`FORMAT`].
    pub format: u32,
}

impl Header {
    /// The header for a game.
    pub fn of<G: Game>(game: &G) -> Header {
        Header { game: game.name(), key_bits: game.key_bits(), format: FORMAT }
    }

    /// Whether every key fits an integer that all databases and readers of Parquet have; where
    /// they do not, a store keeps 16 bytes that sort like the number.
    pub fn has_integer_keys(&self) -> bool {
        self.key_bits <= 63
    }

    /// Refuses a store at `place` that holds `self` where `wanted` is asked for.
    fn check(&self, wanted: &Header, place: &str) -> Result<(), StoreError> {
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

/// How far the work on a store has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Every position of this rank and above is there, and so is all that follows in one move.
    /// `None`: nothing is sure yet.
    Exploring(Option<Rank>),
    /// All positions are there; those up to this rank have their verdict. `None`: none has.
    Settling(Option<Rank>),
    /// Every position has its verdict.
    Solved,
}

impl Stage {
    /// The stage as two columns, its name and a rank.
    pub fn to_columns(self) -> (&'static str, Option<u32>) {
        match self {
            Stage::Exploring(rank) => ("exploring", rank.map(Rank::to_u32)),
            Stage::Settling(rank) => ("settling", rank.map(Rank::to_u32)),
            Stage::Solved => ("solved", None),
        }
    }

    /// The stage of two columns.
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
    /// There is one already, and it was not asked to go on.
    #[error("{0} already holds a game; resume it or choose another place")]
    Exists(String),
    /// It was opened for reading.
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
    /// It was written with another layout.
    #[error("{place}: the store has format {found}, this program reads format {wanted}")]
    Format {
        /// Where.
        place: String,
        /// Its format.
        found: u32,
        /// Ours.
        wanted: u32,
    },
    /// What it gives back cannot be right.
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
    /// The place is not one that can be opened.
    #[error("'{url}' is not a store: {cause}")]
    Url {
        /// What was asked for, without any password.
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
