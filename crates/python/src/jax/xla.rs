//! XLA's C interface for functions of other libraries, as far as it is used here.
//!
//! The structures are those of `xla/ffi/api/c_api.h`, which every jaxlib has among its headers.
//! Fields are only ever added at the end of a structure, which begins with its size, so the first
//! fields declared here are those of every version with the same major number.

use std::{
    ffi::{CStr, CString, c_char, c_int, c_void},
    panic::{AssertUnwindSafe, catch_unwind},
    ptr, slice,
};

use fourchess_env::{Bf16, F16};

/// The version these structures are taken from: the oldest that has all of them.
const VERSION: (c_int, c_int) = (0, 1);

const METADATA: c_int = 1;
const EXECUTE: c_int = 3;
const BUFFER: c_int = 1;
const STRING: c_int = 4;
const INVALID_ARGUMENT: c_int = 3;
const INTERNAL: c_int = 13;

/// `XLA_FFI_Extension_Base`
#[repr(C)]
struct Extension {
    struct_size: usize,
    kind: c_int,
    next: *mut Extension,
}

/// `XLA_FFI_Api_Version`
#[repr(C)]
struct ApiVersion {
    struct_size: usize,
    extension: *mut Extension,
    major: c_int,
    minor: c_int,
}

/// `XLA_FFI_Metadata`, without what handlers with a state of their own need.
#[repr(C)]
struct Metadata {
    struct_size: usize,
    version: ApiVersion,
    traits: u32,
}

/// `XLA_FFI_Metadata_Extension`
#[repr(C)]
struct MetadataExtension {
    base: Extension,
    metadata: *mut Metadata,
}

/// `XLA_FFI_Buffer`
#[repr(C)]
struct Buffer {
    struct_size: usize,
    extension: *mut Extension,
    dtype: c_int,
    data: *mut c_void,
    rank: i64,
    lengths: *const i64,
}

/// `XLA_FFI_Args` and `XLA_FFI_Rets`
#[repr(C)]
struct Buffers {
    struct_size: usize,
    extension: *mut Extension,
    size: i64,
    kinds: *const c_int,
    items: *const *const Buffer,
}

/// `XLA_FFI_ByteSpan`
#[repr(C)]
struct Span {
    start: *const u8,
    len: usize,
}

/// `XLA_FFI_Attrs`
#[repr(C)]
struct Attributes {
    struct_size: usize,
    extension: *mut Extension,
    size: i64,
    kinds: *const c_int,
    names: *const *const Span,
    items: *const *const c_void,
}

/// `XLA_FFI_Error_Create_Args`
#[repr(C)]
struct ErrorArguments {
    struct_size: usize,
    extension: *mut Extension,
    message: *const c_char,
    code: c_int,
}

/// The first functions of `XLA_FFI_Api`.
#[repr(C)]
struct Api {
    struct_size: usize,
    extension: *mut Extension,
    version: ApiVersion,
    internal: *const c_void,
    create_error: unsafe extern "C" fn(*mut ErrorArguments) -> *mut c_void,
    error_message: unsafe extern "C" fn(*mut MessageArguments),
    destroy_error: unsafe extern "C" fn(*mut DestroyArguments),
    register: *const c_void,
    stream: unsafe extern "C" fn(*mut StreamArguments) -> *mut c_void,
}

/// `XLA_FFI_Error_GetMessage_Args`
#[repr(C)]
struct MessageArguments {
    struct_size: usize,
    extension: *mut Extension,
    error: *mut c_void,
    message: *const c_char,
}

/// `XLA_FFI_Error_Destroy_Args`
#[repr(C)]
struct DestroyArguments {
    struct_size: usize,
    extension: *mut Extension,
    error: *mut c_void,
}

/// `XLA_FFI_Stream_Get_Args`
#[repr(C)]
struct StreamArguments {
    struct_size: usize,
    extension: *mut Extension,
    context: *mut c_void,
    stream: *mut c_void,
}

/// `XLA_FFI_CallFrame`
#[repr(C)]
pub(super) struct Frame {
    struct_size: usize,
    extension: *mut Extension,
    api: *const Api,
    context: *mut c_void,
    stage: c_int,
    arguments: Buffers,
    results: Buffers,
    attributes: Attributes,
}

/// The type of an entry, and what XLA calls it.
pub(super) trait Entry: Copy {
    const CODE: c_int;
    const NAME: &'static str;
}

/// An entry of a mask: 0 or 1.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Flag(u8);

/// The bytes of flags.
pub(super) fn bytes(flags: &mut [Flag]) -> &mut [u8] {
    // SAFETY: a flag is a byte.
    unsafe { slice::from_raw_parts_mut(flags.as_mut_ptr().cast(), flags.len()) }
}

macro_rules! entries {
    ($($type:ty: $code:literal, $name:literal;)*) => {$(
        impl Entry for $type {
            const CODE: c_int = $code;
            const NAME: &'static str = $name;
        }
    )*};
}
entries! {
    Flag: 1, "bool";
    i16: 3, "int16";
    i32: 4, "int32";
    u8: 6, "uint8";
    u32: 8, "uint32";
    F16: 10, "float16";
    f32: 11, "float32";
    Bf16: 16, "bfloat16";
}

/// What is called with the arrays of a program that XLA has compiled.
pub(super) trait Handler {
    /// What is said of a panic, which must not go through XLA.
    const PANIC: &'static str;

    /// Reads the arguments and writes the results. An error becomes an exception of JAX.
    fn call(call: &Call<'_>) -> Result<(), String>;
}

/// The arguments, results and attributes of a call. Every array has any number of leading axes, the
/// same for all of them: one entry of these is a game.
pub(super) struct Call<'a> {
    frame: &'a Frame,
}

impl Call<'_> {
    /// The entries of an argument whose last axes have these lengths.
    pub(super) fn argument<T: Entry>(&self, index: usize, axes: &[i64]) -> Result<&[T], String> {
        let (data, len) = found::<T>(&self.frame.arguments, index, axes, "argument")?;
        // SAFETY: XLA keeps the buffer of an argument unchanged during the call, except where it is
        // that of a result too; such an argument is read by `in_place` alone. Any bytes are entries.
        Ok(unsafe { slice::from_raw_parts(data, len) })
    }

    /// The same of a result, which is to be written. Each result may be asked for once.
    #[expect(clippy::mut_from_ref, reason = "the buffers are XLA's, and each is asked for once")]
    pub(super) fn result<T: Entry>(&self, index: usize, axes: &[i64]) -> Result<&mut [T], String> {
        let (data, len) = found::<T>(&self.frame.results, index, axes, "result")?;
        // SAFETY: XLA hands out the buffer of a result for writing, nobody else uses it during the
        // call, and the handlers ask for it once. Any bytes are entries.
        Ok(unsafe { slice::from_raw_parts_mut(data, len) })
    }

    /// A result that has the content of an argument, to be changed. XLA may hand out one buffer for
    /// both, which saves a copy.
    #[expect(clippy::mut_from_ref, reason = "as above")]
    pub(super) fn in_place<T: Entry>(
        &self,
        argument: usize,
        result: usize,
        axes: &[i64],
    ) -> Result<&mut [T], String> {
        let (from, len) = found::<T>(&self.frame.arguments, argument, axes, "argument")?;
        let (to, room) = found::<T>(&self.frame.results, result, axes, "result")?;
        if len != room {
            return Err(format!("result {result}: {room} entries, expected {len}"));
        }
        // SAFETY: as in `argument` and `result`; `copy` allows any overlap.
        Ok(unsafe {
            ptr::copy(from, to, len);
            slice::from_raw_parts_mut(to, len)
        })
    }

    /// Where an argument is on a GPU, and how many entries it has. It begins at a multiple of 16
    /// bytes, as XLA's buffers do.
    pub(super) fn argument_at<T: Entry>(&self, index: usize, axes: &[i64]) -> Place {
        placed::<T>(&self.frame.arguments, index, axes, "argument")
    }

    /// The same of a result, which may be written.
    pub(super) fn result_at<T: Entry>(&self, index: usize, axes: &[i64]) -> Place {
        placed::<T>(&self.frame.results, index, axes, "result")
    }

    /// The stream of the GPU that the work belongs to.
    pub(super) fn stream(&self) -> Result<u64, String> {
        let mut arguments = StreamArguments {
            struct_size: size_of::<StreamArguments>(),
            extension: ptr::null_mut(),
            context: self.frame.context,
            stream: ptr::null_mut(),
        };
        // SAFETY: the functions are those of the frame's API, and an error is destroyed once, after
        // its words are copied.
        unsafe {
            let api = &*self.frame.api;
            let error = (api.stream)(&raw mut arguments);
            if error.is_null() {
                return Ok(arguments.stream as usize as u64);
            }
            let (extension, none) = (ptr::null_mut(), ptr::null());
            let struct_size = size_of::<MessageArguments>();
            let mut message = MessageArguments { struct_size, extension, error, message: none };
            (api.error_message)(&raw mut message);
            let words = match message.message.is_null() {
                true => String::new(),
                false => CStr::from_ptr(message.message).to_string_lossy().into_owned(),
            };
            let struct_size = size_of::<DestroyArguments>();
            (api.destroy_error)(&mut DestroyArguments { struct_size, extension, error });
            Err(format!("XLA names no stream: {words}"))
        }
    }

    /// Whether the entries of a result have this type.
    pub(super) fn is<T: Entry>(&self, result: usize) -> bool {
        buffer(&self.frame.results, result).is_some_and(|buffer| buffer.dtype == T::CODE)
    }

    /// The text of an attribute.
    pub(super) fn text(&self, name: &str) -> Result<&str, String> {
        let attributes = &self.frame.attributes;
        for index in 0..usize::try_from(attributes.size).unwrap_or(0) {
            // SAFETY: names, kinds and items have `size` entries each. A name is a span, and so is
            // the item of an attribute that is a string.
            unsafe {
                if span(*attributes.names.add(index)) == name.as_bytes()
                    && *attributes.kinds.add(index) == STRING
                {
                    let bytes = span((*attributes.items.add(index)).cast());
                    return std::str::from_utf8(bytes).map_err(|error| error.to_string());
                }
            }
        }
        Err(format!("the attribute {name} is missing"))
    }
}

/// # Safety
///
/// The span points to as many bytes as it says.
unsafe fn span<'a>(span: *const Span) -> &'a [u8] {
    // SAFETY: as above; an empty span may point nowhere.
    unsafe {
        if (*span).len == 0 { &[] } else { slice::from_raw_parts((*span).start, (*span).len) }
    }
}

fn buffer(buffers: &Buffers, index: usize) -> Option<&Buffer> {
    let size = usize::try_from(buffers.size).unwrap_or(0);
    // SAFETY: kinds and items have `size` entries, and an item of this kind is a buffer.
    (index < size).then(|| unsafe {
        (*buffers.kinds.add(index) == BUFFER).then(|| &**buffers.items.add(index))
    })?
}

/// Where the entries of a buffer are, and how many. The type and the last axes must be as expected.
fn found<T: Entry>(
    buffers: &Buffers,
    index: usize,
    axes: &[i64],
    what: &str,
) -> Result<(*mut T, usize), String> {
    let buffer = buffer(buffers, index).ok_or_else(|| format!("{what} {index} is missing"))?;
    if buffer.dtype != T::CODE {
        let found = buffer.dtype;
        return Err(format!("{what} {index}: entries of XLA's type {found}, expected {}", T::NAME));
    }
    let rank = usize::try_from(buffer.rank).unwrap_or(0);
    let lengths = match rank {
        0 => &[][..],
        // SAFETY: there are as many lengths as axes.
        _ => unsafe { slice::from_raw_parts(buffer.lengths, rank) },
    };
    if !lengths.ends_with(axes) {
        return Err(format!("{what} {index}: shape {lengths:?}, expected {axes:?} at its end"));
    }
    let len = lengths.iter().try_fold(1_usize, |len, &length| {
        usize::try_from(length).ok().and_then(|length| len.checked_mul(length))
    });
    let len = len.ok_or_else(|| format!("{what} {index}: shape {lengths:?} is too large"))?;
    let data = if len == 0 { ptr::dangling_mut() } else { buffer.data.cast::<T>() };
    Ok((data, len))
}

/// An address on a GPU, and how many entries are there.
pub(super) type Place = Result<(u64, usize), String>;

fn placed<T: Entry>(buffers: &Buffers, index: usize, axes: &[i64], what: &str) -> Place {
    let (data, len) = found::<T>(buffers, index, axes, what)?;
    let address = data as usize as u64;
    if len > 0 && !address.is_multiple_of(16) {
        return Err(format!("{what} {index} begins at no multiple of 16 bytes"));
    }
    Ok((address, len))
}

/// The type of what XLA calls.
pub(super) type Target = unsafe extern "C" fn(*mut Frame) -> *mut c_void;

/// What XLA calls.
///
/// # Safety
///
/// XLA calls it with a frame of its own, which is valid during the call.
pub(super) unsafe extern "C" fn entry<H: Handler>(frame: *mut Frame) -> *mut c_void {
    // SAFETY: the frame is valid, and so is every extension in its list.
    let frame = unsafe {
        let mut extension = (*frame).extension;
        while let Some(found) = extension.as_ref() {
            if found.kind == METADATA {
                describe(extension.cast());
                return ptr::null_mut();
            }
            extension = found.next;
        }
        &*frame
    };
    if frame.stage != EXECUTE {
        return ptr::null_mut();
    }
    // A panic must not go through XLA. The arrays it leaves behind are thrown away.
    match catch_unwind(AssertUnwindSafe(|| H::call(&Call { frame }))) {
        Ok(Ok(())) => ptr::null_mut(),
        Ok(Err(words)) => error(frame, &words, INVALID_ARGUMENT),
        Err(_) => error(frame, H::PANIC, INTERNAL),
    }
}

/// Answers what XLA asks when the handler is registered.
///
/// # Safety
///
/// The extension is one for metadata.
unsafe fn describe(extension: *mut MetadataExtension) {
    // SAFETY: XLA points it to a structure that is to be filled in.
    unsafe {
        let metadata = (*extension).metadata;
        ((*metadata).version.major, (*metadata).version.minor) = VERSION;
        (*metadata).traits = 0;
    }
}

fn error(frame: &Frame, words: &str, code: c_int) -> *mut c_void {
    let message = CString::new(words).unwrap_or_default();
    let mut arguments = ErrorArguments {
        struct_size: size_of::<ErrorArguments>(),
        extension: ptr::null_mut(),
        message: message.as_ptr(),
        code,
    };
    // SAFETY: the function of the frame's API copies the message.
    unsafe { ((*frame.api).create_error)(&raw mut arguments) }
}
