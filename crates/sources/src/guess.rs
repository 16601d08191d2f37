//! The format of a file, recognised from its first bytes.

use memchr::memchr;

/// What a source seems to hold.
///
/// The first line with the shape of PGN, FEN, EPD or JSON decides, and nothing
/// after it, so the verdict does not depend on how the bytes arrive. Lines of
/// other text before it do not count, nor do blank lines and lines that start
/// with `%`, `;` or `#`: one bad line costs that line and not the file. At most
/// 65,536 bytes behind the first line are looked at, and 1,048,576 of that
/// line; a line cut there is judged as it stands. It is a guess about shape
/// only: text that looks like a FEN need not be a legal one.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Content {
    /// Nothing but white space, or nothing at all.
    Empty,
    /// Reading fails before anything is seen; reading on gives the error.
    Unreadable,
    /// None of the shapes below, but a control character other than tab, line
    /// end, form feed or escape; or bytes that are neither UTF-8 nor any usual
    /// 8-bit alphabet.
    Binary,
    /// Chess games: a tag (`[Event "..."]`), a move number (`1.`) or a comment
    /// in braces comes first.
    Pgn,
    /// Chess positions one to a line, with operations: as [`Fen`](Content::Fen)
    /// but with a `;` somewhere, or with exactly four fields.
    Epd,
    /// Chess positions one to a line: the first field is made of piece letters,
    /// digits and at least two slashes.
    Fen,
    /// JSON values one to a line: an object or an array comes first.
    JsonLines,
    /// Text of some other kind.
    Text,
}

/// How far a guess looks for the end of the first line, which may be the bad one of many.
const FIRST: usize = 1 << 20;

/// How far it looks behind it.
const LIMIT: usize = 1 << 16;

/// The verdict on the lines seen so far, taken in piece by piece so that each
/// line is judged once however slowly the bytes arrive.
#[derive(Default)]
pub(crate) struct Guess {
    /// How many bytes were judged: whole lines, all of them undecided.
    judged: usize,
    /// How many bytes hold no line end but those of the lines that were judged.
    searched: usize,
    /// How many bytes the first line has, with its end, once that was seen.
    first: Option<usize>,
    has_text: bool,
    is_binary: bool,
}

impl Guess {
    /// The verdict on a source that starts with `start`, if more bytes could
    /// not change it. Each call is handed what the call before it was, and
    /// more.
    pub(crate) fn verdict(&mut self, start: &[u8]) -> Option<Content> {
        while let Some(end) = memchr(b'\n', &self.seen(start)[self.searched..]) {
            let end = self.searched + end;
            let content = self.judge(&start[self.judged..end]);
            if content.is_some() {
                return content;
            }
            self.judged = end + 1;
            self.searched = self.judged;
            self.first.get_or_insert(self.judged);
        }
        self.searched = self.seen(start).len();
        None
    }

    /// How many bytes are looked at, as far as is known.
    pub(crate) fn limit(&self) -> usize {
        self.first.map_or(FIRST, |first| first + LIMIT)
    }

    /// The bytes that are looked at.
    fn seen<'a>(&self, start: &'a [u8]) -> &'a [u8] {
        &start[..start.len().min(self.limit())]
    }

    /// The verdict where `start` is all that will be looked at.
    pub(crate) fn last_verdict(mut self, start: &[u8]) -> Content {
        let verdict = self.verdict(start).or_else(|| {
            let rest = &self.seen(start)[self.judged..];
            self.judge(rest)
        });
        verdict.unwrap_or(match self {
            Guess { is_binary: true, .. } => Content::Binary,
            Guess { has_text: true, .. } => Content::Text,
            _ => Content::Empty,
        })
    }

    fn judge(&mut self, line: &[u8]) -> Option<Content> {
        self.is_binary |= line.iter().any(|&byte| is_binary(byte));
        let content = if self.is_binary {
            verdict_among_bytes(line)
        } else {
            verdict_on_line(line.trim_ascii())
        };
        self.has_text |= !line.trim_ascii().is_empty();
        self.is_binary |= content.is_none() && is_foreign(line);
        content
    }
}

fn verdict_on_line(line: &[u8]) -> Option<Content> {
    match line {
        [] | [b'%' | b';' | b'#', ..] => None,
        _ if is_json(line) => Some(Content::JsonLines),
        _ if is_pgn(line) => Some(Content::Pgn),
        _ if is_placement(line) => Some(fen_or_epd(line)),
        _ => None,
    }
}

/// A control byte does not hide a whole tag, move or placement, in its line or
/// after it. Shorter signs stand in any file of bytes, and NUL is in none but
/// those (or in UTF-16).
fn verdict_among_bytes(line: &[u8]) -> Option<Content> {
    let rest: Vec<u8> = line.iter().copied().filter(|&byte| !is_binary(byte)).collect();
    let rest = rest.trim_ascii();
    match rest {
        _ if line.contains(&0) => None,
        _ if is_tag(rest) || is_first_move(rest) => Some(Content::Pgn),
        _ if is_placement(rest) => Some(fen_or_epd(rest)),
        _ => None,
    }
}

fn is_binary(byte: u8) -> bool {
    byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b'\x1b')
}

/// Bytes 0x80 to 0x9f are controls in the Latin alphabets. A line cut at the
/// limit may end inside a UTF-8 character, which is no sign of anything.
fn is_foreign(line: &[u8]) -> bool {
    let broken = std::str::from_utf8(line).is_err_and(|error| error.error_len().is_some());
    broken && line.iter().any(|byte| matches!(byte, 0x80..=0x9f))
}

fn is_json(line: &[u8]) -> bool {
    let inside = line[1..].trim_ascii_start();
    match line[0] {
        b'{' => matches!(inside, [] | [b'"' | b'}', ..]),
        b'[' => matches!(inside, [] | [b'"' | b'{' | b'[' | b']' | b'-' | b'0'..=b'9', ..]),
        _ => false,
    }
}

fn is_pgn(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match line[0] {
        b'[' => line[1..].trim_ascii_start().first().is_some_and(u8::is_ascii_alphabetic),
        b'{' => true,
        _ => digits > 0 && line.get(digits) == Some(&b'.'),
    }
}

/// `[Name "..."]` and perhaps more.
fn is_tag(line: &[u8]) -> bool {
    let Some(inside) = line.strip_prefix(b"[") else { return false };
    let name = inside.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    name > 0 && inside[name..].starts_with(b" \"") && line.windows(2).any(|pair| pair == b"\"]")
}

/// `1.` and the beginning of a move.
fn is_first_move(line: &[u8]) -> bool {
    let number = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let dots = line[number..].iter().take_while(|byte| matches!(byte, b'.' | b' ')).count();
    let begins = |byte: &u8| b"abcdefghKQRBNO".contains(byte);
    number > 0 && dots > 0 && line.get(number + dots).is_some_and(begins)
}

fn is_placement(line: &[u8]) -> bool {
    let first = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    let slashes = first.iter().filter(|&&byte| byte == b'/').count();
    let letters = |byte: &u8| b"PNBRQKpnbrqk0123456789/~".contains(byte);
    slashes >= 2 && first.iter().all(letters)
}

fn fen_or_epd(line: &[u8]) -> Content {
    let fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).count();
    if fields == 4 || memchr(b';', line).is_some() { Content::Epd } else { Content::Fen }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a6_the_first_line_that_says_something_decides() {
        let cases: &[(&[u8], Content)] = &[
            (b"", Content::Empty),
            (b" \r\n\t\n", Content::Empty),
            (b"[Event \"x\"]\n", Content::Pgn),
            (b"[Event \"Zug\x92s\"]\n", Content::Pgn),
            (b"\n\n% escaped\n; remark\n1. e4 e5 *\n", Content::Pgn),
            (b"12... Kd7", Content::Pgn),
            (b"{ a comment } 1. e4", Content::Pgn),
            (b"{\"a\": 1}\n", Content::JsonLines),
            (b"[1, 2]\n", Content::JsonLines),
            (b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n", Content::Fen),
            (b"rnbqkbnr/pppppppp/8/8", Content::Fen),
            (b"8/8/8/8/8/8/8/8/8/8 w - - 0 1", Content::Fen),
            (b"4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15", Content::Epd),
            (b"4k3/8/8/8/8/8/8/4K2R w K - bm O-O;", Content::Epd),
            (b"4k3/8/8/8/8/8/8/4K2R w K -", Content::Epd),
            (b"1/2-1/2", Content::Text),
            (b"hello\n\0", Content::Binary),
            (b"# only a remark", Content::Text),
            (b"nonsense\n4k3/8/8/8/8/8/8/4K2R w K - 0 1\n", Content::Fen),
            (b"dear reader,\n\n[Event \"x\"]\n", Content::Pgn),
            (b"\x1a[Event \"x\"]\n", Content::Pgn),
            (b"\x1a\n[Event \"x\"] 1. e4 *\n", Content::Pgn),
            (b"\x1a1. e4 e5 *\n", Content::Pgn),
            (b"\x1a\n1... e5 *\n", Content::Pgn),
            (b"[Ev\x01ent \"x\"]\n", Content::Pgn),
            (b"[Event \"\0\"]\n[Site \"x\"]\n", Content::Pgn),
            (b"\x014k3/8/8/8/8/8/8/4K2R w K -", Content::Epd),
            (b"a\xf0\x92\n4k3/8/8/8/8/8/8/4K2R w K -", Content::Epd),
            (b"PK\x03\x04\n{ 1. \n[A\n{\"a\":1}\n", Content::Binary),
            (b"a,b\n1,2\n", Content::Text),
            (b"6:_13,a3", Content::Text),
            ("j\u{00fc}st t\u{00e9}xt \u{2014}".as_bytes(), Content::Text),
            (b"\x89PNG\r\n\x1a\n", Content::Binary),
            (b"PK\x03\x04", Content::Binary),
            (b"\x7fELF\x02\x01\x01\0", Content::Binary),
            (b"[Event \"\0\"]", Content::Binary),
            (b"\xff\xfe[\0E\0", Content::Binary),
        ];
        for (start, expected) in cases {
            let shown = String::from_utf8_lossy(start);
            assert_eq!(Guess::default().last_verdict(start), *expected, "{shown:?}");
        }
    }

    #[test]
    fn bytes_after_a_verdict_cannot_change_it() {
        let text = b"\n; remark\nnonsense\n[Event \"x\"]\n\0\0\n";
        let mut growing = Guess::default();
        for cut in 0..text.len() {
            let content = growing.verdict(&text[..cut]);
            assert_eq!(content, Guess::default().verdict(&text[..cut]), "cut at {cut}");
            assert!(matches!(content, None | Some(Content::Pgn)), "cut at {cut}");
        }
    }
}
