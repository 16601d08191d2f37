//! Positions as words, exactly as move generation holds them.
//!
//! The byte form in `bytes.rs` has only what cannot be computed from the rest, and reading it costs
//! more than three moves. These words have everything, so that a position can be put away and taken
//! up again for about a tenth of a move. Nothing here is a format: other versions of this crate may
//! order the words differently, and words that [`Position::to_words`] did not make are not refused.

use crate::{
    game::Ending,
    geometry::LINES,
    piece::Cell,
    position::{Position, Status},
    seat::Seat,
    square::{OUTSIDE, Square, Squares},
};

const SETS: usize = 1;
const LINE_WORDS: usize = SETS + 8 * 3;
const CELLS: usize = LINE_WORDS + LINES.div_ceil(4);
const SQUARES: usize = CELLS + Square::COUNT / 8;
const POINTS: usize = SQUARES + 1;
const CLOCKS: usize = POINTS + 1;
const SEATS: usize = CLOCKS + 1;

/// The byte for "none" where a seat or an ending is expected.
const NONE: u8 = u8::MAX;

const STATUS: [Status; 3] = [Status::Active, Status::Walking, Status::Out];

impl Position {
    /// How many words a position has.
    pub const WORDS: usize = SEATS + 1;

    /// The position as words, everything that could be computed included.
    #[must_use = "the words are the result"]
    pub fn to_words(&self) -> [u64; Position::WORDS] {
        let mut words = [0; Position::WORDS];
        words[0] = self.key;
        let kinds = [self.pawns, self.knights, self.diagonals, self.straights];
        let sets = words[SETS..LINE_WORDS].as_chunks_mut().0;
        for (place, set) in sets.iter_mut().zip(self.seats.into_iter().chain(kinds)) {
            *place = set.words();
        }
        let mut lines = [0; 4 * LINES.div_ceil(4)];
        lines[..LINES].copy_from_slice(&self.lines);
        for (word, four) in words[LINE_WORDS..CELLS].iter_mut().zip(lines.as_chunks().0) {
            *word = of_shorts(*four);
        }
        for (word, eight) in words[CELLS..SQUARES].iter_mut().zip(self.cells.as_chunks().0) {
            *word = u64::from_le_bytes(eight.map(Cell::bits));
        }
        let [a, b, c, d] = self.kings.map(|square| square.index() as u8);
        let [e, f, g, h] = self.passed.map(|square| square.index() as u8);
        words[SQUARES] = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        words[POINTS] = of_shorts(self.points.map(i16::cast_unsigned));
        let [a, b, c, d] = self.status.map(|status| status as u8);
        let status = [u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d])];
        words[CLOCKS] = of_shorts([self.plies, self.quiet, status[0], status[1]]);
        let seat = |seat: Option<Seat>| seat.map_or(NONE, |seat| seat as u8);
        let ending = self.ending.map_or(NONE, |ending| ending as u8);
        let (last, loser) = (seat(self.last_mover), seat(self.loser));
        words[SEATS] =
            u64::from_le_bytes([self.rights, self.turn as u8, last, ending, loser, 0, 0, 0]);
        words
    }

    /// The position that [`to_words`](Position::to_words) made these words of. Of other words it
    /// makes a position with which nothing can be relied on, or `None`.
    pub fn from_words(words: &[u64; Position::WORDS]) -> Option<Position> {
        let mut position = Position::empty();
        position.key = words[0];
        let sets = words[SETS..LINE_WORDS].as_chunks().0;
        for (seat, set) in position.seats.iter_mut().zip(sets) {
            *seat = Squares::from_words(*set);
        }
        let kind = |index: usize| Squares::from_words(sets[4 + index]);
        (position.pawns, position.knights) = (kind(0), kind(1));
        (position.diagonals, position.straights) = (kind(2), kind(3));
        for (four, &word) in position.lines.chunks_mut(4).zip(&words[LINE_WORDS..CELLS]) {
            four.copy_from_slice(&shorts(word)[..four.len()]);
        }
        let cells = position.cells.as_chunks_mut().0;
        for (eight, word) in cells.iter_mut().zip(&words[CELLS..SQUARES]) {
            *eight = word.to_le_bytes().map(Cell);
        }
        let squares = words[SQUARES].to_le_bytes();
        if squares.iter().any(|&index| index > OUTSIDE) {
            return None;
        }
        position.kings = std::array::from_fn(|seat| Square::raw(squares[seat]));
        position.passed = std::array::from_fn(|seat| Square::raw(squares[4 + seat]));
        position.points = shorts(words[POINTS]).map(u16::cast_signed);
        let [plies, quiet, first, second] = shorts(words[CLOCKS]);
        (position.plies, position.quiet) = (plies, quiet);
        let status = [first.to_le_bytes(), second.to_le_bytes()];
        for (place, &byte) in position.status.iter_mut().zip(status.as_flattened()) {
            *place = *STATUS.get(byte as usize)?;
        }
        let [rights, turn, last, ending, loser, ..] = words[SEATS].to_le_bytes();
        position.rights = rights;
        position.turn = *Seat::ALL.get(turn as usize)?;
        position.last_mover = of_byte(&Seat::ALL, last)?;
        position.ending = of_byte(&Ending::ALL, ending)?;
        position.loser = of_byte(&Seat::ALL, loser)?;
        Some(position)
    }
}

fn of_shorts(shorts: [u16; 4]) -> u64 {
    let [a, b, c, d] = shorts.map(u64::from);
    a | b << 16 | c << 32 | d << 48
}

fn shorts(word: u64) -> [u16; 4] {
    [word as u16, (word >> 16) as u16, (word >> 32) as u16, (word >> 48) as u16]
}

/// The outer `None` if the byte means nothing, the inner one if it means none.
#[expect(clippy::option_option, reason = "the caller passes the outer one on")]
fn of_byte<T: Copy>(all: &[T], byte: u8) -> Option<Option<T>> {
    if byte == NONE { Some(None) } else { all.get(byte as usize).map(|thing| Some(*thing)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Game, Random, Rules};

    #[test]
    fn words_hold_everything_of_a_position() {
        for rules in Rules::PRESETS {
            let mut random = Random::new(1);
            for _ in 0..20 {
                let mut game = Game::new(rules);
                while game.ending().is_none() && game.position().plies() < 400 {
                    let position = *game.position();
                    let taken_up = Position::from_words(&position.to_words());
                    assert_eq!(taken_up, Some(position));
                    assert_eq!(taken_up.unwrap().key(), position.key());
                    let mv = game.moves()[random.below(game.moves().len())];
                    game.play(mv).unwrap();
                }
                let last = *game.position();
                assert_eq!(Position::from_words(&last.to_words()), Some(last));
            }
        }
    }

    #[test]
    fn words_with_impossible_seats_or_squares_are_none() {
        let words = Position::start(&Rules::FFA).to_words();
        for (word, byte) in [(SQUARES, 0), (SQUARES, 7), (CLOCKS, 4), (SEATS, 1), (SEATS, 3)] {
            let mut changed = words;
            changed[word] = changed[word] & !(0xff << (8 * byte)) | 200 << (8 * byte);
            assert_eq!(Position::from_words(&changed), None, "word {word}, byte {byte}");
        }
    }
}
