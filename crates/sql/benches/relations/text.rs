//! A plan as SQL that any engine reads: what plans of `chess-relations` are made of, no more.

use datafusion::{
    logical_expr::{Expr, JoinType, LogicalPlan},
    scalar::ScalarValue,
};

pub(crate) fn sql(plan: &LogicalPlan) -> String {
    let mut names = 0;
    select(plan, &mut names) + "\n"
}

fn select(plan: &LogicalPlan, names: &mut usize) -> String {
    match plan {
        LogicalPlan::Projection(projection) => {
            let columns: Vec<String> = projection.expr.iter().map(expr).collect();
            format!("SELECT {} FROM {}", columns.join(", "), from(&projection.input, names))
        }
        LogicalPlan::Aggregate(aggregate) => {
            let columns: Vec<String> = aggregate.aggr_expr.iter().map(expr).collect();
            format!("SELECT {} FROM {}", columns.join(", "), from(&aggregate.input, names))
        }
        other => format!("SELECT * FROM {}", from(other, names)),
    }
}

fn from(plan: &LogicalPlan, names: &mut usize) -> String {
    match plan {
        LogicalPlan::TableScan(scan) => scan.table_name.to_string(),
        LogicalPlan::Join(join) => {
            let on = join.filter.as_ref().map(expr).expect("rules are joined by a condition");
            let (rules, rows) = (from(&join.left, names), from(&join.right, names));
            match join.join_type {
                JoinType::Inner => format!("{rules} JOIN {rows} ON {on}"),
                JoinType::RightAnti => format!("{rows} LEFT ANTI JOIN {rules} ON {on}"),
                JoinType::RightMark => {
                    *names += 1;
                    let mark = format!("EXISTS (SELECT 1 FROM {rules} WHERE {on}) AS mark");
                    format!("(SELECT *, {mark} FROM {rows}) AS t{names}")
                }
                other => panic!("a count has no {other} join"),
            }
        }
        other => {
            *names += 1;
            let name = format!("t{names}");
            format!("({}) AS {name}", select(other, names))
        }
    }
}

fn expr(expr: &Expr) -> String {
    let text = self::expr;
    match expr {
        Expr::Alias(alias) => format!("{} AS {}", text(&alias.expr), alias.name),
        Expr::Column(column) => match &column.relation {
            // The table has no such column: it is what `EXISTS` says.
            Some(relation) if relation.table() == "checks" && column.name == "mark" => {
                column.name.clone()
            }
            Some(relation) => format!("{relation}.{}", column.name),
            None => column.name.clone(),
        },
        Expr::Literal(ScalarValue::UInt64(Some(number)), _) => number.to_string(),
        Expr::BinaryExpr(binary) => {
            format!("({} {} {})", text(&binary.left), binary.op, text(&binary.right))
        }
        // Other engines have one kind of whole number, or turn one into the other by themselves.
        Expr::Cast(cast) => text(&cast.expr),
        Expr::Case(case) => {
            let whens = case.when_then_expr.iter();
            let whens: Vec<String> = whens
                .map(|(when, then)| format!("WHEN {} THEN {}", text(when), text(then)))
                .collect();
            let other = case.else_expr.as_ref();
            let other = other.map_or(String::new(), |other| format!(" ELSE {}", text(other)));
            format!("CASE {}{other} END", whens.join(" "))
        }
        Expr::ScalarFunction(call) => {
            let arguments: Vec<String> = call.args.iter().map(text).collect();
            format!("{}({})", call.name(), arguments.join(", "))
        }
        Expr::AggregateFunction(call) => {
            let arguments: Vec<String> = call.params.args.iter().map(text).collect();
            format!("{}({})", call.func.name(), arguments.join(", "))
        }
        other => panic!("a count has no {other}"),
    }
}
