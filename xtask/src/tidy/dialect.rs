//! One dialect of Rust: what rustfmt on the stable toolchain does not decide.

use std::collections::BTreeSet;

use super::{Finding, files::File, rust};

/// The most methods that a trait may require.
const MOST_REQUIRED: usize = 7;

/// Names of methods, and what the other crates call them.
const METHODS: [(&str, &str); 2] = [("has", "contains"), ("is_some", "!is_empty")];

/// Finds source files without a header, modules in `mod.rs`, imports from one crate in several
/// statements, `#[must_use]` without a reason, traits that require too much, and methods that have
/// another name elsewhere.
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
        findings.extend(large_traits(file, &code));
        for (name, instead) in METHODS {
            let lines = ["(self", "(&self"].map(|from| rust::lines_with(&code, name, from));
            for line in lines.concat() {
                let what = format!("{name} is called {instead} elsewhere");
                findings.push(Finding::at(&file.path, line, what));
            }
        }
    }
    findings
}

fn large_traits(file: &File, code: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for line in rust::lines_with(code, "trait", "") {
        let rest: Vec<&str> = code.lines().skip(line - 1).collect();
        let indent = &rest[0][..rest[0].len() - rest[0].trim_start().len()];
        let end = rest.iter().position(|line| *line == format!("{indent}}}")).unwrap_or(0);
        let block = rest[..end].join("\n") + "\n";
        // The semicolon of a method without a body ends its line, unlike that of an array.
        let is_required = |method: &&str| {
            let end = method.find(";\n");
            end.is_some_and(|end| method.find('{').is_none_or(|body| end < body))
        };
        let required = block.split("fn ").skip(1).filter(is_required).count();
        if required > MOST_REQUIRED {
            let what = format!("{required} required methods, expected at most {MOST_REQUIRED}");
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
    fn a_trait_that_requires_too_much_is_found() {
        let path = "crates/chess/tests/a.rs";
        let methods = |count| "    fn a(&self, b: [u8; 2]);\n".repeat(count);
        let provided = "    fn b(&self) {\n        a();\n    }\n";
        assert!(found(path, &format!("trait A {{\n{provided}{}}}\n", methods(7))).is_empty());
        let expected = "crates/chess/tests/a.rs:2: 8 required methods, expected at most 7";
        assert_eq!(found(path, &format!("\npub trait A: B {{\n{}}}\n", methods(8))), [expected]);
    }

    #[test]
    fn a_method_with_another_name_elsewhere_is_found() {
        let path = "crates/chess/tests/a.rs";
        assert_eq!(found(path, "pub const fn has(self, a: A) -> bool {\n").len(), 1);
        assert_eq!(found(path, "fn is_some(&self) -> bool {\n").len(), 1);
        assert!(found(path, "fn has_left(self) {}\nfn has(line: &str) {}\n").is_empty());
    }

    #[test]
    fn a_bare_must_use_is_found() {
        let path = "crates/chess/tests/a.rs";
        assert_eq!(found(path, "#[must_use]\nfn a() {}\n").len(), 1);
        assert!(found(path, "#[must_use = \"why\"]\nfn a() {}\n").is_empty());
    }
}
