//! What `cargo metadata` says of the packages, cut down to what is checked.

use anyhow::{Context, Result};
use serde_json::Value;

use crate::shell;

/// A package of the lock file.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Package {
    /// What the rest of the workspace calls it: for a package of ours the name of its directory.
    pub(crate) name: String,
    /// What it is called in the registry.
    pub(crate) published: String,
    pub(crate) version: String,
    pub(crate) licence: Option<String>,
    /// The directory of a package of this workspace, from the root.
    pub(crate) directory: Option<String>,
    pub(crate) dependencies: Vec<Dependency>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Kind {
    /// Normal and build dependencies: what the crate knows.
    Real,
    /// What only its tests and benches know.
    Dev,
}

impl Package {
    pub(crate) fn is_ours(&self) -> bool {
        self.directory.is_some()
    }
}

/// Our own packages, in the order of their names.
pub(crate) fn ours(packages: &[Package]) -> Vec<&Package> {
    let mut ours: Vec<_> = packages.iter().filter(|package| package.is_ours()).collect();
    ours.sort_by(|a, b| a.name.cmp(&b.name));
    ours
}

pub(crate) fn load() -> Result<Vec<Package>> {
    let mut command = shell::cargo();
    let text = shell::read(command.args(["metadata", "--format-version", "1", "--locked"]))?;
    parse(&text)
}

fn parse(text: &str) -> Result<Vec<Package>> {
    let value: Value = serde_json::from_str(text)?;
    let root = value["workspace_root"].as_str().context("metadata without a root")?;
    let packages = value["packages"].as_array().context("metadata without packages")?;
    packages.iter().map(|package| parse_package(package, root)).collect()
}

fn parse_package(package: &Value, root: &str) -> Result<Package> {
    let text = |key: &str| package[key].as_str().map(str::to_owned);
    let dependencies = package["dependencies"].as_array().map_or(&[][..], Vec::as_slice);
    let manifest = text("manifest_path").context("a package without a manifest")?;
    // A package without a source is one by path: ours.
    let directory = package["source"].is_null().then(|| {
        let path = manifest.strip_prefix(root).unwrap_or(&manifest);
        path.trim_start_matches('/').trim_end_matches("/Cargo.toml").to_owned()
    });
    let published = text("name").context("a package without a name")?;
    let name = directory.as_deref().and_then(|directory| directory.rsplit('/').next());
    Ok(Package {
        name: name.unwrap_or(&published).to_owned(),
        published,
        version: text("version").context("a package without a version")?,
        licence: text("license"),
        directory,
        dependencies: dependencies.iter().map(parse_dependency).collect::<Result<_>>()?,
    })
}

fn parse_dependency(dependency: &Value) -> Result<Dependency> {
    // Ours are published under longer names than the workspace uses.
    let name = dependency["rename"].as_str().or(dependency["name"].as_str());
    let name = name.context("a dependency without a name")?.to_owned();
    let kind = if dependency["kind"] == "dev" { Kind::Dev } else { Kind::Real };
    Ok(Dependency { name, kind })
}

/// One of our packages, for the tests of the checks.
#[cfg(test)]
pub(crate) fn made_up(name: &str, real: &[&str], dev: &[&str]) -> Package {
    let dependency = |kind| move |name: &&str| Dependency { name: (*name).to_owned(), kind };
    let dependencies =
        real.iter().map(dependency(Kind::Real)).chain(dev.iter().map(dependency(Kind::Dev)));
    Package {
        name: name.to_owned(),
        published: format!("everyply-{name}"),
        version: "0.1.0".to_owned(),
        licence: Some("MIT".to_owned()),
        directory: Some(format!("crates/{name}")),
        dependencies: dependencies.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_cut_down() {
        let text = r#"{"workspace_root": "/w", "packages": [
            {"name": "everyply-chess", "version": "0.1.0", "license": "MIT", "source": null,
             "manifest_path": "/w/crates/chess/Cargo.toml",
             "dependencies": [{"name": "everyply-game", "rename": "game", "kind": null},
                              {"name": "proptest", "kind": "dev"}, {"name": "cc", "kind": "build"}]},
            {"name": "memchr", "version": "2.0.0", "license": null, "source": "registry",
             "manifest_path": "/elsewhere/Cargo.toml", "dependencies": []}]}"#;
        let packages = parse(text).unwrap();
        assert_eq!(packages[0], made_up("chess", &["game"], &["proptest"]).with_real("cc"));
        assert_eq!(ours(&packages), [&packages[0]]);
        assert_eq!(packages[1].licence, None);
    }

    impl Package {
        fn with_real(mut self, name: &str) -> Self {
            self.dependencies.push(Dependency { name: name.to_owned(), kind: Kind::Real });
            self
        }
    }
}
