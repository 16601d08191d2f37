//! Chunks of records, which threads work on.

use std::sync::Arc;

use chess::{Position, pgn::Mainline};

use crate::{
    Reader, Record, RecordError,
    reader::{Open, Step},
};

/// Some positions or games of one source, and what was wrong on the way to them.
#[derive(Debug)]
pub struct Chunk {
    /// The name of the source.
    pub source: Arc<str>,
    /// The positions, in order; empty where games are kept whole.
    pub positions: Vec<Place>,
    /// The games, in order, where they are kept whole.
    pub games: Vec<Played>,
    /// What was wrong, in order.
    pub errors: Vec<RecordError>,
    /// The last game or line that was read, wanted or not.
    pub last: u64,
}

/// A position and where it stands in its source.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The number of the game, or the line of a position.
    pub game: u64,
    /// The plies before it.
    pub ply: u64,
    /// The position.
    pub position: Position,
}

/// A game and where it stands in its source.
#[derive(Clone, Debug)]
pub struct Played {
    /// The number of the game, from 1.
    pub number: u64,
    /// The game.
    pub game: Mainline,
}

/// Positions or games of a [`Reader`] in chunks. A chunk ends where a game or a source ends, and
/// before it holds many more positions, errors or texts of games than it may.
pub struct Chunks {
    reader: Reader,
    rows: usize,
    keep: Keep,
}

/// What a chunk holds of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keep {
    Positions,
    Games,
}

/// How many positions a game counts for, in a chunk of games. Texts may be long.
fn size(game: &Mainline) -> usize {
    game.positions.len() + (game.tags.size() + game.text.len()) / 1024
}

/// Errors have texts; a file that holds nothing else must not fill the memory.
const MOST_ERRORS: usize = 4096;

impl Chunks {
    /// Chunks of so many positions, or a few more.
    pub fn new(reader: Reader, rows: usize) -> Chunks {
        Chunks { reader, rows, keep: Keep::Positions }
    }

    /// Chunks of whole games, tags and notes included, which together have so many positions, or a
    /// few more; fewer where games have long texts. Positions of FEN and EPD files are still
    /// positions.
    pub fn of_games(reader: Reader, rows: usize) -> Chunks {
        Chunks { reader, rows, keep: Keep::Games }
    }

    /// The reader, to see how far it has come.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    fn add(&self, chunk: &mut Chunk) {
        let wanted = self.reader.wanted();
        let mut add = |game: u64, ply: u64, position: &Position| {
            if wanted.conditions.iter().all(|condition| condition.allows_ply(ply)) {
                chunk.positions.push(Place { game, ply, position: *position });
            }
        };
        match self.reader.record() {
            Some(Record::Game { number, game, .. }) if self.keep == Keep::Games => {
                chunk.games.push(Played { number, game: game.clone() });
            }
            Some(Record::Game { number, game, .. }) => {
                let positions = game.positions.iter().enumerate();
                for (ply, position) in positions.step_by(wanted.every.get()) {
                    add(number, ply as u64, position);
                }
            }
            Some(Record::Position { line, position, .. }) => add(line, 0, position),
            None => {}
        }
    }
}

/// The next positions; `None` when there are no more.
impl Iterator for Chunks {
    type Item = Chunk;

    fn next(&mut self) -> Option<Chunk> {
        let mut chunk: Option<Chunk> = None;
        let begin = |source: &Arc<str>, rows: usize| Chunk {
            source: source.clone(),
            positions: Vec::with_capacity(rows),
            games: Vec::new(),
            errors: Vec::new(),
            last: 0,
        };
        let room = match self.keep {
            // A game is rarely longer.
            Keep::Positions => self.rows + 200,
            Keep::Games => 0,
        };
        let mut size = 0;
        loop {
            match self.reader.step() {
                Step::Record => {
                    let Open { name, last, .. } = self.reader.open()?;
                    let chunk = chunk.get_or_insert_with(|| begin(name, room));
                    chunk.last = *last;
                    self.add(chunk);
                    size += chunk.games.last().map_or(0, |last| self::size(&last.game));
                }
                Step::Bad(name, error) => {
                    let last = self.reader.open().map_or(0, |open| open.last);
                    let chunk = chunk.get_or_insert_with(|| begin(&name, 0));
                    chunk.last = last;
                    chunk.errors.push(error);
                }
                Step::End(Open { name, last, .. }) => {
                    let mut chunk = chunk.unwrap_or_else(|| begin(&name, 0));
                    chunk.last = last;
                    return Some(chunk);
                }
                // What was begun is left out of positions, so that parts of files end where they
                // always do.
                Step::Interrupted => return chunk.filter(|_| self.keep == Keep::Games),
                Step::Over => return chunk,
            }
            let is_full = |chunk: &Chunk| {
                chunk.positions.len() + size >= self.rows || chunk.errors.len() >= MOST_ERRORS
            };
            let is_elsewhere = self.reader.open().is_none();
            if chunk.as_ref().is_some_and(|chunk| is_full(chunk) || is_elsewhere) {
                return chunk;
            }
        }
    }
}
