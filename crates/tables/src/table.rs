//! What a table is: its name, its version and its columns.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Fields, SchemaRef};

use crate::{
    Version,
    schema::{marked, schema},
};

/// A named table and its columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// The name of the schema, such as `chess.games`.
    pub name: &'static str,
    /// The version of the schema.
    pub version: Version,
    /// The columns in order.
    pub columns: &'static [Column<'static>],
}

impl Table {
    /// A table whose columns have never changed.
    pub const fn new(name: &'static str, columns: &'static [Column<'static>]) -> Table {
        Table { name, version: Version { major: 1, minor: 0 }, columns }
    }

    /// The table in a version of its own.
    pub const fn version(self, major: u32, minor: u32) -> Table {
        Table { version: Version { major, minor }, ..self }
    }

    /// Its columns as Arrow knows them, with name and version in the metadata.
    pub fn schema(&self) -> SchemaRef {
        schema(self.name, self.version, self.columns.iter().copied(), &[])
    }
}

/// A column: its name, its type, and whether aligned text shows it. That is for reading and
/// leaves out what would make it too wide; the other formats have every column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column<'a> {
    /// What it is called.
    pub name: &'a str,
    /// What its values are.
    pub kind: Kind,
    /// Whether aligned text leaves it out.
    pub is_wide: bool,
}

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// Numbers from 0 up.
    Count,
    /// Numbers from 0 to 255.
    Small,
    /// Whole numbers, also below 0.
    Number,
    /// 64-bit hashes and sets of squares, hexadecimal in text formats.
    Hash,
    /// Real numbers.
    Real,
    /// True and false.
    Flag,
    /// Lists of text.
    List,
    /// Text by names, which are text.
    Map,
}

impl Kind {
    /// The type of the values in Arrow and Parquet.
    pub fn data_type(self) -> DataType {
        match self {
            Kind::List => DataType::new_list(DataType::Utf8, true),
            Kind::Map => {
                let key = Field::new("key", DataType::Utf8, false);
                let entry = Fields::from(vec![key, Field::new("value", DataType::Utf8, true)]);
                let entries = Field::new("entries", DataType::Struct(entry), false);
                DataType::Map(Arc::new(entries), false)
            }
            Kind::Text => DataType::Utf8,
            Kind::Count | Kind::Hash => DataType::UInt64,
            Kind::Small => DataType::UInt8,
            Kind::Number => DataType::Int64,
            Kind::Real => DataType::Float64,
            Kind::Flag => DataType::Boolean,
        }
    }
}

/// A column of text.
pub const fn text(name: &str) -> Column<'_> {
    Column::new(name, Kind::Text)
}

/// A column of numbers from 0 up.
pub const fn count(name: &str) -> Column<'_> {
    Column::new(name, Kind::Count)
}

/// A column of numbers from 0 to 255.
pub const fn small(name: &str) -> Column<'_> {
    Column::new(name, Kind::Small)
}

/// A column of whole numbers, also below 0.
pub const fn number(name: &str) -> Column<'_> {
    Column::new(name, Kind::Number)
}

/// A column of 64-bit hashes, hexadecimal in text formats.
pub const fn hash(name: &str) -> Column<'_> {
    Column::new(name, Kind::Hash)
}

/// A column of sets of squares, bit 0 for a1; hexadecimal in text formats.
pub const fn mask(name: &str) -> Column<'_> {
    hash(name)
}

/// A column of real numbers.
pub const fn real(name: &str) -> Column<'_> {
    Column::new(name, Kind::Real)
}

/// A column of true and false.
pub const fn flag(name: &str) -> Column<'_> {
    Column::new(name, Kind::Flag)
}

/// A column of lists of text.
pub const fn list(name: &str) -> Column<'_> {
    Column::new(name, Kind::List)
}

/// A column of text by names.
pub const fn map(name: &str) -> Column<'_> {
    Column::new(name, Kind::Map)
}

impl<'a> Column<'a> {
    const fn new(name: &'a str, kind: Kind) -> Column<'a> {
        Column { name, kind, is_wide: false }
    }

    /// The column, left out of aligned text.
    pub const fn wide(self) -> Column<'a> {
        Column { is_wide: true, ..self }
    }

    /// The column as Arrow knows it.
    pub fn field(&self) -> Field {
        let field = Field::new(self.name, self.kind.data_type(), true);
        marked(field, self.kind == Kind::Hash, self.is_wide)
    }
}

impl From<Column<'_>> for Field {
    fn from(column: Column<'_>) -> Field {
        column.field()
    }
}
