//! `everyply.fourchess`

mod access;
mod arrays;
mod batch;
pub(crate) mod device;
mod dlpack;
mod learned;
pub(crate) mod memory;
mod moving;
mod observed;
pub(crate) mod options;
mod reader;
mod refusals;
mod state;
mod tables;
mod tensor;

use pyo3::prelude::*;

use batch::Batch;
pub(crate) use options::{named, rules};
use refusals::{DeviceError, IllegalAction, indexes, raise};

/// Four-player chess: batches of games for reinforcement learning.
#[pymodule(name = "fourchess", submodule)]
pub(crate) mod module {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::{
        Batch,
        device::{
            cuda::{CudaBatch, DeviceArray},
            device,
        },
        learned::Network,
        refusals::{BatchError, DeviceError, FenError, IllegalAction, WeightsError},
        tensor::Tensor,
    };
    #[pymodule_export]
    use crate::fourchess::moving::{animated_gif, animated_svg};
    #[pymodule_export]
    use crate::fourchess::reader::{RecordError, games, positions};
    #[pymodule_export]
    use crate::fourchess::tables::{
        actions, between, destinations, far, from_wide, near, pairs, pawn_pushes, pawn_takes,
        squares, to_wide,
    };
    #[pymodule_export]
    use crate::reader::Reader;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::tables::add_constants(module)
    }
}
