//! What the rules say of positions, asked without a statement.

use std::sync::Arc;

use arrow::{
    array::{ArrayRef, AsArray, UInt64Array},
    datatypes::{DataType, Field, Schema, SchemaRef, UInt64Type},
    record_batch::RecordBatch,
};
use chess::Position;
use chess_relations::{Relations, positions};
use datafusion::{
    common::Column, dataframe::DataFrame, error::Result, logical_expr::Expr,
    prelude::SessionContext,
};

use crate::{
    Answer, Engine, SqlError,
    functions::relations::{Asked, Given, GivenRows, MoveTable, Names, one_row, with_rows},
};

/// Positions to ask about.
#[derive(Clone, Debug)]
pub enum Positions {
    /// One position.
    One(Position),
    /// Rows in memory with FENs in the column `fen`; their other columns come along. A cluster
    /// cannot read them.
    Rows {
        /// The columns.
        schema: SchemaRef,
        /// The rows.
        batches: Vec<RecordBatch>,
    },
}

/// How far a timeline goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ahead {
    /// How many plies.
    pub plies: u32,
    /// Whether transpositions of a ply are one row.
    pub merge: bool,
}

/// The column of FENs.
const FEN: &str = "fen";
/// The column that keeps the order of rows, which no answer shows.
const ROW: &str = "everyply_row";

/// Questions whose answers come in the order of the positions, and then in an order of their own.
impl Engine {
    /// The legal moves of positions, by `uci`: the columns of `chess_moves`.
    pub fn moves(&self, positions: Positions) -> Result<Answer<'_>, SqlError> {
        self.ask("chess_moves", positions, Asked::default(), &["uci"])
    }

    /// Whether positions are check, mate or stalemate: the columns of `chess_outcomes`. Of a row
    /// without a position they are NULL.
    pub fn outcomes(&self, positions: Positions) -> Result<Answer<'_>, SqlError> {
        self.ask("chess_outcomes", positions, Asked::default(), &["legal_moves"])
    }

    /// Every position that can come within some plies, by `ply` and then by `path`, or where
    /// transpositions are merged by `position`: the columns of `chess_timeline` without sets of
    /// squares. What comes of one position is called `fen`, because no other column is.
    pub fn timeline(&self, positions: Positions, ahead: Ahead) -> Result<Answer<'_>, SqlError> {
        self.plan(self.timeline_frame(positions, ahead))
    }

    /// The plan of [`timeline`](Engine::timeline), as `explain` shows it.
    pub fn explain_timeline(
        &self,
        positions: Positions,
        ahead: Ahead,
    ) -> Result<Answer<'_>, SqlError> {
        let frame = self.timeline_frame(positions, ahead);
        self.plan(move |context| frame(context)?.explain(false, false))
    }

    /// How many sequences of so many legal moves start from a position.
    pub fn perft(&self, position: &Position, plies: u32) -> Result<u64, SqlError> {
        let (relations, position) = (self.relations().clone(), *position);
        let answer = self.plan(move |context| {
            relations.perft(one(context, &position)?.positions, plies, true)
        })?;
        let mut total = 0;
        for batch in answer {
            total += numbers(&batch?, "nodes")?.iter().sum::<u64>();
        }
        Ok(total)
    }

    /// The same below each legal move, by UCI: sequences of `plies` moves, the first one included.
    /// Of no plies there are no moves to tell.
    pub fn divide(&self, position: &Position, plies: u32) -> Result<Vec<(String, u64)>, SqlError> {
        let Some(rest) = plies.checked_sub(1) else { return Ok(Vec::new()) };
        let (relations, position) = (self.relations().clone(), *position);
        let answer = self.plan(move |context| {
            let children = relations.children(one(context, &position)?.positions)?;
            let columns = [&positions::COLUMNS[..], &["uci"]].concat();
            let counts = relations.perft(children.select_columns(&columns)?, rest, true)?;
            counts.sort(vec![column("uci").sort(true, true)])
        })?;
        let mut divided = Vec::new();
        for batch in answer {
            let batch = batch?;
            let moves = named(&batch, "uci")?.as_string::<i32>().iter();
            let moves = moves.map(|uci| uci.unwrap_or_default().to_owned());
            divided.extend(moves.zip(numbers(&batch, "nodes")?));
        }
        Ok(divided)
    }

    fn timeline_frame(
        &self,
        positions: Positions,
        ahead: Ahead,
    ) -> impl FnOnce(&SessionContext) -> Result<DataFrame> + Send + use<> {
        let relations = self.relations().clone();
        move |context| {
            let Ahead { plies, merge } = ahead;
            let asked = Asked { plies, merge: Some(merge) };
            let is_one = matches!(positions, Positions::One(_));
            let order = if merge { ["ply", "position"] } else { ["ply", "path"] };
            let frame = frame(context, &relations, "chess_timeline", positions, asked, &order)?;
            // Of a way there is one, and the FEN tells of the board.
            let board = positions::COLUMNS.iter().filter(|name| !positions::CLOCKS.contains(name));
            let ways = (!merge).then_some(&"multiplicity");
            let frame = frame.drop_columns(&board.chain(ways).copied().collect::<Vec<_>>())?;
            if is_one { frame.with_column_renamed("position", FEN) } else { Ok(frame) }
        }
    }

    /// Calls a function of the list.
    fn ask(
        &self,
        function: &'static str,
        positions: Positions,
        asked: Asked,
        order: &'static [&'static str],
    ) -> Result<Answer<'_>, SqlError> {
        let relations = self.relations().clone();
        self.plan(move |context| frame(context, &relations, function, positions, asked, order))
    }
}

/// What a function of the list says of positions, in order.
fn frame(
    context: &SessionContext,
    relations: &Arc<Relations>,
    function: &str,
    positions: Positions,
    asked: Asked,
    order: &[&str],
) -> Result<DataFrame> {
    let given = match positions {
        Positions::One(position) => one(context, &position)?,
        Positions::Rows { schema, batches } => {
            let table = context.read_batches(numbered(&schema, batches)?)?;
            // No two rows have one number, so none are added up.
            let rows = MoveTable::named(function).rows(asked);
            with_rows(table, FEN, GivenRows { are_added_up: false, ..rows })?
        }
    };
    let told = MoveTable::named(function).frame(relations, given, asked)?;
    let has_row = told.schema().index_of_column_by_name(None, ROW).is_some();
    let row = has_row.then_some(&ROW);
    let keys = row.into_iter().chain(order).map(|name| column(name).sort(true, true));
    let sorted = told.sort(keys.collect())?;
    if has_row { sorted.drop_columns(&[ROW]) } else { Ok(sorted) }
}

fn one(context: &SessionContext, position: &Position) -> Result<Given> {
    one_row(&context.state(), position, Names::Nothing)
}

fn column(name: &str) -> Expr {
    Expr::Column(Column::new_unqualified(name))
}

/// The rows with the number of each in a column of its own.
fn numbered(schema: &SchemaRef, batches: Vec<RecordBatch>) -> Result<Vec<RecordBatch>> {
    let number = Arc::new(Field::new(ROW, DataType::UInt64, false));
    let fields: Vec<Arc<Field>> = schema.fields().iter().cloned().chain([number]).collect();
    let schema = Arc::new(Schema::new(fields));
    let mut first = 0;
    let mut rows = Vec::with_capacity(batches.len() + 1);
    for batch in batches {
        let end = first + batch.num_rows() as u64;
        let numbers: ArrayRef = Arc::new(UInt64Array::from_iter_values(first..end));
        first = end;
        let columns = batch.columns().iter().cloned().chain([numbers]).collect();
        rows.push(RecordBatch::try_new(schema.clone(), columns)?);
    }
    // Of no batches a plan would not know the columns.
    if rows.is_empty() {
        rows.push(RecordBatch::new_empty(schema));
    }
    Ok(rows)
}

fn named<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a ArrayRef, SqlError> {
    let lacks = || SqlError::Engine(format!("the plan returns no column {name}"));
    batch.column_by_name(name).ok_or_else(lacks)
}

fn numbers(batch: &RecordBatch, name: &str) -> Result<Vec<u64>, SqlError> {
    Ok(named(batch, name)?.as_primitive::<UInt64Type>().values().to_vec())
}
