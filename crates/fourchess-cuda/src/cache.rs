//! Compiled kernels on disk, so that a program compiles them once.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{error::Error, nvrtc::Nvrtc};

/// The image of a text for a compute capability: from the cache, or compiled and put there.
///
/// A cache that cannot be read or written is not an error: the kernels are compiled then.
pub(crate) fn image(
    text: &str,
    capability: (i32, i32),
    cache: Option<&Path>,
    directories: &[PathBuf],
) -> Result<Vec<u8>, Error> {
    let file = cache.map(|cache| cache.join(name(text, capability)));
    if let Some(image) = file.as_deref().and_then(read) {
        return Ok(image);
    }
    let image = Nvrtc::load(directories)?.compile(text, capability)?;
    if let Some(file) = file {
        write(&file, &image);
    }
    Ok(image)
}

/// The directory for compiled kernels of this user, if there is one.
pub fn cache_directory() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    let caches = variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")));
    Some(caches.filter(|path| path.is_absolute())?.join("everyply").join("fourchess-cuda"))
}

/// A name that only this text and this capability have.
fn name(text: &str, (major, minor): (i32, i32)) -> String {
    format!("{:016x}{:016x}-{major}{minor}.image", sum(text.as_bytes(), 0), sum(text.as_bytes(), 1))
}

/// FNV-1a with 64 bits, from one of several starts.
fn sum(bytes: &[u8], start: u64) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325 ^ start.wrapping_mul(0x9e37_79b9_7f4a_7c15), step)
}

/// An image is kept behind its sum, so that a damaged file is not given to the driver.
fn read(file: &Path) -> Option<Vec<u8>> {
    let bytes = fs::read(file).ok()?;
    let (expected, image) = bytes.split_first_chunk()?;
    (u64::from_le_bytes(*expected) == sum(image, 0)).then(|| image.to_vec())
}

fn write(file: &Path, image: &[u8]) {
    let mut bytes = sum(image, 0).to_le_bytes().to_vec();
    bytes.extend_from_slice(image);
    if let Some(directory) = file.parent() {
        // Without a cache the next start is slower, and nothing else.
        let _ = sinks::create_directory(directory).and_then(|()| sinks::write(file, &bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_comes_back_and_a_damaged_one_does_not() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("below").join(name("text", (9, 0)));
        assert_eq!(read(&file), None);
        write(&file, b"image");
        assert_eq!(read(&file).as_deref(), Some(&b"image"[..]));
        assert_eq!(image("text", (9, 0), file.parent(), &[]), Ok(b"image".to_vec()));
        let mut bytes = fs::read(&file).unwrap();
        bytes[9] ^= 1;
        fs::write(&file, bytes).unwrap();
        assert_eq!(read(&file), None);
        fs::write(&file, b"short").unwrap();
        assert_eq!(read(&file), None);
    }

    #[test]
    fn other_texts_and_devices_have_other_names() {
        assert_ne!(name("text", (9, 0)), name("text", (8, 9)));
        assert_ne!(name("text", (9, 0)), name("test", (9, 0)));
    }
}
