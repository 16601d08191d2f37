//! The table `chess.facts`: a row for each position, its keys and the chosen facts.

use std::{mem, sync::Arc};

use arrow::{
    array::{
        ArrayBuilder, ArrayRef, ListBuilder, StringBuilder, StructBuilder, UInt8Array, UInt64Array,
        UInt64Builder,
    },
    datatypes::{DataType, Field, SchemaRef},
    record_batch::RecordBatch,
};
use chess::{Color, Position};
use chess_facts::{Counts, Definitions, Extras, Fact, FactColumn, Facts, Selection};

use super::lists::{Told, partners};
use crate::{
    Column, TableError, Version, count, hash, mask,
    schema::{marked, schema},
    small, text,
};

/// The name of the table.
pub const FACTS: &str = "chess.facts";

/// The version of the table `chess.facts`.
pub const FACTS_VERSION: Version = Version { major: 2, minor: 0 };

/// The columns that say which position a row is about.
pub const FACT_KEYS: [Column<'static>; 5] =
    [text("source").wide(), count("game"), count("ply"), text("fen"), hash("zobrist").wide()];

/// The schema of the table with the chosen facts.
pub fn facts_schema(selection: &Selection, definitions: Definitions) -> SchemaRef {
    schema(FACTS, FACTS_VERSION, fields(selection), &[("definitions", definitions.name())])
}

/// The columns of a table of facts with these names, if that is what they are.
pub(crate) fn facts_named(names: &[&str]) -> Option<SchemaRef> {
    let (keys, facts) = names.split_at_checked(FACT_KEYS.len())?;
    if keys != FACT_KEYS.map(|column| column.name) {
        return None;
    }
    let selection = Selection::parse(facts.iter().copied()).ok()?;
    // Which definitions they follow is not said by names.
    let schema = schema(FACTS, FACTS_VERSION, fields(&selection), &[]);
    schema.fields().iter().map(|field| field.name()).eq(names).then_some(schema)
}

fn fields(selection: &Selection) -> Vec<Field> {
    let keys = FACT_KEYS.iter().map(|column| column.field().with_nullable(false));
    keys.chain(fact_fields(selection)).collect()
}

/// The columns of the chosen facts.
pub(super) fn fact_fields(selection: &Selection) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    for column in selection.columns() {
        let fact = column.fact;
        // A table for eyes has room for what people ask first, and for what they ask for.
        let is_asked_first = matches!(fact, Fact::Count(_)) && ASKED_FIRST.contains(&fact.name());
        let is_shown = is_asked_first || selection.names(fact);
        fields.push(field(fact, &column.name(), is_shown));
    }
    // No value is ever missing, which saves writing down that it is there.
    fields.into_iter().map(|field| field.with_nullable(false)).collect()
}

fn field(fact: Fact, name: &str, is_shown: bool) -> Field {
    match fact {
        Fact::OpenFiles | Fact::Count(_) | Fact::Extra(_) => {
            Column { is_wide: !is_shown, ..small(name) }.field()
        }
        Fact::Mask(_) => Column { is_wide: !is_shown, ..mask(name) }.field(),
        Fact::List(list) => {
            let item = Field::new("item", DataType::Struct(partners(list)), true);
            let list = Field::new(name, DataType::List(Arc::new(item)), true);
            marked(list, false, !is_shown)
        }
    }
}

const ASKED_FIRST: [&str; 6] = ["material", "attacked", "hanging_see", "pinned", "forks", "passed"];

/// Collects rows of `chess.facts` into batches.
pub struct FactRows {
    schema: SchemaRef,
    sources: StringBuilder,
    games: UInt64Builder,
    plies: UInt64Builder,
    fens: StringBuilder,
    hashes: UInt64Builder,
    fen: String,
    facts: FactColumns,
}

impl FactRows {
    /// An empty collection.
    pub fn new(selection: &Selection, definitions: Definitions) -> FactRows {
        FactRows {
            schema: facts_schema(selection, definitions),
            sources: StringBuilder::new(),
            games: UInt64Builder::new(),
            plies: UInt64Builder::new(),
            fens: StringBuilder::new(),
            hashes: UInt64Builder::new(),
            fen: String::new(),
            facts: FactColumns::new(selection),
        }
    }

    /// Adds the row of a position, with its facts as far as they are selected.
    pub fn push(&mut self, source: &str, game: u64, ply: u64, position: &Position, facts: &Facts) {
        self.sources.append_value(source);
        self.games.append_value(game);
        self.plies.append_value(ply);
        self.fen.clear();
        position.write_fen(&mut self.fen);
        self.fens.append_value(&self.fen);
        self.hashes.append_value(position.zobrist());
        self.facts.push(position, facts);
    }

    /// How many rows wait.
    pub fn len(&self) -> usize {
        self.facts.turns.len()
    }

    /// Whether no row waits.
    pub fn is_empty(&self) -> bool {
        self.facts.turns.is_empty()
    }

    /// The rows as a batch; the collection is empty afterwards.
    pub fn finish(&mut self) -> Result<RecordBatch, TableError> {
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(self.sources.finish()),
            Arc::new(self.games.finish()),
            Arc::new(self.plies.finish()),
            Arc::new(self.fens.finish()),
            Arc::new(self.hashes.finish()),
        ];
        columns.extend(self.facts.finish());
        Ok(RecordBatch::try_new(self.schema.clone(), columns)?)
    }
}

/// So many rows of counts become columns at a time: they stay in the fastest cache.
const BLOCK: usize = 64;

/// Collects the columns of chosen facts.
pub(super) struct FactColumns {
    selection: Selection,
    /// The columns that are not counts.
    others: Vec<FactColumn>,
    extras: Box<Extras>,
    /// The side to move of each row.
    turns: Vec<Color>,
    /// One for each column of counts.
    counts: Vec<Vec<u8>>,
    /// The counts of the last rows, which are not in the columns yet.
    waiting: Vec<Counts>,
    /// The sets of a row one after the other, in the order of their columns.
    masks: Vec<u64>,
    /// The same for numbers that belong to no level.
    numbers: Vec<u8>,
    /// One for each column of lists.
    lists: Vec<ListBuilder<StructBuilder>>,
}

impl FactColumns {
    pub(super) fn new(selection: &Selection) -> FactColumns {
        let columns = selection.columns().iter();
        let is_count =
            |column: &&FactColumn| matches!(column.fact, Fact::OpenFiles | Fact::Count(_));
        let (counts, others): (Vec<FactColumn>, Vec<FactColumn>) = columns.partition(is_count);
        let lists = others.iter().filter_map(|column| match column.fact {
            Fact::List(list) => Some(StructBuilder::from_fields(partners(list), 0)),
            _ => None,
        });
        FactColumns {
            counts: vec![Vec::new(); counts.len()],
            waiting: Vec::with_capacity(BLOCK),
            lists: lists.map(ListBuilder::new).collect(),
            selection: selection.clone(),
            others,
            extras: Box::default(),
            turns: Vec::new(),
            masks: Vec::new(),
            numbers: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, position: &Position, facts: &Facts) {
        let turn = position.turn();
        self.turns.push(turn);
        if !self.counts.is_empty() {
            self.waiting.push(Counts::of(facts));
            if self.waiting.len() == BLOCK {
                self.transpose();
            }
        }
        let parts = self.selection.extra_parts(turn);
        if !parts.is_empty() {
            self.extras.compute(position, parts);
        }
        let mut lists = self.lists.iter_mut();
        for FactColumn { whose, fact } in &self.others {
            let color = whose.map_or(Color::White, |whose| whose.color(turn));
            let (side, extra) = (&facts[color], &self.extras.sides[color]);
            match *fact {
                Fact::Mask(mask) => self.masks.push(mask.of(side).0),
                Fact::Extra(number) => self.numbers.push(number.of(extra)),
                Fact::List(list) => {
                    let builder = lists.next().expect("a list for each column");
                    Told { position, facts, color, side, extra }.push(list, builder);
                }
                Fact::OpenFiles | Fact::Count(_) => {}
            }
        }
    }

    /// Puts the counts that wait into the columns.
    fn transpose(&mut self) {
        let turns = &self.turns[self.turns.len() - self.waiting.len()..];
        let mut columns = self.counts.iter_mut();
        let mut next = || columns.next().expect("a column for each count");
        for FactColumn { whose, fact } in self.selection.columns() {
            match *fact {
                Fact::OpenFiles => next().extend(self.waiting.iter().map(|row| row.open_files)),
                Fact::Count(count) => {
                    let whose = whose.expect("a count is a side's");
                    let sides = Color::ALL.map(|turn| whose.color(turn));
                    let rows = self.waiting.iter();
                    if sides[0] == sides[1] {
                        next().extend(rows.map(|row| row.get(sides[0], count)));
                    } else {
                        let rows = rows.zip(turns);
                        next()
                            .extend(rows.map(|(row, &turn)| row.get(sides[turn as usize], count)));
                    }
                }
                Fact::Mask(_) | Fact::Extra(_) | Fact::List(_) => {}
            }
        }
        self.waiting.clear();
    }

    /// The columns; the collection is empty afterwards.
    pub(super) fn finish(&mut self) -> Vec<ArrayRef> {
        self.transpose();
        let mut columns: Vec<ArrayRef> = Vec::new();
        let chosen = self.selection.columns();
        let masks_each = chosen.iter().filter(|column| matches!(column.fact, Fact::Mask(_)));
        let masks_each = masks_each.count();
        let numbers_each = chosen.iter().filter(|column| matches!(column.fact, Fact::Extra(_)));
        let numbers_each = numbers_each.count();
        let (mut mask, mut number) = (0, 0);
        let mut lists = self.lists.iter_mut();
        let mut counts = self.counts.iter_mut();
        for FactColumn { fact, .. } in chosen {
            columns.push(match *fact {
                Fact::OpenFiles | Fact::Count(_) => {
                    let column = counts.next().expect("a column for each count");
                    Arc::new(UInt8Array::from(mem::take(column)))
                }
                Fact::Mask(_) => {
                    let masks = self.masks.iter().skip(mask).step_by(masks_each);
                    mask += 1;
                    Arc::new(UInt64Array::from_iter_values(masks.copied()))
                }
                Fact::Extra(_) => {
                    let numbers = self.numbers.iter().skip(number).step_by(numbers_each);
                    number += 1;
                    Arc::new(UInt8Array::from_iter_values(numbers.copied()))
                }
                Fact::List(_) => {
                    ArrayBuilder::finish(lists.next().expect("a list for each column"))
                }
            });
        }
        self.turns.clear();
        self.masks.clear();
        self.numbers.clear();
        columns
    }
}
