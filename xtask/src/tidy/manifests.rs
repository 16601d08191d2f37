//! Our own manifests: where they stand and what every one must say.

use super::Finding;
use super::files::File;
use super::metadata::{Package, ours};

/// Finds packages that are not called like their folder.
pub(crate) fn folders(packages: &[Package]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in ours(packages) {
        let folder = package.folder.as_deref().unwrap_or_default();
        if folder.rsplit('/').next() != Some(package.name.as_str()) {
            findings.push(Finding::new(folder, format!("holds the package {}", package.name)));
        }
    }
    findings
}

/// Finds packages that do not take the lints of the workspace.
pub(crate) fn lints(packages: &[Package], files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in ours(packages) {
        let path = format!("{}/Cargo.toml", package.folder.as_deref().unwrap_or_default());
        let manifest = files.iter().find(|file| file.path == path);
        if !manifest.is_some_and(|file| takes_lints(&file.text)) {
            findings.push(Finding::new(path, "must say [lints] workspace = true"));
        }
    }
    findings
}

fn takes_lints(manifest: &str) -> bool {
    let mut section = "";
    manifest.lines().map(str::trim).any(|line| {
        if line.starts_with('[') {
            section = line;
        }
        let key: String = line.split_whitespace().collect();
        (section == "[lints]" && key == "workspace=true")
            || (section.is_empty() && key == "lints.workspace=true")
    })
}

#[cfg(test)]
mod tests {
    use super::super::metadata::made_up;
    use super::super::shown;
    use super::*;

    #[test]
    fn a_folder_called_otherwise_is_found() {
        let mut package = made_up("everyply", &[], &[]);
        package.folder = Some("crates/cli".to_owned());
        let packages = [package, made_up("chess", &[], &[])];
        assert_eq!(shown(&folders(&packages)), ["crates/cli: holds the package everyply"]);
    }

    #[test]
    fn a_manifest_without_the_lints_is_found() {
        let cases = [
            ("[package]\nname = 'a'\n[lints]\nworkspace = true\n", true),
            ("lints.workspace = true\n[package]\n", true),
            ("[package]\nname = 'a'\n", false),
            ("[lints]\n[dependencies]\nworkspace = true\n", false),
            ("[lints]\nworkspace = false\n", false),
        ];
        let packages = [made_up("chess", &[], &[])];
        for (text, fine) in cases {
            let files = [File::new("crates/chess/Cargo.toml", text)];
            assert_eq!(lints(&packages, &files).is_empty(), fine, "{text}");
        }
        assert_eq!(lints(&packages, &[]).len(), 1);
    }
}
