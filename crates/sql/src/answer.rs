//! The rows of a statement.

use std::{sync::Arc, time::Instant};

use arrow::{
    datatypes::{Field, FieldRef, Schema, SchemaRef},
    record_batch::{RecordBatch, RecordBatchOptions},
};
use datafusion::{error::DataFusionError, execution::SendableRecordBatchStream};
use futures_util::StreamExt;
use tokio::{
    sync::mpsc::{Receiver, channel},
    task::JoinHandle,
};

use crate::{Engine, SqlError, panics, watched::Stop};

/// The rows that answer a statement, batch by batch, while they are computed. Dropping it ends
/// the statement.
pub struct Answer<'a> {
    engine: &'a Engine,
    schema: SchemaRef,
    batches: Receiver<Result<RecordBatch, DataFusionError>>,
    /// Gone when it has ended.
    work: Option<JoinHandle<()>>,
    started: Instant,
    stop: Arc<Stop>,
}

/// Batches computed ahead of whoever reads them.
const AHEAD: usize = 4;

impl<'a> Answer<'a> {
    pub(crate) fn new(
        engine: &'a Engine,
        schema: &Schema,
        mut stream: SendableRecordBatchStream,
        started: Instant,
        stop: Arc<Stop>,
    ) -> Answer<'a> {
        let (sender, batches) = channel(AHEAD);
        let schema = answered(schema, &stream.schema());
        let work = engine.runtime().spawn(async move {
            while let Some(batch) = stream.next().await {
                let failed = batch.is_err();
                if sender.send(batch).await.is_err() || failed {
                    break;
                }
            }
        });
        Answer { engine, schema, batches, work: Some(work), started, stop }
    }

    /// The columns. A statement that returns no rows, such as CREATE VIEW, has none.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The rows under the names of the answer.
    fn named(&self, batch: &RecordBatch) -> Result<RecordBatch, SqlError> {
        let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let columns = batch.columns().to_vec();
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &rows)
            .map_err(|error| SqlError::Engine(error.to_string()))
    }
}

impl Iterator for Answer<'_> {
    type Item = Result<RecordBatch, SqlError>;

    fn next(&mut self) -> Option<Result<RecordBatch, SqlError>> {
        let received = match self.engine.wait(self.started, self.batches.recv()) {
            Ok(received) => received,
            Err(error) => {
                self.stop.set();
                return Some(Err(error));
            }
        };
        match received {
            Some(Ok(batch)) => Some(self.named(&batch)),
            Some(Err(error)) => Some(Err(self.engine.located(error.into()))),
            // The sender is gone: because all was sent, or because the work broke down.
            None => match self.engine.wait(self.started, self.work.take()?) {
                Ok(Err(broken)) if broken.is_panic() => {
                    Some(Err(panics::told(panics::message(&*broken.into_panic()))))
                }
                _ => None,
            },
        }
    }
}

impl Drop for Answer<'_> {
    fn drop(&mut self) {
        self.stop.set();
        if let Some(work) = &self.work {
            work.abort();
        }
    }
}

/// The columns as they were asked for, with the types they are computed in: those of a union are
/// made one only by planning it. A join may give two columns one name; in JSON one of them would be
/// lost. Fields of facts that are usually too wide for a table are shown: they were asked for.
fn answered(asked: &Schema, computed: &Schema) -> SchemaRef {
    let mut fields: Vec<FieldRef> = Vec::with_capacity(asked.fields().len());
    let names = tables::distinct(asked.fields().iter().map(|field| field.name().as_str()));
    let typed = asked.fields().iter().zip(computed.fields());
    for ((field, computed), name) in typed.zip(names) {
        // Values may be missing whatever the plan believes; a reader need not know better.
        let field: Field = field.as_ref().clone().with_name(name).with_nullable(true);
        let field = field.with_data_type(computed.data_type().clone());
        fields.push(Arc::new(tables::narrow(field)));
    }
    Arc::new(Schema::new(fields))
}
