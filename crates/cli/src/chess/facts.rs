//! `everyply chess facts`

mod output;

use std::{collections::HashMap, num::NonZeroUsize, ops::ControlFlow, path::PathBuf, sync::Arc};

use arrow::record_batch::RecordBatch;
use chess_facts::{Definitions, Facts, Level, Selection};
use clap::ValueEnum;
use games::{Chunk, Chunks, Condition, Reader, Wanted, in_order};
use indicatif::ProgressBar;
use tables::{
    Encoder, Format, TableError,
    chess::{FactRows, facts_schema},
};

use self::output::{Options, Sink};
use crate::{
    exit::{Exit, Outcome, bad_command, bad_input, say},
    files, interrupt, progress,
    rows::formats,
    threads::Threads,
};

/// Compute the facts of every position in FEN, EPD and PGN files
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply chess facts games.pgn.zst --out facts
  everyply chess facts games.pgn --where white_elo '>=' 2000 --where ply '<' 40 --out facts.parquet
  everyply chess facts positions.epd --facts pinned,pins,hanging_see --format jsonl
  everyply chess facts games.pgn --facts everything,masks --every 10 --format csv
  everyply chess facts games.pgn --out facts --append

An invalid game or position is reported with its file and line and skipped; the exit code is then 1.
docs/facts.md defines the facts and lists their columns.")]
pub(crate) struct Args {
    /// FEN, EPD or PGN files, plain or compressed with gzip or zstd; '-' reads standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Use only every Nth position of each game, beginning with the start position
    #[arg(long, value_name = "N", default_value = "1")]
    every: NonZeroUsize,
    /// Use only games and positions that match; if repeated, all conditions must match. Keys:
    /// result, white_elo, black_elo, eco, ply. Operators: = != < <= > >= ~ (contains)
    #[arg(long = "where", value_names = ["KEY", "OP", "VALUE"], num_args = 3, allow_hyphen_values = true)]
    conditions: Vec<String>,
    /// Facts to compute, separated by commas: a level (lines, exchange, forks or everything), which
    /// includes the levels before it; masks; lists; or names of facts
    #[arg(long, value_name = "NAMES", default_value = "everything", value_delimiter = ',')]
    facts: Vec<String>,
    /// Which fact definitions to use
    #[arg(long, value_enum, value_name = "SET", default_value_t = DefinitionSet::Std)]
    definitions: DefinitionSet,
    /// Output format [default: from the extension of --out, otherwise table]
    #[arg(long, value_parser = formats())]
    format: Option<Format>,
    /// Write to this file, or to a directory of Parquet parts if the name has no extension; a
    /// finished part survives a crash or a power cut
    #[arg(long, value_name = "FILE|DIR")]
    out: Option<PathBuf>,
    /// Resume: add to the parts that the directory of --out already holds
    #[arg(long, requires = "out")]
    append: bool,
    /// Minimum number of rows in each part of a directory; a part ends at the end of a game
    #[arg(long, value_name = "ROWS", default_value = "1048576")]
    part_rows: NonZeroUsize,
    /// What to do with an invalid record
    #[arg(long, value_enum, value_name = "ACTION", default_value_t = OnError::Skip)]
    on_error: OnError,
    #[command(flatten)]
    threads: Threads,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DefinitionSet {
    /// The definitions of docs/facts.md
    Std,
    /// Compatible with the old Python tool
    Literal,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OnError {
    /// Report it and continue
    Skip,
    /// Report it and stop
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
    let conditions = conditions(&args.conditions)?;
    if args.append && args.files.iter().any(|path| files::is_stream(path)) {
        return Err(bad_command(
            "--append cannot be used with standard input, because it tracks progress by file name",
        ));
    }
    let schema = facts_schema(&selection, definitions);
    let mut done = HashMap::new();
    let sink = Sink::open(&Options::of(args), &schema, &mut done)?;
    let encoder = Encoder::new(sink.format(), &schema)?;
    let wanted = Wanted {
        conditions,
        every: args.every,
        done,
        stop_on_error: args.on_error == OnError::Fail,
        interrupted: Arc::new(interrupt::requested),
        ..Wanted::default()
    };
    let mut chunks = Chunks::new(Reader::new(args.files.clone(), wanted), sink.chunk_rows());
    let bar = progress::bytes("facts", chunks.reader().size());
    let stop_on_error = args.on_error == OnError::Fail;
    let mut written = Written { sink, stop_on_error, bar: bar.clone(), bad: 0, stop: None };
    in_order(
        args.threads.count(),
        || {
            bar.set_position(chunks.reader().progress());
            chunks.next()
        },
        || {
            let mut finder = Finder::new(&selection, definitions);
            let encoder = &encoder;
            move |chunk: Chunk| {
                let encoded = finder.find(&chunk).and_then(|rows| encoder.encode(rows));
                (encoded, chunk)
            }
        },
        |(encoded, chunk)| written.take(encoded, &chunk),
    );
    bar.finish_and_clear();
    written.finish()
}

/// Reads the words of all conditions, three for each.
pub(super) fn conditions(words: &[String]) -> anyhow::Result<Vec<Condition>> {
    let conditions = words.chunks_exact(3).map(|words| {
        Condition::new(&words[0], &words[1], &words[2])
            .map_err(|error| bad_command(format_args!("--where: {error}")))
    });
    conditions.collect()
}

/// How many rows are turned into columns at once.
const BATCH: usize = 1 << 14;

/// Finds the facts of positions, on one thread.
struct Finder {
    level: Level,
    definitions: Definitions,
    facts: Box<Facts>,
    rows: FactRows,
}

impl Finder {
    fn new(selection: &Selection, definitions: Definitions) -> Finder {
        Finder {
            level: selection.level(),
            definitions,
            facts: Box::new(Facts::empty()),
            rows: FactRows::new(selection, definitions),
        }
    }

    fn find(&mut self, chunk: &Chunk) -> Result<Vec<RecordBatch>, TableError> {
        let batches = chunk.positions.chunks(BATCH).map(|places| {
            for place in places {
                self.facts.compute(&place.position, self.level, self.definitions);
                self.rows.push(&chunk.source, place.game, place.ply, &place.position, &self.facts);
            }
            self.rows.finish()
        });
        batches.collect()
    }
}

/// Where rows have gone so far.
struct Written {
    sink: Sink,
    stop_on_error: bool,
    bar: ProgressBar,
    /// Records that were left out.
    bad: u64,
    /// Why the work ends early.
    stop: Option<anyhow::Error>,
}

impl Written {
    /// Writes a chunk, and says what was wrong on the way to it.
    fn take(
        &mut self,
        encoded: Result<tables::Chunk, TableError>,
        chunk: &Chunk,
    ) -> ControlFlow<()> {
        let taken = encoded.map_err(Into::into).and_then(|encoded| self.write(encoded, chunk));
        match taken {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.stop = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn write(&mut self, encoded: tables::Chunk, chunk: &Chunk) -> anyhow::Result<()> {
        for error in &chunk.errors {
            self.bar.suspend(|| say(error));
            self.bad += 1;
        }
        self.sink.append(encoded, &chunk.source, chunk.last)?;
        if self.stop_on_error && self.bad > 0 {
            self.sink.finish_part()?;
            return Err(bad_input("stopped at the first bad record"));
        }
        Ok(())
    }

    fn finish(self) -> Outcome {
        if let Some(error) = self.stop {
            return Err(error);
        }
        self.sink.finish()?;
        if self.bad == 0 {
            return Ok(Exit::Fine);
        }
        say(format_args!("bad records skipped: {}", self.bad));
        Ok(Exit::BadInput)
    }
}
