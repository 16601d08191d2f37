//! The URLs that name stores.

use std::fmt;
use std::path::PathBuf;

use solver::StoreError;

/// Where a store is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Memory,
    Sqlite(PathBuf),
}

const KNOWN: &str = "it begins with memory:, sqlite:, postgres:, bigtable:, file:, s3: or gs:";

impl Place {
    pub(crate) fn parse(url: &str) -> Result<Place, StoreError> {
        let (scheme, rest) = url.split_once(':').ok_or_else(|| refuse(url, KNOWN))?;
        match scheme {
            "memory" if rest.is_empty() => Ok(Place::Memory),
            "memory" => Err(refuse(url, "nothing follows memory:")),
            "sqlite" => Ok(Place::Sqlite(path(url, rest)?)),
            _ => Err(refuse(url, KNOWN)),
        }
    }
}

/// The place without any password.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Memory => write!(f, "memory:"),
            Place::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
        }
    }
}

/// `dir/x` as it is, `///dir/x` as in other URLs.
fn path(url: &str, rest: &str) -> Result<PathBuf, StoreError> {
    let path = match rest.strip_prefix("//") {
        Some(path) if path.starts_with('/') => path,
        Some(_) => return Err(refuse(url, "a path has one slash or three before it")),
        None => rest,
    };
    if path.is_empty() { Err(refuse(url, "the path is missing")) } else { Ok(path.into()) }
}

fn refuse(url: &str, cause: &str) -> StoreError {
    StoreError::Url { url: without_password(url), cause: cause.to_owned() }
}

/// The error of a store whose backend was left out of this build.
#[allow(dead_code, reason = "with every feature on, nothing is left out")]
pub(crate) fn not_built(place: &str, feature: &str) -> StoreError {
    let cause = format!("this build lacks the feature `{feature}`");
    StoreError::Url { url: place.to_owned(), cause }
}

/// The URL with the password blotted out that may stand before its host.
pub(crate) fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let authority = rest.find(['/', '?']).unwrap_or(rest.len());
    match rest[..authority].rfind('@').map(|at| (rest[..at].split_once(':'), &rest[at..])) {
        Some((Some((user, _)), host)) => format!("{scheme}://{user}:***{host}"),
        _ => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_and_written() {
        let cases = [
            ("memory:", "memory:"),
            ("sqlite:a.db", "sqlite:a.db"),
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
            ("", "begins with"),
            ("a.db", "begins with"),
            ("mysql://host/db", "begins with"),
            ("memory:x", "nothing follows"),
            ("sqlite:", "path is missing"),
            ("sqlite://a.db", "one slash or three"),
        ];
        for (url, cause) in cases {
            let error = Place::parse(url).unwrap_err().to_string();
            assert!(error.contains(cause), "{url}: {error}");
        }
    }

    #[test]
    fn passwords_are_left_out() {
        let cases = [
            ("mysql://me:secret@host/db", "mysql://me:***@host/db"),
            ("mysql://me:se:c@ret@host", "mysql://me:***@host"),
            ("mysql://me@host/db", "mysql://me@host/db"),
            ("mysql://host/a:b@c", "mysql://host/a:b@c"),
        ];
        for (url, shown) in cases {
            assert_eq!(without_password(url), shown);
        }
    }
}
