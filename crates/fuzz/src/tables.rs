//! Manifests of dense tables.

use std::{
    any::Any,
    ops::Range,
    sync::{Mutex, PoisonError},
};

use solver::{
    StoreError,
    table::{Manifest, Place},
};
use xxhash_rust::xxh3::xxh3_64;

/// The bytes are a manifest, and also one without its last line, which holds a checksum that no
/// chance would find.
pub(crate) fn an_accepted_manifest_is_read_back_as_it_was(data: &[u8]) {
    let sealed = [data, format!("end {:016x}\n", xxh3_64(data)).as_bytes()].concat();
    for bytes in [data.to_vec(), sealed] {
        let place = Shelf(Mutex::new(bytes));
        let Ok(Some(manifest)) = Manifest::read(&place) else { continue };
        manifest.units();
        manifest.bytes();
        manifest.write(&place).expect("memory can be written");
        assert_eq!(Manifest::read(&place).expect("our own manifest is good"), Some(manifest));
    }
}

/// A place with one file.
struct Shelf(Mutex<Vec<u8>>);

impl Shelf {
    fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Place for Shelf {
    fn name(&self) -> String {
        "memory".to_owned()
    }

    fn put(&self, _: &str, bytes: &[u8]) -> Result<(), StoreError> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = bytes.to_vec();
        Ok(())
    }

    fn get(&self, _: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(Some(self.bytes()))
    }

    fn get_part(&self, _: &str, part: Range<u64>) -> Result<Vec<u8>, StoreError> {
        let bytes = self.bytes();
        let part = usize::try_from(part.start).ok().zip(usize::try_from(part.end).ok());
        let part = part.and_then(|(start, end)| bytes.get(start..end));
        Ok(part.unwrap_or_default().to_vec())
    }

    fn lock(&self) -> Result<Box<dyn Any + Send>, StoreError> {
        Ok(Box::new(()))
    }
}
