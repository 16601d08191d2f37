//! One row of the rules: a step that a piece may take, and what must hold for it.

use std::fmt;

use chess::Role;

use crate::words::{self, Unknown};

/// One row of the rules.
///
/// A move is a chain of steps. It begins with a row that has no `in_`, taken by an own piece that
/// meets `source`; each step goes by `dx`, `dy` to a square that meets `destination`, and the chain
/// may end after a row that is `public`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    /// What people call it.
    pub name: String,
    /// What must be true of the square the step starts from.
    pub source: Condition,
    /// What must be true of the square it leads to.
    pub destination: Condition,
    /// Files to the east, which is the h-file's side for both colours, or a file.
    pub dx: Along,
    /// Ranks ahead, towards the enemy.
    pub dy: i8,
    /// Where in a move the step may come.
    pub sequence: Sequence,
    /// What it does besides moving a piece.
    pub effects: Effects,
}

/// How far a step goes along a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Along {
    /// This many files to the east.
    By(i8),
    /// To this file, counted from 0.
    To(u8),
}

/// What must be true of a square: one of `who`, one of `roles` if there are any, and every mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Condition {
    /// Whose piece stands there, if any.
    pub who: Set<Who>,
    /// Of which kind it is; empty if any kind will do.
    pub roles: Set<Role>,
    /// What else must hold.
    pub marks: Set<Mark>,
}

/// A small set of things that are numbered from 0.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Set<T> {
    bits: u16,
    of: std::marker::PhantomData<T>,
}

/// Whose piece stands on a square, if any, and whether it is a square at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Who {
    /// The piece that moves.
    Own,
    /// Another piece of its side.
    Ally,
    /// Nobody.
    Empty,
    /// A piece of the other side.
    Foe,
    /// There is no such square.
    OutOfBounds,
}

/// What else may be asked of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// Its piece has never moved: a pawn on its second rank, a rook that may castle, its king.
    Mint,
    /// Its pawn has just made a double step.
    Passing,
    /// The other side does not attack it.
    NotThreatened,
    /// It is east of the piece that moves, on the same rank.
    East,
    /// It is west of the piece that moves, on the same rank.
    West,
}

/// Where in a move a step may come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sequence {
    /// The words without a letter or a number.
    pub flags: Set<Flag>,
    /// The letters of `in_`: the step follows only a step whose `out_` has the same letter.
    pub input: Set<Pair>,
    /// The letters of `out_`.
    pub output: Set<Pair>,
    /// The rotations in which the step exists; later steps of the move keep the rotation.
    pub variants: Set<Turn>,
}

/// A word about a step's place in a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flag {
    /// A move may end with it.
    Public,
    /// It belongs to the same turn as the step before it.
    Instant,
    /// It may follow itself.
    Recursive,
    /// If the board has room for it, the move cannot end with the step before it.
    Mandatory,
    /// A second piece makes it.
    Parallel,
}

/// A letter, A to I, that ties a step to those that may follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pair(pub u8);

/// A number of quarter turns, 0 to 3: variants 1 to 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Turn(pub u8);

/// What a step does besides moving a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Effects {
    /// The square it starts from becomes the en-passant square.
    pub passing: bool,
    /// The piece becomes another.
    pub becomes: Option<Role>,
}

/// What a [`Set`] may hold.
pub trait Numbered: Copy + 'static {
    /// All of them, each at its number.
    const ALL: &'static [Self];

    /// The number.
    fn number(self) -> u8;
}

impl<T> Clone for Set<T> {
    fn clone(&self) -> Set<T> {
        *self
    }
}

impl<T> Copy for Set<T> {}

impl<T> Default for Set<T> {
    fn default() -> Set<T> {
        Set { bits: 0, of: std::marker::PhantomData }
    }
}

impl<T: Numbered> Set<T> {
    /// Whether it is in.
    pub fn contains(self, item: T) -> bool {
        self.bits >> item.number() & 1 == 1
    }

    /// Whether nothing is in.
    pub fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// Whether the two have something in common.
    pub fn meets(self, other: Set<T>) -> bool {
        self.bits & other.bits != 0
    }

    /// With this one in.
    pub fn with(self, item: T) -> Set<T> {
        Set { bits: self.bits | 1 << item.number(), of: self.of }
    }

    /// Everything that is in, in the order of numbers.
    pub fn iter(self) -> impl Iterator<Item = T> {
        T::ALL.iter().copied().filter(move |item| self.contains(*item))
    }
}

impl<T: Numbered> FromIterator<T> for Set<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Set<T> {
        items.into_iter().fold(Set::default(), Set::with)
    }
}

macro_rules! numbered {
    ($name:ident: $($item:expr),*) => {
        impl Numbered for $name {
            const ALL: &'static [$name] = &[$($item),*];

            fn number(self) -> u8 {
                // Nine at most.
                $name::ALL.iter().position(|item| *item == self).unwrap_or_default() as u8
            }
        }
    };
}

numbered!(Who: Who::Own, Who::Ally, Who::Empty, Who::Foe, Who::OutOfBounds);
numbered!(Role: Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King);
numbered!(Mark: Mark::Mint, Mark::Passing, Mark::NotThreatened, Mark::East, Mark::West);
numbered!(Flag: Flag::Public, Flag::Instant, Flag::Recursive, Flag::Mandatory, Flag::Parallel);
numbered!(Pair: Pair(0), Pair(1), Pair(2), Pair(3), Pair(4), Pair(5), Pair(6), Pair(7), Pair(8));
numbered!(Turn: Turn(0), Turn(1), Turn(2), Turn(3));

impl Turn {
    /// A step turned so far to the left.
    pub(crate) fn of(self, (dx, dy): (i8, i8)) -> (i8, i8) {
        match self.0 {
            0 => (dx, dy),
            1 => (-dy, dx),
            2 => (-dx, -dy),
            _ => (dy, -dx),
        }
    }
}

impl Pattern {
    /// The seven columns of a pattern file, in order.
    pub const COLUMNS: [&'static str; 7] =
        ["name", "source", "destination", "dx", "dy", "sequence", "effects"];

    /// Reads a row from the texts of its seven columns.
    pub(crate) fn read(columns: [&str; 7]) -> Result<Pattern, Unreadable> {
        let [name, source, destination, dx, dy, sequence, effects] = columns.map(str::trim);
        let at = |column: usize| {
            move |error: Unknown| Unreadable {
                column: Pattern::COLUMNS[column],
                reason: error.to_string(),
            }
        };
        Ok(Pattern {
            name: name.to_owned(),
            source: words::condition(source).map_err(at(1))?,
            destination: words::condition(destination).map_err(at(2))?,
            dx: words::along(dx).map_err(at(3))?,
            dy: words::number(dy).map_err(at(4))?,
            sequence: words::sequence(sequence).map_err(at(5))?,
            effects: words::effects(effects).map_err(at(6))?,
        })
    }

    /// The texts of its seven columns.
    pub fn columns(&self) -> [String; 7] {
        [
            self.name.clone(),
            self.source.to_string(),
            self.destination.to_string(),
            self.dx.to_string(),
            self.dy.to_string(),
            self.sequence.to_string(),
            self.effects.to_string(),
        ]
    }
}

/// Why a row could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {reason}")]
pub struct Unreadable {
    /// Where in the row.
    pub column: &'static str,
    /// What is wrong there.
    pub reason: String,
}

impl fmt::Display for Along {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Along::By(files) => write!(f, "{files}"),
            Along::To(file) => write!(f, "{}", char::from(b'a' + file)),
        }
    }
}
