//! Stores that let readers in while they are written.

use solver::{Access, Store, StoreError};

/// Opens a store of a kind that refuses no reader, which is more than every store must.
pub(crate) fn admitted(url: &str, access: Access) -> Result<Box<dyn Store>, StoreError> {
    let reads = access == Access::Read;
    let opened = stores::open(url, access);
    assert!(!reads || !matches!(opened, Err(StoreError::Busy(_))), "{url}: a reader is refused");
    opened
}
