//! The pie rule: after the first player's whole opening turn, extra moves included, the second
//! player may take over the first player's side.
//!
//! It is played at the start only and never stored: the values of all positions stay as they
//! are, and the opening is chosen so that neither side of it is worth having.

use game::{Game, Score, Turn};

use crate::{Kalah, Pit, Position};

/// An opening turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening {
    /// The pits sown, one after the other; all but the last end in the store.
    pub pits: Vec<Pit>,
    /// What it is worth to the first player if the second does not swap.
    pub value: Score,
    /// What it is worth to the first player when the second swaps if that pays.
    pub with_swap: Score,
}

/// Every opening turn, in the order of its pits, with what it is worth; `value` knows the worth
/// of a position to the side to move. `None` where `value` does not know one.
///
/// A turn that ends the game is an opening too: there is nothing left to swap for, but the sides
/// are swapped with their stores all the same.
pub fn openings(
    kalah: &Kalah,
    mut value: impl FnMut(&Position) -> Option<Score>,
) -> Option<Vec<Opening>> {
    let mut found = Some(Vec::new());
    walk(kalah, &kalah.start(), 0, &mut Vec::new(), &mut |pits, score| {
        let worth = match score {
            Ended::Over(score) => Some(score),
            Ended::Passed(position, gain) => value(position).map(|after| Score(gain - after.0)),
        };
        match (worth, &mut found) {
            (Some(value), Some(openings)) => openings.push(Opening {
                pits: pits.to_vec(),
                value,
                with_swap: Score(-value.0.abs()),
            }),
            _ => found = None,
        }
    });
    found
}

/// The opening that is best for the first player under the pie rule, the first of equals.
pub fn best(openings: &[Opening]) -> Option<&Opening> {
    openings.iter().rev().max_by_key(|opening| opening.with_swap)
}

enum Ended<'a> {
    Over(Score),
    Passed(&'a Position, i16),
}

fn walk(
    kalah: &Kalah,
    position: &Position,
    gain: i16,
    pits: &mut Vec<Pit>,
    visit: &mut impl FnMut(&[Pit], Ended<'_>),
) {
    if let Some(score) = kalah.outcome(position) {
        return visit(pits, Ended::Over(Score(gain + score.0)));
    }
    for pit in kalah.moves(position) {
        let sown = kalah.sow(position, pit);
        let gain = gain + sown.gain as i16;
        pits.push(pit);
        match sown.turn {
            Turn::Keeps => walk(kalah, &sown.to, gain, pits, visit),
            Turn::Passes => visit(pits, Ended::Passed(&sown.to, gain)),
        }
        pits.pop();
    }
}
