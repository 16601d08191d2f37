//! Stands in where the feature `cuda` is off.

use fourchess_env::{Config, SelfPlay};

use crate::exit::bad_command;

const MISSING: &str = "this program was built without the feature cuda";

pub(crate) fn measure(_: &Config, _: usize, _: &str, _: u32) -> anyhow::Result<Option<f64>> {
    Err(bad_command(MISSING))
}

pub(crate) fn choose(_: &SelfPlay, _: &[u64], _: usize) -> anyhow::Result<Option<Vec<Vec<u16>>>> {
    Err(bad_command(MISSING))
}

pub(crate) fn about() -> Option<Result<String, String>> {
    None
}
