//! `everyply demo`: every capability on data that comes with the program, and questions to all of
//! the results together.

mod fourchess;
mod games;
mod kalah;
mod manifest;
mod moves;
mod puzzles;
mod questions;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    time::Instant,
};

use pictures::Size;
use sinks::{Directory, Unfinished};
use tables::{Rows, Shape, Table};

use self::manifest::Manifest;
use crate::{
    exit::{Exit, Outcome, bad_input, say},
    files::{self, Stream},
    interrupt, rows,
};

/// Run every capability on bundled data, then query all the results together
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply demo
  everyply demo --out /tmp/everyply
  everyply demo --clean")]
pub(crate) struct Args {
    /// Directory for the tables and pictures
    #[arg(long, value_name = "DIR", default_value = "everyply-demo")]
    out: PathBuf,
    /// Remove the files that the demo wrote, and the directory if it is then empty
    #[arg(long)]
    clean: bool,
}

struct Stage {
    title: &'static str,
    write: fn(&mut Stream, &Path) -> anyhow::Result<()>,
    /// The files it leaves.
    files: &'static [&'static str],
}

const STAGES: [Stage; 6] = [
    Stage {
        title: "Facts of games",
        write: games::write,
        files: &["games.csv", "positions.jsonl", "facts.parquet", "freest.svg", "freest.png"],
    },
    Stage {
        title: "Kalah, solved completely",
        write: kalah::write,
        files: &["kalah.sqlite", "kalah.svg", "kalah.png"],
    },
    Stage {
        title: "KenKen puzzles, generated, graded and explained",
        write: puzzles::write,
        files: &["puzzles.parquet", "puzzle_steps.parquet", "puzzle.svg", "puzzle.png"],
    },
    Stage {
        title: "Games of four-player chess",
        write: fourchess::write,
        files: &[
            "fourchess_games.csv",
            "fourchess_plies.parquet",
            "fourchess.pgn4",
            "fourchess.svg",
            "fourchess.png",
        ],
    },
    Stage {
        title: "Legal moves from the rules of chess as rows",
        write: moves::write,
        files: &["moves.parquet"],
    },
    Stage {
        title: "Three queries over all results",
        write: questions::ask,
        files: &[
            "mates.csv",
            "mates.svg",
            "mates.png",
            "choices.csv",
            "choices.svg",
            "choices.png",
            "first.csv",
            "first.svg",
            "first.png",
        ],
    },
];

pub(crate) fn run(args: &Args) -> Outcome {
    let directory = &*args.out;
    if args.clean {
        return clean(directory);
    }
    let _directory = Directory::open(directory, is_ours)?;
    let mut manifest = Manifest::read(directory)?;
    refuse_to_replace(&manifest, directory)?;
    let start = Instant::now();
    let mut out = files::stdout();
    for (number, stage) in (1..).zip(&STAGES) {
        if interrupt::requested() {
            return Ok(Exit::Interrupted);
        }
        let started = Instant::now();
        writeln!(out, "{number}. {}\n", stage.title)?;
        manifest.begin(stage.files)?;
        (stage.write)(&mut out, directory)?;
        manifest.end(stage.files)?;
        writeln!(out, "\nTook {:.2} s.\n", started.elapsed().as_secs_f64())?;
        out.flush()?;
    }
    writeln!(out, "Written to {}:", directory.display())?;
    for name in files().chain([manifest::FILE]) {
        let bytes = fs::metadata(directory.join(name))?.len();
        writeln!(out, "  {name:<24} {bytes:>9} bytes")?;
    }
    writeln!(
        out,
        "\nTry next:\n  \
         everyply sql \"select * from '{0}/facts.parquet' where white_forks > 1 limit 5\"\n  \
         everyply chess facts YOUR.pgn --out facts\n  \
         everyply chess timeline --plies 3 --out timeline.parquet\n  \
         everyply kenken generate --level hard --count 10\n  \
         everyply kalah play --store sqlite:{0}/kalah.sqlite\n  \
         everyply fourchess play --seats red --against greedy\n  \
         everyply demo --clean --out {0}\n\n\
         The whole demo took {1:.1} s. Look at it in a browser:\n  everyply serve {0}",
        directory.display(),
        start.elapsed().as_secs_f64()
    )?;
    out.flush()?;
    Ok(Exit::Fine)
}

/// What the demo leaves behind, in the order in which it is written.
fn files() -> impl Iterator<Item = &'static str> {
    STAGES.iter().flat_map(|stage| stage.files).copied()
}

/// Whether a file is one of the demo's.
fn is_ours(name: &str) -> bool {
    name == manifest::FILE || files().any(|file| file == name)
}

/// Refuses to replace what no demo wrote.
fn refuse_to_replace(manifest: &Manifest, directory: &Path) -> anyhow::Result<()> {
    let is_solved = manifest.names().any(|name| name == kalah::FILE);
    let beside = (!is_solved).then(kalah::beside).into_iter().flatten();
    for name in files().map(str::to_owned).chain(beside) {
        if !manifest.may_replace(&name)? {
            return Err(bad_input(format_args!(
                "{}: the demo did not write this file, or it has changed since; \
                 choose another directory with --out",
                directory.join(&name).display()
            )));
        }
    }
    Ok(())
}

fn clean(directory: &Path) -> Outcome {
    if !directory.join(manifest::FILE).exists() {
        say(format_args!("{}: there are no files of a demo here", directory.display()));
        return Ok(Exit::Fine);
    }
    let writer = Directory::open(directory, is_ours)?;
    let manifest = Manifest::read(directory)?;
    for name in manifest.names() {
        if manifest.may_replace(name)? {
            writer.remove(name)?;
        } else {
            say(format_args!("{}: kept, because it has changed", directory.join(name).display()));
        }
    }
    if !directory.join(kalah::FILE).exists() {
        kalah::beside().try_for_each(|name| writer.remove(&name))?;
    }
    writer.remove(manifest::FILE)?;
    drop(writer);
    // Only an empty directory can be removed, so nobody else's file is lost.
    let _ = fs::remove_dir(directory);
    Ok(Exit::Fine)
}

/// A file of rows in the format that its name tells.
fn rows(directory: &Path, name: &str, table: &Table) -> anyhow::Result<Rows<Unfinished>> {
    let path = directory.join(name);
    let format = rows::chosen(None, Some(&path))?;
    Ok(Rows::new(Unfinished::create(&path)?, format, table, Shape::Many)?)
}

/// Writes a drawing, and a picture of it.
fn picture(directory: &Path, name: &str, svg: &str) -> anyhow::Result<()> {
    files::write(&directory.join(format!("{name}.svg")), svg.as_bytes())?;
    let png = pictures::png(svg, Size::Width(860))?;
    files::write(&directory.join(format!("{name}.png")), &png)
}
