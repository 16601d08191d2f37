//! How long a file of code may be.

use super::{Finding, files::File};

const LONG: usize = 600;
const TOO_LONG: usize = 1000;

/// Finds files that must be cut up.
pub(crate) fn too_long(files: &[File]) -> Vec<Finding> {
    between(files, TOO_LONG, usize::MAX, "at most")
}

/// Finds files that are on their way there.
pub(crate) fn long(files: &[File]) -> Vec<Finding> {
    between(files, LONG, TOO_LONG, "rarely more than")
}

fn between(files: &[File], over: usize, up_to: usize, words: &str) -> Vec<Finding> {
    let code = files.iter().filter(|file| file.is_rust());
    let sized = code.map(|file| (file, file.text.lines().count()));
    let long = sized.filter(|(_, lines)| (over + 1..=up_to).contains(lines));
    long.map(|(file, lines)| {
        Finding::new(&file.path, format!("has {lines} lines, {words} {over} wanted"))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::{super::shown, *};

    #[test]
    fn long_files_are_warned_of_and_longer_ones_found() {
        let files = [600, 601, 1000, 1001].map(|lines| File {
            path: format!("crates/chess/src/f{lines}.rs"),
            text: "x\n".repeat(lines),
        });
        let expected = [
            "crates/chess/src/f601.rs: has 601 lines, rarely more than 600 wanted",
            "crates/chess/src/f1000.rs: has 1000 lines, rarely more than 600 wanted",
        ];
        assert_eq!(shown(&long(&files)), expected);
        let expected = ["crates/chess/src/f1001.rs: has 1001 lines, at most 1000 wanted"];
        assert_eq!(shown(&too_long(&files)), expected);
        assert!(too_long(&[File::new("fixtures/a.pgn", &"x\n".repeat(2000))]).is_empty());
    }
}
