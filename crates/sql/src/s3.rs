//! Buckets of S3, and of what speaks like it.
//!
//! Keys, region and endpoint come from the environment (`AWS_ACCESS_KEY_ID` and so on), or from the
//! machine's role.

use std::sync::Arc;

use object_store::{ObjectStore, aws::AmazonS3Builder};

pub(crate) fn open(bucket: &str) -> Result<Arc<dyn ObjectStore>, String> {
    let endpoints = ["AWS_ENDPOINT_URL", "AWS_ENDPOINT"].map(std::env::var);
    let plain = endpoints.iter().flatten().any(|endpoint| endpoint.starts_with("http://"));
    let builder = AmazonS3Builder::from_env().with_bucket_name(bucket).with_allow_http(plain);
    let store = builder.build().map_err(|error| error.to_string())?;
    Ok(Arc::new(store))
}
