//! What must hold of any bytes that pretend to be a statement, a file that is read as a table, a
//! file of patterns, or the manifest of a store. `cargo xtask fuzz` and the tests ask, as in the
//! crate `fuzz`, which holds the targets that are built without DataFusion.
//!
//! ```
//! let patterns = fuzz::find(fuzz_tables::TARGETS, "patterns").expect("there is such a target");
//! (patterns.run)(b"no pattern at all");
//! ```
//!
//! Features: `libfuzzer` brings the program that `cargo xtask fuzz` runs.

mod files;
mod manifests;
mod patterns;
mod statements;
mod texts;

use fuzz::Target;

/// Every target of this crate.
pub const TARGETS: &[Target] = &[
    target("sql", statements::a_text_is_read_or_refused, 1_500),
    target("statements", statements::a_statement_stays_inside_its_guard, 300),
    target("patterns", patterns::accepted_patterns_are_read_back_as_they_were, 300),
    target("store-manifest", manifests::a_store_is_opened_or_refused, 2_000),
    target("csv", texts::csv_is_read_as_it_was_surveyed, 5_000),
    target("json", texts::json_is_read_as_it_was_surveyed, 5_000),
    target("parquet", files::a_parquet_file_has_rows_or_an_error, 200),
    target("arrow", files::an_arrow_file_has_rows_or_an_error, 200),
];

const fn target(name: &'static str, run: fn(&[u8]), tried: u32) -> Target {
    Target { name, run, tried }
}
