//! Moves taken back: the positions from which one move leads to a position.

use game::{Game, Turn};

use crate::{
    Kalah, Pit, Position,
    position::{MAX_PITS, Side},
};

/// Own pits, own store, pits of the opponent, in sowing order.
type Places = [u32; 2 * MAX_PITS + 1];

impl Kalah {
    /// Calls `visit` with every position and pit of it whose sowing leads to `to`, and the gain of
    /// this move. `stored` is the most that the move can have stored, first if the side that moves
    /// now has made it, then if the other side has.
    pub(crate) fn unsow(
        &self,
        to: &Position,
        stored: (u32, u32),
        mut visit: impl FnMut(Position, Pit, u32, Turn),
    ) {
        for (turn, after, most) in
            [(Turn::Keeps, *to, stored.0), (Turn::Passes, to.turned(), stored.1)]
        {
            let mut check = |before: Option<Position>, pit: Pit| {
                let Some(before) = before.filter(|before| self.outcome(before).is_none()) else {
                    return;
                };
                // What was put together backwards counts only if it leads here forwards.
                let sown = self.sow(&before, pit);
                if (sown.to, sown.turn) == (*to, turn) && sown.gain <= most {
                    visit(before, pit, sown.gain, turn);
                }
            };
            for pit in (0..after.own.pits).map(Pit) {
                unsow_pit(&after, pit, turn, most, |before| check(before, pit));
            }
        }
    }
}

/// Calls `visit` with what may have been before a pit was sown, for every number of seeds in it.
fn unsow_pit(
    after: &Position,
    pit: Pit,
    turn: Turn,
    most: u32,
    mut visit: impl FnMut(Option<Position>),
) {
    let (pits, from) = (usize::from(after.own.pits), pit.index());
    let lap = 2 * pits + 1;
    let places = places(after);
    let mut fell: Places = [0; 2 * MAX_PITS + 1];
    // The places that have fewer seeds now than have fallen there. Only a capture explains them,
    // and it empties two.
    let mut short = 0;
    let mut last = from;
    for seeds in 1..=after.seeds_in_play() + most {
        last = (last + 1) % lap;
        fell[last] += 1;
        if last != pits && places[last] + 1 == fell[last] {
            short += 1;
        }
        if short > 2 || fell[pits] > most {
            return;
        }
        if (last == pits) != (turn == Turn::Keeps) {
            continue;
        }
        if short == 0 {
            visit(before(&places, &fell, pits, from, seeds));
        }
        if last < pits && places[last] == 0 && places[2 * pits - last] == 0 {
            let mut full = places;
            full[last] = 1;
            for taken in 0..(most - fell[pits]) {
                full[2 * pits - last] = taken;
                visit(before(&full, &fell, pits, from, seeds));
            }
        }
    }
}

/// The position before `seeds` seeds fell from a pit.
fn before(
    places: &Places,
    fell: &Places,
    pits: usize,
    from: usize,
    seeds: u32,
) -> Option<Position> {
    if places[from] != fell[from] {
        return None;
    }
    let mut sides = [[0; MAX_PITS]; 2];
    for (side, first) in sides.iter_mut().zip([0, pits + 1]) {
        for (pit, place) in side[..pits].iter_mut().zip(first..) {
            let left =
                if place == from { seeds } else { places[place].checked_sub(fell[place])? };
            *pit = u8::try_from(left).ok()?;
        }
    }
    let [own, other] = sides.map(|seeds| Side::new(&seeds[..pits]).expect("as many as before"));
    Position::new(own, other)
}

fn places(position: &Position) -> Places {
    let mut places = [0; 2 * MAX_PITS + 1];
    let pits = position.pits();
    for pit in 0..pits {
        places[pit] = u32::from(position.own.seeds[pit]);
        places[pits + 1 + pit] = u32::from(position.other.seeds[pit]);
    }
    places
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::Rules;

    /// Every position with so many pits and at most so many seeds.
    fn positions(pits: usize, most: u8) -> Vec<Position> {
        let mut all = vec![Vec::new()];
        for _ in 0..2 * pits {
            let longer = |seeds: &Vec<u8>| {
                let left = most - seeds.iter().sum::<u8>();
                let seeds = seeds.clone();
                (0..=left).map(move |next| [&seeds[..], &[next]].concat())
            };
            all = all.iter().flat_map(longer).collect();
        }
        let position = |seeds: Vec<u8>| {
            let [own, other] =
                [&seeds[..pits], &seeds[pits..]].map(|side| Side::new(side).unwrap());
            Position { own, other }
        };
        all.into_iter().map(position).collect()
    }

    #[test]
    fn moves_taken_back_are_the_moves_made() {
        for (pits, most) in [(1, 16), (2, 9), (3, 6)] {
            for rules in Rules::ALL {
                let kalah = Kalah::new(pits, 1, rules).unwrap();
                let all = positions(pits, most);
                let mut made = HashSet::new();
                for before in &all {
                    for pit in kalah.moves(before) {
                        let sown = kalah.sow(before, pit);
                        made.insert((*before, pit, sown.to, sown.gain, sown.turn));
                    }
                }
                let mut taken_back = HashSet::new();
                for to in &all {
                    let free = u32::from(most) - to.seeds_in_play();
                    kalah.unsow(to, (free, free), |before, pit, gain, turn| {
                        assert!(taken_back.insert((before, pit, *to, gain, turn)), "once");
                    });
                }
                assert!(made.len() > 50);
                assert_eq!(made, taken_back, "{pits} pits, {rules}");
            }
        }
    }
}
