//! Where games are computed: on the processor, or on a GPU.
//!
//! Without the feature `cuda` everything here is still to be called, and says that it is not built
//! in.

#[cfg(not(feature = "cuda"))]
mod disabled;
#[cfg(feature = "cuda")]
mod enabled;

#[cfg(not(feature = "cuda"))]
use self::disabled as built;
#[cfg(feature = "cuda")]
use self::enabled as built;

pub(crate) use self::built::{about, choose, measure};

/// Where games are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Device {
    Cpu,
    Cuda(usize),
}

/// The device of this name.
pub(super) fn device(text: &str) -> Result<Device, String> {
    let number = text.strip_prefix("cuda:").and_then(|number| number.parse().ok());
    match (text, number) {
        ("cpu", _) => Ok(Device::Cpu),
        ("cuda", _) => Ok(Device::Cuda(0)),
        (_, Some(ordinal)) => Ok(Device::Cuda(ordinal)),
        _ => Err("expected cpu, cuda or cuda:N".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_read_by_name() {
        assert_eq!(device("cpu"), Ok(Device::Cpu));
        assert_eq!(device("cuda"), Ok(Device::Cuda(0)));
        assert_eq!(device("cuda:3"), Ok(Device::Cuda(3)));
        for text in ["", "gpu", "cuda:", "cuda:-1", "cuda:x", "CPU"] {
            assert!(device(text).is_err(), "{text}");
        }
    }
}
