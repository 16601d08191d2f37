//! The game: a move takes one, two or three stones from one of two heaps, and a player who cannot
//! move loses. Change this file into your game.

use commands::Notation;
use game::{Edge, Game, Key, MoveId, Rank, Score, Turn};

/// The game, with everything that its positions depend on.
pub struct Heaps {
    largest: u8,
}

/// A position: the two heaps, from the view of the side to move.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Stones([u8; 2]);

/// The names of the heaps.
const NAMES: [&str; 2] = ["left", "right"];

impl Game for Heaps {
    type Position = Stones;

    /// The name contains everything that positions and values depend on. A store keeps the name,
    /// and cannot be opened for a game with another name. `heaps largest=20` is the game of the
    /// flags `--largest 20`.
    fn name(&self) -> String {
        format!("heaps largest={}", self.largest)
    }

    /// Keys use their low 16 bits, so databases keep them as integers.
    fn key_bits(&self) -> u32 {
        16
    }

    fn start(&self) -> Stones {
        Stones([self.largest; 2])
    }

    /// The rank decreases with every move. The level is what people count, here the stones left.
    /// The step is for games in which a move can leave the level unchanged.
    fn rank(&self, stones: &Stones) -> Rank {
        let Stones([left, right]) = *stones;
        Rank { level: u16::from(left) + u16::from(right), step: 0 }
    }

    /// If the game is over, the points that the side to move gets now.
    fn outcome(&self, stones: &Stones) -> Option<Score> {
        (*stones == Stones([0, 0])).then_some(Score(-1))
    }

    /// Visits every move, always in the same order. Of moves that are equal in value and in plies
    /// to the end the first is the best.
    fn edges(&self, stones: &Stones, mut visit: impl FnMut(Edge<Stones>)) {
        for heap in 0..2 {
            for taken in 1..=3.min(stones.0[heap]) {
                let mut to = *stones;
                to.0[heap] -= taken;
                let mv = MoveId(heap as u16 * 3 + u16::from(taken));
                visit(Edge { mv, to, gain: Score(0), turn: Turn::Passes });
            }
        }
    }

    /// The position as a number. Different positions have different keys: a key is not a hash.
    fn pack(&self, stones: &Stones) -> Key {
        Key(u128::from(u16::from_be_bytes(stones.0)))
    }

    /// The position of a key, or `None` if there is no such position in this game.
    fn unpack(&self, key: Key) -> Option<Stones> {
        let heaps = u16::try_from(key.0).ok()?.to_be_bytes();
        heaps.iter().all(|&heap| heap <= self.largest).then_some(Stones(heaps))
    }
}

/// The flags that choose a game.
#[derive(clap::Args)]
pub struct Flags {
    /// Number of stones in each heap at the start, 1 to 255
    #[arg(long, value_name = "STONES", default_value_t = 20)]
    largest: u8,
}

/// How the game is written on the command line.
impl Notation for Heaps {
    type Flags = Flags;

    fn new(flags: &Flags) -> Result<Heaps, String> {
        match flags.largest {
            0 => Err("--largest 0: a heap needs a stone".to_owned()),
            largest => Ok(Heaps { largest }),
        }
    }

    fn read(&self, text: &str) -> Result<Stones, String> {
        let heaps = text.split_once(',').and_then(|(left, right)| {
            Some(Stones([left.trim().parse().ok()?, right.trim().parse().ok()?]))
        });
        heaps.ok_or_else(|| "expected two heaps, such as 5,2".to_owned())
    }

    fn write(&self, stones: &Stones) -> String {
        let Stones([left, right]) = stones;
        format!("{left},{right}")
    }

    fn name_move(&self, _: &Stones, mv: MoveId) -> String {
        let (heap, taken) = ((mv.0 - 1) / 3, (mv.0 - 1) % 3 + 1);
        format!("{}-{taken}", NAMES[usize::from(heap)])
    }

    /// The board of the command `play`.
    fn draw(&self, stones: &Stones) -> String {
        let heap = |heap: usize| {
            let stones = stones.0[heap];
            format!("{:>5} {} {stones}", NAMES[heap], "o".repeat(usize::from(stones)))
        };
        format!("{}\n{}", heap(0), heap(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_texts_lead_back_to_the_position() {
        let heaps = Heaps { largest: 20 };
        for stones in (0..=20).flat_map(|left| (0..=20).map(move |right| Stones([left, right]))) {
            assert!(heaps.unpack(heaps.pack(&stones)) == Some(stones));
            assert!(heaps.read(&heaps.write(&stones)) == Ok(stones));
        }
        assert!(heaps.unpack(Key(0x1500)).is_none());
    }
}
