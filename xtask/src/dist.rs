//! `cargo xtask dist`: what a release is made of, in `target/dist`.
//!
//! ```text
//! everyply-VERSION-HOST.tar.gz    bin/everyply, manual pages, completions, pages, licences
//! everyply-VERSION-*.whl          the wheel
//! SHA256SUMS                      of both
//! ```

mod archive;
pub(crate) mod glibc;
mod notices;

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::{
    shell,
    wheel::{self, RELEASED},
};

/// Every store that everyply knows.
pub(crate) const FEATURES: &str = "everyply/bigtable,everyply/gs,everyply/postgres,everyply/s3";

/// The shells there are completions for, and what each calls its file.
const SHELLS: &[(&str, &str)] = &[
    ("bash", "everyply.bash"),
    ("elvish", "everyply.elv"),
    ("fish", "everyply.fish"),
    ("powershell", "_everyply.ps1"),
    ("zsh", "_everyply"),
];

/// What of the repository goes along: licences, and the pages beside README.
const FILES: &[&str] = &[
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "STYLE.md",
];

const NOTICES: &str = "THIRD-PARTY.txt";

/// Builds everything anew where it has changed, and prints what it has made.
pub(crate) fn run() -> Result<()> {
    let directory = shell::target().join("dist");
    if directory.exists() {
        fs::remove_dir_all(&directory).with_context(|| directory.display().to_string())?;
    }
    let name = format!("everyply-{}-{}", env!("CARGO_PKG_VERSION"), host()?);
    let staged = directory.join(&name);
    stage(&staged)?;
    let archive = directory.join(format!("{name}.tar.gz"));
    archive::write(&staged, &name, &archive)?;
    fs::remove_dir_all(&staged).with_context(|| staged.display().to_string())?;
    let wheel = wheel::portable()?;
    glibc::check_wheel(&wheel)?;
    let copy = directory.join(wheel.file_name().context("a wheel without a name")?);
    fs::copy(&wheel, &copy).with_context(|| copy.display().to_string())?;
    let made = [archive, copy];
    let sums = directory.join("SHA256SUMS");
    fs::write(&sums, checksums(&made)?).with_context(|| sums.display().to_string())?;
    for path in made.iter().chain([&sums]) {
        println!("{:>10} bytes  {}", fs::metadata(path)?.len(), path.display());
    }
    Ok(())
}

/// Puts what goes into the archive into a directory.
fn stage(directory: &Path) -> Result<()> {
    // Features are chosen for the wheel too, so that it is made of what is built here.
    let features = format!("{FEATURES},everyply-python/{RELEASED}");
    let packages = ["--package", "everyply", "--package", "everyply-python"];
    let chosen = ["--features", &features, "--bin", "everyply"];
    let host = host()?;
    let mut build = glibc::cargo_build(&host)?;
    shell::run(build.args(["--release", "--locked"]).args(packages).args(chosen))?;
    let binary = directory.join("bin").join("everyply");
    copy(&shell::target().join(&host).join("release").join("everyply"), &binary)?;
    glibc::check(&binary)?;
    // Symbols are kept for profiles of the release build. They are most of its size, and whoever
    // takes the archive has no use for them.
    shell::run(shell::command("strip").arg(&binary))?;
    let program = binary.display().to_string();
    shell::run(shell::command(&program).args(["man", "--out"]).arg(directory.join("man/man1")))?;
    for (name, file) in SHELLS {
        let script = shell::read(shell::command(&program).args(["completions", name]))?;
        write(&directory.join("completions").join(file), &script)?;
    }
    for file in FILES {
        copy(&shell::root().join(file), &directory.join(file))?;
    }
    let docs = shell::root().join("docs");
    for entry in fs::read_dir(&docs).with_context(|| docs.display().to_string())? {
        let path = entry?.path();
        copy(
            &path,
            &directory.join("docs").join(path.file_name().context("a page without a name")?),
        )?;
    }
    write(&directory.join(NOTICES), &notices::collect(&host)?)
}

/// What rustc calls this machine.
pub(crate) fn host() -> Result<String> {
    let about = shell::read(shell::command("rustc").arg("-vV"))?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not say what it builds for")?.to_owned())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    make_parent(to)?;
    fs::copy(from, to).with_context(|| from.display().to_string())?;
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<()> {
    make_parent(path)?;
    fs::write(path, text).with_context(|| path.display().to_string())
}

fn make_parent(path: &Path) -> Result<()> {
    let directory = path.parent().context("a file has a directory")?;
    fs::create_dir_all(directory).with_context(|| directory.display().to_string())
}

/// A line for each file, as `sha256sum --check` reads them.
fn checksums(files: &[PathBuf]) -> Result<String> {
    let mut lines = String::new();
    for path in files {
        let bytes = fs::read(path).with_context(|| path.display().to_string())?;
        let digits: String =
            Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let name = path.file_name().context("a file has a name")?.to_string_lossy();
        lines += &format!("{digits}  {name}\n");
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_standard() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("abc");
        fs::write(&path, "abc").unwrap();
        // The example of FIPS 180-2.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  abc\n";
        assert_eq!(checksums(&[path]).unwrap(), expected);
    }
}
