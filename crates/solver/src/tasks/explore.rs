//! A task that enumerates positions.

use game::{Game, Key, Rank};

use super::{
    Blobs, Cell, LANES,
    bytes::{Blob, Writer, sections},
    damaged,
    message::{Explore, Explored, Input, Kept, Sent},
};
use crate::{
    solvable::{ASKED_TWICE, CHUNK, TOO_DEEP, ask_twice, narrow},
    store::Found,
    work::SolveError,
};

pub(super) fn run<G: Game>(
    game: &G,
    task: &Explore,
    blobs: &mut dyn Blobs,
) -> Result<Explored, SolveError> {
    if Game::key_bits(game) + DEPTH_BITS <= u128::BITS {
        run_with::<G, u128>(game, task, blobs)
    } else {
        run_with::<G, Found>(game, task, blobs)
    }
}

const DEPTH_BITS: u32 = u16::BITS;

/// A position that waits, sorted by key and then depth. A number takes half the memory of a
/// [`Found`], but is too small for the widest keys.
trait Entry: Copy + Ord {
    fn new(found: Found) -> Self;
    fn found(self) -> Found;
}

impl Entry for u128 {
    fn new(found: Found) -> u128 {
        found.key.0 << DEPTH_BITS | u128::from(found.depth)
    }

    fn found(self) -> Found {
        Found { key: Key(self >> DEPTH_BITS), depth: self as u16 }
    }
}

impl Entry for Found {
    fn new(found: Found) -> Found {
        found
    }

    fn found(self) -> Found {
        self
    }
}

fn run_with<G: Game, E: Entry>(
    game: &G,
    task: &Explore,
    blobs: &mut dyn Blobs,
) -> Result<Explored, SolveError> {
    let mut work: Work<'_, G, E> = Work {
        game,
        level: task.level,
        regions_matter: task.lanes.is_some(),
        steps: Vec::new(),
        outbox: Outbox(Vec::new()),
    };
    let mut blob = Blob::default();
    let (mut kept, mut rows) = (Vec::new(), 0);
    if task.starts {
        let start = game.start();
        let key = narrow(game, game.pack(&start))?;
        work.push(game.rank(&start), Found { key, depth: 0 });
    }
    loop {
        work.gather(task, blobs)?;
        while let Some((rank, found)) = work.highest() {
            work.expand(rank, &found, blob.len(), blobs)?;
            let mut section = Writer::default();
            section.rank(rank);
            section.found(&found);
            kept.push(Kept { rank, rows: found.len() as u64, span: blob.add(&section) });
            rows += found.len() as u64;
            blobs.hold(work.bytes() + blob.len())?;
        }
        let Some(next) = work.next_level(task) else { break };
        let is_left = rows >= task.enough || work.waiting(next, task) >= task.wide;
        if task.lanes.is_some() || is_left {
            break;
        }
        work.level = next;
    }
    let levels = (task.level, work.level);
    let sent = work.outbox.write(&mut blob);
    blobs.write(&task.id.blob(), blob.finish())?;
    Ok(Explored { id: task.id, levels, lanes: task.lanes, kept, sent })
}

struct Work<'a, G, E> {
    game: &'a G,
    /// The level that is being explored.
    level: u16,
    /// Whether other tasks explore other regions of the same level.
    regions_matter: bool,
    /// Positions of the level that wait to be explored, by step.
    steps: Vec<Waiting<E>>,
    outbox: Outbox<E>,
}

impl<G: Game, E: Entry> Work<'_, G, E> {
    /// Takes what is known of the level so far.
    fn gather(&mut self, task: &Explore, blobs: &mut dyn Blobs) -> Result<(), SolveError> {
        for found in self.outbox.take(self.level) {
            self.push_key(found)?;
        }
        let level = self.level;
        for input in task.inputs.iter().filter(|input| input.level == level) {
            let name = input.source.id.blob();
            let bytes = blobs.read(&name, input.source.span)?;
            let sections = sections(&bytes).ok_or_else(|| damaged(&name))?;
            for mut section in sections {
                let found = section.found().ok_or_else(|| damaged(&name))?;
                for found in found {
                    self.push_key(found)?;
                }
                blobs.hold(self.bytes() + bytes.len())?;
            }
        }
        Ok(())
    }

    fn push_key(&mut self, found: Found) -> Result<(), SolveError> {
        let position = self.game.unpack(found.key).ok_or_else(|| self.foreign(found))?;
        let rank = self.game.rank(&position);
        if rank.level != self.level {
            return Err(self.foreign(found));
        }
        self.push(rank, found);
        Ok(())
    }

    fn foreign(&self, found: Found) -> SolveError {
        SolveError::Foreign { key: found.key.0, game: Game::name(self.game) }
    }

    fn push(&mut self, rank: Rank, found: Found) {
        let step = usize::from(rank.step);
        if self.steps.len() <= step {
            self.steps.resize_with(step + 1, Waiting::new);
        }
        self.steps[step].push(found);
    }

    /// Takes the positions of the highest rank that has some, sorted.
    fn highest(&mut self) -> Option<(Rank, Vec<Found>)> {
        loop {
            let waiting = self.steps.pop()?;
            let step = self.steps.len() as u16;
            if !waiting.found.is_empty() {
                return Some((Rank { level: self.level, step }, waiting.take()));
            }
        }
    }

    /// Finds the successors of the positions of a rank, beside so many bytes that were written.
    fn expand(
        &mut self,
        rank: Rank,
        positions: &[Found],
        written: usize,
        blobs: &mut dyn Blobs,
    ) -> Result<(), SolveError> {
        let game = self.game;
        let stride = positions.len().min(CHUNK).div_ceil(ASKED_TWICE).max(1);
        let mut broken = None;
        for (at, found) in positions.iter().enumerate() {
            if at.is_multiple_of(CHUNK) {
                blobs.hold(self.bytes() + size_of_val(positions) + written)?;
            }
            if found.depth == TOO_DEEP {
                return Err(SolveError::Deep { rank, key: found.key.0 });
            }
            let position = game.unpack(found.key).ok_or_else(|| self.foreign(*found))?;
            if game.outcome(&position).is_some() {
                continue;
            }
            if at.is_multiple_of(stride) {
                ask_twice(game, &position)?;
            }
            let depth = found.depth + 1;
            game.edges(&position, |edge| {
                let to = game.rank(&edge.to);
                if to >= rank {
                    broken = Some(SolveError::Rising { key: found.key.0, from: rank, to });
                    return;
                }
                let child = match narrow(game, game.pack(&edge.to)) {
                    Ok(key) => Found { key, depth },
                    Err(error) => {
                        broken = Some(error);
                        return;
                    }
                };
                if to.level < rank.level {
                    self.outbox.push(Cell::of(game, to, &edge.to), child);
                } else if self.regions_matter && game.region(&edge.to) != game.region(&position) {
                    let (key, level) = (found.key.0, rank.level);
                    broken = Some(SolveError::Region { key, level });
                } else {
                    self.push(to, child);
                }
            });
        }
        broken.map_or(Ok(()), Err)
    }

    /// The highest lower level of which something is known.
    fn next_level(&self, task: &Explore) -> Option<u16> {
        let inputs = task.inputs.iter().map(|input| input.level);
        let below = inputs.filter(|level| *level < self.level).max();
        below.max(self.outbox.highest())
    }

    /// How many positions of a level are known, duplicates included.
    fn waiting(&self, level: u16, task: &Explore) -> u64 {
        let inputs = task.inputs.iter().filter(|input: &&Input| input.level == level);
        inputs.map(|input| input.rows).sum::<u64>() + self.outbox.rows(level)
    }

    fn bytes(&self) -> usize {
        self.steps.iter().map(Waiting::bytes).sum::<usize>() + self.outbox.bytes()
    }
}

/// Positions with duplicates. Whenever there are twice as many, duplicates are removed, which keeps
/// the memory for them within a constant factor.
struct Waiting<E> {
    found: Vec<E>,
    /// How many of the first positions are sorted and without duplicates.
    tidy: usize,
}

impl<E: Entry> Waiting<E> {
    fn new() -> Waiting<E> {
        Waiting { found: Vec::new(), tidy: 0 }
    }

    fn push(&mut self, found: Found) {
        if self.found.len() > 2 * self.tidy + 1024 {
            self.tidy();
        }
        self.found.push(E::new(found));
    }

    fn tidy(&mut self) {
        if self.tidy < self.found.len() {
            self.found.sort_unstable();
            // Sorted by key, then depth: the first entry of a key has the smallest depth.
            self.found.dedup_by_key(|entry| entry.found().key);
            self.tidy = self.found.len();
        }
    }

    fn take(mut self) -> Vec<Found> {
        self.tidy();
        self.found.into_iter().map(E::found).collect()
    }

    fn bytes(&self) -> usize {
        self.found.capacity() * size_of::<E>()
    }
}

/// What was found in lower levels, by level and lane.
struct Outbox<E>(Vec<Vec<Waiting<E>>>);

impl<E: Entry> Outbox<E> {
    fn push(&mut self, cell: Cell, found: Found) {
        let (level, lane) = (usize::from(cell.level), usize::from(cell.lane));
        if self.0.len() <= level {
            self.0.resize_with(level + 1, Vec::new);
        }
        let lanes = &mut self.0[level];
        if lanes.is_empty() {
            lanes.resize_with(usize::from(LANES), Waiting::new);
        }
        lanes[lane].push(found);
    }

    fn take(&mut self, level: u16) -> Vec<Found> {
        let lanes = self.0.get_mut(usize::from(level)).map(std::mem::take);
        lanes.into_iter().flatten().flat_map(Waiting::take).collect()
    }

    fn highest(&self) -> Option<u16> {
        self.0.iter().rposition(|lanes| !lanes.is_empty()).map(|level| level as u16)
    }

    fn rows(&self, level: u16) -> u64 {
        let lanes = self.0.get(usize::from(level)).into_iter().flatten();
        lanes.map(|waiting| waiting.found.len() as u64).sum()
    }

    fn bytes(&self) -> usize {
        self.0.iter().flatten().map(Waiting::bytes).sum()
    }

    /// Writes everything, the lowest cell first.
    fn write(self, blob: &mut Blob) -> Vec<Sent> {
        let mut sent = Vec::new();
        for (level, lanes) in self.0.into_iter().enumerate() {
            for (lane, waiting) in lanes.into_iter().enumerate() {
                if waiting.found.is_empty() {
                    continue;
                }
                let found = waiting.take();
                let mut section = Writer::default();
                section.found(&found);
                let cell = Cell { level: level as u16, lane: lane as u16 };
                sent.push(Sent { cell, rows: found.len() as u64, span: blob.add(&section) });
            }
        }
        sent
    }
}
