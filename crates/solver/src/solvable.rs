//! What the passes ask of a game: everything in batches of keys.

use game::{Game, Key, Rank, Score, Turn, Verdict, judge};
use rayon::prelude::*;

use crate::{
    store::{Found, Row},
    values::Values,
    work::SolveError,
};

/// A game that can be solved: every [`Game`], and a game that answers for many positions at a time,
/// [`crate::Batched`].
pub trait Solvable: Sync {
    /// The name of the game, as in [`Game::name`].
    fn name(&self) -> String;

    /// The number of low bits that a key uses, as in [`Game::key_bits`].
    fn key_bits(&self) -> u32;

    /// The position before the first move.
    fn first(&self) -> Result<(Rank, Key), SolveError>;

    /// The successors of some positions of a rank, in parts. Each part is sorted by rank and key and
    /// has no duplicates.
    fn successors(
        &self,
        rank: Rank,
        positions: &[Found],
    ) -> Result<Vec<Vec<(Rank, Found)>>, SolveError>;

    /// The successors of these positions whose values are not cached, sorted and without
    /// duplicates.
    fn wanted(&self, keys: &[Key], values: &Values) -> Result<Vec<(Rank, Key)>, SolveError>;

    /// The verdicts on these positions of a rank from the values of their successors.
    fn verdicts(
        &self,
        rank: Rank,
        keys: &[Key],
        values: &Values,
    ) -> Result<Vec<Result<Verdict, SolveError>>, SolveError>;

    /// Whether each of these rows is a position of the game and has its rank.
    fn belong(&self, rows: &[Row]) -> Result<Vec<bool>, SolveError>;
}

/// Positions that a thread expands at once. Their successors stay in the cache while they are sorted
/// by rank.
pub(crate) const CHUNK: usize = 1 << 12;

/// Positions of a chunk about whose successors the game is asked twice. Each costs as much as
/// expanding a dozen others.
pub(crate) const ASKED_TWICE: usize = 2;

/// The depth of a position that is farther from the start than a depth can hold. Until its rank is
/// explored, a shorter path may still be found.
pub(crate) const TOO_DEEP: u16 = u16::MAX;

impl<G: Game> Solvable for G {
    fn name(&self) -> String {
        Game::name(self)
    }

    fn key_bits(&self) -> u32 {
        Game::key_bits(self)
    }

    fn first(&self) -> Result<(Rank, Key), SolveError> {
        let start = self.start();
        Ok((self.rank(&start), narrow(self, self.pack(&start))?))
    }

    fn successors(
        &self,
        rank: Rank,
        positions: &[Found],
    ) -> Result<Vec<Vec<(Rank, Found)>>, SolveError> {
        positions.par_chunks(CHUNK).map(|chunk| children(self, rank, chunk)).collect()
    }

    fn wanted(&self, keys: &[Key], values: &Values) -> Result<Vec<(Rank, Key)>, SolveError> {
        let chunks = keys.par_chunks(CHUNK).map(|keys| {
            let mut wanted = Vec::new();
            for key in keys {
                let position = self.unpack(*key).ok_or_else(|| foreign(self, *key))?;
                if self.outcome(&position).is_none() {
                    self.edges(&position, |edge| {
                        let rank = self.rank(&edge.to);
                        if values.must_fetch(rank) {
                            wanted.push((rank, self.pack(&edge.to)));
                        }
                    });
                }
            }
            Ok(wanted)
        });
        let mut wanted = chunks.collect::<Result<Vec<_>, SolveError>>()?.concat();
        wanted.par_sort_unstable();
        wanted.dedup();
        Ok(wanted)
    }

    fn verdicts(
        &self,
        _: Rank,
        keys: &[Key],
        values: &Values,
    ) -> Result<Vec<Result<Verdict, SolveError>>, SolveError> {
        let verdicts = keys.par_iter().with_min_len(512).map(|key| verdict(self, *key, values));
        Ok(verdicts.collect())
    }

    fn belong(&self, rows: &[Row]) -> Result<Vec<bool>, SolveError> {
        let belongs = |row: &Row| {
            self.unpack(row.key).is_some_and(|position| self.rank(&position) == row.rank)
        };
        Ok(rows.iter().map(belongs).collect())
    }
}

/// The successors of positions of one rank, sorted by rank and key, without duplicates.
fn children<G: Game>(
    game: &G,
    rank: Rank,
    positions: &[Found],
) -> Result<Vec<(Rank, Found)>, SolveError> {
    let mut children = Vec::with_capacity(4 * positions.len());
    let mut broken = None;
    let stride = positions.len().div_ceil(ASKED_TWICE).max(1);
    for (at, found) in positions.iter().enumerate() {
        if found.depth == TOO_DEEP {
            return Err(SolveError::Deep { rank, key: found.key.0 });
        }
        let position = game.unpack(found.key).ok_or_else(|| foreign(game, found.key))?;
        if game.outcome(&position).is_some() {
            continue;
        }
        let depth = found.depth + 1;
        if at.is_multiple_of(stride) {
            ask_twice(game, &position)?;
        }
        game.edges(&position, |edge| {
            let to = game.rank(&edge.to);
            if to >= rank {
                broken = Some(SolveError::Rising { key: found.key.0, from: rank, to });
            }
            match narrow(game, game.pack(&edge.to)) {
                Ok(key) => children.push((to, Found { key, depth })),
                Err(error) => broken = Some(error),
            }
        });
    }
    if let Some(broken) = broken {
        return Err(broken);
    }
    children.sort_unstable();
    children.dedup_by_key(|(rank, found)| (*rank, found.key));
    Ok(children)
}

/// Asks about the successors of a position as the moves return them and as their keys do: answers
/// that differ depend on something that is not in the key, and the value would depend on it, too.
pub(crate) fn ask_twice<G: Game>(game: &G, position: &G::Position) -> Result<(), SolveError> {
    let mut unsteady = None;
    game.edges(position, |edge| {
        let (rank, key) = (game.rank(&edge.to), game.pack(&edge.to));
        // A key that is no position is found when it is its turn.
        let Some(again) = game.unpack(key) else { return };
        let what = if game.rank(&again) != rank {
            "rank"
        } else if game.outcome(&again) != game.outcome(&edge.to) {
            "outcome"
        } else if moves(game, &again) != moves(game, &edge.to) {
            "moves"
        } else {
            return;
        };
        let game = Game::name(game);
        unsteady.get_or_insert(SolveError::Unsteady { rank, key: key.0, what, game });
    });
    unsteady.map_or(Ok(()), Err)
}

/// The moves of a position with their effects.
fn moves<G: Game>(game: &G, position: &G::Position) -> Vec<(u16, Key, Score, Turn)> {
    let mut moves = Vec::new();
    if game.outcome(position).is_none() {
        game.edges(position, |edge| {
            moves.push((edge.mv.0, game.pack(&edge.to), edge.gain, edge.turn));
        });
    }
    moves
}

/// The verdict on a position from the values of its successors.
fn verdict<G: Game>(game: &G, key: Key, values: &Values) -> Result<Verdict, SolveError> {
    let position = game.unpack(key).ok_or_else(|| foreign(game, key))?;
    let mut hole = None;
    let verdict = judge(game, &position, |to| {
        let (rank, key) = (game.rank(to), game.pack(to));
        let value = values.get(rank, key);
        if value.is_none() {
            hole = Some(SolveError::Hole { rank, key: key.0 });
        }
        value
    });
    let (rank, key) = (game.rank(&position), key.0);
    let verdict = verdict.map_err(|error| SolveError::Score { rank, key, error })?;
    verdict.ok_or_else(|| hole.unwrap_or(SolveError::Hole { rank, key }))
}

/// The key, if it has no more bits than the game declares. A store would truncate it and confuse
/// the position with another.
pub(crate) fn narrow<G: Solvable>(game: &G, key: Key) -> Result<Key, SolveError> {
    let bits = game.key_bits();
    match key.0.checked_shr(bits).unwrap_or(0) {
        0 => Ok(key),
        _ => Err(SolveError::Wide { key: key.0, bits, game: game.name() }),
    }
}

fn foreign<G: Game>(game: &G, key: Key) -> SolveError {
    SolveError::Foreign { key: key.0, game: Game::name(game) }
}
