//! What a ply changes: material, what hangs, and which marks appear on the board.

use chess::{Bitboard, Color, Position};
use chess_facts::{Facts, Level, Side};
use serde::Serialize;

/// What the strip of a game shows of a position.
#[derive(Clone, Serialize)]
pub(crate) struct Marks {
    /// White's material less Black's.
    material: i16,
    /// The most that Black can gain at once, and the most that White can.
    hanging: Gains,
    /// The overlays that mark something which the position before did not have.
    appears: Vec<&'static str>,
}

#[derive(Clone, Serialize)]
struct Gains {
    white: u8,
    black: u8,
}

impl Marks {
    /// The marks of a position, and what of them was not in the one before.
    pub(crate) fn of(facts: &Facts, before: Option<&Facts>) -> Marks {
        let (white, black) = (&facts[Color::White], &facts[Color::Black]);
        let mut appears: Vec<&'static str> = Vec::new();
        for color in Color::ALL {
            for (name, is_new) in new(&facts[color], before.map(|before| &before[color])) {
                if is_new && !appears.contains(&name) {
                    appears.push(name);
                }
            }
        }
        Marks {
            material: i16::from(white.material) - i16::from(black.material),
            hanging: Gains { white: white.hanging_gain(), black: black.hanging_gain() },
            appears,
        }
    }

    /// The marks of the start of a game.
    pub(crate) fn of_start(start: &Position) -> Marks {
        Marks::of(&chess_facts::facts(start, Level::Everything), None)
    }
}

/// Each overlay of the page, and whether a side has something for it that it did not have.
fn new(now: &Side, before: Option<&Side>) -> [(&'static str, bool); 11] {
    let empty = Side::default();
    let old = before.unwrap_or(&empty);
    [
        ("hanging", adds(&now.hanging, &old.hanging)),
        ("undefended", grows(now.undefended, old.undefended)),
        ("loose", grows(now.loose, old.loose)),
        ("pins", adds(&now.pins, &old.pins) || adds(&now.relative_pins, &old.relative_pins)),
        ("skewers", adds(&now.skewers, &old.skewers)),
        ("forks", adds(&now.forks, &old.forks)),
        ("forkmoves", adds(&now.fork_moves, &old.fork_moves)),
        ("xrays", adds(&now.xrays, &old.xrays)),
        ("batteries", adds(&now.batteries, &old.batteries)),
        ("checks", grows(now.checkers, old.checkers)),
        ("pawns", pawns(now, old)),
    ]
}

fn adds<T: PartialEq>(now: &[T], old: &[T]) -> bool {
    now.iter().any(|fact| !old.contains(fact))
}

fn grows(now: Bitboard, old: Bitboard) -> bool {
    !(now - old).is_empty()
}

fn pawns(now: &Side, old: &Side) -> bool {
    let (now, old) = (&now.pawns, &old.pawns);
    grows(now.passed, old.passed)
        || grows(now.isolated, old.isolated)
        || grows(now.backward, old.backward)
        || grows(now.doubled, old.doubled)
}
