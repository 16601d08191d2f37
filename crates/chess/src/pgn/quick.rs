//! What nearly always comes next, recognised within a fixed window of the text. Everything here
//! may give up at any doubt: the plain scanner then finds the same, only slower.

use std::io::Read;

use memchr::{memchr, memchr2, memchr2_iter, memchr3_iter, memrchr2};

use super::{
    plain,
    reader::{LOOKAHEAD, Reader},
    token::{IS_TAG_NAME, IS_WORD, Quick, Span, roster_bit},
};

/// A one in each byte of a number, and the top bit of each.
const ONES: u64 = 0x0101_0101_0101_0101;
const TOPS: u64 = ONES << 7;

/// Longer words and numbers are no moves, and not skipped quickly.
const LONGEST_SKIPPED: usize = 64;
/// Signs of a line that are looked at more closely; a line with more of them is none of the usual.
const MOST_SIGNS: usize = 256;

impl<R: Read> Reader<R> {
    /// The move or one-line comment that nearly always comes next among the moves of a good game.
    /// Anything else is left as it is for `scan`, which would find the same; this is for speed.
    ///
    /// A short word with a blank behind it is offered to `plays` first: as the bytes of a number,
    /// and its length.
    #[inline(always)]
    pub(super) fn next_quick(&mut self, plays: impl FnOnce(u64, usize) -> bool) -> Option<Quick> {
        if !self.game.in_moves || self.game.skipping {
            return None;
        }
        let text: &[u8; LOOKAHEAD] = self.buffer[self.start..self.end].first_chunk()?;
        // Digits with `-` or `/` behind them are no number of a move, and left as they are.
        let from = numbers(text);
        let mut at = from;
        let quick = match text[from] {
            b'{' => {
                at = end_of_comment(text, from + 1)?;
                if text[at] == b'\n' {
                    return None;
                }
                at += 1;
                Quick::Comment(Span::new(self.start + from + 1, self.start + at - 1))
            }
            b'a'..=b'h' | b'B' | b'K' | b'N' | b'O' | b'Q' | b'R' => {
                let word = eight(text, from);
                let length = first_blank(word);
                if (2..=plain::LONGEST).contains(&length)
                    && plays(word & ((1 << (8 * length)) - 1), length)
                {
                    self.start += from + length;
                    self.game.at_line_start = false;
                    return Some(Quick::Played);
                }
                while IS_WORD[text[at] as usize] && at < from + 12 {
                    at += 1;
                }
                if !(2..12).contains(&(at - from)) {
                    return None;
                }
                Quick::Move(Span::new(self.start + from, self.start + at))
            }
            _ => return None,
        };
        self.start += at;
        self.game.at_line_start = false;
        Some(quick)
    }

    /// Passes over moves, their numbers and one-line comments of a game that is being skipped, as far
    /// as the buffer reaches. Anything else is left as it is for `scan`, also a result.
    #[inline]
    pub(super) fn skip_quick(&mut self) {
        if !self.game.in_moves {
            return;
        }
        let text = &self.buffer[self.start..self.end];
        let Some(last) = text.len().checked_sub(LOOKAHEAD) else { return };
        // Once in a line: where it stops, it would stop again after the next token.
        let line = match std::mem::take(&mut self.game.at_new_line) {
            true => skip_line(&text[..last], self.game.at_line_start),
            false => 0,
        };
        let at = if line > 0 { line } else { skip_words(text, last) };
        if at > 0 {
            self.start += at;
            self.game.at_line_start = false;
        }
    }

    /// A tag of the usual form, in ASCII and without escapes, which fits into the lookahead:
    /// `[Name "value"]`.
    #[inline]
    pub(super) fn quick_tag(&self) -> Option<(Span, Span)> {
        let text: &[u8; LOOKAHEAD] = self.buffer[self.start..self.end].first_chunk()?;
        let mut name_end = 1;
        while IS_TAG_NAME[text[name_end] as usize] && name_end < 64 {
            name_end += 1;
        }
        let value = name_end + 2;
        if name_end == 1 || text[name_end..value] != *b" \"" {
            return None;
        }
        let mut value_end = value;
        while value_end < LOOKAHEAD - 16 {
            let word = eight(text, value_end);
            let stops = equal(word, b'"') | equal(word, b'\\') | below(word, b' ') | word & TOPS;
            value_end += (stops.trailing_zeros() / 8) as usize;
            if stops != 0 {
                break;
            }
        }
        if text[value_end..value_end + 2] != *b"\"]" {
            return None;
        }
        let place = |from, to| Span::new(self.start + from, self.start + to);
        Some((place(1, name_end), place(value, value_end)))
    }

    /// The tag on the next line, if the last event was a tag and this is as usual as that. Anything
    /// else is left as it is for `scan`.
    #[inline]
    pub(super) fn next_quick_tag(&mut self) -> Option<(Span, Span)> {
        let game = &self.game;
        let is_behind_tag = game.has_tags && game.at_line_start && !game.blank && !game.parted;
        if !is_behind_tag || game.in_moves || game.skipping {
            return None;
        }
        if self.end - self.start < LOOKAHEAD
            || self.buffer[self.start..].first_chunk() != Some(b"\n[")
        {
            return None;
        }
        self.start += 1;
        let tag = self.quick_tag().filter(|tag| {
            let roster = roster_bit(tag.0.of(&self.buffer));
            let is_new = self.game.roster & roster == 0;
            self.game.roster |= roster;
            is_new
        });
        let Some((name, value)) = tag else {
            self.start -= 1;
            return None;
        };
        self.start = value.1 as usize + 2;
        self.game.at_new_line = true;
        Some((name, value))
    }
}

/// How many bytes stand before the first blank or control character; 8 if there is none.
#[inline(always)]
fn first_blank(word: u64) -> usize {
    (below(word, b' ' + 1).trailing_zeros() / 8) as usize
}

/// The top bits of the bytes below one, of ASCII. Only the lowest of them is sure: borrows change
/// bytes above it.
#[inline(always)]
fn below(word: u64, byte: u8) -> u64 {
    word.wrapping_sub(ONES * u64::from(byte)) & !word & TOPS
}

/// The same for the bytes equal to one.
#[inline(always)]
fn equal(word: u64, byte: u8) -> u64 {
    below(word ^ (ONES * u64::from(byte)), 1)
}

/// How many blanks, dots and digits the text begins with, if they are fewer than 24.
#[inline(always)]
fn numbers(text: &[u8; LOOKAHEAD]) -> usize {
    if text[0] == b' ' && text[1] > b'9' {
        return 1;
    }
    let mut at = 0;
    while at < 24 {
        let word = eight(text, at);
        // The top bit of each byte says what the byte is; sums do not carry into the next.
        let low = word & !TOPS;
        let digits = (low + ONES * (0x80 - b'0' as u64)) & !(low + ONES * (0x7f - b'9' as u64));
        let differs = |byte: u8| (low ^ (ONES * u64::from(byte))) + !TOPS;
        let others = differs(b' ') & differs(b'.');
        let stops = (others & !digits | word) & TOPS;
        at += (stops.trailing_zeros() / 8) as usize;
        if stops != 0 {
            break;
        }
    }
    at
}

/// Where a comment or its line ends.
#[inline(always)]
fn end_of_comment(text: &[u8; LOOKAHEAD], from: usize) -> Option<usize> {
    // Clocks and evaluations are short: calling a search costs more than looking.
    let mut at = from;
    while at < from + 32 {
        let word = eight(text, at);
        let ends = equal(word, b'}') | equal(word, b'\n');
        if ends != 0 {
            return Some(at + (ends.trailing_zeros() / 8) as usize);
        }
        at += 8;
    }
    Some(at + memchr2(b'}', b'\n', &text[at..])?)
}

/// Eight bytes as a number, the first byte lowest.
#[inline(always)]
fn eight(text: &[u8; LOOKAHEAD], at: usize) -> u64 {
    text[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// How far a line of moves says nothing but moves, numbers, glyphs and comments: up to the end of
/// the line, or to where `scan` must look. 0 if that cannot be told quickly.
///
/// Searching a whole line for the few bytes that matter is three times as fast as looking at every
/// word.
fn skip_line(text: &[u8], at_line_start: bool) -> usize {
    let Some(end) = memchr(b'\n', text) else { return 0 };
    let line = &text[..end];
    let first = line.trim_ascii_start().first();
    if at_line_start && matches!(first, None | Some(b'[' | b'%' | 0xef)) {
        return 0;
    }
    let Some(end) = first_sign(line) else { return 0 };
    // A comment that does not end here goes on in the next line.
    let line = &line[..end];
    match memrchr2(b'{', b'}', line) {
        Some(brace) if line[brace] == b'{' => {
            let closed = line.iter().rposition(|byte| *byte == b'}').map_or(0, |at| at + 1);
            line[closed..].iter().position(|byte| *byte == b'{').map_or(0, |open| closed + open)
        }
        _ => end,
    }
}

/// Where a line first has a byte outside of comments that does more than belong to a move: a
/// variation, a remark up to the end of the line, a star, or what may be a result; else its end.
/// Nothing if there is too much to look at.
fn first_sign(line: &[u8]) -> Option<usize> {
    let is_outside = |at: usize| match memrchr2(b'{', b'}', &line[..at]) {
        Some(brace) => line[brace] == b'}',
        None => true,
    };
    let mut looked_at = 0;
    let mut end = line.len();
    for at in memchr3_iter(b'(', b')', b';', line) {
        if is_outside(at) {
            end = at;
            break;
        }
        looked_at += 1;
        if looked_at > MOST_SIGNS {
            return None;
        }
    }
    let is_digit = |at: usize| line.get(at).is_some_and(u8::is_ascii_digit);
    for at in memchr2_iter(b'-', b'*', &line[..end]) {
        // Castling and signs before numbers are no results.
        if line[at] == b'-' && !(at > 0 && is_digit(at - 1) && is_digit(at + 1)) {
            continue;
        }
        if is_outside(at) {
            end = if line[at] == b'*' { at } else { word_start(&line[..at]) };
            break;
        }
        looked_at += 1;
        if looked_at > MOST_SIGNS {
            return None;
        }
    }
    Some(end)
}

/// Where the last word of a line begins, or what stands before it: nothing but a comment goes on
/// behind a blank.
fn word_start(line: &[u8]) -> usize {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'}';
    line.iter().rposition(is_end).map_or(0, |at| at + 1)
}

/// The same word by word, up to a place. A token begins there with its lookahead in the text.
fn skip_words(text: &[u8], last: usize) -> usize {
    let mut at = 0;
    while at < last {
        match text[at] {
            b' ' | b'.' => at += 1,
            // A note on en passant, which is no word.
            b'e' if text[at + 1] == b'.' => break,
            b'a'..=b'z' | b'A'..=b'Z' => {
                let word = &text[at..at + LONGEST_SKIPPED];
                match word.iter().position(|byte| !IS_WORD[*byte as usize]) {
                    Some(length) => at += length,
                    None => break,
                }
            }
            b'0'..=b'9' => {
                let digits = text[at..at + LONGEST_SKIPPED].iter();
                let length = digits.take_while(|byte| byte.is_ascii_digit()).count();
                // What may be a result, or castling, is not a number.
                if length == LONGEST_SKIPPED || matches!(text[at + length], b'-' | b'/') {
                    break;
                }
                at += length;
            }
            b'{' => match memchr2(b'}', b'\n', &text[at..]) {
                Some(length) if text[at + length] == b'}' => at += length + 1,
                _ => break,
            },
            _ => break,
        }
    }
    at
}
