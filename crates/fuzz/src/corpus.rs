//! A corpus: a text file with an input on each line, escaped like a byte string of Rust, so that
//! an input that once broke something is a line of data.

use std::{fs, io, path::Path};

/// The inputs of a corpus. Lines that start with `#` are comments.
///
/// ```
/// assert_eq!(fuzz::parse("# a comment\n\\x00\\n\\\\a\n").unwrap(), [b"\0\n\\a"]);
/// assert!(fuzz::parse("\\q\n").unwrap_err().starts_with("line 1"));
/// ```
///
/// # Errors
///
/// The number of a line that is not escaped as it must be.
pub fn parse(text: &str) -> Result<Vec<Vec<u8>>, String> {
    let mut inputs = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        if !line.starts_with('#') {
            let input = unescaped(line.as_bytes());
            inputs.push(input.ok_or_else(|| format!("line {number}: {line}"))?);
        }
    }
    Ok(inputs)
}

/// Writes every input of a corpus to a directory, a file each, as libFuzzer wants it.
///
/// # Errors
///
/// What the system says, or what [`parse`] does.
pub fn unpack(corpus: &Path, directory: &Path) -> io::Result<()> {
    let inputs = parse(&fs::read_to_string(corpus)?).map_err(io::Error::other)?;
    fs::create_dir_all(directory)?;
    for (at, input) in inputs.iter().enumerate() {
        fs::write(directory.join(format!("corpus-{at}")), input)?;
    }
    Ok(())
}

/// The bytes that `<[u8]>::escape_ascii` has written.
fn unescaped(line: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some((&first, after)) = rest.split_first() {
        let (byte, after) = match (first, after) {
            (b'\\', [b'n', after @ ..]) => (b'\n', after),
            (b'\\', [b'r', after @ ..]) => (b'\r', after),
            (b'\\', [b't', after @ ..]) => (b'\t', after),
            (b'\\', [quoted @ (b'\\' | b'\'' | b'"'), after @ ..]) => (*quoted, after),
            (b'\\', [b'x', high, low, after @ ..]) => {
                let digit = |letter: u8| char::from(letter).to_digit(16);
                ((digit(*high)? * 16 + digit(*low)?) as u8, after)
            }
            (b'\\', _) => return None,
            (byte, after) => (byte, after),
        };
        bytes.push(byte);
        rest = after;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_read_back_as_it_was_escaped() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(parse(&format!("{}\n", bytes.escape_ascii())), Ok(vec![bytes]));
        assert_eq!(parse("\n\n"), Ok(vec![vec![], vec![]]));
        for bad in ["\\", "\\x1", "\\xg0", "\\0"] {
            assert_eq!(parse(bad), Err(format!("line 1: {bad}")));
        }
    }
}
