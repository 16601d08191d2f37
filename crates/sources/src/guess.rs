use memchr::memchr;

/// What a source seems to hold.
///
/// The verdict rests on the first line that says something, and on nothing
/// after it, so it does not depend on how the bytes arrive. Blank lines and
/// lines starting with `%`, `;` or `#` say nothing. At most the first 4096
/// bytes are looked at; a line cut there is judged as it stands. It is a guess
/// about shape only: text that looks like a FEN need not be a legal one.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Content {
    /// Nothing but white space, or nothing at all.
    Empty,
    /// Reading fails before anything is seen; reading on gives the error.
    Unreadable,
    /// A control character other than tab, line end, form feed or escape; or
    /// bytes that are neither UTF-8 nor any usual 8-bit alphabet.
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

/// How far a guess looks.
pub(crate) const LIMIT: usize = 4096;

/// The verdict on a source that starts with `start`, if more bytes could not
/// change it.
pub(crate) fn verdict(start: &[u8]) -> Option<Content> {
    let mut rest = start;
    while let Some(end) = memchr(b'\n', rest) {
        if let Some(content) = verdict_on_line(&rest[..end]) {
            return Some(content);
        }
        rest = &rest[end + 1..];
    }
    None
}

/// The verdict where `start` is all that will be looked at.
pub(crate) fn last_verdict(start: &[u8]) -> Content {
    let last = start.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    verdict(start).or_else(|| verdict_on_line(last)).unwrap_or_else(|| {
        if start.trim_ascii().is_empty() { Content::Empty } else { Content::Text }
    })
}

fn verdict_on_line(line: &[u8]) -> Option<Content> {
    if line.iter().any(|&byte| is_binary(byte)) {
        return Some(Content::Binary);
    }
    let line = line.trim_ascii();
    match line {
        [] | [b'%' | b';' | b'#', ..] => None,
        _ if is_json(line) => Some(Content::JsonLines),
        _ if is_pgn(line) => Some(Content::Pgn),
        _ if is_placement(line) => Some(fen_or_epd(line)),
        _ if is_foreign(line) => Some(Content::Binary),
        _ => Some(Content::Text),
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
    fn the_first_line_that_says_something_decides() {
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
            (b"hello\n\0", Content::Text),
            (b"# only a remark", Content::Text),
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
            assert_eq!(last_verdict(start), *expected, "{shown:?}");
        }
    }

    #[test]
    fn bytes_after_a_verdict_cannot_change_it() {
        let text = b"\n; remark\n[Event \"x\"]\n\0\0\n";
        for cut in 0..text.len() {
            if let Some(content) = verdict(&text[..cut]) {
                assert_eq!(content, Content::Pgn, "cut at {cut}");
            }
        }
    }
}
