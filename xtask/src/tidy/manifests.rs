//! Our own manifests: where they stand and what every one must say.

use super::{
    Finding,
    files::File,
    metadata::{Package, ours},
};

/// Finds packages that are not published under the name that their directory stands for: short
/// names such as `chess` belong to others in the registry.
pub(crate) fn names(packages: &[Package]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in ours(packages) {
        let expected = match package.name.as_str() {
            "cli" => "everyply".to_owned(),
            "xtask" => "xtask".to_owned(),
            name => format!("everyply-{name}"),
        };
        if package.published != expected {
            let directory = package.directory.as_deref().unwrap_or_default();
            let what = format!("holds the package {}, expected {expected}", package.published);
            findings.push(Finding::new(directory, what));
        }
    }
    findings
}

/// Finds packages that a registry would show without what visitors look for.
pub(crate) fn landing(packages: &[Package], files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in ours(packages).into_iter().filter(|package| is_published(package)) {
        let path = format!("{}/Cargo.toml", package.directory.as_deref().unwrap_or_default());
        let manifest = files.iter().find(|file| file.path == path);
        for key in ["description", "readme", "keywords", "categories"] {
            if !manifest.is_some_and(|file| file.text.contains(&format!("\n{key} = "))) {
                findings.push(Finding::new(&path, format!("has no {key}")));
            }
        }
    }
    findings
}

/// Whether it goes to the registry: the wheel goes elsewhere, and automation nowhere.
fn is_published(package: &Package) -> bool {
    let elsewhere = ["fuzz", "fuzz-tables", "python", "web-bench", "xtask"];
    package.is_ours() && !elsewhere.contains(&package.name.as_str())
}

/// Finds packages that do not take the lints of the workspace.
pub(crate) fn lints(packages: &[Package], files: &[File]) -> Vec<Finding> {
    must_say(packages, files, "[lints]", "workspace=true", "must say [lints] workspace = true")
}

/// Finds packages with a version of their own: it stands in the manifest of the workspace alone,
/// and the wheel takes it from there too.
pub(crate) fn versions(packages: &[Package], files: &[File]) -> Vec<Finding> {
    let what = "must say version.workspace = true";
    let mut findings = must_say(packages, files, "[package]", "version.workspace=true", what);
    let wheel = files.iter().find(|file| file.path == "crates/python/pyproject.toml");
    if wheel.is_some_and(|file| !says(&file.text, "[project]", "dynamic=[\"version\"]")) {
        let what = "must say dynamic = [\"version\"]";
        findings.push(Finding::new("crates/python/pyproject.toml", what));
    }
    findings
}

/// Finds a workspace that lets public items go undocumented.
pub(crate) fn undocumented(files: &[File]) -> Vec<Finding> {
    let root = files.iter().find(|file| file.path == "Cargo.toml");
    let denied = |file: &File| says(&file.text, "[workspace.lints.rust]", "missing_docs=\"deny\"");
    if root.is_some_and(denied) {
        return Vec::new();
    }
    vec![Finding::new(
        "Cargo.toml",
        "must say missing_docs = \"deny\" under [workspace.lints.rust]",
    )]
}

fn must_say(
    packages: &[Package],
    files: &[File],
    section: &str,
    line: &str,
    what: &str,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in ours(packages) {
        let path = format!("{}/Cargo.toml", package.directory.as_deref().unwrap_or_default());
        let manifest = files.iter().find(|file| file.path == path);
        if !manifest.is_some_and(|file| says(&file.text, section, line)) {
            findings.push(Finding::new(path, what));
        }
    }
    findings
}

/// Whether a manifest has this line, white space apart, in a section.
fn says(manifest: &str, section: &str, line: &str) -> bool {
    let mut current = "";
    manifest.lines().map(str::trim).any(|text| {
        if text.starts_with('[') {
            current = text;
        }
        current == section && text.split_whitespace().collect::<String>() == line
    })
}

#[cfg(test)]
mod tests {
    use super::{
        super::{metadata::made_up, shown},
        *,
    };

    #[test]
    fn a_package_called_otherwise_is_found() {
        let mut package = made_up("cli", &[], &[]);
        assert_eq!(
            shown(&names(std::slice::from_ref(&package))),
            ["crates/cli: holds the package everyply-cli, expected everyply"]
        );
        package.published = "everyply".to_owned();
        assert!(names(&[package, made_up("chess", &[], &[])]).is_empty());
    }

    #[test]
    fn a_package_without_a_landing_page_is_found() {
        let packages = [made_up("chess", &[], &[]), made_up("python", &[], &[])];
        let said = "[package]\nreadme = \"README.md\"\nkeywords = []\ndescription = \"x\"\n";
        let files = [File::new("crates/chess/Cargo.toml", said)];
        assert_eq!(
            shown(&landing(&packages, &files)),
            ["crates/chess/Cargo.toml: has no categories"]
        );
    }

    #[test]
    fn a_manifest_without_the_lints_is_found() {
        let cases = [
            ("[package]\nname = 'a'\n[lints]\nworkspace = true\n", true),
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

    #[test]
    fn a_version_of_its_own_is_found() {
        let packages = [made_up("chess", &[], &[])];
        let check = |manifest: &str, wheel: &str| {
            let files = [
                File::new("crates/chess/Cargo.toml", manifest),
                File::new("crates/python/pyproject.toml", wheel),
            ];
            shown(&versions(&packages, &files))
        };
        let (one_place, dynamic) =
            ("[package]\nversion.workspace = true\n", "[project]\ndynamic = [\"version\"]\n");
        assert!(check(one_place, dynamic).is_empty());
        let expected = "crates/chess/Cargo.toml: must say version.workspace = true";
        assert_eq!(check("[package]\nversion = \"0.2.0\"\n", dynamic), [expected]);
        let expected = "crates/python/pyproject.toml: must say dynamic = [\"version\"]";
        assert_eq!(check(one_place, "[project]\nversion = \"0.2.0\"\n"), [expected]);
    }

    #[test]
    fn documentation_has_to_be_asked_for() {
        let check = |level: &str| {
            let text = format!("[workspace.lints.rust]\nmissing_docs = \"{level}\"\n");
            undocumented(&[File::new("Cargo.toml", &text)]).is_empty()
        };
        assert!(check("deny") && !check("warn"));
    }
}
