//! Moves as people type them or copy them from PGN: in SAN or UCI, with or without numbers,
//! comments, variations and a result.

use crate::{Move, Position, San, SanError, Uci};

/// The moves of a text, without what movetext of PGN holds beside them: move numbers, comments in
/// braces or after a semicolon, variations in parentheses, annotations such as `$1` or `!?`, and
/// the result.
///
/// A comment or variation that does not end is one word up to the end of the text, which is no
/// move.
///
/// ```
/// use chess::{Position, find_move, typed_moves};
///
/// let mut position = Position::default();
/// for word in typed_moves("1. e4 {best by test} e5 $6 (1... c5) 2.Nf3 2... b8c6 1/2-1/2") {
///     position = position.play(find_move(&position, word)?);
/// }
/// assert_eq!(position.fullmoves(), 3);
/// # Ok::<(), chess::SanError>(())
/// ```
pub fn typed_moves(text: &str) -> impl Iterator<Item = &str> {
    Words(text).filter_map(without_number).filter(|word| !is_aside(word))
}

/// The legal move that a word means, in SAN or UCI. An error is that of SAN, which people type.
pub fn find_move(position: &Position, word: &str) -> Result<Move, SanError> {
    let san = word.parse::<San>().and_then(|san| san.find(position));
    let uci = || word.parse::<Uci>().and_then(|uci| uci.find(position)).ok();
    san.or_else(|error| uci().ok_or(error))
}

/// The words outside comments and variations of what is left of a text.
struct Words<'a>(&'a str);

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            let text = self.0.trim_start();
            let skipped = match text.bytes().next()? {
                b'{' => text.find('}').map(|end| end + 1),
                b';' => Some(text.find('\n').unwrap_or(text.len())),
                b'(' => variation(text),
                _ => {
                    let ends = |c: char| c.is_whitespace() || matches!(c, '{' | ';' | '(' | '$');
                    // An annotation begins with the sign that ends a word.
                    let first = text.chars().next().map_or(0, char::len_utf8);
                    let end = text[first..].find(ends).map_or(text.len(), |end| first + end);
                    let (word, rest) = text.split_at(end);
                    self.0 = rest;
                    return Some(word);
                }
            };
            match skipped {
                Some(end) => self.0 = &text[end..],
                None => {
                    self.0 = "";
                    return Some(text.trim_end());
                }
            }
        }
    }
}

/// How long the variation is that a text begins with, its own variations and comments included.
fn variation(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(at + 1),
            b')' => depth -= 1,
            b'{' => _ = bytes.find(|&(_, byte)| byte == b'}')?,
            b';' => _ = bytes.find(|&(_, byte)| byte == b'\n')?,
            _ => {}
        }
    }
    None
}

/// Whether a word is a result or an annotation.
fn is_aside(word: &str) -> bool {
    let is_annotation = word
        .strip_prefix('$')
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()));
    let is_mark = word.bytes().all(|byte| matches!(byte, b'!' | b'?'));
    is_annotation || is_mark || matches!(word, "1-0" | "0-1" | "1/2-1/2" | "*")
}

/// `1.e4` without its number; nothing if there is only a number.
fn without_number(word: &str) -> Option<&str> {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let text = if rest.is_empty() {
        rest
    } else if rest.len() < word.len() && rest.starts_with('.') {
        rest.trim_start_matches('.')
    } else {
        word.trim_start_matches("...")
    };
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn movetext_of_every_kind_has_the_moves_it_shows() {
        for (text, moves) in [
            ("", ""),
            ("e4 e5", "e4 e5"),
            ("1. e4 e5 2. Nf3", "e4 e5 Nf3"),
            ("1.e4 e5 2.Nf3 2...Nc6 3 Bb5", "e4 e5 Nf3 Nc6 Bb5"),
            ("1. e4 1... e5", "e4 e5"),
            ("1. e4! e5?! 2. Nf3 !! Nc6", "e4! e5?! Nf3 Nc6"),
            ("e4{a comment}e5", "e4 e5"),
            ("e4 {(not a variation} e5", "e4 e5"),
            ("e4 (1. d4 (1. c4) {a ) here} d5) e5", "e4 e5"),
            ("e4 ; the rest of the line { ( \ne5", "e4 e5"),
            ("e4 e5 ; to the end", "e4 e5"),
            ("e4$1 $14 e5 $3", "e4 e5"),
            ("e4 e5 1-0", "e4 e5"),
            ("e4 e5 1/2-1/2\n", "e4 e5"),
            ("0-0 *", "0-0"),
            ("0-1", ""),
            ("... e5", "e5"),
            // What is broken stays, so that it is refused as a move.
            ("e4 {no end", "e4|{no end"),
            ("e4 (d4 {x} ", "e4|(d4 {x}"),
            ("e4 (d4 ; ) ", "e4|(d4 ; )"),
            ("e4 ) $ $x", "e4|)|$|$x"),
            ("é é", "é|é"),
        ] {
            let separator = if moves.contains('|') || moves.contains('é') { "|" } else { " " };
            let found: Vec<&str> = typed_moves(text).collect();
            assert_eq!(found.join(separator), moves, "{text}");
        }
    }
}
