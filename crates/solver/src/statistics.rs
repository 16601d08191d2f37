//! Counts of positions by rank, level, depth, value and number of moves.

use std::collections::BTreeMap;

use game::{Game, Rank, Score};

use crate::{
    scans::every_row,
    store::{Store, StoreError},
};

/// A count of positions, divided by the sign of their value for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// All of them.
    pub positions: u64,
    /// Positions with a positive value.
    pub ahead: u64,
    /// Positions with the value 0.
    pub even: u64,
    /// Positions with a negative value.
    pub behind: u64,
    /// The sum of the values.
    pub total: i64,
}

impl Count {
    fn add(&mut self, score: Option<Score>) {
        self.positions += 1;
        if let Some(Score(score)) = score {
            self.ahead += u64::from(score > 0);
            self.even += u64::from(score == 0);
            self.behind += u64::from(score < 0);
            self.total += i64::from(score);
        }
    }

    /// The positions that have a value.
    pub fn settled(&self) -> u64 {
        self.ahead + self.even + self.behind
    }
}

/// Counts of a store's positions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// By rank.
    pub by_rank: BTreeMap<Rank, Count>,
    /// By level, such as the seeds in play.
    pub by_level: BTreeMap<u16, Count>,
    /// By the fewest moves from the start.
    pub by_depth: BTreeMap<u16, Count>,
    /// By value; positions without one are left out.
    pub by_score: BTreeMap<Score, Count>,
    /// By the number of moves; 0 if the game is over.
    pub by_moves: BTreeMap<u16, Count>,
}

/// Counts the positions of a store of this game.
pub fn statistics<G: Game>(game: &G, store: &mut dyn Store) -> Result<Statistics, StoreError> {
    let mut statistics = Statistics::default();
    every_row(store, &mut |row| {
        let score = row.verdict.map(|verdict| verdict.score);
        statistics.by_rank.entry(row.rank).or_default().add(score);
        statistics.by_depth.entry(row.depth).or_default().add(score);
        if let Some(position) = game.unpack(row.key) {
            let mut moves = 0;
            if game.outcome(&position).is_none() {
                game.edges(&position, |_| moves += 1);
            }
            statistics.by_moves.entry(moves).or_default().add(score);
        }
        if let Some(score) = score {
            statistics.by_score.entry(score).or_default().add(Some(score));
        }
    })?;
    for (rank, count) in &statistics.by_rank {
        let level = statistics.by_level.entry(rank.level).or_default();
        level.positions += count.positions;
        level.ahead += count.ahead;
        level.even += count.even;
        level.behind += count.behind;
        level.total += count.total;
    }
    Ok(statistics)
}
