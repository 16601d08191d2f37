//! Computes a recipe, a block of rows at a time.

use std::{collections::VecDeque, ops::Range, sync::Arc};

use arrow::{
    array::{ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions, UInt32Array, UInt64Array},
    buffer::{BooleanBuffer, NullBuffer},
    compute::take,
    datatypes::SchemaRef,
};
use datafusion::{error::Result, physical_plan::metrics::Count};

use crate::watched::Stop;

use super::{
    index::{Pairs, numbers},
    nodes::{BLOCK, Column, Columns, Place, Program, Registers, Root, Rows, Table},
    stages::{Compiled, Draft, How, Output, Recipe, Stage},
};

/// Computes what comes of batches, one after the other.
pub(super) struct Machine {
    recipe: Arc<Recipe>,
    schema: SchemaRef,
    /// The most rows of a batch.
    limit: usize,
    compiled: Option<(Vec<bool>, Compiled)>,
    counts: Counts,
    /// The stop of the statement.
    stop: Option<Arc<Stop>>,
    /// The batch that is worked on, and its columns as numbers.
    batch: RecordBatch,
    columns: Vec<Column>,
    /// The first row of it that has not been looked up.
    next: usize,
    chunk: Chunk,
    scratch: Scratch,
    pairs: Pairs,
    built: Built,
    ready: VecDeque<RecordBatch>,
}

/// What is told of a run.
#[derive(Clone, Debug)]
pub(super) struct Counts {
    /// Rows that were looked up.
    pub(super) looked_up: Count,
    /// Pairs of such a row and a rule of its key.
    pub(super) pairs: Count,
    /// The same of the join that is fused to it.
    pub(super) guard_looked_up: Count,
    pub(super) guard_pairs: Count,
}

/// Rows that have been looked up, each with its rules and its terms.
#[derive(Default)]
struct Chunk {
    rows: Vec<u32>,
    runs: Vec<Range<u32>>,
    terms: Vec<u64>,
    /// The first row whose pairs have not been made.
    next: usize,
}

/// Memory that is used again for every block.
#[derive(Default)]
struct Scratch {
    registers: Registers,
    /// The rows of a block that are looked up.
    asking: Vec<u32>,
    input: Vec<u32>,
    first: Vec<u32>,
    runs: Vec<Range<u32>>,
    terms: Vec<u64>,
    hits: Vec<u64>,
    pairs: Pairs,
    numbers: Vec<u32>,
}

impl Machine {
    pub(super) fn new(
        recipe: Arc<Recipe>,
        schema: SchemaRef,
        limit: usize,
        counts: Counts,
        stop: Option<Arc<Stop>>,
    ) -> Machine {
        Machine {
            schema,
            limit,
            compiled: None,
            counts,
            stop,
            batch: RecordBatch::new_empty(recipe.input.clone()),
            columns: Vec::new(),
            next: 0,
            chunk: Chunk::default(),
            scratch: Scratch::default(),
            pairs: Pairs::default(),
            built: Built::default(),
            ready: VecDeque::new(),
            recipe,
        }
    }

    /// Begins to work on a batch, after the one before has been used up.
    pub(super) fn begin(&mut self, batch: RecordBatch) -> Result<()> {
        let columns: Vec<Column> = batch.columns().iter().map(numbers).collect();
        let nulls = columns.iter().map(|column| column.valid.is_some());
        let nulls: Vec<bool> = match &self.compiled {
            Some((known, _)) => nulls.zip(known).map(|(now, known)| now || *known).collect(),
            None => nulls.collect(),
        };
        let is_known = self.compiled.as_ref().is_some_and(|(known, _)| *known == nulls);
        if !is_known {
            self.flush()?;
            self.compile(nulls)?;
        }
        self.columns = columns;
        self.batch = batch;
        self.next = 0;
        Ok(())
    }

    fn compile(&mut self, nulls: Vec<bool>) -> Result<()> {
        // Where less may be NULL, an expression can simplify to one that is not known here.
        let all = vec![true; nulls.len()];
        let draft = Draft::new(&self.recipe, &nulls).or_else(|| Draft::new(&self.recipe, &all));
        let draft = draft.expect("the optimizer has made one before");
        let compiled = draft.compiled(&self.recipe)?;
        self.built = Built::new(&compiled.outputs);
        self.compiled = Some((nulls, compiled));
        Ok(())
    }

    /// The next batch that comes of the one that is worked on; nothing once it is used up.
    pub(super) fn work(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(ready) = self.ready.pop_front() {
                return Ok(Some(ready));
            }
            // A batch is cut short rather than followed by one of a few rows.
            if self.built.count > 0 && self.built.count + BLOCK > self.limit {
                self.flush()?;
                continue;
            }
            if !self.block()? {
                break;
            }
        }
        // Columns that are only taken along are taken from the batch.
        if self.built.needs_input() {
            self.flush()?;
        }
        Ok(self.ready.pop_front())
    }

    /// What is left at the end.
    pub(super) fn rest(&mut self) -> Result<Option<RecordBatch>> {
        self.flush()?;
        Ok(self.ready.pop_front())
    }

    /// Works on one more block; no if there is none.
    fn block(&mut self) -> Result<bool> {
        let Machine { compiled, columns, scratch, built, counts, .. } = self;
        let Some((_, compiled)) = compiled else { return Ok(false) };
        let Compiled { how, join, guard, program, .. } = compiled;
        let second = guard.as_ref().map_or(&[][..], |(_, guard)| &guard.index.columns);
        let columns = Columns { input: columns, first: &join.index.columns, second };
        let rows = self.batch.num_rows();
        if !matches!(how, How::Inner | How::Outer) {
            if let Some(stop) = &self.stop {
                stop.check()?;
            }
            let range = self.next..rows.min(self.next + BLOCK);
            if range.is_empty() {
                return Ok(false);
            }
            self.next = range.end;
            let pairs = &mut self.pairs;
            pairs.begin(range.len());
            pairs.count = range.len();
            for (at, row) in range.enumerate() {
                pairs.rows[at] = row as u32;
            }
            let list = Rows { count: pairs.count, input: &pairs.rows, ..Rows::default() };
            let counted = (&counts.looked_up, &counts.pairs);
            join.look(columns, list, scratch, counted);
            keep(*how, pairs, &scratch.hits);
            let list = Rows { count: pairs.count, input: &pairs.rows, ..Rows::default() };
            let Scratch { registers, hits, .. } = scratch;
            built.add(program, columns, Rows { mark: hits, ..list }, registers);
            return Ok(true);
        }
        let room = BLOCK.max(join.index.longest);
        self.pairs.begin(room);
        let mut is_open = true;
        while is_open {
            if self.chunk.next == self.chunk.rows.len() {
                // A row may have every rule of a table to be tested with, and none may fit.
                if let Some(stop) = &self.stop {
                    stop.check()?;
                }
                let range = self.next..rows.min(self.next + BLOCK);
                self.next = range.end;
                is_open = !range.is_empty();
                let counted = (&counts.looked_up, &counts.pairs);
                self.chunk.fill(join, *how, columns, range, scratch, counted);
                continue;
            }
            let Chunk { rows, runs, terms, next } = &mut self.chunk;
            let run = runs[*next].clone();
            if self.pairs.count + run.len().max(1) > room {
                break;
            }
            let width = join.terms.width;
            let terms = &terms[*next * width..][..width];
            let before = self.pairs.count;
            join.terms.scan(terms, run, rows[*next], &mut self.pairs);
            if *how == How::Outer && self.pairs.count == before {
                self.pairs.rows[before] = rows[*next];
                self.pairs.rules[before] = join.index.rows as u32;
                self.pairs.count += 1;
            }
            *next += 1;
        }
        let pairs = &mut self.pairs;
        if pairs.count == 0 {
            return Ok(is_open);
        }
        if let Some(rest) = &join.rest {
            rest.run(columns, listed(pairs), &mut scratch.registers);
            let holds = rest.root(0, &scratch.registers);
            pairs.retain(|at| holds.at(at) != 0);
        }
        if let Some((how, guard)) = &*guard {
            let counted = (&counts.guard_looked_up, &counts.guard_pairs);
            guard.look(columns, listed(pairs), scratch, counted);
            keep(*how, pairs, &scratch.hits);
        }
        built.add(program, columns, listed(pairs), &mut scratch.registers);
        Ok(true)
    }

    /// Makes batches of what has been built.
    fn flush(&mut self) -> Result<()> {
        let Some((_, compiled)) = &self.compiled else { return Ok(()) };
        if self.built.count == 0 {
            return Ok(());
        }
        let rules = &compiled.join.index.arrays;
        let batch = self.built.take(&self.schema, &self.batch, rules)?;
        for start in (0..batch.num_rows()).step_by(self.limit) {
            let count = self.limit.min(batch.num_rows() - start);
            self.ready.push_back(batch.slice(start, count));
        }
        Ok(())
    }
}

fn listed(pairs: &Pairs) -> Rows<'_> {
    Rows { count: pairs.count, input: &pairs.rows, first: &pairs.rules, ..Rows::default() }
}

/// Keeps the rows that are handed on, given which have found a rule.
fn keep(how: How, pairs: &mut Pairs, hits: &[u64]) {
    match how {
        How::Semi => pairs.retain(|at| hits[at] != 0),
        How::Anti => pairs.retain(|at| hits[at] == 0),
        How::Inner | How::Outer | How::Mark => {}
    }
}

impl Chunk {
    /// Looks up some rows of a batch.
    fn fill(
        &mut self,
        stage: &Stage,
        how: How,
        columns: Columns<'_>,
        range: Range<usize>,
        scratch: &mut Scratch,
        (looked_up, examined): (&Count, &Count),
    ) {
        self.rows.clear();
        self.next = 0;
        scratch.numbers.clear();
        scratch.numbers.extend(range.map(|row| row as u32));
        let Scratch { numbers, asking, registers, .. } = scratch;
        let list = Rows { count: numbers.len(), input: numbers, ..Rows::default() };
        stage.asking(columns, list, registers, asking);
        looked_up.add(asking.len());
        match how {
            How::Outer => self.rows.extend_from_slice(numbers),
            _ => self.rows.extend(asking.iter().map(|at| numbers[*at as usize])),
        }
        let list = Rows { count: self.rows.len(), input: &self.rows, ..Rows::default() };
        stage.look_up(columns, list, registers, &mut self.runs, &mut self.terms);
        if self.rows.len() > asking.len() {
            // Rows that are not looked up come without a rule.
            let mut asking = asking.iter().peekable();
            for (at, run) in self.runs.iter_mut().enumerate() {
                if asking.next_if(|asking| **asking as usize == at).is_none() {
                    *run = 0..0;
                }
            }
        }
        examined.add(self.runs.iter().map(ExactSizeIterator::len).sum());
    }
}

impl Stage {
    /// The places of the rows that are looked up at all.
    fn asking(
        &self,
        columns: Columns<'_>,
        rows: Rows<'_>,
        registers: &mut Registers,
        asking: &mut Vec<u32>,
    ) {
        asking.clear();
        let Some(asks) = &self.asks else {
            asking.extend(0..rows.count as u32);
            return;
        };
        asks.run(columns, rows, registers);
        match asks.root(0, registers) {
            Root::Same(0) => {}
            Root::Same(_) => asking.extend(0..rows.count as u32),
            Root::Many(asks) => {
                asking.resize(rows.count, 0);
                let mut count = 0;
                for (at, asks) in asks.iter().enumerate() {
                    asking[count] = at as u32;
                    count += usize::from(*asks != 0);
                }
                asking.truncate(count);
            }
        }
    }

    /// The rules of each row's key, and the terms of each row.
    fn look_up(
        &self,
        columns: Columns<'_>,
        rows: Rows<'_>,
        registers: &mut Registers,
        runs: &mut Vec<Range<u32>>,
        terms: &mut Vec<u64>,
    ) {
        self.row.run(columns, rows, registers);
        let root = |at: usize| self.row.root(at, registers);
        match self.key {
            1 => self.index.find(&[root(0)], rows.count, runs),
            _ => {
                let key: Vec<Root<'_>> = (0..self.key).map(root).collect();
                self.index.find(&key, rows.count, runs);
            }
        }
        let width = self.terms.width;
        terms.clear();
        terms.resize(rows.count * width, 0);
        for (at, slot) in self.slots.iter().enumerate() {
            let terms = terms.iter_mut().skip(*slot).step_by(width);
            match root(self.key + at) {
                Root::Many(values) => terms.zip(values).for_each(|(term, value)| *term = *value),
                Root::Same(value) => terms.for_each(|term| *term = value),
            }
        }
    }

    /// Finds out which rows of a block fit a rule: `hits` of the scratch has all bits for those.
    fn look(
        &self,
        columns: Columns<'_>,
        rows: Rows<'_>,
        scratch: &mut Scratch,
        (looked_up, examined): (&Count, &Count),
    ) {
        let Scratch { registers, asking, input, first, runs, terms, hits, pairs, .. } = scratch;
        hits.clear();
        hits.resize(rows.count, 0);
        self.asking(columns, rows, registers, asking);
        if asking.is_empty() {
            return;
        }
        looked_up.add(asking.len());
        input.clear();
        input.extend(asking.iter().map(|at| rows.input[*at as usize]));
        first.clear();
        if !rows.first.is_empty() {
            first.extend(asking.iter().map(|at| rows.first[*at as usize]));
        }
        let list = Rows { count: asking.len(), input, first, ..Rows::default() };
        self.look_up(columns, list, registers, runs, terms);
        examined.add(runs.iter().map(ExactSizeIterator::len).sum());
        let width = self.terms.width;
        let Some(rest) = &self.rest else {
            for (at, (place, run)) in asking.iter().zip(runs.iter()).enumerate() {
                let hit = self.terms.any(&terms[at * width..][..width], run.clone());
                hits[*place as usize] = u64::from(hit).wrapping_neg();
            }
            return;
        };
        let room = BLOCK.max(self.index.longest);
        pairs.begin(room);
        let mut confirm = |pairs: &mut Pairs| {
            confirm(rest, self.table, columns, list, pairs, registers, |at| {
                hits[asking[at as usize] as usize] = u64::MAX;
            });
            pairs.begin(room);
        };
        for (at, run) in runs.iter().enumerate() {
            if pairs.count + run.len() > room {
                confirm(pairs);
            }
            self.terms.scan(&terms[at * width..][..width], run.clone(), at as u32, pairs);
        }
        confirm(pairs);
    }
}

/// Tells the rows of the pairs for which the rest holds. The rows of the pairs are places in the
/// list.
fn confirm(
    rest: &Program,
    table: Table,
    columns: Columns<'_>,
    list: Rows<'_>,
    pairs: &Pairs,
    registers: &mut Registers,
    mut hit: impl FnMut(u32),
) {
    let rows = &pairs.rows[..pairs.count];
    let of = |numbers: &[u32]| -> Vec<u32> {
        rows.iter().filter_map(|at| numbers.get(*at as usize).copied()).collect()
    };
    let (input, first) = (of(list.input), of(list.first));
    let paired = match table {
        Table::First => Rows { first: &pairs.rules, ..Rows::default() },
        Table::Second => Rows { first: &first, second: &pairs.rules, ..Rows::default() },
    };
    rest.run(columns, Rows { count: pairs.count, input: &input, ..paired }, registers);
    let holds = rest.root(0, registers);
    for (at, row) in rows.iter().enumerate() {
        if holds.at(at) != 0 {
            hit(*row);
        }
    }
}

/// Rows that are handed on, as far as they have been made.
#[derive(Default)]
struct Built {
    count: usize,
    columns: Vec<BuiltColumn>,
}

enum BuiltColumn {
    Number { values: Vec<u64>, valid: Option<Vec<u64>> },
    Truth { values: Vec<u64>, valid: Option<Vec<u64>> },
    Other { place: Place, rows: Vec<u32> },
}

impl Built {
    fn new(outputs: &[Output]) -> Built {
        let columns = outputs.iter().map(|output| match *output {
            Output::Number { nulls } => {
                BuiltColumn::Number { values: Vec::new(), valid: nulls.then(Vec::new) }
            }
            Output::Truth { nulls } => {
                BuiltColumn::Truth { values: Vec::new(), valid: nulls.then(Vec::new) }
            }
            Output::Other(place) => BuiltColumn::Other { place, rows: Vec::new() },
        });
        Built { count: 0, columns: columns.collect() }
    }

    fn needs_input(&self) -> bool {
        let is_input = |column: &BuiltColumn| {
            matches!(column, BuiltColumn::Other { place: Place::Input(_), .. })
        };
        self.columns.iter().any(is_input)
    }

    /// Adds rows of a block.
    fn add(
        &mut self,
        program: &Program,
        columns: Columns<'_>,
        rows: Rows<'_>,
        registers: &mut Registers,
    ) {
        self.count += rows.count;
        if self.columns.is_empty() || rows.count == 0 {
            return;
        }
        program.run(columns, rows, registers);
        let mut root = 0;
        for column in &mut self.columns {
            match column {
                BuiltColumn::Number { values, valid } | BuiltColumn::Truth { values, valid } => {
                    for values in [Some(values), valid.as_mut()].into_iter().flatten() {
                        match program.root(root, registers) {
                            Root::Many(found) => values.extend_from_slice(&found[..rows.count]),
                            Root::Same(value) => values.resize(values.len() + rows.count, value),
                        }
                        root += 1;
                    }
                }
                BuiltColumn::Other { place, rows: numbers } => {
                    let from = match place {
                        Place::Input(_) => rows.input,
                        Place::Rules(Table::First, _) => rows.first,
                        Place::Rules(Table::Second, _) => rows.second,
                    };
                    numbers.extend_from_slice(&from[..rows.count]);
                }
            }
        }
    }

    /// The rows as a batch, and begins anew.
    fn take(
        &mut self,
        schema: &SchemaRef,
        input: &RecordBatch,
        rules: &[ArrayRef],
    ) -> Result<RecordBatch> {
        let count = std::mem::take(&mut self.count);
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(self.columns.len());
        for column in &mut self.columns {
            arrays.push(match column {
                BuiltColumn::Number { values, valid } => {
                    let nulls = valid.as_mut().and_then(nulls);
                    // The next batch has about as many rows.
                    let next = Vec::with_capacity(values.len());
                    let values = std::mem::replace(values, next);
                    Arc::new(UInt64Array::new(values.into(), nulls))
                }
                BuiltColumn::Truth { values, valid } => {
                    let nulls = valid.as_mut().and_then(nulls);
                    let truths = bits(values);
                    values.clear();
                    Arc::new(BooleanArray::new(truths, nulls))
                }
                BuiltColumn::Other { place, rows } => {
                    let rows = UInt32Array::from(std::mem::take(rows));
                    match place {
                        Place::Input(at) => take(input.column(*at), &rows, None)?,
                        Place::Rules(Table::First, at) => take(&rules[*at], &rows, None)?,
                        Place::Rules(Table::Second, _) => {
                            unreachable!("a guard hands on no columns of its rules")
                        }
                    }
                }
            });
        }
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        Ok(RecordBatch::try_new_with_options(schema.clone(), arrays, &options)?)
    }
}

fn bits(truths: &[u64]) -> BooleanBuffer {
    BooleanBuffer::collect_bool(truths.len(), |at| truths[at] != 0)
}

fn nulls(valid: &mut Vec<u64>) -> Option<NullBuffer> {
    let nulls = NullBuffer::new(bits(valid));
    valid.clear();
    (nulls.null_count() > 0).then_some(nulls)
}
