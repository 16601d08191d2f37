//! What a plan may do.

use datafusion::{
    common::tree_node::TreeNodeRecursion,
    logical_expr::{DdlStatement, LogicalPlan, Statement},
};

use super::{Access, Guard, Options, options};
use crate::SqlError;

/// Refuses a plan with a part that is not on the list below.
pub(super) fn check(guard: &Guard, plan: &LogicalPlan, threads: usize) -> Result<(), SqlError> {
    let mut verdict = Ok(());
    plan.apply_with_subqueries(|node| {
        // What is explained is not done.
        if matches!(node, LogicalPlan::Explain(_)) {
            return Ok(TreeNodeRecursion::Jump);
        }
        verdict = part(guard, node, threads);
        Ok(if verdict.is_err() { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    verdict
}

/// The list. A kind of plan that is new in DataFusion does not compile here until somebody has
/// thought about it.
fn part(guard: &Guard, node: &LogicalPlan, threads: usize) -> Result<(), SqlError> {
    use LogicalPlan as P;
    match node {
        P::Projection(_)
        | P::Filter(_)
        | P::Window(_)
        | P::Aggregate(_)
        | P::Sort(_)
        | P::Join(_)
        | P::Repartition(_)
        | P::Union(_)
        | P::TableScan(_)
        | P::EmptyRelation(_)
        | P::Subquery(_)
        | P::SubqueryAlias(_)
        | P::Limit(_)
        | P::Values(_)
        | P::Explain(_)
        | P::Analyze(_)
        | P::Distinct(_)
        | P::DescribeTable(_)
        | P::Unnest(_)
        | P::RecursiveQuery(_) => Ok(()),
        P::Statement(statement) => session(guard, statement, threads),
        P::Ddl(ddl) => definition(guard, ddl),
        P::Copy(copy) => {
            writes(guard, "COPY")?;
            guard.check_place(&copy.output_url)
        }
        P::Dml(dml) => writes(guard, &dml.op.name().to_uppercase()),
        P::Extension(extension) => {
            Err(SqlError::Refused(format!("{} is refused", extension.node.name())))
        }
    }
}

fn writes(guard: &Guard, what: &str) -> Result<(), SqlError> {
    match guard.access {
        Access::Writable => Ok(()),
        Access::ReadOnly => Err(SqlError::ReadOnly(what.to_owned())),
    }
}

/// What changes the session itself.
fn session(guard: &Guard, statement: &Statement, threads: usize) -> Result<(), SqlError> {
    let refusal = match statement {
        Statement::SetVariable(_) | Statement::ResetVariable(_)
            if guard.options == Options::Refused =>
        {
            Some("SET and RESET are refused: this session has no options".to_owned())
        }
        Statement::SetVariable(set) => options::refusal(&set.variable, Some(&set.value), threads),
        Statement::ResetVariable(reset) => options::refusal(&reset.variable, None, threads),
        Statement::Prepare(_) | Statement::Execute(_) | Statement::Deallocate(_) => None,
        Statement::TransactionStart(_) | Statement::TransactionEnd(_) => {
            Some("transactions are refused: every statement runs on its own".to_owned())
        }
    };
    refusal.map_or(Ok(()), |what| Err(SqlError::Refused(what)))
}

/// Views, tables in memory and names for files are gone with the session, so creating and dropping
/// them is fine. Functions and indices are none that a statement could make.
fn definition(guard: &Guard, ddl: &DdlStatement) -> Result<(), SqlError> {
    match ddl {
        DdlStatement::CreateExternalTable(create) => {
            create.locations.iter().try_for_each(|location| guard.check_place(location))
        }
        DdlStatement::CreateMemoryTable(_)
        | DdlStatement::CreateView(_)
        | DdlStatement::CreateCatalogSchema(_)
        | DdlStatement::CreateCatalog(_)
        | DdlStatement::DropTable(_)
        | DdlStatement::DropView(_)
        | DdlStatement::DropCatalogSchema(_) => Ok(()),
        DdlStatement::CreateIndex(_)
        | DdlStatement::CreateFunction(_)
        | DdlStatement::DropFunction(_) => {
            Err(SqlError::Refused(format!("{} is refused", ddl.name())))
        }
    }
}
