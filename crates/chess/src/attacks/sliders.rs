//! Attacks of sliders, looked up by PEXT or magic multiplication.

use crate::{Bitboard, Square};

include!(concat!(env!("OUT_DIR"), "/lookups.rs"));

/// How the attacks of a slider on one square are found in a table.
pub(super) struct Lookup {
    /// The squares whose occupancy matters.
    mask: u64,
    /// Maps the masked occupancy to distinct top bits.
    factor: u64,
    shift: u32,
    /// Where the square's entries begin.
    offset: u32,
}

// SAFETY: the build script writes `ENTRIES` words in the byte order of the target,
// and every bit pattern is a `u64`.
static BY_MAGIC: [u64; ENTRIES] =
    unsafe { std::mem::transmute(*include_bytes!(concat!(env!("OUT_DIR"), "/magic.bin"))) };

/// Finds slider attacks. Implementations differ in speed only.
pub trait Sliders: Copy {
    /// The squares a bishop attacks, up to and including the first occupied one of each ray.
    fn bishop(square: Square, occupied: Bitboard) -> Bitboard;
    /// The squares a rook attacks, up to and including the first occupied one of each ray.
    fn rook(square: Square, occupied: Bitboard) -> Bitboard;
}

/// Work that looks up so many slider attacks that the quickest lookup pays.
pub trait SliderWork {
    /// What comes out of it.
    type Output;
    /// Does the work. It is compiled once for each kind of lookup, with the instructions of the
    /// processor that has it; that reaches only what is inlined, so mark all of it
    /// `#[inline(always)]`.
    fn run<S: Sliders>(self) -> Self::Output;
}

/// Does the work with the quickest lookup of this processor.
///
/// ```
/// use chess::{Bitboard, Square, attacks};
///
/// struct Corner;
/// impl attacks::SliderWork for Corner {
///     type Output = Bitboard;
///     #[inline(always)]
///     fn run<S: attacks::Sliders>(self) -> Bitboard {
///         S::rook(Square::A1, Bitboard::EMPTY)
///     }
/// }
/// assert_eq!(attacks::quickest(Corner), attacks::rook_rays(Square::A1));
/// ```
#[inline]
pub fn quickest<W: SliderWork>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if has_quick_pext() {
        #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
        fn run<W: SliderWork>(work: W) -> W::Output {
            work.run::<Pext>()
        }
        // SAFETY: the processor has the features the function is compiled with.
        return unsafe { run(work) };
    }
    work.run::<Magic>()
}

/// Lookup by multiplication; for every processor.
#[derive(Clone, Copy)]
pub(crate) struct Magic;

impl Magic {
    #[inline(always)]
    fn look_up(lookup: &Lookup, occupied: Bitboard) -> Bitboard {
        let relevant = occupied.0 & lookup.mask;
        let index = relevant.wrapping_mul(lookup.factor) >> lookup.shift;
        Bitboard(BY_MAGIC[lookup.offset as usize + index as usize])
    }
}

impl Sliders for Magic {
    #[inline(always)]
    fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
        Magic::look_up(&BISHOP[square.index()], occupied)
    }

    #[inline(always)]
    fn rook(square: Square, occupied: Bitboard) -> Bitboard {
        Magic::look_up(&ROOK[square.index()], occupied)
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Pext, has_quick_pext};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::{arch::x86_64, sync::LazyLock};

    use super::{BISHOP, ENTRIES, Lookup, ROOK, Sliders};
    use crate::{Bitboard, Square};

    // SAFETY: as for `BY_MAGIC`.
    static BY_PEXT: [u64; ENTRIES] =
        unsafe { std::mem::transmute(*include_bytes!(concat!(env!("OUT_DIR"), "/pext.bin"))) };

    /// Lookup by bit extraction. To be used only where [`has_quick_pext`] holds.
    #[derive(Clone, Copy)]
    pub(crate) struct Pext;

    impl Pext {
        #[inline(always)]
        fn look_up(lookup: &Lookup, occupied: Bitboard) -> Bitboard {
            // SAFETY: whoever uses `Pext` has asked `has_quick_pext`, which asks for BMI2.
            let index = unsafe { x86_64::_pext_u64(occupied.0, lookup.mask) };
            Bitboard(BY_PEXT[lookup.offset as usize + index as usize])
        }
    }

    impl Sliders for Pext {
        #[inline(always)]
        fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
            Pext::look_up(&BISHOP[square.index()], occupied)
        }

        #[inline(always)]
        fn rook(square: Square, occupied: Bitboard) -> Bitboard {
            Pext::look_up(&ROOK[square.index()], occupied)
        }
    }

    /// Whether this processor has the bit instructions the fast paths are compiled
    /// with, and a PEXT that is not emulated in microcode.
    #[inline]
    pub(crate) fn has_quick_pext() -> bool {
        static ANSWER: LazyLock<bool> = LazyLock::new(|| {
            is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt")
                && !emulates_pext()
        });
        *ANSWER
    }

    /// AMD processors before Zen 3 (family 19h) take hundreds of cycles for one PEXT.
    fn emulates_pext() -> bool {
        let vendor = x86_64::__cpuid(0);
        let amd = (vendor.ebx, vendor.edx, vendor.ecx)
            == (
                u32::from_le_bytes(*b"Auth"),
                u32::from_le_bytes(*b"enti"),
                u32::from_le_bytes(*b"cAMD"),
            );
        let signature = x86_64::__cpuid(1).eax;
        let family = (signature >> 8 & 0xf) + (signature >> 20 & 0xff);
        amd && family < 0x19
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn has_quick_pext() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::{super::walk, *};

    #[test]
    fn lookups_equal_walks_for_every_arrangement_of_blockers() {
        for square in Square::all() {
            compare(square, &walk::BISHOP, attacks_of_bishop);
            compare(square, &walk::ROOK, attacks_of_rook);
        }
    }

    fn compare(
        square: Square,
        directions: &[(i8, i8); 4],
        ways: fn(Square, Bitboard) -> Vec<Bitboard>,
    ) {
        let index = square.index() as u8;
        let mask = walk::relevant(index, directions);
        let mut blockers = 0u64;
        loop {
            // Squares outside the mask must not matter.
            for occupied in [blockers, blockers | !mask] {
                let walked = Bitboard(walk::walk(index, occupied, directions));
                for found in ways(square, Bitboard(occupied)) {
                    assert_eq!(found, walked, "{square} among {:?}", Bitboard(occupied));
                }
            }
            blockers = blockers.wrapping_sub(mask) & mask;
            if blockers == 0 {
                break;
            }
        }
    }

    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut))]
    fn attacks_of_bishop(square: Square, occupied: Bitboard) -> Vec<Bitboard> {
        let mut found = vec![Magic::bishop(square, occupied)];
        #[cfg(target_arch = "x86_64")]
        if has_quick_pext() {
            found.push(Pext::bishop(square, occupied));
        }
        found
    }

    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut))]
    fn attacks_of_rook(square: Square, occupied: Bitboard) -> Vec<Bitboard> {
        let mut found = vec![Magic::rook(square, occupied)];
        #[cfg(target_arch = "x86_64")]
        if has_quick_pext() {
            found.push(Pext::rook(square, occupied));
        }
        found
    }
}
