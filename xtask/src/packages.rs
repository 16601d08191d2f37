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

/// Packs every package, and builds what stands outside the workspace and depends on packed ones: a
/// crate, and the template for a game of one's own.
pub(crate) fn check() -> Result<()> {
    let mut command = shell::cargo();
    command.args(["package", "--workspace", "--no-verify", "--allow-dirty", "--locked"]);
    // One of these depends on the other, which no registry will ever hold.
    command.args(["--exclude", "everyply-fuzz", "--exclude", "everyply-fuzz-tables"]);
    command.args(["--exclude", "everyply-web-bench"]);
    shell::run(&mut command)?;
    let packed = shell::target().join("package").join(format!("{CHESS}.crate"));
    let directory = tempfile::tempdir()?;
    outside(&packed, directory.path())?;
    template(tempfile::tempdir()?.path())
}

const TEMPLATE: &str = "examples/your-own-game";

/// Compiles a copy of the template against the packed packages. Without SQL, since with it DataFusion
/// would be built a second time; a test of `crates/cli` builds it with SQL.
fn template(directory: &Path) -> Result<()> {
    let mut manifest = fs::read_to_string(shell::root().join(TEMPLATE).join("Cargo.toml"))?;
    manifest += "\n[patch.crates-io]\n";
    for entry in fs::read_dir(shell::target().join("package"))? {
        let packed = entry?.path();
        let end = concat!("-", env!("CARGO_PKG_VERSION"), ".crate");
        let name = packed.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some(package) = name.strip_suffix(end) {
            unpack(&packed, &directory.join("packages"))?;
            let path = name.trim_end_matches(".crate");
            manifest += &format!("{package} = {{ path = \"packages/{path}\" }}\n");
        }
    }
    fs::write(directory.join("Cargo.toml"), manifest)?;
    fs::copy(shell::root().join("Cargo.lock"), directory.join("Cargo.lock"))?;
    for name in ["src/main.rs", "src/heaps.rs", "tests/heaps.rs"] {
        let to = directory.join(name);
        fs::create_dir_all(to.parent().context("a file at the root")?)?;
        fs::copy(shell::root().join(TEMPLATE).join(name), to)?;
    }
    let mut command = shell::cargo();
    command.args(["check", "--quiet", "--offline", "--no-default-features", "--all-targets"]);
    command.current_dir(directory);
    shell::run(command.env("CARGO_TARGET_DIR", directory.join("target")))?;
    eprintln!("the template of a game compiles outside the workspace");
    Ok(())
}

fn unpack(packed: &Path, directory: &Path) -> Result<()> {
    let file = File::open(packed).with_context(|| packed.display().to_string())?;
    Ok(Archive::new(GzDecoder::new(file)).unpack(directory)?)
}

/// Runs the example of the packed chess crate in a crate that has never seen the workspace.
fn outside(packed: &Path, directory: &Path) -> Result<()> {
    unpack(packed, directory)?;
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
