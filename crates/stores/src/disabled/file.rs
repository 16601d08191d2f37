//! Replacement if the feature `file` is off.

use std::path::Path;

use solver::{Access, Store, StoreError};

pub(crate) fn open(directory: &Path, _: &Access) -> Result<Box<dyn Store>, StoreError> {
    Err(crate::place::not_built(&format!("file:{}", directory.display()), "file"))
}
