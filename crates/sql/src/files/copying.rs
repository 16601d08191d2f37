//! Text written by `COPY` and `INSERT`: by `tables`, as every command writes it, so that it comes
//! back as it was.

use std::{collections::HashMap, fmt, sync::Arc};

use arrow::{datatypes::SchemaRef, record_batch::RecordBatch};
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
    logical_expr::dml::InsertOp,
    physical_expr::LexRequirement,
    physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan},
};
use object_store::{ObjectMeta, ObjectStore};
use tables::{Encoder, Format};

/// Makes the format of files that a statement writes without options. With options DataFusion's
/// own writer does it, which knows them.
#[derive(Debug)]
pub(crate) struct Copied {
    format: Format,
    others: Arc<dyn FileFormatFactory>,
}

impl Copied {
    pub(crate) fn new(format: Format, others: Arc<dyn FileFormatFactory>) -> Copied {
        Copied { format, others }
    }
}

impl GetExt for Copied {
    fn get_ext(&self) -> String {
        self.others.get_ext()
    }
}

impl FileFormatFactory for Copied {
    fn create(
        &self,
        session: &dyn Session,
        options: &HashMap<String, String>,
    ) -> Result<Arc<dyn FileFormat>> {
        let others = self.others.create(session, options)?;
        if options.keys().any(|name| name.starts_with("format.")) {
            return Ok(others);
        }
        Ok(Arc::new(CopiedFormat { format: self.format, others }))
    }

    fn default(&self) -> Arc<dyn FileFormat> {
        Arc::new(CopiedFormat { format: self.format, others: self.others.default() })
    }
}

#[derive(Debug)]
struct CopiedFormat {
    format: Format,
    others: Arc<dyn FileFormat>,
}

#[async_trait]
impl FileFormat for CopiedFormat {
    fn get_ext(&self) -> String {
        self.others.get_ext()
    }

    fn get_ext_with_compression(&self, compression: &FileCompressionType) -> Result<String> {
        self.others.get_ext_with_compression(compression)
    }

    fn compression_type(&self) -> Option<FileCompressionType> {
        self.others.compression_type()
    }

    async fn infer_schema(
        &self,
        session: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        files: &[ObjectMeta],
    ) -> Result<SchemaRef> {
        self.others.infer_schema(session, store, files).await
    }

    async fn infer_stats(
        &self,
        session: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        schema: SchemaRef,
        file: &ObjectMeta,
    ) -> Result<Statistics> {
        self.others.infer_stats(session, store, schema, file).await
    }

    async fn create_physical_plan(
        &self,
        session: &dyn Session,
        config: FileScanConfig,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.others.create_physical_plan(session, config).await
    }

    async fn create_writer_physical_plan(
        &self,
        input: Arc<dyn ExecutionPlan>,
        _: &dyn Session,
        config: FileSinkConfig,
        order: Option<LexRequirement>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if config.insert_op != InsertOp::Append {
            return not_impl_err!("text files are not overwritten");
        }
        let sink = Arc::new(TextSink { format: self.format, config });
        Ok(Arc::new(DataSinkExec::new(input, sink, order)))
    }

    fn file_source(&self, schema: TableSchema) -> Arc<dyn FileSource> {
        self.others.file_source(schema)
    }
}

/// Where the rows go.
struct TextSink {
    format: Format,
    config: FileSinkConfig,
}

impl fmt::Debug for TextSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextSink").field("format", &self.format).finish_non_exhaustive()
    }
}

impl DisplayAs for TextSink {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TextSink({:?})", self.format)
    }
}

#[async_trait]
impl FileSink for TextSink {
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
        let serializer = Arc::new(Serializer(self.format));
        let plain = CompressionTypeVariant::UNCOMPRESSED.into();
        spawn_writer_tasks_and_join(context, serializer, plain, None, store, demux, files).await
    }
}

#[async_trait]
impl DataSink for TextSink {
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

struct Serializer(Format);

impl BatchSerializer for Serializer {
    fn serialize(&self, batch: RecordBatch, is_first: bool) -> Result<Bytes> {
        let schema = batch.schema();
        let encoder = Encoder::new(self.0, &schema).map_err(external)?;
        let mut bytes = if is_first { encoder.header(&schema) } else { Vec::new() };
        let rows = encoder.encode(vec![batch]).map_err(external)?;
        bytes.extend(rows.into_bytes().unwrap_or_default());
        Ok(bytes.into())
    }
}

fn external(error: tables::TableError) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
