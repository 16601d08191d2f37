//! Replacement if the feature `bigtable` is off.

use solver::{Access, Store, StoreError};

pub(crate) fn open(
    project: &str,
    instance: &str,
    table: &str,
    _: &Access,
) -> Result<Box<dyn Store>, StoreError> {
    Err(crate::place::not_built(&format!("bigtable://{project}/{instance}/{table}"), "bigtable"))
}
