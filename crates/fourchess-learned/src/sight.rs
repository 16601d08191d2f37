//! What each square sees: the features of the first layer.
//!
//! A square has up to 21 numbers: the piece on it, the nearest piece along each of eight rays, the
//! pieces a knight's jump away, and four marks. Each number that is not 0 is one feature, and so one
//! row of the table of the first layer.

use fourchess::Square;
use fourchess_env::{Observation, Planes};

/// The numbers of pieces: six kinds of each of four seats, and dead pieces.
const KINDS: usize = 25;

/// The features of a square.
pub(crate) const FEATURES: usize = KINDS + 8 * 2 * KINDS + 8 * KINDS + MARKS.len();

/// The most features of a square that can be on at once.
pub(crate) const MOST: usize = 1 + 8 + 8 + MARKS.len();

/// The planes of marks: promoted queens, rooks that may castle, squares that a pawn has just passed,
/// kings in check.
const MARKS: [usize; 4] = [25, 27, 28, 29];

const RAYS: [(i8, i8); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];
const JUMPS: [(i8, i8); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// The features that are on, of all squares one after the other.
pub(crate) struct Sight {
    rows: Vec<u16>,
    ends: [usize; Square::COUNT],
}

impl Sight {
    pub(crate) fn new() -> Sight {
        Sight { rows: Vec::with_capacity(MOST * Square::COUNT), ends: [0; Square::COUNT] }
    }

    /// The features of a square that are on, as rows of the table.
    pub(crate) fn of(&self, square: usize) -> &[u16] {
        let first = if square == 0 { 0 } else { self.ends[square - 1] };
        &self.rows[first..self.ends[square]]
    }

    /// Looks at an observation.
    pub(crate) fn look(&mut self, planes: &Planes) {
        let pieces = pieces(planes);
        self.rows.clear();
        for square in Square::all() {
            let place = square.index();
            self.push(0, pieces[place]);
            for (index, &(files, ranks)) in RAYS.iter().enumerate() {
                let (piece, is_near) = nearest(&pieces, square, files, ranks);
                let far = if is_near { 0 } else { KINDS };
                self.push(KINDS + 2 * KINDS * index + far, piece);
            }
            for (index, &(files, ranks)) in JUMPS.iter().enumerate() {
                let piece = square.step(files, ranks).map_or(0, |goal| pieces[goal.index()]);
                self.push(17 * KINDS + KINDS * index, piece);
            }
            for (index, &plane) in MARKS.iter().enumerate() {
                let is_on = planes[plane][place / 32] >> (place % 32) & 1;
                self.push(FEATURES - MARKS.len() + index, is_on as u8);
            }
            self.ends[place] = self.rows.len();
        }
    }

    /// The feature with this number, counted from 1, of those that begin at `start`.
    fn push(&mut self, start: usize, number: u8) {
        if number > 0 {
            self.rows.push((start + number as usize - 1) as u16);
        }
    }
}

/// The piece on each square, counted from 1 by its plane; 0 if there is none.
fn pieces(planes: &Planes) -> [u8; Square::COUNT] {
    let mut pieces = [0; Square::COUNT];
    for (plane, words) in planes[..KINDS].iter().enumerate() {
        for (index, &word) in words.iter().enumerate() {
            let mut left = word;
            while left != 0 {
                pieces[32 * index + left.trailing_zeros() as usize] = plane as u8 + 1;
                left &= left - 1;
            }
        }
    }
    pieces
}

/// The nearest piece along a ray, 0 if there is none; and whether it is adjacent.
fn nearest(pieces: &[u8; Square::COUNT], from: Square, files: i8, ranks: i8) -> (u8, bool) {
    let mut goal = from.step(files, ranks);
    let mut is_near = true;
    while let Some(square) = goal {
        if pieces[square.index()] > 0 {
            return (pieces[square.index()], is_near);
        }
        (goal, is_near) = (square.step(files, ranks), false);
    }
    (0, is_near)
}

const _: () = assert!(Observation::PLANES == 30);
