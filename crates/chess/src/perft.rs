//! Counting the leaves of the tree of legal moves, the customary proof of a move generator.

mod table;

use arrayvec::ArrayVec;

pub use table::PerftTable;
use table::{Bucket, Key};

#[cfg(target_arch = "x86_64")]
use crate::attacks::Pext;
use crate::{
    Bitboard, Color, Move, MoveSet, Position, Role,
    attacks::{Magic, Sliders, has_quick_pext},
    movegen::{self, Black, Side, White},
};

/// How many sequences of `depth` legal moves start from a position.
///
/// The moves of the last ply are counted as sets, never made.
///
/// ```
/// assert_eq!(chess::perft(&chess::Position::default(), 4), 197_281);
/// ```
pub fn perft(position: &Position, depth: u32) -> u64 {
    count(position, depth, None)
}

/// The count below each legal move, in the order of [`Position::legal_moves`].
pub fn divide(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    let below = depth.saturating_sub(1);
    position.legal_moves().iter().map(|mv| (mv, perft(&position.play(mv), below))).collect()
}

fn count(position: &Position, depth: u32, table: Option<&PerftTable>) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if has_quick_pext() {
        return walk_any::<Pext>(position, depth, table);
    }
    walk_any::<Magic>(position, depth, table)
}

fn walk_any<W: Walk>(position: &Position, depth: u32, table: Option<&PerftTable>) -> u64 {
    match (depth, position.turn) {
        (0, _) => 1,
        (_, Color::White) => W::walk::<White>(position, depth, table),
        (_, Color::Black) => W::walk::<Black>(position, depth, table),
    }
}

/// The recursion, compiled once for each slider lookup: a function with its own
/// target features cannot be a closure or a generic parameter of another.
trait Walk: Sliders {
    fn walk<C: Side>(position: &Position, depth: u32, table: Option<&PerftTable>) -> u64;
    /// The bits of a set at the places of a mask, moved together.
    fn pick(set: u64, mask: u64) -> u64;
}

impl Walk for Magic {
    fn walk<C: Side>(position: &Position, depth: u32, table: Option<&PerftTable>) -> u64 {
        step::<Magic, C>(position, depth, table)
    }

    fn pick(set: u64, mask: u64) -> u64 {
        let squares = Bitboard(mask).enumerate();
        squares.fold(0, |picked, (index, square)| picked | (set >> square.index() & 1) << index)
    }
}

#[cfg(target_arch = "x86_64")]
impl Walk for Pext {
    #[inline(always)]
    fn walk<C: Side>(position: &Position, depth: u32, table: Option<&PerftTable>) -> u64 {
        #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
        fn walk<C: Side>(position: &Position, depth: u32, table: Option<&PerftTable>) -> u64 {
            step::<Pext, C>(position, depth, table)
        }
        // SAFETY: `count` uses `Pext` only where the processor has these features.
        unsafe { walk::<C>(position, depth, table) }
    }

    #[inline(always)]
    fn pick(set: u64, mask: u64) -> u64 {
        // SAFETY: as above.
        unsafe { std::arch::x86_64::_pext_u64(set, mask) }
    }
}

#[inline(always)]
fn step<W: Walk, C: Side>(position: &Position, depth: u32, table: Option<&PerftTable>) -> u64 {
    if depth == 1 {
        return movegen::count::<W, C>(position).into();
    }
    let mut nodes = 0;
    match table {
        // Positions with one ply to go are counted in less time than a look at the table takes.
        Some(table) if depth > 2 => {
            let mut asked = ArrayVec::<Asked<'_>, 32>::new();
            each_child::<W, C>(position, |next| {
                if asked.is_full() {
                    nodes += answer::<W, C::Other>(&mut asked, depth - 1, table);
                }
                let key = Key::of::<W>(next);
                let bucket = table.bucket(&key);
                bucket.fetch();
                asked.push((*next, key, bucket));
            });
            nodes += answer::<W, C::Other>(&mut asked, depth - 1, table);
        }
        _ => each_child::<W, C>(position, |next| {
            nodes += W::walk::<C::Other>(next, depth - 1, table);
        }),
    }
    nodes
}

/// A position and where its count would be kept. Several are asked for before the first is needed,
/// because memory takes as long to answer one as to answer all.
type Asked<'a> = (Position, Key, &'a Bucket);

#[inline(always)]
fn answer<W: Walk, C: Side>(
    asked: &mut ArrayVec<Asked<'_>, 32>,
    depth: u32,
    table: &PerftTable,
) -> u64 {
    let mut nodes = 0;
    for (position, key, bucket) in asked.drain(..) {
        nodes += bucket.find(&key, C::COLOR, depth).unwrap_or_else(|| {
            let nodes = W::walk::<C>(&position, depth, Some(table));
            bucket.keep(&key, C::COLOR, depth, nodes);
            nodes
        });
    }
    nodes
}

#[inline(always)]
fn each_child<W: Walk, C: Side>(position: &Position, mut visit: impl FnMut(&Position)) {
    let mut sets = ArrayVec::<MoveSet, 16>::new();
    movegen::list::<W, C>(position, &mut sets);
    for set in &sets {
        let MoveSet { role, from, to } = *set;
        if role == Role::Pawn {
            for mv in set.iter() {
                let mut next = *position;
                next.shift::<C>(Role::Pawn, mv);
                visit(&next);
            }
        } else {
            for to in to {
                let mut next = *position;
                next.shift::<C>(role, Move { from, to, promotion: None });
                visit(&next);
            }
        }
    }
}
