//! Text that cannot steer a terminal.

use std::{borrow::Cow, fmt::Write as _};

/// Foreign text for a message: what could steer a terminal is written as an
/// escape, line ends and tabs stay.
///
/// ```
/// use sources::printable;
///
/// assert_eq!(printable("games.pgn: it's fine"), "games.pgn: it's fine");
/// assert_eq!(printable("\u{1b}[2Jgames.pgn"), "\\u{1b}[2Jgames.pgn");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        if steers(letter) {
            write!(shown, "{}", letter.escape_unicode()).expect("a string takes all text");
        } else {
            shown.push(letter);
        }
    }
    Cow::Owned(shown)
}

/// Controls, and the marks that change the direction of writing: with those a
/// name can be made to look like another.
fn steers(letter: char) -> bool {
    letter.is_control() && !matches!(letter, '\n' | '\t')
        || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}')
        || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
