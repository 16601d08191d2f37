//! A game that is being played, with what is needed to take moves back and to save it.

use std::path::Path;

use fourchess::{
    Game, Move, Position, Rules,
    pgn::{Ply, Record},
};
use fourchess_env::Action;
use games::fourchess::Reader;

use crate::{exit::bad_input, files};

/// A game, where it started, and what has happened.
pub(super) struct Table {
    pub(super) game: Game,
    start: Position,
    plies: Vec<Ply>,
    /// The game before each move of a person, and how many plies it had.
    before: Vec<(Game, usize)>,
}

impl Table {
    pub(super) fn new(start: Position, rules: &Rules) -> Table {
        let game = Game::from_position(start, rules);
        Table { game, start, plies: Vec::new(), before: Vec::new() }
    }

    /// The first game of a file, at its end.
    pub(super) fn resume(path: &Path) -> anyhow::Result<Table> {
        let none = || bad_input(format_args!("{}: there is no game in it", path.display()));
        let read = Reader::new(vec![path.to_owned()]).next().ok_or_else(none)?;
        let record = read.map_err(bad_input)?.record;
        // Braces are comments, so JSON is a game of comments only.
        if record.tags.is_empty() && record.plies().next().is_none() {
            return Err(none());
        }
        let mut table = Table::new(*record.start(), record.rules());
        record.plies().for_each(|ply| table.play(ply));
        Ok(table)
    }

    /// Lets a ply happen.
    pub(super) fn play(&mut self, ply: Ply) {
        let could = self.game.apply(ply);
        assert!(could, "the ply was found in the game");
        self.plies.push(ply);
    }

    /// Remembers this place for [`undo`](Table::undo).
    pub(super) fn mark(&mut self) {
        self.before.push((self.game.clone(), self.plies.len()));
    }

    /// Goes back to the last place that was marked, if there is one.
    pub(super) fn undo(&mut self) -> bool {
        let Some((game, plies)) = self.before.pop() else { return false };
        self.game = game;
        self.plies.truncate(plies);
        true
    }

    /// The last move, if the last ply was one.
    pub(super) fn last(&self) -> Option<Move> {
        match self.plies.last() {
            Some(&Ply::Move(mv)) => Some(mv),
            _ => None,
        }
    }

    /// Writes the game as PGN4.
    pub(super) fn save(&self, path: &Path) -> anyhow::Result<()> {
        let plies = self.plies.iter().copied();
        let record = Record::new(&self.start, self.game.rules(), plies)?;
        files::write(path, record.to_string().as_bytes())
    }
}

/// The legal move whose action is chosen from the numbers of all.
pub(super) fn choose(game: &Game, choose: impl FnOnce(&[u16]) -> u16) -> Move {
    let edge = game.rules().edge(game.position().turn());
    let number = |mv: &Move| {
        Action::of(*mv, edge).expect("rules were checked for moves without actions").id()
    };
    let numbers: Vec<u16> = game.moves().iter().map(number).collect();
    let chosen = choose(&numbers);
    let at = numbers.iter().position(|number| *number == chosen).expect("one of the list");
    game.moves()[at]
}
