//! Planes with registers of 256 bits.

use std::arch::x86_64::{
    __m256i, _mm_cvtsi32_si128, _mm256_and_si256, _mm256_andnot_si256, _mm256_loadu_si256,
    _mm256_movemask_epi8, _mm256_permutevar8x32_epi32, _mm256_set_epi64x, _mm256_set1_epi8,
    _mm256_set1_epi32, _mm256_setr_epi32, _mm256_shuffle_epi8, _mm256_sll_epi16,
    _mm256_storeu_si256, _mm256_xor_si256,
};

use fourchess::Seat;

use super::{BITS, Cells};
use crate::{
    observation::{DEAD, Observation, PROMOTED, Planes},
    view::Order,
};

/// The words of a register. A plane has five of them, so each store spills into the planes behind.
const WORDS: usize = 8;

/// Writes planes as [`write_plainly`](super::write_plainly) does, and returns whether the processor
/// can.
#[inline]
pub(super) fn write(cells: Cells<'_>, turn: Seat, planes: &mut Planes) -> bool {
    let can = is_x86_feature_detected!("avx2");
    if can {
        // SAFETY: the processor has the feature the function is compiled with.
        unsafe { write_quickly(cells, turn, planes) };
    }
    can
}

#[target_feature(enable = "avx2")]
fn write_quickly(cells: Cells<'_>, turn: Seat, planes: &mut Planes) {
    let mut sets = [[0; WORDS]; BITS];
    slice(cells, &mut sets);
    // In pairs: the set where the bit is 0 and the set where it is 1. Their upper 96 bits are of no
    // use, and overwritten in `planes`.
    let ones = _mm256_set1_epi8(-1);
    let either = |set: __m256i| [_mm256_andnot_si256(set, ones), set];
    let [low, middle, high] = [load(&sets[0]), load(&sets[1]), load(&sets[2])].map(either);
    let with_code = |code: usize| {
        let two = _mm256_and_si256(low[code & 1], middle[code >> 1 & 1]);
        _mm256_and_si256(two, high[code >> 2])
    };
    let roles = [1, 2, 3, 4, 5, 6].map(with_code);
    let (odd, upper) = (load(&sets[3]), load(&sets[4]));
    for after in 0..4 {
        let seat = turn.index() + after;
        // A mask of ones turns a set into its complement.
        let is_even = _mm256_set1_epi8((seat & 1) as i8 - 1);
        let is_lower = _mm256_set1_epi8((seat >> 1 & 1) as i8 - 1);
        let (odd, upper) = (_mm256_xor_si256(odd, is_even), _mm256_xor_si256(upper, is_lower));
        let owned = _mm256_and_si256(odd, upper);
        for (role, &pieces) in roles.iter().enumerate() {
            store(planes, 6 * after + role, _mm256_and_si256(pieces, owned));
        }
    }
    let dead = with_code(7);
    store(planes, DEAD, dead);
    store(planes, PROMOTED, _mm256_andnot_si256(dead, load(&sets[5])));
}

/// For each bit of a cell the set of squares whose cells have it. The last three words of a set are
/// left as they are.
#[inline]
#[target_feature(enable = "avx2")]
fn slice(cells: Cells<'_>, sets: &mut [[u32; WORDS]; BITS]) {
    // Numbers instead of branches: whose turn it is changes from game to game.
    let is_backward = usize::from(cells.order == Order::Backward);
    // Exclusive or with 15 turns the order of sixteen bytes round, with 4 the order of the halves.
    let bytes = _mm256_xor_si256(
        _mm256_set_epi64x(HIGH_BYTES, LOW_BYTES, HIGH_BYTES, LOW_BYTES),
        _mm256_set1_epi8(15 * is_backward as i8),
    );
    let halves = _mm256_xor_si256(
        _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
        _mm256_set1_epi32(4 * is_backward as i32),
    );
    for word in 0..Observation::WORDS {
        let last = Observation::WORDS - 1;
        let from = word + is_backward * (last - word) - is_backward * word;
        let cells = _mm256_shuffle_epi8(load_bytes(cells, from), bytes);
        let cells = _mm256_permutevar8x32_epi32(cells, halves);
        for (bit, set) in sets.iter_mut().enumerate() {
            // The bit becomes the highest of its byte. What comes from the byte below is lower.
            let shift = _mm_cvtsi32_si128(7 - bit as i32);
            set[word] = _mm256_movemask_epi8(_mm256_sll_epi16(cells, shift)).cast_unsigned();
        }
    }
}

/// Bytes that hold their own place.
const LOW_BYTES: i64 = 0x0706_0504_0302_0100;
const HIGH_BYTES: i64 = 0x0f0e_0d0c_0b0a_0908;

/// 32 cells.
#[inline]
#[target_feature(enable = "avx2")]
fn load_bytes(cells: Cells<'_>, word: usize) -> __m256i {
    let cells: &[_; 32] = &cells.cells.as_chunks().0[word];
    // SAFETY: there are 32 cells, and a cell is a byte.
    unsafe { _mm256_loadu_si256(std::ptr::from_ref(cells).cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(words: &[u32; WORDS]) -> __m256i {
    // SAFETY: the array has 256 bits.
    unsafe { _mm256_loadu_si256(std::ptr::from_ref(words).cast()) }
}

/// Writes a plane and three words behind it.
#[inline]
#[target_feature(enable = "avx2")]
fn store(planes: &mut Planes, plane: usize, set: __m256i) {
    let words = &mut planes.as_flattened_mut()[Observation::WORDS * plane..];
    let place: &mut [u32; WORDS] = words.first_chunk_mut().expect("planes follow");
    // SAFETY: the array has 256 bits.
    unsafe { _mm256_storeu_si256(std::ptr::from_mut(place).cast(), set) }
}
