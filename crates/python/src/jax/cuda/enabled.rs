//! What JAX calls on a GPU. Work is put into XLA's stream, and nobody waits for it.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use fourchess_cuda::{CudaStepper, Number, Options, SeenAt, device_of_stream};
use fourchess_env::{Action, Bf16, Config, F16, Observation, Stepper};
use pyo3::prelude::*;

use super::{
    config,
    handlers::{FLOATS, PLANES, SCALARS, STATE, VALUE},
    xla::{Call, Flag, Handler, Place, Target, entry},
};
use crate::fourchess::device::cuda::compiler_directories;

/// What is called on a GPU, by the ends of its names.
pub(super) const ALL: [(&str, Target); 6] = [
    ("load", entry::<Load>),
    ("step", entry::<Step>),
    ("save", entry::<Save>),
    ("observe", entry::<Observe>),
    ("mask", entry::<Mask>),
    ("expand", entry::<Expand>),
];

const PANIC: &str = "the kernels for a GPU failed";

/// Where Python packages have the compiler of kernels, which XLA's threads cannot ask Python for.
static DIRECTORIES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Compiled kernels by device and configuration. Kernels that XLA has in its queue need them, so none
/// is ever forgotten.
static STEPPERS: Mutex<Vec<(Key, Arc<CudaStepper>)>> = Mutex::new(Vec::new());

/// Remembers what Python must be asked for.
pub(super) fn prepare(py: Python<'_>) -> PyResult<()> {
    let directories = compiler_directories(py)?;
    *DIRECTORIES.lock().unwrap_or_else(PoisonError::into_inner) = directories;
    Ok(())
}

#[derive(PartialEq, Eq)]
struct Key {
    device: usize,
    config: String,
}

/// The stream of a call, and the kernels for it.
struct Device {
    stream: u64,
    stepper: Arc<CudaStepper>,
}

impl Device {
    /// Kernels for games of the configuration of the call.
    fn of(call: &Call<'_>) -> Result<Device, String> {
        Device::with(call, call.text(config::ATTRIBUTE)?)
    }

    /// Kernels for games of the configuration that a text says. The first call for a device compiles
    /// them, or takes them from the cache on disk.
    fn with(call: &Call<'_>, text: &str) -> Result<Device, String> {
        let stream = call.stream()?;
        // SAFETY: XLA keeps the stream of a call alive.
        let device = unsafe { device_of_stream(stream) }.map_err(|error| error.to_string())?;
        let mut steppers = STEPPERS.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |key: &Key| key.device == device && key.config.as_str() == text;
        if let Some((_, stepper)) = steppers.iter().find(|(key, _)| is_it(key)) {
            return Ok(Device { stream, stepper: stepper.clone() });
        }
        let config = match text.is_empty() {
            true => Config { illegal: fourchess_env::Illegal::Noop, ..any_config() },
            false => config::of(text)?.config().clone(),
        };
        let nvrtc = DIRECTORIES.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let options = Options { device, nvrtc, ..Options::default() };
        let stepper = CudaStepper::new(&config, &options).map_err(|error| error.to_string())?;
        let stepper = Arc::new(stepper);
        steppers.push((Key { device, config: text.to_owned() }, stepper.clone()));
        Ok(Device { stream, stepper })
    }
}

/// A configuration for what does not depend on one.
fn any_config() -> Config {
    Config::new(&::fourchess::Rules::FFA, 1)
}

/// The address of an array with so many entries for each game.
fn of_games(place: Place, what: &str, each: usize, games: usize) -> Result<u64, String> {
    let (address, entries) = place?;
    if entries == games * each {
        return Ok(address);
    }
    Err(format!("{what} of {} games, expected {games}", entries / each))
}

/// The address of values, and how many there are.
fn values(call: &Call<'_>) -> Result<(u64, usize), String> {
    let (address, bytes) = call.argument_at::<u8>(0, &[VALUE])?;
    Ok((address, bytes / Stepper::BYTES))
}

/// The results after the first, by which every step is seen.
fn seen(call: &Call<'_>, games: usize) -> Result<SeenAt, String> {
    Ok(SeenAt {
        current_player: of_games(call.result_at::<i32>(1, &[]), "players", 1, games)?,
        rewards: of_games(call.result_at::<f32>(2, &[4]), "rewards", 4, games)?,
        terminated: of_games(call.result_at::<Flag>(3, &[]), "terminated", 1, games)?,
        truncated: of_games(call.result_at::<Flag>(4, &[]), "truncated", 1, games)?,
        move_valid: of_games(call.result_at::<Flag>(5, &[]), "move_valid", 1, games)?,
        plies: of_games(call.result_at::<i32>(6, &[]), "plies", 1, games)?,
    })
}

/// Declares handlers: each checks its arrays, then puts its kernel into the stream.
macro_rules! handlers {
    ($($(#[$doc:meta])* $name:ident = $call:path;)*) => {$(
        $(#[$doc])*
        struct $name;

        impl Handler for $name {
            const PANIC: &'static str = PANIC;

            fn call(call: &Call<'_>) -> Result<(), String> {
                $call(call)
            }
        }
    )*};
}

handlers! {
    /// States in the documented form to values.
    Load = load;
    /// Values and actions to values.
    Step = step;
    /// Values to states in the documented form.
    Save = save;
    /// Values to planes and scalars.
    Observe = observe;
    /// Values to masks of legal actions.
    Mask = mask;
    /// Planes and scalars to an array that networks take.
    Expand = expand;
}

// SAFETY of the calls below: each address was checked to have room for the games of the call, and
// XLA keeps its buffers until the work in its stream is done.

fn load(call: &Call<'_>) -> Result<(), String> {
    let (states, bytes) = call.argument_at::<u8>(0, &[STATE])?;
    let games = bytes / STATE as usize;
    let values = of_games(call.result_at::<u8>(0, &[VALUE]), "values", Stepper::BYTES, games)?;
    let (seen, device) = (seen(call, games)?, Device::of(call)?);
    // SAFETY: as above.
    let done = unsafe { device.stepper.load(device.stream, games, states, values, seen) };
    done.map_err(|error| error.to_string())
}

fn step(call: &Call<'_>) -> Result<(), String> {
    let (from, games) = values(call)?;
    let actions = of_games(call.argument_at::<i32>(1, &[]), "actions", 1, games)?;
    let to = of_games(call.result_at::<u8>(0, &[VALUE]), "values", Stepper::BYTES, games)?;
    let (seen, device) = (seen(call, games)?, Device::of(call)?);
    // SAFETY: as above.
    let done = unsafe { device.stepper.step(device.stream, games, (from, to), actions, seen) };
    done.map_err(|error| error.to_string())
}

fn save(call: &Call<'_>) -> Result<(), String> {
    let (values, games) = values(call)?;
    let states = of_games(call.result_at::<u8>(0, &[STATE]), "states", STATE as usize, games)?;
    let device = Device::of(call)?;
    // SAFETY: as above.
    let done = unsafe { device.stepper.save(device.stream, games, values, states) };
    done.map_err(|error| error.to_string())
}

fn observe(call: &Call<'_>) -> Result<(), String> {
    let (values, games) = values(call)?;
    let shown = planes_and_scalars(
        call.result_at::<u32>(0, &PLANES),
        call.result_at::<i16>(1, &[SCALARS]),
        games,
    )?;
    let device = Device::of(call)?;
    // SAFETY: as above.
    let done = unsafe { device.stepper.observe(device.stream, games, values, shown) };
    done.map_err(|error| error.to_string())
}

fn mask(call: &Call<'_>) -> Result<(), String> {
    let (values, games) = values(call)?;
    let masks = call.result_at::<Flag>(0, &[Action::COUNT as i64]);
    let masks = of_games(masks, "masks", Action::COUNT, games)?;
    let device = Device::of(call)?;
    // SAFETY: as above.
    let done = unsafe { device.stepper.mask(device.stream, games, values, masks) };
    done.map_err(|error| error.to_string())
}

fn expand(call: &Call<'_>) -> Result<(), String> {
    let (number, goal) = if call.is::<F16>(0) {
        (Number::F16, call.result_at::<F16>(0, &FLOATS))
    } else if call.is::<Bf16>(0) {
        (Number::Bf16, call.result_at::<Bf16>(0, &FLOATS))
    } else if call.is::<u8>(0) {
        (Number::U8, call.result_at::<u8>(0, &FLOATS))
    } else {
        (Number::F32, call.result_at::<f32>(0, &FLOATS))
    };
    let (goal, entries) = goal?;
    let games = entries / (Observation::FLOAT_PLANES * Observation::CELLS);
    let (planes, scalars) =
        (call.argument_at::<u32>(0, &PLANES), call.argument_at::<i16>(1, &[SCALARS]));
    let shown = planes_and_scalars(planes, scalars, games)?;
    let device = Device::with(call, "")?;
    // SAFETY: as above.
    let done = unsafe { device.stepper.expand(device.stream, games, number, shown, goal) };
    done.map_err(|error| error.to_string())
}

fn planes_and_scalars(planes: Place, scalars: Place, games: usize) -> Result<(u64, u64), String> {
    let each = Observation::PLANES * Observation::WORDS;
    let planes = of_games(planes, "planes", each, games)?;
    Ok((planes, of_games(scalars, "scalars", Observation::SCALARS, games)?))
}
