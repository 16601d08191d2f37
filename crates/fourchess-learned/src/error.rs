//! Why a file of weights is refused.

use thiserror::Error;

/// Why bytes are not the weights of a network.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Error {
    /// The bytes are no safetensors.
    #[error("not a safetensors file: {0}")]
    Container(String),
    /// The file is larger than any network of this kind.
    #[error("a file of weights has {bytes} bytes, expected at most {most}")]
    TooLarge {
        /// The bytes of the file.
        bytes: usize,
        /// The most that are read.
        most: usize,
    },
    /// The tensors are those of something else.
    #[error(
        "these are not weights of this network: the metadata has format {found}, expected {expected}"
    )]
    Format {
        /// What the metadata says.
        found: String,
        /// What it must say.
        expected: &'static str,
    },
    /// The weights are of another version of the network.
    #[error("weights of version {found}, expected {expected}")]
    Version {
        /// What the metadata says.
        found: String,
        /// The version that is read.
        expected: &'static str,
    },
    /// A tensor is not there.
    #[error("the tensor {0} is missing")]
    Missing(String),
    /// A tensor that the network does not have.
    #[error("there is a tensor {0}, which the network does not have")]
    Unknown(String),
    /// A tensor has another shape than the others ask for.
    #[error("the tensor {name} has the shape {found:?}, expected {expected:?}")]
    Shape {
        /// The tensor.
        name: String,
        /// Its shape.
        found: Vec<usize>,
        /// The shape that it must have.
        expected: Vec<usize>,
    },
    /// The network is wider than any that can be used.
    #[error("the network is {found} wide, expected 1 to {most}")]
    Width {
        /// The width.
        found: usize,
        /// The greatest width.
        most: usize,
    },
    /// The entries of a tensor are not floats of 16 or 32 bits.
    #[error("the tensor {name} holds {found}, expected F16, BF16 or F32")]
    Type {
        /// The tensor.
        name: String,
        /// The type of its entries.
        found: String,
    },
    /// An entry is infinite or not a number.
    #[error("entry {entry} of the tensor {name} is {found}")]
    NotFinite {
        /// The tensor.
        name: String,
        /// The entry, counted from 0.
        entry: usize,
        /// What it is.
        found: String,
    },
}
