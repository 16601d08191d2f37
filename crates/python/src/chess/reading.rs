//! Rows of games in files, made on threads that stop when nobody wants them any more.

use std::{
    collections::HashMap,
    num::NonZeroUsize,
    ops::ControlFlow,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread,
    time::Duration,
};

use arrow::{compute::concat_batches, datatypes::SchemaRef, record_batch::RecordBatch};
use chess_facts::{Definitions, Facts, Selection};
use games::{Chunk, Chunks, Condition, Kind, Played, Reader, RecordError, Wanted, in_order};
use pyo3::{exceptions::PyRuntimeError, prelude::*};
use tables::{
    TableError,
    chess::{FactRows, GAMES, GameRows, POSITIONS, PositionRows, all_positions, facts_schema},
};

use super::reader::bad_record;
use crate::reader::{Bad, Failure, Files, Home, OnBad, Reading};

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
    /// Some columns of `chess.games`.
    Games(Chosen),
    /// Some of all that is known of a position, as the SQL function `chess_positions` has it.
    Positions(Chosen),
    Facts(Selection, Definitions),
}

/// Columns of a table, in the order in which they were asked for. Nothing else is computed.
pub(super) struct Chosen {
    wanted: Vec<usize>,
    schema: SchemaRef,
    /// Whether they are those of a table that has a name.
    is_whole: bool,
}

impl Chosen {
    /// All columns of `chess.games`.
    pub(super) fn games() -> Chosen {
        Chosen::whole(GAMES.schema())
    }

    /// All columns of `chess.positions`, which are the first of all that is known.
    pub(super) fn positions() -> Chosen {
        Chosen::whole(POSITIONS.schema())
    }

    fn whole(schema: SchemaRef) -> Chosen {
        let wanted = (0..schema.fields().len()).collect();
        Chosen { wanted, schema, is_whole: true }
    }

    /// The columns of these names; an error says what is wrong with one.
    pub(super) fn of(names: &[&str], table: &SchemaRef) -> Result<Chosen, String> {
        let mut wanted = Vec::new();
        for name in names {
            let index = table.index_of(name).map_err(|_| format!("there is no column '{name}'"))?;
            if wanted.contains(&index) {
                return Err(format!("'{name}' is there twice"));
            }
            wanted.push(index);
        }
        let chosen = table.project(&wanted).map_err(|error| error.to_string())?;
        // The name of a table promises all of its columns.
        let schema = Arc::new(chosen.with_metadata(HashMap::new()));
        Ok(Chosen { wanted, schema, is_whole: false })
    }

    /// The same of `chess.games`.
    pub(super) fn of_games(names: &[&str]) -> Result<Chosen, String> {
        Chosen::of(names, &GAMES.schema())
    }

    /// The same of all that is known of a position.
    pub(super) fn of_positions(names: &[&str]) -> Result<Chosen, String> {
        Chosen::of(names, &all_positions())
    }

    fn contains(&self, names: &[&str]) -> bool {
        self.schema.fields().iter().any(|field| names.contains(&field.name().as_str()))
    }
}

/// Makes rows of a chunk.
type Worker<'a> = Box<dyn FnMut(&Chunk) -> Result<Vec<RecordBatch>, TableError> + 'a>;

impl Rows {
    pub(super) fn schema(&self) -> SchemaRef {
        match self {
            Rows::Games(chosen) | Rows::Positions(chosen) => chosen.schema.clone(),
            Rows::Facts(selection, definitions) => facts_schema(selection, *definitions),
        }
    }
}

impl Rows {
    /// What files may hold. The table `chess.positions` is of games.
    fn kind(&self) -> Kind {
        match self {
            Rows::Games(_) => Kind::Games,
            Rows::Positions(chosen) if chosen.is_whole => Kind::Games,
            Rows::Positions(_) | Rows::Facts(..) => Kind::Any,
        }
    }
}

/// The columns of what is noted behind moves.
const NOTES: [&str; 5] = ["clock", "eval", "spent", "centipawns", "mate_in"];

impl Plan {
    fn chunks(&self, stop: &Arc<AtomicBool>) -> Chunks {
        let stop = stop.clone();
        let has_facts = matches!(self.rows, Rows::Facts(..));
        let wanted = Wanted {
            kind: self.rows.kind(),
            conditions: self.conditions.clone(),
            every: self.every,
            notes: matches!(&self.rows, Rows::Positions(chosen) if chosen.contains(&NOTES)),
            text: matches!(&self.rows, Rows::Games(chosen) if chosen.contains(&["pgn"])),
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

    /// Reads everything and hands it over, until nobody wants any more.
    fn read(&self, parts: SyncSender<Part>, stop: &Arc<AtomicBool>) {
        let mut chunks = self.chunks(stop);
        let mut line = Line { parts, schema: self.rows.schema(), held: Vec::new(), rows: 0 };
        in_order(
            self.threads,
            || chunks.next(),
            || {
                let mut worker = self.worker();
                move |chunk: Chunk| (worker(&chunk), chunk)
            },
            |(made, chunk)| line.take(made, chunk),
        );
        if line.flush().is_continue() {
            let _ = line.send(Part::End);
        }
    }

    fn allows(&self, ply: usize) -> bool {
        self.conditions.iter().all(|condition| condition.allows_ply(ply as u64))
    }

    /// Makes the rows of chunks, on one thread.
    fn worker(&self) -> Worker<'_> {
        match &self.rows {
            Rows::Games(chosen) => {
                let mut rows = GameRows::new(&chosen.wanted);
                Box::new(move |chunk: &Chunk| {
                    for played in &chunk.games {
                        rows.push(&chunk.source, played.number, &played.game);
                    }
                    Ok(vec![rows.finish()?])
                })
            }
            Rows::Positions(chosen) => {
                let mut rows = PositionRows::new(&chosen.wanted);
                let mut plies = Vec::new();
                Box::new(move |chunk: &Chunk| {
                    for Played { number, game } in &chunk.games {
                        let all = (0..game.positions.len()).step_by(self.every.get());
                        plies.clear();
                        plies.extend(all.filter(|ply| self.allows(*ply)));
                        rows.push_game(&chunk.source, *number, game, plies.iter().copied());
                    }
                    for place in &chunk.positions {
                        rows.push_position(&chunk.source, place.game, &place.position);
                    }
                    Ok(vec![rows.finish()?])
                })
            }
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
            Ok(batches) => self.held.extend(batches.into_iter().filter(|it| it.num_rows() > 0)),
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

/// Files that are being read. Dropping it ends the threads.
struct Parts {
    /// None when no more rows are wanted.
    parts: Option<Receiver<Part>>,
    stop: Arc<AtomicBool>,
    bad: Arc<Bad>,
    on_bad: OnBad,
    home: Home,
}

/// How long Ctrl-C may wait to be heard.
const LOOK: Duration = Duration::from_millis(50);

impl Files for Arc<Plan> {
    fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    fn schema(&self) -> SchemaRef {
        self.rows.schema()
    }

    fn begin(&self, bad: Arc<Bad>) -> PyResult<Reading> {
        let (sender, receiver) = sync_channel(1);
        let stop = Arc::new(AtomicBool::new(false));
        let parts = Parts {
            parts: Some(receiver),
            stop: stop.clone(),
            bad,
            on_bad: self.on_bad,
            home: Home::here(),
        };
        let plan = self.clone();
        // It is not waited for: it may wait for standard input itself.
        let begun = thread::Builder::new()
            .name("everyply games".to_owned())
            .spawn(move || plan.read(sender, &stop));
        match begun {
            Ok(_) => Ok(Box::new(parts)),
            Err(error) => Err(PyRuntimeError::new_err(format!("no thread to read: {error}"))),
        }
    }
}

impl Iterator for Parts {
    type Item = Result<RecordBatch, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        let parts = self.parts.take()?;
        let next = self.wait(&parts);
        if let Some(Ok(_)) = next {
            self.parts = Some(parts);
        } else {
            self.stop.store(true, Ordering::Relaxed);
        }
        next
    }
}

impl Parts {
    fn wait(&self, parts: &Receiver<Part>) -> Option<Result<RecordBatch, Failure>> {
        loop {
            if self.home.is_other_process() {
                return Some(Err(Failure::Forked));
            }
            if let Err(failure) = self.home.signals() {
                return Some(Err(failure));
            }
            match parts.recv_timeout(LOOK) {
                Ok(Part::Rows(batch)) => return Some(Ok(batch)),
                Ok(Part::Bad(source, mut errors)) => {
                    if self.on_bad == OnBad::Raise && !errors.is_empty() {
                        return Some(Err(Failure::record(errors.swap_remove(0))));
                    }
                    self.bad.add(errors.iter().map(|error| bad_record(&source, error)));
                }
                Ok(Part::Failed(error)) => return Some(Err(Failure::Table(error))),
                Ok(Part::End) => return None,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Some(Err(Failure::Died)),
            }
        }
    }
}

impl Drop for Parts {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
