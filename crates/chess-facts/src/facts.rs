//! All facts of a position, side by side.

use std::ops::Index;

use arrayvec::ArrayVec;
use chess::{Bitboard, Board, ByColor, Color, Position, Role, Square, attacks};

use crate::{Battery, Definitions, Fork, ForkMove, Hanging, Level, Line, Reach, survey::Survey};

// A side has at most 16 pieces, one of them the king, and at most 8 of the others need be pawns: 15
// pieces may be sliders, forkers or victims. The lists below are as long as that allows.

/// Pieces of a side other than its king.
pub(crate) const PIECES: usize = 15;
/// A line starts at a slider and leaves it in one of eight directions.
pub(crate) const LINES: usize = PIECES * 8;
/// A pin runs along one of the eight rays of the king.
pub(crate) const PINS: usize = 8;
/// Two sliders share a battery, and each has eight directions.
pub(crate) const BATTERIES: usize = PIECES * 8 / 2;
/// No piece has more moves than a queen in the middle of an empty board; a pawn has at most three
/// squares to promote on, in four ways each.
pub(crate) const FORK_MOVES: usize = PIECES * 27;

/// Everything true of a position, up to a level. Plain values, nothing on the heap.
///
/// Facts above the [`level`](Facts::level) are empty. Index by color to get the facts of a side:
/// `facts[Color::White].attacked`. The names in backticks at the fields of [`Side`] are the names
/// of columns in tables.
///
/// The lists have room for the worst legal position, so a value is large. For many positions, reuse
/// one value with [`Facts::compute`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// How much has been computed.
    pub level: Level,
    /// Which definitions were used.
    pub definitions: Definitions,
    /// The pieces the facts are about.
    pub board: Board,
    /// Files without any pawn, as squares. Column `open_files`: how many files.
    pub open_files: Bitboard,
    /// What is true of each side.
    pub sides: ByColor<Side>,
}

/// The facts of one side. Kings are never counted as attacked or hanging.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// Pieces by [`Role::index`]. Columns `pawns`, `knights`, `bishops`, `rooks`, `queens`.
    pub pieces: [u8; 6],
    /// What the pieces are worth: pawn 1, knight and bishop 3, rook 5, queen 9. Column `material`.
    pub material: u8,
    /// What each piece attacks, without pawns; for those see [`attacks::pawn`].
    pub reaches: ArrayVec<Reach, { PIECES + 1 }>,
    /// Every square that this side attacks, occupied or not. Column `attacks`.
    pub attacks: Bitboard,
    /// How many pieces attack each square: bit `i` of the number is in set `i`.
    /// [`Facts::attack_count`] puts it together.
    pub attack_counts: [Bitboard; 5],
    /// Pieces with an attacker. Column `attacked`.
    pub attacked: Bitboard,
    /// Pieces without a defender. Column `loose`.
    pub loose: Bitboard,
    /// Pieces with an attacker and without a defender. Column `undefended`.
    pub undefended: Bitboard,
    /// Pieces with more attackers than defenders. Column `hanging_count`.
    pub hanging_count: Bitboard,
    /// Enemy pieces that give check. Column `checkers`.
    pub checkers: Bitboard,
    /// The squares from which a piece of this side would give check, by [`Role::index`] from pawn
    /// to queen. Columns `check_squares_pawn`, `check_squares_knight`, `check_squares_bishop`,
    /// `check_squares_rook`; those of a queen are the union of the last two.
    pub check_squares: [Bitboard; 5],
    /// Absolute pins: the front is the only piece between its king, the back, and an enemy slider
    /// that moves along that line. Column `pins`.
    pub pins: ArrayVec<Line, PINS>,
    /// The pieces of [`Side::pins`]. Column `pinned`.
    pub pinned: Bitboard,
    /// Relative pins: an enemy slider attacks the front, and the back is a more valuable piece
    /// other than the king. Column `relative_pins`.
    pub relative_pins: ArrayVec<Line, LINES>,
    /// The pieces of [`Side::relative_pins`]. Column `relatively_pinned`.
    pub relatively_pinned: Bitboard,
    /// Skewers: an enemy slider attacks the front, which is worth more than the back; neither is a
    /// pawn, and the front may be the king. Column `skewers`.
    pub skewers: ArrayVec<Line, LINES>,
    /// The fronts of [`Side::skewers`]. Column `skewered`.
    pub skewered: Bitboard,
    /// Own sliders with exactly one piece, of either side, between them and an enemy piece. Pins
    /// and skewers of enemy pieces and discovered attacks are among them. Column `xrays`.
    pub xrays: ArrayVec<Line, LINES>,
    /// Own sliders with one own piece between them and an enemy piece other than a pawn. Column
    /// `discovered`.
    pub discovered: ArrayVec<Line, LINES>,
    /// Pairs of own sliders on a line along which both move. Column `batteries`.
    pub batteries: ArrayVec<Battery, BATTERIES>,
    /// The pawns.
    pub pawns: PawnFacts,
    /// Knights and bishops. Column `minors`.
    pub minors: Bitboard,
    /// Knights and bishops off the first rank. Column `developed`.
    pub developed: Bitboard,
    /// Knights on the b- or g-file and bishops on the c- or f-file of the first rank. Column
    /// `home_minors`.
    pub home_minors: Bitboard,

    /// Pieces whose capture gains something by static exchange. Column `hanging_see`. From
    /// [`Level::Exchange`].
    pub hanging: ArrayVec<Hanging, PIECES>,
    /// The same with absolutely pinned pieces held to their line. Column `hanging_pins`. From
    /// [`Level::Exchange`].
    pub hanging_pins: ArrayVec<Hanging, PIECES>,

    /// Pieces other than the king that attack two or more targets. A target is the enemy king, or
    /// an enemy piece other than a pawn that is undefended or worth more than the forker. Column
    /// `forks`. From [`Level::Forks`].
    pub forks: ArrayVec<Fork, PIECES>,
    /// Legal moves of pieces other than the king after which the moved piece forks and the enemy
    /// gains nothing by exchanges on its square. Computed for both sides, as if it were each side's
    /// turn. Column `fork_moves`. From [`Level::Forks`].
    pub fork_moves: ArrayVec<ForkMove, FORK_MOVES>,

    /// The squares that pieces other than pawns can legally move to; castling counts as the king's
    /// move. Computed for both sides, as if it were each side's turn. Column `mobility`. From
    /// [`Level::Everything`].
    pub mobility: Bitboard,
}

/// What is true of the pawns of one side. "Ahead" is towards the last rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PawnFacts {
    /// All pawns. Column `pawns`.
    pub all: Bitboard,
    /// Every pawn of a file with two or more. Column `doubled`.
    pub doubled: Bitboard,
    /// Pawns with an own pawn ahead on the same file: all but the foremost pawn of each file.
    /// Column `doubled_extra`.
    pub doubled_extra: Bitboard,
    /// Pawns without own pawns on adjacent files. Column `isolated`.
    pub isolated: Bitboard,
    /// Pawns with neighbours on adjacent files, none of them on the same rank or behind, whose
    /// next square is occupied or attacked by an enemy pawn. Column `backward`.
    pub backward: Bitboard,
    /// Pawns with neighbours on adjacent files, all of them strictly ahead. Column `behind_all`.
    pub behind_all: Bitboard,
    /// Pawns without an enemy pawn ahead on their own or an adjacent file. Column `passed`.
    pub passed: Bitboard,
    /// Passed pawns without an own pawn ahead on the file. Column `passed_front`.
    pub passed_front: Bitboard,
    /// Pawns that are not passed, with no pawn of either side ahead on their file, and with at
    /// least as many own pawns on adjacent files on the same rank or behind as enemy pawns on
    /// adjacent files ahead. Column `candidates`.
    pub candidates: Bitboard,
    /// Pawns with an own pawn on an adjacent file on the same rank or one rank away. Column
    /// `connected`.
    pub connected: Bitboard,
    /// Groups of neighbouring files with own pawns. Column `pawn_islands`.
    pub islands: u8,
    /// Files with enemy pawns and without own ones, as squares. Column `half_open_files`: how
    /// many files.
    pub half_open_files: Bitboard,
}

/// The facts of a position by the definitions [`Definitions::Std`].
///
/// ```
/// use chess::{Color, Position, Square};
/// use chess_facts::{Level, facts};
/// let position: Position = "r2qk2r/ppp2ppp/2np1n2/2b1p1B1/2B1P1b1/3P1N2/PPP2PPP/RN1QK2R w KQkq - 0 1".parse()?;
/// let facts = facts(&position, Level::Lines);
/// let pin = facts[Color::Black].relative_pins[0];
/// assert_eq!((pin.slider, pin.front, pin.back), (Square::G5, Square::F6, Square::D8));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn facts(position: &Position, level: Level) -> Facts {
    let mut facts = Facts::empty();
    facts.compute(position, level, Definitions::Std);
    facts
}

impl Facts {
    /// The facts of nothing, to be filled by [`Facts::compute`].
    pub fn empty() -> Facts {
        Facts {
            level: Level::Lines,
            definitions: Definitions::Std,
            board: Board::EMPTY,
            open_files: Bitboard::FULL,
            sides: ByColor::default(),
        }
    }

    /// Replaces this value by the facts of a position.
    #[inline]
    pub fn compute(&mut self, position: &Position, level: Level, definitions: Definitions) {
        attacks::quickest(Survey { position, level, definitions, facts: self });
    }

    /// The pieces of a side that attack a square: the attackers of an enemy piece there, the
    /// defenders of an own one.
    pub fn attackers(&self, square: Square, by: Color) -> Bitboard {
        let reaches = self.sides[by].reaches.iter();
        let pieces =
            reaches.filter(|reach| reach.attacks.contains(square)).map(|reach| reach.square);
        let pawns = attacks::pawn(!by, square) & self.board.by_piece(by, Role::Pawn);
        pieces.collect::<Bitboard>() | pawns
    }

    /// How many pieces of a side attack a square: defenders where a piece of its own stands.
    pub fn attack_count(&self, square: Square, by: Color) -> u32 {
        let planes = self.sides[by].attack_counts.iter().enumerate();
        planes.map(|(bit, plane)| u32::from(plane.contains(square)) << bit).sum()
    }

    /// How many files are without any pawn.
    pub fn open_file_count(&self) -> u32 {
        self.open_files.len() / 8
    }
}

impl Index<Color> for Facts {
    type Output = Side;

    #[inline]
    fn index(&self, color: Color) -> &Side {
        &self.sides[color]
    }
}

impl Side {
    /// The squares of [`Side::hanging`].
    pub fn hanging_see(&self) -> Bitboard {
        self.hanging.iter().map(|hanging| hanging.square).collect()
    }

    /// The most the enemy can gain at once. Column `hanging_gain`.
    pub fn hanging_gain(&self) -> u8 {
        self.hanging.iter().map(|hanging| hanging.gain).max().unwrap_or(0)
    }

    /// The pieces that fork now.
    pub fn forkers(&self) -> Bitboard {
        self.forks.iter().map(|fork| fork.forker).collect()
    }

    /// How many files have enemy pawns and no own ones.
    pub fn half_open_file_count(&self) -> u32 {
        self.pawns.half_open_files.len() / 8
    }

    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.reaches.clear();
        self.pins.clear();
        self.relative_pins.clear();
        self.skewers.clear();
        self.xrays.clear();
        self.discovered.clear();
        self.batteries.clear();
        self.hanging.clear();
        self.hanging_pins.clear();
        self.forks.clear();
        self.fork_moves.clear();
        self.mobility = Bitboard::EMPTY;
    }
}
