//! Statements run, on threads of its own.

use std::{
    env, fs,
    future::Future,
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::{Duration, Instant},
};

use arrow::{
    datatypes::{Schema, SchemaRef},
    record_batch::RecordBatch,
};
use chess_relations::Relations;
use datafusion::{
    common::tree_node::TreeNodeRecursion,
    dataframe::DataFrame,
    datasource::{MemTable, provider_as_source, source_as_provider},
    error::DataFusionError,
    execution::{
        SendableRecordBatchStream,
        memory_pool::{MemoryConsumer, MemoryReservation},
    },
    logical_expr::{CreateMemoryTable, DdlStatement, LogicalPlan, LogicalPlanBuilder},
    prelude::SessionContext,
};
use futures_util::{StreamExt, future};
use tempfile::TempDir;
use tokio::{
    runtime::{Builder, Runtime},
    sync::oneshot,
};

use crate::{
    Answer, BadGames, MemoryWatch, Settings, SqlError, Statement, context, dialect,
    error::OverMemory,
    files,
    functions::timelines::Timelines,
    guard::{self, Views},
    local::Unwritten,
    panics,
    pgn::bad::Skipped,
    process::Watch,
    stacks,
    watched::Stop,
};

/// Runs statements, one after the other, in one session: what one creates, the next can use.
pub struct Engine {
    context: SessionContext,
    /// Only missing while the engine is taken apart.
    runtime: Option<Runtime>,
    settings: Settings,
    relations: Arc<Relations>,
    /// The memory of tables that statements have created; they live as long as the session.
    tables: Arc<Mutex<Vec<MemoryReservation>>>,
    /// The views that statements have created.
    views: Arc<Mutex<Views>>,
    watch: Option<Watch>,
    /// Remembers the file that a statement could not write.
    unwritten: Arc<Unwritten>,
    /// Whether the process has no memory left to wait with.
    is_short: AtomicBool,
    /// Where spill files are. It is removed last, also from under work that cannot be stopped.
    spill: TempDir,
}

/// How long memory may go unwatched.
const TICK: Duration = Duration::from_millis(5);
/// How many ticks an interrupt may go unnoticed.
const ASKED: u32 = 8;
/// What is being computed has this long to notice that nobody wants it any more.
const PATIENCE: Duration = Duration::from_millis(500);

impl Engine {
    /// An engine with our functions and no tables yet.
    pub fn new(settings: Settings) -> Result<Engine, SqlError> {
        let threads = settings.threads.get();
        stacks::try_to_start(threads)?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(threads)
            .thread_stack_size(stacks::WORKER)
            .thread_name(stacks::NAME)
            .enable_all()
            .build()
            .map_err(|error| SqlError::Io(format!("cannot start threads: {error}")))?;
        let spill = spill_directory(&settings)?;
        let settings = Settings { spill_directory: Some(spill.path().to_owned()), ..settings };
        let relations = Arc::new(Relations::new(&settings.rules));
        let context = context::new(&settings, &relations)?;
        let watch = match settings.memory_watch {
            MemoryWatch::Process => Watch::new(settings.memory_limit),
            MemoryWatch::Off => None,
        };
        let unwritten = context.state_ref().read().config().get_extension().unwrap_or_default();
        Ok(Engine {
            context,
            runtime: Some(runtime),
            settings,
            relations,
            tables: Arc::default(),
            views: Arc::default(),
            watch,
            unwritten,
            is_short: AtomicBool::new(false),
            spill,
        })
    }

    /// Registers a file, a directory or a URL as a table.
    pub fn add_table(&self, name: &str, path: &str) -> Result<(), SqlError> {
        let (context, owned) = (self.context.clone(), path.to_owned());
        let opened = self.run(Instant::now(), &Stop::default(), async move {
            panics::caught(files::open(&context.state(), &owned)).await
        })?;
        let table =
            opened.map_err(|panic| SqlError::Statement(panics::damaged(path, &panic)))??;
        self.context.register_table(files::bare(name), table)?;
        Ok(())
    }

    /// Registers rows in memory as a table. The memory limit does not count them. A cluster receives
    /// them with each statement, up to 8 MiB.
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

    /// The statements of a text, within the bounds of the engine's guard. Reading a text has the
    /// time of a statement.
    pub fn statements(&self, text: &str) -> Result<Vec<Statement>, SqlError> {
        let (guard, text) = (self.settings.guard.clone(), text.to_owned());
        self.run(Instant::now(), &Stop::default(), async move { guard.read(&text) })?
    }

    /// Runs the one statement of a text.
    pub fn sql(&self, text: &str) -> Result<Answer<'_>, SqlError> {
        let mut statements = self.statements(text)?;
        match (statements.pop(), statements.len()) {
            (Some(statement), 0) => self.execute(statement),
            (Some(_), others) => Err(SqlError::Count(others + 1)),
            (None, _) => Err(SqlError::Count(0)),
        }
    }

    /// Runs a statement. If it creates something, that is done when this returns. Rows are computed
    /// as they are read.
    pub fn execute(&self, statement: Statement) -> Result<Answer<'_>, SqlError> {
        let (guard, threads) = (self.settings.guard.clone(), self.settings.threads.get());
        let (tables, views) = (self.tables.clone(), self.views.clone());
        self.answer(move |context, stop| async move {
            let selects = guard.check_selects(&statement, &locked(&views))?;
            let view = guard::view(&statement.0);
            let statement = dialect::settled(statement.0)?;
            let plan = context.state().statement_to_plan(statement).await?;
            let plan = dialect::settled_plan(plan)?;
            guard.check(&plan, threads)?;
            let frame = perform(&context, plan, &tables, &stop).await?;
            if let Some(view) = view {
                locked(&views).insert(view, selects);
            }
            Ok(frame)
        })
    }

    /// Runs a plan instead of a statement. `build` creates it for the session that runs it, in this
    /// process or on a cluster.
    pub fn plan(
        &self,
        build: impl FnOnce(&SessionContext) -> Result<DataFrame, DataFusionError> + Send + 'static,
    ) -> Result<Answer<'_>, SqlError> {
        self.answer(move |context, _| async move { Ok(build(&context)?) })
    }

    /// Makes a plan and begins to compute it.
    fn answer<F>(
        &self,
        plan: impl FnOnce(SessionContext, Arc<Stop>) -> F + Send + 'static,
    ) -> Result<Answer<'_>, SqlError>
    where
        F: Future<Output = Result<DataFrame, SqlError>> + Send,
    {
        let started = Instant::now();
        // Of another statement, whose error told it.
        let _ = self.unwritten.take();
        let context = self.context.clone();
        let stop = Arc::new(Stop::default());
        let given = stop.clone();
        let begun = self.run(started, &stop, async move {
            let frame = plan(context, given.clone()).await?;
            begin(stoppable(frame, &given)).await
        });
        let (schema, stream) = begun?.map_err(|error| self.located(error))?;
        Ok(Answer::new(self, &schema, stream, started, stop))
    }

    /// The bad games and lines that statements have skipped since this was called last. What a
    /// cluster skips is not known here; the table function `chess_bad_games` lists it.
    pub fn bad_games(&self) -> BadGames {
        let state = self.context.state_ref();
        let skipped = state.read().config().get_extension::<Skipped>();
        skipped.map_or_else(BadGames::default, |skipped| skipped.take())
    }

    /// The plans of the rules that it follows.
    pub(crate) fn relations(&self) -> &Arc<Relations> {
        &self.relations
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(crate) fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("the engine is whole while it can be called")
    }

    /// Runs work on a stack that is deep enough for any statement within bounds.
    fn run<T: Send + 'static>(
        &self,
        started: Instant,
        stop: &Stop,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, SqlError> {
        let handle = self.runtime().handle().clone();
        let (work, abort) = future::abortable(panics::caught(work));
        let (sender, receiver) = oneshot::channel();
        stacks::begin(move || {
            // Nobody is left to tell of a runtime that ends at this moment.
            let _ = sender.send(handle.block_on(work));
        })?;
        match self.wait(started, receiver) {
            Ok(Ok(Ok(Ok(done)))) => Ok(done),
            Ok(Ok(Ok(Err(panic)))) => Err(panics::told(panic)),
            Ok(_) => Err(SqlError::Engine("the work was cancelled".to_owned())),
            Err(stopped) => {
                abort.abort();
                stop.set();
                Err(stopped)
            }
        }
    }

    /// Waits for work that began at a time, unless it is interrupted or takes too much. This thread
    /// waits by itself: timers of a runtime tick only while one of its threads has time for them.
    pub(crate) fn wait<T>(
        &self,
        started: Instant,
        work: impl Future<Output = T>,
    ) -> Result<T, SqlError> {
        let mut work = std::pin::pin!(work);
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut context = Context::from_waker(&waker);
        for tick in 0u32.. {
            // Asked first: of an answer whose rows are always ready nothing is waited for.
            self.check(started, tick)?;
            if let Poll::Ready(done) = work.as_mut().poll(&mut context) {
                return Ok(done);
            }
            thread::park_timeout(TICK);
        }
        Err(SqlError::Interrupted)
    }

    /// An error with its place: of a full disk that of spill files, and of a file that could not
    /// be written its name.
    pub(crate) fn located(&self, error: SqlError) -> SqlError {
        match (error, self.unwritten.take()) {
            (SqlError::Engine(_) | SqlError::Statement(_) | SqlError::Full { .. }, Some(what)) => {
                SqlError::Io(what)
            }
            (SqlError::Full { cause, .. }, None) => {
                let spill_directory = self.spill.path().parent().map(Path::to_owned);
                SqlError::Full { cause, spill_directory }
            }
            (error, _) => error,
        }
    }

    fn check(&self, started: Instant, tick: u32) -> Result<(), SqlError> {
        let &Settings { ref interrupt, time_limit, memory_limit, .. } = &self.settings;
        if tick.is_multiple_of(ASKED) && interrupt.is_requested() {
            return Err(SqlError::Interrupted);
        }
        if let Some(limit) = time_limit.filter(|&limit| started.elapsed() > limit) {
            return Err(SqlError::Time(limit));
        }
        if self.watch.as_ref().is_some_and(Watch::is_over) {
            self.is_short.store(true, Ordering::Relaxed);
            let part = "the whole process".to_owned();
            return Err(OverMemory { limit: memory_limit, part }.told());
        }
        Ok(())
    }
}

fn locked(views: &Mutex<Views>) -> MutexGuard<'_, Views> {
    views.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Wakes a thread that waits.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Unpark>) {
        self.0.unpark();
    }
}

/// A directory of the engine's own for spill files.
fn spill_directory(settings: &Settings) -> Result<TempDir, SqlError> {
    let directory = settings.spill_directory.clone().unwrap_or_else(env::temp_dir);
    let made = fs::create_dir_all(&directory)
        .and_then(|()| tempfile::Builder::new().prefix("everyply-spill-").tempdir_in(&directory));
    made.map_err(|error| SqlError::Io(format!("cannot spill to {}: {error}", directory.display())))
}

/// The same rows, whose operators know when they are to stop.
fn stoppable(frame: DataFrame, stop: &Arc<Stop>) -> DataFrame {
    let (mut state, plan) = frame.into_parts();
    state.config_mut().set_extension(stop.clone());
    DataFrame::new(state, plan)
}

/// Begins to compute rows. Readers are asked for statistics of files here.
async fn begin(frame: DataFrame) -> Result<(Schema, SendableRecordBatchStream), SqlError> {
    let schema = frame.schema().as_arrow().clone();
    let names = tables_of(frame.logical_plan())?;
    match panics::caught(frame.execute_stream()).await {
        Ok(stream) => Ok((schema, stream?)),
        Err(panic) if names.is_empty() => Err(panics::told(panic)),
        Err(panic) => Err(SqlError::Statement(panics::damaged(&names.join(" or "), &panic))),
    }
}

/// The tables that a plan reads.
fn tables_of(plan: &LogicalPlan) -> Result<Vec<String>, DataFusionError> {
    let mut names = Vec::new();
    plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node {
            let found = match source_as_provider(&scan.source) {
                Ok(table) => table.downcast_ref::<Timelines>().map(|it| tables_of(it.input())),
                Err(_) => None,
            };
            let found = found.unwrap_or_else(|| Ok(vec![scan.table_name.table().to_owned()]))?;
            for name in found {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(names)
}

impl Drop for Engine {
    fn drop(&mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        // What has taken too much memory would go on taking more.
        let is_short = self.is_short.load(Ordering::Relaxed);
        runtime.shutdown_timeout(if is_short { Duration::ZERO } else { PATIENCE });
    }
}

/// Does what a plan does at once, such as creating a view, and leaves the rest to be executed.
async fn perform(
    context: &SessionContext,
    plan: LogicalPlan,
    tables: &Mutex<Vec<MemoryReservation>>,
    stop: &Arc<Stop>,
) -> Result<DataFrame, SqlError> {
    let plan = match plan {
        LogicalPlan::Ddl(DdlStatement::CreateMemoryTable(create)) => {
            let create = hold(context, create, tables, stop).await?;
            LogicalPlan::Ddl(DdlStatement::CreateMemoryTable(create))
        }
        plan => plan,
    };
    // A name is free for a view or a table although a directory is called the same.
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
    stop: &Arc<Stop>,
) -> Result<CreateMemoryTable, DataFusionError> {
    let input = DataFrame::new(context.state(), (*create.input).clone());
    let input = stoppable(input, stop);
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
