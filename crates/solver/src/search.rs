//! Search from a position beyond the table down to the table: zero-window alpha-beta with a
//! transposition table.
//!
//! Each zero-window search asks whether a position is worth at least a given score. The bounds that
//! it finds are kept in the transposition table, so the next search about the same position begins
//! where the last one ended (MTD(f), after Plaat). The search is deterministic: results and node
//! counts depend only on the position, the limits and what the same [`Searcher`] was asked before.

mod memory;
mod tree;

use game::{Game, MoveId, Numbered, Score, Verdict};

use self::{memory::Transpositions, tree::Search};
use crate::{
    Next,
    line::Step,
    table::{Table, TableError},
};

/// The most units in play that a position may have. Bounds and gains are at most that many points,
/// and their sum must fit 16 bits.
const MOST_UNITS: u16 = i16::MAX as u16 / 2;

/// With less memory a [`Searcher`] does not begin, unless its limit is lower.
const LEAST_MEMORY: usize = 1 << 20;

/// How much memory a search may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchLimits {
    /// Bytes for the transposition table. The dense table has its own limit.
    pub memory: usize,
}

impl Default for SearchLimits {
    fn default() -> SearchLimits {
        SearchLimits { memory: 1 << 30 }
    }
}

/// The progress of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchProgress {
    /// Positions searched.
    pub nodes: u64,
    /// The value is at least this.
    pub at_least: Score,
    /// The value is at most this.
    pub at_most: Score,
}

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found<P> {
    /// The value of the position, and the first of its best moves.
    pub verdict: Verdict,
    /// Nodes searched to find the value.
    pub nodes: u64,
    /// Nodes searched to find the value, the first of the best moves and the line.
    pub all_nodes: u64,
    /// Best play to the end, always the first of the best moves.
    pub line: Vec<Step<P>>,
}

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Between {
    /// The value is at least this.
    pub least: Score,
    /// The value is at most this.
    pub most: Score,
}

impl Between {
    /// The value itself.
    pub fn exactly(score: Score) -> Between {
        Between { least: score, most: score }
    }

    /// The value, if the bounds leave only one.
    pub fn value(&self) -> Option<Score> {
        (self.least == self.most).then_some(self.least)
    }
}

/// The exact value of a position, its best move and best play, by search down to a table.
pub fn search<N: Numbered>(
    table: &mut Table<N>,
    start: &Position<N>,
    limits: &SearchLimits,
    watch: &mut dyn FnMut(&SearchProgress) -> Next,
) -> Result<Found<Position<N>>, TableError> {
    check(table.numbered.game(), start)?;
    let mut memory = transpositions(limits)?;
    let mut search = Search::new(table, &mut memory, watch);
    let score = search.value(start, Score(0))?;
    let nodes = search.nodes;
    let line = search.line(start, score)?;
    let best = line.first().map(|step| step.edge.mv);
    let verdict = Verdict { score, best, remoteness: None };
    Ok(Found { verdict, nodes, all_nodes: search.nodes, line })
}

/// A search that remembers what it found, for questions about many positions of a game.
pub struct Searcher<N> {
    table: Table<N>,
    memory: Transpositions,
}

impl<N: Numbered> Searcher<N> {
    /// A search down to a table. Where the system cannot allocate as much memory as the limit
    /// allows, it makes do with less.
    pub fn new(table: Table<N>, limits: &SearchLimits) -> Result<Searcher<N>, TableError> {
        let halves = std::iter::successors(Some(limits.memory), |memory| {
            Some(memory / 2).filter(|memory| *memory >= LEAST_MEMORY)
        });
        let memory = halves.into_iter().find_map(Transpositions::new);
        let memory = memory.ok_or(TableError::NoMemory(limits.memory))?;
        Ok(Searcher { table, memory })
    }

    /// The table.
    pub fn table(&mut self) -> &mut Table<N> {
        &mut self.table
    }

    /// The value of a position. If `watch` stops the search, the bounds that were found until then.
    /// A good guess saves time.
    pub fn bounds(
        &mut self,
        position: &Position<N>,
        guess: Score,
        watch: &mut dyn FnMut(&SearchProgress) -> Next,
    ) -> Result<Between, TableError> {
        check(self.table.numbered.game(), position)?;
        let mut search = Search::new(&mut self.table, &mut self.memory, watch);
        match search.value(position, guess) {
            Ok(score) => Ok(Between::exactly(score)),
            Err(TableError::Stopped) => Ok(search.between()),
            Err(error) => Err(error),
        }
    }

    /// The first of the best moves of a position with this value; `None` if the game is over or
    /// `watch` stops the search.
    pub fn first_best(
        &mut self,
        position: &Position<N>,
        score: Score,
        watch: &mut dyn FnMut(&SearchProgress) -> Next,
    ) -> Result<Option<MoveId>, TableError> {
        check(self.table.numbered.game(), position)?;
        let mut search = Search::new(&mut self.table, &mut self.memory, watch);
        if search.is_over(position) {
            return Ok(None);
        }
        match search.first_best(position, score) {
            Ok(edge) => Ok(edge.map(|edge| edge.mv)),
            Err(TableError::Stopped) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The move that proved the lower bound of a position, if it is remembered. If the value of
    /// the position was found, it is a best move.
    pub fn remembered(&self, position: &Position<N>) -> Option<MoveId> {
        self.memory.best(self.table.numbered.game().pack(position))
    }
}

type Position<N> = <<N as Numbered>::Game as Game>::Position;

/// Refuses a position whose successors could be confused or whose values could overflow.
fn check<G: Game>(game: &G, position: &G::Position) -> Result<(), TableError> {
    let rank = game.rank(position);
    // If the key of the start is unique, so are those of all positions with no more units.
    let has_key = game.unpack(game.pack(position)).map(|again| game.rank(&again)) == Some(rank);
    if has_key && rank.level <= MOST_UNITS { Ok(()) } else { Err(TableError::Beyond(rank.level)) }
}

fn transpositions(limits: &SearchLimits) -> Result<Transpositions, TableError> {
    Transpositions::new(limits.memory).ok_or(TableError::NoMemory(limits.memory))
}
