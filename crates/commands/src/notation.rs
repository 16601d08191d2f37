//! How a game is named, and how its positions and moves are written.

use clap::{Args, Command, FromArgMatches};
use game::{Game, MoveId};

/// A game with commands: which flags make it, and how its positions and moves are written.
pub trait Notation: Game + Sized + 'static {
    /// The flags that choose a game, such as `--largest 20`.
    type Flags: Args;

    /// The game of these flags, or what is wrong with them.
    fn new(flags: &Self::Flags) -> Result<Self, String>;

    /// Reads a position, or says what is wrong with the text.
    fn read(&self, text: &str) -> Result<Self::Position, String>;

    /// Writes a position as [`Notation::read`] reads it.
    fn write(&self, position: &Self::Position) -> String;

    /// Writes a move of a position. Different moves of a position have different names, and a name
    /// is one word.
    fn name_move(&self, position: &Self::Position, mv: MoveId) -> String;

    /// Draws a position for a person who plays; one line unless the game says otherwise.
    fn draw(&self, position: &Self::Position) -> String {
        self.write(position)
    }

    /// The game that a store names, or `None` if it is no game of this program.
    ///
    /// A name such as `heaps largest=20` stands for the flags `--largest 20`, so most games need
    /// nothing here.
    fn named(name: &str) -> Option<Self> {
        let pairs = name.split_whitespace().skip(1).map(|pair| pair.split_once('='));
        let mut arguments = Vec::new();
        for pair in pairs {
            let (flag, value) = pair?;
            arguments.push(format!("--{}={value}", flag.replace('_', "-")));
        }
        let command = Self::Flags::augment_args(Command::new("name").no_binary_name(true));
        let matches = command.try_get_matches_from(arguments).ok()?;
        let game = Self::new(&Self::Flags::from_arg_matches(&matches).ok()?).ok()?;
        (game.name() == name).then_some(game)
    }
}
