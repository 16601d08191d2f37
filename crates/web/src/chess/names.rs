//! Squares, sets of squares and lines as JSON.

use chess::{Bitboard, Square};
use chess_facts::Line;
use serde::{Serialize, Serializer};

/// A square by its name.
#[derive(Clone, Copy)]
pub(crate) struct Name(pub(crate) Square);

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let name = [self.0.file().letter() as u8, self.0.rank().digit() as u8];
        serializer.serialize_str(std::str::from_utf8(&name).expect("a letter and a digit"))
    }
}

/// Squares by their names, from a1 to h8.
#[derive(Clone, Copy)]
pub(crate) struct Names(pub(crate) Bitboard);

impl Serialize for Names {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.map(Name))
    }
}

/// Files by their letters.
#[derive(Clone, Copy)]
pub(crate) struct Files(pub(crate) Bitboard);

impl Serialize for Files {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // The set holds whole files.
        let first = Bitboard::rank(chess::Rank::FIRST);
        serializer.collect_seq((self.0 & first).map(|square| square.file().letter()))
    }
}

/// Three pieces on a line.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Three {
    slider: Name,
    front: Name,
    back: Name,
}

impl From<&Line> for Three {
    fn from(line: &Line) -> Three {
        Three { slider: Name(line.slider), front: Name(line.front), back: Name(line.back) }
    }
}

/// Lines, as they are in the facts.
pub(crate) fn lines(lines: &[Line]) -> Vec<Three> {
    lines.iter().map(Three::from).collect()
}
