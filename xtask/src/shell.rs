//! Running other programs from the root of the workspace.

use std::{
    path::PathBuf,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};

/// The directory that holds the workspace's manifest.
pub(crate) fn root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo runs xtask and says where");
    PathBuf::from(manifest).parent().expect("xtask is a directory of the workspace").to_owned()
}

/// The directory for everything that can be made again.
pub(crate) fn target() -> PathBuf {
    let named = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    root().join(named.unwrap_or_else(|| PathBuf::from("target")))
}

/// The cargo that runs us.
pub(crate) fn cargo() -> Command {
    unaware(std::env::var("CARGO").as_deref().unwrap_or("cargo"))
}

/// A program that builds, without what cargo tells us of our own package: build scripts that look
/// at such variables would run again, and with them most of the workspace would be built again,
/// each time somebody calls cargo and xtask in turn.
pub(crate) fn unaware(program: &str) -> Command {
    let mut command = command(program);
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            command.env_remove(name.as_ref());
        }
    }
    command
}

/// A program to be run from the root.
pub(crate) fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// Runs a program that shows its own output.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("{program} cannot be started"))?;
    if !status.success() {
        bail!("{program} ended with {status}");
    }
    Ok(())
}

/// Runs a program and returns what it prints.
pub(crate) fn read(command: &mut Command) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("{program} cannot be started"))?;
    if !output.status.success() {
        bail!("{program} ended with {}", output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("{program} printed no text"))
}

/// Whether a program can be run and succeeds, whatever it prints.
pub(crate) fn succeeds(words: &[&str]) -> bool {
    let (program, arguments) = words.split_first().expect("a command has a name");
    command(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
