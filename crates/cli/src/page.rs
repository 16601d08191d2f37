//! `everyply page`

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use sources::{Content, Source};
use web::Subject;

use crate::{
    exit::{Exit, Outcome, bad_input},
    files,
};

/// Write a game or a puzzle as a page: one HTML file that needs no server
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply page game.pgn --out game.html
  everyply page games.pgn.zst --game 17 --out game.html
  everyply page games.pgn4 --out game.html
  everyply page puzzles.txt --game 3 --out puzzle.html

The file holds everything, also the facts of every position of the game and of its variations. It
opens in any browser, without a network.")]
pub(crate) struct Args {
    /// Games in PGN or PGN4, or KenKen puzzles, plain or compressed; '-' reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// HTML file to write; '-' writes to standard output
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Number of the game or puzzle in the file
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    game: u64,
    /// What the file holds [default: recognised from its content]
    #[arg(long = "as", value_name = "WHAT", value_parser = PossibleValuesParser::new(Subject::ALL.map(Subject::name)))]
    subject: Option<String>,
}

/// Bytes of a file, unpacked: more than any game has, and less than memory holds.
const MOST: u64 = 1 << 30;

pub(crate) fn run(args: &Args) -> Outcome {
    let mut source = Source::open(&args.file).map_err(bad_input)?;
    let name = source.name().to_owned();
    let content = source.guess();
    let mut text = Vec::new();
    source.take(MOST).read_to_end(&mut text).with_context(|| name.clone())?;
    let subject = match &args.subject {
        Some(asked) => Subject::ALL.into_iter().find(|subject| subject.name() == asked),
        None => guess(&args.file, content, &text),
    };
    let Some(subject) = subject else {
        return Err(bad_input(format!("{name}: it holds no game; --as says what it is")));
    };
    let page = subject.page(&name, &text, args.game).map_err(bad_input)?;
    files::write(&args.out, page.as_bytes())?;
    Ok(Exit::Fine)
}

/// What a file seems to hold. Games of four players are PGN too, but for their tags and the two
/// dots between the moves of a round.
fn guess(path: &Path, content: Content, text: &[u8]) -> Option<Subject> {
    let is_named = |end: &str| {
        path.file_name().is_some_and(|name| {
            name.to_string_lossy().split('.').any(|part| part.eq_ignore_ascii_case(end))
        })
    };
    let start = String::from_utf8_lossy(&text[..text.len().min(LOOK)]);
    let is_four = is_named("pgn4") || start.contains("[StartFen4") || start.contains(" .. ");
    match content {
        Content::Pgn | Content::Text if is_four => Some(Subject::Fourchess),
        Content::Pgn => Some(Subject::Chess),
        Content::Text | Content::JsonLines => Some(Subject::Kenken),
        _ => None,
    }
}

/// Bytes that are looked at.
const LOOK: usize = 1 << 14;
