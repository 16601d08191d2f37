//! The arrays of a batch, and what the kernels are told of them.

use fourchess::{History, Square};
use fourchess_env::{Action, Autoreset, Batch, Config, Observation};

/// An array of a batch: as many bytes for each game, games in order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(usize)]
pub enum Array {
    /// The positions, as the kernels keep them.
    Records,
    /// The keys of earlier positions: 256 words of 64 bits.
    History,
    /// The legal actions: 704 entries of 16 bits.
    Legal,
    /// The number of legal actions: 16 bits.
    LegalCounts,
    /// The bit mask: 113 words of 64 bits.
    LegalBits,
    /// The byte mask: 7,192 bytes.
    LegalBytes,
    /// The bit planes: 150 words of 32 bits.
    Planes,
    /// The scalars: 10 signed entries of 16 bits.
    Scalars,
    /// The final planes of games that were reset in the same step.
    FinalPlanes,
    /// The final scalars of games that were reset in the same step.
    FinalScalars,
    /// The final points: 4 signed entries of 16 bits.
    FinalPoints,
    /// The endings: a byte.
    Endings,
    /// The player to move: a byte.
    CurrentPlayer,
    /// The rewards: 4 floats of 32 bits.
    Rewards,
    /// A byte, 1 if the last step ended the game.
    Terminated,
    /// A byte, 1 if the last step truncated the game.
    Truncated,
    /// A byte, 1 if the last action was legal.
    MoveValid,
}

impl Array {
    /// All arrays, in the order of the parameters.
    pub const ALL: [Array; 17] = [
        Array::Records,
        Array::History,
        Array::Legal,
        Array::LegalCounts,
        Array::LegalBits,
        Array::LegalBytes,
        Array::Planes,
        Array::Scalars,
        Array::FinalPlanes,
        Array::FinalScalars,
        Array::FinalPoints,
        Array::Endings,
        Array::CurrentPlayer,
        Array::Rewards,
        Array::Terminated,
        Array::Truncated,
        Array::MoveValid,
    ];

    /// The name, as methods of [`Batch`] have it.
    pub const fn name(self) -> &'static str {
        match self {
            Array::Records => "records",
            Array::History => "history",
            Array::Legal => "legal",
            Array::LegalCounts => "legal_counts",
            Array::LegalBits => "legal_bits",
            Array::LegalBytes => "legal_bytes",
            Array::Planes => "planes",
            Array::Scalars => "scalars",
            Array::FinalPlanes => "final_planes",
            Array::FinalScalars => "final_scalars",
            Array::FinalPoints => "final_points",
            Array::Endings => "endings",
            Array::CurrentPlayer => "current_player",
            Array::Rewards => "rewards",
            Array::Terminated => "terminated",
            Array::Truncated => "truncated",
            Array::MoveValid => "move_valid",
        }
    }

    /// The bytes for a game; 0 if the configuration does not ask for the array.
    pub fn bytes(self, config: &Config) -> usize {
        let outputs = config.outputs;
        let finals = outputs.observation && config.autoreset == Autoreset::SameStep;
        let if_asked = |asked: bool, bytes: usize| if asked { bytes } else { 0 };
        let planes = 4 * Observation::PLANES * Square::COUNT / 32;
        match self {
            Array::Records => RECORD_BYTES,
            Array::History => 8 * History::ROOM,
            Array::Legal => 2 * Batch::LEGAL_ROOM,
            Array::LegalCounts => 2,
            Array::LegalBits => if_asked(outputs.legal_bits, 8 * Batch::LEGAL_WORDS),
            Array::LegalBytes => if_asked(outputs.legal_bytes, Action::COUNT),
            Array::Planes => if_asked(outputs.observation, planes),
            Array::Scalars => if_asked(outputs.observation, 2 * Observation::SCALARS),
            Array::FinalPlanes => if_asked(finals, planes),
            Array::FinalScalars => if_asked(finals, 2 * Observation::SCALARS),
            Array::FinalPoints => 8,
            Array::Rewards => 16,
            Array::Endings
            | Array::CurrentPlayer
            | Array::Terminated
            | Array::Truncated
            | Array::MoveValid => 1,
        }
    }
}

/// The bytes of a position as the kernels keep it.
pub const RECORD_BYTES: usize = 384;

/// The number of counters.
pub const STATS: usize = 32;

/// The place of the first refused game among the counters.
pub const FIRST_REFUSED: usize = 31;

/// What every kernel of a batch is given first. Addresses are those of the device.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(C)]
pub struct Params {
    /// The number of games.
    pub games: u64,
    /// The addresses of the arrays, in the order of [`Array::ALL`].
    pub arrays: [u64; Array::ALL.len()],
    /// The record of the start position.
    pub start: u64,
    /// Its legal actions.
    pub start_legal: u64,
    /// How many these are.
    pub start_count: u64,
    /// The counters.
    pub stats: u64,
}
