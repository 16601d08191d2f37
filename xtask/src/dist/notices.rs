//! The licences of everything that is linked into the program or the wheel.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::shell;

/// What is released: packages whose dependencies are linked in.
const ROOTS: &[&str] = &["everyply", "everyply-python"];

/// A package and where its sources are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Package {
    name: String,
    version: String,
    licence: String,
    repository: String,
    directory: PathBuf,
    /// A package of this workspace, whose licence goes along anyway; what it has taken in from
    /// others has not.
    is_ours: bool,
}

/// The notice: every package with its licence, then every text once.
pub(crate) fn collect(host: &str) -> Result<String> {
    let mut command = shell::cargo();
    command.args(["metadata", "--format-version", "1", "--locked", "--all-features"]);
    let metadata = shell::read(command.args(["--filter-platform", host]))?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let apache = shell::root().join("LICENSE-APACHE");
    let apache = fs::read_to_string(&apache).with_context(|| apache.display().to_string())?;
    notice(&linked(&metadata)?, &apache)
}

/// The packages that the roots depend on, directly or not, other than to be built or tested.
fn linked(metadata: &Value) -> Result<BTreeSet<Package>> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let nodes: BTreeMap<String, Value> = list(&metadata["resolve"]["nodes"])
        .into_iter()
        .map(|node| (text(&node["id"]), node))
        .collect();
    let packages: BTreeMap<String, Value> = list(&metadata["packages"])
        .into_iter()
        .map(|package| (text(&package["id"]), package))
        .collect();
    let is_root = |package: &&Value| {
        package["source"].is_null() && ROOTS.contains(&text(&package["name"]).as_str())
    };
    let mut waiting: Vec<String> =
        packages.values().filter(is_root).map(|package| text(&package["id"])).collect();
    if waiting.len() != ROOTS.len() {
        bail!("the metadata have {} of {}", waiting.len(), ROOTS.join(", "));
    }
    let mut seen = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        let node = nodes.get(&id).with_context(|| format!("{id} is not resolved"))?;
        if seen.insert(id) {
            let linked = list(&node["deps"]).into_iter().filter(|dependency| {
                list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null())
            });
            waiting.extend(linked.map(|dependency| text(&dependency["pkg"])));
        }
    }
    let package = |id: &String| {
        let package = packages.get(id).with_context(|| format!("{id} is not described"))?;
        let manifest = PathBuf::from(text(&package["manifest_path"]));
        Ok(Package {
            name: text(&package["name"]),
            version: text(&package["version"]),
            licence: text(&package["license"]),
            repository: text(&package["repository"]),
            directory: manifest.parent().context("a manifest has a directory")?.to_owned(),
            is_ours: package["source"].is_null(),
        })
    };
    seen.iter().map(package).collect()
}

fn notice(packages: &BTreeSet<Package>, apache: &str) -> Result<String> {
    let found: Vec<(&Package, Vec<String>)> =
        packages.iter().map(|package| Ok((package, texts_of(package)?))).collect::<Result<_>>()?;
    let mut texts: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut lines = String::new();
    let mut without = Vec::new();
    let stand_ins: Vec<Option<String>> =
        found.iter().map(|(package, _)| standard(package, apache)).collect();
    for ((package, own), stand_in) in found.iter().zip(&stand_ins) {
        let title = format!("{} {}", package.name, package.version);
        if !package.is_ours {
            lines += &format!("{title}  {}  {}\n", package.licence, package.repository);
        }
        let chosen = match (own.as_slice(), sibling(package, &found), stand_in) {
            ([], _, _) if package.is_ours => &[],
            ([], Some(texts), _) => texts,
            ([], None, Some(text)) => std::slice::from_ref(text),
            ([], None, None) => {
                without.push(format!("{title} ({})", package.licence));
                &[]
            }
            (own, _, _) => own,
        };
        for text in chosen {
            texts.entry(text).or_default().insert(title.clone());
        }
    }
    if !without.is_empty() {
        bail!("no text of a licence is at hand for {}", without.join(", "));
    }
    let mut notice = format!(
        "everyply contains work of others, which they offer under these licences. The texts follow\n\
         below.\n\n{lines}"
    );
    for (text, users) in texts {
        let users: Vec<String> = users.into_iter().collect();
        notice += &format!("\n{}\n{}\n\n{text}\n", "-".repeat(80), users.join(", "));
    }
    Ok(notice)
}

/// The texts of another package out of the same repository and under the same licence: a
/// repository of several often has its licence in one of them.
fn sibling<'a>(package: &Package, found: &'a [(&Package, Vec<String>)]) -> Option<&'a [String]> {
    let is_sibling = |other: &Package| {
        !package.repository.is_empty()
            && other.repository == package.repository
            && other.licence == package.licence
    };
    let mut others = found.iter().filter(|(other, texts)| is_sibling(other) && !texts.is_empty());
    others.next().map(|(_, texts)| texts.as_slice())
}

/// The texts that lie in a package, those of what it has taken in included.
fn texts_of(package: &Package) -> Result<Vec<String>> {
    let mut paths = Vec::new();
    find(&package.directory, 0, &mut paths)?;
    paths.sort();
    let read = |path: &PathBuf| {
        let bytes = fs::read(path).with_context(|| path.display().to_string())?;
        // The same text with other ends of lines is the same text.
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        Ok(lines.join("\n").trim().to_owned())
    };
    paths.iter().map(read).collect()
}

/// How far below a package licences of what it has taken in are looked for.
const DEPTH: usize = 3;

/// What is not linked in.
const LEFT_OUT: &[&str] = &["benches", "ci", "examples", "fuzz", "target", "tests"];

fn find(directory: &Path, depth: usize, paths: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(directory).with_context(|| directory.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if depth < DEPTH && !LEFT_OUT.contains(&name.as_str()) && !name.starts_with('.') {
                find(&path, depth + 1, paths)?;
            }
        } else if is_licence(&name) {
            paths.push(path);
        }
    }
    Ok(())
}

/// Whether a file holds the text of a licence, by its name. Code may be about licences too.
fn is_licence(name: &str) -> bool {
    const STARTS: &[&str] = &["license", "licence", "unlicense", "notice", "copyright", "copying"];
    const ENDS: &[&str] = &["md", "txt", "rst", "html"];
    let name = name.to_lowercase();
    let ending = Path::new(&name).extension().map(|ending| ending.to_string_lossy().into_owned());
    // `LICENSE-MIT`, `LICENSE_1.0.txt` and `LICENSE.Apache-2.0` are texts, `license.rs` is not.
    let is_code = ending.is_some_and(|ending| {
        !ENDS.contains(&ending.as_str())
            && ending.chars().all(|c| c.is_ascii_lowercase())
            && !is_named(&ending)
    });
    STARTS.iter().any(|start| name.starts_with(start)) && !is_code
}

fn is_named(ending: &str) -> bool {
    ["apache", "mit", "bsd", "zlib", "isc"].iter().any(|name| ending.starts_with(name))
}

/// The text of the licence of a package that brings none: the words of Apache-2.0 are always the
/// same, those of MIT but for whose work it is.
fn standard(package: &Package, apache: &str) -> Option<String> {
    let words: Vec<&str> =
        package.licence.split(|c: char| c.is_whitespace() || "()/".contains(c)).collect();
    if words.contains(&"Apache-2.0") && !words.contains(&"AND") {
        return Some(apache.trim().to_owned());
    }
    let is_mit = words.contains(&"MIT") && !words.contains(&"AND");
    is_mit.then(|| MIT.replace("{name}", &package.name))
}

const MIT: &str = "\
Copyright (c) the authors of {name}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the \"Software\"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or
substantial portions of the Software.

THE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT
OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.";

#[cfg(test)]
mod tests {
    use super::*;

    fn package(directory: &Path, name: &str, licence: &str, files: &[(&str, &str)]) -> Package {
        let directory = directory.join(name);
        for (file, text) in files {
            let path = directory.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::create_dir_all(&directory).unwrap();
        let repository = match name {
            "c" | "sibling" => "https://example.org".to_owned(),
            _ => String::new(),
        };
        let version = "1.0.0".to_owned();
        let (name, licence) = (name.to_owned(), licence.to_owned());
        Package { name, version, licence, repository, directory, is_ours: false }
    }

    #[test]
    fn every_text_stands_once_with_all_who_use_it() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        let ours = package(root, "ours", "MIT", &[("fonts/LICENSE", "font terms")]);
        let packages = BTreeSet::from([
            package(root, "a", "MIT", &[("LICENSE-MIT", "terms\r\n"), ("src/license.rs", "code")]),
            package(root, "b", "MIT", &[("LICENSE", "terms\n"), ("tests/LICENSE", "not linked")]),
            package(root, "c", "BSD-3-Clause", &[("vendor/lib/COPYING", "vendored terms")]),
            package(root, "bare", "MIT", &[]),
            package(root, "free", "MIT OR Apache-2.0", &[]),
            package(root, "sibling", "BSD-3-Clause", &[]),
            Package { is_ours: true, ..ours },
        ]);
        let notice = notice(&packages, "apache terms\n").unwrap();
        assert!(notice.contains("\na 1.0.0, b 1.0.0\n\nterms\n"), "{notice}");
        assert!(notice.contains("\nc 1.0.0, sibling 1.0.0\n\nvendored terms\n"), "{notice}");
        assert!(notice.contains("\nours 1.0.0\n\nfont terms\n"), "{notice}");
        assert!(notice.contains("Copyright (c) the authors of bare\n"), "{notice}");
        assert!(notice.contains("\nfree 1.0.0\n\napache terms\n"), "{notice}");
        assert!(notice.contains("c 1.0.0  BSD-3-Clause  https://example.org\n"), "{notice}");
        assert!(!notice.contains("code") && !notice.contains("not linked"), "{notice}");
        assert!(!notice.contains("ours 1.0.0  MIT"), "{notice}");
    }

    #[test]
    fn a_package_without_a_text_is_an_error_that_names_it() {
        let directory = tempfile::tempdir().unwrap();
        let packages = BTreeSet::from([package(directory.path(), "silent", "BSD-3-Clause", &[])]);
        let error = notice(&packages, "").unwrap_err().to_string();
        assert_eq!(error, "no text of a licence is at hand for silent 1.0.0 (BSD-3-Clause)");
    }

    #[test]
    fn everything_that_is_linked_has_a_text() {
        let notice = collect("x86_64-unknown-linux-gnu").unwrap();
        for part in ["\nanyhow 1.", "\nzstd-sys 2.", "\npyo3 0.", "Bitstream Vera Fonts Copyright"]
        {
            assert!(notice.contains(part), "{part}");
        }
        assert!(!notice.contains("\nproptest 1."), "what only tests use is not linked");
    }

    #[test]
    fn only_what_is_linked_is_listed() {
        let package = |id: &str, source: &str| {
            format!(
                r#"{{"id": "{id}", "name": "{id}", "version": "1.0.0", "license": "MIT",
                "repository": null, "source": {source}, "manifest_path": "/w/{id}/Cargo.toml"}}"#
            )
        };
        let depends = |on: &str, kind: &str| {
            format!(r#"{{"pkg": "{on}", "dep_kinds": [{{"kind": {kind}}}]}}"#)
        };
        let node = |id: &str, deps: &[String]| {
            format!(r#"{{"id": "{id}", "deps": [{}]}}"#, deps.join(", "))
        };
        let packages = ["everyply", "everyply-python"].map(|id| package(id, "null"));
        let others =
            ["linked", "deep", "built", "tested", "stray"].map(|id| package(id, "\"registry\""));
        let nodes = [
            node("everyply", &[depends("linked", "null"), depends("built", "\"build\"")]),
            node("everyply-python", &[depends("linked", "null"), depends("tested", "\"dev\"")]),
            node("linked", &[depends("deep", "null")]),
            node("deep", &[depends("linked", "null")]),
            node("built", &[]),
            node("tested", &[]),
            node("stray", &[]),
        ];
        let packages = [&packages[..], &others].concat().join(", ");
        let text = format!(
            r#"{{"packages": [{packages}], "resolve": {{"nodes": [{}]}}}}"#,
            nodes.join(", ")
        );
        let linked = linked(&serde_json::from_str(&text).unwrap()).unwrap();
        let names: Vec<&str> = linked.iter().map(|package| package.name.as_str()).collect();
        assert_eq!(names, ["deep", "everyply", "everyply-python", "linked"]);
        assert!(
            linked.iter().all(|package| package.is_ours == ROOTS.contains(&package.name.as_str()))
        );
    }
}
