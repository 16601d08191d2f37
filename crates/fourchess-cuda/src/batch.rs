//! A batch of games on a device.

mod games;
mod outputs;
mod raw;
mod share;

pub use outputs::{Number, Scratch, Stats, Which};
pub use raw::Entry;

use std::{ffi::c_void, path::PathBuf, sync::Arc};

use fourchess::Rules;
use fourchess_env::{Batch, Config, Illegal, Player};

use crate::{
    cache,
    device::{Buffer, Device, Kernel, Module, Plain, Stream, arguments},
    error::Error,
    params::{Array, FIRST_REFUSED, Params, RECORD_BYTES, STATS},
    source::{self, Purpose, Shape},
};

/// Where and how a batch runs.
#[derive(Clone, Debug)]
pub struct Options {
    /// The number of the device.
    pub device: usize,
    /// How the kernels divide their work; the best that is known for the number of games if none
    /// is given.
    pub shape: Option<Shape>,
    /// A stream of the caller's to use instead of one of the batch's own.
    pub stream: Option<u64>,
    /// Directories to look for the compiler of kernels first.
    pub nvrtc: Vec<PathBuf>,
    /// The directory of compiled kernels.
    pub cache: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            device: 0,
            shape: None,
            stream: None,
            nvrtc: Vec::new(),
            cache: cache::cache_directory(),
        }
    }
}

struct Kernels {
    step: Kernel,
    find_refused: Kernel,
    choose: Kernel,
    choose_random: Kernel,
    play: Kernel,
    play_random: Kernel,
    reset: Kernel,
    reset_where: Kernel,
    save: Kernel,
    load: Kernel,
    resign: Kernel,
    digest: Kernel,
    expand: [Kernel; 4],
}

impl Kernels {
    fn new(module: &Module) -> Result<Kernels, Error> {
        let kernel = |name| module.kernel(name);
        Ok(Kernels {
            step: kernel("step")?,
            find_refused: kernel("find_refused")?,
            choose: kernel("choose")?,
            choose_random: kernel("choose_random")?,
            play: kernel("play")?,
            play_random: kernel("play_random")?,
            reset: kernel("reset")?,
            reset_where: kernel("reset_where")?,
            save: kernel("save")?,
            load: kernel("load_states")?,
            resign: kernel("resign")?,
            digest: kernel("digest")?,
            expand: [
                kernel("expand_f32")?,
                kernel("expand_bf16")?,
                kernel("expand_f16")?,
                kernel("expand_u8")?,
            ],
        })
    }
}

/// Many games on a device, stepped together: a [`Batch`] whose arrays never leave the device.
///
/// Arrays keep their address for the lifetime of the batch. Calls put work into the stream of the
/// batch and return; those that return numbers wait for it.
pub struct CudaBatch {
    config: Config,
    shape: Shape,
    params: Params,
    kernels: Kernels,
    actions: Buffer,
    stats: Buffer,
    arrays: Vec<Buffer>,
    _start: [Buffer; 2],
    // The module outlives its kernels, the stream the work, the device all.
    module: Module,
    stream: Stream,
    device: Arc<Device>,
}

impl CudaBatch {
    /// New games, all at their start.
    pub fn new(config: Config, options: &Options) -> Result<CudaBatch, Error> {
        let shape = options.shape.unwrap_or(Shape::for_games(config.games));
        check_shape(shape)?;
        // A batch of one game on the processor checks the configuration and knows the start.
        let one = Batch::new(Config { games: config.games.min(1), threads: 1, ..config.clone() })?;
        let device = Device::open(options.device)?;
        let text = source::device(&config, shape, Purpose::Batch);
        let image =
            cache::image(&text, device.capability(), options.cache.as_deref(), &options.nvrtc)?;
        let module = device.module(&image)?;
        let stream = match options.stream {
            Some(stream) => device.foreign_stream(stream),
            None => device.stream()?,
        };
        let arrays = allocate(&device, &config)?;
        let start = [
            device.allocate("the start", RECORD_BYTES)?,
            device.allocate("the start", 2 * one.legal_of(0).len())?,
        ];
        let stats = device.allocate("counters", 8 * STATS)?;
        let params = Params {
            games: config.games as u64,
            arrays: std::array::from_fn(|index| arrays[index].address()),
            start: start[0].address(),
            start_legal: start[1].address(),
            start_count: one.legal_of(0).len() as u64,
            stats: stats.address(),
        };
        let mut batch = CudaBatch {
            actions: device.allocate("actions", 8 * config.games)?,
            kernels: Kernels::new(&module)?,
            shape,
            _start: start,
            config,
            params,
            stats,
            arrays,
            module,
            stream,
            device,
        };
        batch.settle_in(&one)?;
        Ok(batch)
    }

    /// Makes the start from that of a batch on the processor, and starts every game.
    fn settle_in(&mut self, one: &Batch) -> Result<(), Error> {
        self.stream.fill(&self.arrays[Array::Legal as usize], 0xff)?;
        self.stream.upload(&self._start[1], one.legal_of(0))?;
        let states = one.save(&[0])?;
        self.load_checked(&[0], &states, false)?;
        let record = self.params.arrays[Array::Records as usize];
        self.stream.copy(self.params.start, record, RECORD_BYTES)?;
        self.reset_all(self.config.seed)?;
        self.stream.synchronize()
    }

    /// The number of games.
    #[expect(clippy::len_without_is_empty, reason = "a batch is never empty")]
    pub fn len(&self) -> usize {
        self.config.games
    }

    /// The configuration of the batch.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The rules of all games.
    pub fn rules(&self) -> &Rules {
        &self.config.rules
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The stream that all work of the batch is put into, as the driver knows it.
    pub fn stream(&self) -> u64 {
        self.stream.address()
    }

    /// Waits until the work of the batch is done.
    pub fn synchronize(&self) -> Result<(), Error> {
        self.stream.synchronize()
    }

    /// Where an array is on the device, and its bytes: 0 if the configuration does not ask for it.
    pub fn address(&self, array: Array) -> (u64, usize) {
        let buffer = &self.arrays[array as usize];
        (buffer.address(), buffer.bytes())
    }

    /// The bytes of the device's memory that the batch takes.
    pub fn bytes(&self) -> usize {
        self.arrays.iter().map(Buffer::bytes).sum::<usize>() + self.actions.bytes()
    }

    /// A copy of an array's bytes.
    pub fn read(&self, array: Array) -> Result<Vec<u8>, Error> {
        let (address, bytes) = self.address(array);
        self.download(address, bytes)
    }

    /// Plays an action in every game.
    pub fn step(&mut self, actions: &[u16]) -> Result<(), Error> {
        check_length("actions", actions.len(), self.len())?;
        self.stream.upload(&self.actions, actions)?;
        self.step_own()
    }

    /// Plays the actions of an array on the device.
    fn step_at(&mut self, actions: u64, size: u32) -> Result<(), Error> {
        if self.config.illegal == Illegal::Error {
            self.refuse_illegal(actions, size)?;
        }
        let arguments = arguments![self.params, actions, size];
        self.launch(self.kernels.step, self.params.games, arguments)
    }

    fn refuse_illegal(&self, actions: u64, size: u32) -> Result<(), Error> {
        let place = self.stats.address() + 8 * FIRST_REFUSED as u64;
        let none = [u64::MAX];
        let mut found = [0u64];
        self.stream.upload_at(place, &none)?;
        let arguments = arguments![self.params, actions, size];
        let blocks = self.params.games.div_ceil(u64::from(self.shape.threads)) as u32;
        self.stream.launch(self.kernels.find_refused, blocks, self.shape.threads, arguments)?;
        self.stream.download(&mut found, place)?;
        let [found] = found;
        if found == u64::MAX {
            return Ok(());
        }
        let game = found as usize;
        let count: [u16; 1] = self.one(self.address(Array::LegalCounts).0 + 2 * found)?;
        if count[0] == 0 {
            return Err(fourchess_env::Error::Ended { game }.into());
        }
        let action = match size {
            2 => u64::from(self.one::<u16, 1>(actions + 2 * found)?[0]),
            4 => u64::from(self.one::<u32, 1>(actions + 4 * found)?[0]),
            _ => self.one::<u64, 1>(actions + 8 * found)?[0],
        };
        let action = u16::try_from(action).unwrap_or(Batch::NO_ACTION);
        Err(fourchess_env::Error::IllegalAction { game, action }.into())
    }

    fn one<T: Plain, const N: usize>(&self, address: u64) -> Result<[T; N], Error> {
        let mut values = [T::default(); N];
        self.stream.download(&mut values, address)?;
        Ok(values)
    }

    /// Lets a built-in player choose an action in every game.
    pub fn choose(&mut self, player: Player, actions: &mut [u16]) -> Result<(), Error> {
        self.choose_for([Some(player); 4], actions)
    }

    /// Lets built-in players choose the actions of the seats they play. The other actions are not
    /// changed.
    pub fn choose_for(
        &mut self,
        players: [Option<Player>; 4],
        actions: &mut [u16],
    ) -> Result<(), Error> {
        check_length("actions", actions.len(), self.len())?;
        self.stream.upload(&self.actions, actions)?;
        self.choose_own(players)?;
        self.stream.download(actions, self.actions.address())
    }

    /// The same into an array of the batch's own on the device, without waiting;
    /// [`step_own`](CudaBatch::step_own) plays them.
    pub fn choose_own(&mut self, players: [Option<Player>; 4]) -> Result<(), Error> {
        self.choose_at(players, self.actions.address())
    }

    /// Plays the actions that stand in the batch's own array on the device.
    pub fn step_own(&mut self) -> Result<(), Error> {
        self.step_at(self.actions.address(), 2)
    }

    fn choose_at(&mut self, players: [Option<Player>; 4], actions: u64) -> Result<(), Error> {
        let is_greedy = players.contains(&Some(Player::Greedy));
        let players = players_word(players);
        let arguments = arguments![self.params, players, actions];
        if is_greedy {
            return self.launch(self.kernels.choose, self.params.games, arguments);
        }
        let blocks = self.params.games.div_ceil(u64::from(self.shape.threads)) as u32;
        self.stream.launch(self.kernels.choose_random, blocks, self.shape.threads, arguments)
    }

    /// Where the batch's own array of actions is: 16 bits for each game.
    pub fn own_actions(&self) -> u64 {
        self.actions.address()
    }

    /// Plays plies with built-in players: the same as choosing and stepping so often, but rewards,
    /// masks and observations are written once.
    pub fn play(&mut self, players: [Player; 4], plies: u32) -> Result<(), Error> {
        let is_greedy = players.contains(&Player::Greedy);
        let kernel = if is_greedy { self.kernels.play } else { self.kernels.play_random };
        let players = players_word(players.map(Some));
        let arguments = arguments![self.params, players, plies];
        self.launch(kernel, self.params.games, arguments)
    }

    fn download<T: Plain>(&self, address: u64, count: usize) -> Result<Vec<T>, Error> {
        let mut values = Vec::new();
        let bytes = count.saturating_mul(size_of::<T>());
        values.try_reserve_exact(count).map_err(|_| Error::HostMemory { bytes })?;
        values.resize(count, T::default());
        self.stream.download(&mut values, address)?;
        Ok(values)
    }

    fn upload<T: Plain>(&self, what: &'static str, values: &[T]) -> Result<Buffer, Error> {
        let buffer = self.device.allocate(what, size_of_val(values))?;
        self.stream.upload(&buffer, values)?;
        Ok(buffer)
    }

    fn check_games(&self, games: &[usize]) -> Result<(), Error> {
        match games.iter().find(|&&game| game >= self.len()) {
            Some(&game) => Err(fourchess_env::Error::NoGame { game, games: self.len() }.into()),
            None => Ok(()),
        }
    }

    fn launch(
        &self,
        kernel: Kernel,
        games: u64,
        arguments: &mut [*mut c_void],
    ) -> Result<(), Error> {
        let blocks = games.div_ceil(u64::from(self.shape.groups())) as u32;
        if blocks == 0 {
            return Ok(());
        }
        self.stream.launch(kernel, blocks, self.shape.threads, arguments)
    }
}

fn check_length(what: &'static str, found: usize, expected: usize) -> Result<(), Error> {
    if found == expected {
        return Ok(());
    }
    Err(fourchess_env::Error::Length { what, found, expected }.into())
}

pub(crate) fn check_shape(shape: Shape) -> Result<(), Error> {
    let Shape { lanes, threads, blocks: _ } = shape;
    let error = |why| Error::Shape { lanes, threads, why };
    if ![8, 16, 32].contains(&lanes) {
        return Err(error("a game has 8, 16 or 32 lanes"));
    }
    if threads == 0 || threads % 32 != 0 || threads > 1024 {
        return Err(error("a block has whole warps and at most 1024 threads"));
    }
    if shape.groups() > 16 {
        return Err(error("a block has at most 16 games, which fill the shared memory"));
    }
    Ok(())
}

/// The arrays of a batch, or which of them costs most.
fn allocate(device: &Arc<Device>, config: &Config) -> Result<Vec<Buffer>, Error> {
    let games = config.games;
    let bytes_of = |array: Array| array.bytes(config).saturating_mul(games);
    let total = Array::ALL.into_iter().map(bytes_of).fold(0, usize::saturating_add);
    let (free, _) = device.memory()?;
    let costly = Array::ALL.into_iter().max_by_key(|&array| array.bytes(config));
    let costly = costly.expect("there are arrays");
    let too_large = Error::TooLarge {
        games,
        bytes: total,
        free,
        array: costly.name(),
        costs: bytes_of(costly),
    };
    if total > free || games > u32::MAX as usize / 2 {
        return Err(too_large);
    }
    let allocate = |array: Array| match device.allocate(array.name(), bytes_of(array)) {
        Err(Error::Memory { .. }) => Err(too_large.clone()),
        other => other,
    };
    Array::ALL.into_iter().map(allocate).collect()
}

/// Players as the kernels are told of them: a byte for each seat, Red's the lowest.
fn players_word(players: [Option<Player>; 4]) -> u32 {
    let byte = |player| match player {
        None => 0u32,
        Some(Player::Random) => 1,
        Some(Player::Greedy) => 2,
    };
    players.into_iter().enumerate().map(|(seat, player)| byte(player) << (8 * seat)).sum()
}
