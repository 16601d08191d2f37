//! Files that a statement describes: `CREATE EXTERNAL TABLE`.

use std::{collections::HashMap, sync::Arc};

use async_trait::async_trait;
use datafusion::{
    catalog::{Session, TableProvider, TableProviderFactory},
    datasource::listing_table_factory::ListingTableFactory,
    error::{DataFusionError, Result},
    logical_expr::CreateExternalTable,
};
use tables::{Absent, Notation};

use super::{columns, listing, listing::Place, plan_error, text::TextTable};

/// Makes the tables of `CREATE EXTERNAL TABLE`.
#[derive(Debug)]
pub(crate) struct External;

/// What files of a table may be stored as.
pub(crate) const STORED_AS: [&str; 7] =
    ["PARQUET", "ARROW", "CSV", "TSV", "JSON", "NDJSON", "JSONL"];

#[async_trait]
impl TableProviderFactory for External {
    async fn create(
        &self,
        session: &dyn Session,
        create: &CreateExternalTable,
    ) -> Result<Arc<dyn TableProvider>> {
        for path in &create.locations {
            check_is_there(session, path).await?;
        }
        let Some(notation) = notation(create)? else {
            // DataFusion reads the locations again, and knows no pattern in a URL.
            let is_pattern = |path: &&String| {
                path.contains("://")
                    && listing::located(path).is_ok_and(|it| it.get_glob().is_some())
            };
            if let Some(path) = create.locations.iter().find(is_pattern) {
                return Err(plan_error(
                    path,
                    "a table of Parquet or Arrow files has no pattern in a URL; a view of it has",
                ));
            }
            return ListingTableFactory::new().create(session, create).await;
        };
        let [path] = &create.locations[..] else {
            return Err(DataFusionError::Plan(
                "a table of CSV or JSON files has one location".into(),
            ));
        };
        if !create.table_partition_cols.is_empty() {
            return Err(plan_error(path, "PARTITIONED BY is for Parquet and Arrow only"));
        }
        let place = Place::new(listing::located(path)?, path, notation);
        let declared = create.schema.inner();
        let found = place.find(session).await?;
        let (schema, absent) = if !declared.fields().is_empty() {
            (declared.clone(), Absent::Refused)
        } else if found.is_empty() {
            return Err(plan_error(path, "there is no file to infer the columns from"));
        } else {
            (columns::columns(session, &found, notation).await?, Absent::Null)
        };
        let files = found.into_iter().map(|(file, _)| file).collect();
        let (place, created) = (Some(place), Some(Arc::new(create.clone())));
        Ok(Arc::new(TextTable {
            files,
            notation,
            absent,
            schema,
            place,
            created,
            is_shared: false,
        }))
    }
}

/// An error where a path leads nowhere. A directory may be empty: rows are added to it.
async fn check_is_there(session: &dyn Session, path: &str) -> Result<()> {
    let url = listing::located(path)?;
    if let Ok(directory) = url.get_url().to_file_path()
        && url.get_glob().is_none()
        && directory.is_dir()
    {
        return Ok(());
    }
    let store = session.runtime_env().object_store(&url)?;
    let files = listing::found(session, &url, &store, path).await?;
    if files.is_empty() {
        return Err(plan_error(path, "there is no such file or directory"));
    }
    Ok(())
}

/// How the files are written, if they are text.
fn notation(create: &CreateExternalTable) -> Result<Option<Notation>> {
    let separator = match create.file_type.to_uppercase().as_str() {
        "CSV" => b',',
        "TSV" => b'\t',
        "JSON" | "NDJSON" | "JSONL" => {
            check_options(&create.options, &["compression", "newline_delimited"])?;
            return Ok(Some(Notation::Json));
        }
        _ => return Ok(None),
    };
    let known = ["delimiter", "has_header", "compression", "newlines_in_values"];
    check_options(&create.options, &known)?;
    let option = |name: &str| create.options.get(&format!("format.{name}"));
    let separator = match option("delimiter").map(String::as_str) {
        None => separator,
        Some("\\t") => b'\t',
        Some(text) => match text.as_bytes() {
            [byte] if !matches!(byte, b'"' | b'\n' | b'\r') => *byte,
            _ => return Err(bad_option("delimiter", text, "a character of one byte")),
        },
    };
    let has_header = match option("has_header").map(|text| text.to_lowercase()).as_deref() {
        None | Some("true") => true,
        Some("false") => false,
        Some(text) => return Err(bad_option("has_header", text, "true or false")),
    };
    Ok(Some(Notation::Separated { separator, has_header }))
}

fn bad_option(name: &str, value: &str, expected: &str) -> DataFusionError {
    DataFusionError::Plan(format!("option format.{name} is '{value}', expected {expected}"))
}

fn check_options(options: &HashMap<String, String>, known: &[&str]) -> Result<()> {
    let is_known =
        |name: &&String| name.strip_prefix("format.").is_some_and(|name| known.contains(&name));
    let mut others: Vec<&String> = options.keys().filter(|name| !is_known(name)).collect();
    others.sort();
    match others.first() {
        Some(other) => {
            let known: Vec<String> = known.iter().map(|name| format!("format.{name}")).collect();
            let known = known.join(", ");
            Err(DataFusionError::Plan(format!("unknown option '{other}', expected {known}")))
        }
        None => Ok(()),
    }
}
