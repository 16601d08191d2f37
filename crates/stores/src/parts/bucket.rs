//! What holds parts: a directory, or a bucket of an object store.

use bytes::Bytes;
use solver::StoreError;

/// Named blobs, one of which can be swapped. Whoever may write has locked it.
pub(crate) trait Bucket: Send {
    /// The bucket's URL.
    fn place(&self) -> &str;

    /// The number of this writer, after that of the last one that swapped the manifest. No two
    /// writers give a part the same name.
    fn writer(&self, last: u64) -> u64;

    /// The whole of a blob, if it is there.
    fn read(&mut self, name: &str) -> Result<Option<Bytes>, StoreError>;

    /// Writes a blob that is not there yet; it is durable when this returns.
    fn write(&mut self, name: &str, bytes: Bytes) -> Result<(), StoreError>;

    /// Puts a blob in the place of the one last read or swapped under this name, all at once.
    fn swap(&mut self, name: &str, bytes: Bytes) -> Result<(), StoreError>;

    /// The names of all blobs.
    fn list(&mut self) -> Result<Vec<String>, StoreError>;

    /// Removes a blob; it may be gone already.
    fn remove(&mut self, name: &str) -> Result<(), StoreError>;
}
