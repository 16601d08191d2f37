//! Counting the leaves of the tree of legal moves, the customary proof of a move generator.

use arrayvec::ArrayVec;

#[cfg(target_arch = "x86_64")]
use crate::attacks::Pext;
use crate::{
    Color, Move, MoveSet, Position, Role,
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
    #[cfg(target_arch = "x86_64")]
    if has_quick_pext() {
        return walk_any::<Pext>(position, depth);
    }
    walk_any::<Magic>(position, depth)
}

/// The count below each legal move, in the order of [`Position::legal_moves`].
pub fn divide(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    let below = depth.saturating_sub(1);
    position.legal_moves().iter().map(|mv| (mv, perft(&position.play(mv), below))).collect()
}

fn walk_any<W: Walk>(position: &Position, depth: u32) -> u64 {
    match (depth, position.turn) {
        (0, _) => 1,
        (_, Color::White) => W::walk::<White>(position, depth),
        (_, Color::Black) => W::walk::<Black>(position, depth),
    }
}

/// The recursion, compiled once for each slider lookup: a function with its own
/// target features cannot be a closure or a generic parameter of another.
trait Walk: Sliders {
    fn walk<C: Side>(position: &Position, depth: u32) -> u64;
}

impl Walk for Magic {
    fn walk<C: Side>(position: &Position, depth: u32) -> u64 {
        step::<Magic, C>(position, depth)
    }
}

#[cfg(target_arch = "x86_64")]
impl Walk for Pext {
    #[inline(always)]
    fn walk<C: Side>(position: &Position, depth: u32) -> u64 {
        #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
        fn walk<C: Side>(position: &Position, depth: u32) -> u64 {
            step::<Pext, C>(position, depth)
        }
        // SAFETY: `perft` uses `Pext` only where the processor has these features.
        unsafe { walk::<C>(position, depth) }
    }
}

#[inline(always)]
fn step<W: Walk, C: Side>(position: &Position, depth: u32) -> u64 {
    if depth == 1 {
        return movegen::count::<W, C>(position).into();
    }
    let mut sets = ArrayVec::<MoveSet, 16>::new();
    movegen::list::<W, C>(position, &mut sets);
    let mut nodes = 0;
    for set in &sets {
        let MoveSet { role, from, to } = *set;
        if role == Role::Pawn {
            for mv in set.iter() {
                let mut next = *position;
                next.shift::<C>(Role::Pawn, mv);
                nodes += W::walk::<C::Other>(&next, depth - 1);
            }
        } else {
            for to in to {
                let mut next = *position;
                next.shift::<C>(role, Move { from, to, promotion: None });
                nodes += W::walk::<C::Other>(&next, depth - 1);
            }
        }
    }
    nodes
}
