//! The URLs that name stores.

use std::{fmt, path::PathBuf};

use solver::StoreError;
use sources::shown;

/// Where a store is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Memory,
    Bigtable {
        project: String,
        instance: String,
        table: String,
    },
    File(PathBuf),
    Gs {
        bucket: String,
        prefix: String,
    },
    /// The URL is without the schema, which clients do not know.
    Postgres {
        url: String,
        schema: String,
    },
    S3 {
        bucket: String,
        prefix: String,
    },
    Sqlite(PathBuf),
}

const KNOWN: &str = "it must begin with memory:, sqlite:, postgres:, bigtable:, file:, s3: or gs:";

const SECRET: &str = "a URL must not contain passwords, keys or unknown parameters; \
                      set PGPASSWORD, AWS_SECRET_ACCESS_KEY or GOOGLE_APPLICATION_CREDENTIALS, or \
                      write ~/.pgpass";

/// The default schema.
const SCHEMA: &str = "everyply";

impl Place {
    pub(crate) fn parse(url: &str) -> Result<Place, StoreError> {
        let (scheme, rest) = url.split_once(':').ok_or_else(|| refuse(url, KNOWN))?;
        if !matches!(scheme, "file" | "sqlite") && shown(url) != url {
            return Err(refuse(url, SECRET));
        }
        match scheme {
            "memory" if rest.is_empty() => Ok(Place::Memory),
            "memory" => Err(refuse(url, "nothing may follow memory:")),
            "bigtable" => bigtable(url, rest),
            "file" => Ok(Place::File(path(url, rest)?)),
            "gs" => bucket(url, rest).map(|(bucket, prefix)| Place::Gs { bucket, prefix }),
            "postgres" | "postgresql" => postgres(url),
            "s3" => bucket(url, rest).map(|(bucket, prefix)| Place::S3 { bucket, prefix }),
            "sqlite" => Ok(Place::Sqlite(path(url, rest)?)),
            _ => Err(refuse(url, KNOWN)),
        }
    }
}

/// The place without a password.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Memory => write!(f, "memory:"),
            Place::Bigtable { project, instance, table } => {
                write!(f, "bigtable://{project}/{instance}/{table}")
            }
            Place::Gs { bucket, prefix } => write!(f, "gs://{bucket}/{prefix}"),
            Place::S3 { bucket, prefix } => write!(f, "s3://{bucket}/{prefix}"),
            Place::Postgres { url, schema } => write!(f, "{url} schema {schema}"),
            Place::File(path) => write!(f, "file:{}", path.display()),
            Place::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
        }
    }
}

/// `dir/x` is used as it is, and `///dir/x` as in other URLs.
fn path(url: &str, rest: &str) -> Result<PathBuf, StoreError> {
    let path = match rest.strip_prefix("//") {
        Some(path) if path.starts_with('/') => path,
        Some(_) => return Err(refuse(url, "expected one slash or three before the path")),
        None => rest,
    };
    if path.is_empty() { Err(refuse(url, "the path is missing")) } else { Ok(path.into()) }
}

fn bigtable(url: &str, rest: &str) -> Result<Place, StoreError> {
    let parts: Vec<&str> = rest.strip_prefix("//").unwrap_or("").split('/').collect();
    match parts.as_slice() {
        [project, instance, table] if !parts.contains(&"") => {
            let [project, instance, table] = [project, instance, table].map(ToString::to_string);
            Ok(Place::Bigtable { project, instance, table })
        }
        _ => Err(refuse(url, "expected bigtable://project/instance/table")),
    }
}

fn bucket(url: &str, rest: &str) -> Result<(String, String), StoreError> {
    let rest = rest.strip_prefix("//").unwrap_or("");
    let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
    let prefix = prefix.trim_end_matches('/');
    if bucket.is_empty() || prefix.is_empty() {
        return Err(refuse(url, "expected a bucket and a prefix"));
    }
    Ok((bucket.to_owned(), prefix.to_owned()))
}

/// Removes `schema=` from the query.
fn postgres(url: &str) -> Result<Place, StoreError> {
    let (base, query) = url.split_once('?').unwrap_or((url, ""));
    let (mut schema, mut others) = (SCHEMA, Vec::new());
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        match pair.strip_prefix("schema=") {
            Some(name) => schema = name,
            None => others.push(pair),
        }
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if schema.is_empty() || !schema.bytes().all(plain) {
        return Err(refuse(url, "a schema name may have only letters, digits and _"));
    }
    let separator = if others.is_empty() { "" } else { "?" };
    let url = format!("{base}{separator}{}", others.join("&"));
    Ok(Place::Postgres { url, schema: schema.to_owned() })
}

fn refuse(url: &str, cause: &str) -> StoreError {
    StoreError::Url { url: shown(url), cause: cause.to_owned() }
}

/// The error for a store that this build does not support.
#[allow(dead_code, reason = "with every feature on, nothing is left out")]
pub(crate) fn not_built(place: &str, feature: &str) -> StoreError {
    let cause = format!("this program was built without the feature '{feature}'");
    StoreError::Url { url: place.to_owned(), cause }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_and_written() {
        let cases = [
            ("memory:", "memory:"),
            ("file:solved/kalah", "file:solved/kalah"),
            ("file:///tmp/kalah", "file:/tmp/kalah"),
            ("sqlite:a.db", "sqlite:a.db"),
            ("bigtable://p/i/t", "bigtable://p/i/t"),
            ("s3://b/games/kalah/", "s3://b/games/kalah"),
            ("gs://b/kalah", "gs://b/kalah"),
            ("postgres://me@host/db", "postgres://me@host/db schema everyply"),
            (
                "postgresql://me@host/db?schema=kalah_4_3&connect_timeout=3",
                "postgresql://me@host/db?connect_timeout=3 schema kalah_4_3",
            ),
            ("sqlite:/tmp/a b.db", "sqlite:/tmp/a b.db"),
            ("sqlite:///tmp/a.db", "sqlite:/tmp/a.db"),
        ];
        for (url, written) in cases {
            assert_eq!(Place::parse(url).map(|place| place.to_string()).as_deref(), Ok(written));
        }
    }

    #[test]
    fn what_is_no_place_is_refused_with_its_cause() {
        let cases = [
            ("", "must begin with"),
            ("a.db", "must begin with"),
            ("mysql://host/db", "must begin with"),
            ("memory:x", "nothing may follow"),
            ("sqlite:", "path is missing"),
            ("sqlite://a.db", "one slash or three"),
            ("bigtable://p/i", "bigtable://project/instance/table"),
            ("bigtable://p//t", "bigtable://project/instance/table"),
            ("s3://b", "a bucket and a prefix"),
            ("gs:///kalah", "a bucket and a prefix"),
            ("postgres://host/db?schema=a;b", "letters, digits"),
            ("postgres://me:secret@host/db", "PGPASSWORD"),
            ("postgres://me@host/db?password=secret", "PGPASSWORD"),
            ("postgres://me@host/db?PASSWORD=secret", "PGPASSWORD"),
            ("postgres://me:se/secret@host/db", "PGPASSWORD"),
            ("postgres://me:se?secret@host/db", "PGPASSWORD"),
            ("s3://key:secret@bucket/games", "AWS_SECRET_ACCESS_KEY"),
            ("s3://bucket/games?key=secret", "AWS_SECRET_ACCESS_KEY"),
            ("gs://secret@bucket/games", "GOOGLE_APPLICATION_CREDENTIALS"),
            ("bigtable://me:secret@project/instance/table", "GOOGLE_APPLICATION_CREDENTIALS"),
            ("mysql://me:secret@host/db", "must not contain"),
        ];
        for (url, cause) in cases {
            let error = Place::parse(url).unwrap_err().to_string();
            assert!(error.contains(cause), "{url}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
