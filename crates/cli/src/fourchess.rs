//! `everyply fourchess`

mod animate;
mod bench;
pub(crate) mod device;
mod games;
mod learned;
mod moves;
mod perft;
mod play;
pub(crate) mod selfplay;
mod show;

use fourchess::{Position, RuleError, Rules, Seat, Setup};

use crate::exit::{Outcome, bad_input};
use device::Device;

/// Four-player chess: positions, legal moves, play, self-play
///
/// A position is written in FEN4: turn-dead-castleK-castleQ-points-halfmove-board, as on chess.com.
/// The rules are 'ffa' (all against all, for points), 'teams' (Red and Yellow against Blue and
/// Green) or 'jax' (those of an earlier environment for reinforcement learning).
#[derive(clap::Subcommand)]
#[command(after_help = "\
Examples:
  everyply fourchess perft --depth 4 --rules teams
  everyply fourchess selfplay --rule claim_lead=21 --rule values=1,3,3,5,9,20
  everyply fourchess moves --format csv
  everyply fourchess show --setup classic --png board.png
  everyply fourchess animate games.pgn4 --gif game.gif
  everyply fourchess play --seats red --against greedy
  everyply fourchess selfplay --games 100 --pgn games.pgn4 --plies plies.parquet
  everyply fourchess games games.pgn4 --positions --format jsonl
  everyply fourchess bench --games 4096 --steps 200")]
pub(crate) enum Command {
    Show(show::Args),
    Animate(animate::Args),
    Moves(moves::Args),
    Play(play::Args),
    Perft(perft::Args),
    Games(games::Args),
    Selfplay(selfplay::Args),
    Bench(bench::Args),
}

impl Command {
    pub(crate) fn run(&self) -> Outcome {
        match self {
            Command::Show(args) => show::run(args),
            Command::Animate(args) => animate::run(args),
            Command::Moves(args) => moves::run(args),
            Command::Play(args) => play::run(args),
            Command::Perft(args) => perft::run(args),
            Command::Games(args) => games::run(args),
            Command::Selfplay(args) => selfplay::run(args),
            Command::Bench(args) => bench::run(args),
        }
    }
}

/// The rules of a game.
#[derive(Clone, clap::Args)]
struct Preset {
    /// Rules preset: ffa (free for all), teams, or jax (compatible with the JAX environment)
    #[arg(long, value_name = "RULES", default_value = "ffa", value_parser = rules)]
    rules: &'static Rules,
    /// Change a rule of the preset, such as max_plies=400 or castling=false; may be repeated.
    /// docs/fourchess.md lists the rules
    #[arg(long = "rule", value_name = "NAME=VALUE", value_parser = change)]
    changes: Vec<String>,
}

impl Preset {
    fn rules(&self) -> Rules {
        let mut rules = *self.rules;
        for change in &self.changes {
            rules.change(change).expect("changes are checked when they are read");
        }
        rules
    }
}

/// Where games are computed.
#[derive(Clone, Copy, clap::Args)]
struct Place {
    /// Where to compute: cpu, cuda (the first NVIDIA GPU), or cuda:N
    #[arg(long, value_name = "DEVICE", default_value = "cpu", value_parser = device::device)]
    device: Device,
}

/// A position and its rules.
#[derive(Clone, clap::Args)]
struct Board {
    /// Position in FEN4, or 'start'
    #[arg(long, value_name = "FEN4", default_value = "start")]
    fen: String,
    /// Start squares of kings and queens: modern, classic, by, byg or rg [default: as the rules
    /// say]
    #[arg(long, value_name = "SETUP", value_parser = setup, conflicts_with = "fen")]
    setup: Option<Setup>,
    #[command(flatten)]
    preset: Preset,
}

impl Board {
    fn rules(&self) -> Rules {
        self.preset.rules()
    }

    fn position(&self) -> anyhow::Result<Position> {
        let rules = self.rules();
        match self.setup {
            Some(setup) => Ok(Position::setup(&rules, setup)),
            None => Position::from_text(&self.fen, &rules)
                .map_err(|error| bad_input(format_args!("FEN4 '{}': {error}", self.fen))),
        }
    }
}

fn rules(name: &str) -> Result<&'static Rules, String> {
    Rules::named(name).ok_or_else(|| "expected ffa, teams or jax".to_owned())
}

/// A change of a rule, which is possible in one preset if it is in another.
fn change(text: &str) -> Result<String, RuleError> {
    { Rules::FFA }.change(text).map(|()| text.to_owned())
}

fn setup(name: &str) -> Result<Setup, String> {
    let named = Setup::ALL.into_iter().find(|setup| setup.name() == name);
    named.ok_or_else(|| "expected modern, classic, by, byg or rg".to_owned())
}

fn seat(name: &str) -> Result<Seat, String> {
    let named = Seat::ALL.into_iter().find(|seat| seat.name() == name);
    named.ok_or_else(|| "expected red, blue, yellow or green".to_owned())
}
