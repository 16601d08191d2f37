//! Who knows whom.

use super::{
    Finding,
    metadata::{Kind, Package, ours},
};

/// Each crate and those of ours it may depend on, build dependencies included.
/// Rules know nothing of ours, engines know rules, edges know engines, outputs
/// know all below them; never back.
const MAY_KNOW: &[(&str, &[&str])] = &[
    ("chess", &[]),
    ("chess-facts", &["chess"]),
    ("chess-relations", &["chess"]),
    ("game", &[]),
    ("kalah", &["game"]),
    ("solver", &["game", "sinks"]),
    ("stores", &["game", "sinks", "solver", "sources"]),
    ("solver-plans", &["solver", "stores"]),
    ("kalah-answers", &["game", "kalah", "solver", "stores"]),
    ("kenken", &[]),
    // For the roles of pieces, their outlines and random numbers.
    ("fourchess", &["chess"]),
    ("fourchess-env", &["fourchess"]),
    ("fourchess-learned", &["fourchess", "fourchess-env"]),
    // Compiled kernels are kept in files.
    ("fourchess-cuda", &["fourchess", "fourchess-env", "sinks"]),
    // Not chess-relations: tables must not come to know DataFusion.
    (
        "tables",
        &[
            "chess",
            "chess-facts",
            "game",
            "kalah",
            "sinks",
            "solver",
            "stores",
            "kenken",
            "fourchess",
            "fourchess-env",
        ],
    ),
    (
        "sql",
        &[
            "chess",
            "chess-facts",
            "chess-relations",
            "game",
            "games",
            "kalah-answers",
            "sinks",
            "solver",
            "solver-plans",
            "sources",
            // Its client of S3.
            "stores",
            "tables",
        ],
    ),
    // Below all, so that whatever writes a file does it in the same way.
    ("sinks", &[]),
    ("sources", &[]),
    ("games", &["chess", "fourchess", "sources"]),
    ("pictures", &[]),
    // Targets of fuzzing know whatever reads, and only the tests and libFuzzer know them.
    (
        "fuzz",
        &[
            "chess",
            "fourchess",
            "fourchess-env",
            "game",
            "games",
            "kalah",
            "kenken",
            "solver",
            "sources",
        ],
    ),
    ("fuzz-tables", &["chess-relations", "fuzz", "solver", "sql", "stores", "tables"]),
    ("python", BELOW_OUTPUTS),
    ("web", BELOW_OUTPUTS),
    ("web-bench", &[]),
    // What a command is made of, for any game; it knows none.
    ("commands", &["game", "pictures", "sinks", "solver", "sources", "sql", "stores", "tables"]),
    ("cli", BELOW_CLI),
    ("xtask", &[]),
];

const BELOW_CLI: &[&str] = &[
    "chess",
    "chess-facts",
    "chess-relations",
    "fourchess",
    "fourchess-cuda",
    "fourchess-env",
    "fourchess-learned",
    "game",
    "games",
    "kalah",
    "kalah-answers",
    "kenken",
    "pictures",
    "sinks",
    "solver",
    "solver-plans",
    "sources",
    "sql",
    "stores",
    "tables",
    "commands",
    "web",
];

/// The same without `commands` and `web`, which stand last.
const BELOW_OUTPUTS: &[&str] = BELOW_CLI.split_last_chunk::<2>().expect("a list of crates").0;

const OUTPUTS: &[&str] = &["cli", "commands", "web", "python"];

/// Packages of others that only some crates may know. A `*` stands for any
/// ending.
const RESERVED: &[(&str, &[&str])] = &[
    ("anyhow", &["cli", "commands", "xtask"]),
    ("clap*", &["cli", "commands"]),
    ("serde", OUTPUTS),
    ("serde_derive", OUTPUTS),
    (
        "arrow*",
        &[
            "tables",
            "chess-relations",
            "solver-plans",
            "sql",
            "stores",
            "cli",
            "commands",
            "web",
            "python",
        ],
    ),
    ("parquet", &["tables", "sql", "stores"]),
    ("datafusion*", &["chess-relations", "solver-plans", "sql"]),
    ("ballista*", &["sql"]),
    ("tokio", &["stores", "solver-plans", "sql", "cli", "web"]),
    ("rusqlite", &["stores"]),
    ("tokio-postgres", &["stores"]),
    ("bigtable_rs", &["stores"]),
    ("object_store", &["stores", "sql"]),
    // The wheel names it only to have it with the features that it has in the binary.
    ("axum", &["web", "python"]),
    ("pyo3*", &["python"]),
    ("numpy", &["python"]),
    ("resvg", &["pictures"]),
];

/// Finds crates of ours that depend on one they must not know. Tests may know
/// any crate but an output.
pub(crate) fn directions(packages: &[Package]) -> Vec<Finding> {
    let ours = ours(packages);
    let is_ours = |name: &str| ours.iter().any(|package| package.name == name);
    let mut findings = Vec::new();
    for package in &ours {
        let Some((_, known)) = MAY_KNOW.iter().find(|(name, _)| *name == package.name) else {
            let what = "is not in the table of who may know whom (xtask/src/tidy/dependencies.rs)";
            findings.push(Finding::new(&package.name, what));
            continue;
        };
        for dependency in package.dependencies.iter().filter(|other| is_ours(&other.name)) {
            let name = dependency.name.as_str();
            let allowed = match dependency.kind {
                Kind::Real => known.contains(&name),
                Kind::Dev => !OUTPUTS.contains(&name) || known.contains(&name),
            };
            if !allowed {
                findings.push(Finding::new(&package.name, format!("must not know {name}")));
            }
        }
    }
    findings
}

/// Finds crates of ours that depend on a package reserved for others.
pub(crate) fn reserved(packages: &[Package]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in ours(packages) {
        let real = package.dependencies.iter().filter(|other| other.kind == Kind::Real);
        for dependency in real {
            let rule = RESERVED.iter().find(|(pattern, _)| matches(pattern, &dependency.name));
            if let Some((_, crates)) = rule
                && !crates.contains(&package.name.as_str())
            {
                let what =
                    format!("must not depend on {}: only {}", dependency.name, crates.join(", "));
                findings.push(Finding::new(&package.name, what));
            }
        }
    }
    findings
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{metadata::made_up, shown},
        *,
    };

    #[test]
    fn a_rules_crate_that_knows_a_neighbour_is_found() {
        let packages = [
            made_up("chess", &["sources", "memchr"], &[]),
            made_up("kalah", &["game"], &[]),
            made_up("game", &[], &["kalah"]),
            made_up("sources", &[], &["cli"]),
            made_up("cli", &["chess", "kalah"], &[]),
        ];
        let expected = ["chess: must not know sources", "sources: must not know cli"];
        assert_eq!(shown(&directions(&packages)), expected);
    }

    #[test]
    fn a_crate_outside_the_table_is_found() {
        let findings = shown(&directions(&[made_up("helpers", &[], &[])]));
        assert!(findings[0].starts_with("helpers: is not in the table"), "{findings:?}");
    }

    #[test]
    fn the_table_has_no_circle() {
        // Whatever a crate may know stands before it in some order: take away
        // those that know nobody left until none is left.
        let mut left: Vec<_> = MAY_KNOW.to_vec();
        while !left.is_empty() {
            let names: Vec<_> = left.iter().map(|(name, _)| *name).collect();
            left.retain(|(_, known)| known.iter().any(|name| names.contains(name)));
            assert!(left.len() < names.len(), "a circle among {names:?}");
        }
    }

    #[test]
    fn reserved_packages_stay_where_they_belong() {
        let packages = [
            made_up("chess", &["serde", "serde_json"], &["anyhow"]),
            made_up("cli", &["anyhow", "clap", "clap_complete"], &[]),
            made_up("tables", &["arrow-array", "datafusion-common"], &[]),
        ];
        let expected = [
            "chess: must not depend on serde: only cli, commands, web, python",
            "tables: must not depend on datafusion-common: only chess-relations, solver-plans, sql",
        ];
        assert_eq!(shown(&reserved(&packages)), expected);
    }
}
