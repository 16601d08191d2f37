//! IN over values that are computed for each row.
//!
//! DataFusion 55.2 tries a list on no rows at all and takes it for constant if that gives values. CASE
//! gives one then, which it does not have for every row. Of two lists it makes one as if none held
//! NULL. So whatever is not a literal, and NULL, is compared by itself.

use datafusion::{
    common::tree_node::{Transformed, TreeNode},
    error::Result,
    logical_expr::{Expr, LogicalPlan, expr::InList, expr_rewriter::NamePreserver},
};

/// The plan with literals only in its lists.
pub(super) fn settled(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let preserver = NamePreserver::new(&plan);
    plan.map_expressions(|expr| {
        let name = preserver.save(&expr);
        let settled = expr.transform_up(|expr| match expr {
            Expr::InList(list) if is_computed(&list) => Ok(Transformed::yes(apart(list))),
            other => Ok(Transformed::no(other)),
        })?;
        Ok(settled.update_data(|expr| name.restore(expr)))
    })
}

fn is_computed(list: &InList) -> bool {
    // What is different each time cannot be compared twice.
    !list.expr.is_volatile() && !list.list.iter().all(is_literal)
}

fn is_literal(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(value, _) => !value.is_null(),
        Expr::Negative(inner) => is_literal(inner),
        Expr::Cast(cast) => is_literal(&cast.expr),
        _ => false,
    }
}

fn apart(InList { expr, list, negated }: InList) -> Expr {
    let (literals, computed): (Vec<Expr>, Vec<Expr>) = list.into_iter().partition(is_literal);
    let first = (!literals.is_empty()).then(|| (*expr).clone().in_list(literals, negated));
    let others = computed.into_iter().map(|other| match negated {
        true => (*expr).clone().not_eq(other),
        false => (*expr).clone().eq(other),
    });
    let all = first.into_iter().chain(others);
    let all = all.reduce(|all, other| if negated { all.and(other) } else { all.or(other) });
    all.expect("a list has values")
}
