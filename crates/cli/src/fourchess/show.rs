//! `everyply fourchess show`

use std::{io::Write, path::PathBuf};

use fourchess::{Game, Seat, Status, drawing::Drawing};

use super::Board;
use crate::{
    colors,
    exit::{Exit, Outcome},
    files,
};

/// Draw a position in the terminal, or as an SVG or PNG image
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply fourchess show
  everyply fourchess show --setup classic --rules teams
  everyply fourchess show --png board.png --size 800
  everyply fourchess show --svg - | head -3")]
pub(crate) struct Args {
    #[command(flatten)]
    board: Board,
    /// Write an SVG image to this file; '-' writes to standard output
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write a PNG image to this file; '-' writes to standard output
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// Width of the PNG image in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 800, value_parser = clap::value_parser!(u32).range(16..=8192))]
    size: u32,
}

pub(crate) fn run(args: &Args) -> Outcome {
    files::at_most_one_to_stdout([&args.svg, &args.png])?;
    let (position, rules) = (args.board.position()?, args.board.rules());
    let drawing = Drawing::of(&position, &rules);
    if let Some(path) = &args.svg {
        files::write(path, drawing.svg().as_bytes())?;
    }
    if let Some(path) = &args.png {
        files::write(path, &pictures::png(&drawing.svg(), pictures::Size::Width(args.size))?)?;
    }
    if args.svg.is_none() && args.png.is_none() {
        let mut out = files::stdout();
        let board =
            if colors::wanted(&std::io::stdout()) { drawing.colored() } else { drawing.plain() };
        writeln!(out, "{board}\n{}\n", position.fen(&rules))?;
        for seat in Seat::ALL {
            let status = match position.status(seat) {
                Status::Active if position.in_check(seat, &rules) => "in check",
                Status::Active => "plays",
                Status::Walking => "has left, but the king still moves",
                Status::Out => "is out",
            };
            writeln!(out, "{seat} {status}, {} points", position.points()[seat.index()])?;
        }
        let game = Game::from_position(position, &rules);
        match game.ending() {
            Some(ending) => writeln!(out, "the game is over: {}", ending.name())?,
            None => {
                let (seat, moves) = (game.position().turn(), game.moves().len());
                writeln!(out, "{seat} to move, {moves} legal moves")?;
            }
        }
        out.flush()?;
    }
    Ok(Exit::Fine)
}
