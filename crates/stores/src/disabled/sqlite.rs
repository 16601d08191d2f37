//! Replacement if the feature `sqlite` is off.

use std::path::Path;

use solver::{Access, Store, StoreError};

pub(crate) fn open(path: &Path, _: &Access) -> Result<Box<dyn Store>, StoreError> {
    Err(crate::place::not_built(&format!("sqlite:{}", path.display()), "sqlite"))
}
