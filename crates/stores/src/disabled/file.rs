//! Replacement if the feature `file` is off.

use std::path::Path;

use solver::{Access, Store, StoreError};

pub(crate) fn open(directory: &Path, access: &Access) -> Result<Box<dyn Store>, StoreError> {
    bucket(directory, access)
}

#[allow(dead_code, reason = "tasks need one of the features that bring parts")]
pub(crate) fn bucket<B>(directory: &Path, _: &Access) -> Result<B, StoreError> {
    Err(crate::place::not_built(&format!("file:{}", directory.display()), "file"))
}
