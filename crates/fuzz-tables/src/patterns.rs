//! Files of patterns, the rules of chess as rows.

use chess_relations::{Pattern, Rules};

/// The bytes are the rows; the names of the columns come first in any case.
pub(crate) fn accepted_patterns_are_read_back_as_they_were(data: &[u8]) {
    let rows = String::from_utf8_lossy(data);
    let text = format!("{}\n{rows}", Pattern::COLUMNS.join(","));
    let rules = match Rules::from_csv(&text) {
        Ok(rules) => rules,
        Err(error) => return assert!(!error.reason.is_empty()),
    };
    let written = rules.to_csv();
    let again = Rules::from_csv(&written).unwrap_or_else(|error| panic!("{written}: {error}"));
    assert_eq!(again.patterns(), rules.patterns(), "{written}");
    assert_eq!(again.paths(), rules.paths(), "{written}");
    assert_eq!(again.attacks(), rules.attacks(), "{written}");
}
