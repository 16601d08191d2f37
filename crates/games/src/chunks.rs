//! Chunks of records, which threads work on.

use std::sync::Arc;

use chess::Position;

use crate::{
    Reader, Record, RecordError,
    reader::{Open, Step},
};

/// Some positions of one source, and what was wrong on the way to them.
#[derive(Debug)]
pub struct Chunk {
    /// The name of the source.
    pub source: Arc<str>,
    /// The positions, in order.
    pub positions: Vec<Place>,
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

/// Positions of a [`Reader`] in chunks. A chunk ends where a game or a source ends, and before it
/// holds many more positions or errors than it may.
pub struct Chunks {
    reader: Reader,
    rows: usize,
}

/// Errors have texts; a file that holds nothing else must not fill the memory.
const MOST_ERRORS: usize = 4096;

impl Chunks {
    /// Chunks of so many positions, or a few more.
    pub fn new(reader: Reader, rows: usize) -> Chunks {
        Chunks { reader, rows }
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
            errors: Vec::new(),
            last: 0,
        };
        // A game is rarely longer.
        let room = self.rows + 200;
        loop {
            match self.reader.step() {
                Step::Record => {
                    let Open { name, last, .. } = self.reader.open()?;
                    let chunk = chunk.get_or_insert_with(|| begin(name, room));
                    chunk.last = *last;
                    self.add(chunk);
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
                Step::Interrupted | Step::Over => return chunk,
            }
            let is_full = |chunk: &Chunk| {
                chunk.positions.len() >= self.rows || chunk.errors.len() >= MOST_ERRORS
            };
            let is_elsewhere = self.reader.open().is_none();
            if chunk.as_ref().is_some_and(|chunk| is_full(chunk) || is_elsewhere) {
                return chunk;
            }
        }
    }
}
