//! One search: the tree of positions between a start and the table.

use game::{Edge, Game, Key, MoveId, Numbered, Score, Turn, Verdict};

use super::{
    Between, Position, SearchProgress,
    memory::{Bounds, Transpositions},
};
use crate::{
    Next, StoreError,
    line::Step,
    table::{Chunks, Spot, Table, TableError},
};

/// How many nodes are searched between two reports of progress: a few milliseconds.
const NODES_BETWEEN: u64 = 1 << 12;

/// A search under way.
pub(super) struct Search<'a, N: Numbered> {
    numbered: &'a N,
    chunks: &'a mut Chunks,
    /// The most units in play for which the table has every position.
    floor: Option<u16>,
    memory: &'a mut Transpositions,
    /// The moves of all positions on the current path, those of the deepest position last.
    candidates: Vec<Candidate<Position<N>>>,
    pub(super) nodes: u64,
    progress: SearchProgress,
    watch: &'a mut dyn FnMut(&SearchProgress) -> Next,
}

/// A move that is not searched yet.
#[derive(Clone, Copy)]
struct Candidate<P> {
    edge: Edge<P>,
    /// Moves with a higher promise are searched first.
    promise: i32,
    known: Known,
}

/// Where the bounds of a position are that are known without a search.
#[derive(Clone, Copy)]
enum Known {
    /// The rules determine the value.
    Value(Score),
    /// The value is in the table.
    Table(Spot),
    /// The bounds may be in the memory; if not, its units bound the value.
    Memory { key: Key, units: i16 },
}

impl<'a, N: Numbered> Search<'a, N> {
    /// A search that begins with what the memory knows.
    pub(super) fn new(
        table: &'a mut Table<N>,
        memory: &'a mut Transpositions,
        watch: &'a mut dyn FnMut(&SearchProgress) -> Next,
    ) -> Search<'a, N> {
        let floor = table.units();
        let Table { numbered, chunks } = table;
        let progress = SearchProgress { nodes: 0, at_least: Score(0), at_most: Score(0) };
        Search {
            numbered,
            chunks,
            floor,
            memory,
            candidates: Vec::new(),
            nodes: 0,
            progress,
            watch,
        }
    }

    fn game(&self) -> &'a N::Game {
        self.numbered.game()
    }

    /// Whether the game is over.
    pub(super) fn is_over(&self, position: &Position<N>) -> bool {
        self.game().outcome(position).is_some()
    }

    /// The bounds of the value that was asked for last.
    pub(super) fn between(&self) -> Between {
        Between { least: self.progress.at_least, most: self.progress.at_most }
    }

    /// The value of a position, by zero-window searches that narrow its bounds.
    pub(super) fn value(
        &mut self,
        position: &Position<N>,
        guess: Score,
    ) -> Result<Score, TableError> {
        if let Some(score) = self.exact(position)? {
            return Ok(score);
        }
        let known = self.memory.get(self.game().pack(position), self.limits_of(position));
        let (mut least, mut most) = (known.least, known.most);
        let Score(mut guess) = guess;
        while least < most {
            self.progress.at_least = Score(least);
            self.progress.at_most = Score(most);
            // The next bound to test lies above the lower bound.
            let beta = guess.clamp(least + 1, most);
            guess = self.bound(position, beta)?;
            if guess >= beta { least = guess } else { most = guess }
        }
        Ok(Score(least))
    }

    /// The value, if the rules or the table determine it.
    fn exact(&mut self, position: &Position<N>) -> Result<Option<Score>, StoreError> {
        if let Some(score) = self.game().outcome(position) {
            return Ok(Some(score));
        }
        if self.floor.is_some_and(|floor| self.game().rank(position).level <= floor) {
            return self.chunks.value(self.numbered, position);
        }
        Ok(None)
    }

    /// A lower bound of the value that is at least `beta`, or an upper bound below it.
    fn bound(&mut self, position: &Position<N>, beta: i16) -> Result<i16, TableError> {
        self.count()?;
        let key = self.game().pack(position);
        let known = self.memory.get(key, self.limits_of(position));
        if known.least >= beta {
            return Ok(known.least);
        }
        if known.most < beta {
            return Ok(known.most);
        }
        let nodes = self.nodes;
        let first = self.candidates.len();
        let found = self.best_bound(position, beta, known, first);
        self.candidates.truncate(first);
        let (bound, best) = found?;
        let bounds = if bound >= beta {
            Bounds { least: bound, best: best.or(known.best), ..known }
        } else {
            Bounds { most: bound, ..known }
        };
        self.memory.put(key, bounds, self.nodes - nodes);
        Ok(bound)
    }

    /// Searches all moves, those first whose bounds are known without a search.
    fn best_bound(
        &mut self,
        position: &Position<N>,
        beta: i16,
        known: Bounds,
        first: usize,
    ) -> Result<(i16, Option<MoveId>), TableError> {
        let game = self.game();
        let mut candidates = std::mem::take(&mut self.candidates);
        game.edges(position, |edge| {
            let promise = promise(&edge, known.best);
            candidates.push(Candidate { edge, promise, known: self.known(&edge.to) });
        });
        self.candidates = candidates;
        let mut best = i16::MIN;
        let mut kept = first;
        for at in first..self.candidates.len() {
            let candidate = self.candidates[at];
            let edge = candidate.edge;
            let after = self.look_up(candidate.known)?;
            let (least, most) = match edge.turn {
                Turn::Keeps => (edge.gain.0 + after.least, edge.gain.0 + after.most),
                Turn::Passes => (edge.gain.0 - after.most, edge.gain.0 - after.least),
            };
            if least >= beta {
                return Ok((least, Some(edge.mv)));
            }
            if most < beta {
                best = best.max(most);
            } else {
                self.candidates[kept] = candidate;
                kept += 1;
            }
        }
        self.candidates.truncate(kept);
        self.candidates[first..].reverse();
        self.candidates[first..].sort_by_key(|candidate| -candidate.promise);
        for at in first..kept {
            let edge = self.candidates[at].edge;
            let worth = match edge.turn {
                Turn::Keeps => edge.gain.0 + self.bound(&edge.to, beta - edge.gain.0)?,
                Turn::Passes => edge.gain.0 - self.bound(&edge.to, edge.gain.0 - beta + 1)?,
            };
            best = best.max(worth);
            if best >= beta {
                return Ok((best, Some(edge.mv)));
            }
        }
        Ok((best, None))
    }

    /// Where the bounds of a position are that are known without a search. They are fetched.
    #[inline]
    fn known(&self, position: &Position<N>) -> Known {
        let game = self.game();
        if let Some(score) = game.outcome(position) {
            return Known::Value(score);
        }
        let units = game.rank(position).level;
        if self.floor.is_some_and(|floor| units <= floor)
            && let Some(spot) = self.chunks.spot(self.numbered, position)
        {
            return Known::Table(spot);
        }
        let key = game.pack(position);
        self.memory.fetch(key);
        Known::Memory { key, units: units as i16 }
    }

    /// The bounds of a position that are known without a search.
    #[inline]
    fn look_up(&mut self, known: Known) -> Result<Bounds, TableError> {
        let exactly = |Score(score)| Bounds { least: score, most: score, best: None };
        Ok(match known {
            Known::Value(score) => exactly(score),
            Known::Table(spot) => exactly(self.chunks.value_in(self.numbered.halves(), spot)?),
            Known::Memory { key, units } => {
                self.memory.get(key, Bounds { least: -units, most: units, best: None })
            }
        })
    }

    /// The bounds of any position with that many units.
    fn limits_of(&self, position: &Position<N>) -> Bounds {
        let units = self.game().rank(position).level as i16;
        Bounds { least: -units, most: units, best: None }
    }

    fn count(&mut self) -> Result<(), TableError> {
        self.nodes += 1;
        if self.nodes.is_multiple_of(NODES_BETWEEN) {
            self.progress.nodes = self.nodes;
            if (self.watch)(&self.progress) == Next::Stop {
                return Err(TableError::Stopped);
            }
        }
        Ok(())
    }

    /// Best play from a position of known value. It always takes the first of the best moves.
    pub(super) fn line(
        &mut self,
        start: &Position<N>,
        score: Score,
    ) -> Result<Vec<Step<Position<N>>>, TableError> {
        let (mut position, mut score) = (*start, score);
        let mut line = Vec::new();
        while self.game().outcome(&position).is_none() {
            let Some(edge) = self.first_best(&position, score)? else { break };
            let verdict = Verdict { score, best: Some(edge.mv), remoteness: None };
            line.push(Step { position, verdict, edge });
            score = match edge.turn {
                Turn::Keeps => Score(score.0 - edge.gain.0),
                Turn::Passes => Score(edge.gain.0 - score.0),
            };
            position = edge.to;
        }
        Ok(line)
    }

    /// The first move that is worth as much as the position.
    pub(super) fn first_best(
        &mut self,
        position: &Position<N>,
        score: Score,
    ) -> Result<Option<Edge<Position<N>>>, TableError> {
        let mut edges = Vec::new();
        self.game().edges(position, |edge| edges.push(edge));
        for edge in edges {
            let reached = match (self.exact(&edge.to)?, edge.turn) {
                (Some(after), _) => edge.worth(after) == i32::from(score.0),
                (None, Turn::Keeps) => {
                    let beta = score.0 - edge.gain.0;
                    self.bound(&edge.to, beta)? >= beta
                }
                (None, Turn::Passes) => {
                    let beta = edge.gain.0 - score.0 + 1;
                    self.bound(&edge.to, beta)? < beta
                }
            };
            if reached {
                return Ok(Some(edge));
            }
        }
        Ok(None)
    }
}

/// The order of moves: the previous best move, then extra turns, then large gains.
fn promise<P>(edge: &Edge<P>, best: Option<MoveId>) -> i32 {
    let again = match edge.turn {
        Turn::Keeps => 1 << 10,
        Turn::Passes => 0,
    };
    let before = if best == Some(edge.mv) { 1 << 20 } else { 0 };
    before + again + i32::from(edge.gain.0)
}
