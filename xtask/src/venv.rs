//! Virtual environments of Python under `target/venvs`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use crate::{setup, shell};

/// The Python of an environment that holds these packages and what they need; made where it is
/// not there yet or was made for others. What was installed besides stays.
pub(crate) fn with(name: &str, packages: &[impl AsRef<str>]) -> Result<String> {
    let directory = directory(name);
    let packages: Vec<&str> = packages.iter().map(AsRef::as_ref).collect();
    let wanted = packages.join("\n");
    // Written last, so that an interrupted installation is begun again.
    let installed = directory.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|found| found == wanted) {
        return Ok(python(&directory));
    }
    let python = empty(name)?;
    shell::run(pip_install(&python).args(packages))?;
    fs::write(&installed, wanted).with_context(|| installed.display().to_string())?;
    Ok(python)
}

/// The Python of an environment made anew, with nothing in it.
pub(crate) fn empty(name: &str) -> Result<String> {
    setup::ensure(setup::PYTHON)?;
    let directory = directory(name);
    shell::run(shell::command("python3").args(["-m", "venv", "--clear"]).arg(&directory))?;
    Ok(python(&directory))
}

/// `pip install` in the environment of this Python, still without packages.
pub(crate) fn pip_install(python: &str) -> std::process::Command {
    let mut command = shell::command(python);
    command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    command
}

fn directory(name: &str) -> PathBuf {
    shell::target().join("venvs").join(name)
}

fn python(directory: &Path) -> String {
    directory.join("bin").join("python").display().to_string()
}
