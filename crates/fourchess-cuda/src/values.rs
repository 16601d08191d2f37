//! Games that are values, on a device: what a [`Stepper`] does, on arrays of the caller.

use std::{ffi::c_void, sync::Arc};

use fourchess_env::{Config, Illegal, Outputs, Seen, Stepper};

use crate::{
    batch::{Number, Options, check_shape},
    cache,
    device::{Buffer, Device, Kernel, Module, Stream, arguments},
    error::Error,
    params::{RECORD_BYTES, STATS},
    source::{self, Purpose, Shape},
};

/// Where what is seen of each game goes: addresses on the device, of arrays with the types and
/// shapes of [`Seen`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(C)]
pub struct SeenAt {
    /// The player to move.
    pub current_player: u64,
    /// The reward of each seat.
    pub rewards: u64,
    /// Whether the step ended the game.
    pub terminated: u64,
    /// Whether the step truncated the game.
    pub truncated: u64,
    /// Whether the action was legal or ignored.
    pub move_valid: u64,
    /// The plies of the game.
    pub plies: u64,
}

/// What the kernels that write values are given first.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(C)]
pub struct Values {
    /// The number of games.
    pub games: u64,
    /// The values, [`Stepper::BYTES`] each.
    pub values: u64,
    /// Where to show them.
    pub seen: SeenAt,
    /// The record of the start position.
    pub start: u64,
    /// Its legal actions.
    pub start_legal: u64,
    /// How many these are.
    pub start_count: u64,
    /// Counters, which nobody reads.
    pub stats: u64,
    /// The fingerprint of the rules.
    pub fingerprint: u64,
}

struct Kernels {
    step: Kernel,
    load: Kernel,
    save: Kernel,
    observe: Kernel,
    mask: Kernel,
    expand: [Kernel; 4],
}

/// Steps games that are values on a device.
///
/// Its values are those of a [`Stepper`], byte for byte. Every method puts work into a stream of the
/// caller's and returns; nothing is allocated and nobody waits. So bytes that are no game cannot be
/// refused: they become a broken game, with rewards that are no numbers, which stays broken.
pub struct CudaStepper {
    config: Config,
    shape: Shape,
    values: Values,
    kernels: Kernels,
    _start: Buffer,
    // The module outlives its kernels, the device all.
    _module: Module,
    device: Arc<Device>,
}

impl CudaStepper {
    /// A stepper for games of this configuration. The stream of the options is not used.
    pub fn new(config: &Config, options: &Options) -> Result<CudaStepper, Error> {
        if config.illegal == Illegal::Error {
            return Err(Error::Unheard);
        }
        let shape = options.shape.unwrap_or(Shape::FOR_VALUES);
        check_shape(shape)?;
        let config = Config { games: 1, outputs: Outputs::default(), ..config.clone() };
        let stepper = Stepper::new(&config)?;
        let device = Device::open(options.device)?;
        let text = source::device(&config, shape, Purpose::Values);
        let image =
            cache::image(&text, device.capability(), options.cache.as_deref(), &options.nvrtc)?;
        let module = device.module(&image)?;
        let kernel = |name| module.kernel(name);
        let kernels = Kernels {
            step: kernel("value_step")?,
            load: kernel("value_load")?,
            save: kernel("value_save")?,
            observe: kernel("value_observe")?,
            mask: kernel("value_mask")?,
            expand: [
                kernel("expand_f32")?,
                kernel("expand_bf16")?,
                kernel("expand_f16")?,
                kernel("expand_u8")?,
            ],
        };
        let (start, values) = begin(&device, &module, &stepper, shape)?;
        Ok(CudaStepper { config, shape, values, kernels, _start: start, _module: module, device })
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Plays an action in every game, from 32-bit numbers. The values are changed where they are, or
    /// copied first if they are to go elsewhere.
    ///
    /// # Safety
    ///
    /// The stream must be one of this device, and every address must have room for so many games on
    /// it, at a multiple of 16 bytes, until the work is done. Values to be read and values to be
    /// written are the same or do not overlap.
    pub unsafe fn step(
        &self,
        stream: u64,
        games: usize,
        (from, to): (u64, u64),
        actions: u64,
        seen: SeenAt,
    ) -> Result<(), Error> {
        let stream = self.device.foreign_stream(stream);
        if from != to && games > 0 {
            stream.copy(to, from, games * Stepper::BYTES)?;
        }
        let values = Values { games: games as u64, values: to, seen, ..self.values };
        self.launch(&stream, self.kernels.step, games, arguments![values, actions])
    }

    /// Makes values of games in the documented form.
    ///
    /// # Safety
    ///
    /// As for [`step`](CudaStepper::step).
    pub unsafe fn load(
        &self,
        stream: u64,
        games: usize,
        states: u64,
        values: u64,
        seen: SeenAt,
    ) -> Result<(), Error> {
        let values = Values { games: games as u64, values, seen, ..self.values };
        let stream = self.device.foreign_stream(stream);
        self.launch(&stream, self.kernels.load, games, arguments![values, states])
    }

    /// Puts values into the documented form.
    ///
    /// # Safety
    ///
    /// As for [`step`](CudaStepper::step).
    pub unsafe fn save(
        &self,
        stream: u64,
        games: usize,
        values: u64,
        states: u64,
    ) -> Result<(), Error> {
        let (count, fingerprint) = (games as u64, self.values.fingerprint);
        let stream = self.device.foreign_stream(stream);
        let arguments = arguments![count, values, states, fingerprint];
        self.launch(&stream, self.kernels.save, games, arguments)
    }

    /// Writes the planes and the scalars of values.
    ///
    /// # Safety
    ///
    /// As for [`step`](CudaStepper::step).
    pub unsafe fn observe(
        &self,
        stream: u64,
        games: usize,
        values: u64,
        (planes, scalars): (u64, u64),
    ) -> Result<(), Error> {
        let (count, fingerprint) = (games as u64, self.values.fingerprint);
        let stream = self.device.foreign_stream(stream);
        let arguments = arguments![count, values, planes, scalars, fingerprint];
        self.launch(&stream, self.kernels.observe, games, arguments)
    }

    /// Writes the byte masks of values.
    ///
    /// # Safety
    ///
    /// As for [`step`](CudaStepper::step).
    pub unsafe fn mask(
        &self,
        stream: u64,
        games: usize,
        values: u64,
        masks: u64,
    ) -> Result<(), Error> {
        let count = games as u64;
        let stream = self.device.foreign_stream(stream);
        self.launch(&stream, self.kernels.mask, games, arguments![count, values, masks])
    }

    /// Expands planes and scalars to numbers.
    ///
    /// # Safety
    ///
    /// As for [`step`](CudaStepper::step).
    pub unsafe fn expand(
        &self,
        stream: u64,
        games: usize,
        number: Number,
        (planes, scalars): (u64, u64),
        goal: u64,
    ) -> Result<(), Error> {
        let count = games as u64;
        let blocks = count.min(u64::from(u32::MAX / 2)) as u32;
        if blocks == 0 {
            return Ok(());
        }
        let stream = self.device.foreign_stream(stream);
        let arguments = arguments![count, planes, scalars, goal];
        stream.launch(self.kernels.expand[number as usize], blocks, self.shape.threads, arguments)
    }

    fn launch(
        &self,
        stream: &Stream,
        kernel: Kernel,
        games: usize,
        arguments: &mut [*mut c_void],
    ) -> Result<(), Error> {
        let blocks = games.div_ceil(self.shape.groups() as usize) as u32;
        if blocks == 0 {
            return Ok(());
        }
        stream.launch(kernel, blocks, self.shape.threads, arguments)
    }
}

/// The start of games on the device: a value, its record, and counters.
fn begin(
    device: &Arc<Device>,
    module: &Module,
    stepper: &Stepper,
    shape: Shape,
) -> Result<(Buffer, Values), Error> {
    let mut value = vec![0; Stepper::BYTES];
    stepper.load(&stepper.start(0), &mut value, &mut Seen::new(1).all())?;
    let buffer = device.allocate("the start", Stepper::BYTES + RECORD_BYTES + 8 * STATS)?;
    let values = Values {
        start: buffer.address() + Stepper::BYTES as u64,
        start_legal: buffer.address() + Stepper::LEGAL.start as u64,
        start_count: Stepper::legal(&value).len() as u64,
        stats: buffer.address() + (Stepper::BYTES + RECORD_BYTES) as u64,
        fingerprint: u64::from(stepper.config().rules.fingerprint()),
        ..Values::default()
    };
    let stream = device.stream()?;
    stream.upload(&buffer, &value)?;
    let (one, start, goal) = (1_u64, buffer.address(), values.start);
    let arguments = arguments![one, start, goal, values.fingerprint];
    stream.launch(module.kernel("value_record")?, 1, shape.threads, arguments)?;
    stream.synchronize()?;
    Ok((buffer, values))
}
