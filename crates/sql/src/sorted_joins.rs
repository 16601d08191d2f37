//! Which joins sort and spill, if a session does not prefer hash joins.
//!
//! DataFusion 55 plans joins that sort only for two threads or more, although one thread, or memory
//! for one, is when they are needed most. And it plans them for keys that it cannot compare: it
//! sorts -0.0 before 0.0 and then takes them for equal, panics at NaN, and refuses times with a
//! zone once there are many rows. A full join that sorts ignores a condition without a column, and
//! an outer one fails where a column of its condition cannot be NULL.

use std::sync::Arc;

use arrow::{
    compute::SortOptions,
    datatypes::{DataType, Schema},
};
use chess_relations::RuleScan;
use datafusion::{
    common::tree_node::{Transformed, TransformedResult, TreeNode},
    config::ConfigOptions,
    error::Result,
    physical_expr::PhysicalExprRef,
    physical_optimizer::PhysicalOptimizerRule,
    physical_plan::{
        ExecutionPlan, ExecutionPlanProperties,
        coalesce_partitions::CoalescePartitionsExec,
        joins::{HashJoinExec, PartitionMode, SortMergeJoinExec, utils::JoinFilter},
    },
};

/// Puts sort-merge joins in the place of hash joins, and the other way round, if the session does
/// not prefer hash joins. It comes before the rules of DataFusion, which then sort the inputs.
#[derive(Debug)]
pub(crate) struct SortedJoins;

impl PhysicalOptimizerRule for SortedJoins {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        options: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if options.optimizer.prefer_hash_join {
            return Ok(plan);
        }
        let has_one_thread = options.execution.target_partitions == 1;
        let replace = |plan: Arc<dyn ExecutionPlan>| {
            let replaced = if let Some(join) = plan.downcast_ref::<HashJoinExec>() {
                if has_one_thread { sorted(join)? } else { None }
            } else if let Some(join) = plan.downcast_ref::<SortMergeJoinExec>() {
                match may_be_sorted(&join.left, &join.on, join.filter.as_ref())? {
                    true => Some(merged(join)?),
                    false => Some(hashed(join)?),
                }
            } else {
                None
            };
            Ok(replaced.map_or_else(|| Transformed::no(plan), Transformed::yes))
        };
        plan.transform_up(replace).data()
    }

    fn name(&self) -> &str {
        "sorted_joins"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The join, sorted, if that is possible.
fn sorted(join: &HashJoinExec) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    // Sort-merge joins do not know the NULLs of `not in`. No join has a projection yet.
    let is_plain = !join.null_aware && !join.contains_projection();
    if !is_plain || !may_be_sorted(join.left(), join.on(), join.filter())? {
        return Ok(None);
    }
    // Rows of equal keys stay in the order of their parts.
    let whole = |input: &Arc<dyn ExecutionPlan>| match input.output_partitioning().partition_count()
    {
        0 | 1 => input.clone(),
        _ => Arc::new(CoalescePartitionsExec::new(input.clone())),
    };
    let join = SortMergeJoinExec::try_new(
        whole(join.left()),
        whole(join.right()),
        join.on().to_vec(),
        join.filter().map(with_nulls),
        *join.join_type(),
        vec![SortOptions::default(); join.on().len()],
        join.null_equality(),
    )?;
    Ok(Some(Arc::new(join)))
}

/// The join, with a condition that it can compute.
fn merged(join: &SortMergeJoinExec) -> Result<Arc<dyn ExecutionPlan>> {
    let join = SortMergeJoinExec::try_new(
        join.left.clone(),
        join.right.clone(),
        join.on.clone(),
        join.filter.as_ref().map(with_nulls),
        join.join_type,
        join.sort_options.clone(),
        join.null_equality,
    )?;
    Ok(Arc::new(join))
}

/// The condition of an outer join is also computed of rows without a partner, whose columns are NULL
/// then.
fn with_nulls(filter: &JoinFilter) -> JoinFilter {
    let fields = filter.schema().fields().iter();
    let fields: Vec<_> = fields.map(|field| field.as_ref().clone().with_nullable(true)).collect();
    let schema = Arc::new(Schema::new(fields));
    JoinFilter::new(filter.expression().clone(), filter.column_indices().to_vec(), schema)
}

/// The join, hashed.
fn hashed(join: &SortMergeJoinExec) -> Result<Arc<dyn ExecutionPlan>> {
    let mode = match is_of_rules(&join.left) {
        true => PartitionMode::CollectLeft,
        false => PartitionMode::Auto,
    };
    let join = HashJoinExec::try_new(
        join.left.clone(),
        join.right.clone(),
        join.on.clone(),
        join.filter.clone(),
        &join.join_type,
        None,
        mode,
        join.null_equality,
        false,
    )?;
    Ok(Arc::new(join))
}

/// Rules are few, and joins with them have an operator of their own, which takes the place of a
/// hash join.
fn is_of_rules(left: &Arc<dyn ExecutionPlan>) -> bool {
    left.downcast_ref::<RuleScan>().is_some()
}

fn may_be_sorted(
    left: &Arc<dyn ExecutionPlan>,
    on: &[(PhysicalExprRef, PhysicalExprRef)],
    filter: Option<&JoinFilter>,
) -> Result<bool> {
    if is_of_rules(left) || filter.is_some_and(|filter| filter.column_indices().is_empty()) {
        return Ok(false);
    }
    let schema: &Schema = &left.schema();
    for (key, _) in on {
        if !is_comparable(&key.data_type(schema)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether DataFusion sorts and compares keys of a type alike.
fn is_comparable(key: &DataType) -> bool {
    key.is_integer()
        || matches!(
            key,
            DataType::Boolean
                | DataType::Utf8
                | DataType::LargeUtf8
                | DataType::Utf8View
                | DataType::Binary
                | DataType::Decimal128(..)
                | DataType::Date32
                | DataType::Date64
                | DataType::Timestamp(_, None)
        )
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use arrow::util::pretty::pretty_format_batches;

    use crate::{Engine, Settings};

    const TABLES: &str = "with l as (select nullif(x % 7, 2) as k, x from generate_series(1, 40) t(x)), \
                          r as (select nullif(x % 5, 3) as k, x from generate_series(1, 20) t(x)), \
                          r2 as (select y from generate_series(9, 30) t(y)) ";
    const JOINS: [&str; 14] = [
        "select l.x, r.x as y from l join r on l.k = r.k and l.x < r.x",
        "select l.x, r.x as y from l left join r on l.k = r.k",
        "select l.x, r.x as y from l left join r on l.x = r.x + 15 and l.k < r.x",
        "select l.x, y from l left join r2 on l.x = y and x % 3 + y % 2 > 1",
        "select l.x, y from l right join r2 on l.x = y and x % 3 + y % 2 > 1",
        "select l.x, y from l full join r2 on l.x = y and x % 3 + y % 2 > 1",
        "select l.x, r.x as y from l full join r on l.k = r.k",
        "select x from l where k in (select k from r)",
        "select x from l where not exists (select 1 from r where r.k = l.k)",
        "select x from l where k not in (select k from r where k is not null)",
        "select x from l where x < 3 or exists (select 1 from r where r.k = l.k)",
        "select l.x, r.x as y from l left join r on l.k = r.k and l.x % 2 = r.k",
        "select k from l intersect select k from r",
        "select k from l except select k from r where x % 3 > 0",
    ];

    /// Joins that must not be sorted: keys that are equal but not the same, that have no order or
    /// that no comparison knows, a condition without a column, the NULLs of `not in`, and rules.
    const HASHED: [&str; 6] = [
        "select l.x, y from l full join r2 on l.x = y and random() < 0",
        "select l.k from (values (-0.0e0, 5), (0e0, 3)) l(f, k) \
         join (values (0e0, 3), (0e0, 5)) r(f, k) on l.f = r.f and l.k = r.k",
        "select x from l where x / 0e0 in (select y / 0e0 from r2)",
        "select x from l where to_timestamp(x) at time zone 'UTC' in \
         (select to_timestamp(y) at time zone 'UTC' from r2)",
        "select x from l where k not in (select k from r)",
        "select uci from chess_moves('start')",
    ];

    /// The rows of a statement, and its plan.
    fn answers(statement: &str, threads: usize, prefers_hash_joins: bool) -> (String, String) {
        let threads = NonZeroUsize::new(threads).unwrap();
        let engine = Engine::new(Settings { threads, ..Settings::default() }).unwrap();
        let set = format!("set datafusion.optimizer.prefer_hash_join = {prefers_hash_joins}");
        engine.sql(&set).unwrap().for_each(drop);
        let text = |statement: String| {
            let batches: Vec<_> = engine.sql(&statement).unwrap().map(Result::unwrap).collect();
            pretty_format_batches(&batches).unwrap().to_string()
        };
        let rows = text(format!("{TABLES} {statement}"));
        let mut lines: Vec<&str> = rows.lines().collect();
        lines.sort_unstable();
        (lines.join("\n"), text(format!("explain {TABLES} {statement}")))
    }

    #[test]
    fn joins_sort_where_a_session_does_not_prefer_hash_joins() {
        for (threads, join) in [1, 3].into_iter().flat_map(|threads| JOINS.map(|it| (threads, it)))
        {
            let (hashed, plan) = answers(join, threads, true);
            assert!(plan.contains("HashJoin") && !plan.contains("SortMergeJoin"), "{plan}");
            let (sorted, plan) = answers(join, threads, false);
            assert_eq!(sorted, hashed, "{join}");
            // That of `not in` may stay one: it alone knows what NULL means there.
            let is_sorted = plan.contains("SortMergeJoin") && !plan.contains("HashJoin");
            assert!(is_sorted || join.contains("not in"), "{join}: {plan}");
        }
    }

    #[test]
    fn joins_with_keys_that_cannot_be_compared_and_joins_with_rules_do_not_sort() {
        for (threads, join) in [1, 3].into_iter().flat_map(|threads| HASHED.map(|it| (threads, it)))
        {
            let (hashed, _) = answers(join, threads, true);
            let (sorted, plan) = answers(join, threads, false);
            assert_eq!(sorted, hashed, "{join}");
            assert!(!plan.contains("SortMergeJoin"), "{join}: {plan}");
        }
    }

    #[test]
    fn rows_of_equal_keys_come_in_the_same_order_every_time() {
        let many = "select x from (select 1 as k, x from generate_series(1, 3) t(x) union all \
                    select 1, x from generate_series(4, 6) t(x)) l join (values (1)) r(k) on l.k = r.k";
        let engine =
            Engine::new(Settings { threads: NonZeroUsize::MIN, ..Settings::default() }).unwrap();
        engine.sql("set datafusion.optimizer.prefer_hash_join = false").unwrap().for_each(drop);
        let rows = || -> Vec<_> { engine.sql(many).unwrap().map(Result::unwrap).collect() };
        let first = rows();
        assert!((0..20).all(|_| rows() == first));
    }
}
