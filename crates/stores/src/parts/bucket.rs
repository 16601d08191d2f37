//! The interface of a place that holds parts: a directory, or a bucket of an object store.

use bytes::Bytes;
use solver::{StoreError, tasks::Span};

/// Named blobs, one of which can be replaced atomically. A writer has locked the bucket.
pub(crate) trait Bucket: Send {
    /// The bucket's URL.
    fn place(&self) -> &str;

    /// The number of this writer. `last` is the number of the last writer that replaced the
    /// manifest. No two writers use the same name for a part.
    fn writer(&self, last: u64) -> u64;

    /// The content of a blob, if it exists.
    fn read(&mut self, name: &str) -> Result<Option<Bytes>, StoreError>;

    /// Some bytes of a blob, which must have them.
    fn read_span(&mut self, name: &str, span: Span) -> Result<Bytes, StoreError> {
        let whole = self.read(name)?.filter(|bytes| bytes.len() as u64 >= span.offset + span.bytes);
        let part =
            whole.map(|bytes| bytes.slice(span.offset as usize..).slice(..span.bytes as usize));
        part.ok_or_else(|| truncated(self.place(), name))
    }

    /// Writes a new blob. It is durable when this function returns.
    fn write(&mut self, name: &str, bytes: Bytes) -> Result<(), StoreError>;

    /// Atomically replaces the blob that was last read or replaced under this name.
    fn swap(&mut self, name: &str, bytes: Bytes) -> Result<(), StoreError>;

    /// The names of all blobs.
    fn list(&mut self) -> Result<Vec<String>, StoreError>;

    /// Removes a blob. It need not exist.
    fn remove(&mut self, name: &str) -> Result<(), StoreError>;

    /// Stays the only writer; to be called every few seconds where nothing is read or written.
    fn keep(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
}

/// The error of a blob that does not have the bytes that it should.
pub(crate) fn truncated(place: &str, name: &str) -> StoreError {
    let place = format!("{place}/{name}");
    StoreError::Corrupt { place, cause: "it is missing or truncated".to_owned() }
}
