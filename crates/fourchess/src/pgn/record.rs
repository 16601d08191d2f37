//! A recorded game: tags, moves and comments.

use thiserror::Error;

use super::{Outcome, Ply, Tags, tags};
use crate::{fen::FenError, game::Game, position::Position, rules::Rules, seat::Seat};

/// A game with everything its text says: tags, plies, comments, variations.
///
/// Its `Display` is PGN4. Reading that again gives an equal record, if the tags still name the
/// rules and the start.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// The tags, in their order.
    pub tags: Tags,
    pub(super) rules: Rules,
    pub(super) start: Position,
    pub(super) line: Line,
}

/// What happened, or could have happened, one ply after the other.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Line {
    /// The comment before the first ply, empty if there is none.
    pub comment: String,
    /// The plies.
    pub nodes: Vec<Node>,
}

/// A ply and what is said about it. A king's first move after its owner has left is written as
/// one with that departure, and what is said about the two is with the departure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// What happened.
    pub ply: Ply,
    /// The comment behind it, empty if there is none. Several are joined by `; `.
    pub comment: String,
    /// What could have happened instead.
    pub variations: Vec<Line>,
}

impl Node {
    pub(super) fn new(ply: Ply) -> Node {
        Node { ply, comment: String::new(), variations: Vec::new() }
    }
}

/// Why plies are not a game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RecordError {
    /// The start cannot be written as FEN4.
    #[error("start position: {0}")]
    Start(#[from] FenError),
    /// A ply that cannot happen.
    #[error("ply {number}: {ply} is not possible here")]
    Ply {
        /// Its number, from 1.
        number: usize,
        /// What it is.
        ply: Ply,
    },
}

impl Record {
    /// The record of a game by its plies, with tags for the rules, the start, the players and the
    /// result.
    ///
    /// The start is what its FEN4 says: a game that goes on from the middle of another counts its
    /// plies anew.
    ///
    /// # Errors
    ///
    /// The first ply that cannot happen.
    pub fn new(
        start: &Position,
        rules: &Rules,
        plies: impl IntoIterator<Item = Ply>,
    ) -> Result<Record, RecordError> {
        let text = start.fen(rules).to_string();
        let start = Position::from_fen(&text, rules)?;
        let mut game = Game::from_position(start, rules);
        let mut line = Line::default();
        for ply in plies {
            if !game.apply(ply) {
                return Err(RecordError::Ply { number: line.nodes.len() + 1, ply });
            }
            line.nodes.push(Node::new(ply));
        }
        let mut record = Record { tags: Tags::default(), rules: *rules, start, line };
        tags::name_rules(&mut record.tags, rules);
        record.tags.set("StartFen4", &text);
        record.tell_result(&game, ["Red", "Blue", "Yellow", "Green"]);
        if let Some(ending) = game.ending() {
            record.tags.set("Termination", tags::termination(ending));
        }
        Ok(record)
    }

    /// Names the players, in the tag `Result` too.
    pub fn name_players(&mut self, names: [&str; 4]) {
        self.tell_result(&self.play(), names);
    }

    /// Sets the comment on a ply, by its number from 0. What PGN4 cannot hold is replaced: braces
    /// by parentheses, and the brackets of a departure by a bare one. Nothing happens where there
    /// is no such ply.
    pub fn set_comment(&mut self, ply: usize, comment: &str) {
        let comment = comment.replace('{', "(").replace('}', ")").replace("[%", "[");
        if let Some(node) = self.line.nodes.get_mut(ply) {
            node.comment = comment.split_whitespace().collect::<Vec<_>>().join(" ");
        }
    }

    fn tell_result(&mut self, game: &Game, names: [&str; 4]) {
        for seat in Seat::ALL {
            self.tags.set(&seat.to_string(), names[seat.index()]);
        }
        self.tags.set("Result", &Outcome::of(game).text(names));
    }

    /// The rules it is played by.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The position it starts from.
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// What happened, with comments and variations.
    pub fn line(&self) -> &Line {
        &self.line
    }

    /// What happened.
    pub fn plies(&self) -> impl Iterator<Item = Ply> {
        self.line.nodes.iter().map(|node| node.ply)
    }

    /// The game at its end.
    pub fn play(&self) -> Game {
        let mut game = Game::from_position(self.start, &self.rules);
        for ply in self.plies() {
            game.apply(ply);
        }
        game
    }
}
