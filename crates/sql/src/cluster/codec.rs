//! What of a plan is ours, written so that another process of this program can read it.
//!
//! Tables of rules go as the few lines of patterns that they were made from; the rows are made
//! again where they are needed, once for each pattern file. Rows that a statement brings with it
//! go as Arrow. Text files go by name and with the types of their columns, so that no machine has
//! to learn them again. Functions go by name: every process has registered the same ones.

use std::{
    collections::VecDeque,
    io::Cursor,
    sync::{Arc, Mutex},
};

use arrow::{
    datatypes::SchemaRef,
    ipc::{reader::StreamReader, writer::StreamWriter},
    record_batch::RecordBatch,
};
use ballista_core::serde::{BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec};
use chess_relations::{Relation, Relations, RuleScan, RuleTable, Rules};
use datafusion::{
    catalog::TableProvider,
    common::TableReference,
    datasource::{MemTable, file_format::FileFormatFactory},
    error::{DataFusionError, Result},
    execution::TaskContext,
    logical_expr::{Extension, LogicalPlan},
    physical_optimizer::PhysicalOptimizerRule,
    physical_plan::{ExecutionPlan, replace_children_if_necessary},
};
use datafusion_proto::{
    bytes::{
        physical_plan_from_bytes_with_extension_codec, physical_plan_to_bytes_with_extension_codec,
    },
    logical_plan::LogicalExtensionCodec,
    physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension},
};
use prost::Message as _;
use solver_plans::{Games, TaskScan, TaskTable, Work};

use super::{games::GamesMessage, repeats, text::TextMessage};
use crate::{
    files::text::{TextScan, TextTable},
    pgn::{scan::GamesScan, table::GamesTable},
    rule_joins::{RuleJoinExec, RuleJoins},
};

/// Bytes of rows that a statement may bring with it: a plan travels in one message, and messages
/// have at most 16 MiB.
const ROWS_LIMIT: usize = 8 << 20;
/// What begins everything of ours. No message of Protocol Buffers begins with a zero.
const OURS: &[u8] = b"\0everyply";
/// How many pattern files are remembered.
const REMEMBERED: usize = 4;

/// A table of rules, or the reading of one.
#[derive(Clone, PartialEq, prost::Message)]
struct RuleMessage {
    /// The name of the relation.
    #[prost(string, tag = "1")]
    relation: String,
    /// The pattern file.
    #[prost(string, tag = "2")]
    patterns: String,
    /// The columns that are read, unless all are.
    #[prost(message, optional, tag = "3")]
    projection: Option<ColumnsMessage>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct ColumnsMessage {
    #[prost(uint32, repeated, tag = "1")]
    indices: Vec<u32>,
}

/// A table of ours.
#[derive(Clone, PartialEq, prost::Message)]
struct TableMessage {
    #[prost(oneof = "TableKind", tags = "1, 2, 3, 4, 5")]
    kind: Option<TableKind>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum TableKind {
    #[prost(message, tag = "1")]
    Rules(RuleMessage),
    /// A stream of Arrow.
    #[prost(bytes, tag = "2")]
    Rows(Vec<u8>),
    #[prost(message, tag = "3")]
    Text(TextMessage),
    #[prost(message, tag = "4")]
    Games(GamesMessage),
    #[prost(message, tag = "5")]
    Tasks(TasksMessage),
}

/// A scan of ours.
#[derive(Clone, PartialEq, prost::Message)]
struct ScanMessage {
    #[prost(oneof = "ScanKind", tags = "1, 2, 3, 4, 5")]
    kind: Option<ScanKind>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum ScanKind {
    #[prost(message, tag = "1")]
    Rules(RuleMessage),
    #[prost(message, tag = "2")]
    Text(TextMessage),
    #[prost(message, tag = "3")]
    Games(GamesMessage),
    #[prost(message, tag = "4")]
    Tasks(TasksMessage),
    /// A join with a rule table: the hash join that it stands for, over no rows, as a plan.
    #[prost(bytes, tag = "5")]
    RuleJoin(Vec<u8>),
}

/// Tasks of solving a game, or their running, where another operator tells the tasks.
#[derive(Clone, PartialEq, prost::Message)]
struct TasksMessage {
    #[prost(string, tag = "1")]
    place: String,
    #[prost(string, tag = "2")]
    game: String,
    #[prost(bytes, repeated, tag = "3")]
    tasks: Vec<Vec<u8>>,
}

/// Writes and reads logical plans.
#[derive(Debug, Default)]
pub(super) struct Logical {
    others: BallistaLogicalExtensionCodec,
    remembered: Memory,
}

/// Writes and reads physical plans.
#[derive(Debug, Default)]
pub(super) struct Physical {
    others: BallistaPhysicalExtensionCodec,
    remembered: Memory,
    games: Games,
}

impl Physical {
    /// For a process that works on tasks of these games.
    pub(super) fn for_games(games: Games) -> Physical {
        Physical { games, ..Physical::default() }
    }
}

impl LogicalExtensionCodec for Logical {
    fn try_decode(
        &self,
        buf: &[u8],
        inputs: &[LogicalPlan],
        ctx: &TaskContext,
    ) -> Result<Extension> {
        self.others.try_decode(buf, inputs, ctx)
    }

    fn try_encode(&self, node: &Extension, buf: &mut Vec<u8>) -> Result<()> {
        self.others.try_encode(node, buf)
    }

    fn try_decode_table_provider(
        &self,
        buf: &[u8],
        table: &TableReference,
        _: SchemaRef,
        _: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        let message = buf.strip_prefix(OURS).and_then(|buf| TableMessage::decode(buf).ok());
        match message.and_then(|message| message.kind) {
            Some(TableKind::Rules(rules)) => Ok(self.remembered.table(&rules)?),
            Some(TableKind::Rows(rows)) => {
                let reader = StreamReader::try_new(Cursor::new(rows), None)?;
                let schema = reader.schema();
                let rows = reader.collect::<Result<Vec<RecordBatch>, _>>()?;
                Ok(Arc::new(MemTable::try_new(schema, vec![rows])?))
            }
            Some(TableKind::Text(text)) => Ok(Arc::new(text.table()?)),
            Some(TableKind::Games(games)) => Ok(Arc::new(games.table()?)),
            Some(TableKind::Tasks(TasksMessage { place, game, tasks })) => {
                let games = Games::default();
                Ok(Arc::new(TaskTable { work: Work { place, game, games }, tasks }))
            }
            None => Err(unreadable(&format!("table {table}"))),
        }
    }

    fn try_encode_table_provider(
        &self,
        table: &TableReference,
        provider: Arc<dyn TableProvider>,
        buf: &mut Vec<u8>,
    ) -> Result<()> {
        let kind = if let Some(rules) = provider.downcast_ref::<RuleTable>() {
            TableKind::Rules(RuleMessage {
                relation: rules.relation().name().to_owned(),
                patterns: rules.patterns().to_string(),
                projection: None,
            })
        } else if let Some(rows) = provider.downcast_ref::<MemTable>() {
            TableKind::Rows(written(table, rows)?)
        } else if let Some(text) = provider.downcast_ref::<TextTable>() {
            TableKind::Text(TextMessage::of_table(text)?)
        } else if let Some(games) = provider.downcast_ref::<GamesTable>() {
            TableKind::Games(GamesMessage::of_table(games))
        } else if let Some(TaskTable { work, tasks }) = provider.downcast_ref() {
            let (place, game) = (work.place.clone(), work.game.clone());
            TableKind::Tasks(TasksMessage { place, game, tasks: tasks.clone() })
        } else {
            return Err(DataFusionError::NotImplemented(format!(
                "table {table} cannot be sent to a cluster; write it to a Parquet file that \
                 every machine can read"
            )));
        };
        buf.extend_from_slice(OURS);
        TableMessage { kind: Some(kind) }.encode(buf).map_err(full)
    }

    fn try_decode_file_format(
        &self,
        buf: &[u8],
        ctx: &TaskContext,
    ) -> Result<Arc<dyn FileFormatFactory>> {
        self.others.try_decode_file_format(buf, ctx)
    }

    fn try_encode_file_format(
        &self,
        buf: &mut Vec<u8>,
        node: Arc<dyn FileFormatFactory>,
    ) -> Result<()> {
        self.others.try_encode_file_format(buf, node)
    }
}

impl PhysicalExtensionCodec for Physical {
    fn try_decode(
        &self,
        buf: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        ctx: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(ours) = buf.strip_prefix(OURS) else {
            // What every task writes its rows with is a node of Ballista, so all tasks come here.
            let inputs = repeats::inputs(inputs, ctx.task_id());
            return self.others.try_decode(buf, &inputs, ctx, converter);
        };
        let message = ScanMessage::decode(ours).ok().and_then(|message| message.kind);
        match message.ok_or_else(|| unreadable("a table"))? {
            ScanKind::Rules(rules) => {
                let columns = rules.projection.as_ref().map(|columns| &columns.indices);
                let columns =
                    columns.map(|indices| indices.iter().map(|&index| index as usize).collect());
                Ok(Arc::new(self.remembered.table(&rules)?.read(columns)?))
            }
            ScanKind::Text(text) => Ok(Arc::new(text.scan()?)),
            ScanKind::Games(games) => Ok(Arc::new(games.scan(inputs.first())?)),
            ScanKind::Tasks(TasksMessage { place, game, .. }) => {
                let input = inputs.first().ok_or_else(|| unreadable("a table of tasks"))?;
                let work = Work { place, game, games: self.games.clone() };
                Ok(Arc::new(TaskScan::over(work, input.clone())))
            }
            ScanKind::RuleJoin(plan) => {
                let unreadable = || unreadable("a join with a table of rules");
                let plan = physical_plan_from_bytes_with_extension_codec(&plan, ctx, self)?;
                let join = RuleJoins.optimize(plan, ctx.session_config().options())?;
                let input = inputs.first().cloned();
                match (join.is::<RuleJoinExec>(), input) {
                    (true, Some(input)) => replace_children_if_necessary(join, vec![input]),
                    _ => Err(unreadable()),
                }
            }
        }
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        buf: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        let kind = if let Some(scan) = node.downcast_ref::<RuleScan>() {
            let columns = scan.projection.as_ref().map(|columns| ColumnsMessage {
                indices: columns.iter().map(|&index| index as u32).collect(),
            });
            ScanKind::Rules(RuleMessage {
                relation: scan.relation.name().to_owned(),
                patterns: scan.patterns.to_string(),
                projection: columns,
            })
        } else if let Some(scan) = node.downcast_ref::<TextScan>() {
            ScanKind::Text(TextMessage::of_scan(scan)?)
        } else if let Some(scan) = node.downcast_ref::<GamesScan>() {
            ScanKind::Games(GamesMessage::of_scan(scan))
        } else if let Some(scan) = node.downcast_ref::<TaskScan>() {
            let (place, game) = (scan.work.place.clone(), scan.work.game.clone());
            ScanKind::Tasks(TasksMessage { place, game, tasks: Vec::new() })
        } else if let Some(join) = node.downcast_ref::<RuleJoinExec>() {
            let origin = join.origin().clone();
            let bytes = physical_plan_to_bytes_with_extension_codec(origin, self)?;
            ScanKind::RuleJoin(bytes.to_vec())
        } else {
            return self.others.try_encode(node, buf, converter);
        };
        buf.extend_from_slice(OURS);
        ScanMessage { kind: Some(kind) }.encode(buf).map_err(full)
    }
}

/// The rows of a table in memory.
fn written(name: &TableReference, table: &MemTable) -> Result<Vec<u8>> {
    let mut writer = StreamWriter::try_new(Vec::new(), &table.schema())?;
    for partition in &table.batches {
        // Whoever writes to the table waits for a moment, and so do we.
        let rows = loop {
            match partition.try_read() {
                Ok(rows) => break rows,
                Err(_) => std::thread::yield_now(),
            }
        };
        for batch in rows.iter() {
            writer.write(batch)?;
            if writer.get_ref().len() > ROWS_LIMIT {
                let limit = ROWS_LIMIT >> 20;
                return Err(DataFusionError::Plan(format!(
                    "table {name} is larger than the {limit} MiB that can be sent to a cluster \
                     with a statement; write it to a Parquet file that every machine can read"
                )));
            }
        }
    }
    Ok(writer.into_inner()?)
}

pub(super) fn unreadable(what: &str) -> DataFusionError {
    DataFusionError::Plan(format!(
        "{what} cannot be decoded; do all machines of the cluster run the same program?"
    ))
}

fn full(error: prost::EncodeError) -> DataFusionError {
    DataFusionError::Internal(format!("the message cannot be encoded: {error}"))
}

/// The rules that were asked for last. A plan reads the same few tables for every ply and every
/// task, and to unroll them takes far longer than to read them.
#[derive(Debug, Default)]
struct Memory(Mutex<VecDeque<Remembered>>);

#[derive(Debug)]
struct Remembered {
    patterns: String,
    relations: Relations,
}

impl Memory {
    fn table(&self, asked: &RuleMessage) -> Result<Arc<RuleTable>> {
        let known = Relation::ALL.into_iter().find(|known| known.name() == asked.relation);
        let Some(relation) = known else {
            return Err(unreadable(&format!("the table of rules '{}'", asked.relation)));
        };
        let mut remembered = self.0.lock().expect("nobody panics with it");
        if let Some(known) = remembered.iter().find(|known| known.patterns == asked.patterns) {
            return Ok(known.relations.table(relation).clone());
        }
        let rules = Rules::from_csv(&asked.patterns)
            .map_err(|error| DataFusionError::Plan(format!("patterns: {error}")))?;
        let relations = Relations::new(&rules);
        let table = relations.table(relation).clone();
        remembered.truncate(REMEMBERED - 1);
        remembered.push_front(Remembered { patterns: asked.patterns.clone(), relations });
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use chess_relations::positions;
    use datafusion::physical_plan::{collect, displayable};

    use super::*;
    use crate::{Settings, cluster::node, context};

    #[tokio::test]
    async fn joins_with_rules_travel() {
        let settings = Settings::default();
        let runtime = context::runtime(&settings, Arc::default()).expect("an environment");
        let config = datafusion::prelude::SessionConfig::new();
        let state = node::state(config, runtime, settings.memory_limit).expect("a session");
        let context = datafusion::prelude::SessionContext::new_with_state(state);
        let relations = Relations::new(&Rules::named("standard").expect("these rules come along"));
        let rows = positions::batch(&[positions::Row::of(&chess::Position::default())]);
        let rows = context.read_batch(rows).expect("a table");
        let plan = relations.legal_moves(rows).expect("a plan");
        let plan = plan.create_physical_plan().await.expect("a physical plan");
        let shown = |plan: &Arc<dyn ExecutionPlan>| displayable(&**plan).indent(false).to_string();
        assert!(!shown(&plan).contains("HashJoinExec"), "{}", shown(&plan));
        assert!(shown(&plan).matches("RuleJoinExec").count() > 2, "{}", shown(&plan));
        let codec = Physical::default();
        let sent = physical_plan_to_bytes_with_extension_codec(plan.clone(), &codec);
        let (task, sent) = (context.task_ctx(), sent.expect("bytes"));
        let found = physical_plan_from_bytes_with_extension_codec(&sent, &task, &codec);
        let found = found.expect("a plan");
        assert_eq!(shown(&found), shown(&plan));
        let (found, expected) = (collect(found, task.clone()), collect(plan, task));
        assert_eq!(found.await.expect("rows"), expected.await.expect("rows"));
    }
}
