//! A game with variations and comments, and its PGN text.

use std::{fmt, io::Read};

use super::{
    Event, Fault, GameResult, PgnError, Reader, Tags,
    mainline::{LONGEST_GAME, find_move},
    tags::decoded,
};
use crate::{Color, Move, Position, San};

/// A game with everything its text says: tags, moves, comments, annotation glyphs, variations.
///
/// Its `Display` is PGN export format. Reading that again gives an equal game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// The tags, in their order.
    pub tags: Tags,
    /// Where the game starts.
    pub start: Position,
    /// The moves played.
    pub mainline: Variation,
    /// The result at the end of the moves.
    pub result: GameResult,
}

/// A line of moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variation {
    /// Comments before the first move.
    pub comments: Vec<String>,
    /// The moves.
    pub moves: Vec<Node>,
}

/// A move and what is said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The move.
    pub mv: Move,
    /// Annotation glyphs: 1 is `!`, 2 is `?` and so on.
    pub nags: Vec<u8>,
    /// Comments after the move.
    pub comments: Vec<String>,
    /// Lines that could have been played instead.
    pub variations: Vec<Variation>,
}

impl Game {
    /// Reads the next game; `None` when there is none.
    ///
    /// After [`PgnError::Game`] the next call reads the next game.
    pub fn read<R: Read>(reader: &mut Reader<R>) -> Result<Option<Game>, PgnError> {
        let mut tags = Tags::default();
        let mut lines: Vec<Line> = Vec::new();
        while let Some(event) = reader.next_event()? {
            if let Event::Tag { name, value } = event {
                tags.push_raw(name, value);
                continue;
            }
            if lines.is_empty() {
                match tags.start() {
                    Ok(start) => lines.push(Line::new(start)),
                    Err(fault) => return Err(reader.fail(fault)),
                }
            }
            let line = lines.last_mut().expect("the main line is always there");
            match event {
                Event::Move(text) => {
                    if let Err(fault) = line.play(text) {
                        return Err(reader.fail(fault));
                    }
                }
                Event::Nag(nag) => {
                    if let Some(node) = line.read.moves.last_mut() {
                        node.nags.push(nag);
                    }
                }
                Event::Comment(text) => line.comments().push(decoded(text)),
                Event::VariationStart => {
                    if line.read.moves.is_empty() {
                        return Err(reader.fail(Fault::VariationBeforeMove));
                    }
                    let before = line.before;
                    lines.push(Line::new(before));
                }
                Event::VariationEnd => {
                    let variation = lines.pop().expect("the reader balances parentheses").read;
                    let line = lines.last_mut().expect("the reader balances parentheses");
                    let node = line.read.moves.last_mut().expect("checked at its start");
                    // An empty pair of parentheses says nothing.
                    if variation != Variation::default() {
                        node.variations.push(variation);
                    }
                }
                Event::End(result) => {
                    let line = lines.pop().expect("the main line is always there");
                    // Every earlier position can be found again from the moves.
                    let start = tags.start().expect("checked before the first move");
                    return Ok(Some(Game { tags, start, mainline: line.read, result }));
                }
                Event::Tag { .. } => unreachable!("handled above"),
            }
        }
        Ok(None)
    }
}

/// A line while it is being read.
struct Line {
    read: Variation,
    now: Position,
    /// The position before the last move, where variations start.
    before: Position,
}

impl Line {
    fn new(start: Position) -> Line {
        Line { read: Variation::default(), now: start, before: start }
    }

    fn play(&mut self, text: &[u8]) -> Result<(), Fault> {
        let (_, mv) = find_move(&self.now, text)?;
        if self.read.moves.len() == LONGEST_GAME {
            return Err(Fault::LongGame(LONGEST_GAME));
        }
        self.before = self.now;
        self.now = self.now.play(mv);
        self.read.moves.push(Node {
            mv,
            nags: Vec::new(),
            comments: Vec::new(),
            variations: Vec::new(),
        });
        Ok(())
    }

    fn comments(&mut self) -> &mut Vec<String> {
        match self.read.moves.last_mut() {
            Some(node) => &mut node.comments,
            None => &mut self.read.comments,
        }
    }
}

impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in self.tags.iter() {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            writeln!(f, "[{name} \"{value}\"]")?;
        }
        if !self.tags.is_empty() {
            writeln!(f)?;
        }
        let mut text = Wrapped { out: f, column: 0, glued: true };
        write_line(&mut text, &self.mainline, self.start)?;
        text.word(self.result.as_str())?;
        writeln!(f)
    }
}

fn write_line(text: &mut Wrapped<'_, '_>, line: &Variation, start: Position) -> fmt::Result {
    for comment in &line.comments {
        text.comment(comment)?;
    }
    let mut position = start;
    let mut numbered = false;
    for node in &line.moves {
        if position.turn() == Color::White {
            text.word(&format!("{}.", position.fullmoves()))?;
        } else if !numbered {
            text.word(&format!("{}...", position.fullmoves()))?;
        }
        text.word(&San::of(&position, node.mv).to_string())?;
        for nag in &node.nags {
            text.word(&format!("${nag}"))?;
        }
        for comment in &node.comments {
            text.comment(comment)?;
        }
        for variation in &node.variations {
            text.open()?;
            write_line(text, variation, position)?;
            text.close()?;
        }
        // After an interruption Black's move needs its number again.
        numbered = node.comments.is_empty() && node.variations.is_empty();
        position = position.play(node.mv);
    }
    Ok(())
}

/// Breaks lines before the eightieth column.
struct Wrapped<'a, 'f> {
    out: &'a mut fmt::Formatter<'f>,
    column: usize,
    /// The next word follows without a space.
    glued: bool,
}

const WIDTH: usize = 79;

impl Wrapped<'_, '_> {
    fn word(&mut self, word: &str) -> fmt::Result {
        let length = word.chars().count();
        if self.column + usize::from(!self.glued) + length > WIDTH && self.column > 0 && !self.glued
        {
            self.out.write_str("\n")?;
            self.column = 0;
        } else if !self.glued {
            self.out.write_str(" ")?;
            self.column += 1;
        }
        self.glued = false;
        self.column += length;
        self.out.write_str(word)
    }

    fn open(&mut self) -> fmt::Result {
        self.word("(")?;
        self.glued = true;
        Ok(())
    }

    fn close(&mut self) -> fmt::Result {
        self.glued = true;
        self.word(")")
    }

    fn comment(&mut self, comment: &str) -> fmt::Result {
        if !comment.contains('}') {
            return self.word(&format!("{{{comment}}}"));
        }
        // Only a comment to the end of a line can hold a closing brace.
        self.word(";")?;
        writeln!(self.out, "{}", comment.replace('\n', " "))?;
        self.column = 0;
        self.glued = true;
        Ok(())
    }
}
