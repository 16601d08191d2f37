//! Files, directories and URLs as tables.

mod columns;
mod copying;
mod external;
pub(crate) mod listing;
pub(crate) mod text;

use std::{future::Future, path::Path, sync::Arc};

use arrow::datatypes::{FieldRef, Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::{
    catalog::{Session, TableProvider, UrlTableFactory},
    common::TableReference,
    datasource::{
        file_format::{FileFormat, arrow::ArrowFormat, parquet::ParquetFormat},
        listing::{ListingOptions, ListingTable, ListingTableConfig},
    },
    error::{DataFusionError, Result},
    execution::{SessionState, SessionStateBuilder, runtime_env::RuntimeEnv},
    prelude::SessionConfig,
};
use object_store::{ObjectMeta, ObjectStore};
use tables::Absent;

pub(crate) use self::{
    columns::Remembered,
    copying::{Copied, CopiedFormat, Text},
    external::{External, STORED_AS},
};
use self::{
    listing::{Listed, Place},
    text::TextTable,
};
use crate::{
    SqlError,
    error::Unanswered,
    kinds::Kind,
    pgn::{
        self,
        table::{GamesTable, Rows},
    },
};

/// An extension of the options of sessions whose plans are sent to others. Ballista 55 sends the
/// directory of a pattern without the pattern, so there a table has the files that match.
#[derive(Debug)]
pub(crate) struct Shared;

/// Makes a table of whatever a statement names that is no table yet.
#[derive(Debug)]
pub(crate) struct Files {
    /// Limits, options and buckets are those of the session; its tables and functions play no
    /// part in opening a file.
    state: SessionState,
}

impl Files {
    pub(crate) fn new(config: SessionConfig, runtime: Arc<RuntimeEnv>) -> Files {
        let builder = SessionStateBuilder::new().with_config(config).with_runtime_env(runtime);
        Files { state: builder.build() }
    }
}

tokio::task_local! {
    static UNSEEN: ();
}

/// Runs work for which files are no tables.
pub(crate) async fn unseen<T>(work: impl Future<Output = T>) -> T {
    UNSEEN.scope((), work).await
}

#[async_trait]
impl UrlTableFactory for Files {
    async fn try_new(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        if UNSEEN.try_with(|()| ()).is_ok() {
            return Ok(None);
        }
        // What looks like a path is meant as one, so its errors are told; a word may be anything.
        if name.contains(['/', '.', '*']) {
            return open(&self.state, name).await.map(Some);
        }
        Ok(if Path::new(name).exists() { open(&self.state, name).await.ok() } else { None })
    }
}

/// A table of its own name, whatever characters that has.
pub(crate) fn bare(name: &str) -> TableReference {
    TableReference::bare(name)
}

/// Opens a file, a directory, a pattern or a URL as a table.
pub(crate) async fn open(state: &SessionState, path: &str) -> Result<Arc<dyn TableProvider>> {
    let url = listing::located(path)?;
    let store = state.runtime_env().object_store(&url)?;
    let Listed { files, kind, ending } = listing::list(state, &url, &store, path).await?;
    if let Some(notation) = kind.notation() {
        let place = Place::new(url, path, notation);
        let found = place.find(state).await?;
        let schema = columns::columns(state, &found, notation).await?;
        let files = found.into_iter().map(|(file, _)| file).collect();
        let (place, absent) = (Some(place), Absent::Null);
        let (created, is_shared) = (None, false);
        return Ok(Arc::new(TextTable {
            files,
            notation,
            absent,
            schema,
            place,
            created,
            is_shared,
        }));
    }
    if kind.is_chess() {
        let rows = if kind == Kind::Games { Rows::Games } else { Rows::Positions };
        let place = pgn::table::Place { url, path: path.to_owned() };
        return Ok(Arc::new(GamesTable::new(rows, vec![place])));
    }
    let format: Arc<dyn FileFormat> = match kind {
        Kind::Arrow => Arc::new(ArrowFormat),
        _ => {
            let options = state.default_table_options().parquet;
            Arc::new(ParquetFormat::new().with_options(options))
        }
    };
    let schema = schema(state, &store, &files, kind, &*format)
        .await
        .map_err(|error| failed(path, &error))?;
    let options = ListingOptions::new(format).with_file_extension(ending);
    let urls = match url.get_glob().is_some() && state.config().get_extension::<Shared>().is_some()
    {
        true => files.iter().map(|file| listing::url_of(&url, file)).collect::<Result<Vec<_>>>()?,
        false => vec![url],
    };
    let config = ListingTableConfig::new_with_multi_paths(urls);
    let config = config.with_listing_options(options).with_schema(schema);
    let cache = state.runtime_env().cache_manager.get_file_statistic_cache();
    Ok(Arc::new(ListingTable::try_new(config)?.with_cache(cache)))
}

/// An error that begins with the path.
pub(crate) fn plan_error(path: &str, what: impl std::fmt::Display) -> DataFusionError {
    DataFusionError::Plan(format!("{path}: {what}"))
}

/// An error about a path that led to something, but not to its files.
fn failed(path: &str, error: &DataFusionError) -> DataFusionError {
    match (SqlError::from_ref(error), Unanswered::is_cause_of(error)) {
        (told, true) => Unanswered::or_failed(error, format!("{path}: {told}")),
        (told, false) => plan_error(path, told),
    }
}

/// The columns of the files. Those of our own Parquet files say how they are shown; DataFusion
/// drops that, since files of one table may differ in it.
async fn schema(
    state: &dyn Session,
    store: &Arc<dyn ObjectStore>,
    files: &[ObjectMeta],
    kind: Kind,
    format: &dyn FileFormat,
) -> Result<SchemaRef> {
    let merged = format.infer_schema(state, store, files).await?;
    if kind != Kind::Parquet {
        return Ok(merged);
    }
    let options = state.default_table_options().parquet;
    let telling = ParquetFormat::new().with_options(options).with_skip_metadata(false);
    let first = telling.infer_schema(state, store, &files[..1]).await?;
    let told = |field: &FieldRef| match first.field_with_name(field.name()) {
        Ok(same) if same.data_type() == field.data_type() => {
            Arc::new(field.as_ref().clone().with_metadata(same.metadata().clone()))
        }
        _ => field.clone(),
    };
    Ok(Arc::new(Schema::new(merged.fields().iter().map(told).collect::<Vec<_>>())))
}
