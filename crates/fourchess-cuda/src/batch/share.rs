//! What a batch shares with other libraries that use the same device: their streams and memory.
//!
//! Addresses are those of the device.

use super::CudaBatch;
use crate::{error::Error, params::Array};

impl CudaBatch {
    /// Lets the batch wait for the work that is in another stream now. Nothing waits on the
    /// processor.
    ///
    /// # Safety
    ///
    /// The stream must be one of this device.
    pub unsafe fn wait_for_stream(&self, stream: u64) -> Result<(), Error> {
        self.stream.wait_for(&self.device.foreign_stream(stream))
    }

    /// Lets another stream wait for the work of the batch so far.
    ///
    /// # Safety
    ///
    /// The stream must be one of this device.
    pub unsafe fn let_stream_wait(&self, stream: u64) -> Result<(), Error> {
        self.device.foreign_stream(stream).wait_for(&self.stream)
    }

    /// Copies an array to another place on the device, without waiting.
    ///
    /// # Safety
    ///
    /// There must be room for the array, and it must stay until the work is done.
    pub unsafe fn copy_array(&self, array: Array, to: u64) -> Result<(), Error> {
        let (from, bytes) = self.address(array);
        // SAFETY: the caller has room for the array, which has so many bytes.
        unsafe { self.copy_at(to, from, bytes) }
    }

    /// Copies bytes within the device, without waiting.
    ///
    /// # Safety
    ///
    /// There must be so many bytes at both places, and they must stay until the work is done.
    pub unsafe fn copy_at(&self, to: u64, from: u64, bytes: usize) -> Result<(), Error> {
        if bytes == 0 {
            return Ok(());
        }
        self.stream.copy(to, from, bytes)
    }

    /// Sets bytes on the device to 0, without waiting.
    ///
    /// # Safety
    ///
    /// There must be so many bytes, and they must stay until the work is done.
    pub unsafe fn clear(&self, address: u64, bytes: usize) -> Result<(), Error> {
        self.stream.fill_at(address, 0, bytes)
    }

    /// A copy of bytes on the device, once the work of the batch is done.
    ///
    /// # Safety
    ///
    /// There must be so many bytes.
    pub unsafe fn read_at(&self, address: u64, bytes: usize) -> Result<Vec<u8>, Error> {
        self.download(address, bytes)
    }
}
