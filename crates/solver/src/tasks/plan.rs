//! The stages of the work, one after the other.

use std::collections::BTreeMap;

use game::Rank;

use super::{
    Part, Span, Split,
    message::{Done, Explore, Explored, Gather, Id, Input, Settle, Settled, Source, Task},
};
use crate::work::{Pass, Progress};

/// Bytes of memory that a task takes for each position that it begins with: successors and
/// duplicates while it explores, values while it settles.
const POSITION: usize = 200;

/// Fewer rows are not worth a task of their own when they are gathered.
const FEW: u64 = 1 << 16;

/// What has been done, and thereby what comes next.
pub(super) struct Plan {
    split: Split,
    writer: u64,
    /// The highest level.
    top: u16,
    /// The tasks of every stage.
    explored: Vec<Vec<Explored>>,
    /// The same tasks, the last stage first.
    settled: Vec<Vec<Settled>>,
    parts: Option<Vec<Part>>,
}

impl Plan {
    pub(super) fn new(split: Split, writer: u64, top: u16) -> Plan {
        Plan { split, writer, top, explored: vec![], settled: vec![], parts: None }
    }

    /// The number of stages that are done.
    pub(super) fn stage(&self) -> usize {
        self.explored.len() + self.settled.len() + usize::from(self.parts.is_some())
    }

    /// The tasks of the next stage; none when all is done.
    pub(super) fn next(&self) -> Vec<Task> {
        if self.parts.is_some() {
            return Vec::new();
        }
        match self.waiting_level() {
            Some(level) => self.explore(level),
            None if self.settled.len() < self.explored.len() => self.settle(),
            None => self.gather(),
        }
    }

    /// Adds what came of the tasks of a stage, in their order. False if it cannot be that.
    pub(super) fn add(&mut self, done: Vec<Done>) -> bool {
        let (mut explored, mut settled, mut parts) = (vec![], vec![], vec![]);
        let (count, mut gathered) = (done.len(), 0);
        for done in done {
            match done {
                Done::Explored(done) => explored.push(done),
                Done::Settled(done) => settled.push(done),
                Done::Gathered(done) => {
                    gathered += 1;
                    parts.extend(done);
                }
            }
        }
        let is_exploring = self.waiting_level().is_some();
        let is_settling = self.settled.len() < self.explored.len();
        if self.parts.is_some() || count == 0 {
            false
        } else if is_exploring {
            // Stages of two histories would have levels twice, or not at all.
            let next = self.waiting_level();
            let fits = explored.len() == count && explored.iter().all(|e| Some(e.levels.0) == next);
            self.explored.push(explored);
            fits
        } else if is_settling {
            let of = &self.explored[self.explored.len() - 1 - self.settled.len()];
            let fits = settled.len() == count && count == of.len();
            self.settled.push(settled);
            fits
        } else {
            self.parts = Some(parts);
            gathered == count
        }
    }

    /// The highest level that is still to be explored.
    fn waiting_level(&self) -> Option<u16> {
        if self.explored.is_empty() {
            return Some(self.top);
        }
        self.waiting().map(|(_, sent)| sent.cell.level).max()
    }

    /// What outboxes have for levels that are still to be explored.
    fn waiting(&self) -> impl Iterator<Item = (Id, super::message::Sent)> {
        let done = self.explored.last().and_then(|stage| stage.first());
        let floor = done.map_or(0, |explored| explored.levels.1);
        let sent = |done: &Explored| done.sent.iter().map(|sent| (done.id, *sent)).collect();
        let sent = self.explored.iter().flatten().flat_map(move |done| -> Vec<_> { sent(done) });
        sent.filter(move |(_, sent)| sent.cell.level < floor)
    }

    fn explore(&self, level: u16) -> Vec<Task> {
        let mut lanes = BTreeMap::new();
        for (_, sent) in self.waiting().filter(|(_, sent)| sent.cell.level == level) {
            *lanes.entry(sent.cell.lane).or_default() += sent.rows;
        }
        let most = (self.split.memory / POSITION).max(1) as u64;
        let wide = (self.split.wide as f64 * self.duplicates()) as u64;
        let (wide, enough) = (wide.min(most), self.split.enough.min(most));
        let total: u64 = lanes.values().sum();
        let groups: Vec<Option<(u16, u16)>> = if total >= wide && !lanes.is_empty() {
            let each = total.div_ceil(self.split.tasks.max(1)).min(most);
            groups(&lanes, each).into_iter().map(Some).collect()
        } else {
            vec![None]
        };
        let task = |(task, lanes): (usize, Option<(u16, u16)>)| {
            Task::Explore(Explore {
                id: self.id(task),
                level,
                lanes,
                starts: self.explored.is_empty(),
                inputs: self.inputs(level, lanes),
                wide,
                enough,
            })
        };
        groups.into_iter().enumerate().map(task).collect()
    }

    /// How often, on the average, outboxes had the positions of the last stage.
    fn duplicates(&self) -> f64 {
        let Some(last) = self.explored.last() else { return 1.0 };
        let sent = self.explored.iter().flatten().flat_map(|explored| &explored.sent);
        let sent = sent.filter(|sent| last.iter().any(|task| task.contains(sent.cell)));
        let sent: u64 = sent.map(|sent| sent.rows).sum();
        let kept = last.iter().flat_map(|task| &task.kept).map(|kept| kept.rows).sum::<u64>();
        (sent as f64 / kept.max(1) as f64).max(1.0)
    }

    /// What is known of some lanes of a level, or of all of them and of lower levels.
    fn inputs(&self, level: u16, lanes: Option<(u16, u16)>) -> Vec<Input> {
        let mut inputs: BTreeMap<(u16, u32, u32), Input> = BTreeMap::new();
        for (id, sent) in self.waiting() {
            let is_wanted = lanes.is_none_or(|(first, last)| {
                sent.cell.level == level && (first..=last).contains(&sent.cell.lane)
            });
            if !is_wanted {
                continue;
            }
            let level = sent.cell.level;
            let source = Source { id, span: sent.span };
            let input = inputs.entry((level, id.stage, id.task)).or_insert(Input {
                level,
                rows: 0,
                source,
            });
            input.rows += sent.rows;
            input.source.span = input.source.span.joined(sent.span);
        }
        inputs.into_values().rev().collect()
    }

    fn settle(&self) -> Vec<Task> {
        let stage = self.explored.len() - 1 - self.settled.len();
        let (above, below) = (&self.explored[..stage], &self.explored[stage + 1..]);
        let task = |(task, this): (usize, &Explored)| {
            let sent: u64 = this.sent.iter().map(|sent| sent.rows).sum();
            let kept: u64 = this.kept.iter().map(|kept| kept.rows).sum();
            // Stages were settled in the opposite order.
            let below = below.iter().flatten().zip(self.settled.iter().rev().flatten());
            let answered = below.filter_map(|(other, settled)| {
                let asked = Source { id: this.id, span: this.sent_to(other)? };
                let (_, span) = settled.answers.iter().find(|(to, _)| *to == this.id)?;
                Some((asked, Source { id: settled.id, span: *span }))
            });
            let asked = above
                .iter()
                .flatten()
                .filter_map(|other| Some(Source { id: other.id, span: other.sent_to(this)? }));
            Task::Settle(Settle {
                id: self.id(task),
                positions: Source { id: this.id, span: this.positions() },
                rows: (kept, sent),
                answered: answered.collect(),
                asked: asked.collect(),
            })
        };
        self.explored[stage].iter().enumerate().map(task).collect()
    }

    fn gather(&self) -> Vec<Task> {
        let ranks = self.ranks();
        let total: u64 = ranks.values().sum();
        let part = self.split.part.max(1);
        let most = total.div_ceil(self.split.tasks.max(1)).clamp(FEW.min(part), part);
        let mut tasks: Vec<(Rank, Rank, u64)> = Vec::new();
        for (rank, rows) in ranks {
            match tasks.last_mut() {
                Some((_, last, together)) if *together + rows <= most => {
                    (*last, *together) = (rank, *together + rows);
                }
                _ => tasks.push((rank, rank, rows)),
            }
        }
        let mut first_part = 1;
        let task = |(first, last, rows): (Rank, Rank, u64)| {
            let spans = self.settled.iter().flatten().filter_map(|settled| {
                let rows = settled.rows.iter().filter(|kept| (first..=last).contains(&kept.rank));
                let span = rows.map(|kept| kept.span).reduce(Span::joined)?;
                Some(Source { id: settled.id, span })
            });
            let sources = spans.collect();
            let first = first_part;
            first_part += rows.div_ceil(part);
            Task::Gather(Gather { writer: self.writer, first, part, sources })
        };
        tasks.into_iter().map(task).collect()
    }

    fn id(&self, task: usize) -> Id {
        Id { writer: self.writer, stage: self.stage() as u32, task: task as u32 }
    }

    /// The number of positions of every rank.
    pub(super) fn ranks(&self) -> BTreeMap<Rank, u64> {
        let mut ranks = BTreeMap::new();
        for kept in self.explored.iter().flatten().flat_map(|explored| &explored.kept) {
            *ranks.entry(kept.rank).or_default() += kept.rows;
        }
        ranks
    }

    /// The parts of the store, when all is done.
    pub(super) fn parts(self) -> Vec<Part> {
        self.parts.unwrap_or_default()
    }

    pub(super) fn progress(&self) -> Progress {
        let known: u64 = self.ranks().values().sum();
        let settled = self.settled.iter().flatten().flat_map(|settled| &settled.rows);
        if self.waiting_level().is_some() {
            let rank = self.explored.last().and_then(|stage| stage.first()?.kept.last());
            let waiting: u64 = self.waiting().map(|(_, sent)| sent.rows).sum();
            let rank = rank.map_or(Rank::MAX, |kept| kept.rank);
            return Progress {
                pass: Pass::Explore,
                rank,
                done: known,
                known: known + waiting,
                memory: 0,
            };
        }
        let rank = settled.clone().map(|kept| kept.rank).max().unwrap_or_default();
        let done = settled.map(|kept| kept.rows).sum();
        Progress { pass: Pass::Settle, rank, done, known, memory: 0 }
    }
}

/// Lanes that follow each other, with so many rows together or one lane each; the largest groups
/// first, so that the last to end are small.
fn groups(lanes: &BTreeMap<u16, u64>, most: u64) -> Vec<(u16, u16)> {
    let mut groups: Vec<(u16, u16, u64)> = Vec::new();
    for (&lane, &rows) in lanes {
        match groups.last_mut() {
            Some((_, last, together)) if *together + rows <= most => {
                (*last, *together) = (lane, *together + rows);
            }
            _ => groups.push((lane, lane, rows)),
        }
    }
    groups.sort_by_key(|(_, _, rows)| std::cmp::Reverse(*rows));
    groups.into_iter().map(|(first, last, _)| (first, last)).collect()
}
