//! Packages as a registry would hold them.

use std::{
    fs::{self, File},
    path::Path,
};

use anyhow::{Context, Result, ensure};
use flate2::read::GzDecoder;
use tar::Archive;

use crate::shell;

const CHESS: &str = concat!("everyply-chess-", env!("CARGO_PKG_VERSION"));
/// What the example prints first.
const FIRST_LINE: &str =
    "20 legal moves in rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Packs every package, and builds a crate outside the workspace that depends on a packed one.
pub(crate) fn check() -> Result<()> {
    let mut command = shell::cargo();
    command.args(["package", "--workspace", "--no-verify", "--allow-dirty", "--locked"]);
    // One of these depends on the other, which no registry will ever hold.
    command.args(["--exclude", "everyply-fuzz", "--exclude", "everyply-fuzz-tables"]);
    command.args(["--exclude", "everyply-web-bench"]);
    shell::run(&mut command)?;
    let packed = shell::target().join("package").join(format!("{CHESS}.crate"));
    let directory = tempfile::tempdir()?;
    outside(&packed, directory.path())
}

/// Runs the example of the packed chess crate in a crate that has never seen the workspace.
fn outside(packed: &Path, directory: &Path) -> Result<()> {
    let file = File::open(packed).with_context(|| packed.display().to_string())?;
    Archive::new(GzDecoder::new(file)).unpack(directory)?;
    let manifest = format!(
        "[package]\nname = \"outside\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [dependencies]\neveryply-chess = {{ path = \"{CHESS}\" }}\n\n[workspace]\n"
    );
    fs::write(directory.join("Cargo.toml"), manifest)?;
    // The versions of the workspace are on this machine already.
    fs::copy(shell::root().join("Cargo.lock"), directory.join("Cargo.lock"))?;
    fs::create_dir(directory.join("src"))?;
    fs::copy(directory.join(CHESS).join("examples/legal_moves.rs"), directory.join("src/main.rs"))?;
    let mut command = shell::cargo();
    command.args(["run", "--quiet", "--offline"]).current_dir(directory);
    let printed = shell::read(command.env("CARGO_TARGET_DIR", directory.join("target")))?;
    ensure!(printed.lines().next() == Some(FIRST_LINE), "the example printed: {printed}");
    eprintln!("{FIRST_LINE}, says a crate outside the workspace");
    Ok(())
}
