//! The interface between a game and a solver: the trait [`Game`] and its types.
//!
//! A solver enumerates every reachable position and then computes the value of each, the last
//! positions first. For that it needs the start position, the moves, the end of the game, and an
//! order in which positions can be computed. It needs to know nothing about pieces, pits or boards.
//! There is no hash: a [`Key`] is the position itself.
//!
//! # A game in full
//!
//! Take one, two or three stones. Whoever takes the last stone gets a point.
//!
//! ```
//! use game::{Edge, Game, Key, MoveId, Rank, Score, Turn};
//!
//! struct Nim {
//!     stones: u8,
//! }
//!
//! impl Game for Nim {
//!     type Position = u8;
//!
//!     fn name(&self) -> String {
//!         format!("nim stones={}", self.stones)
//!     }
//!     fn key_bits(&self) -> u32 {
//!         8
//!     }
//!     fn start(&self) -> u8 {
//!         self.stones
//!     }
//!     // Stones only disappear.
//!     fn rank(&self, stones: &u8) -> Rank {
//!         Rank { level: u16::from(*stones), step: 0 }
//!     }
//!     // With none left, the other side has just taken the last one.
//!     fn outcome(&self, stones: &u8) -> Option<Score> {
//!         (*stones == 0).then_some(Score(-1))
//!     }
//!     fn edges(&self, stones: &u8, mut visit: impl FnMut(Edge<u8>)) {
//!         for taken in 1..=3.min(*stones) {
//!             let mv = MoveId(u16::from(taken));
//!             let to = stones - taken;
//!             visit(Edge { mv, to, gain: Score(0), turn: Turn::Passes });
//!         }
//!     }
//!     fn pack(&self, stones: &u8) -> Key {
//!         Key(u128::from(*stones))
//!     }
//!     fn unpack(&self, key: Key) -> Option<u8> {
//!         u8::try_from(key.0).ok().filter(|stones| *stones <= self.stones)
//!     }
//! }
//!
//! let nim = Nim { stones: 21 };
//! assert!(nim.outcome(&nim.start()).is_none());
//! ```
//!
//! This is everything that a game needs; the crate `solver` does the rest. A game of the mancala
//! family can also be computed into dense tables, if it defines how its positions are numbered:
//! [`Numbered`] and [`Dense`].
//!
//! # What it does not do
//!
//! It does not support chance, hidden information, or positions that can repeat. Every move must
//! lower the rank. A game with cycles needs something that decreases as part of the position, such
//! as the number of plies left.

mod dense;

use std::fmt;

pub use dense::{Cell, Dense, Given, Half, Mover, Numbered, Sheet, View};

/// A two-player zero-sum game that always ends. Every position is seen from the side to move.
pub trait Game: Sync {
    /// A position, without the points scored so far. Points belong to edges, so positions that
    /// differ only in the points scored are the same position.
    type Position: Copy + Send + Sync;

    /// The name of the game, with everything that its positions and values depend on, such as
    /// `kalah pits=4 seeds=3 rules=std_either`. A store keeps the name and cannot be opened for
    /// another game.
    fn name(&self) -> String;

    /// The number of low bits that a key uses, all of them unless the game says otherwise. Keys of
    /// up to 63 bits fit the signed integers of databases.
    fn key_bits(&self) -> u32 {
        u128::BITS
    }

    /// The position before the first move.
    fn start(&self) -> Self::Position;

    /// The place of the position in the order of work. Every move leads to a strictly lower rank.
    fn rank(&self, position: &Self::Position) -> Rank;

    /// If the game is over, the points that the side to move gets now (negative if the other side
    /// gets them).
    fn outcome(&self, position: &Self::Position) -> Option<Score>;

    /// Calls `visit` for every move, always in the same order: of moves that are equal in value and
    /// remoteness the first is the best. There is at least one move if [`Game::outcome`] is `None`.
    fn edges(&self, position: &Self::Position, visit: impl FnMut(Edge<Self::Position>));

    /// The position as a number. Different positions have different keys.
    fn pack(&self, position: &Self::Position) -> Key;

    /// The position of a key, or `None` if there is no such position in this game.
    fn unpack(&self, key: Key) -> Option<Self::Position>;

    /// A number that no move changes unless it changes the level. Several machines can then work on
    /// the positions of a level, each on those with other numbers. The same number for all is
    /// always right.
    fn region(&self, position: &Self::Position) -> u64 {
        let _ = position;
        0
    }
}

/// A packed position, not a hash: different positions have different keys.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Key(pub u128);

/// The place of a position in the order of work. Every move leads to a lower rank.
///
/// The level is a quantity that people count, such as the seeds in play in Kalah or the empty cells
/// of a board. The step orders positions within a level. It is 0 if every move changes the level.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Rank {
    /// The more significant part, which no move raises.
    pub level: u16,
    /// The less significant part, which decreases with every move that keeps the level.
    pub step: u16,
}

impl Rank {
    /// The highest rank there can be.
    pub const MAX: Rank = Rank { level: u16::MAX, step: u16::MAX };

    /// Level and step as one number, in the same order.
    pub const fn to_u32(self) -> u32 {
        (self.level as u32) << 16 | self.step as u32
    }

    /// The rank of a number from [`Rank::to_u32`].
    pub const fn from_u32(number: u32) -> Rank {
        Rank { level: (number >> 16) as u16, step: number as u16 }
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.level, self.step)
    }
}

/// Points from the view of the side to move: positive is good for it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Score(pub i16);

impl Score {
    /// The score of a number of points, if it fits 16 bits.
    pub fn new(points: i32) -> Result<Score, ScoreError> {
        points.try_into().map(Score).map_err(|_| ScoreError(points))
    }
}

/// The error for points that do not fit a [`Score`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a score of {0} does not fit; scores go from {min} to {max}", min = i16::MIN, max = i16::MAX)]
pub struct ScoreError(pub i32);

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 > 0 { write!(f, "+{}", self.0) } else { write!(f, "{}", self.0) }
    }
}

/// A move of a position. The game chooses the numbers of its moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MoveId(pub u16);

/// Who moves after a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Turn {
    /// The same side moves again.
    Keeps,
    /// The other side moves.
    Passes,
}

/// A move and its effect.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Edge<P> {
    /// The move.
    pub mv: MoveId,
    /// The position after it, seen from the side that moves next.
    pub to: P,
    /// The points that the mover scores with this move.
    pub gain: Score,
    /// Who moves next.
    pub turn: Turn,
}

impl<P> Edge<P> {
    /// The value of the move for the mover, if the next position has the value `after` for the side
    /// that moves there. Points add up, so this may not fit a [`Score`].
    pub fn worth(&self, after: Score) -> i32 {
        match self.turn {
            Turn::Keeps => i32::from(self.gain.0) + i32::from(after.0),
            Turn::Passes => i32::from(self.gain.0) - i32::from(after.0),
        }
    }
}

/// The value and the best move of a solved position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Verdict {
    /// The value: with best play, the points that the side to move will still score less those of
    /// the other side.
    pub score: Score,
    /// The best move; `None` if the game is over. Of the moves with the best value it is the first
    /// with the best remoteness, or the first of all where remoteness is unknown.
    pub best: Option<MoveId>,
    /// The plies to the end of the game with best play, if they are known: the side to move takes
    /// the shortest way if its value is positive or 0, the longest if it is negative.
    pub remoteness: Option<u16>,
}

impl Verdict {
    /// The verdict on a position in which the game is over.
    pub const fn over(score: Score) -> Verdict {
        Verdict { score, best: None, remoteness: Some(0) }
    }
}

/// What the verdict on a position needs to know of a successor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Value {
    /// The value, for the side that moves there.
    pub score: Score,
    /// The plies to the end, [`Verdict::remoteness`].
    pub remoteness: Option<u16>,
}

impl From<Score> for Value {
    fn from(score: Score) -> Value {
        Value { score, remoteness: None }
    }
}

impl From<Verdict> for Value {
    fn from(Verdict { score, remoteness, .. }: Verdict) -> Value {
        Value { score, remoteness }
    }
}

/// The best of the moves that were compared so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Best {
    worth: i32,
    /// The first move of this worth, which is the best one if remoteness is unknown.
    first: MoveId,
    mv: MoveId,
    /// The plies to the end after the move.
    after: Option<u16>,
}

impl Best {
    /// The better of the moves so far and one more.
    #[inline]
    pub fn of<P>(so_far: Option<Best>, edge: &Edge<P>, after: Value) -> Best {
        let worth = edge.worth(after.score);
        let new = Best { worth, first: edge.mv, mv: edge.mv, after: after.remoteness };
        match so_far {
            Some(best) if best.worth > worth => best,
            Some(best) if best.worth == worth => match (best.after, after.remoteness) {
                (Some(old), Some(plies)) => {
                    let is_better = if worth < 0 { plies > old } else { plies < old };
                    let first = best.first;
                    if is_better { Best { first, ..new } } else { best }
                }
                _ => Best { mv: best.first, after: None, ..best },
            },
            _ => new,
        }
    }

    /// The verdict on a position whose moves were all compared.
    ///
    /// # Errors
    ///
    /// If a number of the verdict does not fit 16 bits.
    pub fn verdict(self) -> Result<Verdict, VerdictError> {
        let score = Score::new(self.worth)?;
        let farther = |after: u16| after.checked_add(1).ok_or(VerdictError::Far);
        let remoteness = self.after.map(farther).transpose()?;
        Ok(Verdict { score, best: Some(self.mv), remoteness })
    }
}

/// The error for a verdict with a number that does not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum VerdictError {
    /// The value does not fit.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// The remoteness does not fit.
    #[error("with best play the end is more than {max} plies away", max = u16::MAX)]
    Far,
}

/// The verdict on a position. `value` returns the value of a successor, for the side that moves
/// there, with or without its remoteness. The verdict is `None` if one of these values is unknown.
///
/// # Errors
///
/// If the value does not fit a [`Score`], or the remoteness does not fit 16 bits.
pub fn judge<G: Game, V: Into<Value>>(
    game: &G,
    position: &G::Position,
    mut value: impl FnMut(&G::Position) -> Option<V>,
) -> Result<Option<Verdict>, VerdictError> {
    if let Some(score) = game.outcome(position) {
        return Ok(Some(Verdict::over(score)));
    }
    let mut best = None;
    let mut complete = true;
    game.edges(position, |edge| match value(&edge.to) {
        Some(after) => best = Some(Best::of(best, &edge, after.into())),
        None => complete = false,
    });
    best.filter(|_| complete).map(Best::verdict).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_in_one_number_keeps_its_order() {
        let ranks = [(0, 0), (0, 9), (1, 0), (1, u16::MAX), (2, 3), (u16::MAX, u16::MAX)];
        let ranks = ranks.map(|(level, step)| Rank { level, step });
        assert!(ranks.is_sorted_by_key(|rank| rank.to_u32()));
        assert!(ranks.iter().all(|rank| Rank::from_u32(rank.to_u32()) == *rank));
    }

    #[test]
    fn points_turn_over_with_the_turn() {
        let edge = |turn| Edge { mv: MoveId(0), to: (), gain: Score(3), turn };
        assert_eq!(edge(Turn::Keeps).worth(Score(5)), 8);
        assert_eq!(edge(Turn::Passes).worth(Score(5)), -2);
    }

    #[test]
    fn who_is_ahead_hurries_and_who_is_behind_waits() {
        let best = |moves: &[(u16, i16, Option<u16>)]| {
            let mut best = None;
            for &(mv, score, remoteness) in moves {
                let edge = Edge { mv: MoveId(mv), to: (), gain: Score(0), turn: Turn::Keeps };
                best = Some(Best::of(best, &edge, Value { score: Score(score), remoteness }));
            }
            let verdict = best.expect("a move").verdict()?;
            Ok((verdict.score.0, verdict.best.map(|mv| mv.0), verdict.remoteness))
        };
        let known = [(7, 2, Some(9)), (8, 3, Some(5)), (9, 3, Some(4)), (10, 3, Some(4))];
        assert_eq!(best(&known), Ok((3, Some(9), Some(5))));
        let behind = known.map(|(mv, score, plies)| (mv, score - 4, plies));
        assert_eq!(best(&behind), Ok((-1, Some(8), Some(6))));
        let even = known.map(|(mv, score, plies)| (mv, score - 3, plies));
        assert_eq!(best(&even), Ok((0, Some(9), Some(5))));
        // If it is not known how far one of the best moves leads, the first of them is taken.
        let partly = [(7, 2, None), (8, 3, Some(5)), (9, 3, Some(4)), (10, 3, None)];
        assert_eq!(best(&partly), Ok((3, Some(8), None)));
        assert_eq!(best(&[(1, 0, Some(u16::MAX))]), Err(VerdictError::Far));
    }

    #[test]
    fn a17_a_score_beyond_16_bits_is_refused_by_its_number() {
        let edge = |gain, turn| Edge { mv: MoveId(0), to: (), gain: Score(gain), turn };
        let cases = [
            (edge(i16::MAX, Turn::Keeps), 1, "a score of 32768 does not fit"),
            (edge(i16::MIN, Turn::Keeps), -1, "a score of -32769 does not fit"),
            (edge(0, Turn::Passes), i16::MIN, "a score of 32768 does not fit"),
            (edge(i16::MIN, Turn::Passes), i16::MAX, "a score of -65535 does not fit"),
        ];
        for (edge, after, refusal) in cases {
            let error = Score::new(edge.worth(Score(after))).unwrap_err().to_string();
            assert!(error.starts_with(refusal), "{error}");
        }
        assert_eq!(Score::new(i32::from(i16::MIN)), Ok(Score(i16::MIN)));
    }
}
