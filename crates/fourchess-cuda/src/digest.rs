//! Digests of a batch on the processor, to compare with those of a device.

use fourchess_env::{Autoreset, Batch};

/// The position.
pub const STATE: u32 = 1;
/// The list of legal actions, rewards, flags, endings.
pub const LIST: u32 = 2;
/// The bit mask.
pub const BITS: u32 = 4;
/// The observation.
pub const PLANES: u32 = 8;
/// The final observation.
pub const FINALS: u32 = 16;
/// The byte mask.
pub const BYTES: u32 = 32;
/// All of them.
pub const ALL: u32 = 63;

/// A number for what is to be seen of some games: a sum over all words in their places, so that
/// threads can share the work. Equal to that of [`CudaBatch::digests`](crate::CudaBatch::digests).
pub fn digests_of(batch: &Batch, games: std::ops::Range<usize>, what: u32) -> Vec<u64> {
    games.map(|game| digest_of(batch, game, what)).collect()
}

fn word(tag: u32, index: usize, word: u32) -> u64 {
    let x = u64::from(word) | u64::from(tag << 16 | index as u32) << 32;
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let x = (x ^ x >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ x >> 32
}

fn words(tag: u32, values: impl Iterator<Item = u32>) -> u64 {
    values.enumerate().map(|(index, value)| word(tag, index, value)).fold(0, u64::wrapping_add)
}

/// The entries of a game in an array.
fn of<T>(all: &[T], game: usize, games: usize) -> &[T] {
    let size = all.len() / games;
    &all[game * size..][..size]
}

fn quads(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.as_chunks().0.iter().map(|quad| u32::from_le_bytes(*quad))
}

fn shorts(values: &[i16]) -> impl Iterator<Item = u32> {
    values.iter().map(|&value| u32::from(value as u16))
}

/// The same of one game.
pub fn digest_of(batch: &Batch, game: usize, what: u32) -> u64 {
    let games = batch.len();
    let asked = |bit: u32| what & bit != 0;
    let mut sum = 0u64;
    let mut add = |tag, values: &mut dyn Iterator<Item = u32>| {
        sum = sum.wrapping_add(words(tag, values));
    };
    if asked(STATE) {
        let position = &batch.positions()[game];
        let bytes = position.to_bytes();
        add(0, &mut quads(&bytes[..160]));
        add(1, &mut quads(&bytes[160..]));
        add(2, &mut [position.key() as u32, (position.key() >> 32) as u32].into_iter());
    }
    if asked(LIST) {
        add(3, &mut batch.legal_of(game).iter().map(|&action| u32::from(action)));
        add(4, &mut [u32::from(batch.legal_counts()[game])].into_iter());
        add(5, &mut [u32::from(batch.current_player()[game])].into_iter());
        add(6, &mut of(batch.rewards(), game, games).iter().map(|reward| reward.to_bits()));
        add(7, &mut shorts(of(batch.final_points(), game, games)));
        let flags = u32::from(batch.terminated()[game])
            | u32::from(batch.truncated()[game]) << 8
            | u32::from(batch.move_valid()[game]) << 16
            | u32::from(batch.endings()[game]) << 24;
        add(8, &mut [flags].into_iter());
    }
    let outputs = batch.config().outputs;
    if asked(BITS) && outputs.legal_bits {
        let halves = |&bits: &u64| [bits as u32, (bits >> 32) as u32];
        add(9, &mut of(batch.legal_bits(), game, games).iter().flat_map(halves));
    }
    if asked(PLANES) && outputs.observation {
        add(10, &mut of(batch.planes(), game, games).iter().copied());
        add(11, &mut shorts(of(batch.scalars(), game, games)));
    }
    let has_finals = outputs.observation && batch.config().autoreset == Autoreset::SameStep;
    if asked(FINALS) && has_finals {
        add(12, &mut of(batch.final_planes(), game, games).iter().copied());
        add(13, &mut shorts(of(batch.final_scalars(), game, games)));
    }
    if asked(BYTES) && outputs.legal_bytes {
        add(14, &mut quads(of(batch.legal_bytes(), game, games)));
    }
    sum
}
