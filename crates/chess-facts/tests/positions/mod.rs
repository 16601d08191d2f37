//! Positions to test on.

use std::{fs, path::Path};

use chess::Position;

/// Every so many-th position of the fixture, with its FEN.
pub fn positions(step: usize) -> impl Iterator<Item = (String, Position)> {
    let path =
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/chess/fens/positions.tsv"));
    let text = fs::read_to_string(path).unwrap();
    let fens: Vec<String> =
        text.lines().step_by(step).map(|line| line.split('\t').next().unwrap().into()).collect();
    fens.into_iter().map(|fen| {
        let position = fen.parse().unwrap();
        (fen, position)
    })
}

/// Numbers that are the same in every run.
pub struct Random(pub u64);

impl Random {
    /// A number below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % limit as u64) as usize
    }
}
