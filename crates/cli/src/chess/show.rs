//! `everyply chess show`

use std::{io::Write, path::PathBuf};

use chess::{Bitboard, Color, Position, Square, drawing::Drawing};
use chess_facts::{Facts, Level, facts, words};

use crate::{
    colors,
    exit::{Exit, Outcome},
    files,
};

/// Draw a position in the terminal, or as an SVG or PNG image
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply chess show start
  everyply chess show 'r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4' --flip
  everyply chess show start --moves-of g1
  everyply chess show 'r2qkbnr/ppp2ppp/2np4/4p1B1/2B1P3/2N2b2/PPPP1PPP/R2QK1NR w KQkq - 0 6' --facts
  everyply chess show start --png board.png --size 800
  everyply chess show start --svg - | head -3")]
pub(crate) struct Args {
    /// Position in FEN, or 'start'
    #[arg(value_name = "FEN")]
    fen: String,
    /// Show the board from Black's side
    #[arg(long)]
    flip: bool,
    /// Mark the legal moves of the piece on this square
    #[arg(long, value_name = "SQUARE", value_parser = square)]
    moves_of: Option<Square>,
    /// Mark pinned, skewered, forked and hanging pieces, and print every fact as a sentence
    #[arg(long)]
    facts: bool,
    /// Write an SVG image to this file; '-' writes to standard output
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write a PNG image to this file; '-' writes to standard output
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// Width of the PNG image in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 640, value_parser = clap::value_parser!(u32).range(16..=8192))]
    size: u32,
}

pub(crate) fn run(args: &Args) -> Outcome {
    files::at_most_one_to_stdout([&args.svg, &args.png])?;
    let position = super::position(&args.fen)?;
    let mut drawing = Drawing::of(&position);
    if args.flip {
        drawing.viewpoint = Color::Black;
    }
    if let Some(square) = args.moves_of {
        drawing.lit = square.into();
        drawing.dots = targets(&position, square);
    }
    let facts = args.facts.then(|| facts(&position, Level::Everything));
    if let Some(facts) = &facts {
        mark(&mut drawing, facts);
    }
    if let Some(path) = &args.svg {
        files::write(path, drawing.svg().as_bytes())?;
    }
    if let Some(path) = &args.png {
        let png = pictures::png(&drawing.svg(), pictures::Size::Width(args.size))?;
        files::write(path, &png)?;
    }
    if args.svg.is_none() && args.png.is_none() {
        let mut out = files::stdout();
        let board =
            if colors::wanted(&std::io::stdout()) { drawing.colored() } else { drawing.plain() };
        write!(out, "{board}\n{position}\n{}\n", status(&position))?;
        if let Some(facts) = &facts {
            writeln!(out)?;
            for sentence in words::sentences(facts) {
                writeln!(out, "{sentence}")?;
            }
        }
        out.flush()?;
    }
    Ok(Exit::Fine)
}

fn square(name: &str) -> Result<Square, String> {
    Square::from_ascii(name.as_bytes()).ok_or_else(|| "expected a square from a1 to h8".to_owned())
}

/// Hanging pieces in the colour of danger, pieces held by a line lit, and an arrow along each pin,
/// skewer and fork.
fn mark(drawing: &mut Drawing, facts: &Facts) {
    for color in Color::ALL {
        let side = &facts[color];
        drawing.danger |= side.hanging_see();
        drawing.lit |= side.pinned | side.relatively_pinned | side.skewered;
        let lines = side.pins.iter().chain(&side.relative_pins).chain(&side.skewers);
        drawing.arrows.extend(lines.map(|line| (line.slider, line.back)));
        for fork in &side.forks {
            drawing.arrows.extend(fork.targets.map(|target| (fork.forker, target)));
        }
    }
}

fn targets(position: &Position, square: Square) -> Bitboard {
    let moves = position.legal_moves();
    let set = moves.sets().iter().find(|set| set.from == square);
    set.map_or(Bitboard::EMPTY, |set| set.to)
}

fn status(position: &Position) -> String {
    let side = if position.turn() == Color::White { "White" } else { "Black" };
    let moves = position.legal_moves().len();
    match (moves, position.is_check()) {
        (0, true) => format!("{side} is mated."),
        (0, false) => format!("{side} is stalemated."),
        (1, true) => format!("{side} is in check and has one legal move."),
        (1, false) => format!("{side} to move, one legal move."),
        (_, true) => format!("{side} is in check and has {moves} legal moves."),
        (_, false) => format!("{side} to move, {moves} legal moves."),
    }
}
