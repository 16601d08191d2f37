//! Buckets of S3, and of what speaks like it.
//!
//! Keys, region and endpoint come from the environment (`AWS_ACCESS_KEY_ID` and so on), or from the
//! machine's role.

use object_store::aws::AmazonS3Builder;
use solver::{Access, Store, StoreError};

use crate::objects;

pub(crate) fn open(
    bucket: &str,
    prefix: &str,
    access: &Access,
) -> Result<Box<dyn Store>, StoreError> {
    let place = format!("s3://{bucket}/{prefix}");
    let plain = ["AWS_ENDPOINT_URL", "AWS_ENDPOINT"]
        .into_iter()
        .filter_map(|name| std::env::var(name).ok())
        .any(|endpoint| endpoint.starts_with("http://"));
    let store = AmazonS3Builder::from_env().with_bucket_name(bucket).with_allow_http(plain).build();
    let store = store.map_err(|error| StoreError::Unavailable {
        place: place.clone(),
        cause: error.to_string(),
    })?;
    objects::open(Box::new(store), prefix, place, access)
}
