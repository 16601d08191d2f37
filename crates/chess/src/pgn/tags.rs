//! The tags of a game, in their order.

use std::sync::LazyLock;

use super::Fault;
use crate::{Position, fen::shown};

/// The tags of a game in their order. A buffer that does not allocate once it is warm.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags {
    /// All names and values, one after the other, in UTF-8. Not a string: whether they are UTF-8
    /// is seen in larger steps, and again only when somebody asks for one.
    text: Vec<u8>,
    /// Where each name and each value ends.
    ends: Vec<(usize, usize)>,
}

impl Tags {
    /// The value of a tag.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.raw().find(|tag| tag.0 == name.as_bytes()).map(|tag| text(tag.1))
    }

    /// Names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.raw().map(|(name, value)| (text(name), text(value)))
    }

    #[inline]
    fn raw(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let mut start = 0;
        self.ends.iter().map(move |&(name_end, value_end)| {
            let tag = (&self.text[start..name_end], &self.text[name_end..value_end]);
            start = value_end;
            tag
        })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// How many bytes all names and values have.
    pub fn size(&self) -> usize {
        self.text.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds a tag. Characters that PGN cannot hold become underscores in the name and spaces
    /// in the value.
    pub fn push(&mut self, name: &str, value: &str) {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let name: String = name.chars().map(|c| if is_name(c) { c } else { '_' }).collect();
        let is_blank = |byte| byte == b'\n' || byte == b'\r';
        let value = value.bytes().map(|byte| if is_blank(byte) { b' ' } else { byte });
        self.text.extend_from_slice(name.as_bytes());
        let name_end = self.text.len();
        self.text.extend(value);
        self.ends.push((name_end, self.text.len()));
    }

    /// Removes all tags and keeps the memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    /// Adds a tag of ASCII without escapes.
    #[inline]
    pub(super) fn push_ascii(&mut self, name: &[u8], value: &[u8]) {
        self.text.extend_from_slice(name);
        let name_end = self.text.len();
        self.text.extend_from_slice(value);
        self.ends.push((name_end, self.text.len()));
    }

    /// Adds a tag as the reader found it: escaped, in UTF-8 or else in Latin-1.
    pub(super) fn push_raw(&mut self, name: &[u8], value: &[u8]) {
        self.text.extend_from_slice(name);
        let name_end = self.text.len();
        let mut rest = value;
        while let Some(at) = memchr::memchr(b'\\', rest) {
            self.push_part(&rest[..at]);
            let escaped = rest.get(at + 1).filter(|b| matches!(b, b'"' | b'\\'));
            self.text.push(escaped.map_or(b'\\', |&b| b));
            rest = &rest[at + 1 + usize::from(escaped.is_some())..];
        }
        self.push_part(rest);
        self.ends.push((name_end, self.text.len()));
    }

    fn push_part(&mut self, bytes: &[u8]) {
        match std::str::from_utf8(bytes) {
            Ok(_) => self.text.extend_from_slice(bytes),
            Err(_) => self.text.extend_from_slice(decoded(bytes).as_bytes()),
        }
    }

    /// The position the game starts from: that of the tag `FEN`, if there is one.
    pub fn start(&self) -> Result<Position, Fault> {
        if let Some(variant) = self.get("Variant") {
            const OURS: [&str; 6] = [
                "standard",
                "chess960",
                "chess 960",
                "fischerandom",
                "from position",
                "fischerrandom",
            ];
            if !OURS.contains(&variant.to_ascii_lowercase().as_str()) {
                return Err(Fault::Variant(shown(variant.as_bytes())));
            }
        }
        match self.get("FEN") {
            Some(fen) => Position::from_fen(fen).map_err(Fault::Start),
            None => Ok(*START),
        }
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("names and values have been decoded")
}

/// Read once: most games start here, and reading a FEN takes longer than reading a move.
static START: LazyLock<Position> = LazyLock::new(Position::default);

pub(super) fn push_decoded(text: &mut String, bytes: &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(valid) => text.push_str(valid),
        Err(_) => text.extend(bytes.iter().map(|&b| char::from(b))),
    }
}

/// A comment's text, in UTF-8 or else in Latin-1.
pub(super) fn decoded(bytes: &[u8]) -> String {
    let mut text = String::new();
    push_decoded(&mut text, bytes);
    text
}
