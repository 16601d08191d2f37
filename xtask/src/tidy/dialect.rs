//! One dialect of Rust: what rustfmt on the stable toolchain does not decide.

use std::collections::BTreeSet;

use super::{Finding, files::File, rust};

/// Finds source files without a header, modules in `mod.rs`, imports from one crate in several
/// statements, and `#[must_use]` without a reason.
pub(crate) fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        if file.path.contains("/src/") {
            findings.extend(layout(file));
        }
        let code = rust::code(&file.text);
        findings.extend(repeated_imports(file, &code));
        for line in rust::lines_with(&code, "must_use", "]") {
            let what = "must_use needs a reason: #[must_use = \"..\"]";
            findings.push(Finding::at(&file.path, line, what));
        }
    }
    findings
}

fn layout(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    let starts = ["//!", "#![doc = include_str!", "#![doc = include"];
    if !starts.iter().any(|start| file.text.starts_with(start)) {
        findings.push(Finding::new(&file.path, "must begin with //! and what it holds"));
    }
    if file.path.ends_with("/mod.rs") {
        findings.push(Finding::new(&file.path, "must be called like its directory, beside it"));
    }
    findings
}

/// A second `use` from the same crate, with the same visibility and indentation, in one block.
fn repeated_imports(file: &File, code: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut seen = BTreeSet::new();
    let mut under_attribute = false;
    for (index, line) in code.lines().enumerate() {
        let words = line.trim_start();
        let Some(at) = words.find("use ").filter(|&at| at == 0 || words.starts_with("pub")) else {
            // Imports are one block as long as nothing but other imports, or the rest of one that
            // goes over several lines, stands between them.
            if words.starts_with("mod ") || words.starts_with("fn ") || words.starts_with("impl") {
                seen.clear();
            }
            under_attribute = words.starts_with("#[");
            continue;
        };
        let path = &words[at + 4..];
        let root: String = path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let key = (line.len() - words.len(), words[..at].to_owned(), root.clone());
        if !under_attribute && !root.is_empty() && !seen.insert(key) {
            let what = format!("imports from {root} belong into one use");
            findings.push(Finding::at(&file.path, index + 1, what));
        }
        under_attribute = false;
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{super::shown, *};

    fn found(path: &str, text: &str) -> Vec<String> {
        shown(&check(&[File::new(path, text)]))
    }

    #[test]
    fn a_file_without_a_header_is_found() {
        let path = "crates/chess/src/a.rs";
        assert!(found(path, "//! A.\n").is_empty());
        assert_eq!(found(path, "fn a() {}\n").len(), 1);
        assert!(found("crates/chess/tests/a.rs", "fn a() {}\n").is_empty());
        assert_eq!(found("crates/chess/src/a/mod.rs", "//! A.\n").len(), 1);
    }

    #[test]
    fn a_second_import_from_a_crate_is_found() {
        let path = "crates/chess/tests/a.rs";
        let expected = "crates/chess/tests/a.rs:2: imports from std belong into one use";
        assert_eq!(found(path, "use std::fs;\nuse std::io;\n"), [expected]);
        assert!(found(path, "use std::fs;\npub use std::io;\nuse crate::a;\n").is_empty());
        assert!(found(path, "use std::fs;\n#[cfg(test)]\nuse std::io;\n").is_empty());
        assert!(found(path, "use std::fs;\nmod a {\n    use std::io;\n}\n").is_empty());
    }

    #[test]
    fn a_bare_must_use_is_found() {
        let path = "crates/chess/tests/a.rs";
        assert_eq!(found(path, "#[must_use]\nfn a() {}\n").len(), 1);
        assert!(found(path, "#[must_use = \"why\"]\nfn a() {}\n").is_empty());
    }
}
