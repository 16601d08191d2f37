//! What a session that only reads does not do.

use datafusion::{
    common::tree_node::TreeNodeRecursion,
    logical_expr::{DdlStatement, LogicalPlan},
};

use crate::SqlError;

/// Refuses a plan that changes what outlives the session. Views, tables in memory and names for
/// files are gone with it, so creating and dropping them is fine.
pub(super) fn check(plan: &LogicalPlan) -> Result<(), SqlError> {
    let mut writes = None;
    plan.apply_with_subqueries(|node| {
        writes = match node {
            LogicalPlan::Copy(_) => Some("COPY".to_owned()),
            LogicalPlan::Dml(dml) => Some(dml.op.name().to_uppercase()),
            LogicalPlan::Ddl(ddl) if !ends_with_the_session(ddl) => Some(ddl.name().to_owned()),
            // What is explained is not done.
            LogicalPlan::Explain(_) => return Ok(TreeNodeRecursion::Jump),
            _ => None,
        };
        Ok(if writes.is_some() { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    writes.map_or(Ok(()), |what| Err(SqlError::ReadOnly(what)))
}

fn ends_with_the_session(ddl: &DdlStatement) -> bool {
    match ddl {
        DdlStatement::CreateExternalTable(_)
        | DdlStatement::CreateMemoryTable(_)
        | DdlStatement::CreateView(_)
        | DdlStatement::CreateCatalogSchema(_)
        | DdlStatement::CreateCatalog(_)
        | DdlStatement::DropTable(_)
        | DdlStatement::DropView(_)
        | DdlStatement::DropCatalogSchema(_) => true,
        DdlStatement::CreateIndex(_)
        | DdlStatement::CreateFunction(_)
        | DdlStatement::DropFunction(_) => false,
    }
}
