//! Sessions: the one place where they are made.

use std::sync::Arc;

use datafusion::{
    catalog::{DynamicFileCatalog, MemoryCatalogProviderList},
    execution::{
        SessionState, SessionStateBuilder,
        disk_manager::{DiskManagerBuilder, DiskManagerMode},
        memory_pool::MemoryPool,
        runtime_env::{RuntimeEnv, RuntimeEnvBuilder},
    },
    physical_optimizer::optimizer::PhysicalOptimizer,
    prelude::{SessionConfig, SessionContext},
};

use chess_relations::Relations;
use tables::Format;

use crate::{
    Settings, SqlError,
    buckets::Buckets,
    cases::Unfold,
    catalog, cluster,
    files::{Copied, External, Files, Remembered, STORED_AS, Shared},
    functions::{self, bounded, inputs::Inputs, sums, timelines::Unroll},
    guard::GuardedFiles,
    in_order::OneThread,
    local::Unwritten,
    pgn::{self, bad::Skipped, copying::PgnFiles},
    pool::Pool,
    rule_joins::RuleJoins,
    sorted_joins::SortedJoins,
    supplier, watched,
};

/// A session whose plans are computed in this process, or by a cluster.
pub(crate) fn new(
    settings: &Settings,
    relations: &Arc<Relations>,
) -> Result<SessionContext, SqlError> {
    let state = state(settings)?;
    let context = match &settings.cluster {
        Some(address) => cluster::session(state, address)?,
        None => SessionContext::new_with_state(state),
    };
    register(&context, settings, relations)?;
    Ok(context)
}

/// What any session begins with: limits, and files as tables.
fn state(settings: &Settings) -> Result<SessionState, SqlError> {
    let unwritten = Arc::new(Unwritten::default());
    let config = config(settings).with_extension(unwritten.clone());
    let runtime = runtime(settings, unwritten)?;
    let catalogs = Arc::new(MemoryCatalogProviderList::new());
    let files = Files::new(config.clone(), runtime.clone());
    let files = Arc::new(GuardedFiles { files, guard: settings.guard.clone() });
    let mut builder = SessionStateBuilder::new()
        .with_config(config)
        .with_runtime_env(runtime)
        .with_default_features()
        .with_optimizer_rule(Arc::new(Unroll))
        .with_optimizer_rule(Arc::new(Unfold))
        .with_catalog_list(Arc::new(DynamicFileCatalog::new(catalogs, files)));
    // On a cluster the scheduler makes the physical plan, by rules of its own.
    if settings.cluster.is_none() {
        let mut rules = PhysicalOptimizer::new().rules;
        rules.insert(0, Arc::new(RuleJoins));
        rules.insert(0, Arc::new(SortedJoins));
        builder = builder
            .with_physical_optimizer_rules(rules)
            .with_physical_optimizer_rule(Arc::new(OneThread));
    }
    let watch = watched::Watch { conditions: settings.cluster.is_none() };
    let mut state = builder.with_physical_optimizer_rule(Arc::new(watch)).build();
    for name in STORED_AS {
        state.table_factories_mut().insert(name.to_owned(), Arc::new(External));
    }
    // On a cluster others write, who know only what DataFusion knows.
    if settings.cluster.is_none() {
        for (ending, format) in [("csv", Format::Csv), ("json", Format::Jsonl)] {
            if let Some(others) = state.get_file_format_factory(ending) {
                state.register_file_format(Arc::new(Copied::new(format, others)), true)?;
            }
        }
        state.register_file_format(Arc::new(PgnFiles), true)?;
    }
    bounded::register(&mut state, settings.memory_limit)?;
    sums::register(&mut state)?;
    Ok(state)
}

/// Gives a session everything that bears our name. All of it comes from lists, so that every kind
/// of session knows the same.
fn register(
    context: &SessionContext,
    settings: &Settings,
    relations: &Arc<Relations>,
) -> Result<(), SqlError> {
    let Settings { suppliers, guard, .. } = settings;
    for function in functions::scalars() {
        context.register_udf(function.udf());
    }
    for supplier in suppliers {
        let guarded = supplier::Guarded { supplier: supplier.clone(), guard: guard.clone() };
        context.register_udtf(supplier.name, Arc::new(guarded));
    }
    for function in pgn::functions::FUNCTIONS {
        context.register_udtf(function.name, Arc::new(function.with(guard)));
    }
    for function in functions::relations::FUNCTIONS {
        context.register_udtf(function.name, Arc::new(function.with(relations)));
    }
    let inputs = Inputs { relations: Arc::clone(relations), state: context.state() };
    context.register_relation_planner(Arc::new(inputs))?;
    catalog::register(context, suppliers, relations)?;
    Ok(())
}

/// What a sort sets aside for merging at most, and does by default in DataFusion.
const MERGE: usize = 10 << 20;
/// Memory of a part of a plan below which it spills more than it computes: a few batches, twice.
const PART: usize = 16 << 20;
/// Memory of a part of a plan for each row of a batch. A merge holds four batches of each run, and
/// with too few runs at a time it reads everything many times. And what a function makes of a batch
/// of wide rows is not counted: when the process has too much, every thread still ends its batch.
const ROW: usize = 32 << 10;
/// Passes of the optimizer: those of DataFusion, and one more for each of two timelines of which one
/// takes the positions of the other.
const PASSES: usize = 5;
/// Batches of fewer rows cost more than they spare.
const FEW_ROWS: usize = 512;

fn config(settings: &Settings) -> SessionConfig {
    // Every part of a sort or a group has its share of the memory, so little memory means few
    // parts, however many threads there are.
    let parts = (settings.memory_limit / PART).clamp(1, settings.threads.get());
    let part = settings.memory_limit / parts;
    let rows = (part / ROW).max(FEW_ROWS).min(settings.batch_rows.get());
    let mut config = SessionConfig::new()
        .with_target_partitions(parts)
        .with_sort_spill_reservation_bytes((part / 32).min(MERGE))
        .with_batch_size(rows)
        .with_information_schema(true)
        .with_extension(Arc::new(Remembered::default()))
        .with_extension(Arc::new(Skipped::default()))
        .with_default_catalog_and_schema(catalog::CATALOG, catalog::SCHEMA);
    if settings.cluster.is_some() {
        config.set_extension(Arc::new(Shared));
    }
    let options = config.options_mut();
    // Rules are small and stand on the left, where a hash join builds its table. Statistics of a
    // position's row, of which there are none, would put them on the other side.
    options.optimizer.join_reordering = false;
    options.optimizer.prefer_hash_join = true;
    // A pass puts the plans of timelines in their places, and the next ones look at those.
    options.optimizer.max_passes = PASSES;
    // Of DataFusion 55.2 it fails ("duplicate unqualified field name") where moves are asked for of
    // a view of moves.
    options.optimizer.enable_leaf_expression_pushdown = false;
    // Text keeps the type that docs/formats.md promises, also when it is written again.
    options.execution.parquet.schema_force_view_types = false;
    options.sql_parser.map_string_types_to_utf8view = false;
    config
}

/// Memory, disk and buckets. Files that cannot be written are told to `unwritten`.
pub(crate) fn runtime(
    settings: &Settings,
    unwritten: Arc<Unwritten>,
) -> Result<Arc<RuntimeEnv>, SqlError> {
    let mode = match &settings.spill_directory {
        Some(directory) => DiskManagerMode::Directories(vec![directory.clone()]),
        None => DiskManagerMode::OsTmpDirectory,
    };
    let disk = DiskManagerBuilder::default()
        .with_mode(mode)
        .with_max_temp_directory_size(settings.spill_limit);
    let pool: Arc<dyn MemoryPool> = match &settings.shared_memory {
        Some(shared) => shared.pool(),
        None => Arc::new(Pool::new(settings.memory_limit)),
    };
    let root = settings.guard.root.as_deref();
    let built = RuntimeEnvBuilder::new()
        .with_memory_pool(pool)
        .with_disk_manager_builder(disk)
        .with_object_store_registry(Arc::new(Buckets::new(unwritten, root)))
        // Files that come and go between two statements are seen.
        .with_object_list_cache_limit(0)
        .build_arc();
    built.map_err(|error| match &settings.spill_directory {
        Some(directory) => SqlError::Io(format!(
            "cannot spill to {}: {}",
            directory.display(),
            SqlError::from(error)
        )),
        None => error.into(),
    })
}
