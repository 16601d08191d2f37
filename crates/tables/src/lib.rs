//! Results as tables: Arrow record batches with documented, versioned schemas, and the writers
//! that turn them into Parquet, Arrow, JSON, CSV and aligned text.
//!
//! ```
//! use tables::{Format, Rows, Shape, Table, count, text};
//!
//! static COUNTS: Table = Table::new("example.counts", &[text("name"), count("nodes")]);
//! let mut out = Vec::new();
//! let mut rows = Rows::new(&mut out, Format::Jsonl, &COUNTS, Shape::Many)?;
//! rows.row(&["start".into(), 197_281_u64.into()])?;
//! rows.finish()?;
//! assert_eq!(out, b"{\"name\":\"start\",\"nodes\":197281}\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Each game has a module with its tables and what makes their rows from its results; [`all`] lists
//! the tables, docs/formats.md describes them.
//!
//! A schema has a name and a version in its metadata. Files contain no timestamps, so the same rows
//! give the same bytes. [`check`] refuses a newer major version. This crate does not compute
//! results and does not query tables.

mod aligned;
mod cells;
pub mod chess;
mod format;
pub mod fourchess;
pub mod game;
pub mod kalah;
pub mod kenken;
mod parquet;
pub mod program;
mod reading;
mod registry;
mod rows;
mod schema;
mod table;
mod writer;

pub use format::Format;
pub use parquet::{ParquetEncoder, ParquetFile, Part, Parts, RowGroup};
pub use reading::{Absent, Notation, ROW_LIMIT, Survey, TextError, TextReader, distinct};
pub use registry::{all, known};
pub use rows::{Batches, Cell, Rows};
pub use schema::{SchemaError, Version, check, name_of, narrow, schema};
pub use table::{
    Column, Kind, Table, count, flag, hash, list, map, mask, number, real, small, text,
};
pub use writer::{Chunk, Encoder, Shape, TableError, Writer};
