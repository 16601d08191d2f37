//! Which table has these columns.

use arrow::datatypes::SchemaRef;
use chess_facts::Definitions;

use crate::Selection;

/// The schema of the table of ours that has exactly these columns, in this order: what the header
/// of a CSV file or the keys of a JSON object tell.
pub fn known(columns: &[&str]) -> Option<SchemaRef> {
    let facts = columns.get(5..)?.iter().map(|name| name.strip_prefix("black_").unwrap_or(name));
    let facts = facts.map(|name| name.strip_prefix("white_").unwrap_or(name));
    let schema = Selection::parse(facts).ok()?.schema(Definitions::Std);
    schema.fields().iter().map(|field| field.name()).eq(columns).then_some(schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_known_by_their_columns_whichever_were_chosen() {
        for choice in ["everything", "pinned,masks,open_files", "lists,hanging_gain,forks"] {
            let selection = Selection::parse(choice.split(',')).unwrap();
            let expected = selection.schema(Definitions::Std);
            let mut names: Vec<&str> =
                expected.fields().iter().map(|field| field.name().as_str()).collect();
            let found = known(&names).unwrap();
            assert_eq!(found.fields().len(), expected.fields().len());
            for (found, expected) in found.fields().iter().zip(expected.fields()) {
                assert_eq!(found.name(), expected.name());
                assert_eq!(found.data_type(), expected.data_type());
            }
            names.pop();
            assert_eq!(known(&names), None);
        }
        assert_eq!(known(&["fen", "depth"]), None);
        assert_eq!(known(&[]), None);
    }
}
