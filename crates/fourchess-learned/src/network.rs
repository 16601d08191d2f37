//! The forward pass.

use std::{
    sync::{Mutex, OnceLock},
    thread,
};

use fourchess::{Position, Rules, Square};
use fourchess_env::{Action, Batch, Observation, Planes, Scalars};

use crate::{
    error::Error,
    sight::Sight,
    weights::{Block, Weights},
};

/// A network that plays four-player chess.
///
/// The same position and the same weights lead to the same move: the one with the highest logit, and
/// of equal ones the one with the lowest number. [`Memory`] is where it computes, so that a move
/// allocates nothing.
pub struct Network {
    weights: Weights,
}

/// Where a network computes. One for each thread.
pub struct Memory {
    sight: Sight,
    /// What is known of each square.
    squares: Vec<f32>,
    /// The same without what is negative.
    lit: Vec<f32>,
    mean: Vec<f32>,
    common: Vec<f32>,
    inside: Vec<f32>,
    /// Vectors of squares as sources and as destinations, and which have been computed.
    sources: Vec<f32>,
    targets: Vec<f32>,
    logits: Vec<f32>,
    planes: Planes,
    scalars: Scalars,
}

/// The weights that the trained player has: `ffa`, made as docs/learning.md says.
static TRAINED: &[u8] = include_bytes!("../weights/ffa.safetensors");

impl Network {
    /// The network that comes with the crate. It learned the rules `ffa`.
    pub fn trained() -> &'static Network {
        static NETWORK: OnceLock<Network> = OnceLock::new();
        NETWORK.get_or_init(|| Network::from_bytes(TRAINED).expect("its file is one of weights"))
    }

    /// A network with the weights of a safetensors file, which `train_fourchess.py export` writes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, Error> {
        Weights::from_bytes(bytes).map(|weights| Network { weights })
    }

    /// Where this network can compute.
    pub fn memory(&self) -> Memory {
        let width = self.weights.width;
        let all = || vec![0.0; Square::COUNT * width];
        Memory {
            sight: Sight::new(),
            squares: all(),
            lit: all(),
            mean: vec![0.0; width],
            common: vec![0.0; width],
            inside: vec![0.0; width],
            sources: all(),
            targets: all(),
            logits: Vec::new(),
            planes: [[0; Observation::WORDS]; Observation::PLANES],
            scalars: [0; Observation::SCALARS],
        }
    }

    /// The best of the legal actions of a position.
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn choose(
        &self,
        position: &Position,
        rules: &Rules,
        legal: &[u16],
        memory: &mut Memory,
    ) -> u16 {
        assert!(!legal.is_empty(), "a game that is over has no best move");
        let (mut planes, mut scalars) = (memory.planes, memory.scalars);
        Observation::observe(position, rules, &mut planes, &mut scalars);
        let logits = self.logits(&planes, &scalars, legal, memory);
        let order = |&(logit, action): &(f32, u16), &(other, rival): &(f32, u16)| {
            logit.total_cmp(&other).then(rival.cmp(&action))
        };
        let moves = logits.iter().copied().zip(legal.iter().copied());
        moves.max_by(|one, other| order(one, other)).expect("there are legal actions").1
    }

    /// Chooses the actions of games of a batch in which one of these seats is to move, the first
    /// being Red. The other actions are not changed, nor are those of games that have ended.
    ///
    /// # Panics
    ///
    /// If there is not an action for each game.
    pub fn choose_for(&self, batch: &Batch, seats: [bool; 4], actions: &mut [u16]) {
        assert_eq!(actions.len(), batch.len(), "an action for each game");
        let is_asked = |game: &usize| {
            let seat = batch.positions()[*game].turn().index();
            seats[seat] && !batch.legal_of(*game).is_empty()
        };
        let games: Vec<usize> = (0..batch.len()).filter(is_asked).collect();
        for (&game, action) in games.iter().zip(self.choose_games(batch, &games)) {
            actions[game] = action;
        }
    }

    /// Chooses an action in each of these games of a batch, 0 if it has ended. It works on as many
    /// threads as the batch has, and the actions are the same for any number.
    ///
    /// # Panics
    ///
    /// If there is no such game.
    pub fn choose_games(&self, batch: &Batch, games: &[usize]) -> Vec<u16> {
        let work = |games: &[usize], actions: &mut [u16]| {
            let mut memory = self.memory();
            for (&game, action) in games.iter().zip(actions) {
                let (position, legal) = (&batch.positions()[game], batch.legal_of(game));
                if !legal.is_empty() {
                    *action = self.choose(position, batch.rules(), legal, &mut memory);
                }
            }
        };
        let mut actions = vec![0; games.len()];
        let share = games.len().div_ceil(batch.config().threads).max(1);
        if share >= games.len() {
            work(games, &mut actions);
            return actions;
        }
        let parts = games.chunks(share).zip(actions.chunks_mut(share));
        let others = parts.len() - 1;
        let parts = Mutex::new(parts);
        let next = || parts.lock().expect("nobody panics with it").next();
        let take_parts = || {
            while let Some((games, actions)) = next() {
                work(games, actions);
            }
        };
        // This thread works too, and does what others would have done that the system cannot start.
        thread::scope(|scope| {
            let start = || thread::Builder::new().spawn_scoped(scope, take_parts).is_ok();
            let _started = (0..others).take_while(|_| start()).count();
            take_parts();
        });
        actions
    }

    /// The logits of legal actions, in their order.
    ///
    /// # Panics
    ///
    /// If an action does not exist.
    pub fn logits<'a>(
        &self,
        planes: &Planes,
        scalars: &Scalars,
        legal: &[u16],
        memory: &'a mut Memory,
    ) -> &'a [f32] {
        let moves = || {
            let action = |&id: &u16| Action::new(id).expect("legal actions are actions").squares();
            legal.iter().map(action).map(|(from, to)| (from.index(), to.index()))
        };
        let (mut sources, mut targets) = ([false; Square::COUNT], [false; Square::COUNT]);
        for (from, to) in moves() {
            (sources[from], targets[to]) = (true, true);
        }
        let wanted: [bool; Square::COUNT] =
            std::array::from_fn(|square| sources[square] || targets[square]);
        self.run(planes, scalars, &wanted, memory);
        let width = self.weights.width;
        for square in 0..Square::COUNT {
            let range = square * width..(square + 1) * width;
            let lit = &memory.lit[range.clone()];
            if sources[square] {
                self.weights.source.apply(lit, &mut memory.sources[range.clone()]);
            }
            if targets[square] {
                self.weights.target.apply(lit, &mut memory.targets[range]);
            }
        }
        memory.logits.clear();
        let row = |from: &'a [f32], square: usize| &from[square * width..(square + 1) * width];
        let Memory { sources, targets, logits, .. } = memory;
        let (sources, targets): (&'a [f32], &'a [f32]) = (sources, targets);
        logits.extend(moves().map(|(from, to)| product(row(sources, from), row(targets, to))));
        logits
    }

    /// What each seat may expect, the mover first: points more than the mean of the others, divided
    /// by 20 and discounted, and the reward for the first place.
    pub fn values(&self, planes: &Planes, scalars: &Scalars, memory: &mut Memory) -> [f32; 4] {
        self.run(planes, scalars, &[true; Square::COUNT], memory);
        let Memory { lit, mean, common, .. } = memory;
        take_mean(lit, mean);
        self.weights.judge.apply(mean, common);
        rectify(common);
        let mut values = [0.0; 4];
        self.weights.value.apply(common, &mut values);
        values
    }

    /// Everything before the heads. The last block is computed for the squares that are wanted.
    fn run(
        &self,
        planes: &Planes,
        scalars: &Scalars,
        wanted: &[bool; Square::COUNT],
        memory: &mut Memory,
    ) {
        memory.sight.look(planes);
        self.first(scalars, memory);
        let last = self.weights.blocks.len();
        for (index, block) in self.weights.blocks.iter().enumerate() {
            let squares = if index + 1 == last { wanted } else { &[true; Square::COUNT] };
            through(block, squares, memory);
        }
        memory.lit.copy_from_slice(&memory.squares);
        rectify(&mut memory.lit);
    }

    /// The first layer: for each square the sum of the rows of its features.
    fn first(&self, scalars: &Scalars, memory: &mut Memory) {
        let width = self.weights.width;
        let scaled: [f32; Observation::SCALARS] =
            std::array::from_fn(|index| f32::from(scalars[index]) / Observation::scale(index));
        self.weights.scalars.apply(&scaled, &mut memory.common);
        let squares = memory.squares.chunks_exact_mut(width);
        for (square, (sums, place)) in
            squares.zip(self.weights.place.chunks_exact(width)).enumerate()
        {
            for ((sum, common), own) in sums.iter_mut().zip(&memory.common).zip(place) {
                *sum = common + own;
            }
            for &feature in memory.sight.of(square) {
                let row = &self.weights.stem[feature as usize * width..][..width];
                for (sum, weight) in sums.iter_mut().zip(row) {
                    *sum += weight;
                }
            }
        }
    }
}

/// Takes the squares that are wanted through a block.
fn through(block: &Block, wanted: &[bool; Square::COUNT], memory: &mut Memory) {
    let Memory { squares, lit, mean, common, inside, .. } = memory;
    let width = mean.len();
    lit.copy_from_slice(squares);
    rectify(lit);
    take_mean(lit, mean);
    common.copy_from_slice(&block.inner.bias);
    block.shared.add(mean, common);
    let each = squares.chunks_exact_mut(width).zip(lit.chunks_exact(width));
    for ((square, lit), _) in each.zip(wanted).filter(|(_, is_wanted)| **is_wanted) {
        inside.copy_from_slice(common);
        block.inner.add(lit, inside);
        rectify(inside);
        block.outer.add(inside, square);
    }
}

fn rectify(numbers: &mut [f32]) {
    for number in numbers {
        *number = number.max(0.0);
    }
}

/// The mean of all squares.
fn take_mean(squares: &[f32], mean: &mut [f32]) {
    mean.fill(0.0);
    for square in squares.chunks_exact(mean.len()) {
        for (sum, number) in mean.iter_mut().zip(square) {
            *sum += number;
        }
    }
    for sum in mean {
        *sum /= Square::COUNT as f32;
    }
}

fn product(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
