//! Where the games of a batch are: on the processor, or on a GPU.

#[cfg(feature = "cuda")]
#[path = "cuda/enabled.rs"]
pub(crate) mod cuda;
#[cfg(not(feature = "cuda"))]
#[path = "cuda/disabled.rs"]
pub(crate) mod cuda;

use std::{fmt, sync::Mutex};

use fourchess_env::{Action, Config, Illegal, Player};
use pyo3::prelude::*;

use super::{Batch, IllegalAction, arrays, memory, options, raise};
use crate::error::refuse;

/// Where games are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Device {
    Cpu,
    Cuda(usize),
}

/// As [`named`] reads it.
impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Device::Cpu => f.write_str("cpu"),
            Device::Cuda(ordinal) => write!(f, "cuda:{ordinal}"),
        }
    }
}

/// The device of this name. `auto` is the first GPU if batches can run on it, and else the
/// processor; no other name stands for a second choice.
pub(super) fn named(py: Python<'_>, name: &str) -> PyResult<Device> {
    let number = name.strip_prefix("cuda:").and_then(|number| number.parse().ok());
    match (name, number) {
        ("cpu", _) => Ok(Device::Cpu),
        ("cuda", _) => Ok(Device::Cuda(0)),
        ("auto", _) if cuda::is_usable(py)? => Ok(Device::Cuda(0)),
        ("auto", _) => Ok(Device::Cpu),
        (_, Some(ordinal)) => Ok(Device::Cuda(ordinal)),
        _ => Err(refuse(format!("device: '{name}' is not one of cpu, cuda, cuda:N, auto"))),
    }
}

/// A batch on a device. Without a choice, illegal actions are errors on the processor; on a GPU
/// they change nothing, because an error there must be waited for in every step.
pub(super) fn batch<'py>(
    py: Python<'py>,
    mut config: Config,
    device: Device,
    illegal: Option<&str>,
    stream: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    config.illegal = match (illegal, device) {
        (Some(name), _) => options::illegal(name)?,
        (None, Device::Cpu) => Illegal::Error,
        (None, Device::Cuda(_)) => Illegal::Noop,
    };
    match device {
        Device::Cuda(ordinal) => cuda::batch(py, config, ordinal, stream),
        Device::Cpu if stream.is_some() => {
            Err(refuse("stream: a batch on the processor has none".to_owned()))
        }
        Device::Cpu => Ok(Bound::new(py, Batch::on_processor(py, config)?)?.into_any()),
    }
}

/// The name of the device that `name` stands for: `cpu`, or `cuda:` and a number. `auto` is the
/// first GPU if batches can run on it, and else the processor. A device that is missing raises only
/// when a batch is made on it.
///
/// >>> from everyply import fourchess
/// >>> fourchess.device("cpu"), fourchess.device("cuda")
/// ('cpu', 'cuda:0')
/// >>> fourchess.device("auto") in ("cpu", "cuda:0")
/// True
#[pyfunction]
#[pyo3(signature = (name="auto"))]
pub(crate) fn device(py: Python<'_>, name: &str) -> PyResult<String> {
    named(py, name).map(|device| device.to_string())
}

/// Plays plies with built-in players on the processor.
pub(super) fn play(
    py: Python<'_>,
    batch: &Batch,
    plies: u32,
    players: [Player; 4],
) -> PyResult<()> {
    let mut actions = memory::filled(0, batch.config.games)?;
    for _ in 0..plies {
        py.check_signals()?;
        let step = py.detach(|| {
            let mut batch = batch.lock();
            actions.fill(0);
            batch.choose_for(players.map(Some), &mut actions)?;
            batch.step(&actions)
        });
        step.map_err(raise)?;
    }
    Ok(())
}

impl Batch {
    /// A batch whose games are on the processor.
    pub(super) fn on_processor(py: Python<'_>, config: Config) -> PyResult<Batch> {
        memory::check(&config).map_err(raise)?;
        let batch = py.detach(|| fourchess_env::Batch::new(config.clone())).map_err(raise)?;
        let views = arrays::views(&batch);
        Ok(Batch { inner: Mutex::new(batch), config, views })
    }

    /// The action of a legal move of a game, which the error calls by another number.
    pub(super) fn action_of(
        &self,
        py: Python<'_>,
        game: usize,
        text: &str,
        called: usize,
    ) -> PyResult<u16> {
        let found = py.detach(|| {
            let batch = self.lock();
            batch.find_action(game, text).map(Action::id)
        });
        found.map_err(|cause| IllegalAction::new_err(format!("game {called}: {cause}")))
    }

    /// The error of an array that is not among the outputs.
    pub(super) fn not_computed(name: &str) -> PyErr {
        let output = match name {
            "legal_bits" | "legal_bytes" => name,
            "planes" | "scalars" => "observation",
            _ => {
                return refuse(format!(
                    "{name}: needs autoreset=\"same_step\" and outputs=[\"observation\"]"
                ));
            }
        };
        refuse(format!("{name}: not computed; request it with outputs=[\"{output}\"]"))
    }
}
