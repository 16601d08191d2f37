//! Text written by `COPY` and `INSERT`: tables by `tables`, as every command writes them, so that they
//! come back as they were, and games as their texts.

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

use crate::pgn;

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
        Ok(Arc::new(CopiedFormat { text: Text::Rows(self.format), others: Some(others) }))
    }

    fn default(&self) -> Arc<dyn FileFormat> {
        let others = Some(self.others.default());
        Arc::new(CopiedFormat { text: Text::Rows(self.format), others })
    }
}

/// What is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Text {
    /// The rows of a table.
    Rows(Format),
    /// The texts of games.
    Games,
}

impl Text {
    /// Refuses rows that cannot be written so.
    fn check(self, rows: &SchemaRef) -> Result<()> {
        match self {
            Text::Rows(_) => Ok(()),
            Text::Games => pgn::copying::check(rows),
        }
    }
}

impl BatchSerializer for Text {
    fn serialize(&self, batch: RecordBatch, is_first: bool) -> Result<Bytes> {
        match *self {
            Text::Rows(format) => rows(format, batch, is_first),
            Text::Games => pgn::copying::texts(&batch),
        }
    }
}

/// A format that writes text itself, and leaves everything else to another one. Without that it only
/// writes.
#[derive(Debug)]
pub(crate) struct CopiedFormat {
    pub(crate) text: Text,
    pub(crate) others: Option<Arc<dyn FileFormat>>,
}

impl CopiedFormat {
    fn others(&self) -> Result<&Arc<dyn FileFormat>> {
        let unread = || DataFusionError::NotImplemented("PGN files are read by chess_games".into());
        self.others.as_ref().ok_or_else(unread)
    }
}

#[async_trait]
impl FileFormat for CopiedFormat {
    fn get_ext(&self) -> String {
        self.others.as_ref().map_or_else(|| pgn::copying::ENDING.to_owned(), |it| it.get_ext())
    }

    fn get_ext_with_compression(&self, compression: &FileCompressionType) -> Result<String> {
        match &self.others {
            Some(others) => others.get_ext_with_compression(compression),
            None => Ok(self.get_ext()),
        }
    }

    fn compression_type(&self) -> Option<FileCompressionType> {
        self.others.as_ref().and_then(|others| others.compression_type())
    }

    async fn infer_schema(
        &self,
        session: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        files: &[ObjectMeta],
    ) -> Result<SchemaRef> {
        self.others()?.infer_schema(session, store, files).await
    }

    async fn infer_stats(
        &self,
        session: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        schema: SchemaRef,
        file: &ObjectMeta,
    ) -> Result<Statistics> {
        self.others()?.infer_stats(session, store, schema, file).await
    }

    async fn create_physical_plan(
        &self,
        session: &dyn Session,
        config: FileScanConfig,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.others()?.create_physical_plan(session, config).await
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
        self.text.check(&input.schema())?;
        let sink = Arc::new(TextSink { text: self.text, config });
        Ok(Arc::new(DataSinkExec::new(input, sink, order)))
    }

    fn file_source(&self, schema: TableSchema) -> Arc<dyn FileSource> {
        let others =
            self.others.as_ref().expect("no plan scans files in a format that only writes");
        others.file_source(schema)
    }
}

/// Where the rows go.
struct TextSink {
    text: Text,
    config: FileSinkConfig,
}

impl fmt::Debug for TextSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextSink").field("text", &self.text).finish_non_exhaustive()
    }
}

impl DisplayAs for TextSink {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text {
            Text::Rows(format) => write!(f, "TextSink({format:?})"),
            Text::Games => f.write_str("TextSink(Pgn)"),
        }
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
        let serializer = Arc::new(self.text);
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

fn rows(format: Format, batch: RecordBatch, is_first: bool) -> Result<Bytes> {
    let schema = batch.schema();
    let encoder = Encoder::new(format, &schema).map_err(external)?;
    let mut bytes = if is_first { encoder.header(&schema) } else { Vec::new() };
    let rows = encoder.encode(vec![batch]).map_err(external)?;
    bytes.extend(rows.into_bytes().unwrap_or_default());
    Ok(bytes.into())
}

fn external(error: tables::TableError) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
