//! Replacement if the feature `gs` is off.

use solver::{Access, Store, StoreError};

pub(crate) fn open(bucket: &str, prefix: &str, _: &Access) -> Result<Box<dyn Store>, StoreError> {
    Err(crate::place::not_built(&format!("gs://{bucket}/{prefix}"), "gs"))
}
