//! The store of a solved game.

use std::ops::ControlFlow;

use game::{Edge, Game, Rank, Score, Verdict};
use solver::{Access, Header, Row, Stage, Step, Store, StoreError};

use crate::{
    Notation,
    exit::{bad_command, bad_input},
};

/// The flag that names a store.
#[derive(Clone, Debug, clap::Args)]
pub struct Stored {
    /// Store of a solved game, such as sqlite:FILE or postgres://HOST/DATABASE
    #[arg(long, value_name = "URL")]
    pub store: String,
}

impl Stored {
    /// Opens the store for reading.
    pub fn open<G: Notation>(&self) -> anyhow::Result<Solved<G>> {
        Solved::open(&self.store)
    }

    /// Opens the store of a solved game for writing.
    pub fn open_to_write(&self, game: &impl Game) -> anyhow::Result<Box<dyn Store>> {
        stores::open(&self.store, Access::Resume(Header::of(game))).map_err(refused)
    }
}

/// A solved game in a store.
pub struct Solved<G> {
    /// The game.
    pub game: G,
    /// Its positions.
    pub store: Box<dyn Store>,
}

/// A move and its value for the mover.
pub struct Worth<P> {
    /// The move.
    pub edge: Edge<P>,
    /// With best play after the move, the points of the mover less those of the opponent.
    pub value: Score,
    /// The plies to the end with best play, this move included, if the store has them.
    pub remoteness: Option<u32>,
}

impl<G: Notation> Solved<G> {
    /// Opens the store that a URL names, for reading.
    pub fn open(url: &str) -> anyhow::Result<Solved<G>> {
        let store = stores::open(url, Access::Read).map_err(refused)?;
        let name = &store.state().header.game;
        let Some(game) = G::named(name) else {
            let place = stores::shown(url);
            return Err(bad_input(format_args!("{place}: '{name}' is not a game of this program")));
        };
        Ok(Solved { game, store })
    }

    /// Returns an error if the game is not completely solved.
    pub fn check_finished(&self) -> anyhow::Result<()> {
        match self.store.state().stage {
            Stage::Solved => Ok(()),
            _ => Err(unsolved(&self.game)),
        }
    }

    /// Reads a position of the game.
    pub fn position(&self, text: &str) -> anyhow::Result<G::Position> {
        let refused = |what| bad_input(format_args!("position '{text}': {what}"));
        let position = self.game.read(text).map_err(refused)?;
        let is_known = self.game.unpack(self.game.pack(&position)).is_some();
        let other = || refused(format!("not a position of {}", self.game.name()));
        is_known.then_some(position).ok_or_else(other)
    }

    /// Reads a position of the game; the start position if there is no text.
    pub fn position_or_start(&self, text: Option<&str>) -> anyhow::Result<G::Position> {
        text.map_or_else(|| Ok(self.game.start()), |text| self.position(text))
    }

    /// The value and the best move of a position.
    pub fn verdict(&mut self, position: &G::Position) -> anyhow::Result<Verdict> {
        verdict(&self.game, &mut *self.store, position)
    }

    /// The moves of a position in their order, each with its value; none if the game is over.
    pub fn moves(&mut self, position: &G::Position) -> anyhow::Result<Vec<Worth<G::Position>>> {
        let mut edges = Vec::new();
        if self.game.outcome(position).is_none() {
            self.game.edges(position, |edge| edges.push(edge));
        }
        let worth = |edge: Edge<G::Position>| {
            let after = self.verdict(&edge.to)?;
            let remoteness = after.remoteness.map(|plies| u32::from(plies) + 1);
            Ok(Worth { edge, value: Score::new(edge.worth(after.score))?, remoteness })
        };
        edges.into_iter().map(worth).collect()
    }

    /// Best play from a position to the end.
    pub fn line(&mut self, position: &G::Position) -> anyhow::Result<Vec<Step<G::Position>>> {
        // Looked up first, so that an unknown position is an error even if the game is over.
        self.verdict(position)?;
        let Solved { game, store } = self;
        solver::line(game, position, |position| verdict(game, &mut **store, position))
    }

    /// Passes every row of the store to `take`, ordered by rank and key, until `take` breaks.
    pub fn each_row(
        &mut self,
        mut take: impl FnMut(&G, &G::Position, &Row) -> ControlFlow<()>,
    ) -> anyhow::Result<()> {
        let Solved { game, store } = self;
        let mut end = Ok(());
        let scanned = store.scan(Rank::default()..=Rank::MAX, &mut |rows| {
            for row in rows {
                let Some(position) = game.unpack(row.key) else {
                    let (key, game) = (row.key.0, game.name());
                    end = Err(bad_input(format_args!("{key:#x} is not a position of {game}")));
                    return ControlFlow::Break(());
                };
                if take(game, &position, row).is_break() {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        scanned.map_err(refused)?;
        end
    }
}

fn verdict<G: Notation>(
    game: &G,
    store: &mut dyn Store,
    position: &G::Position,
) -> anyhow::Result<Verdict> {
    match solver::lookup(game, store, position).map_err(refused)? {
        // While positions are still being enumerated, a missing position may still be found.
        None if matches!(store.state().stage, Stage::Exploring(_)) => Err(unsolved(game)),
        None => {
            let (position, game) = (game.write(position), game.name());
            Err(bad_input(format_args!("{position} cannot be reached in {game}")))
        }
        Some(row) => row.verdict.ok_or_else(|| unsolved(game)),
    }
}

fn unsolved(game: &impl Game) -> anyhow::Error {
    bad_input(format_args!("{} is not solved yet; resume solving it", game.name()))
}

/// The exit code for a store that cannot be used.
pub fn refused(error: StoreError) -> anyhow::Error {
    match error {
        StoreError::Url { .. } => bad_command(error),
        // A fault of the machine or the server.
        StoreError::Unavailable { .. } => error.into(),
        error => bad_input(error),
    }
}
