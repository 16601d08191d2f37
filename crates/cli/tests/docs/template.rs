//! The template for a game of one's own, copied out of the tree, built there, and run as its README
//! says.

use std::{
    env, fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{ROOT, check, tell};

const TEMPLATE: &str = "examples/your-own-game";
/// Every feature of everyply that makes others build its dependencies differently.
const FEATURES: [(&str, bool); 5] = [
    ("bigtable", cfg!(feature = "bigtable")),
    ("cluster", cfg!(feature = "cluster")),
    ("gs", cfg!(feature = "gs")),
    ("postgres", cfg!(feature = "postgres")),
    ("s3", cfg!(feature = "s3")),
];

#[test]
fn the_template_builds_outside_the_tree_and_does_what_its_page_says() {
    let outside = tempfile::tempdir().expect("a directory");
    let binaries = Path::new(env!("CARGO_BIN_EXE_everyply")).parent().expect("a directory");

    build(outside.path(), binaries);
    let report = check(&format!("{TEMPLATE}/README.md"));
    assert!(report.run > 10, "the page is read");
    tell(&[report]);
}

/// Builds a copy of the template beside links to our packages, in a workspace with all of them: a
/// build that stands alone would have other features and so build DataFusion a second time, which
/// takes longer than all other tests.
fn build(outside: &Path, binaries: &Path) {
    let root = fs::canonicalize(ROOT).expect("the root");
    for name in [".cargo", "crates", "xtask"] {
        symlink(root.join(name), outside.join(name)).expect("a link");
    }
    fs::copy(root.join("Cargo.lock"), outside.join("Cargo.lock")).expect("a file");
    let manifest = fs::read_to_string(root.join("Cargo.toml")).expect("a file");
    let members = r#"members = ["crates/*", "xtask", "game"]"#;
    let manifest = manifest.replacen(r#"members = ["crates/*", "xtask"]"#, members, 1);
    assert!(manifest.contains(members), "{manifest}");
    let patch = "\n[patch.crates-io]\neveryply-commands = { path = \"crates/commands\" }\n\
                 everyply-game = { path = \"crates/game\" }\n";
    fs::write(outside.join("Cargo.toml"), manifest + patch).expect("a file");
    copy(&root.join(TEMPLATE), &outside.join("game"));

    let target = binaries.parent().expect("a directory");
    let features = FEATURES.iter().filter(|(_, has)| *has);
    let features: Vec<String> = features.map(|(name, _)| format!("everyply/{name}")).collect();
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // Those of this test would be taken for those of the build.
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            command.env_remove(name);
        }
    }
    command.args(["test", "--workspace", "--offline", "--bin", "heaps", "--test", "heaps"]);
    if !cfg!(debug_assertions) {
        command.arg("--release");
    }
    command.args(["--features", &features.join(",")]).env("CARGO_TARGET_DIR", target);
    let built = command.current_dir(outside).output().expect("cargo");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory") {
        let from = entry.expect("an entry").path();
        let to: PathBuf = to.join(from.file_name().expect("a name"));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).expect("a file");
        }
    }
}
