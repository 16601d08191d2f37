//! How many bytes have been read.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// How many raw (still packed) bytes have been read from a source, to be asked
/// from any thread while another one reads; compare it with
/// [`Source::size`](crate::Source::size).
///
/// It runs ahead of what the reader has been handed by at most one buffer.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<AtomicU64>);

impl Progress {
    /// The raw bytes read so far.
    pub fn bytes(&self) -> u64 {
        // The number guards no other memory, so no ordering is needed.
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self, bytes: usize) {
        self.0.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}
