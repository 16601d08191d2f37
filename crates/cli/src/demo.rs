//! `everyply demo`: the main job from end to end, on games that come with the program.

mod kalah;

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::Context;
use chess::{Color, Position, drawing::Drawing, pgn::Mainline};
use chess_facts::{Definitions, Facts, Level, Side};
use pictures::Size;
use sources::Source;
use tables::{FactRows, Selection, TableError, Writer};

use crate::{
    chess::games,
    colors,
    exit::{Exit, Outcome, say},
    files::{self, Named, Unfinished},
    rows::{Cell, Format, Output, Rows, Shape, Table, count, real, text},
};

/// See the main job from end to end, on 438 games that come with the program
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply demo
  everyply demo --out /tmp/everyply
  everyply demo --clean")]
pub(crate) struct Args {
    /// Where to write tables and pictures
    #[arg(long, value_name = "DIR", default_value = "everyply-demo")]
    out: PathBuf,
    /// Remove what the demo wrote, and its folder if nothing else is in it
    #[arg(long)]
    clean: bool,
}

/// Lichess, May 2025, CC0.
static GAMES: &[u8] = include_bytes!("../../../fixtures/chess/pgn/lichess_438_games.pgn");

const FILES: [&str; 11] = [
    "games.csv",
    "positions.jsonl",
    "facts.parquet",
    "legal_moves.csv",
    "freest.svg",
    "freest.png",
    "puzzle.svg",
    "puzzle.png",
    "kalah.sqlite",
    "kalah.svg",
    "kalah.png",
];

static LEGAL_MOVES: Table = Table {
    name: "demo.legal_moves",
    columns: &[
        text("plies"),
        count("positions"),
        count("legal_moves_min"),
        real("legal_moves_mean"),
        count("legal_moves_max"),
        real("in_check_percent"),
    ],
};

static TACTICS: Table = Table {
    name: "demo.tactics",
    columns: &[
        text("plies"),
        real("hanging_percent"),
        real("pinned_percent"),
        real("skewered_percent"),
        real("fork_percent"),
        real("fork_move_percent"),
    ],
};

pub(crate) fn run(args: &Args) -> Outcome {
    if args.clean {
        return clean(&args.out);
    }
    fs::create_dir_all(&args.out).with_context(|| format!("cannot make {}", args.out.display()))?;
    let start = Instant::now();
    let statistics = write_games(&args.out)?;
    let seconds = start.elapsed().as_secs_f64();

    let table = Output { format: Format::Table };
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "Read {} games of {} positions, every move played and checked, and wrote a row for each.\n",
        statistics.games, statistics.positions
    )?;
    writeln!(out, "How many legal moves are there to choose from?\n")?;
    out.flush()?;
    write_legal_moves(Rows::to_stdout(table, &LEGAL_MOVES, Shape::Many)?, &statistics)?;
    let (file, rows) = csv(&args.out, "legal_moves.csv", &LEGAL_MOVES)?;
    write_legal_moves(rows, &statistics)?;
    file.complete()?;

    let freest = &statistics.freest;
    let drawing = Drawing::of(&freest.position);
    let svg = drawing.svg();
    files::write(&args.out.join("freest.svg"), svg.as_bytes())?;
    files::write(&args.out.join("freest.png"), &pictures::png(&svg, Size::Width(640))?)?;
    let board = if colors::wanted(&out) { drawing.colored() } else { drawing.plain() };
    writeln!(
        out,
        "\nThe freest position, {} legal moves, game {} after {} plies:\n\n{board}\n{}\n",
        freest.legal_moves, freest.game, freest.ply, freest.position
    )?;
    writeln!(
        out,
        "What share of positions has a man that hangs, is pinned to its king or skewered, a fork, \
         or a safe move that forks?\n"
    )?;
    out.flush()?;
    write_tactics(Rows::to_stdout(table, &TACTICS, Shape::Many)?, &statistics)?;
    write_puzzle(&mut out, &args.out)?;
    kalah::write(&mut out, &args.out)?;
    writeln!(out, "Written to {}:", args.out.display())?;
    for name in FILES {
        let bytes = fs::metadata(args.out.join(name))?.len();
        writeln!(out, "  {name:<16} {bytes:>9} bytes")?;
    }
    writeln!(
        out,
        "\nTry next:\n  everyply chess perft --depth 6\n  everyply chess show start --png board.png\n  \
         everyply chess facts YOUR.pgn --out facts\n  everyply kenken generate --level hard --count 10\n  \
         everyply kalah play --store sqlite:{}",
        args.out.join("kalah.sqlite").display()
    )?;
    say(format_args!("games read and written in {seconds:.2} s"));
    Ok(Exit::Fine)
}

fn clean(folder: &Path) -> Outcome {
    for name in FILES {
        match fs::remove_file(folder.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot remove {name}"));
            }
            _ => {}
        }
    }
    // Only an empty folder can be removed, so nobody else's file is lost.
    let _ = fs::remove_dir(folder);
    Ok(Exit::Fine)
}

/// What the demo tells about its games.
struct Statistics {
    games: u64,
    positions: u64,
    /// By twenty plies of the game.
    stretches: Vec<Stretch>,
    freest: Freest,
}

#[derive(Clone, Default)]
struct Stretch {
    positions: u64,
    legal_moves: u64,
    min: u64,
    max: u64,
    checks: u64,
    /// Positions with a hanging, pinned or skewered man, a fork, a safe move that forks.
    tactics: [u64; 5],
}

struct Freest {
    position: Position,
    legal_moves: u64,
    game: u64,
    ply: usize,
}

const STRETCH: usize = 20;
/// Everything later is one stretch.
const STRETCHES: usize = 7;

fn write_games(folder: &Path) -> anyhow::Result<Statistics> {
    let (games_file, mut game_rows) = csv(folder, "games.csv", &games::GAMES)?;
    let (positions_file, out) = Unfinished::create(&folder.join("positions.jsonl"))?;
    let mut position_rows = Rows::new(out, Format::Jsonl, &games::POSITIONS, Shape::Many)?;
    let selection = Selection::counts(Level::Everything);
    let mut fact_rows = FactRows::new(&selection, Definitions::Std);
    let (facts_file, out) = Unfinished::create(&folder.join("facts.parquet"))?;
    let schema = selection.schema(Definitions::Std);
    let mut fact_writer = Writer::new(out, tables::Format::Parquet, &schema, Shape::Many)?;
    let mut statistics = Statistics {
        games: 0,
        positions: 0,
        stretches: vec![Stretch { min: u64::MAX, ..Stretch::default() }; STRETCHES],
        freest: Freest { position: Position::default(), legal_moves: 0, game: 0, ply: 0 },
    };
    let source = Source::from_reader("lichess_438_games.pgn", GAMES);
    games::read_source(source, &mut |name, number, game| {
        games::write_game(&mut game_rows, name, number, game)?;
        games::write_positions(&mut position_rows, name, number, game)?;
        for (ply, position) in game.positions.iter().enumerate() {
            fact_rows.push(name, number, ply as u64, position);
        }
        statistics.add(number, game);
        Ok(())
    })?;
    game_rows.finish()?;
    position_rows.finish()?;
    fact_writer.write(&fact_rows.finish()?)?;
    fact_writer.finish()?;
    [games_file, positions_file, facts_file].into_iter().try_for_each(Unfinished::complete)?;
    Ok(statistics)
}

impl Statistics {
    fn add(&mut self, number: u64, game: &Mainline) {
        self.games += 1;
        let mut facts = Box::new(Facts::empty());
        for (ply, position) in game.positions.iter().enumerate() {
            let legal_moves = chess::perft(position, 1);
            let stretch = &mut self.stretches[(ply / STRETCH).min(STRETCHES - 1)];
            stretch.positions += 1;
            stretch.legal_moves += legal_moves;
            stretch.min = stretch.min.min(legal_moves);
            stretch.max = stretch.max.max(legal_moves);
            stretch.checks += u64::from(position.is_check());
            facts.compute(position, Level::Forks, Definitions::Std);
            let either = |holds: fn(&Side) -> bool| Color::ALL.iter().any(|&c| holds(&facts[c]));
            let tactics = [
                either(|side| !side.hanging.is_empty()),
                either(|side| side.pinned.is_some()),
                either(|side| side.skewered.is_some()),
                either(|side| !side.forks.is_empty()),
                !facts[position.turn()].fork_moves.is_empty(),
            ];
            for (count, holds) in stretch.tactics.iter_mut().zip(tactics) {
                *count += u64::from(holds);
            }
            self.positions += 1;
            if legal_moves > self.freest.legal_moves {
                self.freest = Freest { position: *position, legal_moves, game: number, ply };
            }
        }
    }
}

fn write_legal_moves(
    mut rows: Rows<impl Write + Send>,
    statistics: &Statistics,
) -> Result<(), TableError> {
    for (plies, stretch) in statistics.named_stretches() {
        rows.row(&[
            plies.into(),
            stretch.positions.into(),
            stretch.min.into(),
            hundredths(stretch.legal_moves as f64 / stretch.positions as f64).into(),
            stretch.max.into(),
            stretch.percent(stretch.checks).into(),
        ])?;
    }
    rows.finish()
}

fn write_tactics(
    mut rows: Rows<impl Write + Send>,
    statistics: &Statistics,
) -> Result<(), TableError> {
    for (plies, stretch) in statistics.named_stretches() {
        let mut row = vec![Cell::from(plies)];
        row.extend(stretch.tactics.map(|count| stretch.percent(count).into()));
        rows.row(&row)?;
    }
    rows.finish()
}

impl Statistics {
    fn named_stretches(&self) -> impl Iterator<Item = (String, &Stretch)> {
        let named = self.stretches.iter().enumerate().map(|(index, stretch)| {
            let first = index * STRETCH;
            let name = match index + 1 {
                STRETCHES => format!("{first} and more"),
                _ => format!("{first} to {}", first + STRETCH - 1),
            };
            (name, stretch)
        });
        named.filter(|(_, stretch)| stretch.positions > 0)
    }
}

impl Stretch {
    fn percent(&self, count: u64) -> f64 {
        hundredths(100.0 * count as f64 / self.positions as f64)
    }
}

/// Makes a puzzle, proves that it has one solution, and gives the first hint.
fn write_puzzle(out: &mut impl Write, folder: &Path) -> anyhow::Result<()> {
    let size = kenken::Size::new(6).expect("a usual size");
    let recipe = kenken::Recipe::new(size, Some(kenken::Level::Hard));
    let puzzle = kenken::generate(&recipe, 3)?.puzzle;
    let svg = kenken::svg::draw(&puzzle, None);
    files::write(&folder.join("puzzle.svg"), svg.as_bytes())?;
    files::write(&folder.join("puzzle.png"), &pictures::png(&svg, Size::Width(640))?)?;
    let boxes = kenken::drawing::boxes(&puzzle, None);
    writeln!(out, "\nA hard KenKen with exactly one solution:\n\n{boxes}")?;
    if let kenken::Next::Step(step) = kenken::Explainer::new(&puzzle).next(kenken::Level::Hard) {
        writeln!(out, "The first step: {}\n", step.text)?;
    }
    Ok(())
}

fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn csv(
    folder: &Path,
    name: &str,
    table: &Table,
) -> anyhow::Result<(Unfinished, Rows<BufWriter<Named<File>>>)> {
    let (file, out) = Unfinished::create(&folder.join(name))?;
    Ok((file, Rows::new(out, Format::Csv, table, Shape::Many)?))
}
