//! The text of one game, cut into tags and words.

use super::Fault;

/// What stands among the moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    Word(&'a str),
    Comment(&'a str),
    Open,
    Close,
}

/// A text and a place in it.
pub(super) struct Text<'a> {
    text: &'a str,
    /// The tokens before this have been taken.
    at: usize,
    /// Where the last token begins, for errors.
    pub(super) token: usize,
}

impl<'a> Text<'a> {
    pub(super) fn new(text: &'a str) -> Text<'a> {
        Text { text, at: 0, token: 0 }
    }

    /// How many lines end before the last token.
    pub(super) fn line(&self) -> u64 {
        self.text[..self.token].matches('\n').count() as u64
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip(&mut self, skipped: impl Fn(char) -> bool) {
        self.at = self.text.len() - self.rest().trim_start_matches(skipped).len();
        self.token = self.at;
    }

    /// The next tag, if there is one before the moves.
    pub(super) fn tag(&mut self) -> Result<Option<(&'a str, String)>, Fault> {
        self.skip(char::is_whitespace);
        let rest = self.rest();
        if !rest.starts_with('[') {
            return Ok(None);
        }
        let error = || Fault::Tag(rest.lines().next().unwrap_or("").chars().take(40).collect());
        let end = tag_end(rest).ok_or_else(error)?;
        let inside = rest[1..end].trim_end().strip_suffix(']').ok_or_else(error)?.trim_end();
        let (name, value) = inside.split_once('"').ok_or_else(error)?;
        let value = value.strip_suffix('"').ok_or_else(error)?;
        let name = name.trim();
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(error());
        }
        self.at += end;
        Ok(Some((name, value.replace(['\n', '\r'], " "))))
    }

    /// The next token among the moves. Numbers, dots and results of two-player games say nothing
    /// that the moves do not.
    pub(super) fn next(&mut self) -> Result<Option<Token<'a>>, Fault> {
        loop {
            self.skip(|letter| letter.is_whitespace() || letter == '.');
            let rest = self.rest();
            let Some(first) = rest.chars().next() else { return Ok(None) };
            let single = match first {
                '(' => Some(Token::Open),
                ')' => Some(Token::Close),
                '}' => return Err(Fault::Unexpected('}')),
                '{' => {
                    let end = rest.find('}').ok_or(Fault::UnclosedComment)?;
                    self.at += end + 1;
                    return Ok(Some(Token::Comment(&rest[1..end])));
                }
                _ => None,
            };
            if single.is_some() {
                self.at += 1;
                return Ok(single);
            }
            let ends = |c: char| c.is_whitespace() || matches!(c, '.' | '{' | '}' | '(' | ')');
            let word = &rest[..rest.find(ends).unwrap_or(rest.len())];
            self.at += word.len();
            let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
            let counts = is_number && self.rest().starts_with('.');
            if !counts && !matches!(word, "*" | "1-0" | "0-1" | "1/2-1/2") {
                return Ok(Some(Token::Word(word)));
            }
        }
    }
}

/// Where a tag ends: behind the first `"` that a `]` follows.
pub(super) fn tag_end(text: &str) -> Option<usize> {
    text.match_indices('"').find_map(|(at, _)| {
        let rest = text[at + 1..].trim_start();
        rest.starts_with(']').then(|| text.len() - rest.len() + 1)
    })
}

/// The name of the tag that a line begins with.
pub(super) fn tag_name(line: &str) -> Option<&str> {
    let name = line.trim_start().strip_prefix('[')?;
    let end = name.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'))?;
    let is_tag = end > 0 && name[end..].trim_start().starts_with('"');
    is_tag.then_some(&name[..end])
}
