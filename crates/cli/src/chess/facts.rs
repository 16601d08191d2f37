//! `everyply chess facts`

mod filter;
mod input;
mod output;

use std::{
    collections::HashMap,
    num::NonZeroUsize,
    path::PathBuf,
    sync::{Condvar, Mutex},
    thread,
};

use arrow::record_batch::RecordBatch;
use chess_facts::Definitions;
use clap::ValueEnum;
use sources::Progress;
use tables::{Encoder, FactRows, Selection, TableError};

use self::{
    filter::Condition,
    input::{Input, Records, Wanted},
    output::{Options, Sink},
};
use crate::{
    exit::{Exit, Outcome, bad_command, bad_input, say},
    files, interrupt, progress,
    rows::Format,
    threads::Threads,
};

/// Find the facts of every position of FEN, EPD and PGN files
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply chess facts games.pgn.zst --out facts
  everyply chess facts games.pgn --where white_elo '>=' 2000 --where ply '<' 40 --out facts.parquet
  everyply chess facts positions.epd --facts pinned,pins,hanging_see --format jsonl
  everyply chess facts games.pgn --facts everything,masks --every 10 --format csv
  everyply chess facts games.pgn --out facts --append

A bad game or position is reported with its place, left out, and makes the exit code 1. What the
facts mean and what their columns are called is written in docs/facts.md.")]
pub(crate) struct Args {
    /// FEN, EPD or PGN files, plain or packed with gzip or zstd; '-' is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Only every Nth position of a game, the start included
    #[arg(long, value_name = "N", default_value = "1")]
    every: NonZeroUsize,
    /// Only games and positions for which this holds. Keys: result, white_elo, black_elo, eco, ply.
    /// Operators: = != < <= > >= ~ (contains). May be repeated
    #[arg(long = "where", value_names = ["KEY", "OP", "VALUE"], num_args = 3, allow_hyphen_values = true)]
    conditions: Vec<String>,
    /// Which columns: lines, exchange, forks, everything (counts up to that level), masks, lists, or
    /// names of facts
    #[arg(long, value_name = "NAMES", default_value = "everything", value_delimiter = ',')]
    facts: Vec<String>,
    /// By which definitions
    #[arg(long, value_enum, value_name = "SET", default_value_t = DefinitionSet::Std)]
    definitions: DefinitionSet,
    /// How to write the result [default: from the name of --out, else table]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write to a file, or Parquet in parts to a folder; a finished part survives whatever happens
    #[arg(long, value_name = "FILE|DIR")]
    out: Option<PathBuf>,
    /// Go on after what the folder of --out already holds
    #[arg(long, requires = "out")]
    append: bool,
    /// How many rows make a part in a folder; parts end where a game ends
    #[arg(long, value_name = "ROWS", default_value = "1048576")]
    part_rows: NonZeroUsize,
    /// What to do with a bad record
    #[arg(long, value_enum, value_name = "ACTION", default_value_t = OnError::Skip)]
    on_error: OnError,
    #[command(flatten)]
    threads: Threads,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DefinitionSet {
    /// As documented
    Std,
    /// Those of an earlier tool
    Literal,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OnError {
    /// Report it and go on
    Skip,
    /// Stop there
    Fail,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let definitions = match args.definitions {
        DefinitionSet::Std => Definitions::Std,
        DefinitionSet::Literal => Definitions::Literal,
    };
    let names = args.facts.iter().map(String::as_str);
    let selection =
        Selection::parse(names).map_err(|error| bad_command(format_args!("--facts: {error}")))?;
    let conditions = Condition::parse_all(&args.conditions)
        .map_err(|error| bad_command(format_args!("--where: {error}")))?;
    if args.append && args.files.iter().any(|path| files::is_stream(path)) {
        return Err(bad_command(
            "--append knows files by their names, and standard input has none that lasts",
        ));
    }
    let threads = args.threads.count().get();
    let schema = selection.schema(definitions);
    let mut done = HashMap::new();
    let sink = Sink::open(&Options::of(args), &schema, &mut done)?;
    let encoder = Encoder::new(sink.format(), &schema)?;
    let stop_on_error = args.on_error == OnError::Fail;
    let input = Input::new(
        args.files.clone(),
        Wanted { conditions, every: args.every.get(), stop_on_error },
        done,
        sink.chunk_rows(),
    );
    let work = Work {
        bar: progress::bytes("facts", input.size()),
        input: Mutex::new(input),
        line: Mutex::new(Line { next: 0, waiting: HashMap::new(), sink, bad: 0, stop: None }),
        moved: Condvar::new(),
        stop_on_error,
        places: 4 * threads as u64,
    };
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| work.share(&encoder, FactRows::new(&selection, definitions)));
        }
    });
    work.bar.finish_and_clear();
    let line = work.line.into_inner().expect("no thread panics");
    if let Some(error) = line.stop {
        return Err(error);
    }
    line.sink.finish()?;
    if line.bad == 0 {
        return Ok(Exit::Fine);
    }
    say(format_args!("bad records left out: {}", line.bad));
    Ok(Exit::BadInput)
}

/// How many rows are turned into columns at once.
const BATCH: usize = 1 << 14;

fn compute(rows: &mut FactRows, records: &Records) -> Result<Vec<RecordBatch>, TableError> {
    let batches = records.positions.chunks(BATCH).map(|positions| {
        for record in positions {
            rows.push(&records.source, record.game, record.ply, &record.position);
        }
        rows.finish()
    });
    batches.collect()
}

/// What the threads share: records come out of the input in order, and rows go into the sink in
/// the same order, whoever computed them.
struct Work {
    input: Mutex<Input>,
    line: Mutex<Line>,
    /// Something has been written.
    moved: Condvar,
    stop_on_error: bool,
    /// How far one may be ahead of the oldest that is not written.
    places: u64,
    bar: indicatif::ProgressBar,
}

struct Line {
    next: u64,
    waiting: HashMap<u64, (tables::Chunk, Records)>,
    sink: Sink,
    /// Records that were left out.
    bad: u64,
    stop: Option<anyhow::Error>,
}

impl Work {
    /// What each thread does: take records, compute, encode, hand in.
    fn share(&self, encoder: &Encoder, mut rows: FactRows) {
        loop {
            let (number, records) = {
                let mut input = self.input.lock().expect("no thread panics");
                let Some(records) = input.next() else { return };
                let done: u64 =
                    input.progress().map(Progress::bytes).unwrap_or(0) + input.finished();
                self.bar.set_position(done);
                records
            };
            let chunk = compute(&mut rows, &records).and_then(|batches| encoder.encode(batches));
            let mut line = self.line.lock().expect("no thread panics");
            match chunk {
                Ok(chunk) => {
                    line.waiting.insert(number, (chunk, records));
                }
                Err(error) => line.stop = line.stop.take().or(Some(error.into())),
            }
            self.write(&mut line);
            while line.stop.is_none() && number >= line.next + self.places {
                line = self.moved.wait(line).expect("no thread panics");
            }
            if line.stop.is_some() || interrupt::requested() {
                return;
            }
        }
    }

    /// Writes what is next in line, as far as it is there.
    fn write(&self, line: &mut Line) {
        while line.stop.is_none()
            && let Some((chunk, records)) = line.waiting.remove(&line.next)
        {
            line.next += 1;
            for error in &records.errors {
                self.bar.suspend(|| say(error));
                line.bad += 1;
            }
            let mut written = line.sink.append(chunk, &records);
            if self.stop_on_error && line.bad > 0 {
                written = written
                    .and_then(|()| line.sink.finish_part())
                    .and(Err(bad_input("stopped at the first bad record")));
            }
            line.stop = written.err();
        }
        self.moved.notify_all();
    }
}
