//! Schemas with names, versions and display hints.

use std::{collections::HashMap, fmt, sync::Arc};

use arrow::datatypes::{Field, Schema, SchemaRef};

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
    fields: impl IntoIterator<Item = impl Into<Field>>,
    notes: &[(&str, &str)],
) -> SchemaRef {
    let mut metadata: HashMap<String, String> =
        notes.iter().map(|(key, value)| (format!("everyply.{key}"), (*value).into())).collect();
    metadata.insert(NAME.into(), name.into());
    metadata.insert(VERSION.into(), version.to_string());
    let fields: Vec<Field> = fields.into_iter().map(Into::into).collect();
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

/// The field, with what text formats are to know of it.
pub(crate) fn marked(field: Field, is_hex: bool, is_wide: bool) -> Field {
    match (is_hex, is_wide) {
        (true, true) => shown(field, "hex wide"),
        (true, false) => shown(field, "hex"),
        (false, true) => shown(field, "wide"),
        (false, false) => field,
    }
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
    use crate::{hash, text};

    #[test]
    fn a_newer_major_version_is_refused_and_a_newer_minor_one_is_not() {
        let known = Version { major: 2, minor: 3 };
        let metadata = |major, minor| {
            schema("a", Version { major, minor }, [text("x")], &[]).metadata().clone()
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
        for column in [hash("x"), hash("x").wide()] {
            let narrow = narrow(column.into());
            assert!(is_hex(&narrow) && !is_wide(&narrow));
        }
        assert_eq!(narrow(text("x").wide().into()), text("x").into());
    }
}
