//! The rules of chess as a table that can be edited, and back.

use ::sql::{Rules, VARIANTS};
use arrow::{
    array::{Array, AsArray, StringArray},
    compute::cast,
    datatypes::DataType,
    record_batch::RecordBatch,
};
use chess_relations::Pattern;
use pyo3::{exceptions::PyTypeError, prelude::*};
use tables::{Cell, chess::PATTERNS};

use super::RulesError;
use crate::{error::refuse, table::Table};

/// The rules that are asked for: rows of one's own, or else those of a variant.
pub(crate) fn chosen(variant: &str, patterns: Option<&Bound<'_, PyAny>>) -> PyResult<Rules> {
    patterns.map_or_else(|| named(variant), read)
}

pub(super) fn named(variant: &str) -> PyResult<Rules> {
    Rules::named(variant).ok_or_else(|| {
        let known = VARIANTS.map(|(name, _)| name).join(", ");
        refuse(format!("variant '{variant}', expected one of {known}"))
    })
}

/// The table `chess.patterns` of docs/formats.md.
pub(super) fn table(rules: &Rules) -> Table {
    let rows = rules.patterns().iter().map(|pattern| pattern.columns().map(Cell::from));
    Table::of_rows(&PATTERNS, rows)
}

pub(super) fn read(patterns: &Bound<'_, PyAny>) -> PyResult<Rules> {
    let table = Table::of(patterns, "patterns")?;
    let batches = table.batches.iter().map(texts).collect::<PyResult<Vec<_>>>()?;
    let rows = batches.iter().flat_map(|columns| {
        (0..columns[0].len()).map(move |row| columns.each_ref().map(|column| text(column, row)))
    });
    // The first row stands in the second line of a file.
    Rules::from_rows(rows).map_err(|error| {
        RulesError::new_err(format!("patterns[{}]: {}", error.line - 2, error.reason))
    })
}

/// The columns as text, whatever they have become on their way: numbers, or other kinds of text.
fn texts(batch: &RecordBatch) -> PyResult<[StringArray; 7]> {
    let column = |name: &str| -> PyResult<StringArray> {
        let found = batch.column_by_name(name).ok_or_else(|| {
            let expected = Pattern::COLUMNS.join(", ");
            refuse(format!("patterns: no column {name}, expected {expected}"))
        })?;
        let text = cast(found, &DataType::Utf8).map_err(|_| {
            let found = found.data_type();
            PyTypeError::new_err(format!("patterns: {name} is {found}, expected text"))
        })?;
        Ok(text.as_string::<i32>().clone())
    };
    let columns = Pattern::COLUMNS.iter().map(|name| column(name)).collect::<PyResult<Vec<_>>>()?;
    Ok(columns.try_into().expect("as many as there are names"))
}

/// Libraries that read a file may tell an empty text as a missing one.
fn text(column: &StringArray, row: usize) -> &str {
    if column.is_null(row) { "" } else { column.value(row) }
}
