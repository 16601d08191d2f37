//! Text as tables: CSV, TSV and JSON, packed or not, on this machine or in buckets. They are read
//! by `tables`, so that what is written there comes back as it was.

use std::{error::Error, fmt, io, sync::Arc};

use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::{
    catalog::{Session, TableProvider, TableProviderFactory},
    common::{ToDFSchema, tree_node::TreeNodeRecursion},
    datasource::{TableType, listing_table_factory::ListingTableFactory},
    error::{DataFusionError, Result},
    execution::{
        SendableRecordBatchStream, TaskContext, object_store::ObjectStoreUrl,
        runtime_env::RuntimeEnv,
    },
    logical_expr::{CreateExternalTable, Expr, dml::InsertOp},
    physical_expr::{EquivalenceProperties, PhysicalExpr},
    physical_plan::{
        DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
        execution_plan::{Boundedness, EmissionType},
        stream::RecordBatchReceiverStreamBuilder,
    },
};
use futures_util::{StreamExt, stream::BoxStream};
use object_store::{GetResultPayload, ObjectStoreExt, path::Path};
use sources::{Source, SourceError};
use tables::{Absent, Notation, TextError, TextReader};
use tokio::runtime::Handle;

use super::listing::Place;
use crate::error::Unanswered;

/// A file, wherever it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TextFile {
    pub(crate) store: String,
    pub(crate) location: String,
    /// What errors call it.
    pub(crate) name: String,
}

/// A table of text files.
#[derive(Clone, Debug)]
pub(crate) struct TextTable {
    pub(crate) files: Vec<TextFile>,
    pub(crate) notation: Notation,
    pub(crate) absent: Absent,
    pub(crate) schema: SchemaRef,
    /// Where the files were found; there may be others when the table is read.
    pub(crate) place: Option<Place>,
    /// The statement that created it, if rows may be added.
    pub(crate) created: Option<Arc<CreateExternalTable>>,
    /// Whether tasks of a cluster read it. Ballista has every task compute all partitions of an
    /// operator that is not its own, so there must be one only.
    pub(crate) is_shared: bool,
}

#[async_trait]
impl TableProvider for TextTable {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let files = match &self.place {
            Some(place) => place.files(session).await?,
            None => self.files.clone(),
        };
        let most = if self.is_shared { 1 } else { session.config().target_partitions() };
        let parts = most.min(files.len()).max(1);
        let size = files.len().div_ceil(parts).max(1);
        let groups = files.chunks(size).map(<[TextFile]>::to_vec).collect();
        let all = || (0..self.schema.fields().len()).collect();
        let reading = Reading {
            groups,
            notation: self.notation,
            absent: self.absent,
            table: self.schema.clone(),
            wanted: projection.cloned().unwrap_or_else(all),
            limit,
        };
        Ok(Arc::new(TextScan::new(reading)?))
    }

    async fn insert_into(
        &self,
        session: &dyn Session,
        input: Arc<dyn ExecutionPlan>,
        how: InsertOp,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(created) = &self.created else {
            return Err(DataFusionError::NotImplemented(
                "INSERT into files needs a table that CREATE EXTERNAL TABLE made".to_owned(),
            ));
        };
        let mut created = created.as_ref().clone();
        created.schema = self.schema.clone().to_dfschema_ref()?;
        let listing = ListingTableFactory::new().create(session, &created).await?;
        listing.insert_into(session, input, how).await
    }
}

/// What is read of which files.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    /// The files of each partition, one after the other.
    pub(crate) groups: Vec<Vec<TextFile>>,
    pub(crate) notation: Notation,
    pub(crate) absent: Absent,
    /// All columns of the table.
    pub(crate) table: SchemaRef,
    /// The columns that are wanted.
    pub(crate) wanted: Vec<usize>,
    /// The rows that are wanted of each partition.
    pub(crate) limit: Option<usize>,
}

/// Text files being read.
#[derive(Debug)]
pub(crate) struct TextScan {
    pub(crate) reading: Reading,
    properties: Arc<PlanProperties>,
}

impl TextScan {
    pub(crate) fn new(reading: Reading) -> Result<TextScan> {
        let schema = Arc::new(reading.table.project(&reading.wanted)?);
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(reading.groups.len()),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Ok(TextScan { reading, properties: Arc::new(properties) })
    }
}

impl DisplayAs for TextScan {
    fn fmt_as(&self, _style: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reading { groups, table, wanted, .. } = &self.reading;
        let names: Vec<&str> = groups.iter().flatten().map(|file| file.name.as_str()).collect();
        let columns = wanted.iter().map(|&index| table.field(index).name().as_str());
        let columns: Vec<&str> = columns.collect();
        write!(f, "TextScan: files=[{}], columns=[{}]", names.join(", "), columns.join(", "))
    }
}

impl ExecutionPlan for TextScan {
    fn name(&self) -> &str {
        "TextScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        _children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let batch_rows = context.session_config().batch_size();
        let runtime = context.runtime_env();
        let reading = self.reading.clone();
        let mut builder = RecordBatchReceiverStreamBuilder::new(self.schema(), 2);
        let sender = builder.tx();
        builder.spawn_blocking(move || {
            let Reading { groups, notation, absent, table, wanted, limit } = reading;
            let mut left = limit.unwrap_or(usize::MAX);
            for file in groups.get(partition).into_iter().flatten() {
                if left == 0 {
                    break;
                }
                let named = |error: TextError| file.error(&error);
                let source = file.open(&runtime)?;
                let reader = TextReader::new(
                    source,
                    notation,
                    &table,
                    &wanted,
                    batch_rows.min(left),
                    absent,
                );
                let mut reader = reader.map_err(named)?;
                while let Some(batch) = reader.next_batch().map_err(named)? {
                    let batch = batch.slice(0, batch.num_rows().min(left));
                    left -= batch.num_rows();
                    // Nobody reads on when a limit was reached.
                    if sender.blocking_send(Ok(batch)).is_err() || left == 0 {
                        break;
                    }
                }
                if sender.is_closed() {
                    break;
                }
            }
            Ok(())
        });
        Ok(builder.build())
    }
}

impl TextFile {
    /// The unpacked bytes. It may wait for a bucket, so it must not be called where others wait.
    pub(crate) fn open(&self, runtime: &RuntimeEnv) -> Result<Source> {
        let store = runtime.object_store(ObjectStoreUrl::parse(&self.store)?)?;
        let location = Path::parse(&self.location)?;
        let handle = Handle::current();
        let found = handle.block_on(store.get(&location))?;
        Ok(match found.payload {
            GetResultPayload::File(file, _) => Source::from_reader(self.name.clone(), file),
            GetResultPayload::Stream(bytes) => {
                Source::from_reader(self.name.clone(), Streamed::new(handle, bytes))
            }
        })
    }

    /// An error that names the file.
    pub(crate) fn error(&self, error: &TextError) -> DataFusionError {
        let text = match error {
            // A source names itself.
            TextError::Io(error)
                if error.get_ref().is_some_and(<dyn Error + Send + Sync>::is::<SourceError>) =>
            {
                error.to_string()
            }
            _ => format!("{}: {error}", self.name),
        };
        match error {
            TextError::Io(cause) => Unanswered::or_failed(cause, text),
            _ => DataFusionError::Execution(text),
        }
    }
}

/// Bytes that come from afar, read where waiting is fine.
pub(crate) struct Streamed {
    handle: Handle,
    bytes: BoxStream<'static, object_store::Result<bytes::Bytes>>,
    came: bytes::Bytes,
}

impl Streamed {
    pub(crate) fn new(
        handle: Handle,
        bytes: BoxStream<'static, object_store::Result<bytes::Bytes>>,
    ) -> Streamed {
        Streamed { handle, bytes, came: bytes::Bytes::new() }
    }
}

impl io::Read for Streamed {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.came.is_empty() {
            match self.handle.block_on(self.bytes.next()) {
                Some(came) => self.came = came.map_err(io::Error::other)?,
                None => return Ok(0),
            }
        }
        let amount = self.came.len().min(into.len());
        into[..amount].copy_from_slice(&self.came.split_to(amount));
        Ok(amount)
    }
}
