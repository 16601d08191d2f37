//! `cargo xtask tidy`: checks what cargo cannot. Each check is a function from
//! made-up-able input to findings, in a file of its own.

mod dependencies;
mod dialect;
mod english;
mod files;
mod licences;
mod links;
mod manifests;
mod metadata;
mod printing;
mod purity;
mod rust;
mod schemas;
mod sharing;
mod size;
mod unsafety;
mod words;
mod writing;

use std::fmt;

use anyhow::{Result, bail};

use crate::shell;

/// Runs all checks; warnings are shown and let pass.
pub(crate) fn run() -> Result<()> {
    let packages = metadata::load()?;
    let files = files::load()?;
    let exists = |path: &str| shell::root().join(path).exists();
    let findings: Vec<Finding> = [
        dependencies::directions(&packages),
        dependencies::reserved(&packages),
        manifests::names(&packages),
        manifests::landing(&packages, &files),
        manifests::lints(&packages, &files),
        manifests::versions(&packages, &files),
        manifests::undocumented(&files),
        licences::check(&packages),
        sharing::Trees::load()?.iter().flat_map(sharing::check).collect(),
        words::forbidden(&files),
        words::names(&files),
        english::check(&files),
        dialect::check(&files),
        printing::check(&files),
        schemas::check(&files),
        writing::check(&files),
        purity::check(&files),
        size::too_long(&files),
        links::check(&files, exists),
        links::pages(&files, exists),
        unsafety::check(&files),
    ]
    .concat();
    for warning in size::long(&files) {
        eprintln!("warning: {warning}");
    }
    for finding in &findings {
        eprintln!("tidy: {finding}");
    }
    if !findings.is_empty() {
        bail!("tidy found {}", findings.len());
    }
    eprintln!("tidy: {} files and {} packages are fine", files.len(), packages.len());
    Ok(())
}

/// Something that is not as it should be.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Finding {
    place: String,
    what: String,
}

impl Finding {
    fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Finding { place: place.into(), what: what.into() }
    }

    fn at(path: &str, line: usize, what: impl Into<String>) -> Self {
        Finding::new(format!("{path}:{line}"), what)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

#[cfg(test)]
fn shown(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(ToString::to_string).collect()
}
