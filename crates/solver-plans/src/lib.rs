//! Solving a game as query plans: the tasks of a stage are rows of a table, and an operator runs
//! them.
//!
//! Each task is a partition. The operator runs each task and returns its result as a row. Tasks
//! read and write blobs in the store, so a plan carries only these rows. A task names its game, and
//! [`Games`] open a game by its name.
//!
//! ```
//! use std::sync::Arc;
//!
//! use kalah::Kalah;
//! use solver_plans::{Games, OpenGame, TaskTable, Work};
//!
//! let kalah: OpenGame = |name| Some(Box::new(name.parse::<Kalah>().ok()?));
//! let work = Work {
//!     place: "file:/shared/kalah33".to_owned(),
//!     game: "kalah pits=3 seeds=3 rules=std_either".to_owned(),
//!     games: Games(Arc::new([kalah])),
//! };
//! let table = TaskTable { work, tasks: vec![] }; // to be read by a DataFusion session
//! ```
//!
//! This crate makes no session, runs no plan and knows no rules. `sql` has the sessions and what
//! clusters need to send such plans to other machines; `solver::tasks` has the tasks themselves.

use std::{fmt, sync::Arc};

use arrow::{
    array::{ArrayRef, AsArray, BinaryArray, UInt32Array},
    datatypes::{DataType, Field, Schema, SchemaRef, UInt32Type},
    record_batch::RecordBatch,
};
use async_trait::async_trait;
use datafusion::{
    catalog::{Session, TableProvider},
    common::tree_node::TreeNodeRecursion,
    datasource::{TableType, memory::MemorySourceConfig, source::DataSourceExec},
    error::{DataFusionError, Result},
    execution::{
        SendableRecordBatchStream, TaskContext,
        memory_pool::{MemoryConsumer, MemoryReservation},
    },
    logical_expr::Expr,
    physical_expr::{EquivalenceProperties, PhysicalExpr},
    physical_plan::{
        DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, Partitioning,
        PlanProperties,
        execution_plan::{Boundedness, EmissionType},
        stream::RecordBatchReceiverStreamBuilder,
    },
};
use futures_util::TryStreamExt;
use solver::{
    Header, Row, StoreError,
    tasks::{Blobs, Number, Part, Span, Task, Worker},
};
use tokio::runtime::Handle;

/// Opens the game of a name, `game::Game::name`; `None` if the name is that of another kind of game.
pub type OpenGame = fn(&str) -> Option<Box<dyn Worker>>;

/// The kinds of games whose tasks can be run; none by default.
#[derive(Clone, Debug)]
pub struct Games(pub Arc<[OpenGame]>);

impl Default for Games {
    fn default() -> Games {
        Games(Arc::new([]))
    }
}

impl Games {
    fn open(&self, name: &str) -> Result<Box<dyn Worker>> {
        let unknown = || DataFusionError::Plan(format!("this program cannot solve '{name}'"));
        self.0.iter().find_map(|open| open(name)).ok_or_else(unknown)
    }
}

/// What all tasks have in common.
#[derive(Clone, Debug)]
pub struct Work {
    /// The URL of the store, which has to mean the same to every machine.
    pub place: String,
    /// The name of the game.
    pub game: String,
    /// The games that the executing process can solve.
    pub games: Games,
}

/// Tasks as a table. Its rows are what came of them.
#[derive(Clone, Debug)]
pub struct TaskTable {
    /// What they have in common.
    pub work: Work,
    /// The tasks, as bytes.
    pub tasks: Vec<Vec<u8>>,
}

fn schema(of: &str) -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("number", DataType::UInt32, false),
        Field::new(of, DataType::Binary, false),
    ]))
}

fn row(of: &str, number: u32, bytes: &[u8]) -> Result<RecordBatch> {
    let number: ArrayRef = Arc::new(UInt32Array::from(vec![number]));
    let bytes: ArrayRef = Arc::new(BinaryArray::from_vec(vec![bytes]));
    Ok(RecordBatch::try_new(schema(of), vec![number, bytes])?)
}

#[async_trait]
impl TableProvider for TaskTable {
    fn schema(&self) -> SchemaRef {
        schema("done")
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _: &dyn Session,
        _: Option<&Vec<usize>>,
        _: &[Expr],
        _: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        // Ballista distributes the partitions of in-memory tables. With any other leaf operator,
        // every task would compute all partitions.
        let rows =
            self.tasks.iter().zip(0..).map(|(task, number)| Ok(vec![row("task", number, task)?]));
        let rows = rows.collect::<Result<Vec<_>>>()?;
        let rows = MemorySourceConfig::try_new(&rows, schema("task"), None)?;
        Ok(Arc::new(TaskScan::over(self.work.clone(), DataSourceExec::from_data_source(rows))))
    }
}

/// The operator that runs tasks.
#[derive(Debug)]
pub struct TaskScan {
    /// What the tasks have in common.
    pub work: Work,
    input: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
}

impl TaskScan {
    /// Runs the tasks that are the rows of another operator.
    pub fn over(work: Work, input: Arc<dyn ExecutionPlan>) -> TaskScan {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema("done")),
            Partitioning::UnknownPartitioning(input.output_partitioning().partition_count()),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        TaskScan { work, input, properties: Arc::new(properties) }
    }
}

impl DisplayAs for TaskScan {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tasks = self.properties.output_partitioning().partition_count();
        write!(f, "TaskScan: game={}, store={}, tasks={tasks}", self.work.game, self.work.place)
    }
}

impl ExecutionPlan for TaskScan {
    fn name(&self) -> &str {
        "TaskScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(match children.pop() {
            Some(input) => Arc::new(TaskScan::over(self.work.clone(), input)),
            None => self,
        })
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let mut builder = RecordBatchReceiverStreamBuilder::new(self.schema(), 1);
        let sender = builder.tx();
        let tasks = self.input.execute(partition, context.clone())?;
        let work = self.work.clone();
        let memory = MemoryConsumer::new("TaskScan").register(context.memory_pool());
        builder.spawn_blocking(move || {
            let tasks = Handle::current().block_on(tasks.try_collect::<Vec<_>>())?;
            let worker = work.games.open(&work.game)?;
            let blobs = stores::tasks::blobs(&work.place).map_err(failed)?;
            let mut blobs = Held { blobs, memory, place: work.place };
            for batch in tasks {
                let numbers = batch.column(0).as_primitive::<UInt32Type>().values();
                for (number, bytes) in numbers.iter().zip(batch.column(1).as_binary::<i32>()) {
                    let unreadable =
                        || DataFusionError::Plan("a row does not contain a task".to_owned());
                    let task = bytes.and_then(Task::from_bytes).ok_or_else(unreadable)?;
                    let done = worker.run(&task, &mut blobs).map_err(failed)?;
                    blobs.memory.free();
                    if sender.blocking_send(row("done", *number, &done.to_bytes())).is_err() {
                        return Ok(());
                    }
                }
            }
            Ok(())
        });
        Ok(builder.build())
    }
}

/// What begins the error of a task. Errors travel as text, and that of a store whose server does
/// not answer is else taken for that of an executor.
pub const TASK_FAILED: &str = "a task failed: ";

fn failed(error: impl fmt::Display) -> DataFusionError {
    DataFusionError::Execution(format!("{TASK_FAILED}{error}"))
}

/// Blobs for a task whose memory is counted.
struct Held {
    blobs: Box<dyn Blobs + Send>,
    memory: MemoryReservation,
    place: String,
}

impl Blobs for Held {
    fn read(&mut self, name: &str, span: Span) -> Result<Vec<u8>, StoreError> {
        self.blobs.read(name, span)
    }

    fn write(&mut self, name: &str, bytes: Vec<u8>) -> Result<(), StoreError> {
        self.blobs.write(name, bytes)
    }

    fn write_part(
        &mut self,
        number: Number,
        header: &Header,
        rows: &[Row],
    ) -> Result<Part, StoreError> {
        self.blobs.write_part(number, header, rows)
    }

    fn hold(&mut self, bytes: usize) -> Result<(), StoreError> {
        self.memory.try_resize(bytes).map_err(|error| StoreError::Unavailable {
            place: self.place.clone(),
            cause: format!(
                "a task needs {} MiB of memory, more than its executor has: {error}",
                bytes.div_ceil(1 << 20)
            ),
        })
    }
}
