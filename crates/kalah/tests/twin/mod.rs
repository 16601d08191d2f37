//! The obvious way to play Kalah: a ring of pits and stores, one seed after the other.

use kalah::{Capture, End, Position, Rules, Side};

/// A board with stores: `ring[0..m]` pits of the first player, `ring[m]` his store,
/// `ring[m+1..=2m]` pits of the second player, `ring[2m+1]` hers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Board {
    pub(crate) ring: Vec<u32>,
    /// 0 for the first player, 1 for the second.
    pub(crate) mover: usize,
}

impl Board {
    pub(crate) fn start(pits: usize, seeds: u32) -> Board {
        let mut ring = vec![seeds; 2 * pits + 2];
        ring[pits] = 0;
        ring[2 * pits + 1] = 0;
        Board { ring, mover: 0 }
    }

    pub(crate) fn of(position: &Position) -> Board {
        let mut ring: Vec<u32> = Vec::new();
        for side in [position.own(), position.other()] {
            ring.extend(side.pits().iter().map(|seeds| u32::from(*seeds)));
            ring.push(0);
        }
        Board { ring, mover: 0 }
    }

    pub(crate) fn pits(&self) -> usize {
        self.ring.len() / 2 - 1
    }

    fn first_pit(&self, player: usize) -> usize {
        player * (self.pits() + 1)
    }

    fn side(&self, player: usize) -> std::ops::Range<usize> {
        self.first_pit(player)..self.first_pit(player) + self.pits()
    }

    pub(crate) fn store(&self, player: usize) -> u32 {
        self.ring[self.first_pit(player) + self.pits()]
    }

    /// The pits seen from the side to move.
    pub(crate) fn position(&self) -> Position {
        let side = |player| {
            let pits: Vec<u8> = self.ring[self.side(player)].iter().map(|n| *n as u8).collect();
            Side::new(&pits).expect("a side of one to eight pits")
        };
        Position::new(side(self.mover), side(1 - self.mover)).expect("sides of equal length")
    }

    fn is_bare(&self, player: usize) -> bool {
        self.ring[self.side(player)].iter().all(|seeds| *seeds == 0)
    }

    pub(crate) fn is_over(&self, rules: Rules) -> bool {
        match rules.end {
            End::Mover => self.is_bare(self.mover),
            End::Either => self.is_bare(0) || self.is_bare(1),
        }
    }

    /// The final difference of the stores for the first player, what is left swept up.
    pub(crate) fn final_difference(&self) -> i32 {
        let all = |player| self.store(player) + self.ring[self.side(player)].iter().sum::<u32>();
        all(0) as i32 - all(1) as i32
    }

    /// The pits that can be sown, counted from 0.
    pub(crate) fn moves(&self) -> Vec<usize> {
        (0..self.pits()).filter(|pit| self.ring[self.first_pit(self.mover) + pit] > 0).collect()
    }

    /// Sows one seed after the other.
    pub(crate) fn play(&self, pit: usize, rules: Rules) -> Board {
        let mut board = self.clone();
        let (pits, places) = (self.pits(), self.ring.len());
        let own_store = self.first_pit(self.mover) + pits;
        let their_store = self.first_pit(1 - self.mover) + pits;
        let mut at = self.first_pit(self.mover) + pit;
        let mut hand = std::mem::take(&mut board.ring[at]);
        while hand > 0 {
            at = (at + 1) % places;
            if at != their_store {
                board.ring[at] += 1;
                hand -= 1;
            }
        }
        if self.side(self.mover).contains(&at) && board.ring[at] == 1 {
            let opposite = 2 * pits - at;
            if rules.capture == Capture::Empty || board.ring[opposite] > 0 {
                board.ring[own_store] += board.ring[at] + board.ring[opposite];
                board.ring[at] = 0;
                board.ring[opposite] = 0;
            }
        }
        if at != own_store {
            board.mover = 1 - self.mover;
        }
        board
    }
}
