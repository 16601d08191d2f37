//! A statement under way.

use std::time::{Duration, Instant};

use arrow::{datatypes::DataType, record_batch::RecordBatch};
use axum::response::Response;
use serde_json::{Value, json};
use sql::{
    Access, BadGames, Bounds, Engine, Guard, Interrupt, MemoryWatch, Network, Options, Settings,
    SqlError,
};

use super::drawing;
use crate::{
    app::App,
    jobs::{self, Sender},
    numbers::grouped,
    refusal::Refusal,
};

/// How often a page hears how far a statement is.
const BEAT: Duration = Duration::from_millis(200);
/// Bad games that are named.
const NAMED: usize = 20;

/// Runs statements on a thread of their own, and streams what comes of the last.
pub(super) async fn run(app: &App, text: String) -> Result<Response, Refusal> {
    let slot = app.sql.slots.take().await?;
    let shared = app.clone();
    Ok(jobs::stream_in(app, slot, move |out| {
        answer(&shared, &text, out).map_err(|error| told(&shared, &error))
    }))
}

/// Settings of a session: its own stop, the memory of all, the files below the root.
pub(super) fn settings(app: &App, interrupt: Interrupt) -> Settings {
    let limits = &app.config.limits;
    Settings {
        memory_limit: limits.memory / 2,
        shared_memory: Some(app.sql.memory.clone()),
        // Each statement that runs has its part of the disk.
        spill_limit: limits.spill / limits.statements.get() as u64,
        time_limit: Some(limits.statement_time),
        guard: Guard {
            access: Access::ReadOnly,
            root: Some(app.files.root().to_owned()),
            network: Network::Refused,
            options: Options::Refused,
            bounds: Bounds::default(),
        },
        memory_watch: MemoryWatch::Process,
        interrupt,
        ..Settings::default()
    }
}

/// What goes wrong on the way, besides the statement: nobody reads any more.
enum Stopped {
    Statement(SqlError),
    Gone,
}

impl From<SqlError> for Stopped {
    fn from(error: SqlError) -> Stopped {
        Stopped::Statement(error)
    }
}

impl From<jobs::Gone> for Stopped {
    fn from(_: jobs::Gone) -> Stopped {
        Stopped::Gone
    }
}

/// Runs the statements in a session of their own and keeps the rows of the last.
fn answer(app: &App, text: &str, out: &Sender) -> Result<(), Stopped> {
    let started = Instant::now();
    let wanted = out.watch();
    let engine = Engine::new(settings(app, Interrupt::when(move || !wanted.is_wanted())))?;
    let mut statements = engine.statements(text)?;
    let last = statements.pop().ok_or(SqlError::Count(0))?;
    for statement in statements {
        engine.execute(statement)?.try_for_each(|batch| batch.map(drop))?;
    }
    let mut rows = engine.execute(last)?;
    let schema = rows.schema().clone();
    let mut kept = Keeping { app, rows: 0, is_cut: None, batches: Vec::new() };
    let memory = app.sql.memory.keep("the answers that are kept");
    let mut told = Instant::now();
    for batch in rows.by_ref() {
        if !kept.take(batch?, &memory) {
            break;
        }
        if told.elapsed() > BEAT {
            told = Instant::now();
            let seconds = started.elapsed().as_secs_f64();
            out.send(&json!({ "rows": kept.rows, "seconds": seconds }))?;
        }
    }
    drop(rows);
    let seconds = started.elapsed().as_secs_f64();
    let columns = columns(schema.fields(), &kept.batches);
    let BadGames { count, first } = engine.bad_games();
    let bad: Vec<String> =
        first.iter().take(NAMED).map(|bad| shown(app, &bad.to_string())).collect();
    let (rows, is_cut) = (kept.rows, kept.is_cut);
    let answer = app.sql.answers.keep(schema, kept.batches, memory);
    out.send(&json!({
        "answer": answer.number,
        "columns": columns,
        "rows": rows,
        "cut": is_cut,
        "seconds": seconds,
        "bad": { "count": count, "first": bad },
    }))?;
    Ok(())
}

/// Rows that are kept, until there are too many.
struct Keeping<'a> {
    app: &'a App,
    batches: Vec<RecordBatch>,
    rows: usize,
    /// Why there are no more.
    is_cut: Option<String>,
}

impl Keeping<'_> {
    /// Keeps a batch; false if no more are kept.
    fn take(&mut self, batch: RecordBatch, memory: &sql::KeptMemory) -> bool {
        let most = self.app.config.limits.rows;
        let room = most - self.rows;
        let is_over = batch.num_rows() > room;
        let batch = if is_over { batch.slice(0, room) } else { batch };
        let bytes = batch.get_array_memory_size();
        // Older answers make room, but not all of the memory is for answers.
        let most_bytes = self.app.config.limits.memory / 4;
        let fits = memory.bytes() + bytes <= most_bytes
            && loop {
                if memory.try_grow(bytes) {
                    break true;
                }
                if !self.app.sql.answers.drop_oldest() {
                    break false;
                }
            };
        if !fits {
            self.is_cut = Some("there is no memory for more rows".to_owned());
            return false;
        }
        self.rows += batch.num_rows();
        if batch.num_rows() > 0 {
            self.batches.push(batch);
        }
        if is_over {
            self.is_cut = Some(format!("only the first {} rows are kept", grouped(most as u64)));
        }
        !is_over
    }
}

/// The columns: name, type, and how a value is drawn.
fn columns(fields: &arrow::datatypes::Fields, batches: &[RecordBatch]) -> Vec<Value> {
    let columns = fields.iter().enumerate().map(|(index, field)| {
        let kind = field.data_type();
        let is_number = kind.is_numeric() || matches!(kind, DataType::Decimal128(..));
        let drawn = batches.first().and_then(|batch| drawing::of_column(batch.column(index)));
        json!({
            "name": field.name(),
            "type": kind.to_string(),
            "number": is_number,
            "page": drawn.map(drawing::Subject::page),
        })
    });
    columns.collect()
}

fn told(app: &App, error: &Stopped) -> Refusal {
    match error {
        Stopped::Statement(error) => Refusal::bad(shown(app, &error.to_string())),
        Stopped::Gone => jobs::Gone.into(),
    }
}

/// A text without the place of the root on this machine.
pub(super) fn shown(app: &App, text: &str) -> String {
    let root = app.files.root().to_string_lossy();
    let bare = root.trim_start_matches('/');
    // The stores of DataFusion leave the first slash out.
    [&format!("file://{root}/"), &format!("{root}/"), &format!("{bare}/")]
        .into_iter()
        .fold(
            text.to_owned(),
            |text, place| if place.len() > 1 { text.replace(place, "") } else { text },
        )
        .replace(&*root, "the root")
}
