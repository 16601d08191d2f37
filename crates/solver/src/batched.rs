//! Games that answer for many positions at a time.

use std::sync::{Arc, Mutex, PoisonError};

use game::{Best, Edge, Key, MoveId, Rank, Score, Turn, Verdict};
use rayon::prelude::*;

use crate::{
    solvable::{Solvable, TOO_DEEP, narrow},
    store::{Found, Row},
    values::Values,
    work::SolveError,
};

/// A two-player zero-sum game that always ends, whose rules take an array of positions at a time.
///
/// It is what [`game::Game`] is, for rules that are quick for arrays and slow for single positions,
/// such as rules in Python. Positions are their keys, each seen from the side to move. A position
/// without moves is the end of a game.
///
/// The error of a function is what [`SolveError::Rules`] says.
pub trait Batch: Sync {
    /// The name of the game, with everything that its positions and values depend on.
    fn name(&self) -> String;

    /// The number of low bits that a key uses.
    fn key_bits(&self) -> u32;

    /// The position before the first move.
    fn start(&self) -> Key;

    /// The rank of each position. Every move leads to a strictly lower rank.
    fn ranks(&self, keys: &[Key]) -> Result<Vec<Rank>, String>;

    /// The moves of the positions, those of a position always in the same order: of moves that are
    /// equal in value and remoteness the first is the best.
    fn edges(&self, keys: &[Key]) -> Result<Edges, String>;

    /// The points that the side to move gets at the end of the game, in each of some positions
    /// without moves.
    fn outcomes(&self, keys: &[Key]) -> Result<Vec<Score>, String>;
}

/// The moves of some positions, an entry for each move.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Edges {
    /// The place of the position in the array that was asked about.
    pub parents: Vec<u32>,
    /// The moves.
    pub moves: Vec<MoveId>,
    /// The positions after them, seen from the side that moves next.
    pub to: Vec<Key>,
    /// The points that the mover scores. Empty if no move scores.
    pub gains: Vec<Score>,
    /// Who moves next. Empty if every move passes the turn.
    pub turns: Vec<Turn>,
}

impl Edges {
    /// The number of moves.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there are no moves.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// One of the moves.
    pub fn get(&self, at: usize) -> Edge<Key> {
        Edge {
            mv: self.moves[at],
            to: self.to[at],
            gain: self.gains.get(at).copied().unwrap_or_default(),
            turn: self.turns.get(at).copied().unwrap_or(Turn::Passes),
        }
    }

    /// What is wrong with these moves of so many positions.
    fn fault(&self, positions: usize) -> Option<String> {
        let moves = self.parents.len();
        let others = [
            ("moves", self.moves.len(), false),
            ("keys", self.to.len(), false),
            ("gains", self.gains.len(), true),
            ("turns", self.turns.len(), true),
        ];
        for (what, count, may_be_empty) in others {
            if count != moves && !(may_be_empty && count == 0) {
                return Some(format!("{moves} parents, but {count} {what}"));
            }
        }
        let beyond = self.parents.iter().find(|&&parent| parent as usize >= positions)?;
        Some(format!("parent {beyond} of {positions} positions, which are counted from 0"))
    }
}

/// A [`Batch`] for the solver.
pub struct Batched<B> {
    game: B,
    /// The positions that were asked about last: values that are fetched are asked for once before
    /// and once after.
    last: Mutex<Option<Arc<Expanded>>>,
}

/// Positions with their moves.
struct Expanded {
    keys: Vec<Key>,
    edges: Edges,
    /// The successors, sorted and without duplicates.
    successors: Vec<Key>,
    ranks: Vec<Rank>,
    /// For each move the place of its successor.
    places: Vec<u32>,
}

/// Positions of a batch about which the game is asked twice.
const ASKED_TWICE: usize = 16;

impl<B: Batch> Batched<B> {
    /// A game for the solver.
    pub fn new(game: B) -> Batched<B> {
        Batched { game, last: Mutex::new(None) }
    }

    /// The game.
    pub fn game(&self) -> &B {
        &self.game
    }

    /// The ranks of some positions.
    pub fn ranks(&self, keys: &[Key]) -> Result<Vec<Rank>, SolveError> {
        let ranks = self.game.ranks(keys).map_err(|cause| self.failed(cause))?;
        self.check_count("ranks", keys.len(), ranks.len())?;
        Ok(ranks)
    }

    /// The moves of some positions.
    pub fn edges(&self, keys: &[Key]) -> Result<Edges, SolveError> {
        let edges = self.game.edges(keys).map_err(|cause| self.failed(cause))?;
        match edges.fault(keys.len()) {
            Some(fault) => Err(self.failed(fault)),
            None => Ok(edges),
        }
    }

    /// The points of some positions without moves.
    fn outcomes(&self, keys: &[Key]) -> Result<Vec<Score>, SolveError> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let scores = self.game.outcomes(keys).map_err(|cause| self.failed(cause))?;
        self.check_count("values", keys.len(), scores.len())?;
        Ok(scores)
    }

    fn failed(&self, cause: String) -> SolveError {
        SolveError::Rules { game: self.game.name(), cause }
    }

    fn check_count(&self, what: &str, asked: usize, given: usize) -> Result<(), SolveError> {
        if asked == given {
            return Ok(());
        }
        Err(self.failed(format!("{given} {what} for {asked} positions")))
    }

    fn expand(&self, keys: &[Key]) -> Result<Arc<Expanded>, SolveError> {
        // The lock is not held while the game answers: its rules may themselves look something up.
        let last = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = last().as_ref().filter(|last| last.keys == keys) {
            return Ok(last.clone());
        }
        let edges = self.edges(keys)?;
        let mut order: Vec<_> = edges.to.iter().copied().zip(0_u32..).collect();
        order.par_sort_unstable();
        let (mut successors, mut places) = (Vec::new(), vec![0; order.len()]);
        for (key, at) in order {
            if successors.last() != Some(&key) {
                successors.push(narrow(self, key)?);
            }
            places[at as usize] = (successors.len() - 1) as u32;
        }
        let ranks = if successors.is_empty() { Vec::new() } else { self.ranks(&successors)? };
        let keys = keys.to_vec();
        let expanded = Arc::new(Expanded { keys, edges, successors, ranks, places });
        *last() = Some(expanded.clone());
        Ok(expanded)
    }

    /// Asks again about a few positions of a rank, in another order: answers that depend on anything
    /// but the key would make the result depend on it, too.
    fn ask_twice(&self, rank: Rank, expanded: &Expanded) -> Result<(), SolveError> {
        let stride = expanded.keys.len().div_ceil(ASKED_TWICE).max(1);
        let chosen: Vec<usize> = (0..expanded.keys.len()).step_by(stride).rev().collect();
        let keys: Vec<Key> = chosen.iter().map(|&at| expanded.keys[at]).collect();
        let unsteady = |key: Key, what| {
            Err(SolveError::Unsteady { rank, key: key.0, what, game: self.game.name() })
        };
        for (&key, again) in keys.iter().zip(self.ranks(&keys)?) {
            if again != rank {
                return unsteady(key, "rank");
            }
        }
        let again = self.edges(&keys)?;
        let mut moves_before = vec![Vec::new(); keys.len()];
        let mut moves_again = moves_before.clone();
        for at in 0..again.len() {
            moves_again[again.parents[at] as usize].push(again.get(at));
        }
        for at in 0..expanded.edges.len() {
            let parent = expanded.edges.parents[at] as usize;
            if parent.is_multiple_of(stride) {
                moves_before[keys.len() - 1 - parent / stride].push(expanded.edges.get(at));
            }
        }
        match (0..keys.len()).find(|&at| moves_before[at] != moves_again[at]) {
            Some(at) => unsteady(keys[at], "moves"),
            None => Ok(()),
        }
    }
}

impl<B: Batch> Solvable for Batched<B> {
    fn name(&self) -> String {
        self.game.name()
    }

    fn key_bits(&self) -> u32 {
        self.game.key_bits()
    }

    fn first(&self) -> Result<(Rank, Key), SolveError> {
        let key = narrow(self, self.game.start())?;
        Ok((self.ranks(&[key])?[0], key))
    }

    fn successors(
        &self,
        rank: Rank,
        positions: &[Found],
    ) -> Result<Vec<Vec<(Rank, Found)>>, SolveError> {
        if let Some(deep) = positions.iter().find(|found| found.depth == TOO_DEEP) {
            return Err(SolveError::Deep { rank, key: deep.key.0 });
        }
        let keys: Vec<Key> = positions.iter().map(|found| found.key).collect();
        let expanded = self.expand(&keys)?;
        self.ask_twice(rank, &expanded)?;
        let Expanded { edges, successors, ranks, places, .. } = &*expanded;
        let mut depths = vec![TOO_DEEP; successors.len()];
        for (&place, &parent) in places.iter().zip(&edges.parents) {
            let (place, parent) = (place as usize, &positions[parent as usize]);
            if ranks[place] >= rank {
                let (key, to) = (parent.key.0, ranks[place]);
                return Err(SolveError::Rising { key, from: rank, to });
            }
            depths[place] = depths[place].min(parent.depth + 1);
        }
        let found = successors.iter().zip(ranks).zip(depths);
        let mut found: Vec<_> =
            found.map(|((&key, &rank), depth)| (rank, Found { key, depth })).collect();
        found.par_sort_unstable();
        Ok(vec![found])
    }

    fn wanted(&self, keys: &[Key], values: &Values) -> Result<Vec<(Rank, Key)>, SolveError> {
        let expanded = self.expand(keys)?;
        let all = expanded.ranks.iter().copied().zip(expanded.successors.iter().copied());
        let mut wanted: Vec<_> = all.filter(|(rank, _)| values.must_fetch(*rank)).collect();
        wanted.par_sort_unstable();
        Ok(wanted)
    }

    fn verdicts(
        &self,
        rank: Rank,
        keys: &[Key],
        values: &Values,
    ) -> Result<Vec<Result<Verdict, SolveError>>, SolveError> {
        let expanded = self.expand(keys)?;
        let Expanded { edges, successors, ranks, places, .. } = &*expanded;
        let known = ranks.par_iter().zip(successors);
        let known: Vec<_> = known.map(|(&rank, &key)| values.get(rank, key)).collect();
        let mut best: Vec<Option<Best>> = vec![None; keys.len()];
        let mut holes: Vec<Option<u32>> = vec![None; keys.len()];
        for (at, &place) in places.iter().enumerate() {
            let parent = edges.parents[at] as usize;
            let Some(after) = known[place as usize] else {
                holes[parent] = Some(place);
                continue;
            };
            best[parent] = Some(Best::of(best[parent], &edges.get(at), after));
        }
        let ended = |at: &usize| best[*at].is_none() && holes[*at].is_none();
        let ended: Vec<usize> = (0..keys.len()).filter(ended).collect();
        let finished: Vec<Key> = ended.iter().map(|&at| keys[at]).collect();
        let mut outcomes = vec![None; keys.len()];
        for (at, score) in ended.into_iter().zip(self.outcomes(&finished)?) {
            outcomes[at] = Some(score);
        }
        let verdict = |at: usize| match (outcomes[at], holes[at], best[at]) {
            (Some(score), ..) => Ok(Verdict::over(score)),
            (None, None, Some(best)) => {
                let verdict = best.verdict();
                verdict.map_err(|error| SolveError::Score { rank, key: keys[at].0, error })
            }
            (None, hole, _) => {
                let place = hole.expect("a position without a value has no outcome") as usize;
                Err(SolveError::Hole { rank: ranks[place], key: successors[place].0 })
            }
        };
        Ok((0..keys.len()).map(verdict).collect())
    }

    fn belong(&self, rows: &[Row]) -> Result<Vec<bool>, SolveError> {
        let keys: Vec<Key> = rows.iter().map(|row| row.key).collect();
        let ranks = self.ranks(&keys)?.into_iter().zip(rows);
        Ok(ranks.map(|(rank, row)| rank == row.rank).collect())
    }
}
