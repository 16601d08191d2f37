//! A graphics processor, and what it can be used for.

use std::path::{Path, PathBuf};

use super::{Finding, State, program};
use crate::fourchess::device;

const USE: &str = "four-player chess runs on it: everyply fourchess bench --device cuda";
const INSTALL: &str = "only four-player chess can use a GPU; it needs an NVIDIA driver and \
                       libnvrtc, which comes with the CUDA toolkit or PyTorch";

/// Where distributions and containers put the driver's library.
const DIRECTORIES: &[&str] = &[
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib/wsl/lib",
    "/usr/local/nvidia/lib64",
];

pub(super) fn findings() -> Vec<Finding> {
    let query = ["--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"];
    let directories: Vec<PathBuf> = DIRECTORIES.iter().map(PathBuf::from).collect();
    let library = directories
        .iter()
        .map(|directory| directory.join("libcuda.so.1"))
        .find(|file| file.exists());
    let listing = program::output("nvidia-smi", &query);
    vec![gpu(listing.as_deref(), library.as_deref(), device::about())]
}

/// What can be computed on, or what is missing; `None` if this program was built without it.
type About = Option<Result<String, String>>;

/// From what nvidia-smi prints, a line for each, from where the driver's library is, and from what
/// the driver and the compiler of kernels say.
fn gpu(listing: Option<&str>, library: Option<&Path>, about: About) -> Finding {
    let library = match library {
        Some(path) => path.display().to_string(),
        None => "no libcuda.so.1".to_owned(),
    };
    let cards: Vec<&str> = listing.unwrap_or_default().lines().map(str::trim).collect();
    let seen = match cards.as_slice() {
        [] => format!("nvidia-smi lists no GPU, {library}"),
        cards => format!("{}, {library}", cards.join("; ")),
    };
    match about {
        Some(Ok(usable)) => Finding::ready("GPU", format!("{seen}; {usable}")).with_advice(USE),
        Some(Err(cause)) => Finding::missing("GPU", format!("{seen}; {cause}"), INSTALL),
        None => Finding {
            name: "GPU",
            state: State::LeftOut,
            detail: seen,
            advice: Some("build with the feature cuda".to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_are_named_with_what_they_can_be_used_for() {
        let cause = "there is no NVIDIA driver on this machine";
        let none = gpu(None, None, Some(Err(cause.to_owned())));
        assert_eq!((none.state, none.advice.as_deref()), (State::Missing, Some(INSTALL)));
        assert!(none.detail.ends_with(cause), "{}", none.detail);
        let listing = "NVIDIA H200, 143771 MiB, 570.1\n";
        let library = Path::new("/usr/lib64/libcuda.so.1");
        let usable = Some(Ok("NVIDIA H200, libnvrtc 13.0 (libnvrtc.so.13)".to_owned()));
        let card = gpu(Some(listing), Some(library), usable);
        assert_eq!(
            card.detail,
            "NVIDIA H200, 143771 MiB, 570.1, /usr/lib64/libcuda.so.1; NVIDIA H200, libnvrtc 13.0 \
             (libnvrtc.so.13)"
        );
        assert_eq!((card.state, card.advice.as_deref()), (State::Ready, Some(USE)));
        let left_out = gpu(Some(listing), Some(library), None);
        assert_eq!(left_out.state, State::LeftOut);
    }
}
