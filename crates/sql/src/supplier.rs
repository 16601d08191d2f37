//! Tables that whoever made the engine supplies.

use std::{ops::ControlFlow, sync::Arc};

use arrow::{datatypes::SchemaRef, record_batch::RecordBatch};
use datafusion::{
    catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider, streaming::StreamingTable},
    error::{DataFusionError, Result},
    execution::{SendableRecordBatchStream, TaskContext},
    logical_expr::Expr,
    physical_plan::{stream::RecordBatchReceiverStreamBuilder, streaming::PartitionStream},
    scalar::ScalarValue,
};

use crate::{Guard, guard::Refusal};

/// Takes rows, and says whether more are wanted.
pub type Taker<'a> = dyn FnMut(RecordBatch) -> ControlFlow<()> + 'a;

/// A table function with one argument, such as `kalah_store('sqlite:kalah.sqlite')`.
#[derive(Clone, Debug)]
pub struct Supplier {
    /// The name of the function.
    pub name: &'static str,
    /// The name of its only argument, a string.
    pub takes: &'static str,
    /// What it returns, in a sentence.
    pub says: &'static str,
    /// An example call.
    pub example: &'static str,
    /// The columns of its tables.
    pub schema: SchemaRef,
    /// Hands over the rows of a table, or says why there are none.
    pub rows: fn(&str, &mut Taker<'_>) -> std::result::Result<(), String>,
}

/// A supplier in a session whose guard says which places may be named.
#[derive(Debug)]
pub(crate) struct Guarded {
    pub(crate) supplier: Supplier,
    pub(crate) guard: Guard,
}

impl TableFunctionImpl for Guarded {
    fn call_with_args(&self, args: TableFunctionArgs<'_, '_>) -> Result<Arc<dyn TableProvider>> {
        let Guarded { supplier, guard } = self;
        let [Expr::Literal(ScalarValue::Utf8(Some(text)), _)] = args.exprs() else {
            let Supplier { name, takes, .. } = supplier;
            return Err(DataFusionError::Plan(format!(
                "{name}({takes}) takes one string in single quotes"
            )));
        };
        guard.check_place(text).map_err(|refused| Refusal(refused.to_string()))?;
        let supply = Supply { supplier: supplier.clone(), text: text.clone() };
        Ok(Arc::new(StreamingTable::try_new(supplier.schema.clone(), vec![Arc::new(supply)])?))
    }
}

/// What is supplied for one text.
#[derive(Debug)]
struct Supply {
    supplier: Supplier,
    text: String,
}

impl PartitionStream for Supply {
    fn schema(&self) -> &SchemaRef {
        &self.supplier.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let Supplier { name, rows, .. } = self.supplier;
        let text = self.text.clone();
        let mut builder = RecordBatchReceiverStreamBuilder::new(self.supplier.schema.clone(), 2);
        let sender = builder.tx();
        builder.spawn_blocking(move || {
            let mut take = |batch| match sender.blocking_send(Ok(batch)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            };
            rows(&text, &mut take)
                .map_err(|cause| DataFusionError::Execution(format!("{name}('{text}'): {cause}")))
        });
        builder.build()
    }
}
