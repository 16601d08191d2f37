//! Replacement if the feature `s3` is off.

use solver::{Access, Store, StoreError};

pub(crate) fn open(
    bucket: &str,
    prefix: &str,
    access: &Access,
) -> Result<Box<dyn Store>, StoreError> {
    self::bucket(bucket, prefix, access)
}

#[allow(dead_code, reason = "tasks need one of the features that bring parts")]
pub(crate) fn bucket<B>(bucket: &str, prefix: &str, _: &Access) -> Result<B, StoreError> {
    Err(crate::place::not_built(&format!("s3://{bucket}/{prefix}"), "s3"))
}
