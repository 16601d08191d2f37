//! One token of PGN text after the other, without haste: whatever may stand in a file is
//! recognised here.

use std::io::Read;

use memchr::memchr;

use super::{
    Fault, GameResult,
    reader::{LOOKAHEAD, Reader},
    token::{IS_WORD, Span, Token, find_tag_line, parse_tag, roster_bit},
};
use crate::fen::shown;

/// No move is longer, however annotated.
const LONGEST_WORD: usize = 40;
const DEEPEST_VARIATION: u32 = 64;

impl<R: Read> Reader<R> {
    /// One token. On a fault the cursor has moved past its cause, or the next call ends the game.
    #[inline]
    pub(super) fn scan(&mut self) -> Scanned {
        loop {
            if self.end - self.start < LOOKAHEAD {
                self.fill();
                self.check_length()?;
            }
            let Some(&byte) = self.buffer[self.start..self.end].first() else {
                return self.finish();
            };
            match byte {
                b'\n' => {
                    self.start += 1;
                    self.game.at_line_start = true;
                    self.game.at_new_line = true;
                    self.game.parted |= self.game.blank & self.game.has_tags;
                    self.game.blank = true;
                    continue;
                }
                b' ' | b'\t' | b'\r' | b'.' => {
                    self.start += 1;
                    continue;
                }
                b'%' if self.game.at_line_start => {
                    self.game.blank = false;
                    self.skip_line();
                    continue;
                }
                // A byte order mark at the beginning, or where files have been joined.
                0xef if self.game.at_line_start
                    && self.buffer[self.start..self.end].starts_with(b"\xef\xbb\xbf") =>
                {
                    self.start += 3;
                    continue;
                }
                _ => {}
            }
            self.game.blank = false;
            let at_line_start = std::mem::take(&mut self.game.at_line_start);
            if byte == b'[' && at_line_start {
                return self.scan_tag();
            }
            if byte.is_ascii_digit()
                && let Some(token) = self.scan_number()
            {
                return Ok(token);
            }
            if byte.is_ascii_digit() && !self.is_castling_with_zeros() {
                continue;
            }
            // A note that the capture was en passant says nothing new.
            if byte == b'e' && self.buffer[self.start..self.end].starts_with(b"e.p") {
                self.start += 3;
                continue;
            }
            // What is remarked between two games belongs to neither.
            if !self.game.started && matches!(byte, b'{' | b';' | b'$' | b'!' | b'?') {
                self.skip_remark(byte)?;
                continue;
            }
            self.begin_game();
            self.game.in_moves = true;
            return self.scan_movetext(byte);
        }
    }

    #[inline]
    fn scan_movetext(&mut self, byte: u8) -> Scanned {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0' | b'-' => self.scan_word(),
            b'{' => self.scan_comment(),
            b';' => self.scan_line_comment(),
            b'$' => self.scan_nag(),
            b'!' | b'?' => Ok(self.scan_mark()),
            b'(' => {
                self.start += 1;
                self.game.depth += 1;
                if self.game.depth > DEEPEST_VARIATION {
                    return Err(Fault::DeepVariation(DEEPEST_VARIATION as usize).into());
                }
                Ok(Token::VariationStart)
            }
            b')' => {
                self.start += 1;
                match self.game.depth.checked_sub(1) {
                    Some(depth) => self.game.depth = depth,
                    None => return Err(Fault::UnopenedVariation.into()),
                }
                Ok(Token::VariationEnd)
            }
            b'*' => self.scan_star(),
            _ => {
                self.start += 1;
                Err(Fault::Unexpected(byte).into())
            }
        }
    }

    /// Passes over a comment or glyph outside of any game, however long. One that is broken counts
    /// as a game, so that its error has a number of its own.
    fn skip_remark(&mut self, byte: u8) -> Result<(), Box<Stop>> {
        match self.scan_movetext(byte) {
            Ok(_) => Ok(()),
            Err(stop) if matches!(*stop, Stop::Fault(Fault::LongComment(_))) => Ok(()),
            Err(stop) => {
                self.begin_game();
                self.game.in_moves = true;
                Err(stop)
            }
        }
    }

    /// A result, or nothing after passing over a move number.
    #[inline]
    fn scan_number(&mut self) -> Option<Token> {
        let text = &self.buffer[self.start..self.end];
        let (length, result) = if text.starts_with(b"1-0") {
            (3, GameResult::WhiteWins)
        } else if text.starts_with(b"0-1") {
            (3, GameResult::BlackWins)
        } else if text.starts_with(b"1/2-1/2") {
            (7, GameResult::Draw)
        } else {
            if !self.is_castling_with_zeros() {
                let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
                self.start += digits;
            }
            return None;
        };
        self.begin_game();
        self.start += length;
        // A result inside a variation is a remark there, also where the game is skipped: games
        // end in the same places whether or not they are good.
        if self.game.depth > 0 {
            return None;
        }
        Some(Token::End(result))
    }

    #[inline]
    fn is_castling_with_zeros(&self) -> bool {
        self.buffer[self.start..self.end].starts_with(b"0-0")
    }

    /// Where a variation is open, the star is left to end the game once that has been told.
    fn scan_star(&mut self) -> Scanned {
        if self.game.depth > 0 && !self.game.skipping {
            return Err(Fault::UnclosedVariation.into());
        }
        self.start += 1;
        Ok(Token::End(GameResult::Unknown))
    }

    #[inline]
    fn scan_word(&mut self) -> Scanned {
        let text = &self.buffer[self.start..self.end];
        let is_part = |b: &&u8| IS_WORD[**b as usize];
        // What is skipped may be skipped in larger steps.
        let longest = if self.game.skipping { self.buffer.len() } else { LONGEST_WORD + 1 };
        let length = text.iter().take(longest).take_while(is_part).count();
        let from = self.start;
        self.start += length;
        if length > LONGEST_WORD && !self.game.skipping {
            return Err(Fault::LongWord(shown(&self.buffer[from..self.start])).into());
        }
        Ok(Token::Move(Span::new(from, self.start)))
    }

    fn scan_comment(&mut self) -> Scanned {
        let mut searched = 1;
        loop {
            let text = &self.buffer[self.start..self.end];
            let close = memchr(b'}', &text[searched..]).map(|at| searched + at);
            let comment = &text[..close.unwrap_or(text.len())];
            if let Some(tag) = find_tag_line(comment) {
                self.start += tag;
                self.game.at_line_start = true;
                return Err(Fault::UnclosedComment.into());
            }
            if let Some(close) = close {
                let from = self.start + 1;
                self.start += close + 1;
                return Ok(Token::Comment(Span::new(from, self.start - 1)));
            }
            searched = text.len();
            if self.exhausted {
                self.start = self.end;
                return Err(Fault::UnclosedComment.into());
            }
            if self.start == 0 && self.end == self.buffer.len() {
                // It does not fit. Let go of most of it; the brace still has to be found.
                let at = self.buffer.len() - LOOKAHEAD - 1;
                // The brace may take the place of a newline, which is still to be counted.
                self.newlines += u64::from(self.buffer[at] == b'\n');
                self.buffer[at] = b'{';
                self.start = at;
                return Err(Fault::LongComment(self.buffer.len()).into());
            }
            self.fill();
        }
    }

    fn scan_line_comment(&mut self) -> Scanned {
        match self.find_in_line(b'\n') {
            Some((from, to)) => {
                self.start = to;
                Ok(Token::Comment(Span::new(from + 1, to)))
            }
            None if self.exhausted => {
                // Looking for the end may have moved the beginning.
                let from = self.start + 1;
                self.start = self.end;
                Ok(Token::Comment(Span::new(from, self.end)))
            }
            None => {
                self.skip_line();
                Err(Fault::LongComment(self.buffer.len()).into())
            }
        }
    }

    /// From the cursor to the next such byte, if they fit into the buffer together.
    fn find_in_line(&mut self, byte: u8) -> Option<(usize, usize)> {
        loop {
            if let Some(length) = memchr(byte, &self.buffer[self.start..self.end]) {
                return Some((self.start, self.start + length));
            }
            if self.exhausted || self.start == 0 && self.end == self.buffer.len() {
                return None;
            }
            self.fill();
        }
    }

    fn scan_nag(&mut self) -> Scanned {
        let text = &self.buffer[self.start + 1..self.end];
        let digits = text.iter().take(LONGEST_WORD).take_while(|b| b.is_ascii_digit()).count();
        let number = std::str::from_utf8(&text[..digits]).ok().and_then(|text| text.parse().ok());
        let shown = shown(&text[..digits]);
        self.start += 1 + digits;
        number.map(Token::Nag).ok_or_else(|| Fault::Nag(shown).into())
    }

    fn scan_mark(&mut self) -> Token {
        let text = &self.buffer[self.start..self.end];
        let (length, nag) = match text {
            [b'!', b'!', ..] => (2, 3),
            [b'?', b'?', ..] => (2, 4),
            [b'!', b'?', ..] => (2, 5),
            [b'?', b'!', ..] => (2, 6),
            [b'!', ..] => (1, 1),
            _ => (1, 2),
        };
        self.start += length;
        Token::Nag(nag)
    }

    fn scan_tag(&mut self) -> Scanned {
        if self.game.in_moves || self.game.parted {
            return self.finish_before_tag();
        }
        self.begin_game();
        self.game.has_tags = true;
        if let Some((name, value)) = self.quick_tag() {
            return self.tag(name, value);
        }
        let line = match self.find_in_line(b'\n') {
            Some(line) => line,
            None if self.exhausted => (self.start, self.end),
            None => {
                let shown = shown(&self.buffer[self.start..self.end]);
                self.skip_line();
                return Err(Fault::Tag(shown).into());
            }
        };
        let text = &self.buffer[line.0..line.1];
        match parse_tag(text) {
            Some((name, value)) => {
                let place = |(from, to)| Span::new(line.0 + from, line.0 + to);
                self.tag(place(name), place(value))
            }
            None => {
                let shown = shown(text.trim_ascii_end());
                self.start = line.1;
                Err(Fault::Tag(shown).into())
            }
        }
    }

    /// Goes on behind a tag. One of the roster that the game has already means that the game was
    /// cut among its tags.
    fn tag(&mut self, name: Span, value: Span) -> Scanned {
        let roster = roster_bit(name.of(&self.buffer));
        if self.game.roster & roster != 0 {
            return self.finish_before_tag();
        }
        self.game.roster |= roster;
        let bracket = memchr(b']', &self.buffer[value.1 as usize..self.end]);
        self.start = value.1 as usize + bracket.expect("a tag is closed") + 1;
        // Several tags may share a line.
        self.game.at_line_start = true;
        Ok(Token::Tag { name, value })
    }

    /// The input has ended.
    fn finish(&mut self) -> Scanned {
        if let Some(error) = self.failure.take() {
            self.game.started = false;
            return Err(Box::new(Stop::Io(error)));
        }
        if !self.game.started {
            return Ok(Token::Nothing);
        }
        self.finish_before_tag()
    }

    /// The game stops here without a result.
    fn finish_before_tag(&mut self) -> Scanned {
        self.game.at_line_start = true;
        if self.game.skipping {
            return Ok(Token::End(GameResult::Unknown));
        }
        let fault = if self.game.depth > 0 {
            Fault::UnclosedVariation
        } else if self.game.has_tags {
            Fault::NoResult
        } else {
            if let Some(kept) = &mut self.kept {
                kept.has_result = false;
            }
            return Ok(Token::End(GameResult::Unknown));
        };
        Err(fault.into())
    }
}

/// What interrupts the scanner.
pub(super) enum Stop {
    Io(std::io::Error),
    Fault(Fault),
}

impl From<Fault> for Box<Stop> {
    #[cold]
    fn from(fault: Fault) -> Box<Stop> {
        Box::new(Stop::Fault(fault))
    }
}

/// Faults are rare and large, so they are boxed.
pub(super) type Scanned = Result<Token, Box<Stop>>;
