//! The table `chess.facts`: a row for each position, its keys and the chosen facts.

use std::sync::Arc;

use arrow::{
    array::{
        ArrayBuilder, ArrayRef, ListBuilder, StringBuilder, StructBuilder, UInt8Array,
        UInt8Builder, UInt64Array, UInt64Builder,
    },
    datatypes::{DataType, Field, Fields, SchemaRef},
    record_batch::RecordBatch,
};
use chess::{Bitboard, Color, Position, Square, Uci};
use chess_facts::{Counts, Definitions, Fact, Facts, Line, List, Selection, Side};

use crate::{
    Column, TableError, Version, count, hash, mask,
    schema::{marked, schema},
    small, text,
};

/// The name of the table.
pub const FACTS: &str = "chess.facts";

/// The version of the table `chess.facts`.
pub const FACTS_VERSION: Version = Version { major: 1, minor: 0 };

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
    let of_white = |name: &&str| match *name {
        "open_files" => Some("open_files".to_owned()),
        name => name.strip_prefix("white_").map(str::to_owned),
    };
    let facts: Vec<String> = facts.iter().filter_map(of_white).collect();
    let selection = Selection::parse(facts.iter().map(String::as_str)).ok()?;
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
    for &fact in selection.facts() {
        // A table for eyes has room for what people ask first, and for what they ask for.
        let is_asked_first = matches!(fact, Fact::Count(_)) && ASKED_FIRST.contains(&fact.name());
        let is_shown = is_asked_first || selection.names(fact);
        match fact {
            Fact::OpenFiles => fields.push(field(fact, fact.name(), is_shown)),
            _ => {
                fields.extend(Color::ALL.map(|color| {
                    field(fact, &format!("{}_{}", color.name(), fact.name()), is_shown)
                }));
            }
        }
    }
    // No value is ever missing, which saves writing down that it is there.
    fields.into_iter().map(|field| field.with_nullable(false)).collect()
}

fn field(fact: Fact, name: &str, is_shown: bool) -> Field {
    match fact {
        Fact::OpenFiles | Fact::Count(_) => Column { is_wide: !is_shown, ..small(name) }.field(),
        Fact::Mask(_) => Column { is_wide: !is_shown, ..mask(&format!("{name}_mask")) }.field(),
        Fact::List(list) => {
            let item = Field::new("item", DataType::Struct(partners(list)), true);
            let list = Field::new(name, DataType::List(Arc::new(item)), true);
            marked(list, false, !is_shown)
        }
    }
}

const ASKED_FIRST: [&str; 6] = ["material", "attacked", "hanging_see", "pinned", "forks", "passed"];

/// The columns of what a list holds.
fn partners(list: List) -> Fields {
    let text = |name: &str| text(name).field();
    let fields = match list {
        List::Pins | List::RelativePins | List::Skewers | List::Xrays | List::Discovered => {
            vec![text("slider"), text("front"), text("back")]
        }
        List::Batteries => vec![text("first"), text("second")],
        List::Hanging | List::HangingPins => vec![text("square"), small("gain").field()],
        List::Forks => vec![text("forker"), text("targets")],
        List::ForkMoves => vec![text("move"), text("targets")],
    };
    fields.into()
}

fn push_list(
    list: List,
    builder: &mut ListBuilder<StructBuilder>,
    position: &Position,
    side: &Side,
) {
    let items = builder.values();
    let mut push_lines = |lines: &[Line]| {
        for line in lines {
            push_squares(items, &[line.slider, line.front, line.back]);
        }
    };
    match list {
        List::Pins => push_lines(&side.pins),
        List::RelativePins => push_lines(&side.relative_pins),
        List::Skewers => push_lines(&side.skewers),
        List::Xrays => push_lines(&side.xrays),
        List::Discovered => push_lines(&side.discovered),
        List::Batteries => {
            for battery in &side.batteries {
                push_squares(items, &[battery.first, battery.second]);
            }
        }
        List::Hanging | List::HangingPins => {
            let pins = list == List::HangingPins;
            for hanging in if pins { &side.hanging_pins } else { &side.hanging } {
                push_text(items, 0, &hanging.square.to_string());
                let gains = items.field_builder::<UInt8Builder>(1).expect("the second field");
                gains.append_value(hanging.gain);
                items.append(true);
            }
        }
        List::Forks => {
            for fork in &side.forks {
                push_text(items, 0, &fork.forker.to_string());
                push_text(items, 1, &names(fork.targets));
                items.append(true);
            }
        }
        List::ForkMoves => {
            for fork in &side.fork_moves {
                push_text(items, 0, &Uci::of(position, fork.mv).to_string());
                push_text(items, 1, &names(fork.targets));
                items.append(true);
            }
        }
    }
    builder.append(true);
}

fn push_squares(items: &mut StructBuilder, squares: &[Square]) {
    for (index, square) in squares.iter().enumerate() {
        push_text(items, index, &square.to_string());
    }
    items.append(true);
}

fn push_text(items: &mut StructBuilder, field: usize, text: &str) {
    items.field_builder::<StringBuilder>(field).expect("a field of text").append_value(text);
}

/// Squares separated by spaces, from a1 on.
fn names(squares: Bitboard) -> String {
    let names: Vec<String> = squares.map(|square| square.to_string()).collect();
    names.join(" ")
}

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
        self.facts.counts.len()
    }

    /// Whether no row waits.
    pub fn is_empty(&self) -> bool {
        self.facts.counts.is_empty()
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

/// Collects the columns of chosen facts.
pub(super) struct FactColumns {
    selection: Selection,
    counts: Vec<Counts>,
    masks: Vec<[Bitboard; 2]>,
    lists: Vec<ListBuilder<StructBuilder>>,
}

impl FactColumns {
    pub(super) fn new(selection: &Selection) -> FactColumns {
        let mut lists = Vec::new();
        for fact in selection.facts() {
            if let Fact::List(list) = *fact {
                for _ in Color::ALL {
                    let items = StructBuilder::from_fields(partners(list), 0);
                    lists.push(ListBuilder::new(items));
                }
            }
        }
        let selection = selection.clone();
        FactColumns { selection, counts: Vec::new(), masks: Vec::new(), lists }
    }

    pub(super) fn push(&mut self, position: &Position, facts: &Facts) {
        self.counts.push(Counts::of(facts));
        let [white, black] = Color::ALL.map(|color| &facts[color]);
        let mut lists = self.lists.iter_mut();
        for fact in self.selection.facts() {
            match *fact {
                Fact::Mask(mask) => self.masks.push([mask.of(white), mask.of(black)]),
                Fact::List(list) => {
                    for side in [white, black] {
                        let builder = lists.next().expect("a list for each side");
                        push_list(list, builder, position, side);
                    }
                }
                Fact::OpenFiles | Fact::Count(_) => {}
            }
        }
    }

    /// The columns; the collection is empty afterwards.
    pub(super) fn finish(&mut self) -> Vec<ArrayRef> {
        let mut columns: Vec<ArrayRef> = Vec::new();
        let facts = self.selection.facts();
        let chosen_masks = facts.iter().filter(|fact| matches!(fact, Fact::Mask(_))).count();
        let mut mask = 0;
        let mut lists = self.lists.iter_mut();
        for fact in facts {
            match *fact {
                Fact::OpenFiles => {
                    let files = self.counts.iter().map(|counts| counts.open_files);
                    columns.push(Arc::new(UInt8Array::from_iter_values(files)));
                }
                Fact::Count(count) => {
                    for color in Color::ALL {
                        let numbers = self.counts.iter().map(|counts| counts.get(color, count));
                        columns.push(Arc::new(UInt8Array::from_iter_values(numbers)));
                    }
                }
                Fact::Mask(_) => {
                    for side in 0..2 {
                        let masks = self.masks.iter().skip(mask).step_by(chosen_masks);
                        let masks = masks.map(|masks| masks[side].0);
                        columns.push(Arc::new(UInt64Array::from_iter_values(masks)));
                    }
                    mask += 1;
                }
                Fact::List(_) => {
                    for list in lists.by_ref().take(2) {
                        columns.push(ArrayBuilder::finish(list));
                    }
                }
            }
        }
        self.counts.clear();
        self.masks.clear();
        columns
    }
}
