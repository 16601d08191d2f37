//! `everyply fourchess animate`

use std::path::PathBuf;

use fourchess::drawing::{Drawing, animated_svg, frames};
use games::fourchess::Reader;
use pictures::Size;

use crate::{
    exit::{Exit, Outcome, bad_command, bad_input},
    files,
};

/// Draw a game as an animated SVG or GIF image
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply fourchess animate games.pgn4 --gif game.gif
  everyply fourchess animate games.pgn4 --game 3 --svg game.svg --seconds 1
  everyply fourchess selfplay --players greedy --pgn - | everyply fourchess animate - --last 60 --gif end.gif

The animated SVG has no script, so that pages such as READMEs show it. The GIF has 256 colours.")]
pub(crate) struct Args {
    /// PGN4 file, plain or compressed with gzip or zstd; '-' reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Number of the game in the file
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    game: u64,
    /// Draw only the first positions, this many [default: all]
    #[arg(long, value_name = "N", conflicts_with = "last", value_parser = clap::value_parser!(u32).range(1..))]
    first: Option<u32>,
    /// Draw only the last positions, this many [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    last: Option<u32>,
    /// Seconds for each position
    #[arg(long, value_name = "SECONDS", default_value_t = 0.5, value_parser = seconds)]
    seconds: f64,
    /// Write an animated SVG image to this file; '-' writes to standard output
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write an animated GIF image to this file; '-' writes to standard output
    #[arg(long, value_name = "FILE")]
    gif: Option<PathBuf>,
    /// Width of the GIF image in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 444, value_parser = clap::value_parser!(u32).range(16..=2048))]
    size: u32,
}

fn seconds(text: &str) -> Result<f64, String> {
    let read = text.parse().ok().filter(|seconds| (0.02..=60.0).contains(seconds));
    read.ok_or_else(|| "expected 0.02 to 60".to_owned())
}

pub(crate) fn run(args: &Args) -> Outcome {
    files::at_most_one_to_stdout([&args.svg, &args.gif])?;
    if args.svg.is_none() && args.gif.is_none() {
        return Err(bad_command("expected --svg or --gif"));
    }
    let drawings = drawings(args)?;
    if let Some(path) = &args.svg {
        files::write(path, animated_svg(&drawings, args.seconds).as_bytes())?;
    }
    if let Some(path) = &args.gif {
        let svgs = drawings.iter().map(Drawing::svg);
        let delay = (args.seconds * 100.0).round() as u16;
        files::write(path, &pictures::gif(svgs, Size::Width(args.size), delay)?)?;
    }
    Ok(Exit::Fine)
}

/// The drawings of the game that was asked for.
fn drawings(args: &Args) -> anyhow::Result<Vec<Drawing>> {
    let mut number = 0;
    for read in Reader::new(vec![args.file.clone()]) {
        number += 1;
        if number == args.game {
            let mut drawings = frames(&read.map_err(bad_input)?.record);
            if let Some(last) = args.last {
                drawings.drain(..drawings.len().saturating_sub(last as usize));
            }
            drawings.truncate(args.first.map_or(usize::MAX, |first| first as usize));
            return Ok(drawings);
        }
        // A bad game before it is not asked for, but a file that cannot be read is.
        if let Err(error @ games::fourchess::RecordError::Source(_)) = read {
            return Err(bad_input(error));
        }
    }
    let name = args.file.display();
    Err(bad_input(format_args!("{name}: there is no game {}: it has {number}", args.game)))
}
