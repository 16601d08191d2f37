//! A graphics processor. Nothing here computes on one yet, and that is said.

use std::path::{Path, PathBuf};

use super::{Finding, program};

const NOT_USED: &str = "everyply does not use GPUs yet";

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
    vec![gpu(program::output("nvidia-smi", &query).as_deref(), library.as_deref())]
}

/// From what nvidia-smi prints, a line for each, and from where the driver's library is.
fn gpu(listing: Option<&str>, library: Option<&Path>) -> Finding {
    let library = match library {
        Some(path) => path.display().to_string(),
        None => "no libcuda.so.1".to_owned(),
    };
    let cards: Vec<&str> = listing.unwrap_or_default().lines().map(str::trim).collect();
    match cards.as_slice() {
        [] => Finding::missing("GPU", format!("nvidia-smi lists no GPU, {library}"), NOT_USED),
        cards => {
            let detail = format!("{}, {library}", cards.join("; "));
            Finding::ready("GPU", detail).with_advice(NOT_USED)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::State;

    #[test]
    fn cards_are_named_and_said_not_to_be_used() {
        let none = gpu(None, None);
        assert_eq!((none.state, none.advice.as_deref()), (State::Missing, Some(NOT_USED)));
        let listing = "NVIDIA H200, 143771 MiB, 570.1\n";
        let card = gpu(Some(listing), Some(Path::new("/usr/lib64/libcuda.so.1")));
        assert_eq!(card.detail, "NVIDIA H200, 143771 MiB, 570.1, /usr/lib64/libcuda.so.1");
        assert_eq!((card.state, card.advice.as_deref()), (State::Ready, Some(NOT_USED)));
    }
}
