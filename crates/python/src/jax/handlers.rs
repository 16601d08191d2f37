//! What JAX calls: steps of games that are values, and what can be seen of them.

use fourchess_env::{Action, Batch, Bf16, F16, Number, Observation, SeenMut, Stepper};

use super::{
    config,
    xla::{Call, Entry, Handler, Target, bytes, entry},
};

/// What is called on the processor, by the ends of its names.
pub(super) const ALL: [(&str, Target); 6] = [
    ("load", entry::<Load>),
    ("step", entry::<Step>),
    ("save", entry::<Save>),
    ("observe", entry::<Observe>),
    ("mask", entry::<Mask>),
    ("expand", entry::<Expand>),
];

const NO_GAME: &str = "these bytes are no game";
pub(super) const VALUE: i64 = Stepper::BYTES as i64;
pub(super) const STATE: i64 = Batch::STATE_BYTES as i64;
pub(super) const PLANES: [i64; 2] = [Observation::PLANES as i64, Observation::WORDS as i64];
pub(super) const SCALARS: i64 = Observation::SCALARS as i64;
pub(super) const FLOATS: [i64; 3] = [Observation::FLOAT_PLANES as i64, 14, 14];

/// States in the documented form to values.
struct Load;

impl Handler for Load {
    const PANIC: &'static str = NO_GAME;

    fn call(call: &Call<'_>) -> Result<(), String> {
        let stepper = config::stepper(call)?;
        let states = call.argument(0, &[STATE])?;
        let values = call.result(0, &[VALUE])?;
        stepper.load(states, values, &mut seen(call)?).map_err(|error| error.to_string())
    }
}

/// Values and actions to values.
struct Step;

impl Handler for Step {
    const PANIC: &'static str = NO_GAME;

    fn call(call: &Call<'_>) -> Result<(), String> {
        let stepper = config::stepper(call)?;
        let values = call.in_place(0, 0, &[VALUE])?;
        let actions = call.argument(1, &[])?;
        stepper.step(values, actions, &mut seen(call)?).map_err(|error| error.to_string())
    }
}

/// Values to states in the documented form.
struct Save;

impl Handler for Save {
    const PANIC: &'static str = NO_GAME;

    fn call(call: &Call<'_>) -> Result<(), String> {
        let stepper = config::stepper(call)?;
        let values = call.argument(0, &[VALUE])?;
        let states = call.result(0, &[STATE])?;
        stepper.save(values, states).map_err(|error| error.to_string())
    }
}

/// Values to planes and scalars.
struct Observe;

impl Handler for Observe {
    const PANIC: &'static str = NO_GAME;

    fn call(call: &Call<'_>) -> Result<(), String> {
        let stepper = config::stepper(call)?;
        let values = call.argument(0, &[VALUE])?;
        let (planes, scalars) = (call.result(0, &PLANES)?, call.result(1, &[SCALARS])?);
        stepper.observe(values, planes, scalars).map_err(|error| error.to_string())
    }
}

/// Values to masks of legal actions.
struct Mask;

impl Handler for Mask {
    const PANIC: &'static str = NO_GAME;

    fn call(call: &Call<'_>) -> Result<(), String> {
        let stepper = config::stepper(call)?;
        let values = call.argument(0, &[VALUE])?;
        let masks = bytes(call.result(0, &[Action::COUNT as i64])?);
        stepper.mask(values, masks).map_err(|error| error.to_string())
    }
}

/// Planes and scalars to an array that networks take.
struct Expand;

impl Handler for Expand {
    const PANIC: &'static str = NO_GAME;

    fn call(call: &Call<'_>) -> Result<(), String> {
        if call.is::<F16>(0) {
            return expand::<F16>(call);
        }
        if call.is::<Bf16>(0) {
            return expand::<Bf16>(call);
        }
        if call.is::<u8>(0) {
            return expand::<u8>(call);
        }
        expand::<f32>(call)
    }
}

fn expand<N: Number + Entry>(call: &Call<'_>) -> Result<(), String> {
    const GAME: usize = Observation::PLANES * Observation::WORDS;
    const ROOM: usize = Observation::FLOAT_PLANES * Observation::CELLS;
    let planes = call.argument::<u32>(0, &PLANES)?.as_chunks::<GAME>().0;
    let scalars = call.argument::<i16>(1, &[SCALARS])?;
    let scalars = scalars.as_chunks::<{ Observation::SCALARS }>().0;
    let rooms = call.result::<N>(0, &FLOATS)?.as_chunks_mut::<ROOM>().0;
    if (planes.len(), scalars.len()) != (rooms.len(), rooms.len()) {
        let (planes, scalars) = (planes.len(), scalars.len());
        return Err(format!("planes of {planes} games and scalars of {scalars}"));
    }
    for ((planes, scalars), room) in planes.iter().zip(scalars).zip(rooms) {
        Observation::expand(planes, scalars, room);
    }
    Ok(())
}

/// The results after the first, by which every step is seen.
fn seen<'a>(call: &'a Call<'_>) -> Result<SeenMut<'a>, String> {
    Ok(SeenMut {
        current_player: call.result(1, &[])?,
        rewards: call.result(2, &[4])?.as_chunks_mut().0,
        terminated: bytes(call.result(3, &[])?),
        truncated: bytes(call.result(4, &[])?),
        move_valid: bytes(call.result(5, &[])?),
        plies: call.result(6, &[])?,
    })
}
