//! The servers that stores are tested on.

use std::path::Path;

use anyhow::Result;

use crate::{
    setup::{self, Need},
    shell, venv,
};

const POSTGRES: &[Need] = &[Need {
    probe: &["sh", "-c", "ls /usr/lib/postgresql/*/bin/initdb || command -v initdb"],
    packages: &["postgresql"],
    purpose: "a store that is tested on a real server",
}];

/// Stand-ins for S3 and Google Cloud Storage.
const EMULATORS: &[&str] = &["moto[server]==5.2.5", "gcp-storage-emulator==2026.7.19"];

const BIGTABLE: &[&str] =
    &["cbtemulator", "/usr/lib/google-cloud-sdk/platform/bigtable-emulator/cbtemulator"];

/// Gets the servers that stores are tested on. PostgreSQL must be where Debian's packages can be
/// installed; what else is missing is said to be not run.
pub(crate) fn servers() -> Result<()> {
    if shell::succeeds(&["apt-get", "--version"]) {
        setup::ensure(POSTGRES)?;
    } else if !shell::succeeds(POSTGRES[0].probe) {
        eprintln!("not run: PostgreSQL, which is missing here");
    }
    if let Err(error) = venv::with("stores", EMULATORS) {
        eprintln!("not run: S3 and Google Cloud Storage, whose emulators are missing: {error:#}");
    }
    if !has_bigtable() {
        eprintln!("not run: Bigtable, whose emulator is missing here");
    }
    Ok(())
}

/// Whether tests find every server.
pub(crate) fn all_there() -> bool {
    shell::succeeds(POSTGRES[0].probe) && venv::with("stores", EMULATORS).is_ok() && has_bigtable()
}

fn has_bigtable() -> bool {
    let is_there = |name: &str| {
        Path::new(name).exists() || shell::succeeds(&["sh", "-c", "command -v \"$0\"", name])
    };
    BIGTABLE.iter().any(|name| is_there(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emulators_are_pinned() {
        assert!(EMULATORS.iter().all(|package| package.contains("==")));
    }
}
