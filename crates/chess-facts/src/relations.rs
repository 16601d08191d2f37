//! Facts that name partners: who pins, forks or hangs.

use chess::{Bitboard, Move, Role, Square};

/// Three pieces on one line, nothing else between them: a slider, the first piece it meets and the
/// next piece behind that one.
///
/// | in | slider | front | back |
/// |---|---|---|---|
/// | a pin | the pinner | the pinned piece | the king, or the dearer piece behind |
/// | a skewer | the attacker | the dearer piece | what is lost behind it |
/// | an x-ray, a discovered attack | the slider | the blocker | the target |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Line {
    /// The bishop, rook or queen.
    pub slider: Square,
    /// The piece next to it on the line.
    pub front: Square,
    /// The piece behind that one.
    pub back: Square,
}

/// Two sliders of one colour on a line along which both move, nothing between them. Each pair
/// once, the square nearer to a1 first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Battery {
    /// The square nearer to a1.
    pub first: Square,
    /// The square nearer to h8.
    pub second: Square,
}

/// A piece that the enemy wins something by capturing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hanging {
    /// Where it stands.
    pub square: Square,
    /// What the enemy gains, in pawns; always positive.
    pub gain: u8,
}

/// A piece that attacks two targets or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fork {
    /// The piece that forks.
    pub forker: Square,
    /// What it forks: two squares or more.
    pub targets: Bitboard,
}

/// A move after which the piece that moved forks and cannot be captured with gain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ForkMove {
    /// The move.
    pub mv: Move,
    /// What is forked after it: two squares or more.
    pub targets: Bitboard,
}

/// What a piece other than a pawn attacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reach {
    /// What it is.
    pub role: Role,
    /// Where it stands.
    pub square: Square,
    /// The squares it attacks, whoever stands on them.
    pub attacks: Bitboard,
}
