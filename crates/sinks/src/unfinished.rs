//! A file that has another name until it is complete.

use std::{
    fs::{File, Metadata, Permissions},
    io::{self, BufWriter, Write},
    os::unix::fs::{MetadataExt, PermissionsExt, fchown},
    path::{Path, PathBuf},
};

use crate::{
    Layout, SinkError, checksums,
    claim::Claim,
    sync,
    target::{self, Target},
};

/// The ending of names of files that are not complete.
pub(crate) const ENDING: &str = "unfinished";

/// Enough for few calls of the system.
const BUFFER: usize = 1 << 16;

/// A file that is called `NAME.unfinished` until [`Unfinished::complete`]; dropped before, it is
/// removed. Writing is buffered, and its errors name the file.
#[derive(Debug)]
pub struct Unfinished {
    out: BufWriter<File>,
    /// What to call it in errors.
    name: PathBuf,
    /// Nothing for what is written in place.
    claimed: Option<Claimed>,
}

#[derive(Debug)]
struct Claimed {
    claim: Claim,
    path: PathBuf,
    replaced: Option<Metadata>,
}

impl Unfinished {
    /// Begins a file, in place of one that may be there already.
    pub fn create(path: &Path) -> Result<Unfinished, SinkError> {
        let name = || path.display().to_string();
        let failed = || SinkError::failed(path);
        let claimed = match target::resolve(path).map_err(failed())? {
            Target::Directory => return Err(SinkError::Directory { name: name() }),
            Target::InPlace => None,
            Target::File { path: end, replaced } => {
                // Whoever may not read the file that is replaced may not read the new one either.
                let mode = if replaced.is_some() { 0o600 } else { 0o666 };
                let claim = Claim::new(&end.with_added_extension(ENDING), mode);
                let claim = claim.map_err(failed())?;
                let claim = claim.ok_or_else(|| SinkError::Busy { name: name() })?;
                Some(Claimed { claim, path: end, replaced })
            }
        };
        let file = match &claimed {
            Some(claimed) => claimed.claim.file().try_clone(),
            // Behind what is there already, where standard output was redirected to a file.
            None => File::options().append(true).open(path),
        };
        let out = BufWriter::with_capacity(BUFFER, file.map_err(failed())?);
        Ok(Unfinished { out, name: path.to_owned(), claimed })
    }

    /// Puts checksums into what was written, once it is all there. What is written in place has
    /// none.
    pub fn add_checksums(&mut self, layout: Layout) -> Result<(), SinkError> {
        let Some(claimed) = &self.claimed else { return Ok(()) };
        let mut file = claimed.claim.file();
        let added = self.out.flush().and_then(|()| checksums::add(&mut file, layout));
        added.map_err(SinkError::failed(&self.name))
    }

    /// Gives the file its name, once all is written; when this returns, it survives a power cut.
    pub fn complete(self) -> Result<(), SinkError> {
        let Unfinished { mut out, name, claimed } = self;
        let complete = || {
            out.flush()?;
            let Some(Claimed { claim, path, replaced }) = claimed else { return Ok(()) };
            if let Some(replaced) = replaced {
                restore(claim.file(), &replaced)?;
            }
            claim.file().sync_all()?;
            claim.rename(&path)?;
            sync::directory(sync::parent(&path))
        };
        complete().map_err(SinkError::failed(&name))
    }

    /// The error with the name of the file, of the same kind: a pipe without a reader must stay
    /// one, and an interrupted call be made again.
    fn named(&self, error: io::Error) -> io::Error {
        SinkError::failed(&self.name)(error).into()
    }
}

impl Write for Unfinished {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes).map_err(|error| self.named(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush().map_err(|error| self.named(error))
    }
}

/// Writes a whole file at once.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), SinkError> {
    let mut file = Unfinished::create(path)?;
    file.out.write_all(bytes).map_err(SinkError::failed(path))?;
    file.complete()
}

/// Gives a file the owner and the mode of the one that it replaces.
fn restore(file: &File, replaced: &Metadata) -> io::Result<()> {
    let now = file.metadata()?;
    if (now.uid(), now.gid()) != (replaced.uid(), replaced.gid()) {
        // Only root may give files away.
        let _ = fchown(file, Some(replaced.uid()), Some(replaced.gid()));
    }
    file.set_permissions(Permissions::from_mode(replaced.mode() & 0o7777))
}
