//! The table `chess.positions`, and all that is known of a position of a game in one row.

use std::{sync::Arc, time::Duration};

use arrow::{
    array::{ArrayRef, BooleanBuilder, Float64Builder, Int64Builder, StringBuilder, UInt64Builder},
    datatypes::{Field, Schema, SchemaRef},
    record_batch::{RecordBatch, RecordBatchOptions},
};
use chess::{
    FenWriter, Move, Position, Role, San, Square, Uci,
    pgn::{Evaluation, Mainline, Note, Tags},
};
use chess_facts::{Definitions, Facts, Level, Selection};

use super::{
    captured,
    facts::{FactColumns, fact_fields},
    games::{tag_cell, tag_columns},
};
use crate::{Cell, Table, TableError, count, flag, hash, number, real, rows::Builder, text};

/// The positions of games.
pub static POSITIONS: Table = Table::new(
    "chess.positions",
    &[
        text("source").wide(),
        count("game"),
        count("ply"),
        text("fen"),
        hash("zobrist").wide(),
        text("turn").wide(),
        text("san"),
        text("uci").wide(),
        count("legal_moves"),
        flag("check"),
        real("clock").wide(),
        text("eval").wide(),
        text("piece").wide(),
        text("from").wide(),
        text("to").wide(),
        text("captured").wide(),
        text("promotion").wide(),
        flag("checkmate").wide(),
        real("spent").wide(),
        number("centipawns").wide(),
        number("mate_in").wide(),
    ],
)
.version(1, 1);

/// The rows of [`POSITIONS`] of a game, one after the other.
pub fn positions<'a>(
    source: &'a str,
    number: u64,
    game: &'a Mainline,
) -> impl Iterator<Item = [Cell<'a>; 21]> {
    (0..game.positions.len()).map(move |ply| position(source, number, game, ply))
}

/// The row of [`POSITIONS`] of a game after so many plies.
///
/// # Panics
/// If the game is not that long.
pub fn position<'a>(
    source: &'a str,
    number: u64,
    game: &'a Mainline,
    ply: usize,
) -> [Cell<'a>; 21] {
    let position = &game.positions[ply];
    let mv = game.moves.get(ply).copied();
    let uci = mv.map(|mv| Uci::of(position, mv));
    let note = note(game, ply);
    [
        source.into(),
        number.into(),
        (ply as u64).into(),
        position.to_string().into(),
        position.zobrist().into(),
        position.turn().name().into(),
        mv.map(|mv| San::of(position, mv).to_string()).into(),
        uci.map(|uci| uci.to_string()).into(),
        u64::from(position.legal_moves().len()).into(),
        position.is_check().into(),
        note.clock.map(|clock| clock.as_secs_f64()).into(),
        evaluation(note).into(),
        mv.and_then(|mv| position.board().role_at(mv.from)).map(Role::name).into(),
        uci.map(|uci| uci.from.to_string()).into(),
        uci.map(|uci| uci.to.to_string()).into(),
        mv.and_then(|mv| captured(position, mv)).map(Role::name).into(),
        mv.and_then(|mv| mv.promotion).map(Role::name).into(),
        position.is_checkmate().into(),
        spent(game, ply, increment(&game.tags)).into(),
        centipawns(note).into(),
        mate_in(note).into(),
    ]
}

/// What is noted behind the move that led to a position.
fn note(game: &Mainline, ply: usize) -> Note {
    let note = ply.checked_sub(1).and_then(|before| game.notes.get(before)).copied();
    note.unwrap_or_default()
}

fn evaluation(note: Note) -> Option<String> {
    note.evaluation.map(|evaluation| match evaluation {
        Evaluation::Pawns(pawns) => pawns.to_string(),
        Evaluation::Mate(moves) => format!("#{moves}"),
    })
}

fn centipawns(note: Note) -> Option<i64> {
    match note.evaluation {
        // What no score can be saturates.
        Some(Evaluation::Pawns(pawns)) => Some((pawns * 100.0).round() as i64),
        _ => None,
    }
}

fn mate_in(note: Note) -> Option<i64> {
    match note.evaluation {
        Some(Evaluation::Mate(moves)) => Some(moves.into()),
        _ => None,
    }
}

/// The seconds spent on the move that led to a position: what is noted, or else what the clock of
/// the mover has lost since the move before, and the increment.
fn spent(game: &Mainline, ply: usize, increment: Option<Duration>) -> Option<f64> {
    let note = note(game, ply);
    if let Some(elapsed) = note.elapsed {
        return Some(elapsed.as_secs_f64());
    }
    let before = game.notes.get(ply.checked_sub(3)?)?.clock?;
    // A clock that has gained more than the increment got the time of another period.
    let spent = before.checked_add(increment?)?.checked_sub(note.clock?)?;
    Some(spent.as_secs_f64())
}

/// What a clock gains with each move, by the tag `TimeControl`: `180+2`, `300`, `40/7200:3600`.
/// Nothing if there is no tag that says so.
fn increment(tags: &Tags) -> Option<Duration> {
    let first = tags.get("TimeControl")?.split(':').next()?;
    let base = first.split_once('/').map_or(first, |(_, base)| base);
    let (base, increment) = base.split_once('+').unwrap_or((base, "0"));
    let is_number = |text: &str| text.starts_with(|letter: char| letter.is_ascii_digit());
    if !is_number(base) || !is_number(increment) || base.parse::<f64>().is_err() {
        return None;
    }
    Duration::try_from_secs_f64(increment.parse().ok()?).ok()
}

/// All that is known of a position in one row: the columns of [`POSITIONS`], those of the tags of
/// its game in `chess.games`, and every fact of `chess.facts`.
pub fn all_positions() -> SchemaRef {
    let own = POSITIONS.columns.iter().copied().chain(tag_columns()).map(|column| column.field());
    let facts = fact_fields(&every_fact());
    // A line that is only a position has no tags, and no fact is ever missing.
    Arc::new(Schema::new(own.chain(facts).collect::<Vec<Field>>()))
}

fn every_fact() -> Selection {
    let groups = ["everything", "masks", "lists", "moves"];
    let sides =
        ["mover", "opponent"].iter().flat_map(|side| groups.map(|group| format!("{side}_{group}")));
    let names: Vec<String> = groups.map(str::to_owned).into_iter().chain(sides).collect();
    Selection::parse(names.iter().map(String::as_str)).expect("these are groups of facts")
}

/// Collects chosen columns of [`all_positions`] into batches. Facts that no chosen column shows are
/// not computed.
pub struct PositionRows {
    schema: SchemaRef,
    columns: Vec<Filler>,
    facts: Option<Chosen>,
    rows: usize,
    scratch: String,
    /// A game of one position.
    alone: Mainline,
}

/// The facts that are computed.
struct Chosen {
    level: Level,
    facts: Box<Facts>,
    columns: FactColumns,
}

/// A column that is being filled.
enum Filler {
    Source(StringBuilder),
    Game(UInt64Builder),
    Ply(UInt64Builder),
    Fen(StringBuilder, Box<FenWriter>),
    Zobrist(UInt64Builder),
    /// Text of a position and the move played there.
    Word(StringBuilder, fn(&Position, Option<Move>) -> Option<&'static str>),
    /// The same, written for it.
    Written(StringBuilder, fn(Played<'_>, &mut String)),
    LegalMoves(UInt64Builder),
    Flag(BooleanBuilder, fn(&Position) -> bool),
    Clock(Float64Builder),
    Spent(Float64Builder),
    Eval(StringBuilder),
    Score(Int64Builder, fn(Note) -> Option<i64>),
    /// A column of the tags of the game, or its result.
    Tag(&'static str, Box<Builder>),
    /// A column of the facts, by its place among them.
    Fact(usize),
}

/// A move of a game, and the positions before and after it.
#[derive(Clone, Copy)]
struct Played<'a> {
    before: &'a Position,
    mv: Move,
    after: &'a Position,
}

impl Played<'_> {
    fn uci(self) -> Uci {
        Uci::of(self.before, self.mv)
    }
}

impl PositionRows {
    /// No rows yet, of the columns with these indices.
    pub fn new(wanted: &[usize]) -> PositionRows {
        let all = all_positions();
        let fields: Vec<&Field> = wanted.iter().map(|&index| all.field(index)).collect();
        let selection = Selection::parse(fields.iter().filter_map(|field| fact_of(field.name())))
            .expect("every other column is a fact");
        let made = fact_fields(&selection);
        let columns = fields.iter().map(|field| Filler::of(field, &made)).collect();
        let facts = (!selection.columns().is_empty()).then(|| Chosen {
            level: selection.level(),
            facts: Box::new(Facts::empty()),
            columns: FactColumns::new(&selection),
        });
        let schema = Schema::new(fields.into_iter().cloned().collect::<Vec<Field>>());
        PositionRows {
            schema: Arc::new(schema),
            columns,
            facts,
            rows: 0,
            scratch: String::new(),
            alone: Mainline::default(),
        }
    }

    /// The level of facts that is computed, if any is.
    pub fn level(&self) -> Option<Level> {
        self.facts.as_ref().map(|chosen| chosen.level)
    }

    /// Adds the rows of a game after these plies.
    ///
    /// # Panics
    /// If the game is not that long.
    pub fn push_game(
        &mut self,
        source: &str,
        number: u64,
        game: &Mainline,
        plies: impl Iterator<Item = usize> + Clone,
    ) {
        for column in &mut self.columns {
            column.fill(source, number, game, plies.clone(), &mut self.scratch);
        }
        match &mut self.facts {
            None => self.rows += plies.count(),
            Some(Chosen { level, facts, columns }) => {
                for ply in plies {
                    let position = &game.positions[ply];
                    facts.compute(position, *level, Definitions::Std);
                    columns.push(position, facts);
                    self.rows += 1;
                }
            }
        }
    }

    /// Adds the row of a position without a game, which stands on a line of its own.
    pub fn push_position(&mut self, source: &str, line: u64, position: &Position) {
        let game = &mut self.alone;
        game.positions.clear();
        game.positions.push(*position);
        for column in &mut self.columns {
            match column {
                Filler::Tag(_, builder) => builder.add(&Cell::Nothing),
                column => column.fill(source, line, game, 0..1, &mut self.scratch),
            }
        }
        if let Some(Chosen { level, facts, columns }) = &mut self.facts {
            facts.compute(position, *level, Definitions::Std);
            columns.push(position, facts);
        }
        self.rows += 1;
    }

    /// How many rows wait.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether no row waits.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The rows as a batch; the collection is empty afterwards.
    pub fn finish(&mut self) -> Result<RecordBatch, TableError> {
        let facts = self.facts.as_mut().map_or_else(Vec::new, |chosen| chosen.columns.finish());
        let columns = self.columns.iter_mut().map(|column| column.finish(&facts)).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        self.rows = 0;
        Ok(RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)?)
    }
}

/// The column, if it shows a fact. `white_elo` begins like one and is none.
fn fact_of(column: &str) -> Option<&str> {
    let selection = Selection::parse([column]).ok()?;
    matches!(selection.columns(), [only] if only.name() == column).then_some(column)
}

impl Filler {
    fn of(field: &Field, facts: &[Field]) -> Filler {
        let name = field.name().as_str();
        match name {
            "source" => Filler::Source(StringBuilder::new()),
            "game" => Filler::Game(UInt64Builder::new()),
            "ply" => Filler::Ply(UInt64Builder::new()),
            "fen" => Filler::Fen(StringBuilder::new(), Box::default()),
            "zobrist" => Filler::Zobrist(UInt64Builder::new()),
            "turn" => Filler::word(|position, _| Some(position.turn().name())),
            "piece" => Filler::word(|position, mv| {
                mv.and_then(|mv| position.board().role_at(mv.from)).map(Role::name)
            }),
            "captured" => Filler::word(|position, mv| {
                mv.and_then(|mv| captured(position, mv)).map(Role::name)
            }),
            "promotion" => Filler::word(|_, mv| mv.and_then(|mv| mv.promotion).map(Role::name)),
            "san" => Filler::written(|Played { before, mv, after }, out| {
                San::between(before, mv, after).write(out);
            }),
            "uci" => Filler::written(|played, out| played.uci().write(out)),
            "from" => Filler::written(|played, out| write_square(played.uci().from, out)),
            "to" => Filler::written(|played, out| write_square(played.uci().to, out)),
            "legal_moves" => Filler::LegalMoves(UInt64Builder::new()),
            "check" => Filler::Flag(BooleanBuilder::new(), Position::is_check),
            "checkmate" => Filler::Flag(BooleanBuilder::new(), Position::is_checkmate),
            "clock" => Filler::Clock(Float64Builder::new()),
            "spent" => Filler::Spent(Float64Builder::new()),
            "eval" => Filler::Eval(StringBuilder::new()),
            "centipawns" => Filler::Score(Int64Builder::new(), centipawns),
            "mate_in" => Filler::Score(Int64Builder::new(), mate_in),
            name => match tag_columns().find(|column| column.name == name) {
                Some(column) => Filler::Tag(column.name, Box::new(Builder::of(column.kind))),
                None => {
                    let place = facts.iter().position(|fact| fact.name() == name);
                    Filler::Fact(place.expect("every other column is a fact"))
                }
            },
        }
    }

    fn word(word: fn(&Position, Option<Move>) -> Option<&'static str>) -> Filler {
        Filler::Word(StringBuilder::new(), word)
    }

    fn written(write: fn(Played<'_>, &mut String)) -> Filler {
        Filler::Written(StringBuilder::new(), write)
    }

    /// Adds the values of some positions of a game.
    fn fill(
        &mut self,
        source: &str,
        number: u64,
        game: &Mainline,
        plies: impl Iterator<Item = usize>,
        scratch: &mut String,
    ) {
        let mut positions = plies.map(|ply| (ply, &game.positions[ply]));
        match self {
            Filler::Source(column) => positions.for_each(|_| column.append_value(source)),
            Filler::Game(column) => positions.for_each(|_| column.append_value(number)),
            Filler::Ply(column) => positions.for_each(|(ply, _)| column.append_value(ply as u64)),
            Filler::Fen(column, writer) => positions.for_each(|(_, position)| {
                scratch.clear();
                writer.write(position, scratch);
                column.append_value(&scratch);
            }),
            Filler::Zobrist(column) => {
                positions.for_each(|(_, position)| column.append_value(position.zobrist()));
            }
            Filler::Word(column, word) => positions.for_each(|(ply, position)| {
                column.append_option(word(position, game.moves.get(ply).copied()));
            }),
            Filler::Written(column, write) => positions.for_each(|(ply, position)| {
                let Some(&mv) = game.moves.get(ply) else { return column.append_null() };
                scratch.clear();
                write(Played { before: position, mv, after: &game.positions[ply + 1] }, scratch);
                column.append_value(&scratch);
            }),
            Filler::LegalMoves(column) => positions.for_each(|(_, position)| {
                column.append_value(u64::from(position.legal_moves().len()));
            }),
            Filler::Flag(column, holds) => {
                positions.for_each(|(_, position)| column.append_value(holds(position)));
            }
            Filler::Clock(column) => positions.for_each(|(ply, _)| {
                column.append_option(note(game, ply).clock.map(|clock| clock.as_secs_f64()));
            }),
            Filler::Spent(column) => {
                let increment = increment(&game.tags);
                positions.for_each(|(ply, _)| column.append_option(spent(game, ply, increment)));
            }
            Filler::Eval(column) => {
                positions.for_each(|(ply, _)| column.append_option(evaluation(note(game, ply))));
            }
            Filler::Score(column, score) => {
                positions.for_each(|(ply, _)| column.append_option(score(note(game, ply))));
            }
            Filler::Tag(name, column) => {
                let cell =
                    tag_cell(name, &game.tags).unwrap_or_else(|| game.result.as_str().into());
                positions.for_each(|_| column.add(&cell));
            }
            Filler::Fact(_) => drop(positions.next()),
        }
    }

    fn finish(&mut self, facts: &[ArrayRef]) -> ArrayRef {
        match self {
            Filler::Source(column)
            | Filler::Fen(column, _)
            | Filler::Word(column, _)
            | Filler::Written(column, _)
            | Filler::Eval(column) => Arc::new(column.finish()),
            Filler::Game(column)
            | Filler::Ply(column)
            | Filler::Zobrist(column)
            | Filler::LegalMoves(column) => Arc::new(column.finish()),
            Filler::Flag(column, _) => Arc::new(column.finish()),
            Filler::Clock(column) | Filler::Spent(column) => Arc::new(column.finish()),
            Filler::Score(column, _) => Arc::new(column.finish()),
            Filler::Tag(_, column) => column.finish(),
            Filler::Fact(place) => facts[*place].clone(),
        }
    }
}

fn write_square(square: Square, out: &mut String) {
    out.push(square.file().letter());
    out.push(square.rank().digit());
}
