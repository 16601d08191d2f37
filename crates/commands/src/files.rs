//! Standard output in whole lines, and files through `sinks`.

use std::{
    io::{self, Stdout, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use sinks::Unfinished;

use crate::{exit::bad_command, interrupt};

/// An output with errors that name it.
struct Named<W> {
    out: W,
    name: String,
}

/// Standard output for much data. Writes whole lines only, so an interrupt leaves no partial row.
pub struct Stream<W: Write = Stdout> {
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
pub fn end_of_row() {
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
pub fn stdout() -> Stream {
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

/// Gives a file its name, once everything was written. After Ctrl-C it is removed instead: it has
/// only a part of the rows.
pub fn complete(file: Unfinished) -> anyhow::Result<()> {
    if interrupt::requested() {
        return Ok(());
    }
    Ok(file.complete()?)
}

/// Refuses pictures that would be mixed up.
pub fn at_most_one_to_stdout<const N: usize>(paths: [&Option<PathBuf>; N]) -> anyhow::Result<()> {
    match paths.into_iter().flatten().filter(|path| is_stream(path)).count() {
        0 | 1 => Ok(()),
        _ => Err(bad_command(
            "only one picture can be written to standard output; write the others to files",
        )),
    }
}

/// Whether standard input or output is meant.
pub fn is_stream(path: &Path) -> bool {
    path == Path::new("-")
}

/// Writes to standard output.
pub fn print(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = stdout();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

/// Writes a whole file; `-` is standard output.
pub fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if is_stream(path) {
        return print(bytes);
    }
    let mut file = Unfinished::create(path)?;
    file.write_all(bytes)?;
    complete(file)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
