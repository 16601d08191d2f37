//! Files of this machine: checked before a reader trusts them, and written through `sinks`, so
//! that they are complete under their name or absent.

mod lengths;
mod links;

use std::{
    collections::BTreeMap,
    fmt,
    io::Write,
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{FutureExt, StreamExt, future, stream::BoxStream};
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, GetResultPayload, ListResult, MultipartUpload,
    ObjectMeta, ObjectStore, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult,
    RenameOptions, Result, UploadPart, local::LocalFileSystem, path::Path,
};
use sinks::{Layout, SinkError, Unfinished};

use self::links::Links;
use crate::{
    checked::{Damaged, layout},
    kinds::{Kind, Named},
};

/// The file system, which `object_store` reads and lists. It would neither sync what it writes nor
/// keep links and modes.
#[derive(Debug)]
pub(crate) struct Local {
    files: LocalFileSystem,
    unwritten: Arc<Unwritten>,
    links: Links,
}

impl Local {
    pub(crate) fn new(unwritten: Arc<Unwritten>, root: Option<&std::path::Path>) -> Local {
        Local { files: LocalFileSystem::default(), unwritten, links: Links::new(root) }
    }

    /// Of the files that were found, those that are no links out of the root. The others are
    /// skipped, as if they were not there.
    fn staying(
        &self,
        found: BoxStream<'static, Result<ObjectMeta>>,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        let links = self.links.clone();
        let files = LocalFileSystem::default();
        let stays = move |file: &Result<ObjectMeta>| {
            future::ready(file.as_ref().map_or(true, |file| {
                let path = files.path_to_filesystem(&file.location);
                path.is_ok_and(|path| !links.lead_out(&path))
            }))
        };
        found.filter(stays).boxed()
    }

    fn refuse_link(&self, location: &Path) -> Result<()> {
        if self.stays(location) {
            return Ok(());
        }
        let source = "a link leads out of the root".into();
        Err(Error::PermissionDenied { path: location.to_string(), source })
    }

    /// Whether a file lies where its name says, as far as that matters.
    fn stays(&self, location: &Path) -> bool {
        self.files.path_to_filesystem(location).is_ok_and(|path| !self.links.lead_out(&path))
    }
}

/// The first file of a statement that could not be written, and why. DataFusion drops the cause of
/// what fails at the end of a file, and makes text of what fails before.
#[derive(Debug, Default)]
pub(crate) struct Unwritten(Mutex<Option<String>>);

impl Unwritten {
    /// What went wrong since it was asked last.
    pub(crate) fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The same outcome, remembered if it is a failure.
    fn remember<T, E: fmt::Display>(&self, outcome: Result<T, E>) -> Result<T, E> {
        if let Err(error) = &outcome {
            let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert_with(|| error.to_string());
        }
        outcome
    }

    fn create(&self, path: &std::path::Path) -> Result<Unfinished> {
        let made = path.parent().map_or(Ok(()), sinks::create_directory);
        self.remember(made.and_then(|()| Unfinished::create(path))).map_err(failed)
    }

    fn write(&self, file: &mut Unfinished, payload: &PutPayload) -> Result<()> {
        let written = payload.iter().try_for_each(|bytes| file.write_all(bytes));
        // It names the file already.
        let failed = |error| Error::Generic { store: "file", source: Box::new(error) };
        self.remember(written).map_err(failed)
    }

    fn complete(&self, mut file: Unfinished, layout: Option<Layout>) -> Result<PutResult> {
        let summed = layout.map_or(Ok(()), |layout| file.add_checksums(layout));
        self.remember(summed.and_then(|()| file.complete())).map_err(failed)?;
        Ok(PutResult { e_tag: None, version: None })
    }
}

impl fmt::Display for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.files.fmt(f)
    }
}

#[async_trait]
impl ObjectStore for Local {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        let path = self.files.path_to_filesystem(location)?;
        let is_new = match options.mode {
            PutMode::Overwrite => false,
            PutMode::Create => true,
            PutMode::Update(_) => {
                let operation = "a conditional put of a file".to_owned();
                return Err(Error::NotImplemented { operation, implementer: self.to_string() });
            }
        };
        let (unwritten, layout) = (self.unwritten.clone(), layout(location));
        blocking(move || {
            let mut file = unwritten.create(&path)?;
            if is_new && path.exists() {
                let path = path.display().to_string();
                let source = "the file exists".into();
                return Err(Error::AlreadyExists { path, source });
            }
            unwritten.write(&mut file, &payload)?;
            unwritten.complete(file, layout)
        })
        .await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        _: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        let path = self.files.path_to_filesystem(location)?;
        let (unwritten, creating) = (self.unwritten.clone(), self.unwritten.clone());
        let file = blocking(move || creating.create(&path)).await?;
        let parts = Parts { file: Some(file), written: 0, waiting: BTreeMap::new(), unwritten };
        let (parts, layout) = (Arc::new(Mutex::new(parts)), layout(location));
        Ok(Box::new(Upload { parts, end: 0, layout }))
    }

    /// The reader of Arrow files allocates whatever a length says, and a process that cannot have
    /// that much memory is ended. So files whose lengths reach beyond their ends are refused.
    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        self.refuse_link(location)?;
        let is_whole = options.range.is_none() && !options.head;
        let found = self.files.get_opts(location, options).await?;
        let kind = Named::of(location.filename().unwrap_or_default()).map(|named| named.kind);
        if is_whole
            && kind == Some(Kind::Arrow)
            && let GetResultPayload::File(file, _) = &found.payload
            && let Some(what) = lengths::beyond(file)
        {
            return Err(Damaged(what).into());
        }
        Ok(found)
    }

    async fn get_ranges(&self, location: &Path, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        self.refuse_link(location)?;
        self.files.get_ranges(location, ranges).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        self.files.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.staying(self.files.list(prefix))
    }

    fn list_with_offset(
        &self,
        prefix: Option<&Path>,
        offset: &Path,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        self.staying(self.files.list_with_offset(prefix, offset))
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        let mut listed = self.files.list_with_delimiter(prefix).await?;
        listed.objects.retain(|file| self.stays(&file.location));
        Ok(listed)
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.files.copy_opts(from, to, options).await
    }

    async fn rename_opts(&self, from: &Path, to: &Path, options: RenameOptions) -> Result<()> {
        self.files.rename_opts(from, to, options).await
    }
}

/// A file that comes in parts, which may be written at the same time.
#[derive(Debug)]
struct Upload {
    parts: Arc<Mutex<Parts>>,
    /// Where the next part begins.
    end: u64,
    /// Where checksums belong, if it is a kind of file that has them.
    layout: Option<Layout>,
}

#[derive(Debug)]
struct Parts {
    /// Gone when it is complete or cannot become so.
    file: Option<Unfinished>,
    written: u64,
    /// Parts that came before those in front of them.
    waiting: BTreeMap<u64, PutPayload>,
    unwritten: Arc<Unwritten>,
}

impl Parts {
    fn add(&mut self, start: u64, part: PutPayload) -> Result<()> {
        self.waiting.insert(start, part);
        while let Some(part) = self.waiting.remove(&self.written) {
            self.written += part.content_length() as u64;
            let mut file = self.file.take().ok_or_else(ended)?;
            self.unwritten.write(&mut file, &part)?;
            self.file = Some(file);
        }
        Ok(())
    }
}

impl Upload {
    fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Parts) -> Result<T> + Send + 'static,
    ) -> impl Future<Output = Result<T>> + Send + 'static {
        let parts = self.parts.clone();
        blocking(move || work(&mut parts.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

#[async_trait]
impl MultipartUpload for Upload {
    fn put_part(&mut self, part: PutPayload) -> UploadPart {
        let start = self.end;
        self.end += part.content_length() as u64;
        self.with(move |parts| parts.add(start, part)).boxed()
    }

    async fn complete(&mut self) -> Result<PutResult> {
        let layout = self.layout;
        self.with(move |parts| {
            let file = parts.file.take().ok_or_else(ended)?;
            parts.unwritten.complete(file, layout)
        })
        .await
    }

    async fn abort(&mut self) -> Result<()> {
        self.with(|parts| {
            parts.file = None;
            Ok(())
        })
        .await
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let ended = tokio::task::spawn_blocking(work).await;
    ended.map_err(|broken| Error::Generic { store: "file", source: Box::new(broken) })?
}

fn failed(error: SinkError) -> Error {
    Error::Generic { store: "file", source: Box::new(error) }
}

fn ended() -> Error {
    Error::Generic { store: "file", source: "the upload has already ended".into() }
}
