//! Weights from safetensors.

use std::collections::BTreeMap;

use fourchess::Square;
use fourchess_env::Observation;

use crate::{
    container::{Container, Dtype, Tensor},
    error::Error,
    sight::FEATURES,
};

/// What the metadata of a file of weights must say.
const FORMAT: &str = "everyply.fourchess.network";
const VERSION: &str = "1";

/// A file of the widest network has fewer bytes.
const MOST_BYTES: usize = 64 << 20;
const MOST_WIDE: usize = 1024;

/// A layer: a matrix with a row for each input, and what is added to the sum of rows. Inputs that
/// are 0 are skipped, and after a rectifier half of them are.
pub(crate) struct Layer {
    pub(crate) rows: Vec<f32>,
    pub(crate) bias: Vec<f32>,
}

impl Layer {
    /// The outputs of some inputs.
    pub(crate) fn apply(&self, inputs: &[f32], outputs: &mut [f32]) {
        outputs.copy_from_slice(&self.bias);
        self.add(inputs, outputs);
    }

    /// Adds the products with some inputs.
    pub(crate) fn add(&self, inputs: &[f32], outputs: &mut [f32]) {
        for (&input, row) in inputs.iter().zip(self.rows.chunks_exact(outputs.len())) {
            if input != 0.0 {
                for (output, weight) in outputs.iter_mut().zip(row) {
                    *output += input * weight;
                }
            }
        }
    }
}

/// A block that all squares go through alike: a layer of a square and of the mean of all squares,
/// and a layer whose outputs are added.
pub(crate) struct Block {
    pub(crate) inner: Layer,
    pub(crate) shared: Layer,
    pub(crate) outer: Layer,
}

/// All weights of a network.
pub(crate) struct Weights {
    pub(crate) width: usize,
    /// A row for each feature of a square.
    pub(crate) stem: Vec<f32>,
    /// A row for each square.
    pub(crate) place: Vec<f32>,
    pub(crate) scalars: Layer,
    pub(crate) blocks: Vec<Block>,
    pub(crate) source: Layer,
    pub(crate) target: Layer,
    pub(crate) judge: Layer,
    pub(crate) value: Layer,
}

impl Weights {
    /// Reads the weights of a file.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Weights, Error> {
        if bytes.len() > MOST_BYTES {
            return Err(Error::TooLarge { bytes: bytes.len(), most: MOST_BYTES });
        }
        let file = Container::read(bytes)?;
        if file.about("format") != FORMAT {
            return Err(Error::Format { found: file.about("format").to_owned(), expected: FORMAT });
        }
        if file.about("version") != VERSION {
            let found = file.about("version").to_owned();
            return Err(Error::Version { found, expected: VERSION });
        }
        let named = file.tensors.into_iter().map(|tensor| (tensor.name.clone(), tensor));
        Tensors(named.collect()).weights()
    }
}

/// The tensors of a file that have not been used.
struct Tensors<'a>(BTreeMap<String, Tensor<'a>>);

impl Tensors<'_> {
    fn weights(mut self) -> Result<Weights, Error> {
        let width = self.width()?;
        let stem = self.take("stem", &[FEATURES, width])?;
        let place = self.take("place", &[Square::COUNT, width])?;
        let scalars = self.layer("scalars", Observation::SCALARS, width, Bias::Is)?;
        let mut blocks = Vec::new();
        while self.0.contains_key(&format!("inner.{}.weight", blocks.len())) {
            let index = blocks.len();
            blocks.push(Block {
                inner: self.layer(&format!("inner.{index}"), width, width, Bias::Is)?,
                shared: self.layer(&format!("shared.{index}"), width, width, Bias::IsNot)?,
                outer: self.layer(&format!("outer.{index}"), width, width, Bias::IsNot)?,
            });
        }
        let source = self.layer("source", width, width, Bias::Is)?;
        let target = self.layer("target", width, width, Bias::Is)?;
        let judge = self.layer("judge", width, width, Bias::Is)?;
        let value = self.layer("value", width, 4, Bias::Is)?;
        match self.0.into_keys().next() {
            Some(name) => Err(Error::Unknown(name)),
            None => {
                Ok(Weights { width, stem, place, scalars, blocks, source, target, judge, value })
            }
        }
    }

    /// The width of the network, which the first table has.
    fn width(&self) -> Result<usize, Error> {
        let stem = self.0.get("stem").ok_or_else(|| Error::Missing("stem".to_owned()))?;
        match stem.shape[..] {
            [FEATURES, found @ 1..=MOST_WIDE] => Ok(found),
            [FEATURES, found] => Err(Error::Width { found, most: MOST_WIDE }),
            ref other => Err(Error::Shape {
                name: "stem".to_owned(),
                found: other.to_vec(),
                expected: vec![FEATURES, MOST_WIDE],
            }),
        }
    }

    /// A layer. PyTorch has a row for each output.
    fn layer(
        &mut self,
        name: &str,
        inputs: usize,
        outputs: usize,
        bias: Bias,
    ) -> Result<Layer, Error> {
        let matrix = self.take(&format!("{name}.weight"), &[outputs, inputs])?;
        let mut rows = vec![0.0; matrix.len()];
        for (output, weights) in matrix.chunks_exact(inputs).enumerate() {
            for (input, &weight) in weights.iter().enumerate() {
                rows[input * outputs + output] = weight;
            }
        }
        let bias = match bias {
            Bias::Is => self.take(&format!("{name}.bias"), &[outputs])?,
            Bias::IsNot => vec![0.0; outputs],
        };
        Ok(Layer { rows, bias })
    }

    /// The numbers of a tensor.
    fn take(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Error> {
        let tensor = self.0.remove(name).ok_or_else(|| Error::Missing(name.to_owned()))?;
        if tensor.shape != shape {
            return Err(Error::Shape {
                name: name.to_owned(),
                found: tensor.shape,
                expected: shape.to_vec(),
            });
        }
        let numbers = numbers(&tensor);
        match numbers.iter().position(|number| !number.is_finite()) {
            Some(entry) => Err(Error::NotFinite {
                name: name.to_owned(),
                entry,
                found: numbers[entry].to_string(),
            }),
            None => Ok(numbers),
        }
    }
}

/// Whether something is added to the products of a layer.
#[derive(Clone, Copy)]
enum Bias {
    Is,
    IsNot,
}

fn numbers(tensor: &Tensor<'_>) -> Vec<f32> {
    let halves = || tensor.data.as_chunks().0.iter().map(|&bytes| u16::from_le_bytes(bytes));
    match tensor.dtype {
        Dtype::F16 => halves().map(of_half).collect(),
        Dtype::Bf16 => halves().map(|bits| f32::from_bits(u32::from(bits) << 16)).collect(),
        Dtype::F32 => {
            tensor.data.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
        }
    }
}

/// A float of 16 bits, of which 5 are the exponent.
fn of_half(bits: u16) -> f32 {
    let (exponent, fraction) = (bits >> 10 & 31, bits & 1023);
    let size = match exponent {
        0 => f32::from(fraction) * 2.0_f32.powi(-24),
        31 if fraction == 0 => f32::INFINITY,
        31 => f32::NAN,
        _ => f32::from(1024 + fraction) * 2.0_f32.powi(i32::from(exponent) - 25),
    };
    if bits >> 15 == 0 { size } else { -size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_what_the_standard_says() {
        let known = [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x7bff, 65_504.0),
            (0x0400, 6.103_515_6e-5),
            (0x0001, 5.960_464_5e-8),
            (0xfc00, f32::NEG_INFINITY),
        ];
        for (bits, number) in known {
            assert_eq!(of_half(bits), number, "{bits:#06x}");
        }
        assert!(of_half(0x7e00).is_nan());
        // The order of numbers is that of their bits.
        assert!((0..0x7c00).all(|bits| of_half(bits) < of_half(bits + 1)));
    }
}
