//! What is computed from a batch: numbers for networks, digests, counts, times.

use fourchess::Ending;
use fourchess_env::Observation;

use super::{CudaBatch, check_length};
use crate::{
    device::{Buffer, arguments},
    error::Error,
    params::{Array, STATS},
};

/// The type of numbers that planes are expanded to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    /// 32-bit floats, as [`Observation::expand`] writes them.
    F32,
    /// bfloat16: the nearest to those floats.
    Bf16,
    /// 16-bit floats: the nearest to those floats.
    F16,
    /// Bytes: 0 and 1, and scalars as they are, cut off at 0 and 255.
    U8,
}

impl Number {
    /// All types.
    pub const ALL: [Number; 4] = [Number::F32, Number::Bf16, Number::F16, Number::U8];

    /// The bytes of a number.
    pub const fn bytes(self) -> usize {
        match self {
            Number::F32 => 4,
            Number::Bf16 | Number::F16 => 2,
            Number::U8 => 1,
        }
    }

    /// The name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Number::F32 => "f32",
            Number::Bf16 => "bf16",
            Number::F16 => "f16",
            Number::U8 => "u8",
        }
    }
}

/// Which observation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    /// That of the player to move.
    Current,
    /// The last one of games that ended and were reset in the same step.
    Final,
}

/// What happened in a batch since it was made.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Stats {
    /// Games that ended, by the code of their ending.
    pub endings: [u64; Ending::ALL.len() + 1],
    /// Games that were lost by an illegal action.
    pub illegal_endings: u64,
    /// The plies of all games that ended.
    pub plies: u64,
    /// The points of each seat in all games that ended.
    pub points: [i64; 4],
    /// Illegal actions, where they are not errors.
    pub illegal_actions: u64,
}

impl CudaBatch {
    /// Expands the observation of every game to numbers: [`Observation::FLOAT_PLANES`] planes of
    /// [`Observation::CELLS`] each.
    pub fn expand(&self, which: Which, number: Number, goal: &Scratch) -> Result<(), Error> {
        let size = Observation::FLOAT_PLANES * Observation::CELLS * number.bytes();
        check_length("bytes of numbers", goal.buffer.bytes(), self.len() * size)?;
        self.expand_at(which, number, goal.address())
    }

    pub(super) fn expand_at(&self, which: Which, number: Number, goal: u64) -> Result<(), Error> {
        let (planes, scalars) = match which {
            Which::Current => (self.address(Array::Planes), self.address(Array::Scalars)),
            Which::Final => (self.address(Array::FinalPlanes), self.address(Array::FinalScalars)),
        };
        let rows = Observation::PLANES * Observation::WORDS;
        check_length("planes", planes.1 / 4, self.len() * rows)?;
        let (planes, scalars, games) = (planes.0, scalars.0, self.params.games);
        let kernel = self.kernels.expand[number as usize];
        let blocks = games.min(u64::from(u32::MAX / 2)) as u32;
        let arguments = arguments![games, planes, scalars, goal];
        self.stream.launch(kernel, blocks, self.shape.threads, arguments)
    }

    /// A number for what is to be seen of each game; equal to [`digests_of`](crate::digests_of) of
    /// an equal batch on the processor.
    pub fn digests(&self, what: u32) -> Result<Vec<u64>, Error> {
        let digests = self.device.allocate("digests", 8 * self.len())?;
        let goal = digests.address();
        let arguments = arguments![self.params, what, goal];
        self.launch(self.kernels.digest, self.params.games, arguments)?;
        self.download(goal, self.len())
    }

    /// What happened since the batch was made.
    pub fn stats(&self) -> Result<Stats, Error> {
        let counts: Vec<u64> = self.download(self.stats.address(), STATS)?;
        Ok(Stats {
            endings: std::array::from_fn(|code| counts[code]),
            illegal_endings: counts[16],
            plies: counts[17],
            points: std::array::from_fn(|seat| counts[18 + seat] as i64),
            illegal_actions: counts[22],
        })
    }

    /// Registers, bytes of local memory and bytes of shared memory of the kernel of a step.
    pub fn step_costs(&self) -> Result<[i32; 3], Error> {
        self.module.costs(self.kernels.step)
    }

    /// Milliseconds that the device needs for the work that a function puts into the stream.
    pub fn time(
        &mut self,
        work: impl FnOnce(&mut CudaBatch) -> Result<(), Error>,
    ) -> Result<f32, Error> {
        let stream = self.device.foreign_stream(self.stream.address());
        stream.time(|| work(self))
    }

    /// Memory of the device that is freed with what is returned.
    pub fn scratch(&self, bytes: usize) -> Result<Scratch, Error> {
        Ok(Scratch { buffer: self.device.allocate("scratch", bytes)? })
    }

    /// Copies bytes within the device.
    pub fn copy_bytes(&self, to: &Scratch, from: &Scratch) -> Result<(), Error> {
        let bytes = to.buffer.bytes().min(from.buffer.bytes());
        self.stream.copy(to.address(), from.address(), bytes)
    }

    /// A copy of scratch memory.
    pub fn read_scratch(&self, scratch: &Scratch) -> Result<Vec<u8>, Error> {
        self.download(scratch.address(), scratch.buffer.bytes())
    }

    /// Writes scratch memory from its beginning.
    pub fn write_scratch(&self, scratch: &Scratch, bytes: &[u8]) -> Result<(), Error> {
        check_length("bytes", bytes.len(), scratch.buffer.bytes())?;
        self.stream.upload(&scratch.buffer, bytes)
    }
}

/// Memory of the device for a caller's use.
#[derive(Debug)]
pub struct Scratch {
    buffer: Buffer,
}

impl Scratch {
    /// Where it is.
    pub fn address(&self) -> u64 {
        self.buffer.address()
    }
}
