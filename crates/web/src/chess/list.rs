//! The games of a text, by their tags: windows of a list that may be long.

use std::{
    cell::RefCell,
    collections::HashMap,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use chess::{
    Color,
    pgn::{Mainline, PgnError, Reader, Tags},
};
use games::{BEHIND, Before, count, find_start};
use serde::Serialize;
use sources::{Packing, Source};

use super::game::player;

/// A game of a list.
#[derive(Serialize)]
pub(crate) struct Row {
    number: u64,
    white: String,
    black: String,
    white_elo: Option<String>,
    black_elo: Option<String>,
    result: String,
    date: Option<String>,
    event: Option<String>,
    opening: Option<String>,
    /// What is wrong with its text, if it cannot be read.
    wrong: Option<String>,
}

/// A part of a list.
#[derive(Serialize)]
pub(crate) struct Window {
    pub(crate) games: Vec<Row>,
    /// How many games there are, where that is known.
    pub(crate) total: Option<u64>,
}

impl Row {
    fn of(number: u64, tags: &Tags) -> Row {
        let known = |name: &str| {
            let value = tags.get(name)?;
            let is_said = !value.is_empty() && value.chars().any(|sign| !"?.-".contains(sign));
            is_said.then(|| value.to_owned())
        };
        Row {
            number,
            white: player(tags, Color::White).unwrap_or("White").to_owned(),
            black: player(tags, Color::Black).unwrap_or("Black").to_owned(),
            white_elo: known("WhiteElo"),
            black_elo: known("BlackElo"),
            result: tags.get("Result").unwrap_or("*").to_owned(),
            date: known("UTCDate").or_else(|| known("Date")),
            event: known("Event"),
            opening: known("Opening").or_else(|| known("ECO")),
            wrong: None,
        }
    }

    fn wrong(number: u64, reason: String) -> Row {
        Row { wrong: Some(reason), ..Row::of(number, &Tags::default()) }
    }
}

/// How far a text is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    /// To its end, so that the number of its games is known.
    End,
    /// Not further than the window needs.
    Window,
}

/// Reads some games of a text by their tags, without their moves. What stands before the text is
/// not in it. The total is known if the end was met.
pub(crate) fn window(
    text: impl Read,
    before: Before,
    (from, most): (u64, usize),
    until: Until,
) -> io::Result<Window> {
    let mut reader = Reader::new(text);
    let mut unread = Mainline::default();
    let rows: RefCell<Vec<Row>> = RefCell::default();
    let add = |number: u64, row: &dyn Fn(u64) -> Row| {
        let number = before.games + number;
        let mut rows = rows.borrow_mut();
        let is_over = rows.len() >= most;
        if number >= from && !is_over && rows.last().is_none_or(|last| last.number != number) {
            rows.push(row(number));
        }
        is_over && until == Until::Window
    };
    loop {
        // A game is wanted, and so read, only behind the window: that ends the work.
        let read = unread.read_if(&mut reader, |number, tags| add(number, &|n| Row::of(n, tags)));
        let is_over = match read {
            Ok(false) => {
                let total = before.games + reader.game();
                return Ok(Window { games: rows.into_inner(), total: Some(total) });
            }
            Ok(true) => true,
            Err(PgnError::Io(error)) => return Err(error),
            Err(PgnError::Game { game, line, fault }) => {
                let line = line + before.lines;
                add(game, &|number| Row::wrong(number, format!("line {line}: {fault}")))
            }
        };
        if is_over {
            return Ok(Window { games: rows.into_inner(), total: None });
        }
    }
}

/// How far apart places of an index are, in bytes: a window reads at most so much before it.
const APART: u64 = 4 << 20;
/// Indexes that are kept.
const KEPT: usize = 16;

/// Where games begin in large files, so that every window of their list is near.
#[derive(Default)]
pub(crate) struct Indexes(Mutex<HashMap<PathBuf, Arc<Index>>>);

/// Places in a plain file at which games begin, and what stands before each.
struct Index {
    size: u64,
    changed: Option<SystemTime>,
    places: Vec<(u64, Before)>,
    total: u64,
}

/// A text that may be the rest of a larger one.
pub(crate) struct Rest {
    pub(crate) text: Box<dyn Read + Send>,
    pub(crate) before: Before,
    /// The games of the whole, where that is known.
    pub(crate) total: Option<u64>,
    /// How far it is read to list its games.
    until: Until,
}

impl Indexes {
    /// The text of a file from a place on that is near to a game and not behind it. Packed files
    /// are read from their beginning.
    pub(crate) fn near(&self, path: &Path, name: &str, game: u64) -> io::Result<Rest> {
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        let source = Source::from_reader(name, file);
        if source.packing() != Packing::Plain || size <= APART {
            let until = if size <= APART { Until::End } else { Until::Window };
            let before = Before::default();
            return Ok(Rest { text: Box::new(source), before, total: None, until });
        }
        let index = self.of(path)?;
        let place = index.places.partition_point(|(_, before)| before.games < game);
        let (offset, before) = index.places[place.saturating_sub(1)];
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(offset))?;
        // The source steps over a byte order mark.
        let text: Box<dyn Read + Send> =
            if offset == 0 { Box::new(source) } else { Box::new(file) };
        Ok(Rest { text, before, total: Some(index.total), until: Until::Window })
    }

    /// Some games of a file.
    pub(crate) fn window(
        &self,
        path: &Path,
        name: &str,
        from: u64,
        most: usize,
    ) -> io::Result<Window> {
        let Rest { text, before, total, until } = self.near(path, name, from)?;
        let found = window(text, before, (from, most), until)?;
        Ok(Window { total: total.or(found.total), ..found })
    }

    /// The index of a file as it is now.
    fn of(&self, path: &Path) -> io::Result<Arc<Index>> {
        let about = path.metadata()?;
        let (size, changed) = (about.len(), about.modified().ok());
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(path).cloned();
        if let Some(known) = known.filter(|known| known.size == size && known.changed == changed) {
            return Ok(known);
        }
        let index = Arc::new(Index::read(path, size, changed)?);
        let mut kept = lock();
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(path.to_owned(), index.clone());
        Ok(index)
    }
}

impl Index {
    fn read(path: &Path, size: u64, changed: Option<SystemTime>) -> io::Result<Index> {
        let mut places = vec![(0, Before::default())];
        let mut all = Before::default();
        let mut from = 0;
        while from < size {
            let to = end(path, from + APART, size)?;
            let mut file = File::open(path)?;
            file.seek(SeekFrom::Start(from))?;
            let counted = count(file.take(to - from), || ControlFlow::Continue(()))?;
            all = all + counted.unwrap_or_default();
            if to < size {
                places.push((to, all));
            }
            from = to;
        }
        Ok(Index { size, changed, places, total: all.games })
    }
}

/// The first place from one on at which a game begins for certain, or the end.
fn end(path: &Path, at: u64, size: u64) -> io::Result<u64> {
    if at >= size {
        return Ok(size);
    }
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(at - BEHIND as u64))?;
    Ok(find_start(file)?.map_or(size, |start| at + start))
}
