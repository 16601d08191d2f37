//! Files, folders and URLs as tables.

mod packed;

use std::{future::Future, path::Path, sync::Arc};

use arrow::datatypes::{FieldRef, Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::{
    catalog::{Session, TableProvider, UrlTableFactory},
    common::TableReference,
    datasource::{
        file_format::{
            FileFormat, arrow::ArrowFormat, csv::CsvFormat, json::JsonFormat,
            parquet::ParquetFormat,
        },
        listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl},
    },
    error::{DataFusionError, Result},
    execution::{SessionState, SessionStateBuilder, runtime_env::RuntimeEnv},
    prelude::SessionConfig,
};
use futures_util::TryStreamExt;
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStore};

use crate::kinds::{KNOWN, Kind, Named};

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

/// Opens a file, a folder, a pattern or a URL as a table.
pub(crate) async fn open(state: &SessionState, path: &str) -> Result<Arc<dyn TableProvider>> {
    let url =
        ListingTableUrl::parse(path).map_err(|error| plan_error(path, error.message().as_ref()))?;
    let store = state.runtime_env().object_store(&url)?;
    let files = list(state, &url, &store, path).await?;
    let Listed { files, kind, ending, is_packed } = files;
    if is_packed {
        return packed::open(path, &url, &files, kind);
    }
    let is_document = kind == Kind::Json && is_array(&store, &files[0]).await?;
    let format = format(state, kind, is_document);
    let schema = schema(state, &store, &files, kind, &*format)
        .await
        .map_err(|error| plan_error(path, crate::SqlError::from(error)))?;
    let options = ListingOptions::new(format).with_file_extension(ending);
    let config = ListingTableConfig::new(url).with_listing_options(options).with_schema(schema);
    let cache = state.runtime_env().cache_manager.get_file_statistic_cache();
    Ok(Arc::new(ListingTable::try_new(config)?.with_cache(cache)))
}

/// The files of a table.
struct Listed {
    files: Vec<ObjectMeta>,
    kind: Kind,
    ending: String,
    is_packed: bool,
}

/// Finds the files that a path means. All must be of one kind; what is of none is passed over in
/// a folder, where manifests, locks and unfinished parts lie about.
async fn list(
    state: &SessionState,
    url: &ListingTableUrl,
    store: &Arc<dyn ObjectStore>,
    path: &str,
) -> Result<Listed> {
    let found = async { url.list_all_files(state, store, "").await?.try_collect().await };
    let mut files: Vec<ObjectMeta> = match found.await {
        Ok(files) => files,
        Err(error) if is_missing(&error) => return Err(plan_error(path, "there is no such file")),
        Err(error) => return Err(plan_error(path, crate::SqlError::from(error))),
    };
    files.sort_by(|a, b| a.location.cmp(&b.location));
    let is_alone = !url.is_collection() && url.get_glob().is_none();
    let mut kinds: Vec<Named<'_>> = Vec::new();
    for file in &files {
        match Named::of(file.location.filename().unwrap_or_default()) {
            Some(named) if !kinds.contains(&named) => kinds.push(named),
            None if is_alone => {
                return Err(plan_error(path, format!("unknown kind of file, expected {KNOWN}")));
            }
            _ => {}
        }
    }
    match kinds[..] {
        [Named { kind, ending, is_packed }] => {
            let ending = ending.to_owned();
            files.retain(|file| file.location.as_ref().ends_with(&ending) && file.size > 0);
            if files.is_empty() {
                return Err(plan_error(path, "the file is empty"));
            }
            Ok(Listed { files, kind, ending, is_packed })
        }
        [] if is_alone => Err(plan_error(path, "there is no such file")),
        [] => Err(plan_error(path, format!("there is no file to read, expected {KNOWN}"))),
        [first, second, ..] => {
            let (first, second) = (first.ending, second.ending);
            let what = format!(
                "there are both {first} and {second} files; select one kind with a pattern like \
                 *{first}"
            );
            Err(plan_error(path, what))
        }
    }
}

/// An error that begins with the path.
fn plan_error(path: &str, what: impl std::fmt::Display) -> DataFusionError {
    DataFusionError::Plan(format!("{path}: {what}"))
}

fn is_missing(error: &DataFusionError) -> bool {
    matches!(error.find_root(), DataFusionError::ObjectStore(error)
        if matches!(**error, object_store::Error::NotFound { .. }))
}

fn format(state: &SessionState, kind: Kind, is_document: bool) -> Arc<dyn FileFormat> {
    let options = state.default_table_options();
    match kind {
        Kind::Parquet => Arc::new(ParquetFormat::new().with_options(options.parquet)),
        Kind::Arrow => Arc::new(ArrowFormat),
        Kind::Separated(separator) => {
            let format = CsvFormat::default().with_options(options.csv);
            // Quoted values may span lines: see the session's options.
            let format = format.with_newlines_in_values(true).with_has_header(true);
            Arc::new(format.with_delimiter(separator))
        }
        Kind::JsonLines | Kind::Json => {
            let format = JsonFormat::default().with_options(options.json);
            Arc::new(format.with_newline_delimited(!is_document))
        }
    }
}

/// Whether a JSON file is one array.
async fn is_array(store: &Arc<dyn ObjectStore>, file: &ObjectMeta) -> Result<bool> {
    let range = GetRange::Bounded(0..file.size.min(1 << 10));
    let options = GetOptions { range: Some(range), ..GetOptions::default() };
    let start = store.get_opts(&file.location, options).await?.bytes().await?;
    Ok(start.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'['))
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
