//! What is written: whole files or none, and errors that say where.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Stdout, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use anyhow::Context;

use crate::{exit::bad_command, interrupt};

/// Where rows and pictures go, with errors that name the place.
pub(crate) struct Named<W> {
    out: W,
    name: String,
}

/// Standard output for much data. What is handed on before the end are whole lines, so that
/// whoever is interrupted between two of them has not written half a row.
pub(crate) struct Stream<W: Write = Stdout> {
    held: Vec<u8>,
    out: Named<W>,
}

/// Enough for few calls of the system.
const HELD: usize = 1 << 16;
/// Without a line this long it is no text.
const LONGEST_LINE: usize = 1 << 22;

/// Held while lines are handed on, which takes several calls where a pipe is nearly full.
static HANDING_ON: Mutex<()> = Mutex::new(());

fn handing_on() -> MutexGuard<'static, ()> {
    HANDING_ON.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for a row that is being written, and lets no other begin; not for long, since the reader
/// may have stopped reading.
pub(crate) fn end_of_row() {
    const LOOK: Duration = Duration::from_millis(10);
    for _ in 0..300 {
        if let Ok(held) = HANDING_ON.try_lock() {
            std::mem::forget(held);
            return;
        }
        thread::sleep(LOOK);
    }
}

/// Standard output.
pub(crate) fn stdout() -> Stream {
    let name = "standard output".to_owned();
    Stream { held: Vec::with_capacity(2 * HELD), out: Named { out: io::stdout(), name } }
}

impl<W: Write> Write for Stream<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        if self.held.len() >= HELD {
            self.hand_on()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let _lines = handing_on();
        let held = std::mem::take(&mut self.held);
        self.out.write_all(&held)?;
        self.out.flush()
    }
}

impl<W: Write> Stream<W> {
    /// Hands on what is whole.
    fn hand_on(&mut self) -> io::Result<()> {
        let end = self.held.iter().rposition(|&byte| byte == b'\n').map(|at| at + 1);
        let all = Some(self.held.len()).filter(|&length| length >= LONGEST_LINE);
        // Taken out first: what a broken pipe refuses is not tried again.
        let rest = self.held.split_off(end.or(all).unwrap_or(0));
        let lines = std::mem::replace(&mut self.held, rest);
        let _lines = handing_on();
        self.out.write_all(&lines)
    }
}

impl<W: Write> Drop for Stream<W> {
    fn drop(&mut self) {
        // What is finished has been flushed. Otherwise something has failed, and rows that were
        // good are still written, but not a piece of one.
        let _ = self.hand_on();
    }
}

impl<W: Write> Write for Named<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes).map_err(|error| named(&error, &self.name))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush().map_err(|error| named(&error, &self.name))
    }
}

/// The error with a name in front, of the same kind: a pipe without a reader must stay one, and an
/// interrupted call be made again.
fn named(error: &io::Error, name: &str) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write {name}: {error}"))
}

/// A file that has another name until it is complete, `NAME.unfinished`. It is removed where
/// something goes wrong. After Ctrl-C it stays, and can be read, but is not called finished.
pub(crate) struct Unfinished {
    file: File,
    /// Where it is.
    place: PathBuf,
    /// What it will be called. The same from the start for a device or a pipe, which cannot be
    /// renamed.
    path: PathBuf,
    is_complete: bool,
}

impl Unfinished {
    /// Makes the file; what is written goes through the second of the two.
    pub(crate) fn create(path: &Path) -> anyhow::Result<(Unfinished, BufWriter<Named<File>>)> {
        let is_special = path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir());
        let place = match is_special {
            true => path.to_owned(),
            false => path.with_added_extension("unfinished"),
        };
        let name = path.display().to_string();
        let failed = || format!("cannot write {name}");
        if path.is_dir() {
            anyhow::bail!("{}: it is a folder", failed());
        }
        let file = match is_special {
            true => File::options().write(true).open(&place),
            false => File::create(&place),
        };
        let file = file.with_context(failed)?;
        let out = Named { out: file.try_clone().with_context(failed)?, name };
        let path = path.to_owned();
        Ok((Unfinished { file, place, path, is_complete: false }, BufWriter::new(out)))
    }

    /// Gives the file its name, once everything was written and flushed.
    pub(crate) fn complete(mut self) -> anyhow::Result<()> {
        if self.place != self.path {
            let failed = || format!("cannot write {}", self.path.display());
            self.file.sync_all().with_context(failed)?;
            if !interrupt::requested() {
                fs::rename(&self.place, &self.path).with_context(failed)?;
            }
        }
        self.is_complete = true;
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.is_complete && self.place != self.path {
            // What went wrong is more important than that the rest could not be removed.
            let _ = fs::remove_file(&self.place);
        }
    }
}

/// Refuses pictures that would be mixed up.
pub(crate) fn at_most_one_to_stdout<const N: usize>(
    paths: [&Option<PathBuf>; N],
) -> anyhow::Result<()> {
    match paths.into_iter().flatten().filter(|path| is_stream(path)).count() {
        0 | 1 => Ok(()),
        _ => Err(bad_command(
            "only one picture can be written to standard output; write the others to files",
        )),
    }
}

/// Whether standard input or output is meant.
pub(crate) fn is_stream(path: &Path) -> bool {
    path == Path::new("-")
}

/// Writes to standard output.
pub(crate) fn print(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = stdout();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

/// Writes a whole file; `-` is standard output.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if is_stream(path) {
        return print(bytes);
    }
    let (file, mut out) = Unfinished::create(path)?;
    out.write_all(bytes)?;
    out.flush()?;
    file.complete()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_its_name_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let (file, mut out) = Unfinished::create(&path).unwrap();
        out.write_all(b"rows").unwrap();
        out.flush().unwrap();
        assert!(!path.exists());
        file.complete().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"rows");
        let (file, _) = Unfinished::create(&path).unwrap();
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"rows", "what failed leaves the old file");
        assert_eq!(folder.path().read_dir().unwrap().count(), 1, "and nothing else");
    }

    #[test]
    fn a_stream_hands_on_whole_lines() {
        #[derive(Default)]
        struct Pieces(Vec<Vec<u8>>);
        impl Write for &mut Pieces {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.push(bytes.to_vec());
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut pieces = Pieces::default();
        let mut stream =
            Stream { held: Vec::new(), out: Named { out: &mut pieces, name: "pieces".to_owned() } };
        let row = format!("{}\n", "x".repeat(996));
        for _ in 0..200 {
            stream.write_all(row.as_bytes()).unwrap();
        }
        stream.write_all(b"the end").unwrap();
        stream.flush().unwrap();
        stream.write_all(b"a row\na piece").unwrap();
        drop(stream);
        let (dropped, before) = pieces.0.split_last().unwrap();
        assert_eq!(dropped, b"a row\n");
        let (flushed, before) = before.split_last().unwrap();
        assert!(flushed.ends_with(b"the end"));
        assert!(before.len() > 1 && before.iter().all(|piece| piece.ends_with(b"\n")));
        let length: usize = before.iter().chain([flushed]).map(Vec::len).sum();
        assert_eq!(length, 200 * row.len() + "the end".len());
    }

    #[test]
    fn errors_name_the_place() {
        let folder = tempfile::tempdir().unwrap();
        let nowhere = folder.path().join("nowhere/a.svg");
        let error = write(&nowhere, b"x").unwrap_err();
        assert!(format!("{error:#}").starts_with(&format!("cannot write {}: ", nowhere.display())));
        let error = write(folder.path(), b"x").unwrap_err();
        assert!(format!("{error:#}").ends_with("it is a folder"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_is_written_in_place() {
        let error = write(Path::new("/dev/full"), b"x").unwrap_err();
        let text = format!("{error:#}");
        assert!(text.starts_with("cannot write /dev/full: No space left"), "{text}");
        assert!(!Path::new("/dev/full.unfinished").exists());
        write(Path::new("/dev/null"), b"x").unwrap();
    }
}
