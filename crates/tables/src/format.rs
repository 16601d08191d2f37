//! The formats that a table is written in.

use std::path::Path;

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Aligned columns, for reading.
    Table,
    /// One JSON document.
    Json,
    /// One JSON object per line.
    Jsonl,
    /// Comma-separated values with a header.
    Csv,
    /// Parquet, compressed with zstd.
    Parquet,
    /// Arrow IPC stream.
    Arrow,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 6] =
        [Format::Table, Format::Json, Format::Jsonl, Format::Csv, Format::Parquet, Format::Arrow];

    /// The name used on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Table => "table",
            Format::Json => "json",
            Format::Jsonl => "jsonl",
            Format::Csv => "csv",
            Format::Parquet => "parquet",
            Format::Arrow => "arrow",
        }
    }

    /// What it is, in a line.
    pub const fn description(self) -> &'static str {
        match self {
            Format::Table => "Aligned columns for reading",
            Format::Json => {
                "One JSON document: an array of objects, or one object for a single result"
            }
            Format::Jsonl => "One JSON object per line",
            Format::Csv => "Comma-separated values with a header",
            Format::Parquet => "Parquet, compressed with zstd",
            Format::Arrow => "Arrow IPC stream",
        }
    }

    /// The format with this name.
    pub fn named(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The format that the extension of a file says.
    pub fn of_file(path: &Path) -> Option<Format> {
        match path.extension()?.to_str()? {
            "parquet" => Some(Format::Parquet),
            "arrow" | "arrows" => Some(Format::Arrow),
            "jsonl" | "ndjson" => Some(Format::Jsonl),
            "json" => Some(Format::Json),
            "csv" => Some(Format::Csv),
            "txt" => Some(Format::Table),
            _ => None,
        }
    }

    /// Whether it is made of bytes that no terminal shows.
    pub const fn is_binary(self) -> bool {
        matches!(self, Format::Parquet | Format::Arrow)
    }
}
