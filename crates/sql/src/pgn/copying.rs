//! Games written by `COPY`: their texts, comments included, one after the other.

use std::{collections::HashMap, sync::Arc};

use arrow::{
    array::{Array, AsArray},
    datatypes::{DataType, SchemaRef},
    record_batch::RecordBatch,
};
use bytes::Bytes;
use datafusion::{
    catalog::Session,
    common::GetExt,
    datasource::file_format::{FileFormat, FileFormatFactory},
    error::{DataFusionError, Result},
};

use crate::files::{CopiedFormat, Text};

pub(crate) const ENDING: &str = "pgn";
/// The column with the texts of games.
const COLUMN: &str = "pgn";

/// Makes the format of PGN files. It only writes: files are read as tables of games.
#[derive(Debug)]
pub(crate) struct PgnFiles;

impl GetExt for PgnFiles {
    fn get_ext(&self) -> String {
        ENDING.to_owned()
    }
}

impl FileFormatFactory for PgnFiles {
    fn create(
        &self,
        _: &dyn Session,
        options: &HashMap<String, String>,
    ) -> Result<Arc<dyn FileFormat>> {
        match options.keys().find(|name| name.starts_with("format.")) {
            Some(name) => Err(DataFusionError::Plan(format!("PGN files have no option '{name}'"))),
            None => Ok(self.default()),
        }
    }

    fn default(&self) -> Arc<dyn FileFormat> {
        Arc::new(CopiedFormat { text: Text::Games, others: None })
    }
}

/// Refuses rows without the texts of games.
pub(crate) fn check(rows: &SchemaRef) -> Result<()> {
    match rows.field_with_name(COLUMN) {
        Ok(field) if *field.data_type() == DataType::Utf8 => Ok(()),
        _ => Err(DataFusionError::Plan(
            "a PGN file is written from a column pgn with the texts of games, as chess_games returns \
             it"
            .to_owned(),
        )),
    }
}

/// The texts of games with an empty line behind each.
pub(crate) fn texts(rows: &RecordBatch) -> Result<Bytes> {
    let texts = rows.column_by_name(COLUMN).map(AsArray::as_string::<i32>);
    let texts = texts.ok_or_else(|| DataFusionError::Internal("no texts".to_owned()))?;
    if texts.null_count() > 0 {
        return Err(DataFusionError::Execution(
            "a row without the text of a game cannot be written as PGN".to_owned(),
        ));
    }
    let mut bytes = Vec::new();
    for text in texts.iter().flatten() {
        bytes.extend_from_slice(text.as_bytes());
        bytes.extend_from_slice(b"\n\n");
    }
    Ok(bytes.into())
}
