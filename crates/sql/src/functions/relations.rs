//! Moves, threats and timelines in the place of a table: plans of `chess-relations`, which become
//! part of the plan of the statement.

use std::{fmt, sync::Arc};

use ::chess::Position;
use arrow::datatypes::DataType;
use chess_relations::{
    Relations, Timeline,
    positions::{self, Row},
};
use datafusion::{
    catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider},
    common::{Column, TableReference},
    dataframe::DataFrame,
    datasource::{ViewTable, provider_as_source},
    error::{DataFusionError, Result},
    execution::SessionState,
    functions::core::expr_fn::get_field,
    functions_aggregate::expr_fn::count,
    functions_nested::expr_fn::array_repeat,
    logical_expr::{Expr, LogicalPlanBuilder, ScalarUDF, cast, lit, when},
    scalar::ScalarValue,
};
use tokio::{runtime::Handle, task::block_in_place};

use super::{chess::position, rows, timelines::Timelines};
use crate::kinds::Named;

/// A function that gives a table of what the rules say of positions: of one FEN, or of a column of
/// FENs of another table, whose columns come along.
pub(crate) struct MoveTable {
    pub(crate) name: &'static str,
    pub(crate) takes: &'static str,
    pub(crate) says: &'static str,
    pub(crate) example: &'static str,
    /// Whether a number follows the positions.
    plies: Plies,
    /// Whether its plan would add up what it finds of equal rows.
    adds_up: fn(Asked) -> bool,
    /// Whether a row has one row in the result, also where it has no position.
    keeps_rows: bool,
    /// The columns of a position in the result, if any, become a FEN of this name too.
    fen: Option<&'static str>,
    plan: fn(&Relations, DataFrame, Asked) -> Result<DataFrame>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Plies {
    Needed,
    None,
}

/// What follows the positions in a call.
#[derive(Clone, Copy, Default)]
pub(crate) struct Asked {
    pub(crate) plies: u32,
    pub(crate) merge: Option<bool>,
}

/// More plies than anybody can wait for, and few enough for a plan to be made of them.
pub(crate) const MOST_PLIES: u32 = 64;

/// The function whose rows are counted in plies.
pub(crate) const TIMELINE: &str = "chess_timeline";

pub(crate) const FUNCTIONS: &[MoveTable] = &[
    MoveTable {
        name: "chess_moves",
        takes: "fen | table, column",
        says: "The legal moves of a position, or of every position of a table: UCI notation, \
               squares, the piece, what it captures and promotes to, and the rule that the move \
               follows.",
        example: "chess_moves('start')",
        plies: Plies::None,
        adds_up: |_| false,
        keeps_rows: false,
        fen: None,
        plan: |relations, positions, _| relations.legal_moves(positions),
    },
    MoveTable {
        name: "chess_children",
        takes: "fen | table, column",
        says: "The legal moves and the position after each, as the FEN child and as bitboards.",
        example: "chess_children('start')",
        plies: Plies::None,
        adds_up: |_| false,
        keeps_rows: false,
        fen: Some("child"),
        plan: |relations, positions, _| relations.children(positions),
    },
    MoveTable {
        name: "chess_candidates",
        takes: "fen | table, column",
        says: "Pseudo-legal moves, whether each is legal, and why not: pinned, still in check, moves \
               into check, castles out of check, or castles through check.",
        example: "chess_candidates('start')",
        plies: Plies::None,
        adds_up: |_| false,
        keeps_rows: false,
        fen: None,
        plan: |relations, positions, _| relations.candidates(positions),
    },
    MoveTable {
        name: "chess_threats",
        takes: "fen | table, column",
        says: "The squares that the side not to move attacks: the attacker and its square, the \
               attacked square, the piece on it, and whether that piece belongs to the side to \
               move.",
        example: "chess_threats('start')",
        plies: Plies::None,
        adds_up: |_| false,
        keeps_rows: false,
        fen: None,
        plan: |relations, positions, _| relations.threats(positions),
    },
    MoveTable {
        name: "chess_perspectives",
        takes: "fen | table, column",
        says: "The board as each piece sees it, a row for each piece and each square: the piece, \
               the distance to the square, and what stands there.",
        example: "chess_perspectives('start')",
        plies: Plies::None,
        adds_up: |_| false,
        keeps_rows: false,
        fen: None,
        plan: |relations, positions, _| relations.perspectives(positions),
    },
    MoveTable {
        name: "chess_outcomes",
        takes: "fen | table, column",
        says: "Whether the side to move is in check, the number of legal moves, and whether it is \
               mate or stalemate.",
        example: "chess_outcomes('start')",
        plies: Plies::None,
        adds_up: |_| true,
        keeps_rows: true,
        fen: None,
        plan: |relations, positions, _| relations.outcomes(positions),
    },
    MoveTable {
        name: TIMELINE,
        takes: "fen, plies[, merge] | table, column, plies[, merge]",
        says: "Every position within a number of plies: its ply, the moves that lead to it, those \
               that lead to its parent, and its FEN. If merge is true, equal positions of a ply \
               are one row with the number of paths that lead there, and with the lowest of their \
               halfmove clocks.",
        example: "chess_timeline('start', 1)",
        plies: Plies::Needed,
        adds_up: |asked| asked.merge == Some(true),
        keeps_rows: false,
        fen: Some("position"),
        plan: |relations, positions, asked| {
            let merge = asked.merge.unwrap_or(false);
            let plies = asked.plies;
            relations.timeline(positions, Timeline { plies, every_ply: true, merge })
        },
    },
    MoveTable {
        name: "chess_perft",
        takes: "fen, plies[, merge] | table, column, plies[, merge]",
        says: "The number of sequences of legal moves of a given length. Transpositions are \
               expanded once unless merge is false; the number is the same.",
        example: "chess_perft('start', 2)",
        plies: Plies::Needed,
        adds_up: |_| true,
        keeps_rows: true,
        fen: None,
        plan: |relations, positions, asked| {
            relations.perft(positions, asked.plies, asked.merge.unwrap_or(true))
        },
    },
];

impl MoveTable {
    /// The function of this name.
    pub(crate) fn named(name: &str) -> &'static MoveTable {
        FUNCTIONS.iter().find(|function| function.name == name).expect("the list has it")
    }

    /// What becomes of the rows of a table.
    pub(crate) fn rows(&self, asked: Asked) -> GivenRows {
        GivenRows { are_added_up: (self.adds_up)(asked), are_kept: self.keeps_rows }
    }

    /// The plan of a call.
    pub(crate) fn frame(
        &self,
        relations: &Relations,
        given: Given,
        asked: Asked,
    ) -> Result<DataFrame> {
        let told = (self.plan)(relations, given.positions, asked)?;
        let told = self.with_nulls(repeated(told)?, &given.names)?;
        self.with_names(told, &given.names)
    }

    /// The table that a call stands for.
    pub(super) fn table(
        &'static self,
        relations: &Arc<Relations>,
        given: Given,
        asked: Asked,
    ) -> Result<Arc<dyn TableProvider>> {
        if self.name == TIMELINE {
            return Ok(Arc::new(Timelines::new(self, relations, given, asked)?));
        }
        let told = self.frame(relations, given, asked)?;
        Ok(Arc::new(ViewTable::new(told.into_unoptimized_plan(), None)))
    }

    /// Nothing is told of a row without a position, which went through the plan with another one.
    fn with_nulls(&self, told: DataFrame, names: &Names) -> Result<DataFrame> {
        let Names::Columns { fen, .. } = names else { return Ok(told) };
        if !self.keeps_rows {
            return Ok(told);
        }
        let fen = format!("{GIVEN}{fen}");
        let columns = told.schema().fields().iter().map(|field| {
            let (name, column) = (field.name(), inside(field.name()));
            match name.starts_with(GIVEN) {
                true => Ok(column),
                false => Ok(when(inside(&fen).is_not_null(), column).end()?.alias(name)),
            }
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        told.select(columns)
    }

    /// The function with the rules that it follows.
    pub(crate) fn with(
        &'static self,
        relations: &Arc<Relations>,
    ) -> impl TableFunctionImpl + use<> {
        Bound { function: self, relations: Arc::clone(relations) }
    }
}

struct Bound {
    function: &'static MoveTable,
    relations: Arc<Relations>,
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.function.name)
    }
}

impl TableFunctionImpl for Bound {
    fn call_with_args(&self, args: TableFunctionArgs<'_, '_>) -> Result<Arc<dyn TableProvider>> {
        let state = args.session().as_any().downcast_ref::<SessionState>().ok_or_else(|| {
            DataFusionError::Internal("the session was not created by this crate".to_owned())
        })?;
        let call = self.function.read(args.exprs())?;
        let given = match &call.positions {
            Positions::Fen(fen) => {
                let names = Names::Fen(fen.clone());
                one_row(state, &position(self.function.name, fen)?, names)?
            }
            Positions::Column { table, column } => {
                with_rows(opened(state, table, column)?, column, self.function.rows(call.asked))?
            }
        };
        self.function.table(&self.relations, given, call.asked)
    }
}

/// The arguments of a call.
pub(super) struct Call {
    pub(super) positions: Positions,
    pub(super) asked: Asked,
}

pub(super) enum Positions {
    Fen(String),
    Column { table: String, column: String },
}

impl MoveTable {
    pub(super) fn read(&self, arguments: &[Expr]) -> Result<Call> {
        let wrong = || {
            let MoveTable { name, takes, .. } = self;
            DataFusionError::Plan(format!("{name} takes ({takes}), with strings in single quotes"))
        };
        let mut texts = Vec::new();
        let mut rest = arguments;
        while let [first, others @ ..] = rest
            && let Some(text) = text(first)
        {
            texts.push(text);
            rest = others;
        }
        let positions = match <[String; 1]>::try_from(texts) {
            Ok([fen]) => Positions::Fen(fen),
            Err(texts) => {
                let [table, column] = <[String; 2]>::try_from(texts).map_err(|_| wrong())?;
                Positions::Column { table, column }
            }
        };
        let (plies, rest) = match (self.plies, rest) {
            (Plies::None, rest) => (0, rest),
            (Plies::Needed, [first, others @ ..]) => {
                (self.plies(first).ok_or_else(wrong)??, others)
            }
            (Plies::Needed, []) => return Err(wrong()),
        };
        let merge = match (self.plies, rest) {
            (_, []) => None,
            (Plies::Needed, [Expr::Literal(ScalarValue::Boolean(Some(merge)), _)]) => Some(*merge),
            _ => return Err(wrong()),
        };
        Ok(Call { positions, asked: Asked { plies, merge } })
    }

    fn plies(&self, argument: &Expr) -> Option<Result<u32>> {
        let Expr::Literal(ScalarValue::Int64(Some(plies)), _) = argument else { return None };
        let in_range = u32::try_from(*plies).ok().filter(|plies| *plies <= MOST_PLIES);
        Some(in_range.ok_or_else(|| {
            let name = self.name;
            DataFusionError::Plan(format!("{name}: {plies} plies, expected 0 to {MOST_PLIES}"))
        }))
    }

    /// The names of the columns that the function adds.
    fn adds(&self, told: &DataFrame) -> Vec<String> {
        let names = told.schema().fields().iter().map(|field| field.name().clone());
        let is_shown = |name: &String| match positions::COLUMNS.contains(&name.as_str()) {
            true => self.fen.is_some() && !positions::CLOCKS.contains(&name.as_str()),
            false => !name.starts_with(GIVEN),
        };
        names.filter(is_shown).chain(self.fen.map(str::to_owned)).collect()
    }

    /// The result with the names of the table it came from, and a FEN where it has positions.
    fn with_names(&self, told: DataFrame, names: &Names) -> Result<DataFrame> {
        let mut columns = Vec::new();
        let names = &names.beside(&self.adds(&told));
        if let Names::Fen(fen) = names {
            columns.push(("fen".to_owned(), lit(fen.as_str())));
        }
        let mut board = Vec::new();
        for field in told.schema().fields() {
            let name = field.name();
            let column = inside(name);
            match name.strip_prefix(GIVEN).and_then(|number| number.parse::<usize>().ok()) {
                Some(number) => columns.push((names.of(number), column)),
                None if [COPIES, COPY].contains(&name.as_str()) => {}
                None if positions::COLUMNS.contains(&name.as_str()) => {
                    board.push((name.clone(), column));
                }
                None if KEPT.contains(&name.as_str()) => {
                    columns.push((name.clone(), function(rows::KEPT).call(vec![column])));
                }
                None => columns.push((name.clone(), column)),
            }
        }
        if let Some(name) = self.fen {
            let position = board.iter().map(|(_, column)| column.clone()).collect();
            let fen = function("chess_row_fen").call(position);
            columns.push((name.to_owned(), function(rows::KEPT).call(vec![fen])));
            // The FEN tells the clocks; the other columns are sets of squares.
            board.retain(|(name, _)| !positions::CLOCKS.contains(&name.as_str()));
            columns.extend(board);
        }
        told.select(
            columns.into_iter().map(|(name, column)| column.alias(name)).collect::<Vec<_>>(),
        )
    }
}

/// The columns that other functions take, and that are legal moves only at the end of a plan.
const KEPT: [&str; 5] = ["uci", "from", "to", "path", "parent"];

fn function(name: &str) -> ScalarUDF {
    super::scalars().find(|function| function.name == name).expect("the list has it").udf()
}

fn text(argument: &Expr) -> Option<String> {
    match argument {
        Expr::Literal(ScalarValue::Utf8(text) | ScalarValue::Utf8View(text), _) => text.clone(),
        _ => None,
    }
}

/// What becomes of the rows of a table.
#[derive(Clone, Copy)]
pub(crate) struct GivenRows {
    /// Equal rows become one, which knows how often it comes.
    pub(crate) are_added_up: bool,
    /// A row without a position goes through the plan too.
    pub(crate) are_kept: bool,
}

/// Positions as a plan takes them, and what they are called for those who asked.
#[derive(Clone)]
pub(crate) struct Given {
    pub(crate) positions: DataFrame,
    names: Names,
}

#[derive(Clone)]
pub(crate) enum Names {
    /// One position that need not be told again.
    Nothing,
    /// One position, whose text need not go through the plan.
    Fen(String),
    /// The columns of a table, each at its number, and the number of the one with the positions.
    Columns { names: Vec<String>, fen: usize },
}

impl Names {
    /// The names of a table beside columns that a function adds: those of the function stay, and
    /// one of the table that is the same gets `given_` before it.
    fn beside(&self, added: &[String]) -> Names {
        match self {
            Names::Nothing => Names::Nothing,
            Names::Fen(fen) => Names::Fen(fen.clone()),
            Names::Columns { names, fen } => {
                let mut free: Vec<String> = Vec::new();
                for name in names {
                    let mut new = name.clone();
                    while added.contains(&new) || new != *name && names.contains(&new) {
                        new = format!("{GIVEN}{new}");
                    }
                    free.push(new);
                }
                Names::Columns { names: free, fen: *fen }
            }
        }
    }

    fn of(&self, number: usize) -> String {
        match self {
            Names::Nothing | Names::Fen(_) => unreachable!("one position has no other columns"),
            Names::Columns { names, .. } => names[number].clone(),
        }
    }
}

pub(crate) fn one_row(state: &SessionState, position: &Position, names: Names) -> Result<Given> {
    let Row(cells) = Row::of(position);
    let cells = cells.into_iter().zip(positions::COLUMNS).map(|(cell, name)| {
        let typed = ScalarValue::UInt64(Some(cell)).cast_to(&positions::data_type(name));
        Ok(lit(typed?))
    });
    let cells = cells.collect::<Result<_>>()?;
    let column = |(at, name): (usize, &str)| inside(&format!("column{}", at + 1)).alias(name);
    let plan = LogicalPlanBuilder::values(vec![cells])?
        .project(positions::COLUMNS.into_iter().enumerate().map(column))?
        .build()?;
    Ok(Given { positions: DataFrame::new(state.clone(), plan), names })
}

/// The table whose positions are asked about.
fn opened(state: &SessionState, table: &str, column: &str) -> Result<DataFrame> {
    // `games.parquet` is a file of this directory, not a table `parquet` of a schema.
    let reference = match Named::of(table) {
        Some(_) => TableReference::bare(table),
        None => TableReference::parse_str(table),
    };
    let schema = state.schema_for_ref(reference.clone())?;
    let name = reference.table().to_owned();
    // Opening a file waits, and a call is made where nothing may.
    let found = block_in_place(|| Handle::current().block_on(schema.table(&name)))?;
    let Some(found) = found else {
        return Err(DataFusionError::Plan(format!("there is no table '{table}'")));
    };
    let scan = LogicalPlanBuilder::scan(reference, provider_as_source(found), None)?;
    if scan.schema().index_of_column_by_name(None, column).is_none() {
        return Err(DataFusionError::Plan(format!("'{table}' has no column '{column}'")));
    }
    Ok(DataFrame::new(state.clone(), scan.build()?))
}

/// What the columns of a table are called on their way through a plan.
const GIVEN: &str = "given_";
/// How often an equal row comes in the table.
const COPIES: &str = "given_copies";
const COPY: &str = "given_copy";

/// The table with its positions as rows; its own columns under names that clash with none.
pub(crate) fn with_rows(table: DataFrame, column: &str, rows: GivenRows) -> Result<Given> {
    let mut columns = Vec::new();
    let mut names = Vec::new();
    let mut fen = None;
    for (qualifier, field) in table.schema().iter() {
        let expr = Expr::Column(Column::from((qualifier, field)));
        let name = format!("{GIVEN}{}", names.len());
        if field.name() == column {
            fen = Some(names.len());
        }
        columns.push(expr.alias(name));
        names.push(field.name().clone());
    }
    let fen = fen.ok_or_else(|| DataFusionError::Plan(format!("there is no column '{column}'")))?;
    let mut given: Vec<Expr> = (0..names.len()).map(|at| inside(&format!("{GIVEN}{at}"))).collect();
    let mut table = table.select(columns)?;
    if rows.are_added_up {
        table = table.aggregate(given.clone(), vec![count(lit(1_i64)).alias(COPIES)])?;
        given.push(inside(COPIES));
    }
    // Where there is no FEN there is no king, and so the first join leaves the row out. Rows that are
    // kept go through the plan with a position whose results are dropped in the end.
    let text = inside(&format!("{GIVEN}{fen}"));
    let text = match rows.are_kept {
        true => when(text.clone().is_null(), lit(Position::default().to_string()))
            .otherwise(cast(text, DataType::Utf8))?,
        false => text,
    };
    let row = function("chess_row").call(vec![text]);
    let table =
        table.select(given.iter().cloned().chain([row.alias("row")]).collect::<Vec<_>>())?;
    let board = positions::COLUMNS.map(|name| get_field(inside("row"), name).alias(name));
    let positions = table.select(given.into_iter().chain(board).collect::<Vec<_>>())?;
    Ok(Given { positions, names: Names::Columns { names, fen } })
}

/// As many rows as there were before equal ones became one.
///
/// DataFusion 55.2 believes of a table that was grouped that its keys still determine every other
/// column after joins and a second group, and then leaves out of `order by fen, ply` what it needs
/// not sort by. A condition that always holds makes new columns of the keys, of which it believes
/// nothing.
fn repeated(told: DataFrame) -> Result<DataFrame> {
    if told.schema().index_of_column_by_name(None, COPIES).is_none() {
        return Ok(told);
    }
    let copies = array_repeat(lit(true), inside(COPIES));
    let told = told.with_column(COPY, copies)?.unnest_columns(&[COPY])?;
    let columns = told.schema().fields().iter().map(|field| {
        let (name, column) = (field.name(), inside(field.name()));
        let is_given = name.starts_with(GIVEN) && name != COPIES && name != COPY;
        match is_given {
            true => Ok(when(inside(COPY), column).end()?.alias(name)),
            false => Ok(column),
        }
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    told.select(columns)
}

fn inside(name: &str) -> Expr {
    Expr::Column(Column::new_unqualified(name))
}
