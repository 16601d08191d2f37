//! Text packed with gzip or zstd: unpacked while it is read, from the start to the end.

use std::{path::PathBuf, sync::Arc};

use datafusion::{
    arrow::{
        csv,
        datatypes::{Schema, SchemaRef},
        json,
        record_batch::RecordBatchReader,
    },
    catalog::{TableProvider, streaming::StreamingTable},
    datasource::listing::ListingTableUrl,
    error::{DataFusionError, Result},
    execution::{SendableRecordBatchStream, TaskContext},
    physical_plan::{stream::RecordBatchReceiverStreamBuilder, streaming::PartitionStream},
};
use object_store::ObjectMeta;
use sources::Source;

use super::plan_error;
use crate::kinds::Kind;

/// How many rows tell the types of the columns, as for text that is not packed.
const TELLING_ROWS: usize = 1_000;

/// A packed file. It cannot be cut, so it is a part of its own.
#[derive(Debug)]
struct Packed {
    path: PathBuf,
    kind: Kind,
    schema: SchemaRef,
}

/// A table of packed files.
pub(super) fn open(
    path: &str,
    url: &ListingTableUrl,
    files: &[ObjectMeta],
    kind: Kind,
) -> Result<Arc<dyn TableProvider>> {
    let Ok(base) = url.get_url().to_file_path() else {
        return Err(plan_error(path, "compressed text can be read only from this machine"));
    };
    let below = |file: &ObjectMeta| {
        let parts = url.strip_prefix(&file.location).into_iter().flatten();
        parts.fold(base.clone(), |path, part| path.join(part))
    };
    let paths: Vec<PathBuf> = files.iter().map(below).collect();
    let schemas = paths.iter().map(|path| columns(path, kind)).collect::<Result<Vec<_>>>();
    let schemas = schemas.map_err(|error| plan_error(path, crate::SqlError::from(error)))?;
    let schema = Arc::new(Schema::try_merge(schemas)?);
    let parts = paths.into_iter().map(|path| {
        Arc::new(Packed { path, kind, schema: schema.clone() }) as Arc<dyn PartitionStream>
    });
    Ok(Arc::new(StreamingTable::try_new(schema.clone(), parts.collect())?))
}

/// The columns of a file, from its first rows.
fn columns(path: &PathBuf, kind: Kind) -> Result<Schema> {
    let mut source = source(path)?;
    Ok(match kind {
        Kind::Separated(separator) => {
            text_format(separator).infer_schema(source, Some(TELLING_ROWS))?.0
        }
        _ => json::reader::infer_json_schema(&mut source, Some(TELLING_ROWS))?.0,
    })
}

fn source(path: &PathBuf) -> Result<Source> {
    Source::open(path).map_err(|error| DataFusionError::External(Box::new(error)))
}

fn text_format(separator: u8) -> csv::reader::Format {
    csv::reader::Format::default().with_header(true).with_delimiter(separator)
}

impl PartitionStream for Packed {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let rows = context.session_config().batch_size();
        let Packed { path, kind, schema } = self;
        let (path, kind, schema) = (path.clone(), *kind, schema.clone());
        let mut builder = RecordBatchReceiverStreamBuilder::new(schema.clone(), 2);
        let sender = builder.tx();
        builder.spawn_blocking(move || {
            let source = source(&path)?;
            let batches: Box<dyn RecordBatchReader> = match kind {
                Kind::Separated(separator) => {
                    let format = text_format(separator);
                    let reader = csv::ReaderBuilder::new(schema).with_format(format);
                    Box::new(reader.with_batch_size(rows).build_buffered(source)?)
                }
                _ => {
                    Box::new(json::ReaderBuilder::new(schema).with_batch_size(rows).build(source)?)
                }
            };
            for batch in batches {
                // Nobody reads on when a limit was reached.
                if sender.blocking_send(batch.map_err(DataFusionError::from)).is_err() {
                    break;
                }
            }
            Ok(())
        });
        builder.build()
    }
}
