//! IBM's accessibility checker, which the tests of the page run inside the browser. It is fetched
//! into `target` and belongs to nothing that is built or shipped.

use std::{fs, io::Read, path::Path};

use anyhow::{Context, Result, bail};
use flate2::read::GzDecoder;
use sha2::{Digest, Sha512};

use crate::shell;

const VERSION: &str = "4.0.34";

/// Of the package as it is published.
const SHA512: &str = "9c613b8f9808ffdd7840b82dd6d15c8ccf640abe042b1dc7c5cb6c644f01a1b3\
                      9b62642bf94a18b0a75654ba301b8407081ec6fc5d0faebde44f028434f1eb70";

/// The one file of the package that is needed.
const FILE: &str = "package/ace.js";

/// Fetches the checker where this version is not there yet. Without npm or a network the tests that
/// need it say that they are not run.
pub(crate) fn fetch() {
    if let Err(error) = fetched() {
        eprintln!("not run: the accessibility checker, which cannot be had: {error:#}");
    }
}

fn fetched() -> Result<()> {
    let directory = shell::target().join("accessibility");
    // Written last, so that an interrupted fetch is begun again.
    let version = directory.join("version.txt");
    if fs::read_to_string(&version).is_ok_and(|found| found == VERSION) {
        return Ok(());
    }
    fs::create_dir_all(&directory).with_context(|| directory.display().to_string())?;
    // npm knows where packages come from on this machine; it only fetches the archive.
    let package = format!("accessibility-checker-engine@{VERSION}");
    let npm = ["pack", "--silent", "--pack-destination", "."];
    shell::run(shell::command("npm").args(npm).arg(package).current_dir(&directory))?;
    let archive = directory.join(format!("accessibility-checker-engine-{VERSION}.tgz"));
    let bytes = fs::read(&archive).with_context(|| archive.display().to_string())?;
    let text = unpacked(&bytes, SHA512)?;
    place(&directory.join("ace.js"), &text)?;
    place(&version, VERSION.as_bytes())
}

fn place(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes).with_context(|| path.display().to_string())
}

/// The checker in the bytes of a package, which must be the expected ones.
fn unpacked(bytes: &[u8], expected: &str) -> Result<Vec<u8>> {
    let found: String = Sha512::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    if found != expected {
        bail!("the package has the SHA-512 {found}, not {expected}");
    }
    let mut archive = tar::Archive::new(GzDecoder::new(bytes));
    for entry in archive.entries()? {
        let mut entry = entry?;
        if entry.path()?.to_str() == Some(FILE) {
            let mut text = Vec::new();
            entry.read_to_end(&mut text)?;
            return Ok(text);
        }
    }
    bail!("the package has no {FILE}")
}

#[cfg(test)]
mod tests {
    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn package(name: &str) -> Vec<u8> {
        let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        let mut header = tar::Header::new_gnu();
        header.set_size(3);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, &b"ace"[..]).unwrap();
        builder.into_inner().unwrap().finish().unwrap()
    }

    fn digest(bytes: &[u8]) -> String {
        Sha512::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn only_the_expected_package_is_unpacked() {
        let good = package(FILE);
        assert_eq!(unpacked(&good, &digest(&good)).unwrap(), b"ace");
        let error = unpacked(&good, SHA512).unwrap_err().to_string();
        assert!(error.starts_with("the package has the SHA-512 "), "{error}");
        let other = package("package/other.js");
        let error = unpacked(&other, &digest(&other)).unwrap_err().to_string();
        assert_eq!(error, "the package has no package/ace.js");
    }
}
