//! Compression formats, recognised and decoded.

use std::{
    error::Error,
    fmt,
    io::{self, Read},
    sync::Arc,
};

use flate2::bufread::MultiGzDecoder;

use crate::{SourceError, window::Window};

/// How bytes are packed, read off their first bytes.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Packing {
    /// Not at all.
    Plain,
    /// gzip, one member or several.
    Gzip,
    /// zstd, one frame or several, skippable ones included.
    Zstd,
}

impl Packing {
    /// The longest magic number below.
    pub(crate) const MAGIC: usize = 4;

    pub(crate) fn of(start: &[u8]) -> Packing {
        match start {
            [0x1f, 0x8b, ..] => Packing::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Packing::Zstd,
            // Parallel packers put a skippable frame first.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Packing::Zstd,
            _ => Packing::Plain,
        }
    }
}

/// Names the unit that breaks when the bytes are damaged.
impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Packing::Plain => "plain data",
            Packing::Gzip => "gzip member",
            Packing::Zstd => "zstd frame",
        })
    }
}

/// The largest window that zstd knows, as a power of 2.
const LARGEST_WINDOW: u32 = 31;

/// What zstd says of frames that are sound but larger than it or the machine
/// can take.
const WANTS_MEMORY: [&str; 2] =
    ["Allocation error : not enough memory", "Frame requires too much memory for decoding"];

enum Decoder {
    Gzip(Box<MultiGzDecoder<Window>>),
    Zstd(zstd::Decoder<'static, Window>),
}

/// Unpacks, and says where in the packed bytes it could not.
pub(crate) struct Unpacked {
    name: Arc<str>,
    decoder: Decoder,
}

impl Unpacked {
    pub(crate) fn gzip(name: Arc<str>, raw: Window) -> Self {
        let decoder = Decoder::Gzip(Box::new(MultiGzDecoder::new(raw)));
        Unpacked { name, decoder }
    }

    pub(crate) fn zstd(name: Arc<str>, raw: Window) -> Self {
        let mut decoder =
            zstd::Decoder::with_buffer(raw).expect("a fresh zstd context has no demands");
        // The default refuses what `zstd --long=31` packs. A window takes memory only as it fills.
        decoder.window_log_max(LARGEST_WINDOW).expect("zstd allows this window");
        let decoder = Decoder::Zstd(decoder);
        Unpacked { name, decoder }
    }

    fn place(&self, cause: io::Error) -> io::Error {
        if let Some(true) = cause.get_ref().map(<dyn Error + Send + Sync>::is::<SourceError>) {
            return cause;
        }
        let name = self.name.to_string();
        let (packing, at) = match &self.decoder {
            Decoder::Gzip(decoder) => (Packing::Gzip, decoder.get_ref().position()),
            Decoder::Zstd(decoder) => (Packing::Zstd, decoder.get_ref().position()),
        };
        if cause.kind() == io::ErrorKind::UnexpectedEof {
            SourceError::Truncated { name, packing, at }.into()
        } else if WANTS_MEMORY.contains(&cause.to_string().as_str()) {
            SourceError::TooLarge { name, packing, at, cause }.into()
        } else {
            SourceError::Corrupt { name, packing, at, cause }.into()
        }
    }
}

impl Read for Unpacked {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let came = match &mut self.decoder {
            Decoder::Gzip(decoder) => decoder.read(into),
            Decoder::Zstd(decoder) => decoder.read(into),
        };
        came.map_err(|cause| self.place(cause))
    }
}
