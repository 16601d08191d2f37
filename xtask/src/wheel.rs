//! `cargo xtask wheel`: the wheel `everyply`, and its tests.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};

use crate::{
    dist::{glibc, host},
    shell,
    test::EVERYTHING,
    venv,
};

/// Of cargo's profiles, the one a wheel is built in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Profile {
    /// What the tests have built already serves their wheel too.
    Dev,
    Release,
    /// The same, for machines with an older glibc.
    Portable,
}

const MATURIN: &str = "maturin==1.16.0";
const CRATE: &str = "crates/python";
/// The features of a released wheel. With them it reuses what was built for the released binary.
pub(crate) const RELEASED: &str = "unified";
/// One of the smallest tests of the command.
const A_TEST_OF_THE_COMMAND: &str = "command";
/// The features of a wheel for tests. With them it reuses what the tests have built.
pub(crate) const TESTED: &str = "tested";

/// Builds the wheel into `target/wheels`.
pub(crate) fn run() -> Result<()> {
    println!("{}", released()?.display());
    Ok(())
}

/// Builds the wheel as it is released.
pub(crate) fn released() -> Result<PathBuf> {
    build(Profile::Release, &shell::target().join("wheels"))
}

/// Builds the wheel as it is released, for machines with an older glibc.
pub(crate) fn portable() -> Result<PathBuf> {
    build(Profile::Portable, &shell::target().join("wheels").join("portable"))
}

/// The Python of an environment with these packages and the wheel as it is released.
pub(crate) fn installed(name: &str, packages: &[&str]) -> Result<String> {
    let wheel = released()?;
    if packages.is_empty() {
        let python = venv::empty(name)?;
        shell::run(venv::pip_install(&python).arg(&wheel))?;
        return Ok(python);
    }
    // Packages may be large, so they are kept from one run to the next.
    let python = venv::with(name, packages)?;
    shell::run(venv::pip_install(&python).args(["--force-reinstall", "--no-deps"]).arg(&wheel))?;
    // What the wheel needs is installed where it is missing.
    shell::run(venv::pip_install(&python).arg(&wheel))?;
    Ok(python)
}

/// Builds a wheel, checks its types, runs its tests, and runs its README where nothing else is
/// installed. The tests compare its tables with those of the command, which is built too, and run
/// batches on a GPU on a driver whose device is the processor.
pub(crate) fn test() -> Result<()> {
    let (command, driver) = (command()?, driver()?);
    let wheel = build(Profile::Dev, &shell::target().join("wheels").join("dev"))?;
    let requirements = shell::root().join(CRATE).join("requirements.txt");
    let requirements =
        fs::read_to_string(&requirements).with_context(|| requirements.display().to_string())?;
    let python = venv::with("python", &pinned(&requirements)?)?;
    let mut install = venv::pip_install(&python);
    shell::run(install.args(["--force-reinstall", "--no-deps"]).arg(&wheel))?;
    let steps: &[&[&str]] = &[
        &["-m", "mypy.stubtest", "everyply", "--mypy-config-file", "pyproject.toml"],
        &["-m", "mypy", "tests"],
        &["-m", "pytest", "--verbose"],
    ];
    for words in steps {
        eprintln!("python {}", words.join(" "));
        let mut step = shell::command(&python);
        step.args(*words).current_dir(shell::root().join(CRATE));
        step.env("EVERYPLY_COMMAND", &command).env("EVERYPLY_DRIVER", &driver);
        shell::run(&mut step)?;
    }
    let python = venv::empty("readme")?;
    shell::run(venv::pip_install(&python).arg(&wheel))?;
    eprintln!("python -m doctest README.md, with nothing but the wheel and what it asks for");
    let readme = format!("{CRATE}/README.md");
    shell::run(shell::command(&python).args(["-m", "doctest", "--verbose", &readme]))
}

/// The command as the tests have it.
fn command() -> Result<PathBuf> {
    // Cargo builds a binary for the tests of its package; `cargo build` would build what it depends
    // on with other features.
    let words = ["test", "--no-run", "--test", A_TEST_OF_THE_COMMAND];
    shell::run(shell::cargo().args(words).args(EVERYTHING))?;
    Ok(shell::target().join("debug").join("everyply"))
}

/// A directory with a driver of GPUs whose device is the processor, from the tests that have it.
fn driver() -> Result<PathBuf> {
    let directory = shell::target().join("driver");
    let words = ["test", "--quiet", "--test", "host"];
    let mut command = shell::cargo();
    command.args(words).args(EVERYTHING).args(["--", "both_libraries_are_kept_for_others"]);
    shell::run(command.env("EVERYPLY_DRIVER", &directory))?;
    Ok(directory)
}

/// The wheel that maturin makes, alone in its directory.
fn build(profile: Profile, directory: &Path) -> Result<PathBuf> {
    let (name, tools) = match profile {
        Profile::Dev | Profile::Release => ("wheel", vec![MATURIN]),
        Profile::Portable => ("portable-wheel", [&[MATURIN][..], &glibc::ZIG].concat()),
    };
    let python = venv::with(name, &tools)?;
    // An older version's wheel must not be taken for this one's.
    if directory.exists() {
        for wheel in wheels(directory)? {
            fs::remove_file(&wheel).with_context(|| wheel.display().to_string())?;
        }
    }
    let (cargo_profile, features) = match profile {
        Profile::Dev => ("dev", TESTED),
        Profile::Release | Profile::Portable => ("release", RELEASED),
    };
    let mut command = shell::unaware(&python);
    command.args(["-m", "maturin", "build", "--locked", "--profile", cargo_profile]);
    command.args(["--features", features]);
    command.args(["--manifest-path", &format!("{CRATE}/Cargo.toml")]).arg("--out").arg(directory);
    if profile == Profile::Portable {
        let (major, minor) = glibc::OLDEST;
        let compatibility = format!("manylinux_{major}_{minor}");
        command.args(["--zig", "--compatibility", &compatibility, "--target", &host()?]);
    }
    shell::run(&mut command)?;
    match wheels(directory)?.as_slice() {
        [wheel] => Ok(wheel.clone()),
        found => bail!("{} wheels in {}, expected one", found.len(), directory.display()),
    }
}

fn wheels(directory: &Path) -> Result<Vec<PathBuf>> {
    let context = || directory.display().to_string();
    let paths = fs::read_dir(directory).with_context(context)?.map(|entry| Ok(entry?.path()));
    let paths = paths.collect::<Result<Vec<PathBuf>>>().with_context(context)?;
    Ok(paths.into_iter().filter(|path| path.extension().is_some_and(|end| end == "whl")).collect())
}

/// The packages of a requirements file, each with its version.
fn pinned(requirements: &str) -> Result<Vec<&str>> {
    let lines = requirements.lines().map(str::trim);
    let packages = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let check = |package: &str| package.contains("==");
    match packages.clone().find(|package| !check(package)) {
        Some(package) => bail!("requirements.txt: {package} has no version"),
        None => Ok(packages.collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_pinned() {
        assert_eq!(pinned("# why\nnumpy==2.4\n\nmypy==2\n").unwrap(), ["numpy==2.4", "mypy==2"]);
        let error = pinned("numpy==2.4\nmypy>=2\n").unwrap_err().to_string();
        assert_eq!(error, "requirements.txt: mypy>=2 has no version");
    }
}
