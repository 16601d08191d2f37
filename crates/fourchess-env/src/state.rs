//! A game of a batch as bytes: everything that decides how it goes on.
//!
//! | bytes | what |
//! |---|---|
//! | 0..3 | `E4S` |
//! | 3 | the version of the form, [`STATE_VERSION`] |
//! | 4..8 | the [fingerprint](Rules::fingerprint) of the rules |
//! | 8..16 | the state of the stream of random numbers |
//! | 16 | 1 if the game was lost by an illegal action, else 0 |
//! | 17..32 | 0 |
//! | 32..224 | the [position](Position::to_bytes) |
//! | 224..2280 | the [history](History::to_bytes) |
//! | 2280..2288 | 0 |
//!
//! Numbers are little-endian. What can be computed from these bytes is not among them.

use fourchess::{BytesError, History, Position, Random, Rules};
use thiserror::Error;

use crate::STATE_VERSION;

/// Bytes of a game.
pub(crate) const BYTES: usize = 2288;

const MAGIC: &[u8; 3] = b"E4S";
const FORFEITED: usize = 16;
const POSITION: usize = 32;
const HISTORY: usize = POSITION + Position::BYTES;
const END: usize = HISTORY + History::BYTES;

/// Why bytes are not a game of the batch.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum StateError {
    /// Something else.
    #[error("these bytes are not a saved game")]
    Magic,
    /// Saved by another version.
    #[error("saved in version {found} of the byte form, expected version {STATE_VERSION}")]
    Version {
        /// The version of the bytes.
        found: u8,
    },
    /// Saved from a game under other rules.
    #[error("saved under other rules than those of the batch")]
    Rules,
    /// A byte that means nothing where it stands.
    #[error("byte {index} is {value}, which means nothing there")]
    Value {
        /// Where it stands.
        index: usize,
        /// The byte.
        value: u8,
    },
    /// A game that is over, where the batch starts the next one in the same step.
    #[error("the game is over, and a batch that resets in the same step has no such games")]
    Over,
    /// Bytes of a [value](crate::Stepper) that were changed, or are none.
    #[error("these bytes are no game of this version: the checksum is wrong")]
    Checksum,
    /// The position or its history is impossible.
    #[error(transparent)]
    Position(#[from] BytesError),
}

/// A game as it is saved.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) position: Position,
    pub(crate) history: History,
    pub(crate) random: Random,
    /// Whether the game was lost by an illegal action, which the position does not show.
    pub(crate) forfeited: bool,
}

impl State {
    pub(crate) fn write(&self, fingerprint: u32, bytes: &mut [u8; BYTES]) {
        bytes.fill(0);
        bytes[..3].copy_from_slice(MAGIC);
        bytes[3] = STATE_VERSION;
        bytes[4..8].copy_from_slice(&fingerprint.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.random.state().to_le_bytes());
        bytes[FORFEITED] = u8::from(self.forfeited);
        bytes[POSITION..HISTORY].copy_from_slice(&self.position.to_bytes());
        bytes[HISTORY..END].copy_from_slice(&self.history.to_bytes());
    }

    pub(crate) fn read(
        bytes: &[u8; BYTES],
        fingerprint: u32,
        rules: &Rules,
    ) -> Result<State, StateError> {
        if bytes[..3] != *MAGIC {
            return Err(StateError::Magic);
        }
        if bytes[3] != STATE_VERSION {
            return Err(StateError::Version { found: bytes[3] });
        }
        if part::<4>(bytes, 4) != fingerprint.to_le_bytes() {
            return Err(StateError::Rules);
        }
        let position = Position::from_bytes(&part(bytes, POSITION), rules)?;
        // A game ends one way.
        let most = u8::from(position.ending().is_none());
        let wrong = |index: &usize| match *index {
            FORFEITED => bytes[FORFEITED] > most,
            index => bytes[index] != 0,
        };
        if let Some(index) = (FORFEITED..POSITION).chain(END..BYTES).find(wrong) {
            return Err(StateError::Value { index, value: bytes[index] });
        }
        Ok(State {
            position,
            history: History::from_bytes(&part(bytes, HISTORY))?,
            random: Random::new(u64::from_le_bytes(part(bytes, 8))),
            forfeited: bytes[FORFEITED] == 1,
        })
    }

    /// Whether the game goes on no more.
    pub(crate) fn is_over(&self) -> bool {
        self.forfeited || self.position.ending().is_some()
    }
}

/// So many bytes from a place on.
fn part<const N: usize>(bytes: &[u8; BYTES], start: usize) -> [u8; N] {
    *bytes[start..].first_chunk().expect("the parts lie within the bytes")
}
