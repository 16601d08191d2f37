//! Counting lines of moves on a device.

use std::{ffi::c_void, sync::Arc};

use fourchess::{MoveList, Position, Rules};
use fourchess_env::Config;

use crate::{
    batch::Options,
    cache,
    device::{Buffer, Device, Kernel, Module, Stream, arguments},
    error::Error,
    params::RECORD_BYTES,
    source::{self, Purpose, Shape},
};

/// Positions whose children are listed at once.
const PARENTS: usize = 1 << 14;
/// The room for their children.
const CHILDREN: usize = 1 << 19;
/// Positions that the processor lists before the device takes over.
const FRONTIER: usize = 1 << 12;
/// Entries of a list that spills, of four bytes each.
const SPILL: usize = 4 * 704;

/// The kernels that count lines of moves under some rules.
pub struct Perft {
    rules: Rules,
    purpose: Purpose,
    shape: Shape,
    read: Kernel,
    count: Kernel,
    list: Kernel,
    spill: Buffer,
    _module: Module,
    stream: Stream,
    device: Arc<Device>,
}

impl Perft {
    /// Compiles the kernels that count legal moves.
    pub fn new(rules: &Rules, options: &Options) -> Result<Perft, Error> {
        Perft::compile(rules, options, Purpose::Perft)
    }

    /// Compiles the kernels that count pseudo-legal moves, as some engines do: moves by the ways of
    /// the pieces alone, which may leave the own king in check. Castling out of check or through it
    /// is no such move; castling into check is.
    pub fn pseudo_legal(rules: &Rules, options: &Options) -> Result<Perft, Error> {
        Perft::compile(rules, options, Purpose::PseudoPerft)
    }

    fn compile(rules: &Rules, options: &Options, purpose: Purpose) -> Result<Perft, Error> {
        let shape = options.shape.unwrap_or(Shape::for_games(CHILDREN));
        let device = Device::open(options.device)?;
        let text = source::device(&Config::new(rules, 1), shape, purpose);
        let cache = options.cache.as_deref();
        let image = cache::image(&text, device.capability(), cache, &options.nvrtc)?;
        let module = device.module(&image)?;
        Ok(Perft {
            rules: *rules,
            purpose,
            shape,
            read: module.kernel("read_positions")?,
            count: module.kernel("count_moves")?,
            list: module.kernel("list_children")?,
            spill: device.allocate("lists of moves", PARENTS * SPILL)?,
            _module: module,
            stream: device.stream()?,
            device,
        })
    }

    /// How many lines of `depth` moves there are; of legal moves as many as [`fourchess::perft`]
    /// counts.
    pub fn count(&self, position: &Position, depth: u32) -> Result<u64, Error> {
        let (mut frontier, mut left) = (vec![*position], depth);
        // The processor lists legal moves only.
        while self.purpose == Purpose::Perft && left > 1 && frontier.len() < FRONTIER {
            let children = |position: &Position| {
                let moves = MoveList::of(position, &self.rules);
                moves.iter().map(|&mv| position.play(mv, &self.rules)).collect::<Vec<_>>()
            };
            frontier = frontier.iter().flat_map(children).collect();
            left -= 1;
        }
        if left == 0 {
            return Ok(frontier.len() as u64);
        }
        let room = |_| self.device.allocate("positions", CHILDREN * RECORD_BYTES);
        let levels = (0..left).map(room).collect::<Result<Vec<Buffer>, Error>>()?;
        let mut total = 0;
        for part in frontier.chunks(CHILDREN) {
            let bytes: Vec<u8> = part.iter().flat_map(Position::to_bytes).collect();
            let positions = self.device.allocate("positions", bytes.len())?;
            self.stream.upload(&positions, &bytes)?;
            let (source, goal) = (positions.address(), levels[0].address());
            let count = part.len() as u64;
            self.launch(self.read, count, arguments![source, count, goal])?;
            total += self.count_records(part.len(), &levels)?;
        }
        Ok(total)
    }

    /// The lines from the positions in the first of some levels, a move for each level.
    fn count_records(&self, positions: usize, levels: &[Buffer]) -> Result<u64, Error> {
        let [first, deeper @ ..] = levels else { return Ok(positions as u64) };
        let counts = self.counts(first.address(), positions)?;
        let [next, ..] = deeper else {
            return Ok(counts.iter().map(|&count| u64::from(count)).sum());
        };
        let (mut total, mut start) = (0, 0);
        while start < positions {
            let (mut end, mut children, mut offsets) = (start, 0, Vec::new());
            while end < positions
                && end - start < PARENTS
                && children + counts[end] as usize <= CHILDREN
            {
                offsets.push(children as u64);
                children += counts[end] as usize;
                end += 1;
            }
            let places = self.device.allocate("positions", 8 * offsets.len())?;
            self.stream.upload(&places, &offsets)?;
            let source = first.address() + (start * RECORD_BYTES) as u64;
            let (count, places) = ((end - start) as u64, places.address());
            let (goal, spill) = (next.address(), self.spill.address());
            self.launch(self.list, count, arguments![source, count, places, goal, spill])?;
            self.stream.synchronize()?;
            total += self.count_records(children, deeper)?;
            start = end;
        }
        Ok(total)
    }

    fn counts(&self, records: u64, positions: usize) -> Result<Vec<u32>, Error> {
        let buffer = self.device.allocate("counts of moves", 4 * positions)?;
        let (count, goal, spill) = (positions as u64, buffer.address(), 0u64);
        self.launch(self.count, count, arguments![records, count, goal, spill])?;
        let mut counts = vec![0; positions];
        self.stream.download(&mut counts, goal)?;
        Ok(counts)
    }

    fn launch(
        &self,
        kernel: Kernel,
        count: u64,
        arguments: &mut [*mut c_void],
    ) -> Result<(), Error> {
        let blocks = count.div_ceil(u64::from(self.shape.groups())) as u32;
        if blocks == 0 {
            return Ok(());
        }
        self.stream.launch(kernel, blocks, self.shape.threads, arguments)
    }
}
