//! Tasks and what comes of them, as values and as bytes.

use std::ops::RangeInclusive;

use game::Rank;

use super::{
    Cell, LANES, Part, Span,
    bytes::{Reader, Writer},
};

/// A task of a stage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Task {
    /// Enumerates positions.
    Explore(Explore),
    /// Computes the values of positions that were enumerated.
    Settle(Settle),
    /// Puts rows in order, as parts of a store.
    Gather(Gather),
}

/// What came of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Done {
    /// Of [`Task::Explore`].
    Explored(Explored),
    /// Of [`Task::Settle`].
    Settled(Settled),
    /// Of [`Task::Gather`].
    Gathered(Vec<Part>),
}

/// The place of a task in the work. No two tasks have the same, whoever runs them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Id {
    pub(super) writer: u64,
    pub(super) stage: u32,
    pub(super) task: u32,
}

impl Id {
    /// The name of the blob that the task writes.
    pub(super) fn blob(self) -> String {
        let Id { writer, stage, task } = self;
        format!("work-{writer:06}-{stage:06}-{task:06}")
    }
}

/// Bytes of the blob of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Source {
    pub(super) id: Id,
    pub(super) span: Span,
}

/// Explores a level, or several.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explore {
    pub(super) id: Id,
    /// The highest level.
    pub(super) level: u16,
    /// The lanes of a level that other tasks share; `None`: all lanes, and lower levels too.
    pub(super) lanes: Option<(u16, u16)>,
    /// Whether to begin with the start of the game.
    pub(super) starts: bool,
    /// What was found in this level, and in lower ones that the task may take too; the highest
    /// levels first.
    pub(super) inputs: Vec<Input>,
    /// A lower level is left to a stage of its own if so many positions of it are known already.
    pub(super) wide: u64,
    /// Lower levels are left to another stage after so many positions.
    pub(super) enough: u64,
}

/// What an outbox has of a level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Input {
    pub(super) level: u16,
    pub(super) rows: u64,
    pub(super) source: Source,
}

/// Positions that were explored. They are in the blob of the task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explored {
    pub(super) id: Id,
    /// The levels whose positions these are, the highest and the lowest.
    pub(super) levels: (u16, u16),
    pub(super) lanes: Option<(u16, u16)>,
    /// The positions by rank, the highest rank first.
    pub(super) kept: Vec<Kept>,
    /// What was found in lower levels, the lowest cell first.
    pub(super) sent: Vec<Sent>,
}

/// The positions of a rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Kept {
    pub(super) rank: Rank,
    pub(super) rows: u64,
    pub(super) span: Span,
}

/// The outbox for a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sent {
    pub(super) cell: Cell,
    pub(super) rows: u64,
    pub(super) span: Span,
}

impl Explored {
    /// The levels of its positions.
    pub(super) fn levels(&self) -> RangeInclusive<u16> {
        self.levels.1..=self.levels.0
    }

    /// Whether a cell is among those it explored.
    pub(super) fn contains(&self, cell: Cell) -> bool {
        let (first, last) = self.lanes.unwrap_or((0, LANES - 1));
        self.levels().contains(&cell.level) && (first..=last).contains(&cell.lane)
    }

    /// All positions together.
    pub(super) fn positions(&self) -> Span {
        let spans = self.kept.iter().map(|kept| kept.span);
        spans.reduce(Span::joined).unwrap_or_default()
    }

    /// What its outbox has for another task: one piece, because the cells of a task follow each
    /// other.
    pub(super) fn sent_to(&self, other: &Explored) -> Option<Span> {
        let sent = self.sent.iter().filter(|sent| other.contains(sent.cell));
        sent.map(|sent| sent.span).reduce(Span::joined)
    }
}

/// Settles what a task explored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settle {
    pub(super) id: Id,
    /// The positions.
    pub(super) positions: Source,
    /// The number of the positions, and of successors in lower levels.
    pub(super) rows: (u64, u64),
    /// Parts of its outbox, each with the answers to it.
    pub(super) answered: Vec<(Source, Source)>,
    /// Outboxes with positions of this task.
    pub(super) asked: Vec<Source>,
}

/// Rows with verdicts, and answers. They are in the blob of the task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settled {
    pub(super) id: Id,
    /// The rows by rank, the lowest rank first.
    pub(super) rows: Vec<Kept>,
    /// An answer to each outbox that asked.
    pub(super) answers: Vec<(Id, Span)>,
}

/// Puts the rows of some ranks in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gather {
    pub(super) writer: u64,
    /// The number of the first part, and how many rows a part has.
    pub(super) first: u64,
    pub(super) part: u64,
    /// Rows of several tasks, each sorted.
    pub(super) sources: Vec<Source>,
}

impl Task {
    /// The task as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::default();
        match self {
            Task::Explore(task) => {
                out.number(0u8);
                id(&mut out, task.id);
                out.number(task.level);
                lanes(&mut out, task.lanes);
                out.number(u8::from(task.starts));
                out.list(&task.inputs, |out, input| {
                    out.number(input.level);
                    out.number(input.rows);
                    source(out, input.source);
                });
                out.number(task.wide);
                out.number(task.enough);
            }
            Task::Settle(task) => {
                out.number(1u8);
                id(&mut out, task.id);
                source(&mut out, task.positions);
                out.number(task.rows.0);
                out.number(task.rows.1);
                out.list(&task.answered, |out, (asked, answers)| {
                    source(out, *asked);
                    source(out, *answers);
                });
                out.list(&task.asked, |out, asked| source(out, *asked));
            }
            Task::Gather(task) => {
                out.number(2u8);
                out.number(task.writer);
                out.number(task.first);
                out.number(task.part);
                out.list(&task.sources, |out, rows| source(out, *rows));
            }
        }
        out.finish()
    }

    /// The task of [`Task::to_bytes`]; `None` if the bytes are not one.
    pub fn from_bytes(bytes: &[u8]) -> Option<Task> {
        let mut from = Reader::new(bytes);
        let task = match from.number::<u8>()? {
            0 => Task::Explore(Explore {
                id: read_id(&mut from)?,
                level: from.number()?,
                lanes: read_lanes(&mut from)?,
                starts: from.number::<u8>()? == 1,
                inputs: from.list(|from| {
                    let (level, rows) = (from.number()?, from.number()?);
                    Some(Input { level, rows, source: read_source(from)? })
                })?,
                wide: from.number()?,
                enough: from.number()?,
            }),
            1 => Task::Settle(Settle {
                id: read_id(&mut from)?,
                positions: read_source(&mut from)?,
                rows: (from.number()?, from.number()?),
                answered: from.list(|from| Some((read_source(from)?, read_source(from)?)))?,
                asked: from.list(read_source)?,
            }),
            2 => Task::Gather(Gather {
                writer: from.number()?,
                first: from.number()?,
                part: from.number()?,
                sources: from.list(read_source)?,
            }),
            _ => return None,
        };
        from.is_empty().then_some(task)
    }
}

impl Done {
    /// The outcome as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.writer().finish()
    }

    pub(super) fn writer(&self) -> Writer {
        let mut out = Writer::default();
        match self {
            Done::Explored(done) => {
                out.number(0u8);
                id(&mut out, done.id);
                out.number(done.levels.0);
                out.number(done.levels.1);
                lanes(&mut out, done.lanes);
                out.list(&done.kept, |out, it| kept(out, *it));
                out.list(&done.sent, |out, sent| {
                    out.number(sent.cell.level);
                    out.number(sent.cell.lane);
                    out.number(sent.rows);
                    out.span(sent.span);
                });
            }
            Done::Settled(done) => {
                out.number(1u8);
                id(&mut out, done.id);
                out.list(&done.rows, |out, it| kept(out, *it));
                out.list(&done.answers, |out, (to, span)| {
                    id(out, *to);
                    out.span(*span);
                });
            }
            Done::Gathered(parts) => {
                out.number(2u8);
                out.list(parts, write_part);
            }
        }
        out
    }

    /// The outcome of [`Done::to_bytes`]; `None` if the bytes are not one.
    pub fn from_bytes(bytes: &[u8]) -> Option<Done> {
        Done::read(Reader::new(bytes))
    }

    pub(super) fn read(mut from: Reader<'_>) -> Option<Done> {
        let done = match from.number::<u8>()? {
            0 => Done::Explored(Explored {
                id: read_id(&mut from)?,
                levels: (from.number()?, from.number()?),
                lanes: read_lanes(&mut from)?,
                kept: from.list(read_kept)?,
                sent: from.list(|from| {
                    let cell = Cell { level: from.number()?, lane: from.number()? };
                    Some(Sent { cell, rows: from.number()?, span: from.span()? })
                })?,
            }),
            1 => Done::Settled(Settled {
                id: read_id(&mut from)?,
                rows: from.list(read_kept)?,
                answers: from.list(|from| Some((read_id(from)?, from.span()?)))?,
            }),
            2 => Done::Gathered(from.list(read_part)?),
            _ => return None,
        };
        from.is_empty().then_some(done)
    }
}

fn id(out: &mut Writer, id: Id) {
    out.number(id.writer);
    out.number(id.stage);
    out.number(id.task);
}

fn read_id(from: &mut Reader<'_>) -> Option<Id> {
    Some(Id { writer: from.number()?, stage: from.number()?, task: from.number()? })
}

fn source(out: &mut Writer, source: Source) {
    id(out, source.id);
    out.span(source.span);
}

fn read_source(from: &mut Reader<'_>) -> Option<Source> {
    Some(Source { id: read_id(from)?, span: from.span()? })
}

fn lanes(out: &mut Writer, lanes: Option<(u16, u16)>) {
    let ends: Vec<u16> = lanes.into_iter().flat_map(|(first, last)| [first, last]).collect();
    out.list(&ends, |out, lane| out.number(*lane));
}

fn read_lanes(from: &mut Reader<'_>) -> Option<Option<(u16, u16)>> {
    match from.list(Reader::number)?.as_slice() {
        [] => Some(None),
        [first, last] => Some(Some((*first, *last))),
        _ => None,
    }
}

fn kept(out: &mut Writer, kept: Kept) {
    out.rank(kept.rank);
    out.number(kept.rows);
    out.span(kept.span);
}

fn read_kept(from: &mut Reader<'_>) -> Option<Kept> {
    Some(Kept { rank: from.rank()?, rows: from.number()?, span: from.span()? })
}

fn write_part(out: &mut Writer, part: &Part) {
    out.text(&part.name);
    out.number(part.bytes);
    out.number(part.crc32);
    out.number(part.rows);
    for (rank, key) in [part.first, part.last] {
        out.rank(rank);
        out.key(key);
    }
}

fn read_part(from: &mut Reader<'_>) -> Option<Part> {
    Some(Part {
        name: from.text()?,
        bytes: from.number()?,
        crc32: from.number()?,
        rows: from.number()?,
        first: (from.rank()?, from.key()?),
        last: (from.rank()?, from.key()?),
    })
}
