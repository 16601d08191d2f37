//! Buckets of S3, and of what speaks like it.
//!
//! Keys, region and endpoint come from the environment (`AWS_ACCESS_KEY_ID` and so on), or from the
//! machine's role. Timeouts and retries are those of stores.

use std::sync::Arc;

use object_store::ObjectStore;

pub(crate) fn open(bucket: &str) -> Result<Arc<dyn ObjectStore>, String> {
    let store = stores::s3::client(bucket).map_err(|error| error.to_string())?;
    Ok(Arc::new(store))
}
