//! What must be on the machine besides a Rust toolchain, and how to get it.

use anyhow::{Result, bail};

use crate::shell;

/// Something that is not built here.
pub(crate) struct Need {
    /// A command that succeeds where it is there.
    pub(crate) probe: &'static [&'static str],
    /// The packages of Debian that bring it.
    pub(crate) packages: &'static [&'static str],
    /// What it is for.
    pub(crate) purpose: &'static str,
}

/// What the tests need.
pub(crate) const TESTS: &[Need] = &[
    Need { probe: &["cc", "--version"], packages: &["gcc", "libc6-dev"], purpose: "builds zstd" },
    Need {
        probe: &["c++", "--version"],
        packages: &["g++"],
        purpose: "compiles the kernels of the GPU for the processor",
    },
    Need { probe: &["git", "--version"], packages: &["git"], purpose: "tidy lists the files" },
    Need {
        probe: &["strace", "-V"],
        packages: &["strace"],
        purpose: "a test watches that what is written is synced",
    },
    CHROMIUM,
    CHROMEDRIVER,
];

const CHROMIUM: Need = Need {
    probe: &["chromium", "--version"],
    packages: &["chromium"],
    purpose: "shows the page in its tests",
};

const CHROMEDRIVER: Need = Need {
    probe: &["chromedriver", "--version"],
    packages: &["chromium-driver"],
    purpose: "clicks through the page in its tests",
};

/// What measurements of the page need.
pub(crate) const PAGE: &[Need] = &[
    CHROMIUM,
    CHROMEDRIVER,
    Need { probe: &["sh", "-c", "command -v wrk"], packages: &["wrk"], purpose: "loads the page" },
];

/// What the wheel needs, and a comparison with a Python program.
pub(crate) const PYTHON: &[Need] = &[Need {
    probe: &["python3", "-c", "import ensurepip, venv"],
    packages: &["python3", "python3-venv"],
    purpose: "builds and tests the wheel, runs the programs we compare with",
}];

/// Installs what is missing where that can be done, and otherwise says what to
/// install.
pub(crate) fn ensure(needs: &[Need]) -> Result<()> {
    let packages = missing_packages(needs, shell::succeeds);
    if packages.is_empty() {
        return Ok(());
    }
    let install = format!("apt-get install {}", packages.join(" "));
    if !shell::succeeds(&["apt-get", "--version"]) || !is_root() {
        bail!("something is missing: {}; on Debian: {install}", purposes(needs));
    }
    eprintln!("installing {}", packages.join(" "));
    shell::run(shell::command("apt-get").args(["update", "--quiet"]))?;
    shell::run(
        shell::command("apt-get")
            .args(["install", "--yes", "--quiet", "--no-install-recommends"])
            .args(&packages)
            .env("DEBIAN_FRONTEND", "noninteractive"),
    )?;
    if !missing_packages(needs, shell::succeeds).is_empty() {
        bail!("still missing after {install}: {}", purposes(needs));
    }
    Ok(())
}

fn is_root() -> bool {
    shell::read(shell::command("id").arg("-u")).is_ok_and(|user| user.trim() == "0")
}

fn missing_packages(needs: &[Need], succeeds: impl Fn(&[&str]) -> bool) -> Vec<&'static str> {
    let missing = needs.iter().filter(|need| !succeeds(need.probe));
    missing.flat_map(|need| need.packages).copied().collect()
}

fn purposes(needs: &[Need]) -> String {
    let missing = needs.iter().filter(|need| !shell::succeeds(need.probe));
    let lines = missing.map(|need| format!("{} ({})", need.probe.join(" "), need.purpose));
    lines.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_fails_its_probe_is_installed() {
        let there = |words: &[&str]| words[0] == "git";
        let expected = ["gcc", "libc6-dev", "g++", "strace", "chromium", "chromium-driver"];
        assert_eq!(missing_packages(TESTS, there), expected);
        assert!(missing_packages(TESTS, |_| true).is_empty());
    }
}
