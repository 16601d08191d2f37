//! `everyply kalah`

mod best;
mod export;
mod known;
mod line;
mod path;
mod play;
mod review;
mod search;
mod solve;
mod stats;
mod table;
mod value;
mod verify;

use kalah::{Kalah, Rules};

use crate::exit::{Outcome, bad_command};

/// Kalah: solve it completely, look up values, best moves and best play
///
/// A POSITION is written a1,..,am/b1,..,bm. The pits of the side to move come first, and each side
/// is in sowing order. The contents of the stores may follow: a1,..,am/b1,..,bm/own-other. A move
/// is the number of its pit, counted from 1.
///
/// A store holds every reachable position of a solved game. Its URL is sqlite:FILE, file:DIR,
/// memory:, postgres://.., bigtable://.., s3://.. or gs://..; 'everyply doctor' lists those that
/// this build supports. A dense table is a directory. It holds the value of every position up to a
/// number of seeds in play, reachable or not. Positions that are in neither are searched.
#[derive(clap::Subcommand)]
#[command(after_help = "\
Examples:
  everyply kalah play
  everyply kalah best 4,4,4,4,4,4/4,4,4,4,4,4
  everyply kalah solve --pits 4 --seeds 3
  everyply kalah best 3,3,3,3/3,3,3,3 --store sqlite:kalah-4x3-std_either.sqlite
  everyply kalah stats --store sqlite:kalah-4x3-std_either.sqlite --by seeds
  everyply kalah table --pits 6 --max-seeds 16 --out kalah6
  everyply kalah search --pits 6 --seeds 3 --table kalah6")]
pub(crate) enum Command {
    Solve(solve::Args),
    Table(table::Args),
    Search(search::Args),
    Value(value::Args),
    Best(best::Args),
    Line(line::Args),
    Verify(verify::Args),
    Stats(stats::Args),
    Export(export::Args),
    Path(path::Args),
    Play(play::Args),
    Review(review::Args),
}

impl Command {
    pub(crate) fn run(&self) -> Outcome {
        match self {
            Command::Solve(args) => solve::run(args),
            Command::Table(args) => table::run(args),
            Command::Search(args) => search::run(args),
            Command::Value(args) => value::run(args),
            Command::Best(args) => best::run(args),
            Command::Line(args) => line::run(args),
            Command::Verify(args) => verify::run(args),
            Command::Stats(args) => stats::run(args),
            Command::Export(args) => export::run(args),
            Command::Path(args) => path::run(args),
            Command::Play(args) => play::run(args),
            Command::Review(args) => review::run(args),
        }
    }
}

/// The size and the rules of a game.
#[derive(Clone, Copy, clap::Args)]
struct Size {
    /// Number of pits on each side, 1 to 8
    #[arg(long, value_name = "M")]
    pits: usize,
    /// Number of seeds in each pit at the start
    #[arg(long, value_name = "N")]
    seeds: u32,
    /// Rules: std_either, empty_either, std_mover or empty_mover (see docs/kalah.md)
    #[arg(long, value_name = "RULES", default_value_t = Rules::STD_EITHER)]
    rules: Rules,
}

impl Size {
    fn kalah(self) -> anyhow::Result<Kalah> {
        Kalah::new(self.pits, self.seeds, self.rules).map_err(bad_command)
    }
}
