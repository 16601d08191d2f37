//! Sets of squares as 64 bits.

use std::{
    fmt,
    ops::{
        BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, Shr, Sub,
        SubAssign,
    },
};

use crate::{File, Rank, Square};

/// A set of squares. Bit 0 is a1, bit 7 is h1, bit 63 is h8.
///
/// ```
/// use chess::{Bitboard, Square};
/// let corners = Bitboard::from_iter([Square::A1, Square::H1, Square::A8, Square::H8]);
/// assert_eq!((corners & Bitboard::LIGHT).len(), 2);
/// for square in corners {
///     assert!(corners.contains(square));
/// }
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// No square.
    pub const EMPTY: Bitboard = Bitboard(0);
    /// Every square.
    pub const FULL: Bitboard = Bitboard(!0);
    /// The light squares.
    pub const LIGHT: Bitboard = Bitboard(0x55aa_55aa_55aa_55aa);
    /// The dark squares.
    pub const DARK: Bitboard = Bitboard(!Bitboard::LIGHT.0);

    /// The squares of a file.
    #[inline]
    pub const fn file(file: File) -> Bitboard {
        Bitboard(0x0101_0101_0101_0101 << file.index())
    }

    /// The squares of a rank.
    #[inline]
    pub const fn rank(rank: Rank) -> Bitboard {
        Bitboard(0xff << (rank.index() * 8))
    }

    /// The set of one square.
    #[inline]
    pub const fn of(square: Square) -> Bitboard {
        Bitboard(1 << square.index())
    }

    /// Whether the square is in the set.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// Whether no square is in the set.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether two squares or more are in the set.
    #[inline]
    pub const fn is_many(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// Whether every square of the set is in `other`.
    #[inline]
    pub const fn is_subset(self, other: Bitboard) -> bool {
        self.0 & !other.0 == 0
    }

    /// How many squares are in the set.
    #[inline]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// The square nearest to a1.
    #[inline]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::from_low_bits(self.0.trailing_zeros())) }
    }

    /// The square nearest to h8.
    #[inline]
    pub const fn last(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::from_low_bits(63 - self.0.leading_zeros())) }
    }

    /// The only square of the set, if there is exactly one.
    #[inline]
    pub const fn only(self) -> Option<Square> {
        if self.is_many() { None } else { self.first() }
    }

    /// The squares one rank up.
    #[inline]
    pub const fn up(self) -> Bitboard {
        Bitboard(self.0 << 8)
    }

    /// The squares one rank down.
    #[inline]
    pub const fn down(self) -> Bitboard {
        Bitboard(self.0 >> 8)
    }

    /// The squares one file towards the h-file.
    #[inline]
    pub const fn right(self) -> Bitboard {
        Bitboard((self.0 & !Bitboard::file(File::H).0) << 1)
    }

    /// The squares one file towards the a-file.
    #[inline]
    pub const fn left(self) -> Bitboard {
        Bitboard((self.0 & !Bitboard::file(File::A).0) >> 1)
    }

    /// The set seen from the other side of the board: ranks reversed.
    #[inline]
    pub const fn flip(self) -> Bitboard {
        Bitboard(self.0.swap_bytes())
    }
}

impl Iterator for Bitboard {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        let square = self.first()?;
        self.0 &= self.0 - 1;
        Some(square)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = Bitboard::len(*self) as usize;
        (len, Some(len))
    }
}

impl ExactSizeIterator for Bitboard {
    fn len(&self) -> usize {
        Bitboard::len(*self) as usize
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Bitboard {
        squares.into_iter().fold(Bitboard::EMPTY, |set, square| set | Bitboard::of(square))
    }
}

impl From<Square> for Bitboard {
    #[inline]
    fn from(square: Square) -> Bitboard {
        Bitboard::of(square)
    }
}

macro_rules! set_operators {
    ($($trait:ident $method:ident $assign_trait:ident $assign_method:ident |$a:ident, $b:ident| $e:expr;)*) => {
        $(
            impl<T: Into<Bitboard>> $trait<T> for Bitboard {
                type Output = Bitboard;

                #[inline]
                fn $method(self, other: T) -> Bitboard {
                    let ($a, $b) = (self.0, other.into().0);
                    Bitboard($e)
                }
            }

            impl<T: Into<Bitboard>> $assign_trait<T> for Bitboard {
                #[inline]
                fn $assign_method(&mut self, other: T) {
                    *self = $trait::$method(*self, other);
                }
            }
        )*
    };
}

set_operators! {
    BitAnd bitand BitAndAssign bitand_assign |a, b| a & b;
    BitOr bitor BitOrAssign bitor_assign |a, b| a | b;
    BitXor bitxor BitXorAssign bitxor_assign |a, b| a ^ b;
    Sub sub SubAssign sub_assign |a, b| a & !b;
}

impl Not for Bitboard {
    type Output = Bitboard;

    #[inline]
    fn not(self) -> Bitboard {
        Bitboard(!self.0)
    }
}

impl Shl<u32> for Bitboard {
    type Output = Bitboard;

    #[inline]
    fn shl(self, by: u32) -> Bitboard {
        Bitboard(self.0 << by)
    }
}

impl Shr<u32> for Bitboard {
    type Output = Bitboard;

    #[inline]
    fn shr(self, by: u32) -> Bitboard {
        Bitboard(self.0 >> by)
    }
}

/// Draws the set as eight lines of eight, the eighth rank first.
impl fmt::Display for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in Rank::all().rev() {
            for file in File::all() {
                let mark = if self.contains(Square::new(file, rank)) { "X" } else { "." };
                let space = if file == File::H { "\n" } else { " " };
                write!(f, "{mark}{space}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}
