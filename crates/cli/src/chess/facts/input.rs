//! Positions out of files, in pieces that end where a game ends.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use chess::{
    Epd, Position,
    pgn::{Mainline, PgnError, Reader, Tags},
};
use sources::{Content, Lines, Progress, Source, SourceError};

use super::filter::Condition;
use crate::chess::LONGEST_LINE;

/// Some positions of one source, and what was wrong on the way to them.
pub(super) struct Records {
    pub(super) source: Arc<str>,
    pub(super) positions: Vec<Record>,
    pub(super) errors: Vec<String>,
    /// The last game or line that was read, wanted or not.
    pub(super) last: u64,
}

pub(super) struct Record {
    /// The number of the game, or the line of a position.
    pub(super) game: u64,
    pub(super) ply: u64,
    pub(super) position: Position,
}

/// What of the files is wanted.
pub(super) struct Wanted {
    pub(super) conditions: Vec<Condition>,
    /// Every Nth position of a game.
    pub(super) every: usize,
    /// Nothing after the first bad record.
    pub(super) stop_on_error: bool,
}

/// The files, one after the other.
pub(super) struct Input {
    files: std::vec::IntoIter<PathBuf>,
    wanted: Wanted,
    /// What earlier runs have written of each source.
    done: HashMap<String, u64>,
    chunk_rows: usize,
    open: Option<Open>,
    number: u64,
    size: Option<u64>,
    finished: u64,
}

struct Open {
    name: Arc<str>,
    done: u64,
    progress: Progress,
    size: u64,
    text: Text,
}

enum Text {
    Games(Box<(Reader<Source>, Mainline)>),
    Positions(Box<Lines>),
}

impl Input {
    pub(super) fn new(
        files: Vec<PathBuf>,
        wanted: Wanted,
        done: HashMap<String, u64>,
        chunk_rows: usize,
    ) -> Input {
        let sizes = files.iter().map(|path| std::fs::metadata(path).ok().map(|file| file.len()));
        let size = sizes.sum::<Option<u64>>();
        Input {
            files: files.into_iter(),
            wanted,
            done,
            chunk_rows,
            open: None,
            number: 0,
            size,
            finished: 0,
        }
    }

    /// The bytes of all files, if they are known.
    pub(super) fn size(&self) -> Option<u64> {
        self.size
    }

    /// The bytes of the files that have been read.
    pub(super) fn finished(&self) -> u64 {
        self.finished
    }

    /// How far the current file has been read.
    pub(super) fn progress(&self) -> Option<&Progress> {
        self.open.as_ref().map(|open| &open.progress)
    }

    /// The next records, numbered from 0; `None` when there are no more.
    pub(super) fn next(&mut self) -> Option<(u64, Records)> {
        if crate::interrupt::requested() {
            return None;
        }
        let records = if let Some(mut open) = self.open.take() {
            let mut records = Records {
                source: open.name.clone(),
                positions: Vec::with_capacity(self.chunk_rows + 200),
                errors: Vec::new(),
                last: 0,
            };
            if self.read(&mut open, &mut records) {
                self.open = Some(open);
            } else {
                self.finished += open.size;
            }
            records
        } else {
            let path = self.files.next()?;
            match self.open_file(&path) {
                Ok(open) => {
                    self.open = Some(open);
                    return self.next();
                }
                Err(error) => Records {
                    source: path.display().to_string().into(),
                    positions: Vec::new(),
                    errors: vec![error],
                    last: 0,
                },
            }
        };
        if self.stops_at(&records) {
            self.files = Vec::new().into_iter();
        }
        self.number += 1;
        Some((self.number - 1, records))
    }

    fn stops_at(&self, records: &Records) -> bool {
        self.wanted.stop_on_error && !records.errors.is_empty()
    }

    fn open_file(&self, path: &PathBuf) -> Result<Open, String> {
        let mut source = Source::open(path).map_err(|error| error.to_string())?;
        let name: Arc<str> = source.name().into();
        let content = source.guess();
        let progress = source.progress();
        let size = source.size().unwrap_or(0);
        let text = match content {
            Content::Empty => return Err(format!("{name}: it is empty")),
            Content::Binary => return Err(format!("{name}: it is binary, not FEN, EPD or PGN")),
            Content::JsonLines => return Err(format!("{name}: it is JSON, not FEN, EPD or PGN")),
            Content::Fen | Content::Epd => Text::Positions(Box::new(source.lines(LONGEST_LINE))),
            // The first line may be the bad one of many.
            Content::Text if lists_positions(path) => {
                Text::Positions(Box::new(source.lines(LONGEST_LINE)))
            }
            Content::Pgn | Content::Text | Content::Unreadable => {
                Text::Games(Box::new((Reader::new(source), Mainline::default())))
            }
        };
        let done = self.done.get(&*name).copied().unwrap_or(0);
        Ok(Open { name, done, progress, size, text })
    }

    /// Reads until there is enough; `false` at the end of the source.
    fn read(&self, open: &mut Open, records: &mut Records) -> bool {
        while records.positions.len() < self.chunk_rows {
            let more = match &mut open.text {
                Text::Games(games) => {
                    let (reader, game) = &mut **games;
                    self.read_game(&open.name, open.done, reader, game, records)
                }
                Text::Positions(lines) => self.read_line(&open.name, open.done, lines, records),
            };
            if self.stops_at(records) {
                return false;
            }
            if !more || crate::interrupt::requested() {
                return more;
            }
        }
        true
    }

    fn read_game(
        &self,
        name: &str,
        done: u64,
        reader: &mut Reader<Source>,
        game: &mut Mainline,
        records: &mut Records,
    ) -> bool {
        let wanted = |number: u64, tags: &Tags| {
            number > done
                && self.wanted.conditions.iter().all(|condition| condition.allows_game(tags))
        };
        match game.read_if(reader, wanted) {
            Ok(true) => {
                let number = reader.game();
                for (ply, position) in game.positions.iter().enumerate().step_by(self.wanted.every)
                {
                    self.add(records, number, ply as u64, position);
                }
                records.last = number;
                true
            }
            Ok(false) => {
                records.last = reader.game();
                false
            }
            Err(error @ PgnError::Game { .. }) => {
                // What an earlier run has complained about is not said again.
                if reader.game() > done {
                    records.errors.push(format!("{name}: {error}"));
                }
                true
            }
            Err(PgnError::Io(error)) => {
                records.errors.push(error.to_string());
                false
            }
        }
    }

    fn read_line(&self, name: &str, done: u64, lines: &mut Lines, records: &mut Records) -> bool {
        let line = match lines.next_line() {
            Ok(Some(line)) => line,
            Ok(None) => return false,
            Err(error) => {
                let more = matches!(error, SourceError::LineTooLong { .. });
                records.errors.push(error.to_string());
                return more;
            }
        };
        let text = line.bytes.trim_ascii();
        if line.number <= done || text.is_empty() || text.starts_with(b"#") {
            return true;
        }
        match Epd::from_line(text) {
            Ok(epd) if self.wanted.conditions.iter().all(|c| c.allows_game(&Tags::default())) => {
                self.add(records, line.number, 0, &epd.position);
            }
            Ok(_) => {}
            Err(error) => {
                records.errors.push(format!("{name}: line {}: {error}", line.number));
                // Whoever stops here wants it read again.
                if self.wanted.stop_on_error {
                    return false;
                }
            }
        }
        records.last = line.number;
        true
    }

    fn add(&self, records: &mut Records, game: u64, ply: u64, position: &Position) {
        if self.wanted.conditions.iter().all(|condition| condition.allows_ply(ply)) {
            records.positions.push(Record { game, ply, position: *position });
        }
    }
}

/// Whether the name of a file, packed or not, says that it has a position on each line.
fn lists_positions(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
    name.ends_with(".fen") || name.ends_with(".epd")
}
