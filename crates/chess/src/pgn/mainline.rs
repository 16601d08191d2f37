//! A game without its variations, played into a reusable buffer.

use std::{io::Read, time::Duration};

use super::{
    Evaluation, Event, Fault, GameResult, PgnError, Reader, Tags, clock, elapsed, evaluation,
    plain, tags::push_decoded, token::Quick,
};
use crate::{
    Move, Position, Role, San,
    attacks::{self, SliderWork, Sliders},
};

/// The moves of a game without its variations, played. Made to be used again for game after game.
#[derive(Clone, Debug, Default)]
pub struct Mainline {
    /// The tags, in their order.
    pub tags: Tags,
    /// The positions: one more than the moves, the start first.
    pub positions: Vec<Position>,
    /// The moves.
    pub moves: Vec<Move>,
    /// What is noted behind each move, if [`Mainline::with_notes`] asked for it; else empty.
    pub notes: Vec<Note>,
    /// The result at the end of the moves.
    pub result: GameResult,
    /// The game as PGN, as it is written in the input and ended by its result, if
    /// [`Mainline::with_text`] asked for it; else empty.
    pub text: String,
    wants_notes: bool,
    wants_text: bool,
}

/// What the comments behind a move say in a form made for programs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Note {
    /// The time left on the mover's clock.
    pub clock: Option<Duration>,
    /// The time spent on the move.
    pub elapsed: Option<Duration>,
    /// The evaluation after the move.
    pub evaluation: Option<Evaluation>,
}

/// By the 75-move rule no game is longer than 8,849 moves.
pub(super) const LONGEST_GAME: usize = 20_000;

impl Mainline {
    /// A buffer that also collects clocks and evaluations.
    pub fn with_notes() -> Mainline {
        Mainline { wants_notes: true, ..Mainline::default() }
    }

    /// The same buffer, which also keeps the text of a game.
    #[must_use = "the buffer without it keeps no text"]
    pub fn with_text(self) -> Mainline {
        Mainline { wants_text: true, ..self }
    }

    /// Reads the next game into this buffer; `false` when there is none.
    ///
    /// After [`PgnError::Game`] the next call reads the next game.
    pub fn read<R: Read>(&mut self, reader: &mut Reader<R>) -> Result<bool, PgnError> {
        self.read_if(reader, |_, _| true)
    }

    /// Like [`Mainline::read`], but a game that is not wanted, by its number and tags, is passed
    /// over without playing its moves.
    pub fn read_if<R: Read>(
        &mut self,
        reader: &mut Reader<R>,
        wanted: impl Fn(u64, &Tags) -> bool,
    ) -> Result<bool, PgnError> {
        self.clear();
        if self.wants_text {
            reader.keep_text();
        }
        let mut depth = 0;
        loop {
            if depth == 0 && !self.moves.is_empty() {
                let quick = QuickMoves { game: self, reader };
                if let Err(fault) = attacks::quickest(quick) {
                    return Err(reader.fail(fault));
                }
            }
            while let Some((name, value)) = reader.next_quick_tag() {
                self.tags.push_ascii(reader.text(name), reader.text(value));
            }
            // A game without tags begins with its first move.
            let number = reader.game() + u64::from(self.tags.is_empty());
            let Some(event) = reader.next_event()? else { return Ok(false) };
            if let Event::Tag { name, value } = event {
                self.tags.push_raw(name, value);
                continue;
            }
            if self.positions.is_empty() {
                if !wanted(number, &self.tags) {
                    reader.skip_game();
                    self.clear();
                    continue;
                }
                match self.tags.start() {
                    Ok(start) => self.positions.push(start),
                    Err(fault) => return Err(reader.fail(fault)),
                }
            }
            match event {
                Event::Move(text) if depth == 0 => {
                    if let Err(fault) = self.play(text) {
                        return Err(reader.fail(fault));
                    }
                }
                Event::Comment(text) if depth == 0 && self.wants_notes => self.note(text),
                Event::VariationStart if self.moves.is_empty() => {
                    return Err(reader.fail(Fault::VariationBeforeMove));
                }
                Event::VariationStart => depth += 1,
                Event::VariationEnd => depth -= 1,
                Event::End(result) => {
                    self.result = result;
                    self.keep_text(reader);
                    return Ok(true);
                }
                _ => {}
            }
        }
    }

    fn clear(&mut self) {
        self.tags.clear();
        self.positions.clear();
        self.moves.clear();
        self.notes.clear();
        self.text.clear();
    }

    fn play(&mut self, text: &[u8]) -> Result<(), Fault> {
        let position = self.positions.last().expect("the start is always there");
        let (role, mv) = find_move(position, text)?;
        if self.moves.len() == LONGEST_GAME {
            return Err(Fault::LongGame(LONGEST_GAME));
        }
        let next = *position;
        self.positions.push(next);
        self.positions.last_mut().expect("just pushed").make(role, mv);
        self.moves.push(mv);
        if self.wants_notes {
            self.notes.push(Note::default());
        }
        Ok(())
    }

    /// Plays a plain move, or does nothing.
    #[inline(always)]
    fn play_plain<S: Sliders>(&mut self, text: u64, length: usize) -> bool {
        let position = self.positions.last().expect("the start is always there");
        let Some((mv, next)) = plain::play::<S>(position, text, length) else { return false };
        if self.moves.len() == LONGEST_GAME {
            return false;
        }
        self.positions.push(next);
        self.moves.push(mv);
        if self.wants_notes {
            self.notes.push(Note::default());
        }
        true
    }

    /// Keeps the text of the game that has ended: lines in UTF-8 or else in Latin-1.
    fn keep_text<R: Read>(&mut self, reader: &Reader<R>) {
        let Some((text, has_result)) = reader.text_of_game().filter(|_| self.wants_text) else {
            return;
        };
        // Bare moves begin at the start of the game.
        if text.first().is_some_and(u8::is_ascii_alphabetic) {
            self.text.push_str("1. ");
        }
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            push_decoded(&mut self.text, line);
        }
        if !has_result {
            // Behind a remark that ends with its line there must be another.
            self.text.push_str("\n*");
        }
    }

    fn note(&mut self, comment: &[u8]) {
        let Some(note) = self.notes.last_mut() else { return };
        note.clock = clock(comment).or(note.clock);
        note.elapsed = elapsed(comment).or(note.elapsed);
        note.evaluation = evaluation(comment).or(note.evaluation);
    }
}

/// What nearly always comes next, for as long as it does. Without the detour over events this is a
/// twentieth faster.
struct QuickMoves<'a, R> {
    game: &'a mut Mainline,
    reader: &'a mut Reader<R>,
}

impl<R: Read> SliderWork for QuickMoves<'_, R> {
    type Output = Result<(), Fault>;

    #[inline(always)]
    fn run<S: Sliders>(self) -> Result<(), Fault> {
        let QuickMoves { game, reader } = self;
        while let Some(quick) = reader.next_quick(|text, length| game.play_plain::<S>(text, length))
        {
            match quick {
                Quick::Played => {}
                Quick::Move(word) => game.play(reader.text(word))?,
                Quick::Comment(_) if !game.wants_notes => {}
                Quick::Comment(comment) => game.note(reader.text(comment)),
            }
        }
        Ok(())
    }
}

/// The legal move a text means, and what moves.
#[inline]
pub(super) fn find_move(position: &Position, text: &[u8]) -> Result<(Role, Move), Fault> {
    let wrong = |error| Fault::Move { error, number: position.fullmoves(), turn: position.turn() };
    let san = San::from_ascii(text).map_err(wrong)?;
    Ok((san.role(), san.find(position).map_err(wrong)?))
}
