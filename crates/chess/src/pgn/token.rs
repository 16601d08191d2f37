//! The pieces that PGN text is cut into, and how tags and words are recognised.

use memchr::{memchr, memchr2, memmem};

use super::GameResult;

/// An event as places in the buffer, which can be held while the reader changes. Kept small:
/// copying larger ones about was a twentieth of the time.
pub(super) enum Token {
    Tag {
        name: Span,
        value: Span,
    },
    Move(Span),
    Nag(u8),
    Comment(Span),
    VariationStart,
    VariationEnd,
    End(GameResult),
    /// There is nothing more to come.
    Nothing,
}

/// What nearly always comes next.
pub(super) enum Quick {
    /// A plain move, which has been played already.
    Played,
    Move(Span),
    Comment(Span),
}

/// From and to in the buffer.
#[derive(Clone, Copy)]
pub(super) struct Span(pub(super) u32, pub(super) u32);

impl Span {
    #[inline]
    pub(super) fn new(from: usize, to: usize) -> Span {
        Span(from as u32, to as u32)
    }

    #[inline]
    pub(super) fn of(self, text: &[u8]) -> &[u8] {
        &text[self.0 as usize..self.1 as usize]
    }
}

/// The bytes that moves are made of.
pub(super) static IS_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_alphanumeric()
            || matches!(byte as u8, b'-' | b'+' | b'#' | b'=' | b':');
        byte += 1;
    }
    table
};

/// Where a line that begins with a tag starts in a text.
pub(super) fn find_tag_line(text: &[u8]) -> Option<usize> {
    // Nearly all comments are of one line.
    memchr(b'\n', text)?;
    memmem::find_iter(text, b"\n[").map(|at| at + 1).find(|&at| {
        let name = text[at + 1..].iter().take_while(|b| IS_TAG_NAME[**b as usize]).count();
        name > 0 && text[at + 1 + name..].starts_with(b" \"")
    })
}

/// The bytes that names of tags are made of.
pub(super) static IS_TAG_NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
};

/// A bit for each of the seven tags that every game in an archive has, and none for any other.
pub(super) fn roster_bit(name: &[u8]) -> u8 {
    match name {
        b"Event" => 1,
        b"Site" => 1 << 1,
        b"Date" => 1 << 2,
        b"Round" => 1 << 3,
        b"White" => 1 << 4,
        b"Black" => 1 << 5,
        b"Result" => 1 << 6,
        _ => 0,
    }
}

/// The places of name and value in `[Name "value"]`.
pub(super) fn parse_tag(text: &[u8]) -> Option<((usize, usize), (usize, usize))> {
    let blanks =
        |from: usize| text[from..].iter().take_while(|b| **b == b' ' || **b == b'\t').count();
    let name_from = 1 + blanks(1);
    let name_to =
        name_from + text[name_from..].iter().take_while(|b| IS_TAG_NAME[**b as usize]).count();
    let quote = name_to + blanks(name_to);
    if name_to == name_from || text.get(quote) != Some(&b'"') {
        return None;
    }
    let mut close = quote + 1;
    loop {
        close += memchr2(b'"', b'\\', text.get(close..)?)?;
        if text[close] == b'"' {
            break;
        }
        close += 2;
    }
    let bracket = close + 1 + blanks(close + 1);
    (text.get(bracket) == Some(&b']')).then_some(((name_from, name_to), (quote + 1, close)))
}
