//! Games written by `COPY`: their texts, comments included, one after the other.

use std::{collections::HashMap, fmt, sync::Arc};

use arrow::{
    array::{Array, AsArray},
    datatypes::{DataType, SchemaRef},
    record_batch::RecordBatch,
};
use async_trait::async_trait;
use bytes::Bytes;
use datafusion::{
    catalog::Session,
    common::{
        GetExt, Statistics, not_impl_err, parsers::CompressionTypeVariant, runtime::SpawnedTask,
    },
    datasource::{
        file_format::{
            FileFormat, FileFormatFactory,
            file_compression_type::FileCompressionType,
            write::{
                BatchSerializer, demux::DemuxedStreamReceiver,
                orchestration::spawn_writer_tasks_and_join,
            },
        },
        physical_plan::{FileScanConfig, FileSink, FileSinkConfig, FileSource},
        sink::{DataSink, DataSinkExec},
        table_schema::TableSchema,
    },
    error::{DataFusionError, Result},
    execution::{SendableRecordBatchStream, TaskContext},
    physical_expr::LexRequirement,
    physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan},
};
use object_store::{ObjectMeta, ObjectStore};

const ENDING: &str = "pgn";
/// The column with the texts of games.
const COLUMN: &str = "pgn";

/// Makes the format of PGN files.
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
            None => Ok(Arc::new(PgnFormat)),
        }
    }

    fn default(&self) -> Arc<dyn FileFormat> {
        Arc::new(PgnFormat)
    }
}

#[derive(Debug)]
struct PgnFormat;

#[async_trait]
impl FileFormat for PgnFormat {
    fn get_ext(&self) -> String {
        ENDING.to_owned()
    }

    fn get_ext_with_compression(&self, _: &FileCompressionType) -> Result<String> {
        Ok(ENDING.to_owned())
    }

    fn compression_type(&self) -> Option<FileCompressionType> {
        None
    }

    async fn infer_schema(
        &self,
        _: &dyn Session,
        _: &Arc<dyn ObjectStore>,
        _: &[ObjectMeta],
    ) -> Result<SchemaRef> {
        not_impl_err!("PGN files are read by chess_games")
    }

    async fn infer_stats(
        &self,
        _: &dyn Session,
        _: &Arc<dyn ObjectStore>,
        _: SchemaRef,
        _: &ObjectMeta,
    ) -> Result<Statistics> {
        not_impl_err!("PGN files are read by chess_games")
    }

    async fn create_physical_plan(
        &self,
        _: &dyn Session,
        _: FileScanConfig,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        not_impl_err!("PGN files are read by chess_games")
    }

    async fn create_writer_physical_plan(
        &self,
        input: Arc<dyn ExecutionPlan>,
        _: &dyn Session,
        config: FileSinkConfig,
        order: Option<LexRequirement>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match input.schema().field_with_name(COLUMN) {
            Ok(field) if *field.data_type() == DataType::Utf8 => {}
            _ => {
                return Err(DataFusionError::Plan(
                    "a PGN file is written from a column pgn with the texts of games, as \
                     chess_games returns it"
                        .to_owned(),
                ));
            }
        }
        Ok(Arc::new(DataSinkExec::new(input, Arc::new(PgnSink { config }), order)))
    }

    fn file_source(&self, _: TableSchema) -> Arc<dyn FileSource> {
        unreachable!("no plan scans files in this format")
    }
}

/// Where the games go.
struct PgnSink {
    config: FileSinkConfig,
}

impl fmt::Debug for PgnSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PgnSink")
    }
}

impl DisplayAs for PgnSink {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PgnSink")
    }
}

#[async_trait]
impl FileSink for PgnSink {
    fn config(&self) -> &FileSinkConfig {
        &self.config
    }

    async fn spawn_writer_tasks_and_join(
        &self,
        context: &Arc<TaskContext>,
        demux: SpawnedTask<Result<()>>,
        files: DemuxedStreamReceiver,
        store: Arc<dyn ObjectStore>,
    ) -> Result<u64> {
        let plain = CompressionTypeVariant::UNCOMPRESSED.into();
        let serializer = Arc::new(Serializer);
        spawn_writer_tasks_and_join(context, serializer, plain, None, store, demux, files).await
    }
}

#[async_trait]
impl DataSink for PgnSink {
    fn schema(&self) -> &SchemaRef {
        self.config.output_schema()
    }

    async fn write_all(
        &self,
        rows: SendableRecordBatchStream,
        context: &Arc<TaskContext>,
    ) -> Result<u64> {
        FileSink::write_all(self, rows, context).await
    }
}

struct Serializer;

impl BatchSerializer for Serializer {
    fn serialize(&self, batch: RecordBatch, _: bool) -> Result<Bytes> {
        let texts = batch.column_by_name(COLUMN).map(AsArray::as_string::<i32>);
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
}
