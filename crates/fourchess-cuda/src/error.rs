//! The errors of a batch on a GPU.

use std::path::PathBuf;

use thiserror::Error;

/// Why a call failed. Unless it says that the device was lost, the batch is unchanged.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Error {
    /// There is no driver.
    #[error("there is no NVIDIA driver on this machine: the library libcuda was not found")]
    NoDriver,
    /// The driver is there, but there is no such device.
    #[error("there is no CUDA device {ordinal}: the driver finds {found}")]
    NoDevice {
        /// The number asked for.
        ordinal: usize,
        /// How many there are.
        found: usize,
    },
    /// The driver or the device is too old.
    #[error("the {what} is too old: it has version {found}, and {needed} is needed")]
    TooOld {
        /// Which of the two.
        what: &'static str,
        /// Its version.
        found: String,
        /// The oldest that will do.
        needed: &'static str,
    },
    /// The compiler of kernels is not there.
    #[error(
        "the library libnvrtc was not found; it comes with the CUDA toolkit, with PyTorch, and \
         with the Python package nvidia-cuda-nvrtc; looked for {tried}"
    )]
    NoNvrtc {
        /// The names and places.
        tried: String,
    },
    /// The kernels could not be compiled.
    #[error("the kernels cannot be compiled by {compiler}: {log}")]
    Compile {
        /// The library.
        compiler: PathBuf,
        /// What it says.
        log: String,
    },
    /// The batch does not fit into the memory of the device.
    #[error(
        "a batch of {games} games needs {bytes} bytes of the device's memory, of which {free} are \
         free; {array} alone takes {costs} bytes"
    )]
    TooLarge {
        /// The number of games.
        games: usize,
        /// The bytes that they need.
        bytes: usize,
        /// The bytes that are free.
        free: usize,
        /// The array that costs most.
        array: &'static str,
        /// Its bytes.
        costs: usize,
    },
    /// The memory of the device ran out for something else than the arrays of a batch.
    #[error("{bytes} bytes of the device's memory cannot be allocated for {what}")]
    Memory {
        /// What for.
        what: &'static str,
        /// How many.
        bytes: usize,
    },
    /// The memory of the processor ran out for something that was to be copied there.
    #[error("{bytes} bytes of memory cannot be allocated for a copy from the device")]
    HostMemory {
        /// How many.
        bytes: usize,
    },
    /// The context of the device is lost, and with it every batch of the process.
    #[error("the CUDA device is lost to this process, which must be restarted: {cause}")]
    Lost {
        /// The error of the driver.
        cause: String,
    },
    /// Any other error of the driver.
    #[error("{call}: {cause}")]
    Driver {
        /// What was asked of it.
        call: &'static str,
        /// What it answered.
        cause: String,
    },
    /// Lanes and threads that no kernel can have.
    #[error("{lanes} lanes in blocks of {threads} threads are not possible: {why}")]
    Shape {
        /// The lanes.
        lanes: u32,
        /// The threads.
        threads: u32,
        /// What is wrong with them.
        why: &'static str,
    },
    /// Illegal actions that are errors, where nobody waits to hear of them.
    #[error(
        "illegal actions of games that are values cannot be errors on a GPU, because nobody waits \
         for its answer: choose noop or lose"
    )]
    Unheard,
    /// An error that a batch on the processor has too.
    #[error(transparent)]
    Batch(#[from] fourchess_env::Error),
}
