//! Moves as people type them: in SAN or UCI, with or without numbers.

use crate::{Move, Position, San, SanError, Uci};

/// The moves of a text, separated by blanks, without the numbers before them.
///
/// ```
/// use chess::{Position, find_move, typed_moves};
///
/// let mut position = Position::default();
/// for word in typed_moves("1. e4 e5 2.Nf3 2... b8c6") {
///     position = position.play(find_move(&position, word)?);
/// }
/// assert_eq!(position.fullmoves(), 3);
/// # Ok::<(), chess::SanError>(())
/// ```
pub fn typed_moves(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().filter_map(without_number)
}

/// The legal move that a word means, in SAN or UCI. An error is that of SAN, which people type.
pub fn find_move(position: &Position, word: &str) -> Result<Move, SanError> {
    let san = word.parse::<San>().and_then(|san| san.find(position));
    let uci = || word.parse::<Uci>().and_then(|uci| uci.find(position)).ok();
    san.or_else(|error| uci().ok_or(error))
}

/// `1.e4` without its number; nothing if there is only a number.
fn without_number(word: &str) -> Option<&str> {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let text = if rest.len() < word.len() && rest.starts_with('.') {
        rest.trim_start_matches('.')
    } else {
        word
    };
    (!text.is_empty()).then_some(text)
}
