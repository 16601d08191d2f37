//! `everyply chess`

mod facts;
pub(crate) mod games;
mod moves;
mod perft;
mod play;
pub(crate) mod rules;
mod show;
mod timeline;

use chess::Position;

use crate::exit::{Outcome, bad_input};

/// Chess and Chess960: positions, legal moves, games, facts, and rules that you can edit
#[derive(clap::Subcommand)]
#[command(after_help = "\
Examples:
  everyply chess show start
  everyply chess moves '8/8/8/8/8/4k3/4p3/4K3 w - - 0 1'
  everyply chess perft --depth 5 --divide
  everyply chess play start e4 e5 Nf3
  everyply chess games games.pgn.zst --positions --format jsonl
  everyply chess facts games.pgn --out facts.parquet
  everyply chess timeline --plies 2
  everyply chess rules --format csv > patterns.csv")]
pub(crate) enum Command {
    Show(show::Args),
    Moves(moves::Args),
    Play(play::Args),
    Perft(perft::Args),
    Games(games::Args),
    Facts(facts::Args),
    Timeline(timeline::Args),
    Rules(rules::Args),
}

impl Command {
    pub(crate) fn run(&self) -> Outcome {
        match self {
            Command::Show(args) => show::run(args),
            Command::Moves(args) => moves::run(args),
            Command::Play(args) => play::run(args),
            Command::Perft(args) => perft::run(args),
            Command::Games(args) => games::run(args),
            Command::Facts(args) => facts::run(args),
            Command::Timeline(args) => timeline::run(args),
            Command::Rules(args) => rules::run(args),
        }
    }
}

/// The position of a FEN argument.
fn position(fen: &str) -> anyhow::Result<Position> {
    Position::from_text(fen).map_err(|error| bad_input(format_args!("FEN '{fen}': {error}")))
}
