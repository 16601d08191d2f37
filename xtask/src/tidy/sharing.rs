//! What the wheel for tests shares with the tests of the workspace, and the released wheel with the
//! released binary.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::Finding;
use crate::{
    dist::FEATURES,
    shell,
    test::EVERYTHING,
    wheel::{RELEASED, TESTED},
};

/// Every package with its features, a line each: of what is built first, and of a wheel that is
/// made of it.
pub(crate) struct Trees {
    built: String,
    wheel: String,
    /// The features of the wheel.
    features: &'static str,
    /// Whether packages that are there twice must be there twice in the wheel too.
    is_whole: bool,
}

impl Trees {
    /// The trees of the tests and of a release.
    pub(crate) fn load() -> Result<[Trees; 2]> {
        let wheel = |features| {
            let chosen = ["--package", "everyply-python", "--features", features, "--locked"];
            tree(&chosen, "normal,build")
        };
        let features = format!("{FEATURES},everyply-python/{RELEASED}");
        let released = ["--package", "everyply", "--package", "everyply-python", "--locked"];
        let released = [&released[..], &["--features", &features]].concat();
        Ok([
            Trees {
                built: tree(EVERYTHING, "normal,build,dev")?,
                wheel: wheel(TESTED)?,
                features: TESTED,
                is_whole: true,
            },
            Trees {
                built: tree(&released, "normal,build")?,
                wheel: wheel(RELEASED)?,
                features: RELEASED,
                is_whole: false,
            },
        ])
    }
}

fn tree(chosen: &[&str], edges: &str) -> Result<String> {
    let form = ["--prefix", "none", "--format", "{p}|{f}|", "--edges", edges];
    shell::read(shell::cargo().arg("tree").args(chosen).args(form))
}

/// Finds packages that the wheel would build a second time, because it has them with other
/// features. Whatever depends on them would be built twice too. A package may be there twice, for
/// programs that run while others are built.
pub(crate) fn check(trees: &Trees) -> Vec<Finding> {
    let built = packages(&trees.built);
    let mut findings = Vec::new();
    for (package, features) in packages(&trees.wheel) {
        let others = built.get(package).cloned().unwrap_or_default();
        let is_shared =
            if trees.is_whole { features == others } else { features.is_subset(&others) };
        // The wheel itself is nowhere built but here.
        if is_shared || package.starts_with("everyply-python ") {
            continue;
        }
        let told = |sets: BTreeSet<&str>| sets.into_iter().collect::<Vec<&str>>().join("] and [");
        let what = format!(
            "the wheel has it with [{}], what is built before with [{}]; mend `{}` in \
             crates/python/Cargo.toml",
            told(features),
            told(others),
            trees.features,
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
        let trees = |wheel: &str, is_whole| Trees {
            built: workspace.to_owned(),
            wheel: wheel.to_owned(),
            features: TESTED,
            is_whole,
        };
        let check = |wheel: &str| check(&trees(wheel, true));
        let shared = "everyply-python v0.1.0|unified|\nchrono v0.4.0|serde,std|\n\nsyn v3.0.0|parsing|\n\
                      syn v3.0.0|full| (*)\n";
        assert!(check(shared).is_empty());
        let found = check("syn v3.0.0|parsing|\n");
        assert_eq!(found.len(), 1, "only one of two is shared");
        assert!(super::check(&trees("syn v3.0.0|parsing|\n", false)).is_empty());
        let found = check("chrono v0.4.0|std|\nsyn v3.0.0||\nchrono v0.4.0|std| (*)\n");
        let mend = "mend `tested` in crates/python/Cargo.toml";
        assert_eq!(
            shown(&found),
            [
                format!(
                    "chrono v0.4.0: the wheel has it with [std], what is built before with \
                     [serde,std]; {mend}"
                ),
                format!(
                    "syn v3.0.0: the wheel has it with [], what is built before with [full] and \
                     [parsing]; {mend}"
                ),
            ]
        );
    }
}
