//! The observation: bit planes and a few scalars, in the frame of the player to move.
//!
//! Seats are counted from the player to move in turn order, so 0 is that player. The board is
//! rotated so that this player's edge is the southern one. Bit [`Square::index`] of a plane is that
//! square, beginning with the lowest bit of the first word.

use fourchess::{Position, Rules, Seat, Square, WIDTH};

use crate::{planes, view::View};

/// The meaning of planes and scalars. The documentation is generated from it, and tests compare
/// both.
pub struct Observation;

impl Observation {
    /// The number of bit planes.
    pub const PLANES: usize = 30;

    /// The number of words in a plane of 160 bits.
    pub const WORDS: usize = Square::COUNT / 32;

    /// The number of scalars.
    pub const SCALARS: usize = 10;

    /// The number of planes after expansion to floats. Every scalar becomes a plane too.
    pub const FLOAT_PLANES: usize = Observation::PLANES + Observation::SCALARS;

    /// The number of floats in a plane, the cut corners included.
    pub const CELLS: usize = WIDTH as usize * WIDTH as usize;

    /// The index in a plane of floats of the square with this index.
    ///
    /// # Panics
    ///
    /// If there is no such square.
    pub fn cell(square: usize) -> usize {
        CELL_OF[square] as usize
    }

    /// The name of a plane, or of a scalar, counted after the planes.
    pub fn name(plane: usize) -> String {
        const KINDS: [&str; 6] = ["pawns", "knights", "bishops", "rooks", "queens", "king"];
        match plane {
            0..24 => format!("{} of seat {}", KINDS[plane % 6], plane / 6),
            DEAD => "dead pieces".to_owned(),
            PROMOTED => "queens worth less because they were pawns".to_owned(),
            BOARD => "squares of the board".to_owned(),
            CASTLING => "rooks that may castle".to_owned(),
            PASSED => "squares that a pawn has just passed".to_owned(),
            CHECKED => "kings in check".to_owned(),
            30..34 => format!("points of seat {}", plane - 30),
            34..38 => format!("seat {} plays 0, walks 1, is out 2", plane - 34),
            38 => "plies without a capture, a pawn's move or an elimination".to_owned(),
            39 => "plies".to_owned(),
            _ => "nothing".to_owned(),
        }
    }

    /// The divisor of a scalar when it becomes a plane of floats.
    pub const fn scale(scalar: usize) -> f32 {
        match scalar {
            0..4 => 100.0,
            4..8 => 2.0,
            8 => 200.0,
            _ => 1000.0,
        }
    }

    /// Writes the observation of the player to move.
    pub fn observe(position: &Position, rules: &Rules, planes: &mut Planes, scalars: &mut Scalars) {
        observe(position, &View::of(position, rules), rules, planes, scalars);
    }

    /// Expands the planes and scalars of one game to numbers, plane by plane. In a plane, ranks come
    /// from the player's own upwards, and files from left to right. Cut corners are 0. A scalar,
    /// divided by its [`scale`](Observation::scale), fills all squares of the board; as a byte it is
    /// not divided, and at most 255.
    ///
    /// # Panics
    ///
    /// If a slice is shorter than it must be.
    pub fn expand<N: Number>(planes: &[u32], scalars: &[i16], floats: &mut [N]) {
        floats.fill(N::ZERO);
        let (bits, numbers) = floats.split_at_mut(Observation::PLANES * Observation::CELLS);
        for (plane, cells) in
            planes.chunks_exact(Observation::WORDS).zip(bits.chunks_exact_mut(Observation::CELLS))
        {
            for (index, &word) in plane.iter().enumerate() {
                let mut left = word;
                while left != 0 {
                    let square = 32 * index + left.trailing_zeros() as usize;
                    cells[CELL_OF[square] as usize] = N::ONE;
                    left &= left - 1;
                }
            }
        }
        let numbers = numbers.chunks_exact_mut(Observation::CELLS);
        for (index, (&scalar, cells)) in scalars.iter().zip(numbers).enumerate() {
            let value = N::of(scalar, Observation::scale(index));
            for &cell in &CELL_OF {
                cells[cell as usize] = value;
            }
        }
    }
}

/// What an expanded observation consists of.
pub trait Number: Copy + Send {
    /// An empty square.
    const ZERO: Self;
    /// A square in a set.
    const ONE: Self;
    /// A scalar with its scale.
    fn of(scalar: i16, scale: f32) -> Self;
}

impl Number for f32 {
    const ZERO: f32 = 0.0;
    const ONE: f32 = 1.0;

    fn of(scalar: i16, scale: f32) -> f32 {
        f32::from(scalar) / scale
    }
}

/// A byte. A scalar is not divided by its scale, and at most 255.
impl Number for u8 {
    const ZERO: u8 = 0;
    const ONE: u8 = 1;

    fn of(scalar: i16, _: f32) -> u8 {
        scalar.clamp(0, 255) as u8
    }
}

/// The bits of a float of 16 bits, of which 5 are the exponent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct F16(pub u16);

impl Number for F16 {
    const ZERO: F16 = F16(0);
    const ONE: F16 = F16(0x3c00);

    /// A quotient that is not 0 is at least 1/1000 and at most 328, so it is neither too small nor
    /// too large for a normal number of this type.
    fn of(scalar: i16, scale: f32) -> F16 {
        let bits = f32::of(scalar, scale).to_bits();
        if scalar == 0 {
            return F16::ZERO;
        }
        let rebiased = (bits & 0x7fff_ffff) - (112 << 23);
        F16((bits >> 16 & 0x8000) as u16 | rounded(rebiased, 13))
    }
}

/// The bits of a bfloat16: the upper half of a float of 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Bf16(pub u16);

impl Number for Bf16 {
    const ZERO: Bf16 = Bf16(0);
    const ONE: Bf16 = Bf16(0x3f80);

    fn of(scalar: i16, scale: f32) -> Bf16 {
        Bf16(rounded(f32::of(scalar, scale).to_bits(), 16))
    }
}

/// Drops the lowest bits. Rounds to the nearest number, and to the even one of two.
fn rounded(bits: u32, drop: u32) -> u16 {
    let is_odd = bits >> drop & 1;
    ((bits + (1 << (drop - 1)) - 1 + is_odd) >> drop) as u16
}

/// The index of each square in a plane of floats.
static CELL_OF: [u8; Square::COUNT] = cells_of_squares();

const fn cells_of_squares() -> [u8; Square::COUNT] {
    let mut cells = [0; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let square = Square::new(index).expect("there are 160 squares");
        cells[index] = square.rank() * WIDTH + square.file();
        index += 1;
    }
    cells
}

/// All planes of one game.
pub type Planes = [[u32; Observation::WORDS]; Observation::PLANES];

/// All scalars of one game.
pub type Scalars = [i16; Observation::SCALARS];

pub(crate) const DEAD: usize = 24;
pub(crate) const PROMOTED: usize = 25;
const BOARD: usize = 26;
const CASTLING: usize = 27;
const PASSED: usize = 28;
const CHECKED: usize = 29;

/// Writes the observation of the player to move. The view must be that of the position.
#[inline]
pub(crate) fn observe(
    position: &Position,
    view: &View,
    rules: &Rules,
    planes: &mut Planes,
    scalars: &mut Scalars,
) {
    let (turn, edge) = (position.turn(), rules.edge(position.turn()));
    planes::write(view.cells(position, edge), turn, planes);
    planes[BOARD] = [u32::MAX; Observation::WORDS];
    planes[CASTLING..].as_flattened_mut().fill(0);
    let mut set = |plane: usize, square: Square| {
        let index = square.seen_from(edge).index();
        planes[plane][index / 32] |= 1 << (index % 32);
    };
    position.castling_rooks().into_iter().for_each(|square| set(CASTLING, square));
    for seat in Seat::ALL {
        if let Some(offer) = position.offer(seat, rules) {
            set(PASSED, offer.passed);
        }
        if let Some(king) = position.king(seat)
            && view.is_checked(seat)
        {
            set(CHECKED, king);
        }
        let place = relative(seat, turn);
        scalars[place] = position.points()[seat.index()];
        scalars[4 + place] = position.status(seat) as i16;
    }
    scalars[8] = saturated(position.quiet());
    scalars[9] = saturated(position.plies());
}

fn saturated(clock: u16) -> i16 {
    clock.min(i16::MAX as u16) as i16
}

/// How many turns after the player to move a seat is.
const fn relative(seat: Seat, turn: Seat) -> usize {
    (4 + seat.index() - turn.index()) % 4
}
