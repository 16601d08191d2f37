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
use chess::{Bitboard, Color, Position, Square, Uci, attacks};
use chess_facts::{Definitions, Facts, Level, Line, Side};

use crate::{
    TableError, Version,
    schema::{count, hash, mask, schema, small, text, wide},
};

/// The version of the table `chess.facts`.
pub const FACTS_VERSION: Version = Version { major: 1, minor: 0 };

/// Which facts become columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    columns: Vec<Column>,
    /// Columns that were asked for by their own names, which aligned text shows as well.
    named: Vec<Column>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    /// Files without pawns belong to neither side.
    OpenFiles,
    Count(usize),
    Mask(usize),
    List(usize),
}

/// A name that is no fact and no group of facts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is neither a fact nor one of lines, exchange, forks, everything, masks, lists")]
pub struct UnknownFact(String);

impl Selection {
    /// The counts of all facts up to a level.
    pub fn counts(level: Level) -> Selection {
        let counts = (0..COUNTS.len()).filter(|&index| COUNTS[index].1 <= level);
        let columns = std::iter::once(Column::OpenFiles).chain(counts.map(Column::Count));
        Selection { columns: columns.collect(), named: Vec::new() }
    }

    /// Reads names: levels (`lines`, `exchange`, `forks`, `everything`) stand for all their
    /// counts, `masks` and `lists` for all of those; a fact's own name stands for its count, with
    /// `_mask` for its squares; a list has a name of its own.
    pub fn parse<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Selection, UnknownFact> {
        let mut selection = Selection { columns: Vec::new(), named: Vec::new() };
        for name in names {
            let level = Level::ALL.into_iter().find(|level| level.name() == name);
            let found: Vec<Column> = match (level, name) {
                (Some(level), _) => Selection::counts(level).columns,
                (None, "masks") => (0..MASKS.len()).map(Column::Mask).collect(),
                (None, "lists") => (0..LISTS.len()).map(Column::List).collect(),
                (None, name) => {
                    let column = Column::named(name).ok_or_else(|| UnknownFact(name.into()))?;
                    selection.named.push(column);
                    vec![column]
                }
            };
            for column in found {
                if !selection.columns.contains(&column) {
                    selection.columns.push(column);
                }
            }
        }
        Ok(selection)
    }

    /// The level that must be computed.
    pub fn level(&self) -> Level {
        let level = |column: &Column| match *column {
            Column::OpenFiles => Level::Lines,
            Column::Count(index) => COUNTS[index].1,
            Column::Mask(index) => MASKS[index].1,
            Column::List(index) => LISTS[index].1,
        };
        self.columns.iter().map(level).max().unwrap_or(Level::Lines)
    }

    /// The schema of the table with these columns.
    pub fn schema(&self, definitions: Definitions) -> SchemaRef {
        let mut fields = vec![
            wide(text("source")),
            count("game"),
            count("ply"),
            text("fen"),
            wide(hash("zobrist")),
        ];
        for column in &self.columns {
            // A table for eyes has room for what people ask first, and for what they ask for.
            let shown = column.is_asked_first() || self.named.contains(column);
            let show = |field| if shown { field } else { wide(field) };
            match column {
                Column::OpenFiles => fields.push(show(small("open_files"))),
                _ => fields.extend(Color::ALL.map(|color| show(column.field(color)))),
            }
        }
        // No value is ever missing, which saves writing down that it is there.
        let fields = fields.into_iter().map(|field| field.with_nullable(false)).collect();
        schema("chess.facts", FACTS_VERSION, fields, &[("definitions", definitions.name())])
    }
}

impl Column {
    fn named(name: &str) -> Option<Column> {
        if name == "open_files" {
            return Some(Column::OpenFiles);
        }
        let mask = name.strip_suffix("_mask");
        let count = COUNTS.iter().position(|fact| fact.0 == name).map(Column::Count);
        let mask = MASKS.iter().position(|fact| Some(fact.0) == mask).map(Column::Mask);
        let list = LISTS.iter().position(|fact| fact.0 == name).map(Column::List);
        count.or(mask).or(list)
    }

    fn is_asked_first(self) -> bool {
        matches!(self, Column::Count(index) if ASKED_FIRST.contains(&COUNTS[index].0))
    }

    fn field(self, color: Color) -> Field {
        let name = |name: &str| format!("{}_{name}", color.name());
        match self {
            Column::OpenFiles => small("open_files"),
            Column::Count(index) => small(&name(COUNTS[index].0)),
            Column::Mask(index) => mask(&name(&format!("{}_mask", MASKS[index].0))),
            Column::List(index) => {
                let item = Field::new("item", DataType::Struct(LISTS[index].2.fields()), true);
                Field::new(name(LISTS[index].0), DataType::List(Arc::new(item)), true)
            }
        }
    }
}

const ASKED_FIRST: [&str; 6] = ["material", "attacked", "hanging_see", "pinned", "forks", "passed"];

/// Facts that are numbers, with the level they need; in the order of [`side_counts`].
const COUNTS: [(&str, Level); 37] = [
    ("pawns", Level::Lines),
    ("knights", Level::Lines),
    ("bishops", Level::Lines),
    ("rooks", Level::Lines),
    ("queens", Level::Lines),
    ("material", Level::Lines),
    ("attacked", Level::Lines),
    ("loose", Level::Lines),
    ("undefended", Level::Lines),
    ("hanging_count", Level::Lines),
    ("checkers", Level::Lines),
    ("pinned", Level::Lines),
    ("relatively_pinned", Level::Lines),
    ("skewered", Level::Lines),
    ("xrays", Level::Lines),
    ("discovered", Level::Lines),
    ("batteries", Level::Lines),
    ("doubled", Level::Lines),
    ("doubled_extra", Level::Lines),
    ("isolated", Level::Lines),
    ("backward", Level::Lines),
    ("behind_all", Level::Lines),
    ("passed", Level::Lines),
    ("passed_front", Level::Lines),
    ("candidates", Level::Lines),
    ("connected", Level::Lines),
    ("pawn_islands", Level::Lines),
    ("half_open_files", Level::Lines),
    ("minors", Level::Lines),
    ("developed", Level::Lines),
    ("home_minors", Level::Lines),
    ("hanging_see", Level::Exchange),
    ("hanging_gain", Level::Exchange),
    ("hanging_pins", Level::Exchange),
    ("forks", Level::Forks),
    ("fork_moves", Level::Forks),
    ("mobility", Level::Everything),
];

/// The numbers of a side, in the order of [`COUNTS`].
#[inline(always)]
fn side_counts(side: &Side) -> [u8; COUNTS.len()] {
    let pawns = &side.pawns;
    let of = |set: Bitboard| set.len() as u8;
    [
        side.men[0],
        side.men[1],
        side.men[2],
        side.men[3],
        side.men[4],
        side.material,
        of(side.attacked),
        of(side.loose),
        of(side.undefended),
        of(side.hanging_count),
        of(side.checkers),
        of(side.pinned),
        of(side.relatively_pinned),
        of(side.skewered),
        side.xrays.len() as u8,
        side.discovered.len() as u8,
        side.batteries.len() as u8,
        of(pawns.doubled),
        of(pawns.doubled_extra),
        of(pawns.isolated),
        of(pawns.backward),
        of(pawns.behind_all),
        of(pawns.passed),
        of(pawns.passed_front),
        of(pawns.candidates),
        of(pawns.connected),
        pawns.islands,
        (pawns.half_open_files.len() / 8) as u8,
        of(side.minors),
        of(side.developed),
        of(side.home_minors),
        side.hanging.len() as u8,
        side.hanging_gain(),
        side.hanging_pins.len() as u8,
        side.forks.len() as u8,
        // There may be more of these than a byte can hold; nobody has seen that in a game.
        side.fork_moves.len().min(255) as u8,
        of(side.mobility),
    ]
}

type Squares = fn(&Side) -> Bitboard;

/// Facts that are sets of squares.
const MASKS: [(&str, Level, Squares); 26] = [
    ("attacks", Level::Lines, |side| side.attacks),
    ("attacked", Level::Lines, |side| side.attacked),
    ("loose", Level::Lines, |side| side.loose),
    ("undefended", Level::Lines, |side| side.undefended),
    ("hanging_count", Level::Lines, |side| side.hanging_count),
    ("checkers", Level::Lines, |side| side.checkers),
    ("check_squares_pawn", Level::Lines, |side| side.check_squares[0]),
    ("check_squares_knight", Level::Lines, |side| side.check_squares[1]),
    ("check_squares_bishop", Level::Lines, |side| side.check_squares[2]),
    ("check_squares_rook", Level::Lines, |side| side.check_squares[3]),
    ("pinned", Level::Lines, |side| side.pinned),
    ("relatively_pinned", Level::Lines, |side| side.relatively_pinned),
    ("skewered", Level::Lines, |side| side.skewered),
    ("doubled", Level::Lines, |side| side.pawns.doubled),
    ("isolated", Level::Lines, |side| side.pawns.isolated),
    ("backward", Level::Lines, |side| side.pawns.backward),
    ("behind_all", Level::Lines, |side| side.pawns.behind_all),
    ("passed", Level::Lines, |side| side.pawns.passed),
    ("passed_front", Level::Lines, |side| side.pawns.passed_front),
    ("candidates", Level::Lines, |side| side.pawns.candidates),
    ("connected", Level::Lines, |side| side.pawns.connected),
    ("developed", Level::Lines, |side| side.developed),
    ("home_minors", Level::Lines, |side| side.home_minors),
    ("hanging_see", Level::Exchange, Side::hanging_see),
    ("forkers", Level::Forks, Side::forkers),
    ("mobility", Level::Everything, |side| side.mobility),
];

/// Facts that name their partners.
const LISTS: [(&str, Level, Partners); 10] = [
    ("pins", Level::Lines, Partners::Lines(|side| &side.pins)),
    ("relative_pins", Level::Lines, Partners::Lines(|side| &side.relative_pins)),
    ("skewers", Level::Lines, Partners::Lines(|side| &side.skewers)),
    ("xray_lines", Level::Lines, Partners::Lines(|side| &side.xrays)),
    ("discovered_lines", Level::Lines, Partners::Lines(|side| &side.discovered)),
    ("battery_pairs", Level::Lines, Partners::Batteries),
    ("hanging_men", Level::Exchange, Partners::Hanging),
    ("hanging_men_pins", Level::Exchange, Partners::HangingPins),
    ("fork_targets", Level::Forks, Partners::Forks),
    ("fork_move_targets", Level::Forks, Partners::ForkMoves),
];

#[derive(Clone, Copy)]
enum Partners {
    Lines(fn(&Side) -> &[Line]),
    Batteries,
    Hanging,
    HangingPins,
    Forks,
    ForkMoves,
}

impl Partners {
    fn fields(self) -> Fields {
        let text = |name: &str| Field::new(name, DataType::Utf8, true);
        let fields = match self {
            Partners::Lines(_) => vec![text("slider"), text("front"), text("back")],
            Partners::Batteries => vec![text("first"), text("second")],
            Partners::Hanging | Partners::HangingPins => {
                vec![text("square"), Field::new("gain", DataType::UInt8, true)]
            }
            Partners::Forks => vec![text("forker"), text("targets")],
            Partners::ForkMoves => vec![text("move"), text("targets")],
        };
        fields.into()
    }

    fn push(self, list: &mut ListBuilder<StructBuilder>, position: &Position, side: &Side) {
        let items = list.values();
        match self {
            Partners::Lines(lines) => {
                for line in lines(side) {
                    push_squares(items, &[line.slider, line.front, line.back]);
                }
            }
            Partners::Batteries => {
                for battery in &side.batteries {
                    push_squares(items, &[battery.first, battery.second]);
                }
            }
            Partners::Hanging | Partners::HangingPins => {
                let pins = matches!(self, Partners::HangingPins);
                for hanging in if pins { &side.hanging_pins } else { &side.hanging } {
                    push_text(items, 0, &hanging.square.to_string());
                    let gains = items.field_builder::<UInt8Builder>(1).expect("the second field");
                    gains.append_value(hanging.gain);
                    items.append(true);
                }
            }
            Partners::Forks => {
                for fork in &side.forks {
                    push_text(items, 0, &fork.forker.to_string());
                    push_text(items, 1, &names(fork.targets));
                    items.append(true);
                }
            }
            Partners::ForkMoves => {
                for fork in &side.fork_moves {
                    push_text(items, 0, &Uci::of(position, fork.mv).to_string());
                    push_text(items, 1, &names(fork.targets));
                    items.append(true);
                }
            }
        }
        list.append(true);
    }
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
    selection: Selection,
    schema: SchemaRef,
    level: Level,
    definitions: Definitions,
    facts: Box<Facts>,
    sources: StringBuilder,
    games: UInt64Builder,
    plies: UInt64Builder,
    fens: StringBuilder,
    hashes: UInt64Builder,
    fen: String,
    counts: Vec<Counts>,
    masks: Vec<[Bitboard; 2]>,
    lists: Vec<ListBuilder<StructBuilder>>,
}

/// The numbers of a position: White's, Black's and the open files.
type Counts = ([u8; COUNTS.len()], [u8; COUNTS.len()], u8);

impl FactRows {
    /// An empty collection.
    pub fn new(selection: &Selection, definitions: Definitions) -> FactRows {
        let mut rows = FactRows {
            schema: selection.schema(definitions),
            level: selection.level(),
            selection: selection.clone(),
            definitions,
            facts: Box::new(Facts::empty()),
            sources: StringBuilder::new(),
            games: UInt64Builder::new(),
            plies: UInt64Builder::new(),
            fens: StringBuilder::new(),
            hashes: UInt64Builder::new(),
            fen: String::new(),
            counts: Vec::new(),
            masks: Vec::new(),
            lists: Vec::new(),
        };
        for column in &rows.selection.columns {
            if let Column::List(index) = *column {
                for _ in Color::ALL {
                    let items = StructBuilder::from_fields(LISTS[index].2.fields(), 0);
                    rows.lists.push(ListBuilder::new(items));
                }
            }
        }
        rows
    }

    /// Computes the facts of a position and adds its row.
    pub fn push(&mut self, source: &str, game: u64, ply: u64, position: &Position) {
        self.facts.compute(position, self.level, self.definitions);
        self.sources.append_value(source);
        self.games.append_value(game);
        self.plies.append_value(ply);
        self.fen.clear();
        position.write_fen(&mut self.fen);
        self.fens.append_value(&self.fen);
        self.hashes.append_value(position.zobrist());
        self.counts.push(attacks::quickest(CountAll(&self.facts)));
        let [white, black] = Color::ALL.map(|color| &self.facts[color]);
        let mut lists = self.lists.iter_mut();
        for column in &self.selection.columns {
            match *column {
                Column::Mask(index) => {
                    self.masks.push([MASKS[index].2(white), MASKS[index].2(black)]);
                }
                Column::List(index) => {
                    for side in [white, black] {
                        let list = lists.next().expect("a list for each side");
                        LISTS[index].2.push(list, position, side);
                    }
                }
                Column::OpenFiles | Column::Count(_) => {}
            }
        }
    }

    /// How many rows wait.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether no row waits.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
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
        let chosen_masks =
            self.selection.columns.iter().filter(|c| matches!(c, Column::Mask(_))).count();
        let mut mask = 0;
        let mut lists = self.lists.iter_mut();
        for column in &self.selection.columns {
            match *column {
                Column::OpenFiles => {
                    let files = self.counts.iter().map(|counts| counts.2);
                    columns.push(Arc::new(UInt8Array::from_iter_values(files)));
                }
                Column::Count(index) => {
                    let white = self.counts.iter().map(|counts| counts.0[index]);
                    let black = self.counts.iter().map(|counts| counts.1[index]);
                    columns.push(Arc::new(UInt8Array::from_iter_values(white)));
                    columns.push(Arc::new(UInt8Array::from_iter_values(black)));
                }
                Column::Mask(_) => {
                    for side in 0..2 {
                        let masks = self.masks.iter().skip(mask).step_by(chosen_masks);
                        let masks = masks.map(|masks| masks[side].0);
                        columns.push(Arc::new(UInt64Array::from_iter_values(masks)));
                    }
                    mask += 1;
                }
                Column::List(_) => {
                    for list in lists.by_ref().take(2) {
                        columns.push(ArrayBuilder::finish(list));
                    }
                }
            }
        }
        self.counts.clear();
        self.masks.clear();
        Ok(RecordBatch::try_new(self.schema.clone(), columns)?)
    }
}

/// Counting squares with the processor's own instruction.
struct CountAll<'a>(&'a Facts);

impl attacks::SliderWork for CountAll<'_> {
    type Output = Counts;

    #[inline(always)]
    fn run<S: attacks::Sliders>(self) -> Counts {
        let [white, black] = Color::ALL.map(|color| side_counts(&self.0[color]));
        (white, black, self.0.open_files() as u8)
    }
}
