//! Replacement if the feature `postgres` is off.

use solver::{Access, Store, StoreError};

pub(crate) fn open(url: &str, schema: &str, _: &Access) -> Result<Box<dyn Store>, StoreError> {
    Err(crate::place::not_built(&format!("{url} schema {schema}"), "postgres"))
}
