//! Where tables are described: in one crate, which the outputs call.

use super::{Finding, files::File, rust};

const OUTPUTS: &[&str] =
    &["crates/cli/src/", "crates/commands/src/", "crates/python/src/", "crates/web/src/"];

/// What a table is described with: each word where it stands by itself and its second half
/// follows.
const DESCRIPTIONS: &[(&str, &str)] = &[("Table", "="), ("Field", "::new"), ("Schema", "::new")];

/// Files that describe arguments, which are no tables of ours.
const MAY_DESCRIBE: &[&str] = &["crates/python/src/relations.rs", "crates/python/src/table.rs"];

/// Finds tables that an output describes itself.
pub(crate) fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is_rust() && file.is_among(OUTPUTS)) {
        if file.is_among(MAY_DESCRIBE) {
            continue;
        }
        let code = rust::without_tests(&rust::code(&file.text));
        for (word, after) in DESCRIPTIONS {
            for line in rust::lines_with(&code, word, after) {
                let what = format!("{word}: tables are described in the crate tables");
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
    fn a_table_that_an_output_describes_is_found() {
        let text = "static GAMES: Table = Table::new(\"chess.games\", &[]);\n\
                    let rows = Table::of_rows(&GAMES, rows);\n\
                    let field = Field::new(\"x\", DataType::Utf8, true);\n";
        let files = [
            File::new("crates/cli/src/chess/games.rs", text),
            File::new("crates/tables/src/chess.rs", text),
            File::new("crates/python/src/table.rs", text),
        ];
        let expected = [
            "crates/cli/src/chess/games.rs:1: Table: tables are described in the crate tables",
            "crates/cli/src/chess/games.rs:3: Field: tables are described in the crate tables",
        ];
        assert_eq!(shown(&check(&files)), expected);
    }
}
