//! The container of weights: safetensors, which are a header in JSON and the bytes of tensors.
//!
//! The crate of that name is not used: it would switch on features of serde that most packages of
//! the workspace would have to be built again for. The format takes a page.

use serde_json::{Map, Value};

use crate::error::Error;

/// The types of numbers that are read, with their bytes.
const TYPES: [(&str, Dtype, usize); 3] =
    [("F16", Dtype::F16, 2), ("BF16", Dtype::Bf16, 2), ("F32", Dtype::F32, 4)];

/// The longest header that is read.
const MOST_HEADER: usize = 1 << 20;

/// A type of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dtype {
    F16,
    Bf16,
    F32,
}

/// A tensor of a file.
#[derive(Debug)]
pub(crate) struct Tensor<'a> {
    pub(crate) name: String,
    pub(crate) dtype: Dtype,
    pub(crate) shape: Vec<usize>,
    pub(crate) data: &'a [u8],
}

/// A file: what it says about itself, and its tensors in the order of their bytes.
#[derive(Debug)]
pub(crate) struct Container<'a> {
    about: Map<String, Value>,
    pub(crate) tensors: Vec<Tensor<'a>>,
}

impl<'a> Container<'a> {
    /// Reads a file. Tensors must cover its bytes without gaps.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Container<'a>, Error> {
        let (size, rest) = bytes.split_first_chunk().ok_or_else(|| bad("it has no header"))?;
        let size = usize::try_from(u64::from_le_bytes(*size)).unwrap_or(usize::MAX);
        if size > MOST_HEADER {
            return Err(bad(format_args!("its header has {size} bytes")));
        }
        let (header, data) =
            rest.split_at_checked(size).ok_or_else(|| bad("it ends within its header"))?;
        let header: Value = serde_json::from_slice(header)
            .map_err(|cause| bad(format_args!("its header: {cause}")))?;
        let Value::Object(mut header) = header else {
            return Err(bad("its header is no object"));
        };
        let about = match header.remove("__metadata__") {
            None => Map::new(),
            Some(Value::Object(about)) => about,
            Some(_) => return Err(bad("its metadata is no object")),
        };
        let mut entries =
            header.into_iter().map(Entry::new).collect::<Result<Vec<Entry>, Error>>()?;
        entries.sort_by_key(|entry| (entry.start, entry.end));
        let mut tensors = Vec::with_capacity(entries.len());
        let mut end = 0;
        for entry in entries {
            if entry.start != end {
                let name = &entry.name;
                return Err(bad(format_args!("the bytes of {name} do not follow the ones before")));
            }
            end = entry.end;
            tensors.push(entry.tensor(data)?);
        }
        if end != data.len() {
            return Err(bad(format_args!(
                "its tensors have {end} bytes, and it has {}",
                data.len()
            )));
        }
        Ok(Container { about, tensors })
    }

    /// What the file says about itself under this key.
    pub(crate) fn about(&self, key: &str) -> &str {
        self.about.get(key).and_then(Value::as_str).unwrap_or("nothing")
    }
}

/// A tensor as the header describes it.
struct Entry {
    name: String,
    dtype: String,
    shape: Vec<usize>,
    start: usize,
    end: usize,
}

impl Entry {
    fn new((name, value): (String, Value)) -> Result<Entry, Error> {
        let part = |key: &str| value.get(key);
        let dtype = part("dtype").and_then(Value::as_str).map(str::to_owned);
        let shape = part("shape").and_then(sizes);
        let offsets = part("data_offsets").and_then(sizes);
        match (dtype, shape, offsets.as_deref()) {
            (Some(dtype), Some(shape), Some(&[start, end])) if start <= end => {
                Ok(Entry { name, dtype, shape, start, end })
            }
            _ => Err(bad(format_args!("the tensor {name} has no type, shape and place"))),
        }
    }

    fn tensor(self, data: &[u8]) -> Result<Tensor<'_>, Error> {
        let Entry { name, dtype, shape, start, end } = self;
        let known = TYPES.iter().find(|(known, ..)| *known == dtype);
        let Some(&(_, dtype, bytes)) = known else {
            return Err(Error::Type { name, found: dtype });
        };
        let numbers = shape.iter().try_fold(bytes, |product, size| product.checked_mul(*size));
        if numbers != Some(end - start) {
            return Err(bad(format_args!("the tensor {name} has other bytes than its shape says")));
        }
        match data.get(start..end) {
            Some(data) => Ok(Tensor { name, dtype, shape, data }),
            None => Err(bad(format_args!("it ends within the tensor {name}"))),
        }
    }
}

/// A list of sizes.
fn sizes(value: &Value) -> Option<Vec<usize>> {
    let size = |value: &Value| usize::try_from(value.as_u64()?).ok();
    value.as_array()?.iter().map(size).collect()
}

fn bad(words: impl std::fmt::Display) -> Error {
    Error::Container(words.to_string())
}
