//! Buckets of S3 and compatible services.
//!
//! Keys, region and endpoint come from the environment (`AWS_ACCESS_KEY_ID` and so on), or from the
//! machine's role.

mod client;

use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::{
    Error, GetOptions, ObjectStore, ObjectStoreExt, PutMode, PutOptions, UpdateVersion,
    aws::AmazonS3, path::Path,
};
use solver::{Access, Store, StoreError, tasks::Span};
use tokio::runtime::{Builder, Runtime};

pub use client::client;

use crate::{
    objects::{self, Only, Service, Version},
    parts::{self, Bucket},
};

pub(crate) fn open(
    bucket: &str,
    prefix: &str,
    access: &Access,
) -> Result<Box<dyn Store>, StoreError> {
    parts::open(self::bucket(bucket, prefix, access)?, access)
}

/// The bucket, to be written by one writer or by tasks.
pub(crate) fn bucket(
    bucket: &str,
    prefix: &str,
    access: &Access,
) -> Result<Box<dyn Bucket>, StoreError> {
    let place = format!("s3://{bucket}/{prefix}");
    let service =
        S3::new(bucket).map_err(|cause| StoreError::Unavailable { place: place.clone(), cause })?;
    objects::bucket(Box::new(service), prefix, place, access)
}

struct S3 {
    runtime: Runtime,
    bucket: AmazonS3,
}

impl S3 {
    fn new(bucket: &str) -> Result<S3, String> {
        let bucket = client(bucket).map_err(|error| error.to_string())?;
        let runtime = Builder::new_current_thread().enable_all().build();
        Ok(S3 { runtime: runtime.map_err(|error| error.to_string())?, bucket })
    }
}

impl Service for S3 {
    fn get(&mut self, name: &str) -> Result<Option<(Bytes, Version)>, String> {
        let path = path(name)?;
        let found = self.runtime.block_on(async {
            let found = self.bucket.get_opts(&path, GetOptions::default()).await?;
            let version = Version(found.meta.e_tag.clone().unwrap_or_default());
            Ok((found.bytes().await?, version))
        });
        match found {
            Ok(found) => Ok(Some(found)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(words(&error)),
        }
    }

    fn get_span(&mut self, name: &str, span: Span) -> Result<Option<Bytes>, String> {
        let path = path(name)?;
        let range = span.offset..span.offset + span.bytes;
        match self.runtime.block_on(self.bucket.get_range(&path, range)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(words(&error)),
        }
    }

    fn put(&mut self, name: &str, bytes: Bytes, only: Only) -> Result<Option<Version>, String> {
        let mode = match only {
            Only::Always => PutMode::Overwrite,
            Only::IfAbsent => PutMode::Create,
            Only::IfStill(Version(tag)) => {
                PutMode::Update(UpdateVersion { e_tag: Some(tag), version: None })
            }
        };
        let path = path(name)?;
        let put = self.bucket.put_opts(&path, bytes.into(), PutOptions::from(mode));
        match self.runtime.block_on(put) {
            Ok(put) => Ok(Some(Version(put.e_tag.unwrap_or_default()))),
            Err(Error::Precondition { .. } | Error::AlreadyExists { .. }) => Ok(None),
            Err(error) => Err(words(&error)),
        }
    }

    fn list(&mut self, prefix: &str) -> Result<Vec<String>, String> {
        let path = path(prefix.trim_end_matches('/'))?;
        let listed = self.runtime.block_on(self.bucket.list(Some(&path)).try_collect::<Vec<_>>());
        let listed = listed.map_err(|error| words(&error))?;
        Ok(listed.iter().map(|object| object.location.to_string()).collect())
    }

    fn delete(&mut self, name: &str) -> Result<(), String> {
        let path = path(name)?;
        match self.runtime.block_on(self.bucket.delete(&path)) {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(words(&error)),
        }
    }
}

/// The message of the service, or that it did not answer.
fn words(error: &Error) -> String {
    match error {
        Error::Generic { source, .. } => format!("the service does not answer: {source}"),
        other => other.to_string(),
    }
}

fn path(name: &str) -> Result<Path, String> {
    Path::parse(name).map_err(|error| error.to_string())
}
