//! What the wheel for tests shares with the tests of the workspace.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::Finding;
use crate::{shell, test::EVERYTHING, wheel::TESTED};

/// Every package with its features, a line each: of the workspace as the tests build it, and of
/// the wheel for tests.
pub(crate) struct Trees {
    workspace: String,
    wheel: String,
}

impl Trees {
    pub(crate) fn load() -> Result<Trees> {
        let wheel = ["--package", "everyply-python", "--features", TESTED, "--locked"];
        Ok(Trees {
            workspace: tree(EVERYTHING, "normal,build,dev")?,
            wheel: tree(&wheel, "normal,build")?,
        })
    }
}

fn tree(chosen: &[&str], edges: &str) -> Result<String> {
    let form = ["--prefix", "none", "--format", "{p}|{f}|", "--edges", edges];
    shell::read(shell::cargo().arg("tree").args(chosen).args(form))
}

/// Finds packages that the wheel for tests would build a second time, because it has them with
/// other features. Whatever depends on them would be built twice too. A package may be there twice,
/// for programs that run while others are built: then both must agree.
pub(crate) fn check(trees: &Trees) -> Vec<Finding> {
    let built = packages(&trees.workspace);
    let mut findings = Vec::new();
    for (package, features) in packages(&trees.wheel) {
        let others = built.get(package).cloned().unwrap_or_default();
        // The wheel itself is nowhere built but here.
        if features == others || package.starts_with("everyply-python ") {
            continue;
        }
        let told = |sets: BTreeSet<&str>| sets.into_iter().collect::<Vec<&str>>().join("] and [");
        let what = format!(
            "the wheel for tests has it with [{}], the workspace with [{}]; mend `{TESTED}` in \
             crates/python/Cargo.toml",
            told(features),
            told(others)
        );
        findings.push(Finding::new(package, what));
    }
    findings
}

/// The packages of a tree, each with its sets of features. A line that came before is marked at
/// its end.
fn packages(tree: &str) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut packages: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for line in tree.lines() {
        let Some((package, rest)) = line.split_once('|') else { continue };
        let features = rest.split_once('|').map_or(rest, |(features, _)| features);
        packages.entry(package).or_default().insert(features);
    }
    packages
}

#[cfg(test)]
mod tests {
    use super::{super::shown, *};

    #[test]
    fn packages_with_other_features_are_found_once() {
        let workspace = "everyply v0.1.0|default|\nchrono v0.4.0|serde,std|\nsyn v3.0.0|full|\n\
                         syn v3.0.0|parsing|\neveryply-python v0.1.0||\n";
        let check = |wheel: &str| {
            check(&Trees { workspace: workspace.to_owned(), wheel: wheel.to_owned() })
        };
        let shared = "everyply-python v0.1.0|unified|\nchrono v0.4.0|serde,std|\n\nsyn v3.0.0|parsing|\n\
                      syn v3.0.0|full| (*)\n";
        assert!(check(shared).is_empty());
        let found = check("syn v3.0.0|parsing|\n");
        assert_eq!(found.len(), 1, "only one of two is shared");
        let found = check("chrono v0.4.0|std|\nsyn v3.0.0||\nchrono v0.4.0|std| (*)\n");
        let mend = "mend `tested` in crates/python/Cargo.toml";
        assert_eq!(
            shown(&found),
            [
                format!(
                    "chrono v0.4.0: the wheel for tests has it with [std], the workspace with \
                     [serde,std]; {mend}"
                ),
                format!(
                    "syn v3.0.0: the wheel for tests has it with [], the workspace with [full] and \
                     [parsing]; {mend}"
                ),
            ]
        );
    }
}
