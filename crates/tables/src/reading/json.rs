//! JSON, object by object.

use std::{borrow::Cow, collections::HashMap, io::Read};

use arrow::datatypes::Schema;
use memchr::{memchr_iter, memchr2, memchr3, memrchr};

use super::{
    Row, TextError,
    columns::{Column, Expected},
    feed::Feed,
    separated::utf8,
    shortened,
};

/// The rows of a text: objects, one after the other or in an array.
pub(super) struct Objects<R> {
    feed: Feed<R>,
    /// Whether the objects are in an array; known when the first byte is.
    is_array: Option<bool>,
    is_first: bool,
    /// The columns by the keys of their values.
    places: HashMap<String, usize>,
    /// In which row a column has last had a value.
    filled: Vec<u64>,
    rows: u64,
}

impl<R: Read> Objects<R> {
    pub(super) fn new(feed: Feed<R>, schema: &Schema) -> Objects<R> {
        let names = schema.fields().iter().map(|field| field.name().clone());
        let places: HashMap<String, usize> =
            names.enumerate().map(|(index, name)| (name, index)).collect();
        let filled = vec![0; schema.fields().len()];
        Objects { feed, is_array: None, is_first: true, places, filled, rows: 0 }
    }

    /// Appends the next object to the columns.
    pub(super) fn read(
        &mut self,
        schema: &Schema,
        columns: &mut [Column],
    ) -> Result<Option<Row>, TextError> {
        let Some(length) = self.find()? else { return Ok(None) };
        let line = self.feed.line;
        let object = utf8(&self.feed.ahead()[..length], line)?;
        self.rows += 1;
        let (rows, places, filled) = (self.rows, &self.places, &mut self.filled);
        let mut cursor = Cursor::new(object);
        let mut next = 0;
        let mut misfit = None;
        let read = cursor.token().and_then(|_| {
            cursor.entries(|name, cursor| {
                // Keys nearly always come in one order.
                let is_next = schema.fields().get(next).is_some_and(|field| field.name() == name);
                let place = if is_next { Some(next) } else { places.get(name).copied() };
                let Some(place) = place else { return cursor.skip() };
                if filled[place] == rows {
                    return Err(
                        cursor.broken(format!("the key '{}' occurs twice", shortened(name)))
                    );
                }
                (filled[place], next) = (rows, place + 1);
                let start = cursor.place();
                columns[place].push_json(cursor).or_else(|Expected(expected)| {
                    cursor.rewind(start);
                    cursor.skip()?;
                    misfit = Some((place, shortened(cursor.since(start)), expected));
                    Err(cursor.broken(String::new()))
                })
            })
        });
        if let Some((place, value, expected)) = misfit {
            let column = schema.field(place).name().clone();
            return Err(TextError::Value { line, column, value, expected });
        }
        read.map_err(|broken| placed(object, line, broken))?;
        for (column, _) in columns.iter_mut().zip(&*filled).filter(|(_, row)| **row != rows) {
            column.push_null();
        }
        self.pass(length);
        Ok(Some(Row { line, bytes: length }))
    }

    /// Looks at the next object.
    pub(super) fn look(
        &mut self,
        mut see: impl FnMut(&str, &mut Cursor<'_>) -> Result<(), Broken>,
    ) -> Result<bool, TextError> {
        let Some(length) = self.find()? else { return Ok(false) };
        let line = self.feed.line;
        let object = utf8(&self.feed.ahead()[..length], line)?;
        let mut cursor = Cursor::new(object);
        let looked = cursor.token().and_then(|_| cursor.entries(&mut see));
        looked.map_err(|broken| placed(object, line, broken))?;
        self.pass(length);
        Ok(true)
    }

    /// Finds the next object, and tells its length.
    fn find(&mut self) -> Result<Option<usize>, TextError> {
        loop {
            self.pass_blanks()?;
            let Some(&first) = self.feed.ahead().first() else {
                return match self.is_array {
                    Some(true) => Err(self.broken("the array is not closed")),
                    _ => Ok(None),
                };
            };
            match (self.is_array, first) {
                (None, b'[') => self.is_array = Some(true),
                (None, _) => {
                    self.is_array = Some(false);
                    continue;
                }
                (Some(true), b',') if !self.is_first => {
                    self.feed.pass(1, 0);
                    self.pass_blanks()?;
                    return self.object().map(Some);
                }
                (Some(true), b']') => {
                    self.feed.pass(1, 0);
                    self.pass_blanks()?;
                    return match self.feed.ahead() {
                        [] => {
                            self.is_array = Some(false);
                            Ok(None)
                        }
                        _ => Err(self.broken("text after the end of the array")),
                    };
                }
                (Some(true), _) if !self.is_first => {
                    return Err(self.broken("expected ',' or ']'"));
                }
                _ => return self.object().map(Some),
            }
            self.feed.pass(1, 0);
        }
    }

    /// The length of the object that comes now.
    fn object(&mut self) -> Result<usize, TextError> {
        if self.feed.ahead().first() != Some(&b'{') {
            return Err(self.broken("expected an object"));
        }
        self.is_first = false;
        loop {
            if let Some(length) = extent(self.feed.ahead()) {
                return Ok(length);
            }
            if self.feed.is_ended() {
                return Err(self.broken("the object is not closed"));
            }
            self.feed.more()?;
        }
    }

    fn pass_blanks(&mut self) -> Result<(), TextError> {
        loop {
            let ahead = self.feed.ahead();
            let blanks = ahead.iter().take_while(|byte| is_blank(**byte)).count();
            let lines = memchr_iter(b'\n', &ahead[..blanks]).count();
            let is_all = blanks == ahead.len();
            self.feed.pass(blanks, lines);
            if !is_all || self.feed.is_ended() {
                return Ok(());
            }
            self.feed.more()?;
        }
    }

    fn pass(&mut self, length: usize) {
        let lines = memchr_iter(b'\n', &self.feed.ahead()[..length]).count();
        self.feed.pass(length, lines);
    }

    fn broken(&self, what: &str) -> TextError {
        let start = String::from_utf8_lossy(&self.feed.ahead()[..self.feed.ahead().len().min(20)]);
        let start = start.lines().next().unwrap_or_default();
        let what = if start.is_empty() { what.into() } else { format!("{what}, found '{start}'") };
        TextError::Line { line: self.feed.line, what }
    }
}

/// The length of the object at the start, if its end is at hand.
fn extent(bytes: &[u8]) -> Option<usize> {
    let (mut at, mut depth) = (0, 0_u32);
    loop {
        at += memchr3(b'"', b'{', b'}', &bytes[at..])?;
        match bytes[at] {
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some(at + 1),
            b'}' => depth -= 1,
            _ => at = text_end(bytes, at + 1)?,
        }
        at += 1;
    }
}

/// Where the quotation mark is that ends a text.
fn text_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Where an object is no JSON, and why.
pub(super) struct Broken {
    at: usize,
    what: String,
}

fn placed(object: &str, line: u64, broken: Broken) -> TextError {
    let before = &object.as_bytes()[..broken.at.min(object.len())];
    let line = line + memchr_iter(b'\n', before).count() as u64;
    let byte = (before.len() - memrchr(b'\n', before).map_or(0, |end| end + 1) + 1) as u64;
    TextError::Syntax { line, byte, what: broken.what }
}

/// What a value begins with; of those that have no parts, all of it.
pub(super) enum Token<'a> {
    Null,
    Flag(bool),
    Number(&'a str),
    Text(Cow<'a, str>),
    List,
    Object,
}

/// A place in a JSON text.
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
}

/// Lists and objects may be nested so deep; deeper ones could exhaust the stack.
const DEPTH: u32 = 64;

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Cursor<'a> {
        Cursor { text, at: 0, depth: 0 }
    }

    /// The place of the next byte that is not blank.
    pub(super) fn place(&mut self) -> usize {
        self.pass_blanks();
        self.at
    }

    /// Goes back to a place.
    pub(super) fn rewind(&mut self, place: usize) {
        self.at = place;
    }

    /// The text from a place to here.
    pub(super) fn since(&self, place: usize) -> &'a str {
        &self.text[place..self.at]
    }

    pub(super) fn is_at_end(&mut self) -> bool {
        self.place() == self.text.len()
    }

    pub(super) fn broken(&self, what: impl Into<String>) -> Broken {
        Broken { at: self.at, what: what.into() }
    }

    /// The beginning of the next value.
    pub(super) fn token(&mut self) -> Result<Token<'a>, Broken> {
        self.pass_blanks();
        match self.peek() {
            Some(b'"') => self.string().map(Token::Text),
            Some(b'{') => {
                self.at += 1;
                Ok(Token::Object)
            }
            Some(b'[') => {
                self.at += 1;
                Ok(Token::List)
            }
            Some(b'-' | b'0'..=b'9') => self.number().map(Token::Number),
            Some(b'n') => self.word("null", Token::Null),
            Some(b't') => self.word("true", Token::Flag(true)),
            Some(b'f') => self.word("false", Token::Flag(false)),
            _ => Err(self.broken("expected a value")),
        }
    }

    /// The items of a list that has begun; each must be taken.
    pub(super) fn items<E: From<Broken>>(
        &mut self,
        mut each: impl FnMut(&mut Cursor<'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut goes_on = self.enter(b']')?;
        while goes_on {
            each(self)?;
            goes_on = self.goes_on(b']')?;
        }
        Ok(())
    }

    /// The entries of an object that has begun; each value must be taken.
    pub(super) fn entries<E: From<Broken>>(
        &mut self,
        mut each: impl FnMut(&str, &mut Cursor<'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut goes_on = self.enter(b'}')?;
        while goes_on {
            self.pass_blanks();
            if self.peek() != Some(b'"') {
                return Err(self.broken("expected a key in quotation marks").into());
            }
            let key = self.string()?;
            self.pass_blanks();
            if self.peek() != Some(b':') {
                return Err(self.broken("expected ':'").into());
            }
            self.at += 1;
            each(&key, self)?;
            goes_on = self.goes_on(b'}')?;
        }
        Ok(())
    }

    /// Passes over the next value.
    pub(super) fn skip(&mut self) -> Result<(), Broken> {
        match self.token()? {
            Token::List => self.items(Cursor::skip),
            Token::Object => self.entries(|_, cursor| cursor.skip()),
            _ => Ok(()),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn pass_blanks(&mut self) {
        while self.peek().is_some_and(is_blank) {
            self.at += 1;
        }
    }

    /// Whether a list or an object that has begun has anything in it.
    fn enter(&mut self, end: u8) -> Result<bool, Broken> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.broken(format!("nested more than {DEPTH} deep")));
        }
        self.pass_blanks();
        if self.peek() != Some(end) {
            return Ok(true);
        }
        self.at += 1;
        self.depth -= 1;
        Ok(false)
    }

    /// Whether a list or an object goes on behind a value.
    fn goes_on(&mut self, end: u8) -> Result<bool, Broken> {
        self.pass_blanks();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            Some(byte) if byte == end => {
                self.at += 1;
                self.depth -= 1;
                Ok(false)
            }
            _ => Err(self.broken(format!("expected ',' or '{}'", end as char))),
        }
    }

    fn word(&mut self, word: &str, token: Token<'a>) -> Result<Token<'a>, Broken> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.broken("expected a value"));
        }
        self.at += word.len();
        Ok(token)
    }

    fn number(&mut self) -> Result<&'a str, Broken> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let first = self.peek();
        let whole = self.digits();
        let mut is_good = whole == 1 || whole > 1 && first != Some(b'0');
        if self.peek() == Some(b'.') {
            self.at += 1;
            is_good &= self.digits() > 0;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            is_good &= self.digits() > 0;
        }
        if !is_good {
            self.at = start;
            return Err(self.broken("not a valid JSON number"));
        }
        Ok(self.since(start))
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    /// The text whose opening quotation mark comes now.
    fn string(&mut self) -> Result<Cow<'a, str>, Broken> {
        let start = self.at + 1;
        let bytes = self.text.as_bytes();
        let special = memchr2(b'"', b'\\', &bytes[start..]).map(|found| start + found);
        if let Some(end) = special.filter(|&at| bytes[at] == b'"') {
            self.at = end + 1;
            return Ok(Cow::Borrowed(&self.text[start..end]));
        }
        let Some(end) = special.and_then(|at| text_end(bytes, at)) else {
            return Err(self.broken("the string is not closed"));
        };
        let text = self.unescaped(&self.text[start..end], start)?;
        self.at = end + 1;
        Ok(Cow::Owned(text))
    }

    fn unescaped(&mut self, inner: &str, start: usize) -> Result<String, Broken> {
        let mut text = String::with_capacity(inner.len());
        let mut rest = inner;
        while let Some((before, escape)) = rest.split_once('\\') {
            text.push_str(before);
            let Some((character, length)) = escaped(escape) else {
                self.at = start + inner.len() - escape.len() - 1;
                return Err(self.broken("not a valid JSON escape"));
            };
            text.push(character);
            rest = &escape[length..];
        }
        text.push_str(rest);
        Ok(text)
    }
}

/// The character that an escape stands for, and its length without the backslash.
fn escaped(escape: &str) -> Option<(char, usize)> {
    let plain = match escape.as_bytes().first()? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            let unit = |from: usize| {
                let digits = escape.get(from..from + 4)?;
                let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
                is_hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
            };
            let first = unit(1)?;
            if let Some(character) = char::from_u32(first.into()) {
                return Some((character, 5));
            }
            // A character beyond 16 bits is written as two halves.
            escape.get(5..)?.strip_prefix("\\u")?;
            let both = char::decode_utf16([first, unit(7)?]).next()?.ok()?;
            return Some((both, 11));
        }
        _ => return None,
    };
    Some((plain, 1))
}
