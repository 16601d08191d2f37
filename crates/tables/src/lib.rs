//! Results as tables: Arrow record batches with documented, versioned schemas, and the writers
//! that turn them into Parquet, Arrow, JSON, CSV and aligned text.
//!
//! ```
//! use std::sync::Arc;
//! use arrow::{array::{ArrayRef, StringArray, UInt64Array}, record_batch::RecordBatch};
//! use tables::{Format, Shape, Version, Writer, schema, text, count};
//!
//! let schema = schema("example.counts", Version { major: 1, minor: 0 }, vec![text("name"), count("nodes")], &[]);
//! let names: ArrayRef = Arc::new(StringArray::from(vec!["start"]));
//! let nodes: ArrayRef = Arc::new(UInt64Array::from(vec![197_281]));
//! let batch = RecordBatch::try_new(schema.clone(), vec![names, nodes])?;
//! let mut out = Vec::new();
//! let mut writer = Writer::new(&mut out, Format::Jsonl, &schema, Shape::Many)?;
//! writer.write(&batch)?;
//! writer.finish()?;
//! assert_eq!(out, b"{\"name\":\"start\",\"nodes\":197281}\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A schema has a name and a version in its metadata, and no clock: the same rows give the same
//! bytes. Readers refuse a newer major version ([`check`]). How rows were computed is not known
//! here, and nothing here queries them.

mod aligned;
mod cells;
mod parquet;
mod positions;
mod reading;
mod registry;
mod schema;
mod writer;

pub use parquet::{ParquetEncoder, ParquetFile, Part, Parts, RowGroup};
pub use positions::{FACTS_VERSION, FactRows, Selection, UnknownFact};
pub use reading::{Absent, Notation, ROW_LIMIT, Survey, TextError, TextReader, distinct};
pub use registry::known;
pub use schema::{
    SchemaError, Version, check, count, flag, hash, mask, name_of, narrow, number, real, schema,
    small, text, wide,
};
pub use writer::{Chunk, Encoder, Format, Shape, TableError, Writer};
