//! Lines of a story as words and quoted strings.

use super::story::Pattern;

/// A line that is neither empty nor a comment.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) number: usize,
    pub(crate) text: String,
    words: Vec<Word>,
}

#[derive(Debug)]
enum Word {
    Plain(String),
    Quoted(String),
}

/// The lines of a text, or the number of a line whose strings are not closed.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Result<Line, (usize, String)>> {
    let kept = text.lines().enumerate().filter(|(_, line)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with("# ")
    });
    kept.map(|(index, line)| {
        let number = index + 1;
        let words = split(line).map_err(|error| (number, error))?;
        Ok(Line { number, text: line.trim().to_owned(), words })
    })
}

fn split(line: &str) -> Result<Vec<Word>, String> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '"' => {
                let (text, length) = quoted(&rest[1..])?;
                words.push(Word::Quoted(text));
                length + 1
            }
            _ => {
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                words.push(Word::Plain(rest[..end].trim_end_matches(',').to_owned()));
                end
            }
        };
        rest = rest[end..].trim_start();
    }
    Ok(words)
}

/// The text up to the closing quote and how many bytes it takes, that quote included.
fn quoted(rest: &str) -> Result<(String, usize), String> {
    let mut text = String::new();
    let mut characters = rest.char_indices();
    while let Some((index, character)) = characters.next() {
        match character {
            '"' => return Ok((text, index + 1)),
            '\\' => match characters.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, escaped @ ('"' | '\\'))) => text.push(escaped),
                // Kept as it is: patterns use it to tell a star from any text.
                Some((_, other)) => text.extend(['\\', other]),
                None => break,
            },
            _ => text.push(character),
        }
    }
    Err("a string is not closed".to_owned())
}

/// What is left of a line.
pub(crate) struct Words<'a>(&'a [Word]);

impl<'a> Words<'a> {
    pub(crate) fn of(line: &'a Line) -> Self {
        Words(&line.words)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn is_string(&self) -> bool {
        matches!(self.0.first(), Some(Word::Quoted(_)))
    }

    /// The next word, unless it is a string.
    pub(crate) fn peek(&self) -> Option<&'a str> {
        match self.0.first() {
            Some(Word::Plain(word)) => Some(word),
            _ => None,
        }
    }

    /// Passes the next word and returns the value.
    pub(crate) fn skip<T>(&mut self, value: T) -> T {
        self.0 = &self.0[1..];
        value
    }

    pub(crate) fn word(&mut self) -> Result<&'a str, String> {
        match self.0.first() {
            Some(Word::Plain(word)) => Ok(self.skip(word.as_str())),
            Some(Word::Quoted(text)) => Err(format!("{text:?}: expected a word without quotes")),
            None => Err("something is missing at the end".to_owned()),
        }
    }

    pub(crate) fn string(&mut self) -> Result<String, String> {
        match self.0.first() {
            Some(Word::Quoted(text)) => Ok(self.skip(text.clone())),
            Some(Word::Plain(word)) => Err(format!("`{word}`: expected a text in quotes")),
            None => Err("a text in quotes is missing at the end".to_owned()),
        }
    }

    pub(crate) fn pattern(&mut self) -> Result<Pattern, String> {
        self.string().map(Pattern)
    }

    /// Passes the word if it is the next one.
    pub(crate) fn take(&mut self, word: &str) -> bool {
        let is_next = self.peek() == Some(word);
        if is_next {
            self.skip(());
        }
        is_next
    }

    pub(crate) fn require(&mut self, expected: &str) -> Result<(), String> {
        match self.word()? {
            word if word == expected => Ok(()),
            word => Err(format!("`{word}`: expected {expected}")),
        }
    }

    pub(crate) fn count(&mut self) -> Result<usize, String> {
        let word = self.word()?;
        word.parse().map_err(|_| format!("`{word}` is no number"))
    }

    pub(crate) fn number(&mut self) -> Result<f64, String> {
        let word = self.word()?;
        word.parse().map_err(|_| format!("`{word}` is no number"))
    }

    pub(crate) fn one_of<T: Copy>(&mut self, names: &[(&str, T)]) -> Result<T, String> {
        let word = self.word()?;
        let found = names.iter().find(|(name, _)| *name == word);
        found.map(|(_, value)| *value).ok_or_else(|| {
            let names: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
            format!("`{word}`: expected {}", names.join(" or "))
        })
    }

    /// All that is left, which must be some of these.
    pub(crate) fn list<T: Copy>(&mut self, names: &[(&str, T)]) -> Result<Vec<T>, String> {
        let mut values = vec![self.one_of(names)?];
        while !self.is_empty() {
            values.push(self.one_of(names)?);
        }
        Ok(values)
    }

    pub(crate) fn end(&self) -> Result<(), String> {
        match self.0.first() {
            None => Ok(()),
            Some(Word::Plain(word)) => Err(format!("`{word}` is not expected")),
            Some(Word::Quoted(text)) => Err(format!("{text:?} is not expected")),
        }
    }
}

impl Pattern {
    /// Whether the whole text is as described.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let parts = self.parts();
        let (first, rest) = parts.split_first().expect("never empty");
        let Some(mut text) = text.strip_prefix(first.as_str()) else { return false };
        let Some((last, middle)) = rest.split_last() else { return text.is_empty() };
        for part in middle {
            match text.find(part.as_str()) {
                Some(start) => text = &text[start + part.len()..],
                None => return false,
            }
        }
        text.ends_with(last.as_str())
    }

    /// The same as a regular expression of a browser.
    pub(crate) fn expression(&self) -> String {
        let escaped = |part: &String| -> String {
            let special = |c: char| "\\^$.*+?()[]{}|/".contains(c);
            part.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
        };
        let parts: Vec<String> = self.parts().iter().map(escaped).collect();
        format!("^{}$", parts.join(".*"))
    }

    /// What stands between the stars.
    fn parts(&self) -> Vec<String> {
        let mut parts = vec![String::new()];
        let mut characters = self.0.chars();
        while let Some(character) = characters.next() {
            match character {
                '*' => parts.push(String::new()),
                '\\' => parts.last_mut().expect("never empty").extend(characters.next()),
                _ => parts.last_mut().expect("never empty").push(character),
            }
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, text, expected) in [
            ("e4, *", "e4, white pawn", true),
            ("e4, *", "e5, white pawn", false),
            ("*pawn", "white pawn", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c", false),
            ("ab*b", "ab", false),
            ("2 \\* 3", "2 * 3", true),
            ("2 \\* 3", "2 x 3", false),
            ("", "", true),
            ("*", "", true),
        ] {
            assert_eq!(Pattern(pattern.to_owned()).matches(text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn browsers_get_the_same_pattern() {
        let expression = |text: &str| Pattern(text.to_owned()).expression();
        assert_eq!(expression("a (1) * \\* x"), "^a \\(1\\) .* \\* x$");
    }

    #[test]
    fn strings_keep_spaces_and_escapes() {
        let words = split(r#"type "a \"b\"\n\* c" into @x"#).unwrap();
        let Word::Quoted(text) = &words[1] else { panic!("a string") };
        assert_eq!(text, "a \"b\"\n\\* c");
        assert_eq!(words.len(), 4);
    }
}
