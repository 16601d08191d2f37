//! Players of the command: built-in ones, and the one that learned.

use std::{
    fs,
    path::{Path, PathBuf},
};

use fourchess::{Position, Rules};
use fourchess_env::{Player, Random};
use fourchess_learned::{Memory, Network};

use crate::exit::{bad_command, bad_input};

/// Who plays a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Opponent {
    BuiltIn(Player),
    Learned,
}

impl Opponent {
    /// The built-in player; any if it is none.
    pub(super) fn built_in(self) -> Player {
        match self {
            Opponent::BuiltIn(player) => player,
            Opponent::Learned => Player::Greedy,
        }
    }
}

/// The opponent of this name.
pub(super) fn opponent(name: &str) -> Result<Opponent, String> {
    match name {
        "learned" => Ok(Opponent::Learned),
        _ => Player::named(name)
            .map(Opponent::BuiltIn)
            .ok_or_else(|| "expected random, greedy or learned".to_owned()),
    }
}

/// The weights of the learned player.
#[derive(clap::Args)]
pub(super) struct Weights {
    /// Weights of the player 'learned', a safetensors file [default: those that come with the
    /// program]
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
}

impl Weights {
    /// The network, if one of these players needs it.
    pub(super) fn network(&self, players: &[Opponent]) -> anyhow::Result<Option<Brain>> {
        match (&self.weights, players.contains(&Opponent::Learned)) {
            (Some(_), false) => Err(bad_command("--weights: no player is 'learned'")),
            (None, false) => Ok(None),
            (None, true) => Ok(Some(Brain::Trained(Network::trained()))),
            (Some(path), true) => Ok(Some(Brain::Read(Box::new(read(path)?)))),
        }
    }
}

/// A network that came with the program, or one of a file.
pub(super) enum Brain {
    Trained(&'static Network),
    Read(Box<Network>),
}

impl Brain {
    pub(super) fn network(&self) -> &Network {
        match self {
            Brain::Trained(network) => network,
            Brain::Read(network) => network,
        }
    }
}

fn read(path: &Path) -> anyhow::Result<Network> {
    let name = path.display();
    let bytes =
        fs::read(path).map_err(|error| bad_input(format_args!("cannot read {name}: {error}")))?;
    Network::from_bytes(&bytes).map_err(|cause| bad_input(format_args!("{name}: {cause}")))
}

/// A network, and where it computes.
pub(super) struct Thinking<'a> {
    network: &'a Network,
    memory: Memory,
}

impl<'a> Thinking<'a> {
    pub(super) fn of(brain: &'a Brain) -> Thinking<'a> {
        let network = brain.network();
        Thinking { network, memory: network.memory() }
    }
}

/// Lets a player choose one of the legal actions.
pub(super) fn choose(
    opponent: Opponent,
    thinking: &mut Option<Thinking<'_>>,
    (position, rules): (&Position, &Rules),
    legal: &[u16],
    random: &mut Random,
) -> u16 {
    match opponent {
        Opponent::BuiltIn(player) => player.choose(position, rules, legal, random),
        Opponent::Learned => {
            let thinking = thinking.as_mut().expect("a learned player comes with a network");
            thinking.network.choose(position, rules, legal, &mut thinking.memory)
        }
    }
}
