//! Stores that are solved by tasks, on several machines: directories and buckets.

use std::path;

use solver::{
    Access, State, StoreError,
    tasks::{Blobs, Desk},
};

use crate::{
    file, gs,
    parts::{Bucket, Helper, PartsDesk},
    place::Place,
    s3, told,
};

/// Opens a store that is to be solved by tasks, or resumed so. Its state says whether it is solved
/// already. Until it is solved it can be read, but is empty.
///
/// # Errors
///
/// If it is no directory or bucket, and if it was begun without tasks and is not solved.
pub fn desk(url: &str, access: &Access) -> Result<(Box<dyn Desk>, State), StoreError> {
    let desk = bucket(url, access).and_then(|bucket| PartsDesk::open(bucket, access));
    let desk = desk.map_err(told)?;
    let state = desk.state().clone();
    Ok((Box::new(desk), state))
}

/// Opens a store for tasks that somebody with the desk has run.
pub fn blobs(url: &str) -> Result<Box<dyn Blobs + Send>, StoreError> {
    let bucket = bucket(url, &Access::Read).map_err(told)?;
    Ok(Box::new(Helper(bucket)))
}

/// The URL as processes with other working directories can use it.
pub fn everywhere(url: &str) -> Result<String, StoreError> {
    let Place::File(directory) = Place::parse(url)? else { return Ok(url.to_owned()) };
    let absolute = path::absolute(&directory).map_err(|error| StoreError::Unavailable {
        place: url.to_owned(),
        cause: error.to_string(),
    })?;
    Ok(format!("file:{}", absolute.display()))
}

fn bucket(url: &str, access: &Access) -> Result<Box<dyn Bucket>, StoreError> {
    match Place::parse(url)? {
        Place::File(directory) => file::bucket(&directory, access),
        Place::S3 { bucket, prefix } => s3::bucket(&bucket, &prefix, access),
        Place::Gs { bucket, prefix } => gs::bucket(&bucket, &prefix, access),
        _ => Err(StoreError::Url {
            url: sources::shown(url),
            cause: "several machines can share a directory or a bucket only: file:, s3: or gs:"
                .to_owned(),
        }),
    }
}
