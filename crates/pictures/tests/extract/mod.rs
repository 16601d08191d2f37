//! Reads the texts of a PDF that this workspace wrote, with nothing of the code that wrote it.

use std::collections::HashMap;

/// The texts of a document in their order, one for each text element.
pub(crate) fn texts(pdf: &[u8]) -> Vec<String> {
    let meanings = meanings(&String::from_utf8_lossy(pdf));
    let mut texts = Vec::new();
    let mut rest = pdf;
    while let Some(start) = find(rest, b"\nBT\n") {
        let end = start + find(&rest[start..], b"\nET\n").expect("text that begins also ends");
        let mut text = String::new();
        for glyph in strings(&rest[start + 4..end]).chunks_exact(2) {
            let number = u16::from_be_bytes([glyph[0], glyph[1]]);
            text += meanings.get(&number).expect("every glyph has a meaning");
        }
        texts.push(text);
        rest = &rest[end..];
    }
    texts
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// What each glyph stands for.
fn meanings(pdf: &str) -> HashMap<u16, String> {
    let mut meanings = HashMap::new();
    for part in pdf.split(" beginbfchar\n").skip(1) {
        for line in part.lines().take_while(|line| *line != "endbfchar") {
            let (glyph, text) = line.split_once("> <").expect("a pair");
            let glyph = u16::from_str_radix(glyph.trim_start_matches('<'), 16).expect("a number");
            let text: Vec<u16> = text
                .trim_end_matches('>')
                .as_bytes()
                .chunks(4)
                .map(|unit| u16::from_str_radix(std::str::from_utf8(unit).unwrap(), 16).unwrap())
                .collect();
            meanings.insert(glyph, String::from_utf16(&text).expect("text"));
        }
    }
    meanings
}

/// The bytes of all strings in a piece of a content stream.
fn strings(content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut at = 0;
    while at < content.len() {
        match content[at] {
            b'(' => at += literal(&content[at..], &mut bytes),
            b'<' => {
                let end = at + find(&content[at..], b">").expect("a string ends");
                let digits = std::str::from_utf8(&content[at + 1..end]).expect("hexadecimal");
                let pair = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
                bytes.extend((0..digits.len()).step_by(2).map(pair));
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
    bytes
}

/// Reads a string in parentheses. Returns where its last byte is.
fn literal(content: &[u8], bytes: &mut Vec<u8>) -> usize {
    let mut depth = 0;
    let mut at = 0;
    loop {
        match content[at] {
            b'\\' if content[at + 1].is_ascii_digit() => {
                let digits = std::str::from_utf8(&content[at + 1..at + 4]).expect("octal");
                bytes.push(u8::from_str_radix(digits, 8).expect("octal"));
                at += 3;
            }
            b'\\' => {
                at += 1;
                bytes.push(match content[at] {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'b' => 8,
                    b'f' => 12,
                    other => other,
                });
            }
            b'(' => {
                depth += 1;
                if depth > 1 {
                    bytes.push(b'(');
                }
            }
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
                bytes.push(b')');
            }
            byte => bytes.push(byte),
        }
        at += 1;
    }
}
