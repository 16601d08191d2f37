//! Bytes of Parquet and Arrow files, compared with the checksums that files of ours have. Whatever
//! a plan reads comes through here, a range at a time, so only what is read is checked.

use std::{
    collections::HashMap,
    fmt,
    fs::File,
    io::{ErrorKind, Seek},
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{
    StreamExt,
    stream::{self, BoxStream},
};
use object_store::{
    CopyOptions, Error, GetOptions, GetRange, GetResult, GetResultPayload, ListResult,
    MultipartUpload, ObjectMeta, ObjectStore, ObjectStoreExt, PutMultipartOptions, PutOptions,
    PutPayload, PutResult, RenameOptions, Result, coalesce_ranges, path::Path,
};
use sinks::{Checksums, Damage, Layout};

use crate::kinds::{Kind, Named};

/// What is wrong with a file, told through layers that pass on errors of others.
#[derive(Debug, thiserror::Error)]
#[error("the file is damaged ({0})")]
pub(crate) struct Damaged(pub(crate) String);

impl From<Damage> for Damaged {
    fn from(damage: Damage) -> Damaged {
        Damaged(damage.to_string())
    }
}

impl From<Damaged> for Error {
    fn from(damaged: Damaged) -> Error {
        Error::Generic { store: "file", source: Box::new(damaged) }
    }
}

/// Files or a bucket whose bytes are checked.
#[derive(Clone, Debug)]
pub(crate) struct Checked(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    store: Arc<dyn ObjectStore>,
    known: Mutex<HashMap<Path, Known>>,
}

/// What is known of a file as long as it is not replaced.
#[derive(Clone, Debug)]
struct Known {
    meta: ObjectMeta,
    /// None if the file was written by others.
    sums: Option<Arc<Checksums>>,
    /// Whether all of it has been checked, or need not be.
    is_sound: bool,
}

/// Files that are known at the same time.
const KNOWN: usize = 4_096;
/// The last bytes of a file, which hold its checksums unless it is large.
const LAST: u64 = 1 << 16;
/// Ranges with less than this between them are read at once.
const GAP: u64 = 1 << 16;
/// How much of a file is checked at once where all of it is asked for.
const PIECE: u64 = 1 << 20;
/// How often reading begins again if files are replaced meanwhile.
const TRIES: u32 = 3;

impl Checked {
    pub(crate) fn new(store: Arc<dyn ObjectStore>) -> Checked {
        Checked(Arc::new(Inner { store, known: Mutex::default() }))
    }

    fn remember(&self, known: Known) {
        let mut files = self.0.known.lock().unwrap_or_else(PoisonError::into_inner);
        if files.len() >= KNOWN {
            files.clear();
        }
        files.insert(known.meta.location.clone(), known);
    }

    fn recall(&self, location: &Path) -> Option<Known> {
        let files = self.0.known.lock().unwrap_or_else(PoisonError::into_inner);
        files.get(location).cloned()
    }

    /// What is known of a file, which is looked at if nothing is.
    async fn known(&self, location: &Path, layout: Layout) -> Result<Known> {
        if let Some(known) = self.recall(location) {
            return Ok(known);
        }
        let store = &self.0.store;
        let last = GetOptions { range: Some(GetRange::Suffix(LAST)), ..GetOptions::default() };
        let found = store.get_opts(location, last).await?;
        let meta = found.meta.clone();
        let last = found.bytes().await?;
        let start = meta.size - last.len() as u64;
        let bytes = async |range: Range<u64>| match range.start.checked_sub(start) {
            Some(at) => Ok(last.slice(at as usize..(range.end - start) as usize)),
            None => store.get_range(location, range).await,
        };
        let mut known = Known { meta, sums: None, is_sound: false };
        let size = known.meta.size;
        let look = last.slice(last.len().saturating_sub(Layout::LOOK)..);
        if let Some(at) = Checksums::end(layout, &look, size) {
            let end = at.end;
            match Checksums::place(&bytes(at.clone()).await?, at, size).map_err(damaged)? {
                Some(at) => {
                    let sums = Checksums::from_record(&bytes(at.clone()).await?, at, size);
                    known.sums = Some(Arc::new(sums.map_err(damaged)?));
                }
                None if Checksums::are_missing(&bytes(end..size).await?) => {
                    return Err(damaged(Damage::Missing));
                }
                None => {}
            }
        }
        self.remember(known.clone());
        Ok(known)
    }

    /// A range of a file, checked, and what is known of the file. A file may be replaced between
    /// two looks at it, which is no damage.
    async fn range(
        &self,
        location: &Path,
        layout: Layout,
        options: &GetOptions,
    ) -> Result<(Bytes, Range<u64>, ObjectMeta)> {
        let mut tries = 0;
        loop {
            let read = self.try_range(location, layout, options).await;
            let Err(error) = read else { return read };
            tries += 1;
            let before = self.recall(location);
            self.0.known.lock().unwrap_or_else(PoisonError::into_inner).remove(location);
            let now = self.0.store.head(location).await;
            let is_replaced = match (&before, &now) {
                (Some(before), Ok(now)) => !is_same(&before.meta, now),
                _ => false,
            };
            if !is_replaced || tries == TRIES {
                return Err(error);
            }
        }
    }

    async fn try_range(
        &self,
        location: &Path,
        layout: Layout,
        options: &GetOptions,
    ) -> Result<(Bytes, Range<u64>, ObjectMeta)> {
        let known = self.known(location, layout).await?;
        let wanted = resolved(options.range.as_ref(), known.meta.size);
        let around = known.sums.as_ref().map_or(wanted.clone(), |sums| sums.around(wanted.clone()));
        let range = if around.is_empty() { options.range.clone() } else { Some(around.into()) };
        let found =
            self.0.store.get_opts(location, GetOptions { range, ..options.clone() }).await?;
        let (meta, range) = (found.meta.clone(), found.range.clone());
        if !is_same(&meta, &known.meta) {
            return Err(damaged(Damage::Length { found: meta.size, expected: known.meta.size }));
        }
        let bytes = found.bytes().await?;
        if let Some(sums) = known.sums {
            sums.check(range.start, &bytes).map_err(damaged)?;
        }
        let start = wanted.start.saturating_sub(range.start).min(bytes.len() as u64) as usize;
        let end = wanted.end.saturating_sub(range.start).min(bytes.len() as u64) as usize;
        Ok((bytes.slice(start..end.max(start)), wanted, meta))
    }

    /// All of a file. One of this machine is read where it lies, and so it is checked beforehand.
    async fn whole(
        &self,
        location: &Path,
        layout: Layout,
        options: GetOptions,
    ) -> Result<GetResult> {
        let mut found = self.0.store.get_opts(location, options).await?;
        if let GetResultPayload::File(file, _) = &found.payload {
            let known = self.recall(location);
            if known.is_some_and(|known| known.is_sound && is_same(&known.meta, &found.meta)) {
                return Ok(found);
            }
            let mut copy = file.try_clone().map_err(unread)?;
            let checked = tokio::task::spawn_blocking(move || checked(&mut copy, layout)).await;
            let sums = checked.map_err(|error| unread(error.into()))??.map(Arc::new);
            self.remember(Known { meta: found.meta.clone(), sums, is_sound: true });
            return Ok(found);
        }
        if self.known(location, layout).await?.sums.is_some() {
            let (store, location) = (self.clone(), location.clone());
            let starts = stream::iter((0..found.meta.size).step_by(PIECE as usize));
            let pieces = starts.then(move |start| {
                let (store, location) = (store.clone(), location.clone());
                async move {
                    let range = Some((start..start + PIECE).into());
                    let options = GetOptions { range, ..GetOptions::default() };
                    Ok(store.range(&location, layout, &options).await?.0)
                }
            });
            found.payload = GetResultPayload::Stream(pieces.boxed());
        }
        Ok(found)
    }
}

/// Checks all of a file.
fn checked(file: &mut File, layout: Layout) -> Result<Option<Checksums>> {
    let mut check = || {
        let sums = Checksums::of(file, layout)?;
        if let Some(sums) = &sums {
            sums.check_all(file)?;
        }
        // Whoever reads next shares the place in the file.
        file.rewind()?;
        Ok::<_, std::io::Error>(sums)
    };
    check().map_err(|error| match error.kind() {
        ErrorKind::InvalidData => Damaged(error.to_string()).into(),
        _ => unread(error),
    })
}

/// Where the checksums of a file stand, by its name. None for files that have none.
pub(crate) fn layout(location: &Path) -> Option<Layout> {
    match Named::of(location.filename().unwrap_or_default())?.kind {
        Kind::Parquet => Some(Layout::Parquet),
        Kind::Arrow => Some(Layout::Arrow),
        _ => None,
    }
}

fn is_same(a: &ObjectMeta, b: &ObjectMeta) -> bool {
    (a.size, a.last_modified, &a.e_tag) == (b.size, b.last_modified, &b.e_tag)
}

fn resolved(range: Option<&GetRange>, size: u64) -> Range<u64> {
    match range {
        None => 0..size,
        Some(GetRange::Bounded(range)) => range.start.min(size)..range.end.min(size),
        Some(GetRange::Offset(start)) => *start.min(&size)..size,
        Some(GetRange::Suffix(length)) => size.saturating_sub(*length)..size,
    }
}

fn damaged(damage: Damage) -> Error {
    Damaged::from(damage).into()
}

fn unread(error: std::io::Error) -> Error {
    Error::Generic { store: "file", source: Box::new(error) }
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.store.fmt(f)
    }
}

#[async_trait]
impl ObjectStore for Checked {
    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let Some(layout) = layout(location).filter(|_| !options.head) else {
            return self.0.store.get_opts(location, options).await;
        };
        if options.range.is_none() {
            return self.whole(location, layout, options).await;
        }
        let (bytes, range, meta) = self.range(location, layout, &options).await?;
        let payload = GetResultPayload::Stream(stream::once(async { Ok(bytes) }).boxed());
        Ok(GetResult { payload, meta, range, attributes: Default::default() })
    }

    async fn get_ranges(&self, location: &Path, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let Some(layout) = layout(location) else {
            return self.0.store.get_ranges(location, ranges).await;
        };
        let fetch = |range: Range<u64>| async move {
            let options = GetOptions { range: Some(range.into()), ..GetOptions::default() };
            self.range(location, layout, &options).await.map(|(bytes, ..)| bytes)
        };
        coalesce_ranges(ranges, fetch, GAP).await
    }

    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        self.0.store.put_opts(location, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.0.store.put_multipart_opts(location, options).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        self.0.store.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.0.store.list(prefix)
    }

    fn list_with_offset(
        &self,
        prefix: Option<&Path>,
        offset: &Path,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        self.0.store.list_with_offset(prefix, offset)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.0.store.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.0.store.copy_opts(from, to, options).await
    }

    async fn rename_opts(&self, from: &Path, to: &Path, options: RenameOptions) -> Result<()> {
        self.0.store.rename_opts(from, to, options).await
    }
}
