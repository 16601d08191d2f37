//! Buckets of Google Cloud Storage.
//!
//! Credentials come from `GOOGLE_APPLICATION_CREDENTIALS`, gcloud's own file or the machine's role;
//! `STORAGE_EMULATOR_HOST` names an emulator, which wants none.

use object_store::ClientOptions;
use object_store::gcp::GoogleCloudStorageBuilder;
use solver::{Access, Store, StoreError};

use crate::objects;

pub(crate) fn open(
    bucket: &str,
    prefix: &str,
    access: &Access,
) -> Result<Box<dyn Store>, StoreError> {
    let place = format!("gs://{bucket}/{prefix}");
    let mut builder = GoogleCloudStorageBuilder::from_env().with_bucket_name(bucket);
    if let Ok(host) = std::env::var("STORAGE_EMULATOR_HOST") {
        let url = if host.contains("://") { host } else { format!("http://{host}") };
        let options = ClientOptions::new().with_allow_http(url.starts_with("http://"));
        builder = builder.with_base_url(&url).with_skip_signature(true);
        builder = builder.with_client_options(options);
    }
    let store = builder.build().map_err(|error| StoreError::Unavailable {
        place: place.clone(),
        cause: error.to_string(),
    })?;
    objects::open(Box::new(store), prefix, place, access)
}
