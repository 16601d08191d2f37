//! `everyply fourchess selfplay`

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use fourchess::{Rules, pgn};
use fourchess_env::{Record, SelfPlay};
use rayon::prelude::*;
use sinks::Unfinished;
use tables::{
    Format, Rows, Shape,
    fourchess::{self as table, GAMES, PLIES},
};

use super::{
    Board, Place,
    device::{self, Device},
    learned::{self, Brain, Opponent, Thinking, Weights, opponent},
};
use crate::{
    exit::{Exit, Outcome, bad_command, say},
    files::{self, Stream},
    interrupt, progress,
    rows::Output,
    threads::Threads,
};

/// Play complete games with built-in or learned players, and write them as PGN4 and as tables
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply fourchess selfplay --games 10
  everyply fourchess selfplay --games 1000 --players greedy,random,random,random --pgn games.pgn4
  everyply fourchess selfplay --games 100 --players learned,greedy,greedy,greedy
  everyply fourchess selfplay --games 1000 --seed 3 --plies plies.parquet --format csv
  everyply fourchess selfplay --games 10 --setup classic --rule claim_lead=21
  everyply fourchess selfplay --games 100000 --players greedy --device cuda --format csv

The command prints a row for each game. --plies writes a row for each ply to a file. Its extension
selects the format: .parquet, .arrow, .jsonl, .json, .csv or .txt. The same seed gives the same
games on any number of threads and on any device. On a GPU the players choose there, and the
processor writes the games.")]
pub(crate) struct Args {
    #[command(flatten)]
    board: Board,
    /// Number of games
    #[arg(long, value_name = "N", default_value_t = 1)]
    games: u64,
    /// Random seed; the first game uses this seed, the next one this seed plus 1, and so on
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// Players, each random, greedy or learned: one for all seats, or four for red, blue, yellow
    /// and green
    #[arg(long, value_name = "PLAYERS", value_delimiter = ',', default_value = "random", value_parser = opponent)]
    players: Vec<Opponent>,
    #[command(flatten)]
    weights: Weights,
    /// Stop a game after this many plies
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    max_plies: usize,
    /// Write the games as PGN4 to this file; '-' writes them to standard output in place of the
    /// table
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Write a table with one row for each ply to this file
    #[arg(long, value_name = "FILE")]
    plies: Option<PathBuf>,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    output: Output,
}

/// Games played together: enough for all cores, few enough to stream.
const TOGETHER: u64 = 256;
/// The same for games of a network, which take a hundred times as long.
const TOGETHER_WITH_NETWORK: u64 = 16;
/// The same for a GPU, which needs many games to be busy.
const TOGETHER_ON_GPU: u64 = 8192;

pub(crate) fn run(args: &Args) -> Outcome {
    let players = match args.players[..] {
        [one] => [one; 4],
        [red, blue, yellow, green] => [red, blue, yellow, green],
        _ => {
            return Err(bad_command(
                "--players: expected one player, or one for each of the four seats",
            ));
        }
    };
    let brain = args.weights.network(&players)?;
    if brain.is_some() && args.place.device != Device::Cpu {
        return Err(bad_command("--device: the player 'learned' plays on the processor only"));
    }
    let rules = args.board.rules();
    let built_in = players.map(Opponent::built_in);
    let mut selfplay = SelfPlay::new(&rules, built_in).map_err(bad_command)?;
    selfplay.start = args.board.position()?;
    selfplay.max_plies = args.max_plies;
    let pool = args.threads.pool()?;
    let mut writers = Writers::new(args)?;
    let bar = progress::pieces("games", args.games);
    let mut plies = 0;
    let mut first = 0;
    let together = match args.place.device {
        Device::Cpu if brain.is_some() => TOGETHER_WITH_NETWORK,
        Device::Cpu => TOGETHER,
        Device::Cuda(_) => TOGETHER_ON_GPU,
    };
    while first < args.games && !interrupt::requested() {
        let games = first..args.games.min(first + together);
        let seeds: Vec<u64> = games.clone().map(|game| args.seed.wrapping_add(game)).collect();
        let play = || match &brain {
            Some(brain) => Ok(Some(learnt(&selfplay, &seeds, players, brain))),
            None => played(&selfplay, &seeds, args.place.device),
        };
        let Some(records) = pool.install(play)? else { break };
        for (game, record) in games.clone().zip(&records) {
            plies += record.plies.len() as u64;
            writers.write(game + 1, record, &rules)?;
        }
        first = games.end;
        bar.set_position(first);
    }
    bar.finish_and_clear();
    writers.finish()?;
    say(format_args!("{first} games of {plies} plies"));
    Ok(if first < args.games { Exit::Interrupted } else { Exit::Fine })
}

/// The games with these seeds, in which a network plays some seats.
fn learnt(
    selfplay: &SelfPlay,
    seeds: &[u64],
    players: [Opponent; 4],
    brain: &Brain,
) -> Vec<Record> {
    let rules = selfplay.rules();
    let play = |thinking: &mut Option<Thinking<'_>>, &seed: &u64| {
        selfplay.game_with(seed, |position, legal, random| {
            let player = players[position.turn().index()];
            learned::choose(player, thinking, (position, rules), legal, random)
        })
    };
    seeds.par_iter().map_init(|| Some(Thinking::of(brain)), play).collect()
}

/// The games with these seeds; `None` if they were interrupted.
fn played(
    selfplay: &SelfPlay,
    seeds: &[u64],
    device: Device,
) -> anyhow::Result<Option<Vec<Record>>> {
    let Device::Cuda(ordinal) = device else {
        return Ok(Some(seeds.par_iter().map(|&seed| selfplay.game(seed)).collect()));
    };
    let chosen = device::choose(selfplay, seeds, ordinal)?;
    let Some(chosen) = chosen else { return Ok(None) };
    let games = seeds.par_iter().zip(&chosen);
    let records = games.map(|(&seed, actions)| selfplay.replay(seed, actions));
    let records = records.collect::<Result<Vec<Record>, fourchess_env::Error>>()?;
    Ok(Some(records))
}

struct Writers {
    games: Option<Rows<Stream>>,
    plies: Option<Rows<Unfinished>>,
    pgn: Option<Pgn>,
}

enum Pgn {
    Stream(Stream),
    File(Box<Unfinished>),
}

impl Writers {
    fn new(args: &Args) -> anyhow::Result<Writers> {
        let to_stdout = args.pgn.as_deref().is_some_and(files::is_stream);
        let games = match to_stdout {
            true => None,
            false => Some(args.output.rows(&GAMES, Shape::Many)?),
        };
        let pgn = match &args.pgn {
            None => None,
            Some(_) if to_stdout => Some(Pgn::Stream(files::stdout())),
            Some(path) => Some(Pgn::File(Box::new(Unfinished::create(path)?))),
        };
        let plies = match &args.plies {
            None => None,
            Some(path) => {
                let format = format_of(path)?;
                Some(Rows::new(Unfinished::create(path)?, format, &PLIES, Shape::Many)?)
            }
        };
        Ok(Writers { games, plies, pgn })
    }

    fn write(&mut self, number: u64, record: &Record, rules: &Rules) -> anyhow::Result<()> {
        if let Some(rows) = &mut self.games {
            rows.row(&table::game(number, record, rules))?;
        }
        if let Some(rows) = &mut self.plies {
            table::plies(number, record, rules).try_for_each(|row| rows.row(&row))?;
        }
        match &mut self.pgn {
            None => Ok(()),
            Some(Pgn::Stream(out)) => write_pgn(out, number, record, rules),
            Some(Pgn::File(out)) => write_pgn(out, number, record, rules),
        }
    }

    fn finish(self) -> anyhow::Result<()> {
        if let Some(rows) = self.games {
            rows.finish()?;
        }
        let plies = self.plies.map(Rows::finish).transpose()?;
        match self.pgn {
            None => {}
            Some(Pgn::Stream(mut out)) => out.flush()?,
            Some(Pgn::File(out)) => files::complete(*out)?,
        }
        plies.map_or(Ok(()), files::complete)
    }
}

/// A game as PGN4.
pub(crate) fn write_pgn(
    out: &mut impl Write,
    number: u64,
    record: &Record,
    rules: &Rules,
) -> anyhow::Result<()> {
    let plies = record.plies.iter().map(|ply| pgn::Ply::Move(ply.mv));
    let mut game = pgn::Record::new(&record.start, rules, plies)?;
    game.tags.set("GameNr", &number.to_string());
    writeln!(out, "{game}")?;
    Ok(())
}

/// The format of a file by the ending of its name.
fn format_of(path: &Path) -> anyhow::Result<Format> {
    Format::of_file(path).ok_or_else(|| {
        bad_command(format_args!(
            "{}: the file name must end in .parquet, .arrow, .jsonl, .json, .csv or .txt",
            path.display()
        ))
    })
}
