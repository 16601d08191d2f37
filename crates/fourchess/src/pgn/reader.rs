//! PGN4 text, read.

use std::io::{BufRead, ErrorKind, Read};

use super::{
    Exit, Fault, Line, PgnError, Ply, Record, Tags,
    record::Node,
    state::State,
    tags,
    text::{Text, Token, tag_end, tag_name},
};
use crate::{notation::Fate, position::Status, rules::Rules, seat::Seat};

/// The games of a text, one after the other.
///
/// A game ends where a tag comes after moves or after a blank line behind other tags, or where a
/// tag is repeated. A bad game costs only itself: after [`PgnError::Game`] comes the next one.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    rules: Option<Rules>,
    games: u64,
    /// Lines before `next_line`.
    lines: u64,
    /// A line that was read and belongs to the next game.
    next_line: Option<String>,
    is_over: bool,
}

/// Far more than a game of the longest kind with its comments.
const MOST_BYTES: usize = 1 << 24;

const DEEPEST: usize = 60;

impl<R: BufRead> Reader<R> {
    /// Reads games by the rules that their tags name.
    pub fn new(input: R) -> Reader<R> {
        Reader { input, rules: None, games: 0, lines: 0, next_line: None, is_over: false }
    }

    /// Reads games by these rules, whatever their tags say.
    pub fn with_rules(input: R, rules: &Rules) -> Reader<R> {
        Reader { rules: Some(*rules), ..Reader::new(input) }
    }

    /// The next line with its end, and nothing at the end of the input.
    fn line(&mut self) -> Result<Option<String>, PgnError> {
        if let Some(line) = self.next_line.take() {
            return Ok(Some(line));
        }
        let mut bytes = Vec::new();
        let most = MOST_BYTES as u64 + 1;
        if (&mut self.input).take(most).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        if bytes.len() > MOST_BYTES && !bytes.ends_with(b"\n") {
            self.skip_line()?;
        }
        let line = String::from_utf8_lossy(&bytes);
        Ok(Some(line.strip_prefix('\u{feff}').unwrap_or(&line).to_owned()))
    }

    /// Skips the rest of a line that is too long to be kept.
    fn skip_line(&mut self) -> Result<(), PgnError> {
        loop {
            let held = match self.input.fill_buf() {
                Ok(held) => held,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            let end = held.iter().position(|&byte| byte == b'\n').map(|at| at + 1);
            let (used, is_over) = (end.unwrap_or(held.len()), end.is_some() || held.is_empty());
            self.input.consume(used);
            if is_over {
                return Ok(());
            }
        }
    }

    /// The text of the next game, with the number of lines before it.
    fn chunk(&mut self) -> Result<Option<(String, u64)>, PgnError> {
        let (mut text, mut names) = (String::new(), Vec::<String>::new());
        let (mut tags_are_over, mut in_tag) = (false, false);
        let first = self.lines;
        while let Some(line) = self.line()? {
            let name = tag_name(&line);
            if let Some(name) = name {
                if tags_are_over || names.iter().any(|old| old == name) {
                    self.next_line = Some(line);
                    break;
                }
                names.push(name.to_owned());
            }
            let mut rest = line.trim();
            while in_tag || tag_name(rest).is_some() {
                in_tag = tag_end(rest).is_none();
                let Some(end) = tag_end(rest) else { break };
                rest = rest[end..].trim_start();
            }
            // A blank line ends the tags, moves do, and what looks like a damaged tag does not.
            let is_blank = line.trim().is_empty() && !names.is_empty();
            let is_move = !rest.is_empty() && !rest.starts_with('[');
            tags_are_over |= !in_tag && (is_blank || is_move);
            self.lines += 1;
            // One byte too many is enough to be refused later.
            if text.len() <= MOST_BYTES {
                text += &line;
            }
        }
        let is_blank = text.trim().is_empty();
        Ok(if is_blank { None } else { Some((text, first)) })
    }

    fn read(&self, text: &mut Text<'_>) -> Result<Record, Fault> {
        let mut tags = Tags::default();
        while let Some((name, value)) = text.tag()? {
            tags.add(name, value)?;
        }
        // What tags say together is wrong where the game begins.
        text.token = 0;
        let rules = self.rules.map_or_else(|| tags::rules(&tags), Ok)?;
        let start = tags::start(&tags, &rules)?;
        let line = read_line(text, State::new(&start, &rules), 0)?;
        Ok(Record { tags, rules, start, line })
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Record, PgnError>;

    fn next(&mut self) -> Option<Result<Record, PgnError>> {
        if self.is_over {
            return None;
        }
        let (chunk, lines) = match self.chunk() {
            Ok(chunk) => chunk?,
            Err(error) => {
                self.is_over = true;
                return Some(Err(error));
            }
        };
        self.games += 1;
        let mut text = Text::new(&chunk);
        let read = if chunk.len() > MOST_BYTES {
            Err(Fault::LongText(MOST_BYTES))
        } else {
            self.read(&mut text)
        };
        Some(read.map_err(|fault| PgnError::Game {
            game: self.games,
            line: 1 + lines + text.line(),
            fault,
        }))
    }
}

fn read_line(text: &mut Text<'_>, state: State, depth: usize) -> Result<Line, Fault> {
    let mut player = Player::new(state);
    while let Some(token) = text.next()? {
        match token {
            Token::Word(word) => player.word(word)?,
            Token::Comment(comment) => player.comment(comment)?,
            Token::Open if depth == DEEPEST => return Err(Fault::DeepVariation(DEEPEST)),
            Token::Open => {
                let quarter = player.quarter.ok_or(Fault::VariationBeforeMove)?;
                let before = player.before.clone().ok_or(Fault::VariationBeforeMove)?;
                let variation = read_line(text, before, depth + 1)?;
                if variation != Line::default() {
                    player.line.nodes[quarter].variations.push(variation);
                }
            }
            Token::Close if depth == 0 => return Err(Fault::UnopenedVariation),
            Token::Close => return Ok(player.line),
        }
    }
    if depth > 0 { Err(Fault::UnclosedVariation) } else { Ok(player.line) }
}

/// A line while it is read.
struct Player {
    line: Line,
    state: State,
    /// The node that comments and variations belong to, and the state before it.
    quarter: Option<usize>,
    before: Option<State>,
    /// The state before the last node, if the player to move has just left there.
    before_leaving: Option<State>,
}

impl Player {
    fn new(state: State) -> Player {
        Player { line: Line::default(), state, quarter: None, before: None, before_leaving: None }
    }

    fn number(&self) -> usize {
        self.state.rows.number_of(self.state.turn())
    }

    /// Something that stands where a move does.
    fn word(&mut self, word: &str) -> Result<(), Fault> {
        let (core, marks) = split_marks(word);
        let exit = marks.chars().find_map(Exit::from_letter);
        if core.is_empty() && exit.is_none() {
            return self.mark(marks);
        }
        let seat = self.state.turn();
        let is_walking = self.state.game.position().status(seat) == Status::Walking;
        self.state.unmarked.clear();
        if let Some(exit) = exit.filter(|_| core.is_empty() || !is_walking) {
            self.begin_quarter();
            self.leave(seat, exit)?;
        }
        if core.is_empty() {
            self.state.rows.go(seat);
            return self.mark_own(seat, marks);
        }
        if exit.is_some() && (self.state.turn() != seat || self.state.game.ending().is_some()) {
            return Err(Fault::Gone { seat, number: self.number() });
        }
        self.step(core)
    }

    /// From here on, comments and variations belong to the next node.
    fn begin_quarter(&mut self) {
        self.quarter = Some(self.line.nodes.len());
        self.before = Some(self.state.clone());
    }

    fn step(&mut self, core: &str) -> Result<(), Fault> {
        let (seat, number) = (self.state.turn(), self.number());
        let found = self.state.game.find_move(core);
        let mv = found.map_err(|error| Fault::Move { error, number, seat })?;
        match self.before_leaving.take() {
            // The writer will write the departure and the move as one.
            Some(before) => {
                self.quarter = Some(self.line.nodes.len() - 1);
                self.before = Some(before);
            }
            None => self.begin_quarter(),
        }
        self.state.apply(Ply::Move(mv));
        self.state.rows.go(seat);
        self.line.nodes.push(Node::new(Ply::Move(mv)));
        Ok(())
    }

    fn leave(&mut self, seat: Seat, exit: Exit) -> Result<(), Fault> {
        let number = self.number();
        let before = (seat == self.state.turn()).then(|| self.state.clone());
        let ply = Ply::Leave { seat, exit };
        if !self.state.apply(ply) {
            return Err(Fault::Leave { seat, number });
        }
        self.before_leaving = before.filter(|_| self.state.turn() == seat);
        self.line.nodes.push(Node::new(ply));
        Ok(())
    }

    /// The marks behind a bare departure: what became of the king.
    fn mark_own(&mut self, seat: Seat, marks: &str) -> Result<(), Fault> {
        for mark in marks.chars().filter(|mark| matches!(mark, '#' | 'S')) {
            let own = (seat, fate(mark));
            let found = self.state.unmarked.iter().position(|fallen| *fallen == own);
            let error = Fault::Mark { mark, number: self.state.rows.number };
            self.state.unmarked.remove(found.ok_or(error)?);
        }
        Ok(())
    }

    /// Marks that stand alone: somebody is found mated or stalemated.
    fn mark(&mut self, marks: &str) -> Result<(), Fault> {
        for mark in marks.chars() {
            let found = self.state.unmarked.iter().position(|fallen| fallen.1 == fate(mark));
            let Some(at) = found.filter(|_| mark != '+') else {
                return Err(Fault::Mark { mark, number: self.number() });
            };
            let (seat, _) = self.state.unmarked.remove(at);
            self.state.rows.go(seat);
        }
        Ok(())
    }

    fn comment(&mut self, comment: &str) -> Result<(), Fault> {
        let mut comment = comment.replace(['\n', '\r'], " ");
        while let Some((at, end, seat, exit)) = departure(&comment) {
            self.leave(seat, exit)?;
            comment.replace_range(at..end, "");
        }
        let comment = comment.trim();
        let place = match self.quarter {
            Some(quarter) => &mut self.line.nodes[quarter].comment,
            None => &mut self.line.comment,
        };
        if !comment.is_empty() {
            if !place.is_empty() {
                place.push_str("; ");
            }
            place.push_str(comment);
        }
        Ok(())
    }
}

fn fate(mark: char) -> Fate {
    if mark == 'S' { Fate::Stalemate } else { Fate::Mate }
}

/// A word without the marks at its end, and these.
fn split_marks(word: &str) -> (&str, &str) {
    let mut end = word.len();
    while let Some(rest) = word[..end].strip_suffix(['+', '#', 'R', 'S', 'T']) {
        if rest.ends_with('=') {
            break;
        }
        end = rest.len();
    }
    word.split_at(end)
}

/// The first `[%R Green]` of a comment: where it begins and ends, and what it says.
fn departure(comment: &str) -> Option<(usize, usize, Seat, Exit)> {
    comment.match_indices("[%").find_map(|(at, _)| {
        let inside = &comment[at + 2..];
        let end = inside.find(']')?;
        let (letter, name) = inside[..end].split_once(' ')?;
        let exit = letter.parse().ok().and_then(Exit::from_letter)?;
        let seat = Seat::ALL.into_iter().find(|seat| seat.to_string() == name)?;
        Some((at, at + 2 + end + 1, seat, exit))
    })
}
