//! Timelines that are no longer than conditions on `ply` let them be.
//!
//! The rows of `chess_timeline` up to a ply are the same for any larger number of plies, so
//! `from chess_timeline('start', 9) where ply = 1` is answered by a timeline of one ply. The plan
//! of a timeline is therefore made when the optimizer has brought the conditions to it, from
//! wherever in the statement they stand: behind joins, in views, in CTEs, around subqueries.

use std::{fmt, sync::Arc};

use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use chess_relations::Relations;
use datafusion::{
    catalog::{Session, TableProvider},
    common::{Column, tree_node::Transformed},
    datasource::{TableType, source_as_provider},
    error::Result,
    logical_expr::{
        Between, BinaryExpr, Expr, LogicalPlan, LogicalPlanBuilder, Operator,
        TableProviderFilterPushDown, TableScan, expr::InList,
    },
    optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule},
    physical_plan::ExecutionPlan,
    scalar::ScalarValue,
};

use super::relations::{Asked, Given, MoveTable};

/// A timeline whose plan is not made yet.
pub(crate) struct Timelines {
    function: &'static MoveTable,
    relations: Arc<Relations>,
    given: Given,
    asked: Asked,
    schema: SchemaRef,
}

impl fmt::Debug for Timelines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Timelines")
    }
}

impl Timelines {
    pub(super) fn new(
        function: &'static MoveTable,
        relations: &Arc<Relations>,
        given: Given,
        asked: Asked,
    ) -> Result<Timelines> {
        // Columns do not depend on the number of plies.
        let short = Asked { plies: asked.plies.min(1), ..asked };
        let told = function.frame(relations, given.clone(), short)?;
        let schema = Arc::new(told.schema().as_arrow().clone());
        Ok(Timelines { function, relations: Arc::clone(relations), given, asked, schema })
    }

    /// The plan of the positions that it begins with.
    pub(crate) fn input(&self) -> &LogicalPlan {
        self.given.positions.logical_plan()
    }

    /// The plan of some columns, of as many plies as conditions let through.
    fn plan(&self, filters: &[Expr], projection: Option<&[usize]>) -> Result<LogicalPlan> {
        let most = filters.iter().filter_map(most_plies).min().unwrap_or(u64::MAX);
        let plies = u32::try_from(most).unwrap_or(u32::MAX).min(self.asked.plies);
        let asked = Asked { plies, ..self.asked };
        let told = self.function.frame(&self.relations, self.given.clone(), asked)?;
        let (state, told) = told.into_parts();
        let told = state.analyzer().execute_and_check(told, state.config_options(), |_, _| {})?;
        let Some(projection) = projection else { return Ok(told) };
        let column =
            |index: &usize| Expr::Column(Column::from(told.schema().qualified_field(*index)));
        let columns: Vec<Expr> = projection.iter().map(column).collect();
        LogicalPlanBuilder::from(told).project(columns)?.build()
    }
}

#[async_trait]
impl TableProvider for Timelines {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::View
    }

    /// Conditions stay where they are, too: they may say more than how many plies there are.
    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        let supports = |filter: &&Expr| match most_plies(filter) {
            Some(_) => TableProviderFilterPushDown::Inexact,
            None => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(supports).collect())
    }

    /// The optimizer has replaced the table before, unless it ran out of passes.
    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        _limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let plan = self.plan(filters, projection.map(Vec::as_slice))?;
        session.create_physical_plan(&plan).await
    }
}

/// Puts the plans of timelines in their places, when conditions have come to them.
#[derive(Debug)]
pub(crate) struct Unroll;

impl OptimizerRule for Unroll {
    fn name(&self) -> &str {
        "unroll_timelines"
    }

    /// What comes of a timeline may hold another one, which has not met its conditions yet.
    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        let LogicalPlan::TableScan(scan) = &plan else { return Ok(Transformed::no(plan)) };
        match unrolled(scan)? {
            Some(unrolled) => Ok(Transformed::yes(unrolled)),
            None => Ok(Transformed::no(plan)),
        }
    }
}

fn unrolled(scan: &TableScan) -> Result<Option<LogicalPlan>> {
    let Ok(table) = source_as_provider(&scan.source) else { return Ok(None) };
    let Some(timelines) = table.downcast_ref::<Timelines>() else { return Ok(None) };
    let plan = timelines.plan(&scan.filters, scan.projection.as_deref())?;
    LogicalPlanBuilder::from(plan).alias(scan.table_name.clone())?.build().map(Some)
}

/// The largest ply that a condition lets through, if it says so.
fn most_plies(condition: &Expr) -> Option<u64> {
    match condition {
        Expr::Alias(alias) => most_plies(&alias.expr),
        Expr::Between(Between { expr, negated: false, high, .. }) if is_ply(expr) => number(high),
        Expr::InList(InList { expr, list, negated: false }) if is_ply(expr) => {
            list.iter().map(number).collect::<Option<Vec<_>>>()?.into_iter().max()
        }
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => {
            [most_plies(left), most_plies(right)].into_iter().flatten().min()
        }
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
            Some(most_plies(left)?.max(most_plies(right)?))
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if is_ply(left) => match op {
            Operator::Eq | Operator::LtEq => number(right),
            Operator::Lt => Some(number(right)?.saturating_sub(1)),
            _ => None,
        },
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if is_ply(right) => match op {
            Operator::Eq | Operator::GtEq => number(left),
            Operator::Gt => Some(number(left)?.saturating_sub(1)),
            _ => None,
        },
        _ => None,
    }
}

fn is_ply(expr: &Expr) -> bool {
    matches!(expr, Expr::Column(column) if column.name == "ply")
}

/// A number from 0 up; what is less lets through no more than 0 does.
fn number(expr: &Expr) -> Option<u64> {
    let Expr::Literal(value, _) = expr else { return None };
    match *value {
        ScalarValue::UInt64(number) => number,
        ScalarValue::UInt32(number) => number.map(u64::from),
        ScalarValue::Int64(number) => number.map(|number| u64::try_from(number).unwrap_or(0)),
        ScalarValue::Int32(number) => number.map(|number| u64::try_from(number).unwrap_or(0)),
        _ => None,
    }
}
