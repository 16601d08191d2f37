//! Every table there is.

use arrow::datatypes::SchemaRef;

use crate::{Table, chess, fourchess, kalah, kenken, program};

/// Every table but `chess.facts`, whose columns are chosen; [`chess::facts_schema`] has those. A
/// table that comes with more or fewer columns stands here once for each choice.
pub fn all() -> impl Iterator<Item = &'static Table> {
    let tables =
        [&chess::TABLES[..], &fourchess::TABLES, &kalah::TABLES, &kenken::TABLES, &program::TABLES];
    tables.into_iter().flatten().copied()
}

/// The schema of the table of ours that has exactly these columns, in this order: what the header
/// of a CSV file or the keys of a JSON object tell. The columns of all our tables differ.
pub fn known(columns: &[&str]) -> Option<SchemaRef> {
    let same =
        |table: &&Table| table.columns.iter().map(|column| column.name).eq(columns.iter().copied());
    all().find(same).map(Table::schema).or_else(|| chess::facts_named(columns))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use chess_facts::{Definitions, Selection};

    use super::*;
    use crate::{chess::facts_schema, name_of};

    #[test]
    fn every_table_is_known_by_its_columns_alone() {
        let mut seen = HashSet::new();
        for table in all() {
            let names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
            assert_eq!(known(&names), Some(table.schema()), "{}", table.name);
            assert!(seen.insert(names), "{} has the columns of another table", table.name);
        }
        assert!(seen.len() > 30);
        assert_eq!(known(&["fen", "depth"]), None);
        assert_eq!(known(&[]), None);
    }

    #[test]
    fn facts_are_known_by_their_columns_whichever_were_chosen() {
        for choice in [
            "everything",
            "open_files,pinned,masks",
            "lists,hanging_gain,forks",
            "mover_forks,opponent_everything,moves,white_attack_map,xray_defenses",
        ] {
            let selection = Selection::parse(choice.split(',')).unwrap();
            let expected = facts_schema(&selection, Definitions::Std);
            let mut names: Vec<&str> =
                expected.fields().iter().map(|field| field.name().as_str()).collect();
            let found = known(&names).unwrap();
            assert_eq!(name_of(&found), Some("chess.facts"));
            for (found, expected) in found.fields().iter().zip(expected.fields()) {
                assert_eq!(
                    (found.name(), found.data_type()),
                    (expected.name(), expected.data_type())
                );
            }
            // Columns of facts may come in any order, those that every row has may not.
            names.swap(5, 6);
            assert_eq!(name_of(&known(&names).unwrap()), Some("chess.facts"));
            names.swap(2, 3);
            assert_eq!(known(&names), None);
            names.swap(2, 3);
            names.push("opinion");
            assert_eq!(known(&names), None);
        }
    }
}
