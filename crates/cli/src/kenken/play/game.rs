//! A puzzle that is being solved: the grid, and every grid before it.

use std::path::Path;

use kenken::{Attempt, Puzzle, json};
use serde_json::Value;

use crate::{exit::bad_input, files};

/// The grids so far, the last of which is the current one.
pub(super) struct Game<'a> {
    before: Vec<Attempt<'a>>,
    now: Attempt<'a>,
}

impl<'a> Game<'a> {
    /// A game with these grids, or one that begins with the empty grid.
    pub(super) fn new(puzzle: &'a Puzzle, grids: &[String]) -> anyhow::Result<Game<'a>> {
        let mut before = Vec::new();
        for (index, grid) in grids.iter().enumerate() {
            let place = |error| bad_input(format_args!("grids[{index}]: {error}"));
            before.push(Attempt::parse(puzzle, grid).map_err(place)?);
        }
        let now = before.pop().unwrap_or_else(|| Attempt::new(puzzle));
        Ok(Game { before, now })
    }

    pub(super) fn now(&self) -> &Attempt<'a> {
        &self.now
    }

    /// Changes the grid. Returns whether it is another one then; if not, there is nothing to undo.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Attempt<'a>)) -> bool {
        let before = self.now.clone();
        change(&mut self.now);
        let changed = self.now != before;
        if changed {
            self.before.push(before);
        }
        changed
    }

    /// Goes back to the grid before, if there is one.
    pub(super) fn undo(&mut self) -> bool {
        let Some(before) = self.before.pop() else { return false };
        self.now = before;
        true
    }

    /// Writes the puzzle as JSON that all commands read, with the grids beside it.
    pub(super) fn save(&self, path: &Path) -> anyhow::Result<()> {
        let text = json::print(self.now.puzzle(), None, None);
        let mut object: Value = serde_json::from_str(&text).expect("we have just written it");
        let grids = self.before.iter().chain([&self.now]).map(|grid| grid.to_string().into());
        object["grids"] = Value::Array(grids.collect());
        files::write(path, format!("{object}\n").as_bytes())
    }
}

/// The puzzle and the grids of a game that was saved.
pub(super) fn resume(path: &Path) -> anyhow::Result<(Puzzle, Vec<String>)> {
    let name = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| bad_input(format_args!("cannot read {name}: {error}")))?;
    let refuse = |error: &dyn std::fmt::Display| bad_input(format_args!("{name}: {error}"));
    let puzzle = json::parse(&text).map_err(|error| refuse(&error))?.puzzle;
    let object: Value = serde_json::from_str(&text).map_err(|error| refuse(&error))?;
    let grids = object["grids"].as_array().and_then(|grids| {
        grids.iter().map(|grid| grid.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    });
    let grids = grids.filter(|grids| !grids.is_empty());
    let grids = grids.ok_or_else(|| refuse(&"grids: expected a list of grids"))?;
    // Every grid must belong to the puzzle before anything is shown.
    if let Err(error) = Game::new(&puzzle, &grids) {
        return Err(refuse(&error));
    }
    Ok((puzzle, grids))
}
