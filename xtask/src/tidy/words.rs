//! Words that have no place in the repository.

use super::{Finding, files::File};

#[derive(Clone, Copy, Eq, PartialEq)]
enum Scope {
    /// In every text file.
    Everywhere,
    /// In Rust files, their comments included; prose may speak of it.
    Rust,
}

/// The words are put together from halves so that this file is free of them.
const FORBIDDEN: &[(&str, Scope, &str)] = &[
    (concat!("to", "do!("), Scope::Rust, "finish it"),
    (concat!("unimpl", "emented!("), Scope::Rust, "finish it"),
    (concat!("db", "g!("), Scope::Rust, "a trace left behind"),
    (concat!("#[ig", "nore"), Scope::Rust, "slow tests look at EVERYPLY_SLOW instead"),
    (concat!("TO", "DO"), Scope::Everywhere, "finish it or file an issue"),
    (concat!("FIX", "ME"), Scope::Everywhere, "finish it or file an issue"),
    (concat!("/wo", "rk/"), Scope::Everywhere, "a path of one machine"),
    (concat!("/ro", "ot/"), Scope::Everywhere, "a path of one machine"),
    (concat!("/ho", "me/"), Scope::Everywhere, "a path of one machine"),
];

/// Names for what belongs in some other room.
const FORBIDDEN_NAMES: &[&str] = &["core", "common", "utils", "types", "prelude"];

/// Finds forbidden words.
pub(crate) fn forbidden(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        for (word, scope, why) in FORBIDDEN {
            if *scope == Scope::Everywhere || file.is_rust() {
                let lines = file.text.lines().enumerate();
                for (index, _) in lines.filter(|(_, line)| has_word(line, word)) {
                    let what = format!("{word} is forbidden: {why}");
                    findings.push(Finding::at(&file.path, index + 1, what));
                }
            }
        }
    }
    findings
}

/// Finds modules and directories under `crates/` with a name that says nothing.
pub(crate) fn names(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        let Some(path) = file.path.strip_prefix("crates/") else { continue };
        let parts = path.strip_suffix(".rs").unwrap_or(path).split('/');
        for name in parts.filter(|part| FORBIDDEN_NAMES.contains(part)) {
            findings.push(Finding::new(&file.path, format!("{name} says nothing of its content")));
        }
    }
    findings
}

/// Whether a line has the word other than as a part of a longer word or path.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || "_-.".contains(character);
    let open_end = word.ends_with(|last: char| !last.is_alphanumeric());
    line.match_indices(word).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + word.len()..].chars().next();
        !before.is_some_and(is_part) && (open_end || !after.is_some_and(char::is_alphanumeric))
    })
}

#[cfg(test)]
mod tests {
    use super::{super::shown, *};

    #[test]
    fn every_forbidden_word_is_found() {
        for (word, _, why) in FORBIDDEN {
            let files =
                [File::new("crates/chess/src/lib.rs", &format!("fn a() {{}}\n    {word}x"))];
            let spaced = [File::new("crates/chess/src/lib.rs", &format!("\n{word} x"))];
            let found = [forbidden(&files), forbidden(&spaced)].concat();
            let expected = format!("crates/chess/src/lib.rs:2: {word} is forbidden: {why}");
            assert!(shown(&found).contains(&expected), "{word}");
        }
    }

    #[test]
    fn prose_may_speak_of_code_but_not_of_machines() {
        let (ignored, path) = (concat!("#[ig", "nore]"), concat!("in /ho", "me/me/x"));
        assert!(forbidden(&[File::new("STYLE.md", ignored)]).is_empty());
        assert_eq!(forbidden(&[File::new("STYLE.md", path)]).len(), 1);
        let part = concat!("https://example.org/ho", "me/x fixtures/wo", "rk/x");
        assert!(forbidden(&[File::new("STYLE.md", part)]).is_empty());
    }

    #[test]
    fn names_that_say_nothing_are_found() {
        let files = [
            File::new("crates/chess/src/utils.rs", ""),
            File::new("crates/common/src/lib.rs", ""),
            File::new("crates/chess/src/score.rs", ""),
            File::new("docs/types", ""),
        ];
        let expected = [
            "crates/chess/src/utils.rs: utils says nothing of its content",
            "crates/common/src/lib.rs: common says nothing of its content",
        ];
        assert_eq!(shown(&names(&files)), expected);
    }
}
