//! Words that a reader who knows the field would have to read twice.

use super::{Finding, files::File};

/// What is refused, in lower case, and what to write instead. A `*` at the end lets the word go on.
/// The words are put together from halves so that this file is free of them.
const PRIVATE: &[(&str, &str)] = &[
    (concat!("chance starts ", "from"), "random seed"),
    (concat!("thousand ", "million"), "billion"),
    (concat!("gone ", "on from"), "expanded"),
    (concat!("gone ", "on with"), "resumed"),
    (concat!("good for nothing ", "but"), "drop the handle"),
    (concat!("nothing for ", "nothing"), "returns NULL for NULL"),
    (concat!("the system's ", "place"), "the system temp directory"),
    (concat!("the rest ", "waits"), "anything beyond it stays in the store"),
    (concat!("has no ", "room for"), "spill"),
    (concat!("by the ", "clock"), "wall-clock time"),
    (concat!("as if it ", "were,"), "as if it were each side's turn"),
    (concat!("lets a position ", "wait"), "pass row"),
    (concat!("by which ", "definitions"), "which fact definitions to use"),
    (concat!("an earlier ", "tool"), "the old Python tool"),
    (concat!("is passed ", "over"), "is skipped or ignored"),
    (concat!("are passed ", "over"), "are skipped or ignored"),
    (concat!("is told ", "in"), "is described in"),
    (concat!("fol", "der*"), "directory"),
    (concat!("me", "n"), "pieces"),
    (concat!("a ma", "n"), "a piece"),
    (concat!("the ma", "n"), "the piece"),
    (concat!("own ma", "n"), "own piece"),
    (concat!("enemy ma", "n"), "enemy piece"),
];

/// Finds words of a private language in prose and in code.
pub(crate) fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| is_read(&file.path)) {
        for (index, line) in file.text.lines().enumerate() {
            let line = line.to_lowercase();
            for (word, instead) in PRIVATE.iter().filter(|(word, _)| has(&line, word)) {
                let word = word.trim_end_matches('*');
                let what = format!("'{word}' is not a word of the field; write: {instead}");
                findings.push(Finding::at(&file.path, index + 1, what));
            }
        }
    }
    findings
}

/// Data are what others wrote.
fn is_read(path: &str) -> bool {
    let ends = [".md", ".rs", ".py", ".pyi"].iter().any(|end| path.ends_with(end));
    ends && !path.starts_with("fixtures/")
}

/// Whether a line in lower case has the words, other than inside longer ones.
fn has(line: &str, word: &str) -> bool {
    let (word, open) = match word.strip_suffix('*') {
        Some(word) => (word, true),
        None => (word, false),
    };
    line.match_indices(word).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + word.len()..].chars().next();
        let inside =
            |next: Option<char>| next.is_some_and(|next| next.is_alphanumeric() || next == '_');
        !inside(before) && (open || !inside(after))
    })
}

#[cfg(test)]
mod tests {
    use super::{super::shown, *};

    #[test]
    fn every_private_word_is_found() {
        for (word, _) in PRIVATE {
            let word = word.trim_end_matches('*');
            let text = format!("fine\n/// It {word} is");
            let found = check(&[File::new("crates/chess/src/lib.rs", &text)]);
            assert!(shown(&found)[0].starts_with("crates/chess/src/lib.rs:2: "), "{word}");
        }
    }

    #[test]
    fn words_inside_others_and_data_are_fine() {
        let text = concat!("document, hanging_me", "n and the manual");
        assert!(check(&[File::new("docs/facts.md", text)]).is_empty());
        let text = concat!("fol", "der");
        assert!(check(&[File::new("fixtures/SOURCES.md", text)]).is_empty());
        assert_eq!(check(&[File::new("docs/facts.md", text)]).len(), 1);
    }
}
