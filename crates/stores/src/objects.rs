//! Parts in a bucket of an object store.
//!
//! The manifest and the lease are replaced by conditional puts.

use std::{
    cell::Cell,
    collections::BTreeMap,
    time::{Duration, Instant},
};

use bytes::Bytes;
use solver::{Access, StoreError, tasks::Span};

use crate::{
    lease::{Lease, RENEWED},
    parts::{Bucket, truncated},
};

const LEASE: &str = "lease";

/// The operations of an object store, by the full names of objects. An error is the message of the
/// service.
pub(crate) trait Service: Send {
    /// The content and the version of an object, if it exists.
    fn get(&mut self, name: &str) -> Result<Option<(Bytes, Version)>, String>;

    /// Some bytes of an object, if it exists; fewer if it ends before.
    fn get_span(&mut self, name: &str, span: Span) -> Result<Option<Bytes>, String> {
        Ok(self.get(name)?.map(|(bytes, _)| within(&bytes, span)))
    }

    /// Puts an object and returns its version, or `None` if the condition does not hold.
    fn put(&mut self, name: &str, bytes: Bytes, only: Only) -> Result<Option<Version>, String>;

    /// The names of all objects with this prefix.
    fn list(&mut self, prefix: &str) -> Result<Vec<String>, String>;

    /// Deletes an object. It need not exist.
    fn delete(&mut self, name: &str) -> Result<(), String>;

    /// The minimum time between two writes to the same object.
    fn pause(&self) -> Duration {
        Duration::ZERO
    }
}

/// Some bytes of an object; fewer if it ends before.
pub(crate) fn within(bytes: &Bytes, span: Span) -> Bytes {
    let end = bytes.len().min((span.offset + span.bytes) as usize);
    bytes.slice(end.min(span.offset as usize)..end)
}

/// The version of an object, which changes with its content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Version(pub(crate) String);

/// The condition for a put.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Only {
    Always,
    IfAbsent,
    IfStill(Version),
}

/// The prefix of a bucket, with a lease unless it is only read. Tasks write to it without one.
pub(crate) fn bucket(
    service: Box<dyn Service>,
    prefix: &str,
    place: String,
    access: &Access,
) -> Result<Box<dyn Bucket>, StoreError> {
    let prefix = format!("{prefix}/");
    let mut bucket = Objects {
        service,
        prefix,
        place,
        versions: BTreeMap::new(),
        put_at: BTreeMap::new(),
        lease: None,
        failed: Cell::new(false),
    };
    if *access != Access::Read {
        bucket.take_lease()?;
    }
    Ok(Box::new(bucket))
}

struct Objects {
    service: Box<dyn Service>,
    /// The prefix of every name, with a slash at its end.
    prefix: String,
    place: String,
    /// The last known version of each object that is replaced conditionally.
    versions: BTreeMap<String, Version>,
    /// The time of the last put of these objects.
    put_at: BTreeMap<String, Instant>,
    lease: Option<(Lease, Instant)>,
    /// Whether the service has failed. If so, it is not asked to end the lease.
    failed: Cell<bool>,
}

impl Objects {
    fn take_lease(&mut self) -> Result<(), StoreError> {
        let last = self.read(LEASE)?;
        let last = last.and_then(|text| Lease::from_text(&text));
        let lease = Lease::after(last).ok_or_else(|| StoreError::Busy(self.place.clone()))?;
        self.put_if_unchanged(LEASE, &lease.to_text().into())?;
        self.lease = Some((lease, Instant::now()));
        Ok(())
    }

    fn renew_lease(&mut self) -> Result<(), StoreError> {
        if let Some((lease, since)) = self.lease
            && since.elapsed() >= RENEWED
        {
            let lease = lease.renewed();
            self.put_if_unchanged(LEASE, &lease.to_text().into())?;
            self.lease = Some((lease, Instant::now()));
        }
        Ok(())
    }

    /// Replaces the object that was last seen under a name.
    fn put_if_unchanged(&mut self, name: &str, bytes: &Bytes) -> Result<(), StoreError> {
        let full = self.name(name);
        let pause = self.service.pause();
        if let Some(last) = self.put_at.get(name) {
            std::thread::sleep(pause.saturating_sub(last.elapsed()));
        }
        let only = self.versions.get(name).cloned().map_or(Only::IfAbsent, Only::IfStill);
        let put = self.service.put(&full, bytes.clone(), only);
        let version = match put.map_err(|cause| self.unavailable(name, cause))? {
            Some(version) => version,
            // The object has changed since. We may have changed it ourselves: a service can carry
            // out a request and fail to report it, and the request is then retried.
            None => match self.service.get(&full).map_err(|cause| self.unavailable(name, cause))? {
                Some((found, version)) if found == *bytes => version,
                _ => return Err(StoreError::Busy(self.place.clone())),
            },
        };
        self.versions.insert(name.to_owned(), version);
        self.put_at.insert(name.to_owned(), Instant::now());
        Ok(())
    }

    fn name(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    fn unavailable(&self, name: &str, cause: String) -> StoreError {
        self.failed.set(true);
        StoreError::Unavailable { place: format!("{}/{name}", self.place), cause }
    }
}

impl Bucket for Objects {
    fn place(&self) -> &str {
        &self.place
    }

    fn writer(&self, last: u64) -> u64 {
        // A store that was copied here came without its lease.
        self.lease.map_or(0, |(lease, _)| lease.writer).max(last + 1)
    }

    fn read(&mut self, name: &str) -> Result<Option<Bytes>, StoreError> {
        self.renew_lease()?;
        let found = self.service.get(&self.name(name));
        let found = found.map_err(|cause| self.unavailable(name, cause))?;
        Ok(found.map(|(bytes, version)| {
            self.versions.insert(name.to_owned(), version);
            bytes
        }))
    }

    fn read_span(&mut self, name: &str, span: Span) -> Result<Bytes, StoreError> {
        let found = self.service.get_span(&self.name(name), span);
        let found = found.map_err(|cause| self.unavailable(name, cause))?;
        let whole = found.filter(|bytes| bytes.len() as u64 == span.bytes);
        whole.ok_or_else(|| truncated(&self.place, name))
    }

    fn write(&mut self, name: &str, bytes: Bytes) -> Result<(), StoreError> {
        self.renew_lease()?;
        let put = self.service.put(&self.name(name), bytes, Only::Always);
        put.map(drop).map_err(|cause| self.unavailable(name, cause))
    }

    fn swap(&mut self, name: &str, bytes: Bytes) -> Result<(), StoreError> {
        self.renew_lease()?;
        self.put_if_unchanged(name, &bytes)
    }

    fn list(&mut self) -> Result<Vec<String>, StoreError> {
        let listed = self.service.list(&self.prefix);
        let listed = listed.map_err(|cause| self.unavailable("", cause))?;
        let inside = listed.iter().filter_map(|name| name.strip_prefix(&self.prefix));
        // Objects below a further slash are not ours.
        Ok(inside.filter(|name| !name.contains('/')).map(str::to_owned).collect())
    }

    fn keep(&mut self) -> Result<(), StoreError> {
        self.renew_lease()
    }

    fn remove(&mut self, name: &str) -> Result<(), StoreError> {
        self.renew_lease()?;
        let deleted = self.service.delete(&self.name(name));
        deleted.map_err(|cause| self.unavailable(name, cause))
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        if let Some((lease, _)) = self.lease
            && !self.failed.get()
        {
            // If this fails, the lease expires by itself.
            let _ = self.put_if_unchanged(LEASE, &lease.ended().to_text().into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Refuses;

    impl Service for Refuses {
        fn get(&mut self, _: &str) -> Result<Option<(Bytes, Version)>, String> {
            Err("refused".to_owned())
        }

        fn put(&mut self, _: &str, _: Bytes, _: Only) -> Result<Option<Version>, String> {
            Err("refused".to_owned())
        }

        fn list(&mut self, _: &str) -> Result<Vec<String>, String> {
            Err("refused".to_owned())
        }

        fn delete(&mut self, _: &str) -> Result<(), String> {
            Err("refused".to_owned())
        }
    }

    /// A bucket with one object, which stores it and then reports a failure.
    struct Forgetful {
        object: Option<(Bytes, u64)>,
        puts: std::sync::mpsc::Sender<Instant>,
    }

    impl Service for Forgetful {
        fn get(&mut self, _: &str) -> Result<Option<(Bytes, Version)>, String> {
            Ok(self.object.clone().map(|(bytes, version)| (bytes, Version(version.to_string()))))
        }

        fn put(&mut self, _: &str, bytes: Bytes, _: Only) -> Result<Option<Version>, String> {
            let version = self.object.as_ref().map_or(0, |(_, version)| version + 1);
            self.object = Some((bytes, version));
            self.puts.send(Instant::now()).expect("somebody counts");
            Ok(None)
        }

        fn list(&mut self, _: &str) -> Result<Vec<String>, String> {
            Ok(vec![])
        }

        fn delete(&mut self, _: &str) -> Result<(), String> {
            Ok(())
        }

        fn pause(&self) -> Duration {
            Duration::from_millis(40)
        }
    }

    #[test]
    fn d7_what_was_put_without_an_answer_is_known_and_writes_keep_their_distance() {
        let (puts, moments) = std::sync::mpsc::channel();
        let mut objects = Objects {
            service: Box::new(Forgetful { object: None, puts }),
            prefix: "games/".to_owned(),
            place: "gs://bucket/games".to_owned(),
            versions: BTreeMap::new(),
            put_at: BTreeMap::new(),
            lease: None,
            failed: Cell::new(false),
        };
        assert_eq!(objects.writer(7), 8, "a store that was copied has no lease");
        for text in ["first", "second", "third"] {
            objects.swap("manifest", text.into()).expect("it was put");
        }
        drop(objects);
        let moments: Vec<Instant> = moments.iter().collect();
        assert_eq!(moments.len(), 3);
        assert!(moments.windows(2).all(|two| two[1] - two[0] >= Duration::from_millis(40)));
    }

    #[test]
    fn an_error_names_the_object_by_its_url() {
        let mut objects = Objects {
            service: Box::new(Refuses),
            prefix: "games/kalah/".to_owned(),
            place: "s3://bucket/games/kalah".to_owned(),
            versions: BTreeMap::new(),
            put_at: BTreeMap::new(),
            lease: None,
            failed: Cell::new(false),
        };
        let errors = [
            objects.read("part").map(drop),
            objects.write("part", Bytes::new()),
            objects.swap("part", Bytes::new()),
            objects.remove("part"),
        ];
        for error in errors {
            let said = error.unwrap_err().to_string();
            assert_eq!(said, "s3://bucket/games/kalah/part: refused");
        }
    }
}
