//! Parts in a bucket of an object store, with its own runtime.
//!
//! The manifest and the lease are swapped by conditional puts, which S3 and GCS both have.

use std::collections::BTreeMap;
use std::time::Instant;

use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{
    Error, GetOptions, ObjectStore, ObjectStoreExt, PutMode, PutOptions, UpdateVersion,
};
use solver::{Access, Store, StoreError};
use tokio::runtime::{Builder, Runtime};

use crate::lease::{Lease, RENEWED};
use crate::parts::{self, Bucket};

const LEASE: &str = "lease";

/// Opens the store under a prefix of a bucket.
pub(crate) fn open(
    store: Box<dyn ObjectStore>,
    prefix: &str,
    place: String,
    access: &Access,
) -> Result<Box<dyn Store>, StoreError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| unavailable(&place, "", error.to_string()))?;
    let prefix = Path::parse(prefix)
        .map_err(|error| StoreError::Url { url: place.clone(), cause: error.to_string() })?;
    let versions = BTreeMap::new();
    let mut bucket = Objects { runtime, store, prefix, place, versions, lease: None };
    if *access != Access::Read {
        bucket.take_lease()?;
    }
    parts::open(Box::new(bucket), access)
}

struct Objects {
    runtime: Runtime,
    store: Box<dyn ObjectStore>,
    prefix: Path,
    place: String,
    /// What was last read or put under the names that are swapped.
    versions: BTreeMap<String, UpdateVersion>,
    lease: Option<(Lease, Instant)>,
}

impl Objects {
    fn take_lease(&mut self) -> Result<(), StoreError> {
        let last = self.read(LEASE)?;
        let last = last.and_then(|text| Lease::from_text(&text));
        let lease = Lease::after(last).ok_or_else(|| StoreError::Busy(self.place.clone()))?;
        self.put_if_unchanged(LEASE, lease.to_text().into())?;
        self.lease = Some((lease, Instant::now()));
        Ok(())
    }

    fn renew_lease(&mut self) -> Result<(), StoreError> {
        if let Some((lease, since)) = self.lease
            && since.elapsed() >= RENEWED
        {
            let lease = lease.renewed();
            self.put_if_unchanged(LEASE, lease.to_text().into())?;
            self.lease = Some((lease, Instant::now()));
        }
        Ok(())
    }

    /// Puts an object in the place of the one last seen under its name.
    fn put_if_unchanged(&mut self, name: &str, bytes: Bytes) -> Result<(), StoreError> {
        let seen = self.versions.get(name).cloned();
        let mode = seen.map_or(PutMode::Create, PutMode::Update);
        let put = self.runtime.block_on(self.store.put_opts(
            &self.prefix.clone().join(name),
            bytes.into(),
            PutOptions::from(mode),
        ));
        match put {
            Ok(put) => {
                self.versions.insert(name.to_owned(), put.into());
                Ok(())
            }
            // Another has put it since.
            Err(Error::Precondition { .. } | Error::AlreadyExists { .. }) => {
                Err(StoreError::Busy(self.place.clone()))
            }
            Err(error) => Err(unavailable(&self.place, name, error.to_string())),
        }
    }
}

impl Bucket for Objects {
    fn place(&self) -> &str {
        &self.place
    }

    fn writer(&self) -> u64 {
        self.lease.map_or(0, |(lease, _)| lease.writer)
    }

    fn read(&mut self, name: &str) -> Result<Option<Bytes>, StoreError> {
        self.renew_lease()?;
        let path = self.prefix.clone().join(name);
        let read = self.runtime.block_on(async {
            let found = self.store.get_opts(&path, GetOptions::default()).await?;
            let (e_tag, version) = (found.meta.e_tag.clone(), found.meta.version.clone());
            Ok((found.bytes().await?, UpdateVersion { e_tag, version }))
        });
        match read {
            Ok((bytes, version)) => {
                self.versions.insert(name.to_owned(), version);
                Ok(Some(bytes))
            }
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(unavailable(&self.place, name, error.to_string())),
        }
    }

    fn write(&mut self, name: &str, bytes: Bytes) -> Result<(), StoreError> {
        self.renew_lease()?;
        let path = self.prefix.clone().join(name);
        let put = self.runtime.block_on(self.store.put(&path, bytes.into()));
        put.map(drop).map_err(|error| unavailable(&self.place, name, error.to_string()))
    }

    fn swap(&mut self, name: &str, bytes: Bytes) -> Result<(), StoreError> {
        self.renew_lease()?;
        self.put_if_unchanged(name, bytes)
    }

    fn list(&mut self) -> Result<Vec<String>, StoreError> {
        let objects = self.store.list(Some(&self.prefix));
        let listed = self.runtime.block_on(objects.try_collect::<Vec<_>>());
        let listed = listed.map_err(|error| unavailable(&self.place, "", error.to_string()))?;
        // Objects deeper down belong to others.
        let inside = listed.iter().filter(|object| {
            object.location.prefix_matches(&self.prefix)
                && object.location.parts().count() == self.prefix.parts().count() + 1
        });
        Ok(inside.filter_map(|object| object.location.filename()).map(str::to_owned).collect())
    }

    fn remove(&mut self, name: &str) -> Result<(), StoreError> {
        let path = self.prefix.clone().join(name);
        match self.runtime.block_on(self.store.delete(&path)) {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(unavailable(&self.place, name, error.to_string())),
        }
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        if let Some((lease, _)) = self.lease {
            // Where this fails, the lease runs out by itself.
            let _ = self.put_if_unchanged(LEASE, lease.ended().to_text().into());
        }
    }
}

fn unavailable(place: &str, name: &str, cause: String) -> StoreError {
    let place = if name.is_empty() { place.to_owned() } else { format!("{place}/{name}") };
    StoreError::Unavailable { place, cause }
}
