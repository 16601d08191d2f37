//! Statements run, on threads of its own.

use std::{
    future::Future,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use arrow::{datatypes::SchemaRef, record_batch::RecordBatch};
use chess_relations::Relations;
use datafusion::{
    dataframe::DataFrame,
    datasource::{MemTable, provider_as_source},
    error::DataFusionError,
    execution::memory_pool::{MemoryConsumer, MemoryReservation},
    logical_expr::{CreateMemoryTable, DdlStatement, LogicalPlan, LogicalPlanBuilder},
    prelude::SessionContext,
};
use futures_util::StreamExt;
use tokio::runtime::{Builder, Runtime};

use crate::{
    Access, Answer, Settings, SqlError, Statement, context, dialect, files, statement::statements,
};

mod permission;

/// Runs statements, one after the other, in one session: what one creates, the next can use.
pub struct Engine {
    context: SessionContext,
    /// Only missing while the engine is taken apart.
    runtime: Option<Runtime>,
    settings: Settings,
    relations: Arc<Relations>,
    /// The memory of tables that statements have created; they live as long as the session.
    tables: Arc<Mutex<Vec<MemoryReservation>>>,
}

/// How long an interrupt may go unnoticed.
const TICK: Duration = Duration::from_millis(50);
/// What is being computed has this long to notice that nobody wants it any more, so that its
/// files are removed.
const PATIENCE: Duration = Duration::from_millis(500);

impl Engine {
    /// An engine with our functions and no tables yet.
    pub fn new(settings: Settings) -> Result<Engine, SqlError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(settings.threads.get())
            .thread_stack_size(context::STACK)
            .thread_name("everyply-sql")
            .enable_all()
            .build()
            .map_err(|error| SqlError::Io(format!("cannot start threads: {error}")))?;
        let relations = Arc::new(Relations::new(&settings.rules));
        let context = context::new(&settings, &relations)?;
        let runtime = Some(runtime);
        Ok(Engine { context, runtime, settings, relations, tables: Arc::default() })
    }

    /// Gives a file, a folder or a URL a name.
    pub fn add_table(&self, name: &str, path: &str) -> Result<(), SqlError> {
        let (context, owned) = (self.context.clone(), path.to_owned());
        let table = self.run(async move { files::open(&context.state(), &owned).await })??;
        self.context.register_table(files::bare(name), table)?;
        Ok(())
    }

    /// Gives rows in memory a name. They stay the caller's: the limit of memory does not count
    /// them, and a cluster cannot read them.
    pub fn add_batches(
        &self,
        name: &str,
        schema: SchemaRef,
        batches: Vec<RecordBatch>,
    ) -> Result<(), SqlError> {
        let table = MemTable::try_new(schema, vec![batches])?;
        self.context.register_table(files::bare(name), Arc::new(table))?;
        Ok(())
    }

    /// Runs the one statement of a text.
    pub fn sql(&self, text: &str) -> Result<Answer<'_>, SqlError> {
        let mut statements = statements(text)?;
        match (statements.pop(), statements.len()) {
            (Some(statement), 0) => self.execute(statement),
            (Some(_), others) => Err(SqlError::Count(others + 1)),
            (None, _) => Err(SqlError::Count(0)),
        }
    }

    /// Runs a statement. What creates something has done so when this returns; rows are computed
    /// as they are read.
    pub fn execute(&self, statement: Statement) -> Result<Answer<'_>, SqlError> {
        let started = Instant::now();
        let access = self.settings.access;
        let (context, tables) = (self.context.clone(), self.tables.clone());
        let begun = self.run(async move {
            let statement = dialect::settled(statement.0)?;
            let plan = context.state().statement_to_plan(statement).await?;
            if access == Access::ReadOnly {
                permission::check(&plan)?;
            }
            let frame = perform(&context, plan, &tables).await?;
            let schema = frame.schema().as_arrow().clone();
            Ok::<_, SqlError>((schema, frame.execute_stream().await?))
        });
        let (schema, stream) = begun??;
        Ok(Answer::new(self, &schema, stream, started))
    }

    /// Runs a plan instead of a statement: `build` makes it for the session that is to run it,
    /// here or on a cluster.
    pub fn plan(
        &self,
        build: impl FnOnce(&SessionContext) -> Result<DataFrame, DataFusionError> + Send + 'static,
    ) -> Result<Answer<'_>, SqlError> {
        let started = Instant::now();
        let context = self.context.clone();
        let begun = self.run(async move {
            let frame = build(&context)?;
            let schema = frame.schema().as_arrow().clone();
            Ok::<_, SqlError>((schema, frame.execute_stream().await?))
        });
        let (schema, stream) = begun??;
        Ok(Answer::new(self, &schema, stream, started))
    }

    /// The plans of the rules that it follows.
    pub(crate) fn relations(&self) -> &Arc<Relations> {
        &self.relations
    }

    pub(crate) fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("the engine is whole while it can be called")
    }

    /// Runs work on the engine's threads, whose stacks are deep enough for any plan.
    fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, SqlError> {
        let mut handle = self.runtime().spawn(work);
        match self.wait(Instant::now(), &mut handle) {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(broken)) => Err(SqlError::Engine(broken.to_string())),
            Err(stopped) => {
                handle.abort();
                Err(stopped)
            }
        }
    }

    /// Waits for work that began at a time, unless it is interrupted or takes too long.
    pub(crate) fn wait<T>(
        &self,
        started: Instant,
        work: impl Future<Output = T>,
    ) -> Result<T, SqlError> {
        let Settings { interrupted, time_limit, .. } = self.settings;
        self.runtime().block_on(async {
            let mut work = std::pin::pin!(work);
            loop {
                // Asked first: of an answer whose rows are always ready nothing is waited for.
                if interrupted() {
                    return Err(SqlError::Interrupted);
                }
                if let Some(limit) = time_limit.filter(|&limit| started.elapsed() > limit) {
                    return Err(SqlError::Time(limit));
                }
                if let Ok(done) = tokio::time::timeout(TICK, &mut work).await {
                    return Ok(done);
                }
            }
        })
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(PATIENCE);
        }
    }
}

/// Does what a plan does at once, such as creating a view, and leaves the rest to be executed.
async fn perform(
    context: &SessionContext,
    plan: LogicalPlan,
    tables: &Mutex<Vec<MemoryReservation>>,
) -> Result<DataFrame, SqlError> {
    let plan = match plan {
        LogicalPlan::Ddl(DdlStatement::CreateMemoryTable(create)) => {
            let create = hold(context, create, tables).await?;
            LogicalPlan::Ddl(DdlStatement::CreateMemoryTable(create))
        }
        plan => plan,
    };
    // A name is free for a view or a table although a folder is called the same.
    let creates = matches!(plan, LogicalPlan::Ddl(_));
    let performed = context.execute_logical_plan(plan);
    let frame = if creates { files::unseen(performed).await } else { performed.await };
    Ok(frame?)
}

/// Fills a table within the limit of memory; DataFusion by itself would not count it.
async fn hold(
    context: &SessionContext,
    create: CreateMemoryTable,
    tables: &Mutex<Vec<MemoryReservation>>,
) -> Result<CreateMemoryTable, DataFusionError> {
    let input = DataFrame::new(context.state(), (*create.input).clone());
    let schema = Arc::new(input.schema().as_arrow().clone());
    let pool = context.runtime_env().memory_pool.clone();
    let reservation = MemoryConsumer::new(format!("table {}", create.name)).register(&pool);
    let mut rows = Vec::new();
    let mut stream = input.execute_stream().await?;
    while let Some(batch) = stream.next().await {
        let batch = batch?;
        reservation.try_grow(batch.get_array_memory_size())?;
        rows.push(batch);
    }
    let source = provider_as_source(Arc::new(MemTable::try_new(schema, vec![rows])?));
    let scan = LogicalPlanBuilder::scan(create.name.clone(), source, None)?.build()?;
    tables.lock().expect("nobody panics with it").push(reservation);
    Ok(CreateMemoryTable { input: Arc::new(scan), ..create })
}
