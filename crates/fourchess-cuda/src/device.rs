//! The driver: the only room that calls it. Memory, streams, compiled kernels.

use std::{
    ffi::{CString, c_void},
    ptr,
    sync::{Arc, OnceLock},
};

use cudarc::driver::{
    DriverError,
    result::{self, stream::StreamKind},
    sys,
};

use crate::error::Error;

/// The oldest driver, as the driver itself counts: 12.0.
const OLDEST_DRIVER: i32 = 12_000;
/// The oldest device whose lanes can wait for each other in parts of a warp.
const OLDEST_DEVICE: (i32, i32) = (7, 0);

/// A device and its primary context, which other libraries of the process share.
#[derive(Debug)]
pub struct Device {
    device: sys::CUdevice,
    context: sys::CUcontext,
    ordinal: usize,
    name: String,
    capability: (i32, i32),
    processors: i32,
}

// SAFETY: a context may be used from any thread once it is made current there, which every call
// does first.
unsafe impl Send for Device {}
// SAFETY: as above; the driver locks what threads share.
unsafe impl Sync for Device {}

/// The error that an answer of the driver means.
fn error(call: &'static str) -> impl Fn(DriverError) -> Error {
    use sys::CUresult as R;
    move |found| {
        let cause = format!("{found:?}");
        match found.0 {
            R::CUDA_ERROR_DEINITIALIZED
            | R::CUDA_ERROR_ECC_UNCORRECTABLE
            | R::CUDA_ERROR_ILLEGAL_ADDRESS
            | R::CUDA_ERROR_LAUNCH_TIMEOUT
            | R::CUDA_ERROR_CONTEXT_IS_DESTROYED
            | R::CUDA_ERROR_ASSERT
            | R::CUDA_ERROR_HARDWARE_STACK_ERROR
            | R::CUDA_ERROR_ILLEGAL_INSTRUCTION
            | R::CUDA_ERROR_MISALIGNED_ADDRESS
            | R::CUDA_ERROR_INVALID_ADDRESS_SPACE
            | R::CUDA_ERROR_INVALID_PC
            | R::CUDA_ERROR_LAUNCH_FAILED => Error::Lost { cause },
            _ => Error::Driver { call, cause },
        }
    }
}

/// The version of the driver as people write it.
fn driver_version() -> Result<i32, Error> {
    let mut version = 0;
    // SAFETY: the driver writes one number.
    unsafe { sys::cuDriverGetVersion(&raw mut version) }.result().map_err(error("version"))?;
    Ok(version)
}

/// How many devices there are. The first call of all: whatever the driver is asked without it
/// panics where there is none.
pub fn devices() -> Result<usize, Error> {
    // SAFETY: loading the driver's library is what the call is for.
    if !unsafe { sys::is_culib_present() } {
        return Err(Error::NoDriver);
    }
    let found = driver_version()?;
    if found < OLDEST_DRIVER {
        let found = format!("{}.{}", found / 1000, found % 1000 / 10);
        return Err(Error::TooOld { what: "NVIDIA driver", found, needed: "12.0" });
    }
    match result::init() {
        Err(DriverError(sys::CUresult::CUDA_ERROR_NO_DEVICE)) => return Ok(0),
        other => other.map_err(error("start of the driver"))?,
    }
    let count = result::device::get_count().map_err(error("number of devices"))?;
    Ok(count as usize)
}

/// The number of the device whose stream this is. Its context becomes that of the calling thread.
///
/// # Safety
///
/// The stream must be alive.
pub unsafe fn device_of_stream(stream: u64) -> Result<usize, Error> {
    // Asked in every step of a game, and a driver that is there stays.
    static FOUND: OnceLock<()> = OnceLock::new();
    if FOUND.get().is_none() {
        devices()?;
        FOUND.get_or_init(|| ());
    }
    let (mut context, mut device) = (ptr::null_mut(), 0);
    // SAFETY: the stream is alive, and so its context is. One number is written by each call.
    unsafe {
        sys::cuStreamGetCtx(stream as usize as sys::CUstream, &raw mut context)
            .result()
            .and_then(|()| result::ctx::set_current(context))
            .and_then(|()| sys::cuCtxGetDevice(&raw mut device).result())
            .map_err(error("device of a stream"))?;
    }
    Ok(device as usize)
}

impl Device {
    /// The device with this number.
    pub fn open(ordinal: usize) -> Result<Arc<Device>, Error> {
        let found = devices()?;
        if ordinal >= found {
            return Err(Error::NoDevice { ordinal, found });
        }
        use sys::CUdevice_attribute as A;
        let device = result::device::get(ordinal as i32).map_err(error("device"))?;
        let name = result::device::get_name(device).map_err(error("name of the device"))?;
        let attribute = |attribute| {
            // SAFETY: the device is one that the driver has just named.
            unsafe { result::device::get_attribute(device, attribute) }
                .map_err(error("attribute of the device"))
        };
        let capability = (
            attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        );
        if capability < OLDEST_DEVICE {
            let found = format!("{}.{}", capability.0, capability.1);
            return Err(Error::TooOld { what: "CUDA device", found, needed: "7.0" });
        }
        let processors = attribute(A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        // SAFETY: released when the device is dropped.
        let context = unsafe { result::primary_ctx::retain(device) };
        let context = context.map_err(error("context"))?;
        Ok(Arc::new(Device { device, context, ordinal, name, capability, processors }))
    }

    /// The number of the device.
    pub fn ordinal(&self) -> usize {
        self.ordinal
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its compute capability.
    pub fn capability(&self) -> (i32, i32) {
        self.capability
    }

    /// How many multiprocessors it has.
    pub fn processors(&self) -> usize {
        self.processors as usize
    }

    /// Free bytes and all bytes of its memory.
    pub fn memory(&self) -> Result<(usize, usize), Error> {
        self.enter()?;
        result::mem_get_info().map_err(error("memory of the device"))
    }

    /// The number of the device whose memory an address belongs to; `None` if it is no memory of a
    /// device.
    pub fn of_address(&self, address: u64) -> Result<Option<usize>, Error> {
        self.enter()?;
        let (mut kind, mut ordinal) = (0u32, -1i32);
        // SAFETY: each attribute is written where there is room for it.
        let found = unsafe {
            let kind = (&raw mut kind).cast::<c_void>();
            let ordinal = (&raw mut ordinal).cast::<c_void>();
            let of_memory = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
            let of_device = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
            sys::cuPointerGetAttribute(kind, of_memory, address)
                .result()
                .and_then(|()| sys::cuPointerGetAttribute(ordinal, of_device, address).result())
        };
        match found {
            // An address that the driver does not know.
            Err(DriverError(sys::CUresult::CUDA_ERROR_INVALID_VALUE)) => Ok(None),
            Err(other) => Err(error("memory of an address")(other)),
            Ok(()) if kind == sys::CUmemorytype::CU_MEMORYTYPE_DEVICE as u32 => {
                Ok(usize::try_from(ordinal).ok())
            }
            Ok(()) => Ok(None),
        }
    }

    /// Makes the context that of the calling thread.
    fn enter(&self) -> Result<(), Error> {
        // SAFETY: the context lives as long as the device.
        unsafe { result::ctx::set_current(self.context) }.map_err(error("context"))
    }

    /// A stream that waits for the default stream and is waited for by it.
    pub(crate) fn stream(self: &Arc<Device>) -> Result<Stream, Error> {
        self.enter()?;
        let stream = result::stream::create(StreamKind::Default).map_err(error("stream"))?;
        Ok(Stream { device: Arc::clone(self), stream, is_own: true })
    }

    /// A stream of the caller's, which must outlive its use.
    pub(crate) fn foreign_stream(self: &Arc<Device>, stream: u64) -> Stream {
        let stream = stream as usize as sys::CUstream;
        Stream { device: Arc::clone(self), stream, is_own: false }
    }

    /// Zeroed memory.
    pub(crate) fn allocate(
        self: &Arc<Device>,
        what: &'static str,
        bytes: usize,
    ) -> Result<Buffer, Error> {
        let device = Arc::clone(self);
        if bytes == 0 {
            return Ok(Buffer { device, address: 0, bytes });
        }
        self.enter()?;
        // SAFETY: the buffer frees it.
        let address = match unsafe { result::malloc_sync(bytes) } {
            Err(DriverError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY)) => {
                return Err(Error::Memory { what, bytes });
            }
            other => other.map_err(error("allocation"))?,
        };
        let buffer = Buffer { device, address, bytes };
        // SAFETY: so many bytes were just allocated.
        unsafe { result::memset_d8_sync(address, 0, bytes) }.map_err(error("clearing memory"))?;
        Ok(buffer)
    }

    /// The kernels of a compiled image.
    pub(crate) fn module(self: &Arc<Device>, image: &[u8]) -> Result<Module, Error> {
        self.enter()?;
        // SAFETY: an image of the compiler, which ends with a zero byte where it is text.
        let module = unsafe { result::module::load_data(image.as_ptr().cast()) };
        let module = module.map_err(error("loading of the kernels"))?;
        Ok(Module { device: Arc::clone(self), module })
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: retained once when it was made. What fails here concerns nobody any more.
        let _ = unsafe { result::primary_ctx::release(self.device) };
    }
}

/// A queue of work for the device.
#[derive(Debug)]
pub(crate) struct Stream {
    device: Arc<Device>,
    stream: sys::CUstream,
    is_own: bool,
}

// SAFETY: the driver lets any thread use a stream, and locks it.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

impl Stream {
    pub(crate) fn address(&self) -> u64 {
        self.stream as usize as u64
    }

    /// Waits until all work is done.
    pub(crate) fn synchronize(&self) -> Result<(), Error> {
        self.device.enter()?;
        // SAFETY: the stream is alive.
        unsafe { result::stream::synchronize(self.stream) }.map_err(error("waiting"))
    }

    /// Launches a kernel. The arguments must be those of the kernel, in their order and types.
    pub(crate) fn launch(
        &self,
        kernel: Kernel,
        blocks: u32,
        threads: u32,
        arguments: &mut [*mut c_void],
    ) -> Result<(), Error> {
        self.device.enter()?;
        let (grid, block) = ((blocks, 1, 1), (threads, 1, 1));
        // SAFETY: the kernel's module lives in the batch that launches it, and the batch gives
        // the arguments of its kernels.
        unsafe { result::launch_kernel(kernel.0, grid, block, 0, self.stream, arguments) }
            .map_err(error("launch of a kernel"))
    }

    /// Copies to the device; returns when the source may be changed.
    pub(crate) fn upload<T: Plain>(&self, to: &Buffer, source: &[T]) -> Result<(), Error> {
        assert!(size_of_val(source) <= to.bytes, "a buffer has room for what is copied to it");
        if source.is_empty() {
            return Ok(());
        }
        self.device.enter()?;
        // SAFETY: the buffer is long enough, and the source stays until the copy is done.
        unsafe { result::memcpy_htod_async(to.address, source, self.stream) }
            .map_err(error("copy to the device"))?;
        self.synchronize()
    }

    /// Copies to memory of the device that the caller names.
    pub(crate) fn upload_at<T: Plain>(&self, to: u64, source: &[T]) -> Result<(), Error> {
        self.device.enter()?;
        // SAFETY: the caller names memory of so many bytes; the copy is awaited.
        unsafe { result::memcpy_htod_async(to, source, self.stream) }
            .map_err(error("copy to the device"))?;
        self.synchronize()
    }

    /// Copies from the device.
    pub(crate) fn download<T: Plain>(&self, goal: &mut [T], from: u64) -> Result<(), Error> {
        if goal.is_empty() {
            return Ok(());
        }
        self.device.enter()?;
        // SAFETY: the caller names memory of so many bytes, and any bytes are a `T`.
        unsafe { result::memcpy_dtoh_async(goal, from, self.stream) }
            .map_err(error("copy from the device"))?;
        self.synchronize()
    }

    /// Copies within the device.
    pub(crate) fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<(), Error> {
        self.device.enter()?;
        // SAFETY: the caller names memory of so many bytes.
        unsafe { result::memcpy_dtod_async(to, from, bytes, self.stream) }
            .map_err(error("copy within the device"))
    }

    /// Fills memory with a byte.
    pub(crate) fn fill(&self, buffer: &Buffer, byte: u8) -> Result<(), Error> {
        self.fill_at(buffer.address, byte, buffer.bytes)
    }

    /// Fills memory of the device that the caller names.
    pub(crate) fn fill_at(&self, address: u64, byte: u8, bytes: usize) -> Result<(), Error> {
        if bytes == 0 {
            return Ok(());
        }
        self.device.enter()?;
        // SAFETY: the caller names memory of so many bytes.
        unsafe { result::memset_d8_async(address, byte, bytes, self.stream) }
            .map_err(error("filling memory"))
    }

    /// Lets this stream wait for what is in another one now.
    pub(crate) fn wait_for(&self, other: &Stream) -> Result<(), Error> {
        if self.stream == other.stream {
            return Ok(());
        }
        self.device.enter()?;
        let event = result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING);
        let event = event.map_err(error("event"))?;
        // SAFETY: the event is alive, and so are the streams. The driver keeps an event that is
        // destroyed until nobody waits for it.
        unsafe {
            let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
            let waiting = result::event::record(event, other.stream)
                .and_then(|()| result::stream::wait_event(self.stream, event, flags))
                .map_err(error("waiting of a stream"));
            let _ = result::event::destroy(event);
            waiting
        }
    }

    /// Milliseconds that the device needs for some work.
    pub(crate) fn time(&self, work: impl FnOnce() -> Result<(), Error>) -> Result<f32, Error> {
        self.device.enter()?;
        let event = || result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT);
        let (start, end) = (event().map_err(error("event"))?, event().map_err(error("event"))?);
        // SAFETY: both events are alive until they are destroyed below.
        let timed = unsafe {
            let record = |event| result::event::record(event, self.stream).map_err(error("event"));
            record(start)
                .and_then(|()| work())
                .and_then(|()| record(end))
                .and_then(|()| result::event::synchronize(end).map_err(error("event")))
                .and_then(|()| result::event::elapsed(start, end).map_err(error("event")))
        };
        // SAFETY: nobody knows the events any more.
        let _ = unsafe { (result::event::destroy(start), result::event::destroy(end)) };
        timed
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.is_own && self.device.enter().is_ok() {
            // SAFETY: made by us, and nobody else has it.
            let _ = unsafe { result::stream::destroy(self.stream) };
        }
    }
}

/// Memory of the device.
#[derive(Debug)]
pub(crate) struct Buffer {
    device: Arc<Device>,
    address: sys::CUdeviceptr,
    bytes: usize,
}

impl Buffer {
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.address != 0 && self.device.enter().is_ok() {
            // SAFETY: allocated by us. The driver waits for kernels that use it.
            let _ = unsafe { result::free_sync(self.address) };
        }
    }
}

/// Compiled kernels.
#[derive(Debug)]
pub(crate) struct Module {
    device: Arc<Device>,
    module: sys::CUmodule,
}

// SAFETY: the driver lets any thread use a module.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

/// A kernel of a module, which must outlive it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernel(sys::CUfunction);

// SAFETY: the driver lets any thread launch a kernel.
unsafe impl Send for Kernel {}
// SAFETY: as above.
unsafe impl Sync for Kernel {}

impl Module {
    pub(crate) fn kernel(&self, name: &str) -> Result<Kernel, Error> {
        self.device.enter()?;
        let name = CString::new(name).expect("names of kernels are plain");
        // SAFETY: the module is alive.
        let kernel = unsafe { result::module::get_function(self.module, name) };
        kernel.map(Kernel).map_err(error("kernel"))
    }

    /// Registers, bytes of local memory and of shared memory of a kernel.
    pub(crate) fn costs(&self, kernel: Kernel) -> Result<[i32; 3], Error> {
        use sys::CUfunction_attribute_enum as A;
        self.device.enter()?;
        let attribute = |attribute| {
            // SAFETY: the kernel is one of this module.
            unsafe { result::function::get_function_attribute(kernel.0, attribute) }
                .map_err(error("attribute of a kernel"))
        };
        Ok([
            attribute(A::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            attribute(A::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            attribute(A::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
        ])
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if self.device.enter().is_ok() {
            // SAFETY: loaded by us. Kernels of it are not launched any more.
            let _ = unsafe { result::module::unload(self.module) };
        }
    }
}

/// Numbers that any bytes are, so that they may come from a device.
pub(crate) trait Plain: Copy + Default {}

impl Plain for u8 {}
impl Plain for u16 {}
impl Plain for i16 {}
impl Plain for u32 {}
impl Plain for u64 {}
impl Plain for f32 {}

/// The arguments of a kernel as the driver takes them: where each of them is.
macro_rules! arguments {
    ($($argument:expr),*) => {
        &mut [$((&raw const $argument).cast::<std::ffi::c_void>().cast_mut()),*]
    };
}

pub(crate) use arguments;
