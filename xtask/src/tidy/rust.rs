//! Rust source cut down to code: enough of its grammar to tell code from
//! comments, literals and tests.

/// The source with comments and literals blanked out; every byte and line stays
/// in its place.
pub(crate) fn code(source: &str) -> String {
    let mut code = source.as_bytes().to_vec();
    let mut at = 0;
    while at < code.len() {
        let length = blank_length(&source.as_bytes()[at..], at > 0 && is_word(code[at - 1]));
        blank(&mut code[at..at + length]);
        at += length.max(1);
    }
    String::from_utf8(code).expect("whole characters were blanked")
}

/// Code with the items under `#[cfg(test)]` blanked out as well.
pub(crate) fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut rest = code.to_owned().into_bytes();
    while let Some(start) = find(&rest, MARK.as_bytes()) {
        let end = start + MARK.len() + item_length(&rest[start + MARK.len()..]);
        blank(&mut rest[start..end]);
    }
    String::from_utf8(rest).expect("whole characters were blanked")
}

/// The lines, counted from 1, on which a word stands by itself and is followed
/// by `after`.
pub(crate) fn lines_with(code: &str, word: &str, after: &str) -> Vec<usize> {
    let hit = |line: &str| {
        line.match_indices(word).any(|(start, _)| {
            let (before, rest) = (&line[..start], &line[start + word.len()..]);
            !before.bytes().next_back().is_some_and(is_word)
                && !rest.bytes().next().is_some_and(is_word)
                && rest.trim_start().starts_with(after)
        })
    };
    code.lines().enumerate().filter(|(_, line)| hit(line)).map(|(index, _)| index + 1).collect()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

fn blank(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|byte| **byte != b'\n') {
        *byte = b' ';
    }
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

/// The length of the comment or literal that `rest` starts with, or 0.
fn blank_length(rest: &[u8], inside_word: bool) -> usize {
    match rest {
        [b'/', b'/', ..] => find(rest, b"\n").unwrap_or(rest.len()),
        [b'/', b'*', ..] => block_comment_length(rest),
        [b'"', ..] => quoted_length(rest, b'"'),
        [b'b' | b'c', b'r', b'"' | b'#', ..] if !inside_word => match raw_length(&rest[1..]) {
            0 => 0,
            length => length + 1,
        },
        [b'r', b'"' | b'#', ..] if !inside_word => raw_length(rest),
        [b'\'', b'\\', ..] => quoted_length(rest, b'\''),
        [b'\'', ..] => char_length(rest),
        _ => 0,
    }
}

/// Block comments nest.
fn block_comment_length(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

fn quoted_length(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != quote {
        at += if rest[at] == b'\\' { 2 } else { 1 };
    }
    rest.len().min(at + 1)
}

/// A raw identifier such as `r#type` is no raw string.
fn raw_length(rest: &[u8]) -> usize {
    let hashes = rest[1..].iter().take_while(|byte| **byte == b'#').count();
    if rest.get(1 + hashes) != Some(&b'"') {
        return 0;
    }
    let end = [&b"\""[..], &b"#".repeat(hashes)].concat();
    let start = hashes + 2;
    find(&rest[start..], &end).map_or(rest.len(), |length| start + length + end.len())
}

/// A quote that no second one follows after one character starts a lifetime.
fn char_length(rest: &[u8]) -> usize {
    let character = 1 + rest[1..].iter().skip(1).take_while(|byte| **byte & 0xc0 == 0x80).count();
    if rest.get(1 + character) == Some(&b'\'') { character + 2 } else { 0 }
}

/// The length of the rest of an item: up to its `;`, or to the end of its
/// braces.
fn item_length(rest: &[u8]) -> usize {
    let mut depth = 0;
    for (index, byte) in rest.iter().enumerate() {
        match byte {
            b';' if depth == 0 => return index + 1,
            b'{' => depth += 1,
            b'}' if depth <= 1 => return index + 1,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked() {
        let cases = [
            ("a // b\nc", "a     \nc"),
            ("a /* b /* c */ d */ e", "a                   e"),
            (r#"f("x\"y") g"#, "f(      ) g"),
            (r###"r#"a"b"# c"###, "         c"),
            ("br\"a\" c", "      c"),
            ("r#type d", "r#type d"),
            ("'a' '\\'' 'b '\u{e9}'", "         'b     "),
            ("for\"x\"", "for   "),
            ("\"a\nb\" c", "  \n   c"),
            ("\"open", "     "),
        ];
        for (source, expected) in cases {
            assert_eq!(code(source), expected, "{source}");
        }
    }

    #[test]
    fn tests_are_blanked() {
        let code = "a;\n#[cfg(test)]\nmod tests { fn b() { c } }\nd\n#[cfg(test)] use e;\nf";
        let left: Vec<String> = without_tests(code).split_whitespace().map(str::to_owned).collect();
        assert_eq!(left, ["a;", "d", "f"]);
        assert_eq!(without_tests(code).lines().count(), code.lines().count());
    }

    #[test]
    fn words_stand_by_themselves() {
        let code = "print!()\neprint!()\nprint\nprint ! ()\nprints!()";
        assert_eq!(lines_with(code, "print", "!"), [1, 4]);
        assert_eq!(lines_with(code, "print", ""), [1, 3, 4]);
    }
}
