use std::{collections::HashMap, fmt, sync::Arc};

use arrow::datatypes::{DataType, Field, Schema, SchemaRef};

/// The version of a schema. Columns may be added with a new minor version; anything else is a
/// new major version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// Raised when a column changes its name, type or meaning, or goes.
    pub major: u32,
    /// Raised when a column is added.
    pub minor: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Why a file cannot be read as a table of ours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// It says no schema.
    #[error("the file does not name an everyply schema")]
    Nameless,
    /// It is another table.
    #[error("the file holds '{found}', expected '{expected}'")]
    Other {
        /// Its schema.
        found: String,
        /// The wanted one.
        expected: String,
    },
    /// Its version is not `major.minor`.
    #[error("the file has schema version '{0}', expected two numbers")]
    Version(String),
    /// It was written by a later everyply.
    #[error("the file has schema version {found}, but this program reads versions up to {known}")]
    Newer {
        /// Its version.
        found: Version,
        /// The version known here.
        known: Version,
    },
}

const NAME: &str = "everyply.schema";
const VERSION: &str = "everyply.version";
/// In a field's metadata: how text formats show it.
const SHOWN: &str = "everyply.shown";

/// A schema with its name, its version and further notes in the metadata.
pub fn schema(
    name: &str,
    version: Version,
    fields: Vec<Field>,
    notes: &[(&str, &str)],
) -> SchemaRef {
    let mut metadata: HashMap<String, String> =
        notes.iter().map(|(key, value)| (format!("everyply.{key}"), (*value).into())).collect();
    metadata.insert(NAME.into(), name.into());
    metadata.insert(VERSION.into(), version.to_string());
    Arc::new(Schema::new_with_metadata(fields, metadata))
}

/// The name of a schema made here.
pub fn name_of(schema: &Schema) -> Option<&str> {
    schema.metadata().get(NAME).map(String::as_str)
}

/// Whether metadata are those of a table that can be read as the named one.
pub fn check(
    metadata: &HashMap<String, String>,
    name: &str,
    known: Version,
) -> Result<Version, SchemaError> {
    let found = metadata.get(NAME).ok_or(SchemaError::Nameless)?;
    if found != name {
        return Err(SchemaError::Other { found: found.clone(), expected: name.into() });
    }
    let text = metadata.get(VERSION).ok_or(SchemaError::Nameless)?;
    let parts = text.split_once('.').and_then(|(major, minor)| {
        Some(Version { major: major.parse().ok()?, minor: minor.parse().ok()? })
    });
    let found = parts.ok_or_else(|| SchemaError::Version(text.clone()))?;
    if found.major > known.major {
        return Err(SchemaError::Newer { found, known });
    }
    Ok(found)
}

/// A column of text.
pub fn text(name: &str) -> Field {
    Field::new(name, DataType::Utf8, true)
}

/// A column of numbers from 0 up.
pub fn count(name: &str) -> Field {
    Field::new(name, DataType::UInt64, true)
}

/// A column of whole numbers, also below 0.
pub fn number(name: &str) -> Field {
    Field::new(name, DataType::Int64, true)
}

/// A column of numbers from 0 to 255.
pub fn small(name: &str) -> Field {
    Field::new(name, DataType::UInt8, true)
}

/// A column of real numbers.
pub fn real(name: &str) -> Field {
    Field::new(name, DataType::Float64, true)
}

/// A column of yes and no.
pub fn flag(name: &str) -> Field {
    Field::new(name, DataType::Boolean, true)
}

/// A column of 64-bit hashes, hexadecimal in text formats.
pub fn hash(name: &str) -> Field {
    shown(count(name), "hex")
}

/// A column of sets of squares, bit 0 for a1; hexadecimal in text formats.
pub fn mask(name: &str) -> Field {
    hash(name)
}

/// The column, left out of aligned text, which would become too wide with it.
pub fn wide(field: Field) -> Field {
    let both = if is_hex(&field) { "hex wide" } else { "wide" };
    shown(field, both)
}

/// The column, shown by aligned text whether it is wide or not: for those who asked for it.
pub fn narrow(field: Field) -> Field {
    if is_hex(&field) {
        return shown(field, "hex");
    }
    let mut metadata = field.metadata().clone();
    metadata.remove(SHOWN);
    field.with_metadata(metadata)
}

fn shown(field: Field, how: &str) -> Field {
    field.with_metadata(HashMap::from([(SHOWN.into(), how.into())]))
}

pub(crate) fn is_hex(field: &Field) -> bool {
    field.metadata().get(SHOWN).is_some_and(|how| how.contains("hex"))
}

pub(crate) fn is_wide(field: &Field) -> bool {
    field.metadata().get(SHOWN).is_some_and(|how| how.contains("wide"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_major_version_is_refused_and_a_newer_minor_one_is_not() {
        let known = Version { major: 2, minor: 3 };
        let metadata = |major, minor| {
            schema("a", Version { major, minor }, vec![text("x")], &[]).metadata().clone()
        };
        assert!(check(&metadata(1, 9), "a", known).is_ok());
        assert!(check(&metadata(2, 9), "a", known).is_ok());
        let newer = check(&metadata(3, 0), "a", known).unwrap_err();
        assert_eq!(
            newer.to_string(),
            "the file has schema version 3.0, but this program reads versions up to 2.3"
        );
        assert!(matches!(check(&metadata(2, 3), "b", known), Err(SchemaError::Other { .. })));
        assert_eq!(check(&HashMap::new(), "a", known), Err(SchemaError::Nameless));
    }

    #[test]
    fn a_narrow_column_is_shown_and_stays_hexadecimal() {
        for field in [hash("x"), wide(hash("x"))] {
            let narrow = narrow(field);
            assert!(is_hex(&narrow) && !is_wide(&narrow));
        }
        assert_eq!(narrow(wide(text("x"))), text("x"));
    }
}
