//! Programs that run on older systems: linked against an old glibc, and checked for it.
//!
//! A program linked on this machine asks for the glibc of this machine. Zig, which is a Python
//! package, links against any version.

use std::{path::Path, process::Command};

use anyhow::{Context, Result, ensure};

use crate::{shell, venv};

/// The oldest glibc that a release runs with: that of RHEL 8 and Debian 10.
pub(crate) const OLDEST: (u32, u32) = (2, 28);

/// Zig, and cargo with it as the linker.
pub(crate) const ZIG: [&str; 2] = ["cargo-zigbuild==0.24.0", "ziglang==0.17.0"];

/// `cargo build` that links against the oldest glibc.
pub(crate) fn cargo_build(host: &str) -> Result<Command> {
    let python = venv::with("zig", &ZIG)?;
    let programs = Path::new(&python).parent().context("Python is in a directory")?.to_owned();
    let mut command = shell::unaware(&programs.join("cargo-zigbuild").display().to_string());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(programs).chain(std::env::split_paths(&path));
    command.env("PATH", std::env::join_paths(paths)?);
    let (major, minor) = OLDEST;
    command.args(["zigbuild", "--target", &format!("{host}.{major}.{minor}")]);
    Ok(command)
}

/// Checks that a program or library needs no newer glibc.
pub(crate) fn check(path: &Path) -> Result<()> {
    let symbols = shell::read(shell::command("objdump").arg("--dynamic-syms").arg(path))?;
    let newest = newest(&symbols).with_context(|| format!("{}: no glibc", path.display()))?;
    let ((major, minor), path) = (newest, path.display());
    ensure!(newest <= OLDEST, "{path} needs glibc {major}.{minor}, newer than {OLDEST:?}");
    eprintln!("{path} needs glibc {major}.{minor}");
    Ok(())
}

/// Checks the library inside a wheel.
pub(crate) fn check_wheel(wheel: &Path) -> Result<()> {
    let directory = tempfile::tempdir()?;
    let unpack = ["-m", "zipfile", "--extract"];
    shell::run(shell::command("python3").args(unpack).arg(wheel).arg(directory.path()))?;
    check(&directory.path().join("everyply").join("_everyply.abi3.so"))
}

/// The newest version of glibc among the symbols that `objdump` lists.
fn newest(symbols: &str) -> Option<(u32, u32)> {
    let versions = symbols.split("GLIBC_").skip(1).filter_map(|rest| {
        let end = rest.find(|byte: char| byte != '.' && !byte.is_ascii_digit());
        let mut numbers = rest[..end.unwrap_or(rest.len())].split('.');
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    });
    versions.max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_is_found() {
        let symbols = "0 DF *UND* 0 (GLIBC_2.2.5) free\n0 DF *UND* 0 (GLIBC_2.28) statx\n\
                       0 DF *UND* 0 (GLIBC_2.9) pipe2\n0 DF *UND* 0 (GLIBC_PRIVATE) x\n";
        assert_eq!(newest(symbols), Some((2, 28)));
        assert_eq!(newest("0 DF *UND* 0 free"), None);
    }
}
