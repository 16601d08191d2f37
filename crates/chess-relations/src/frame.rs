//! A plan on its way through joins: the position in ten columns, and whatever comes along.

use chess::Role;
use datafusion::{
    arrow::datatypes::DataType,
    common::{Column, plan_err},
    dataframe::DataFrame,
    error::Result,
    execution::SessionState,
    logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder, cast, lit, when},
};

use crate::{compile::BACK_RANKS, positions, tables::Relation};

/// The position inside a plan, with both kinds of marks in one column.
pub(crate) const BOARD: [&str; 10] = ["stm", "us", "them", "p", "n", "b", "r", "q", "k", "marks"];
/// The pieces of each kind, in the order of [`Role`].
pub(crate) const ROLES: [&str; 6] = ["p", "n", "b", "r", "q", "k"];

#[derive(Clone)]
pub(crate) struct Frame {
    pub(crate) plan: LogicalPlan,
    columns: Vec<Carried>,
}

/// A column that comes along. Inside a plan it has a name of ours, so that it cannot be mistaken
/// for one of a rule table.
#[derive(Clone)]
struct Carried {
    inside: String,
    /// Nothing for one that the plan itself carries.
    outside: Option<String>,
}

impl Frame {
    /// Positions as they are given. The new columns must not be there yet.
    pub(crate) fn of(positions: DataFrame, new: &[&str]) -> Result<(Frame, SessionState)> {
        let (session, plan) = positions.into_parts();
        let schema = plan.schema();
        let mut exprs = Vec::new();
        for name in positions::COLUMNS {
            if schema.index_of_column_by_name(None, name).is_none() {
                let needed = positions::COLUMNS.join(", ");
                return plan_err!("positions have no column {name}; they need {needed}");
            }
        }
        for name in &BOARD[..9] {
            exprs.push(number(name)?.alias(*name));
        }
        exprs.push((number("cr")? | number("ep")?).alias("marks"));
        for name in positions::CLOCKS {
            exprs.push(number(name)?.alias(name));
        }
        let mut columns = Vec::new();
        for (qualifier, field) in schema.iter() {
            if positions::COLUMNS.contains(&field.name().as_str()) {
                continue;
            }
            if new.contains(&field.name().as_str()) {
                return plan_err!(
                    "positions already have a column {}, which the result adds; rename it",
                    field.name()
                );
            }
            let inside = format!("carried_{}", columns.len());
            let outside = Expr::Column(Column::from((qualifier, field)));
            exprs.push(outside.alias(&inside));
            columns.push(Carried { inside, outside: Some(field.name().clone()) });
        }
        let plan = LogicalPlanBuilder::from(plan).project(exprs)?.build()?;
        Ok((Frame { plan, columns }, session))
    }

    /// The columns that come along.
    pub(crate) fn carried(&self) -> Vec<Expr> {
        self.columns.iter().map(|column| c(&column.inside)).collect()
    }

    /// Another plan with the same columns coming along.
    pub(crate) fn with(&self, plan: LogicalPlan) -> Frame {
        Frame { plan, columns: self.columns.clone() }
    }

    /// Takes a column along from here on.
    pub(crate) fn carry(&mut self, name: &str) {
        self.columns.push(Carried { inside: name.to_owned(), outside: None });
    }

    /// Takes along only what came from outside.
    pub(crate) fn without_hidden(mut self) -> Frame {
        self.columns.retain(|column| column.outside.is_some());
        self
    }

    /// Nothing but these.
    pub(crate) fn project(&self, exprs: impl IntoIterator<Item = Expr>) -> Result<Frame> {
        let exprs: Vec<Expr> = exprs.into_iter().collect();
        let plan = LogicalPlanBuilder::from(self.plan.clone()).project(exprs)?.build()?;
        Ok(Frame { plan, columns: self.columns.clone() })
    }

    /// The board, what comes along, and these.
    pub(crate) fn keeping(&self, more: impl IntoIterator<Item = Expr>) -> Result<Frame> {
        self.project(BOARD.map(c).into_iter().chain(self.carried()).chain(more))
    }

    /// A rule table joined with this. The rules come first: the first side of a join is the one
    /// that is held in memory, the other one streams.
    pub(crate) fn joined(self, rules: LogicalPlan, how: JoinType, on: Expr) -> Result<Frame> {
        let plan = LogicalPlanBuilder::from(rules).join_on(self.plan, how, [on])?.build()?;
        Ok(Frame { plan, columns: self.columns })
    }

    /// What came along, under its own names, and these.
    pub(crate) fn finish(
        self,
        session: SessionState,
        exprs: impl IntoIterator<Item = Expr>,
    ) -> Result<DataFrame> {
        let named = self.columns.iter().filter_map(|column| {
            let outside = column.outside.as_ref()?;
            Some(c(&column.inside).alias(outside))
        });
        let exprs: Vec<Expr> = named.chain(exprs).collect();
        let plan = LogicalPlanBuilder::from(self.plan).project(exprs)?.build()?;
        Ok(DataFrame::new(session, plan))
    }
}

fn number(column: &str) -> Result<Expr> {
    Ok(cast(Expr::Column(Column::new_unqualified(column)), positions::data_type("us")))
}

/// A column of a position or one that comes along.
pub(crate) fn c(name: &str) -> Expr {
    Expr::Column(Column::new_unqualified(name))
}

/// A column of a rule table.
pub(crate) fn rule(relation: Relation, name: &str) -> Expr {
    Expr::Column(Column::new(Some(relation.name()), name))
}

pub(crate) fn occupied() -> Expr {
    c("us") | c("them")
}

/// The square of the king of the side to move.
pub(crate) fn king() -> Expr {
    c("us") & c("k")
}

/// Whether two sets of squares have one in common.
pub(crate) fn has(cells: Expr, others: Expr) -> Expr {
    (cells & others).not_eq(lit(0_u64))
}

/// The letter that Black's pieces have in a FEN, which is the column of all pieces of the role.
pub(crate) fn letter(role: Role) -> &'static str {
    ROLES[role.index()]
}

/// The name of the piece on a square, given as a set; null if it is empty.
pub(crate) fn piece_at(place: &Expr) -> Result<Expr> {
    let is = |role: Role| has(c(letter(role)), place.clone());
    let mut cases = when(is(Role::Pawn), lit(Role::Pawn.name()));
    for role in &Role::ALL[1..] {
        cases = cases.when(is(*role), lit(role.name()));
    }
    cases.end()
}

/// The number of a side's piece on a square, as rule tables have it.
pub(crate) fn man_on(side: Expr, cell: &Expr) -> Expr {
    let roles = ROLES.iter().enumerate().skip(1).map(|(number, role)| {
        let is_there = (c(role) >> cell.clone()) & lit(1_u64);
        is_there * lit(64 * number as u64)
    });
    roles.fold(side * lit(512_u64) + cell.clone(), |sum, role| sum + role)
}

/// The columns of a position, as tables outside have them.
pub(crate) fn position_columns() -> Vec<Expr> {
    let column = |name: &&str| match *name {
        "cr" => (c("marks") & lit(BACK_RANKS)).alias("cr"),
        "ep" => (c("marks") & lit(!BACK_RANKS)).alias("ep"),
        name => match positions::data_type(name) {
            DataType::UInt64 => c(name),
            narrow => cast(c(name), narrow).alias(name),
        },
    };
    positions::COLUMNS.iter().map(column).collect()
}
