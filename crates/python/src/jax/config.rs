//! The configuration of games of JAX, as a text that is part of every compiled program.
//!
//! Programs that XLA has compiled may be kept in a cache and used by another process, so the text
//! says everything, and no number stands for what this process happens to know.

use std::sync::{Arc, Mutex, PoisonError};

use ::fourchess::Rules;
use fourchess_env::{Config, Stepper};
use pyo3::PyErr;

use super::xla::Call;
use crate::fourchess::options;

/// The name of the attribute.
pub(super) const ATTRIBUTE: &str = "config";

/// Steppers by their texts, the latest last.
static STEPPERS: Mutex<Vec<(String, Arc<Stepper>)>> = Mutex::new(Vec::new());

/// A program has one or a few. What is forgotten is made again.
const MOST: usize = 64;

/// A configuration as text: a line for each choice.
pub(super) fn text(config: &Config) -> String {
    let choices = options::names(config).into_iter().map(|(name, value)| (name, value.to_owned()));
    let preset = [("preset", config.rules.name.to_owned())];
    let lines = preset.into_iter().chain(config.rules.fields()).chain(choices);
    lines.map(|(name, value)| format!("{name}={value}\n")).collect()
}

/// The configuration that a text says.
fn read(text: &str) -> Result<Config, String> {
    let wrong = |line: &str| format!("config: '{line}' is no choice");
    let mut lines = text.lines().map(|line| line.split_once('=').ok_or_else(|| wrong(line)));
    let preset = lines.next().transpose()?.unwrap_or_default().1;
    let preset = Rules::PRESETS.into_iter().find(|rules| rules.name == preset);
    let mut config = Config::new(preset.ok_or("config: no preset")?, 1);
    for line in lines {
        let (name, value) = line?;
        let choice = |cause: PyErr| format!("config: {cause}");
        match name {
            "autoreset" => config.autoreset = options::autoreset(value).map_err(choice)?,
            "illegal" => config.illegal = options::illegal(value).map_err(choice)?,
            "reward" => config.reward = options::reward(value).map_err(choice)?,
            "ended_mask" => config.ended_mask = options::ended_mask(value).map_err(choice)?,
            _ => {
                let set = config.rules.set(name, value);
                set.map_err(|cause| format!("config: {cause}"))?;
            }
        }
    }
    Ok(config)
}

/// The stepper of a call.
pub(super) fn stepper(call: &Call<'_>) -> Result<Arc<Stepper>, String> {
    of(call.text(ATTRIBUTE)?)
}

/// The stepper of a text.
pub(super) fn of(text: &str) -> Result<Arc<Stepper>, String> {
    let mut steppers = STEPPERS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, stepper)) = steppers.iter().find(|(known, _)| known == text) {
        return Ok(stepper.clone());
    }
    let stepper = Stepper::new(&read(text)?).map_err(|error| error.to_string())?;
    let stepper = Arc::new(stepper);
    if steppers.len() == MOST {
        steppers.remove(0);
    }
    steppers.push((text.to_owned(), stepper.clone()));
    Ok(stepper)
}
