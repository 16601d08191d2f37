//! Only outputs print.

use super::{Finding, files::File, rust};

const MACROS: &[&str] = &["println", "eprintln", "print", "eprint"];
const MAY_PRINT: &[&str] = &["cli", "commands", "python", "web"];

/// Finds library crates that print outside their tests.
pub(crate) fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is_rust() && is_library(&file.path)) {
        let code = rust::without_tests(&rust::code(&file.text));
        for name in MACROS {
            for line in rust::lines_with(&code, name, "!") {
                let what = format!("a library does not print: {name}!");
                findings.push(Finding::at(&file.path, line, what));
            }
        }
    }
    findings
}

fn is_library(path: &str) -> bool {
    let mut parts = path.split('/');
    parts.next() == Some("crates")
        && parts.next().is_some_and(|name| !MAY_PRINT.contains(&name))
        && parts.next() == Some("src")
}

#[cfg(test)]
mod tests {
    use super::{super::shown, *};

    #[test]
    fn a_library_that_prints_is_found() {
        let text = "/// println!(\"fine\")\nfn a() {\n    println!(\"x\");\n}\n\
                    #[cfg(test)]\nmod tests { fn b() { eprint!(\"fine\") } }\n";
        let files = [
            File::new("crates/chess/src/lib.rs", text),
            File::new("crates/cli/src/main.rs", text),
            File::new("crates/chess/benches/chess.rs", text),
            File::new("crates/chess/src/notes.md", text),
        ];
        let expected = ["crates/chess/src/lib.rs:3: a library does not print: println!"];
        assert_eq!(shown(&check(&files)), expected);
    }
}
