//! The rules: sowing, capture, the extra turn, the end.

use std::str::FromStr;

use game::{Edge, Game, Key, MoveId, Rank, Score, Turn};

use crate::{
    position::{MAX_PITS, MAX_SEEDS, Pit, Position, Side},
    rules::{Capture, End, Rules},
};

/// A game of Kalah: a start position and the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kalah {
    start: Position,
    rules: Rules,
    /// The bits a pit takes in a key.
    pit_bits: u32,
}

/// Why a size is not supported.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SizeError {
    /// No pits, or too many.
    #[error("{0} pits on a side, expected 1 to {MAX_PITS}")]
    Pits(usize),
    /// No seeds, or too many.
    #[error("{pits} pits on a side with {seeds} seeds in each, expected 1 to {} seeds in each", MAX_SEEDS as usize / (2 * pits))]
    Seeds {
        /// The pits of a side.
        pits: usize,
        /// The seeds in each.
        seeds: u32,
    },
}

/// The effect of a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sown {
    /// The position after it, seen from the side that moves next.
    pub to: Position,
    /// The seeds that the move puts into the mover's store, captured seeds included.
    pub gain: u32,
    /// The captured seeds among them, the last seed sown included.
    pub captured: u32,
    /// Who moves next: the same side if the last seed fell into its store.
    pub turn: Turn,
}

impl Sown {
    /// The effect of the move in words: `captures 4, stores 1, moves again`.
    pub fn why(&self) -> String {
        let mut reasons = Vec::new();
        if self.captured > 0 {
            reasons.push(format!("captures {}", self.captured));
        }
        match self.gain - self.captured {
            0 => {}
            stored => reasons.push(format!("stores {stored}")),
        }
        if self.turn == Turn::Keeps {
            reasons.push("moves again".to_owned());
        }
        if reasons.is_empty() { "gains nothing yet".to_owned() } else { reasons.join(", ") }
    }
}

impl Kalah {
    /// The game with `seeds` seeds in each of `pits` pits on both sides.
    pub fn new(pits: usize, seeds: u32, rules: Rules) -> Result<Kalah, SizeError> {
        if !(1..=MAX_PITS).contains(&pits) {
            return Err(SizeError::Pits(pits));
        }
        if seeds == 0 || seeds > MAX_SEEDS / (2 * pits as u32) {
            return Err(SizeError::Seeds { pits, seeds });
        }
        let side = Side::new(&[seeds as u8; MAX_PITS][..pits]).expect("1 to MAX_PITS pits");
        Ok(Kalah::from_start(Position { own: side, other: side }, rules))
    }

    /// The game that starts with this position.
    pub fn from_start(start: Position, rules: Rules) -> Kalah {
        let pit_bits = u32::BITS - start.seeds_in_play().leading_zeros();
        Kalah { start, rules, pit_bits: pit_bits.max(1) }
    }

    /// The rules it is played by.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The number of pits on a side.
    pub fn pits(&self) -> usize {
        self.start.pits()
    }

    /// The number of seeds in the whole game.
    pub fn seeds(&self) -> u32 {
        self.start.seeds_in_play()
    }

    /// The pit with this number, counted from 1.
    pub fn pit(&self, number: u16) -> Option<Pit> {
        let inside = (1..=self.pits()).contains(&usize::from(number));
        inside.then(|| Pit((number - 1) as u8))
    }

    /// The pit of a move.
    pub fn pit_of(&self, mv: MoveId) -> Option<Pit> {
        self.pit(mv.0)
    }

    /// The pits that the side to move can sow; none if the game is over.
    pub fn moves(&self, position: &Position) -> impl Iterator<Item = Pit> + use<> {
        let over = self.outcome(position).is_some();
        let side = position.own;
        let pits = (0..side.pits).map(Pit);
        pits.filter(move |pit| !over && side[*pit] > 0)
    }

    /// Sows the seeds of a pit counter-clockwise, skipping the opponent's store.
    #[inline]
    pub fn sow(&self, position: &Position, pit: Pit) -> Sown {
        let Position { mut own, mut other } = *position;
        let (pits, from) = (usize::from(own.pits), pit.index());
        let lap = 2 * pits + 1;
        let seeds = usize::from(std::mem::take(&mut own.seeds[from]));
        // Places are numbered in sowing order from pit 0: own pits, own store, pits of the
        // opponent.
        let (whole, rest) = if seeds < lap { (0, seeds) } else { (seeds / lap, seeds % lap) };
        let end = from + rest;
        let last = if end < lap { end } else { end - lap };
        let mut gain = 0;
        own.add(from + 1, pits.min(end + 1), 1);
        if end >= pits {
            gain += 1;
            other.add(0, (end - pits).min(pits), 1);
            if end >= lap {
                own.add(0, end - lap + 1, 1);
            }
        }
        if whole > 0 {
            own.add(0, pits, whole as u8);
            other.add(0, pits, whole as u8);
            gain += whole as u32;
        }
        let captured = if last < pits && own.seeds[last] == 1 {
            self.capture(&mut own, &mut other, last)
        } else {
            0
        };
        gain += captured;
        let after = Position { own, other };
        let (to, turn) =
            if last == pits { (after, Turn::Keeps) } else { (after.turned(), Turn::Passes) };
        Sown { to, gain, captured, turn }
    }

    fn capture(&self, own: &mut Side, other: &mut Side, last: usize) -> u32 {
        let opposite = usize::from(own.pits) - 1 - last;
        if self.rules.capture == Capture::Std && other.seeds[opposite] == 0 {
            return 0;
        }
        let taken = std::mem::take(&mut own.seeds[last]);
        u32::from(taken) + u32::from(std::mem::take(&mut other.seeds[opposite]))
    }

    /// The bit offsets of the pits in a key.
    fn fields(&self) -> impl Iterator<Item = u32> + use<> {
        let bits = self.pit_bits;
        (0..2 * self.pits() as u32).map(move |field| field * bits)
    }
}

/// Why a text is not a [`Game::name`] of Kalah.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{}' is not a game of Kalah, expected a name such as kalah pits=4 seeds=3 \
         rules=std_either", .0.escape_debug())]
pub struct ParseKalahError(String);

impl FromStr for Kalah {
    type Err = ParseKalahError;

    /// Reads a [`Game::name`].
    fn from_str(name: &str) -> Result<Kalah, ParseKalahError> {
        let game = || {
            let mut words = name.split(' ');
            let mut word = |key: &str| words.next()?.strip_prefix(key);
            word("kalah").filter(|rest| rest.is_empty())?;
            let pits: usize = word("pits=")?.parse().ok()?;
            let laid = words.next()?;
            let rules: Rules = words.next()?.strip_prefix("rules=")?.parse().ok()?;
            let game = match laid.strip_prefix("start=") {
                Some(start) => Kalah::from_start(start.parse().ok()?, rules),
                None => Kalah::new(pits, laid.strip_prefix("seeds=")?.parse().ok()?, rules).ok()?,
            };
            (game.pits() == pits && words.next().is_none()).then_some(game)
        };
        game().ok_or_else(|| ParseKalahError(name.to_owned()))
    }
}

impl Game for Kalah {
    type Position = Position;

    fn name(&self) -> String {
        let pits = self.start.own.pits().iter().chain(self.start.other.pits());
        let seeds = u32::from(self.start.own.seeds[0]);
        let start = if seeds > 0 && pits.clone().all(|pit| u32::from(*pit) == seeds) {
            format!("seeds={seeds}")
        } else {
            format!("start={}", self.start)
        };
        format!("kalah pits={} {start} rules={}", self.pits(), self.rules)
    }

    fn key_bits(&self) -> u32 {
        2 * self.pits() as u32 * self.pit_bits
    }

    fn start(&self) -> Position {
        self.start
    }

    // A move that stores nothing stays on its own side and brings every seed it sows nearer to its
    // store. Any other move lowers the number of seeds in play, which never increases.
    #[inline]
    fn rank(&self, position: &Position) -> Rank {
        let steps = position.own.steps() + position.other.steps();
        Rank { level: position.seeds_in_play() as u16, step: steps as u16 }
    }

    #[inline]
    fn outcome(&self, position: &Position) -> Option<Score> {
        let over =
            position.own.is_empty() || (self.rules.end == End::Either && position.other.is_empty());
        let difference = position.own.total() as i16 - position.other.total() as i16;
        over.then_some(Score(difference))
    }

    #[inline]
    fn edges(&self, position: &Position, mut visit: impl FnMut(Edge<Position>)) {
        for pit in (0..position.own.pits).map(Pit) {
            if position.own[pit] > 0 {
                let sown = self.sow(position, pit);
                let (to, gain, turn) = (sown.to, Score(sown.gain as i16), sown.turn);
                visit(Edge { mv: MoveId(pit.number()), to, gain, turn });
            }
        }
    }

    #[inline]
    fn pack(&self, position: &Position) -> Key {
        let pits = self.pits() as u32;
        let own = position.own.packed(self.pit_bits);
        let other = position.other.packed(self.pit_bits);
        Key(u128::from(own) | u128::from(other) << (pits * self.pit_bits))
    }

    fn unpack(&self, key: Key) -> Option<Position> {
        if self.key_bits() < u128::BITS && key.0 >> self.key_bits() != 0 {
            return None;
        }
        let mask = (1_u128 << self.pit_bits) - 1;
        let mut position = Position { own: self.start.own, other: self.start.other };
        let pits = self.pits();
        for (field, at) in self.fields().enumerate() {
            let seeds = (key.0 >> at & mask) as u8;
            let side = if field < pits { &mut position.own } else { &mut position.other };
            side.seeds[field % pits] = seeds;
        }
        (position.seeds_in_play() <= self.seeds()).then_some(position)
    }

    // A move that keeps the level leaves both sides their seeds, and turns the board.
    #[inline]
    fn region(&self, position: &Position) -> u64 {
        position.own.total().min(position.other.total()).into()
    }
}
