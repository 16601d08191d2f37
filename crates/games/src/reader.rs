//! Games and positions of files, one after the other.

use std::{
    collections::HashMap,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::Arc,
};

use chess::{
    Epd, EpdError, Position,
    pgn::{self, Mainline, PgnError, Tags},
};
use sources::{Content, Lines, Progress, Source, SourceError};

use crate::{Condition, RecordError};

/// What is wanted of the files.
#[derive(Clone)]
pub struct Wanted {
    /// What they may hold.
    pub kind: Kind,
    /// All of these must hold.
    pub conditions: Vec<Condition>,
    /// Every Nth position of a game, the start included. Only [`Chunks`](crate::Chunks) asks.
    pub every: NonZeroUsize,
    /// Whether clocks and evaluations of moves are wanted, see [`Mainline::with_notes`].
    pub notes: bool,
    /// Whether the texts of games are wanted, see [`Mainline::with_text`].
    pub text: bool,
    /// If there is one, games must pass it too; their moves are not played before.
    pub filter: Option<Filter>,
    /// By the names of sources, the last game or line that is not wanted, because it was read
    /// before.
    pub done: HashMap<String, u64>,
    /// Whether nothing is wanted after the first bad record.
    pub stop_on_error: bool,
    /// Is asked before each record whether to stop.
    pub interrupted: Arc<dyn Fn() -> bool + Send + Sync>,
}

/// Says by the number and the tags of a game whether it is wanted.
pub type Filter = Arc<dyn Fn(u64, &Tags) -> bool + Send + Sync>;

/// What files may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Games in PGN, or positions as FEN or EPD, whatever they seem to be.
    #[default]
    Any,
    /// Games in PGN.
    Games,
    /// Positions, one FEN or EPD on each line.
    Positions,
}

impl Wanted {
    /// Whether a position on this line, which has no tags, is wanted.
    fn allows_position(&self, line: u64) -> bool {
        let tags = Tags::default();
        self.conditions.iter().all(|condition| condition.allows_game(&tags))
            && self.filter.as_ref().is_none_or(|filter| filter(line, &tags))
    }
}

impl Default for Wanted {
    /// Everything, without notes and texts.
    fn default() -> Wanted {
        Wanted {
            kind: Kind::Any,
            conditions: Vec::new(),
            every: NonZeroUsize::MIN,
            notes: false,
            text: false,
            filter: None,
            done: HashMap::new(),
            stop_on_error: false,
            interrupted: Arc::new(|| false),
        }
    }
}

/// A game or a position, and where it stands.
#[derive(Clone, Copy, Debug)]
pub enum Record<'a> {
    /// A game of a PGN file.
    Game {
        /// The name of the file.
        source: &'a Arc<str>,
        /// The number of the game in it, from 1.
        number: u64,
        /// The game, played.
        game: &'a Mainline,
    },
    /// A position of a FEN or EPD file.
    Position {
        /// The name of the file.
        source: &'a Arc<str>,
        /// The line in it, from 1.
        line: u64,
        /// The position.
        position: &'a Position,
    },
}

/// Reads games and positions of files one after the other.
pub struct Reader {
    inputs: std::vec::IntoIter<Input>,
    wanted: Wanted,
    open: Option<Open>,
    size: Option<u64>,
    finished: u64,
    is_over: bool,
}

enum Input {
    Path(PathBuf),
    Source(Box<Source>),
}

/// A source that is being read.
pub(crate) struct Open {
    pub(crate) name: Arc<str>,
    done: u64,
    progress: Progress,
    size: u64,
    text: Text,
    /// The last game or line that was read, wanted or not.
    pub(crate) last: u64,
    /// Whether nothing more can be read although the end was not met.
    is_broken: bool,
}

enum Text {
    Games(Box<(pgn::Reader<Source>, Mainline)>),
    Positions(Box<(Lines, Position)>),
}

/// What came next.
pub(crate) enum Step {
    /// A record, in the source that is open.
    Record,
    /// Something bad, in the source of this name.
    Bad(Arc<str>, RecordError),
    /// The end of this source.
    End(Open),
    /// Whoever is asked has said to stop.
    Interrupted,
    /// The end of all.
    Over,
}

/// No FEN or EPD line is longer; what is, is not one.
const LONGEST_LINE: usize = 1 << 20;

impl Reader {
    /// Reads files; `-` is standard input.
    pub fn new(paths: Vec<PathBuf>, wanted: Wanted) -> Reader {
        let sizes = paths.iter().map(|path| std::fs::metadata(path).ok().map(|file| file.len()));
        let size = sizes.sum::<Option<u64>>();
        let inputs: Vec<Input> = paths.into_iter().map(Input::Path).collect();
        Reader::of(inputs, size, wanted)
    }

    /// Reads a source that is open already.
    pub fn of_source(source: Source, wanted: Wanted) -> Reader {
        let size = source.size();
        Reader::of(vec![Input::Source(Box::new(source))], size, wanted)
    }

    fn of(inputs: Vec<Input>, size: Option<u64>, wanted: Wanted) -> Reader {
        let inputs = inputs.into_iter();
        Reader { inputs, wanted, open: None, size, finished: 0, is_over: false }
    }

    /// The bytes of all files, packed as they are, if they are known.
    pub fn size(&self) -> Option<u64> {
        self.size
    }

    /// The bytes that have been read.
    pub fn progress(&self) -> u64 {
        self.finished + self.open.as_ref().map_or(0, |open| open.progress.bytes())
    }

    /// The next record, or what is wrong with it; `None` when there are no more.
    ///
    /// After an error the next call goes on with the next record, unless
    /// [`Wanted::stop_on_error`] says otherwise.
    pub fn read(&mut self) -> Option<Result<Record<'_>, RecordError>> {
        loop {
            match self.step() {
                Step::Record => return self.record().map(Ok),
                Step::Bad(_, error) => return Some(Err(error)),
                Step::End(_) => {}
                Step::Interrupted | Step::Over => return None,
            }
        }
    }

    pub(crate) fn wanted(&self) -> &Wanted {
        &self.wanted
    }

    pub(crate) fn open(&self) -> Option<&Open> {
        self.open.as_ref()
    }

    /// The record that was read last.
    pub(crate) fn record(&self) -> Option<Record<'_>> {
        let Open { name: source, last, text, .. } = self.open.as_ref()?;
        Some(match text {
            Text::Games(games) => Record::Game { source, number: *last, game: &games.1 },
            Text::Positions(lines) => Record::Position { source, line: *last, position: &lines.1 },
        })
    }

    /// Reads on, to the next thing that somebody must know of.
    pub(crate) fn step(&mut self) -> Step {
        loop {
            if self.is_over {
                return Step::Over;
            }
            if (self.wanted.interrupted)() {
                return Step::Interrupted;
            }
            let Some(open) = &mut self.open else {
                match self.open_next() {
                    Some(Ok(open)) => self.open = Some(open),
                    Some(Err((name, error))) => return self.bad(name, error),
                    None => self.is_over = true,
                }
                continue;
            };
            let read = match &mut open.text {
                _ if open.is_broken => Read::End,
                Text::Games(games) => read_game(&self.wanted, open.done, &mut open.last, games),
                Text::Positions(lines) => read_line(&self.wanted, open.done, &mut open.last, lines),
            };
            match read {
                Read::Record => return Step::Record,
                Read::Unwanted => {}
                Read::Bad(bad) => {
                    open.is_broken = bad.is_the_last();
                    let (name, error) = (open.name.clone(), bad.named(&open.name));
                    return self.bad(name, error);
                }
                Read::End => {
                    self.finished += open.size;
                    return self.open.take().map_or(Step::Over, Step::End);
                }
            }
        }
    }

    fn bad(&mut self, name: Arc<str>, error: RecordError) -> Step {
        self.is_over |= self.wanted.stop_on_error;
        Step::Bad(name, error)
    }

    fn open_next(&mut self) -> Option<Result<Open, (Arc<str>, RecordError)>> {
        Some(match self.inputs.next()? {
            Input::Path(path) => match Source::open(&path) {
                Ok(source) => self.begin(source, lists_positions(&path)),
                Err(error) => Err((path.display().to_string().into(), error.into())),
            },
            Input::Source(source) => {
                let lists_positions = lists_positions(Path::new(source.name()));
                self.begin(*source, lists_positions)
            }
        })
    }

    fn begin(
        &self,
        mut source: Source,
        lists_positions: bool,
    ) -> Result<Open, (Arc<str>, RecordError)> {
        let name: Arc<str> = source.name().into();
        let kind = self.wanted.kind;
        let (progress, size) = (source.progress(), source.size().unwrap_or(0));
        // Lines need no guess: each of them is a position or is bad.
        let found = if kind == Kind::Positions { Content::Fen } else { source.guess() };
        let refused = |error| Err((name.clone(), error));
        let text = match found {
            Content::Empty => return refused(RecordError::Empty { name: name.to_string() }),
            Content::Binary | Content::JsonLines => return refused(kind.refused(&name, found)),
            Content::Fen | Content::Epd if kind == Kind::Games => {
                return refused(kind.refused(&name, found));
            }
            Content::Fen | Content::Epd => Text::positions(source),
            // The first line may be the bad one of many.
            Content::Text if lists_positions && kind == Kind::Any => Text::positions(source),
            // What cannot be read says why when it is read.
            Content::Pgn | Content::Text | Content::Unreadable => {
                let Wanted { notes, text, .. } = self.wanted;
                let game = if notes { Mainline::with_notes() } else { Mainline::default() };
                let game = if text { game.with_text() } else { game };
                Text::Games(Box::new((pgn::Reader::new(source), game)))
            }
        };
        let done = self.wanted.done.get(&*name).copied().unwrap_or(0);
        Ok(Open { name, done, progress, size, text, last: 0, is_broken: false })
    }
}

/// Whether a source, of which nothing has been read yet, is read as games where files may hold
/// this.
pub fn is_pgn(source: &mut Source, kind: Kind) -> bool {
    match (kind, source.guess()) {
        (Kind::Positions, _) => false,
        (Kind::Any, Content::Text) => !lists_positions(Path::new(source.name())),
        (_, Content::Pgn | Content::Text | Content::Unreadable) => true,
        _ => false,
    }
}

impl Kind {
    fn refused(self, name: &str, found: Content) -> RecordError {
        let expected = match (self, found) {
            (Kind::Games, Content::Fen | Content::Epd) => "games",
            (Kind::Games, _) => "PGN",
            _ => "FEN, EPD or PGN",
        };
        RecordError::Content { name: name.to_owned(), found, expected }
    }
}

impl Text {
    fn positions(source: Source) -> Text {
        Text::Positions(Box::new((source.lines(LONGEST_LINE), Position::default())))
    }
}

/// What came of reading once.
enum Read {
    Record,
    Unwanted,
    Bad(Bad),
    End,
}

/// What is wrong with a record, of a source that the reader knows.
enum Bad {
    Game(PgnError),
    Line(SourceError),
    Position(u64, EpdError),
}

impl Bad {
    /// Whether nothing can be read after it.
    fn is_the_last(&self) -> bool {
        match self {
            Bad::Game(error) => matches!(error, PgnError::Io(_)),
            Bad::Line(error) => !matches!(error, SourceError::LineTooLong { .. }),
            Bad::Position(..) => false,
        }
    }

    fn named(self, name: &str) -> RecordError {
        let name = name.to_owned();
        match self {
            Bad::Line(error) => error.into(),
            // The source has put its name and the cause into its own errors.
            Bad::Game(PgnError::Io(error)) => match error.downcast::<SourceError>() {
                Ok(error) => error.into(),
                Err(error) => RecordError::Game { name, error: PgnError::Io(error) },
            },
            Bad::Game(error) => RecordError::Game { name, error },
            Bad::Position(line, error) => RecordError::Position { name, line, error },
        }
    }
}

fn read_game(
    wanted: &Wanted,
    done: u64,
    last: &mut u64,
    (reader, game): &mut (pgn::Reader<Source>, Mainline),
) -> Read {
    let is_wanted = |number: u64, tags: &Tags| {
        number > done
            && wanted.conditions.iter().all(|condition| condition.allows_game(tags))
            && wanted.filter.as_ref().is_none_or(|filter| filter(number, tags))
    };
    match game.read_if(reader, is_wanted) {
        Ok(true) => {
            *last = reader.game();
            Read::Record
        }
        Ok(false) => {
            *last = reader.game();
            Read::End
        }
        // What an earlier run has complained about is not said again.
        Err(PgnError::Game { .. }) if reader.game() <= done => Read::Unwanted,
        Err(error) => Read::Bad(Bad::Game(error)),
    }
}

fn read_line(
    wanted: &Wanted,
    done: u64,
    last: &mut u64,
    (lines, position): &mut (Lines, Position),
) -> Read {
    let line = match lines.next_line() {
        Ok(Some(line)) => line,
        Ok(None) => return Read::End,
        Err(SourceError::LineTooLong { line, .. }) if line <= done => return Read::Unwanted,
        Err(error) => return Read::Bad(Bad::Line(error)),
    };
    let text = line.bytes.trim_ascii();
    if line.number <= done || text.is_empty() || text.starts_with(b"#") {
        return Read::Unwanted;
    }
    let epd = Epd::from_line(text);
    // Whoever stops at a bad line wants it read again.
    if epd.is_ok() || !wanted.stop_on_error {
        *last = line.number;
    }
    match epd {
        Ok(epd) if wanted.allows_position(line.number) => {
            *position = epd.position;
            Read::Record
        }
        Ok(_) => Read::Unwanted,
        Err(error) => Read::Bad(Bad::Position(line.number, error)),
    }
}

/// Whether the name of a file, packed or not, says that it has a position on each line.
fn lists_positions(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
    name.ends_with(".fen") || name.ends_with(".epd")
}
