//! Replacement if the feature `s3` is off.

use solver::{Access, Store, StoreError};

pub(crate) fn open(bucket: &str, prefix: &str, _: &Access) -> Result<Box<dyn Store>, StoreError> {
    Err(crate::place::not_built(&format!("s3://{bucket}/{prefix}"), "s3"))
}
