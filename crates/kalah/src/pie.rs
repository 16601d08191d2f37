//! The pie rule: after the first player's whole opening turn, extra moves included, the second
//! player may take over the first player's side.
//!
//! It applies only at the start, and stores do not contain it: the values of all positions stay the
//! same. The first player chooses the opening whose value is nearest to 0.

use game::{Game, Score, Turn};

use crate::{Kalah, Pit, Position};

/// An opening turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening {
    /// The pits in the order in which they are sown. All but the last end in the store.
    pub pits: Vec<Pit>,
    /// The value for the first player without a swap.
    pub value: Score,
    /// The value for the first player if the second player swaps whenever that is better.
    pub with_swap: Score,
}

/// Every opening turn with its value, in the order of its pits. `value` returns the value of a
/// position for the side to move. The result is `None` if `value` returns `None`.
///
/// A turn that ends the game is an opening too. The second player can still swap, and then the
/// stores are swapped as well.
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

/// The best opening for the first player under the pie rule; the first of them if several are
/// equal.
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
