//! An archive that depends on nothing but what is in it.

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};
use tar::{EntryType, Header};

/// Packs a directory, under a name of its own: entries in the order of their names, without owners
/// and without clocks.
pub(crate) fn write(directory: &Path, name: &str, archive: &Path) -> Result<()> {
    let file = File::create(archive).with_context(|| archive.display().to_string())?;
    let mut packed = pack(directory, name, file)?;
    packed.flush().with_context(|| archive.display().to_string())
}

fn pack<W: Write>(directory: &Path, name: &str, out: W) -> Result<W> {
    let gzip = GzBuilder::new().mtime(0).write(out, Compression::best());
    let mut tar = tar::Builder::new(gzip);
    let mut paths = Vec::new();
    list(directory, &mut paths)?;
    for path in paths {
        let inside = path.strip_prefix(directory).expect("the list is of this directory");
        let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_size(bytes.len() as u64);
        header.set_mode(if inside.starts_with("bin") { 0o755 } else { 0o644 });
        header.set_mtime(0);
        header.set_uid(0);
        header.set_gid(0);
        tar.append_data(&mut header, Path::new(name).join(inside), &bytes[..])?;
    }
    Ok(tar.into_inner()?.finish()?)
}

/// The files below a directory, sorted.
fn list(directory: &Path, paths: &mut Vec<PathBuf>) -> Result<()> {
    let context = || directory.display().to_string();
    let entries = fs::read_dir(directory).with_context(context)?.map(|entry| Ok(entry?.path()));
    let mut entries = entries.collect::<Result<Vec<PathBuf>>>().with_context(context)?;
    entries.sort();
    for path in entries {
        if path.is_dir() { list(&path, paths)? } else { paths.push(path) }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn the_same_files_give_the_same_bytes() {
        let make = |order: [&str; 3]| {
            let directory = tempfile::tempdir().unwrap();
            for name in order {
                let path = directory.path().join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, name).unwrap();
            }
            pack(directory.path(), "everyply-1", Vec::new()).unwrap()
        };
        let packed = make(["bin/everyply", "README.md", "man/man1/everyply.1"]);
        assert_eq!(packed, make(["man/man1/everyply.1", "README.md", "bin/everyply"]));
        let mut archive = tar::Archive::new(GzDecoder::new(&packed[..]));
        let entries = archive.entries().unwrap().map(|entry| {
            let entry = entry.unwrap();
            let header = entry.header();
            (
                entry.path().unwrap().display().to_string(),
                header.mode().unwrap(),
                header.mtime().unwrap(),
            )
        });
        let expected = [
            ("everyply-1/README.md", 0o644, 0),
            ("everyply-1/bin/everyply", 0o755, 0),
            ("everyply-1/man/man1/everyply.1", 0o644, 0),
        ];
        assert_eq!(
            entries.collect::<Vec<_>>(),
            expected.map(|(name, mode, time)| (name.to_owned(), mode, time))
        );
    }
}
