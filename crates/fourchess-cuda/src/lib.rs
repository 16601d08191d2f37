//! Batches of four-player chess games on a GPU, equal bit for bit to those on the processor.
//!
//! ```no_run
//! use fourchess::Rules;
//! use fourchess_cuda::{Array, CudaBatch, Options};
//! use fourchess_env::{Autoreset, Config, Illegal, Outputs, Player};
//!
//! let config = Config {
//!     outputs: Outputs { legal_bits: true, observation: true, ..Outputs::default() },
//!     autoreset: Autoreset::SameStep,
//!     illegal: Illegal::Noop,
//!     ..Config::new(&Rules::FFA, 8192)
//! };
//! let mut batch = CudaBatch::new(config, &Options::default())?;
//! for _ in 0..100 {
//!     batch.choose_own([Some(Player::Random); 4])?; // or actions of a tensor on the device
//!     batch.step_own()?;
//! }
//! let (address, bytes) = batch.address(Array::Planes); // for a view of a tensor library
//! println!("{bytes} bytes of planes at {address:#x}, {:?}", batch.stats()?);
//! # Ok::<(), fourchess_cuda::Error>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | know whether there is a device | [`devices`], [`Device::open`] |
//! | play | [`CudaBatch`], with the [`Config`](fourchess_env::Config) of a batch |
//! | work on arrays of a tensor library | [`CudaBatch::address`], [`CudaBatch::step_on_device`] and the other unsafe methods |
//! | step games that are values | [`CudaStepper`], in a stream of the caller's |
//! | expand planes to numbers | [`CudaBatch::expand`] |
//! | compare with a batch on the processor | [`CudaBatch::digests`], [`digests_of`] |
//! | count lines of moves | [`Perft`] |
//! | read the kernels | [`source`] |
//!
//! Nothing is linked: driver and compiler are loaded when they are asked for, and where they are
//! missing the [`Error`] says which and why. Compiled kernels are kept in [`cache_directory`]. A
//! step allocates nothing and waits for nothing, unless illegal actions are errors.
//!
//! This crate has no networks and no learning, and uses one device for a batch.

mod batch;
mod cache;
mod device;
pub mod digest;
mod error;
mod nvrtc;
mod params;
mod perft;
pub mod source;
mod tables;
mod values;

pub use batch::{CudaBatch, Entry, Number, Options, Scratch, Stats, Which};
pub use cache::cache_directory;
pub use device::{Device, device_of_stream, devices};
pub use digest::{digest_of, digests_of};
pub use error::Error;
pub use nvrtc::Nvrtc;
pub use params::{Array, FIRST_REFUSED, Params, RECORD_BYTES, STATS};
pub use perft::Perft;
pub use values::{CudaStepper, SeenAt, Values};
