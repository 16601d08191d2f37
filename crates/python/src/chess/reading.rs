//! Rows of games in files, made on threads that stop when nobody wants them any more.

use std::{
    num::NonZeroUsize,
    ops::ControlFlow,
    path::PathBuf,
    process,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread::{self, ThreadId},
    time::Duration,
};

use arrow::{compute::concat_batches, datatypes::SchemaRef, record_batch::RecordBatch};
use chess_facts::{Definitions, Facts, Selection};
use games::{Chunk, Chunks, Condition, Kind, Reader, RecordError, Wanted, in_order};
use pyo3::prelude::*;
use tables::{
    Batches, TableError,
    chess::{FactRows, GAMES, POSITIONS, facts_schema, game, position},
};

/// What is to be read, and what of it.
pub(super) struct Plan {
    pub(super) paths: Vec<PathBuf>,
    pub(super) rows: Rows,
    pub(super) conditions: Vec<Condition>,
    pub(super) every: NonZeroUsize,
    pub(super) threads: NonZeroUsize,
    pub(super) on_bad: OnBad,
}

/// The tables that can be made of games in files.
pub(super) enum Rows {
    Games,
    Positions,
    Facts(Selection, Definitions),
}

/// Makes rows of a chunk.
type Worker<'a> = Box<dyn FnMut(&Chunk) -> Result<Vec<RecordBatch>, TableError> + 'a>;

/// What becomes of a bad record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OnBad {
    Skip,
    Raise,
}

impl Rows {
    pub(super) fn schema(&self) -> SchemaRef {
        match self {
            Rows::Games => GAMES.schema(),
            Rows::Positions => POSITIONS.schema(),
            Rows::Facts(selection, definitions) => facts_schema(selection, *definitions),
        }
    }
}

impl Plan {
    fn chunks(&self, stop: &Arc<AtomicBool>) -> Chunks {
        let stop = stop.clone();
        let has_facts = matches!(self.rows, Rows::Facts(..));
        let wanted = Wanted {
            kind: if has_facts { Kind::Any } else { Kind::Games },
            conditions: self.conditions.clone(),
            every: self.every,
            notes: matches!(self.rows, Rows::Positions),
            text: matches!(self.rows, Rows::Games),
            stop_on_error: self.on_bad == OnBad::Raise,
            interrupted: Arc::new(move || stop.load(Ordering::Relaxed)),
            ..Wanted::default()
        };
        let reader = Reader::new(self.paths.clone(), wanted);
        match has_facts {
            true => Chunks::new(reader, CHUNK),
            false => Chunks::of_games(reader, CHUNK),
        }
    }

    fn allows(&self, ply: usize) -> bool {
        self.conditions.iter().all(|condition| condition.allows_ply(ply as u64))
    }

    /// Makes the rows of chunks, on one thread.
    fn worker(&self) -> Worker<'_> {
        match &self.rows {
            Rows::Games => Box::new(|chunk: &Chunk| {
                let games = chunk.games.iter();
                let rows = games.map(|played| game(&chunk.source, played.number, &played.game));
                Ok(Batches::collect(&GAMES, rows))
            }),
            Rows::Positions => Box::new(|chunk: &Chunk| {
                let rows = chunk.games.iter().flat_map(|played| {
                    let plies = (0..played.game.positions.len()).step_by(self.every.get());
                    let plies = plies.filter(|ply| self.allows(*ply));
                    plies.map(move |ply| position(&chunk.source, played.number, &played.game, ply))
                });
                Ok(Batches::collect(&POSITIONS, rows))
            }),
            Rows::Facts(selection, definitions) => {
                let mut facts = Box::new(Facts::empty());
                let mut rows = FactRows::new(selection, *definitions);
                let level = selection.level();
                Box::new(move |chunk: &Chunk| {
                    for place in &chunk.positions {
                        facts.compute(&place.position, level, *definitions);
                        rows.push(&chunk.source, place.game, place.ply, &place.position, &facts);
                    }
                    Ok(vec![rows.finish()?])
                })
            }
        }
    }
}

/// Positions that a thread works on at once.
const CHUNK: usize = 1 << 13;
/// Rows of a batch, unless they are the last or come before a bad record.
const BATCH: usize = 1 << 13;

/// What the threads hand over, in order.
enum Part {
    Rows(RecordBatch),
    Bad(Arc<str>, Vec<RecordError>),
    Failed(TableError),
    /// Without it the threads have died.
    End,
}

/// Collects the rows of chunks into batches.
struct Line {
    parts: SyncSender<Part>,
    schema: SchemaRef,
    held: Vec<RecordBatch>,
    rows: usize,
}

impl Line {
    fn take(
        &mut self,
        made: Result<Vec<RecordBatch>, TableError>,
        chunk: Chunk,
    ) -> ControlFlow<()> {
        match made {
            Ok(batches) => self.held.extend(batches),
            Err(error) => {
                self.flush()?;
                self.send(Part::Failed(error))?;
                return ControlFlow::Break(());
            }
        }
        self.rows = self.held.iter().map(RecordBatch::num_rows).sum();
        if self.rows >= BATCH || !chunk.errors.is_empty() {
            self.flush()?;
        }
        match chunk.errors.is_empty() {
            true => ControlFlow::Continue(()),
            false => self.send(Part::Bad(chunk.source, chunk.errors)),
        }
    }

    fn flush(&mut self) -> ControlFlow<()> {
        if self.rows == 0 {
            return ControlFlow::Continue(());
        }
        let batch = concat_batches(&self.schema, &self.held);
        (self.rows, self.held) = (0, Vec::new());
        match batch {
            Ok(batch) => self.send(Part::Rows(batch)),
            Err(error) => {
                self.send(Part::Failed(error.into()))?;
                ControlFlow::Break(())
            }
        }
    }

    fn send(&self, part: Part) -> ControlFlow<()> {
        match self.parts.send(part) {
            Ok(()) => ControlFlow::Continue(()),
            // Nobody wants any more.
            Err(_) => ControlFlow::Break(()),
        }
    }
}

/// The bad records of a read.
#[derive(Default)]
pub(super) struct Bad(Mutex<BadSoFar>);

#[derive(Default)]
pub(super) struct BadSoFar {
    pub(super) count: u64,
    pub(super) first: Vec<(Arc<str>, RecordError)>,
}

/// Bad records that are kept: a file that holds nothing else must not fill the memory.
const BAD_KEPT: usize = 10_000;

impl Bad {
    pub(super) fn so_far(&self) -> MutexGuard<'_, BadSoFar> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, source: &Arc<str>, errors: Vec<RecordError>) {
        let mut bad = self.so_far();
        bad.count += errors.len() as u64;
        let room = BAD_KEPT.saturating_sub(bad.first.len());
        bad.first.extend(errors.into_iter().take(room).map(|error| (source.clone(), error)));
    }
}

/// Files that are being read. Dropping it ends the threads.
pub(super) struct Reading {
    /// None when no more rows are wanted.
    parts: Option<Receiver<Part>>,
    stop: Arc<AtomicBool>,
    bad: Arc<Bad>,
    on_bad: OnBad,
    process: u32,
    /// The thread of Python that began it.
    home: ThreadId,
}

/// Why rows do not come.
pub(super) enum Failure {
    Record(RecordError),
    Table(TableError),
    /// What Python raised when it was asked for signals.
    Signal(PyErr),
    Forked,
    Died,
}

/// How long Ctrl-C may wait to be heard.
const LOOK: Duration = Duration::from_millis(50);

impl Reading {
    pub(super) fn begin(plan: Arc<Plan>, bad: Arc<Bad>) -> std::io::Result<Reading> {
        let (parts, receiver) = sync_channel(1);
        let stop = Arc::new(AtomicBool::new(false));
        let reading = Reading {
            parts: Some(receiver),
            stop: stop.clone(),
            bad,
            on_bad: plan.on_bad,
            process: process::id(),
            home: thread::current().id(),
        };
        // It is not waited for: it may wait for standard input itself.
        thread::Builder::new().name("everyply games".to_owned()).spawn(move || {
            let mut chunks = plan.chunks(&stop);
            let mut line = Line { parts, schema: plan.rows.schema(), held: Vec::new(), rows: 0 };
            in_order(
                plan.threads,
                || chunks.next(),
                || {
                    let mut worker = plan.worker();
                    move |chunk: Chunk| (worker(&chunk), chunk)
                },
                |(made, chunk)| line.take(made, chunk),
            );
            if line.flush().is_continue() {
                let _ = line.send(Part::End);
            }
        })?;
        Ok(reading)
    }

    /// The next rows. Does not need the interpreter, and asks it for signals only on the thread
    /// that began: on another one it would have to wait for it, perhaps forever.
    pub(super) fn next(&mut self) -> Option<Result<RecordBatch, Failure>> {
        let parts = self.parts.take()?;
        let next = self.wait(&parts);
        if let Some(Ok(_)) = next {
            self.parts = Some(parts);
        } else {
            self.stop.store(true, Ordering::Relaxed);
        }
        next
    }

    fn wait(&self, parts: &Receiver<Part>) -> Option<Result<RecordBatch, Failure>> {
        loop {
            if self.process != process::id() {
                return Some(Err(Failure::Forked));
            }
            if let Err(error) = self.signals() {
                return Some(Err(Failure::Signal(error)));
            }
            match parts.recv_timeout(LOOK) {
                Ok(Part::Rows(batch)) => return Some(Ok(batch)),
                Ok(Part::Bad(source, mut errors)) => {
                    if self.on_bad == OnBad::Raise && !errors.is_empty() {
                        return Some(Err(Failure::Record(errors.swap_remove(0))));
                    }
                    self.bad.add(&source, errors);
                }
                Ok(Part::Failed(error)) => return Some(Err(Failure::Table(error))),
                Ok(Part::End) => return None,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Some(Err(Failure::Died)),
            }
        }
    }

    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method has too few lifetimes"
    )]
    fn signals(&self) -> PyResult<()> {
        match thread::current().id() == self.home {
            true => Python::attach(|py| py.check_signals()),
            false => Ok(()),
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
