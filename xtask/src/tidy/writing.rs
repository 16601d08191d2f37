//! Only `sinks` writes files.

use super::{Finding, files::File, rust};

/// Ways to make a file or to give it a name. Each word is looked for where it stands by itself and
/// its second half follows.
const CALLS: &[(&str, &str)] = &[
    ("File", "::create"),
    ("File", "::options"),
    ("OpenOptions", "::new"),
    ("fs", "::write"),
    ("fs", "::rename"),
    ("fs", "::copy"),
];

/// Files, or directories with a final slash, that may.
const MAY_WRITE: &[&str] = &[
    "crates/sinks/src/",
    // Tries whether a directory can be written to, and removes what it made.
    "crates/cli/src/doctor/machine.rs",
    // Makes a file that only its user may read and that is gone with the program.
    "crates/cli/src/serve/browser.rs",
    // Put inputs where what is tested looks for them.
    "crates/fuzz/src/corpus.rs",
    "crates/fuzz-tables/src/",
];

/// Finds crates that write files in another way.
pub(crate) fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let ours = |file: &&File| {
        file.is_rust() && file.path.starts_with("crates/") && file.path.contains("/src/")
    };
    for file in files.iter().filter(ours).filter(|file| !file.is_among(MAY_WRITE)) {
        let code = rust::without_tests(&rust::code(&file.text));
        for (word, after) in CALLS {
            for line in rust::lines_with(&code, word, after) {
                let what = format!("{word}{after}: files are written through sinks");
                findings.push(Finding::at(&file.path, line, what));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{super::shown, *};

    #[test]
    fn a_file_written_in_another_way_is_found() {
        let text = "fn a() {\n    std::fs::write(\"x\", \"y\");\n    File::open(\"x\");\n}\n";
        let made = |path: &str| [File::new(path, text)];
        let expected = ["crates/cli/src/a.rs:2: fs::write: files are written through sinks"];
        assert_eq!(shown(&check(&made("crates/cli/src/a.rs"))), expected);
        assert_eq!(shown(&check(&made("crates/sinks/src/a.rs"))), [""; 0]);
        assert_eq!(shown(&check(&made("crates/cli/tests/a.rs"))), [""; 0]);
    }
}
