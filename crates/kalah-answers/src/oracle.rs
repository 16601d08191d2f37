//! Answers about any position: from a store, else from a dense table, else by search down to the
//! table.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use game::{Edge, Game, MoveId, Score, Turn, Verdict};
use kalah::{Kalah, Ply, Position, Record, Rules, Sheets};
use solver::{
    Next, Step, StoreError,
    search::{Between, SearchLimits, SearchProgress, Searcher},
    table::{BuildLimits, Directory, Manifest, TableError, build},
};

use crate::{
    AnswerError, Answers, DenseTable, Place, Solved,
    cache::{Cost, cache_directory, table_name, table_seeds},
    check_pits, check_rules,
    depth::look_ahead,
    open_table,
};

/// Bytes for the values of a table. Memory is used only for chunks that are read.
const TABLE_MEMORY: usize = 1 << 30;
/// Bytes for the transposition table. Memory is used only where something is remembered.
const SEARCH_MEMORY: usize = 512 << 20;
/// How far a search looks ahead that was not given the time to find the value.
const SHALLOW: u32 = 8;

/// What happens while a question is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A table is about to be built.
    Building(Cost),
    /// So many of so many positions of the table are done.
    Built(u64, u64),
    /// A search goes on, with bounds.
    Searching(SearchProgress),
}

/// Listens to what happens, and may stop it.
pub type Watch<'a> = &'a mut dyn FnMut(&Event) -> Next;

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its value, or bounds if the time was too short.
    pub between: Between,
    /// The best move of the store, or the first of the best moves. If the value is not known, a move
    /// that looks good. `None` if the game is over.
    pub best: Option<MoveId>,
    /// The plies to the end with best play; `None` unless the store has them.
    pub remoteness: Option<u16>,
}

/// A move and what is known of its value for the mover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The move.
    pub edge: Edge<Position>,
    /// The value of the move, or bounds if the time was too short.
    pub between: Between,
    /// The plies to the end with best play after the move, this move included; `None` unless the
    /// store has them.
    pub remoteness: Option<u32>,
}

/// A move of a game in the light of best play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reviewed {
    /// What is known of the position it was made in.
    pub answer: Answer,
    /// The seeds that it gave away: 0 for a best move. `None` if the time was too short.
    pub gave: Option<i32>,
}

/// How questions are answered that no store and no table can answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effort {
    /// How long a question may be searched; `None`: until it is answered. Building a table does
    /// not count.
    pub time: Option<Duration>,
    /// Where tables are kept and built; that of [`cache_directory`] if it is `None`.
    pub cache: Option<PathBuf>,
}

/// A source of answers about any position.
pub struct Oracle {
    rules: Rules,
    solved: Option<Solved>,
    searcher: Option<Searcher<Sheets>>,
    /// Whether the table was named by the caller, and so must not grow.
    is_given: bool,
    effort: Effort,
}

impl Oracle {
    /// Opens a place, if there is one. If rules are given, it must have these rules; without a
    /// place they are the rules of all answers.
    pub fn open(
        place: Option<&Place>,
        rules: Option<Rules>,
        effort: Effort,
    ) -> Result<Oracle, AnswerError> {
        let Some(place) = place else {
            let rules = rules.unwrap_or_default();
            return Ok(Oracle { rules, solved: None, searcher: None, is_given: false, effort });
        };
        let answers = Answers::open(place, rules, TABLE_MEMORY)?;
        check_rules(&place.shown(), answers.kalah().rules(), rules)?;
        Oracle::new(answers, effort)
    }

    /// Answers that come from an open place as far as it has them.
    pub fn new(answers: Answers, effort: Effort) -> Result<Oracle, AnswerError> {
        let rules = answers.kalah().rules();
        Ok(match answers {
            Answers::Solved(solved) => {
                Oracle { rules, solved: Some(solved), searcher: None, is_given: false, effort }
            }
            Answers::Table(table) => {
                let searcher = Some(searcher(*table)?);
                Oracle { rules, solved: None, searcher, is_given: true, effort }
            }
        })
    }

    /// The rules of all answers.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The game that the store holds, if there is a store.
    pub fn solved(&self) -> Option<&Kalah> {
        self.solved.as_ref().map(|solved| &solved.kalah)
    }

    /// How questions are answered. It may be changed between questions.
    pub fn effort(&mut self) -> &mut Effort {
        &mut self.effort
    }

    /// The game that begins with a position.
    fn kalah(&self, position: &Position) -> Kalah {
        Kalah::from_start(*position, self.rules)
    }

    /// The value and the best move of a position.
    pub fn answer(&mut self, position: &Position, watch: Watch<'_>) -> Result<Answer, AnswerError> {
        let deadline = self.deadline(position, watch)?;
        self.answer_until(position, BestMove::First, deadline, watch)
    }

    /// The value of a position, without a move.
    pub fn value(&mut self, position: &Position, watch: Watch<'_>) -> Result<Between, AnswerError> {
        let deadline = self.deadline(position, watch)?;
        self.bounds(position, Score(0), deadline, watch)
    }

    /// A best move of a position, not necessarily the first; `None` if the game is over. If the
    /// time is too short to find one, a move that looks good.
    pub fn reply(
        &mut self,
        position: &Position,
        watch: Watch<'_>,
    ) -> Result<Option<MoveId>, AnswerError> {
        let deadline = self.deadline(position, watch)?;
        Ok(self.answer_until(position, BestMove::Any, deadline, watch)?.best)
    }

    /// The moves of a position in the order of their pits; empty if the game is over.
    pub fn moves(
        &mut self,
        position: &Position,
        watch: Watch<'_>,
    ) -> Result<Vec<Choice>, AnswerError> {
        let deadline = self.deadline(position, watch)?;
        let kalah = self.kalah(position);
        let whole = self.answer_until(position, BestMove::Any, deadline, watch)?.between;
        let mut edges = Vec::new();
        if kalah.outcome(position).is_none() {
            kalah.edges(position, |edge| edges.push(edge));
        }
        let mut choices = Vec::with_capacity(edges.len());
        for edge in edges {
            // No move is worth more than the position, and a guess nearby is soon proved.
            let guess = match edge.turn {
                Turn::Keeps => whole.most.0 - edge.gain.0,
                Turn::Passes => edge.gain.0 - whole.most.0,
            };
            let known = self.looked_up(&edge.to)?;
            let after = match known {
                Some(verdict) => Between::exactly(verdict.score),
                None => self.bounds(&edge.to, Score(guess), deadline, watch)?,
            };
            let [least, most] = match edge.turn {
                Turn::Keeps => [after.least, after.most],
                Turn::Passes => [after.most, after.least],
            };
            let (least, most) = (Score::new(edge.worth(least))?, Score::new(edge.worth(most))?);
            let between = Between { least, most: most.min(whole.most) };
            let remoteness = known.and_then(|verdict| verdict.remoteness);
            let remoteness = remoteness.map(|plies| u32::from(plies) + 1);
            choices.push(Choice { edge, between, remoteness });
        }
        Ok(choices)
    }

    /// Best play from a position to the end: the best moves of the store, or always the first of the
    /// best moves.
    pub fn line(
        &mut self,
        position: &Position,
        watch: Watch<'_>,
    ) -> Result<Vec<Step<Position>>, AnswerError> {
        let deadline = self.deadline(position, watch)?;
        let kalah = self.kalah(position);
        solver::line(&kalah, position, |position| {
            let answer = self.answer_until(position, BestMove::First, deadline, watch)?;
            match answer.between.value() {
                Some(score) => {
                    let Answer { best, remoteness, .. } = answer;
                    Ok(Verdict { score, best, remoteness })
                }
                None => Err(AnswerError::Undecided {
                    position: *position,
                    least: answer.between.least,
                    most: answer.between.most,
                }),
            }
        })
    }

    /// What every move of a game gave away, with the answer for the position it was made in.
    pub fn review(
        &mut self,
        record: &Record,
        watch: Watch<'_>,
    ) -> Result<Vec<Reviewed>, AnswerError> {
        let mut answers = Vec::with_capacity(record.plies().len());
        for ply in record.plies() {
            answers.push(self.answer(&ply.position, watch)?);
        }
        let plies = record.plies().windows(2).zip(answers.windows(2));
        let review = |(plies, answers): (&[Ply], &[Answer])| {
            let lead = |at: usize| Some(plies[at].lead(answers[at].between.value()?));
            let sign = if plies[0].mover == 0 { 1 } else { -1 };
            let gave = lead(0).zip(lead(1)).map(|(before, after)| sign * (before - after));
            Reviewed { answer: answers[0], gave }
        };
        Ok(plies.map(review).collect())
    }

    /// When the search of a position ends. Time counts from when the table is ready.
    fn deadline(
        &mut self,
        position: &Position,
        watch: Watch<'_>,
    ) -> Result<Option<Instant>, AnswerError> {
        let Some(time) = self.effort.time else { return Ok(None) };
        let is_over = self.kalah(position).outcome(position).is_some();
        if !is_over && self.looked_up(position)?.is_none() {
            self.prepare(position, watch)?;
        }
        Ok(Instant::now().checked_add(time))
    }

    /// The value and a best move.
    fn answer_until(
        &mut self,
        position: &Position,
        which: BestMove,
        deadline: Option<Instant>,
        watch: Watch<'_>,
    ) -> Result<Answer, AnswerError> {
        let kalah = self.kalah(position);
        if let Some(verdict) = self.looked_up(position)? {
            let Verdict { score, best, remoteness } = verdict;
            return Ok(Answer { between: Between::exactly(score), best, remoteness });
        }
        if let Some(score) = kalah.outcome(position) {
            return Ok(Answer { between: Between::exactly(score), best: None, remoteness: None });
        }
        let searcher = self.prepare(position, watch)?;
        let between = searcher.bounds(position, Score(0), &mut until(deadline, watch))?;
        let found = match between.value() {
            Some(score) if which == BestMove::First => {
                searcher.first_best(position, score, &mut until(deadline, watch))?
            }
            Some(score) => match searcher.remembered(position) {
                Some(mv) => Some(mv),
                None => searcher.first_best(position, score, &mut until(deadline, watch))?,
            },
            None => None,
        };
        let best = found.or_else(|| look_ahead(&kalah, position, SHALLOW));
        Ok(Answer { between, best, remoteness: None })
    }

    /// The value of a position, or bounds if the deadline comes first.
    fn bounds(
        &mut self,
        position: &Position,
        guess: Score,
        deadline: Option<Instant>,
        watch: Watch<'_>,
    ) -> Result<Between, AnswerError> {
        if let Some(verdict) = self.looked_up(position)? {
            return Ok(Between::exactly(verdict.score));
        }
        if let Some(score) = self.kalah(position).outcome(position) {
            return Ok(Between::exactly(score));
        }
        let searcher = self.prepare(position, watch)?;
        Ok(searcher.bounds(position, guess, &mut until(deadline, watch))?)
    }

    /// What the store says of a position, if there is a store that has it.
    fn looked_up(&mut self, position: &Position) -> Result<Option<Verdict>, AnswerError> {
        let Some(solved) = &mut self.solved else { return Ok(None) };
        check_pits(&solved.kalah, position)?;
        match solved.verdict(position) {
            Ok(verdict) => Ok(Some(verdict)),
            Err(AnswerError::Unreachable { .. } | AnswerError::Unsolved(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// A search down to a table that is large enough for the position. It is found or built.
    fn prepare(
        &mut self,
        position: &Position,
        watch: Watch<'_>,
    ) -> Result<&mut Searcher<Sheets>, AnswerError> {
        let (pits, rules) = (position.pits(), self.rules);
        if self.is_given {
            let searcher = self.searcher.as_mut().expect("a table was given");
            check_pits(game::Numbered::game(searcher.table().numbered()), position)?;
            return Ok(searcher);
        }
        let wanted = table_seeds(pits, position.seeds_in_play());
        let suffices = self.searcher.as_mut().is_some_and(|searcher| {
            let sheets = searcher.table().numbered();
            sheets.pits() == pits && sheets.seeds() >= wanted
        });
        if !suffices {
            let cache = self.effort.cache.clone().or_else(cache_directory);
            let cache = cache.ok_or(AnswerError::NoCache)?;
            let directory = cache.join(table_name(pits, rules));
            // The old one goes first, so that there are never two in memory.
            self.searcher = None;
            self.searcher = Some(searcher(ready(pits, wanted, rules, &directory, watch)?)?);
        }
        Ok(self.searcher.as_mut().expect("it was just made"))
    }
}

/// Which of the best moves is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BestMove {
    First,
    /// Whichever is found without more work.
    Any,
}

/// Opens the table in a directory of the cache. It is built or extended if it has fewer seeds.
fn ready(
    pits: usize,
    seeds: u32,
    rules: Rules,
    directory: &Path,
    watch: Watch<'_>,
) -> Result<DenseTable, AnswerError> {
    let place = Directory::new(directory);
    let has = |manifest: Option<Manifest>| manifest.and_then(|manifest| manifest.units());
    let found = has(Manifest::read(&place)?);
    if found.is_none_or(|found| u32::from(found) < seeds) {
        let cost = Cost::new(pits, rules, seeds, directory.to_owned());
        if watch(&Event::Building(cost)) == Next::Stop {
            return Err(AnswerError::Table(TableError::Stopped));
        }
        let sheets = Sheets::new(pits, seeds, rules)
            .map_err(|cause| AnswerError::Sheets { place: place.name(), cause })?;
        let limits = BuildLimits { memory: TABLE_MEMORY };
        let built = build(&sheets, &place, &limits, &mut |progress| {
            watch(&Event::Built(progress.done, progress.total))
        });
        match built {
            Ok(_) => {}
            // Another process builds it. A search needs no table of a certain size.
            Err(TableError::Store(StoreError::Busy(_)))
                if has(Manifest::read(&place)?).is_some() => {}
            Err(error) => return Err(error.into()),
        }
    }
    open_table(directory, TABLE_MEMORY)
}

fn searcher(table: DenseTable) -> Result<Searcher<Sheets>, AnswerError> {
    Ok(Searcher::new(table, &SearchLimits { memory: SEARCH_MEMORY })?)
}

/// Stops at the deadline, or if the caller wants it.
fn until<'a>(
    deadline: Option<Instant>,
    watch: Watch<'a>,
) -> impl FnMut(&SearchProgress) -> Next + 'a {
    move |progress| match watch(&Event::Searching(*progress)) {
        Next::Continue if deadline.is_some_and(|deadline| Instant::now() >= deadline) => Next::Stop,
        next => next,
    }
}
