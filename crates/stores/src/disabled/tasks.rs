//! Replacement if no feature brings parts.

use solver::{
    Access, State, StoreError,
    tasks::{Blobs, Desk},
};

use crate::place::not_built;

/// No store here can be solved by tasks.
pub fn desk(url: &str, _: &Access) -> Result<(Box<dyn Desk>, State), StoreError> {
    Err(not_built(&sources::shown(url), "file"))
}

/// No tasks run here.
pub fn blobs(url: &str) -> Result<Box<dyn Blobs + Send>, StoreError> {
    Err(not_built(&sources::shown(url), "file"))
}

/// The URL as it is.
pub fn everywhere(url: &str) -> Result<String, StoreError> {
    Ok(url.to_owned())
}
