//! What a batch is made with, from Python and back.

use ::fourchess::{Rules, Setup};
use fourchess_env::{Autoreset, Config, EndedMask, Illegal, Outputs, Player, Reward};
use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    types::{PyBool, PyDict, PyList, PyString, PyTuple},
};

use crate::{error::refuse, strings::Strings};

const AUTORESETS: [(&str, Autoreset); 3] = [
    ("next_step", Autoreset::NextStep),
    ("same_step", Autoreset::SameStep),
    ("disabled", Autoreset::Disabled),
];
const ILLEGALS: [(&str, Illegal); 3] =
    [("error", Illegal::Error), ("noop", Illegal::Noop), ("lose", Illegal::Lose)];
const REWARDS: [(&str, Reward); 2] = [("points", Reward::Points), ("outcome", Reward::Outcome)];
const ENDED_MASKS: [(&str, EndedMask); 2] =
    [("zeros", EndedMask::Zeros), ("ones", EndedMask::Ones)];
const OUTPUTS: [&str; 3] = ["legal_bits", "legal_bytes", "observation"];

/// The key of a dictionary of rules that names the preset the others change.
const PRESET: &str = "preset";

/// The rules that an argument means: the name of a preset, or a dictionary of fields.
pub(crate) fn rules(argument: &Bound<'_, PyAny>) -> PyResult<Rules> {
    if let Ok(name) = argument.cast::<PyString>() {
        return preset(&name.to_cow()?);
    }
    let Ok(fields) = argument.cast::<PyDict>() else {
        let found = argument.get_type().name()?;
        let words = "expected the name of a preset or a dictionary of rules";
        return Err(PyTypeError::new_err(format!("rules: {found}, {words}")));
    };
    let mut rules = match fields.get_item(PRESET)? {
        Some(name) => preset(&name.extract::<String>()?)?,
        None => Rules::FFA,
    };
    for (name, value) in fields.iter() {
        let name: String = name.extract()?;
        if name != PRESET {
            let set = rules.set(&name, &text(&value)?);
            set.map_err(|cause| refuse(format!("rules: {cause}")))?;
        }
    }
    Ok(rules)
}

fn preset(name: &str) -> PyResult<Rules> {
    Ok(**named("rules", name, &Rules::PRESETS, |rules| rules.name)?)
}

/// A value as the rules read it: Python's True is true, a list has commas.
fn text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(flag.is_true().to_string());
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let parts = value.try_iter()?.map(|part| part?.str()?.extract::<String>());
        return Ok(parts.collect::<PyResult<Vec<String>>>()?.join(","));
    }
    value.str()?.extract()
}

/// Every field of rules by name, as [`rules`] reads them.
pub(super) fn rule_values<'py>(py: Python<'py>, rules: &Rules) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item(PRESET, rules.name)?;
    for (name, value) in rules.fields() {
        match (value.parse::<bool>(), value.parse::<i64>()) {
            (Ok(flag), _) => dict.set_item(name, flag)?,
            (_, Ok(number)) => dict.set_item(name, number)?,
            _ if value.contains(',') => {
                let numbers: Result<Vec<i64>, _> = value.split(',').map(str::parse).collect();
                dict.set_item(name, numbers.expect("lists of rules hold numbers"))?;
            }
            _ => dict.set_item(name, value)?,
        }
    }
    Ok(dict)
}

pub(super) fn setup(name: &str) -> PyResult<Setup> {
    Ok(*named("setup", name, &Setup::ALL, |setup| setup.name())?)
}

pub(crate) fn autoreset(name: &str) -> PyResult<Autoreset> {
    Ok(named("autoreset", name, &AUTORESETS, |mode| mode.0)?.1)
}

pub(crate) fn illegal(name: &str) -> PyResult<Illegal> {
    Ok(named("illegal", name, &ILLEGALS, |mode| mode.0)?.1)
}

pub(crate) fn reward(name: &str) -> PyResult<Reward> {
    Ok(named("reward", name, &REWARDS, |kind| kind.0)?.1)
}

pub(crate) fn ended_mask(name: &str) -> PyResult<EndedMask> {
    Ok(named("ended_mask", name, &ENDED_MASKS, |mask| mask.0)?.1)
}

pub(super) fn outputs(names: &Bound<'_, PyAny>) -> PyResult<Outputs> {
    let mut outputs = Outputs::default();
    let names = Strings::new(names, "outputs")?;
    for name in names.texts("outputs")? {
        named("outputs", name, &OUTPUTS, |output| output)?;
        *match name {
            "legal_bits" => &mut outputs.legal_bits,
            "legal_bytes" => &mut outputs.legal_bytes,
            _ => &mut outputs.observation,
        } = true;
    }
    Ok(outputs)
}

/// The players that an argument names: one for all seats, or one for each, None for nobody.
pub(super) fn players(argument: &Bound<'_, PyAny>) -> PyResult<[Option<Player>; 4]> {
    if let Ok(name) = argument.cast::<PyString>() {
        return Ok([Some(player(&name.to_cow()?)?); 4]);
    }
    let four = "player: expected a name, or a name or None for each of the four seats";
    let names: Vec<Option<String>> = argument.extract().map_err(|_| PyTypeError::new_err(four))?;
    let players = names.iter().map(|name| name.as_deref().map(player).transpose());
    let players = players.collect::<PyResult<Vec<Option<Player>>>>()?;
    players.try_into().map_err(|_| refuse(four.to_owned()))
}

/// The player of each seat, none missing: random without an argument.
pub(super) fn all_players(argument: Option<&Bound<'_, PyAny>>) -> PyResult<[Player; 4]> {
    let players = argument.map_or(Ok([Some(Player::Random); 4]), players)?;
    match players {
        [Some(red), Some(blue), Some(yellow), Some(green)] => Ok([red, blue, yellow, green]),
        _ => Err(refuse("player: expected a player for each of the four seats".to_owned())),
    }
}

fn player(name: &str) -> PyResult<Player> {
    if name == "learned" {
        let words = "player: 'learned' plays on the processor and ply by ply: use Network.choose";
        return Err(refuse(words.to_owned()));
    }
    Ok(*named("player", name, &Player::ALL, |player| player.name())?)
}

/// The choices of a configuration that have names.
pub(crate) fn names(config: &Config) -> [(&'static str, &'static str); 4] {
    fn name<T: PartialEq>(all: &[(&'static str, T)], value: &T) -> &'static str {
        all.iter().find(|entry| entry.1 == *value).expect("every choice has a name").0
    }
    [
        ("autoreset", name(&AUTORESETS, &config.autoreset)),
        ("illegal", name(&ILLEGALS, &config.illegal)),
        ("reward", name(&REWARDS, &config.reward)),
        ("ended_mask", name(&ENDED_MASKS, &config.ended_mask)),
    ]
}

/// The keywords that make a batch like this one.
pub(super) fn keywords<'py>(py: Python<'py>, config: &Config) -> PyResult<Bound<'py, PyDict>> {
    let keywords = PyDict::new(py);
    let computed =
        [config.outputs.legal_bits, config.outputs.legal_bytes, config.outputs.observation];
    let outputs = OUTPUTS.iter().zip(computed).filter(|(_, is_on)| *is_on);
    keywords.set_item("rules", rule_values(py, &config.rules)?)?;
    keywords.set_item("outputs", outputs.map(|(name, _)| *name).collect::<Vec<_>>())?;
    for (name, choice) in names(config) {
        keywords.set_item(name, choice)?;
    }
    keywords.set_item("seed", config.seed)?;
    keywords.set_item("threads", config.threads)?;
    Ok(keywords)
}

/// The one of a few things that has this name.
pub(crate) fn named<'a, T>(
    argument: &str,
    name: &str,
    all: &'a [T],
    name_of: impl Fn(&T) -> &'static str,
) -> PyResult<&'a T> {
    all.iter().find(|thing| name_of(thing) == name).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(name_of).collect();
        refuse(format!("{argument}: '{name}' is not one of {}", names.join(", ")))
    })
}
