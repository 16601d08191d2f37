//! The tables that every session has.

use std::sync::Arc;

use chess_relations::{Relation, Relations};
use datafusion::{
    catalog::{MemorySchemaProvider, SchemaProvider},
    datasource::ViewTable,
    error::{DataFusionError, Result},
    logical_expr::{Expr, LogicalPlanBuilder, col, lit},
    prelude::SessionContext,
};

use crate::{
    Supplier,
    functions::{self, Scalar, relations::MoveTable},
    pgn::functions::{FUNCTIONS as GAME_TABLES, GameTable},
};

/// Where tables are, unless a statement says otherwise.
pub(crate) const CATALOG: &str = "everyply";
pub(crate) const SCHEMA: &str = "public";

/// Adds the schema `everyply` with the tables `functions` and `tables`, and the schema `chess` with
/// the rules.
pub(crate) fn register(
    context: &SessionContext,
    suppliers: &[Supplier],
    relations: &Relations,
) -> Result<()> {
    let catalog = context.catalog(CATALOG).ok_or_else(|| {
        DataFusionError::Internal(format!("the session has no catalog {CATALOG}"))
    })?;
    let schema = Arc::new(MemorySchemaProvider::new());
    schema.register_table("functions".into(), Arc::new(functions_table(suppliers)?))?;
    schema.register_table("tables".into(), Arc::new(tables_table()?))?;
    catalog.register_schema("everyply", schema)?;
    let schema = Arc::new(MemorySchemaProvider::new());
    for relation in Relation::ALL.into_iter().filter(|relation| !relation.waits()) {
        let table = Arc::clone(relations.table(relation));
        schema.register_table(relation.name().into(), table)?;
    }
    catalog.register_schema("chess", schema)?;
    Ok(())
}

/// What the functions are. A view over values is part of any plan that uses it, so that it can
/// travel; a table in memory could not.
fn functions_table(suppliers: &[Supplier]) -> Result<ViewTable> {
    let scalars = functions::scalars().map(|function| {
        let Scalar { name, gives, says, example, .. } = function;
        [*name, &function.syntax(), gives.name(), says, example].map(lit).to_vec()
    });
    let tables = suppliers.iter().map(|supplier| {
        let Supplier { name, takes, says, example, .. } = supplier;
        [*name, &format!("{name}({takes})"), "table", says, example].map(lit).to_vec()
    });
    let moves = functions::relations::FUNCTIONS.iter().map(|function| {
        let MoveTable { name, takes, says, example, .. } = function;
        [*name, &format!("{name}({takes})"), "table", says, example].map(lit).to_vec()
    });
    let games = GAME_TABLES.iter().map(|function| {
        let GameTable { name, takes, says, example, .. } = function;
        [*name, &format!("{name}({takes})"), "table", says, example].map(lit).to_vec()
    });
    let rows = scalars.chain(moves).chain(games).chain(tables).collect();
    view(rows, &["name", "syntax", "gives", "description", "example"])
}

/// The columns of the tables that commands write, those of `chess.facts` aside, which are chosen.
fn tables_table() -> Result<ViewTable> {
    let rows = tables::all().flat_map(|table| {
        let version = table.version.to_string();
        table.columns.iter().map(move |column| {
            let data_type = column.kind.data_type().to_string();
            [table.name, &version, column.name, &data_type].map(lit).to_vec()
        })
    });
    view(rows.collect(), &["table_name", "version", "column_name", "data_type"])
}

fn view(rows: Vec<Vec<Expr>>, names: &[&str]) -> Result<ViewTable> {
    let columns = (1..).zip(names).map(|(at, name)| col(format!("column{at}")).alias(*name));
    let plan = LogicalPlanBuilder::values(rows)?.project(columns)?.build()?;
    Ok(ViewTable::new(plan, None))
}
