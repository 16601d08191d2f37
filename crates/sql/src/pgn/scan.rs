//! Games being read: the operator that makes the rows.

use std::{fmt, num::NonZeroUsize, sync::Arc};

use arrow::{
    array::{ArrayRef, StringArray, UInt64Array},
    datatypes::SchemaRef,
    record_batch::{RecordBatch, RecordBatchOptions},
};
use chess::pgn::{Mainline, Tags};
use datafusion::{
    common::tree_node::TreeNodeRecursion,
    datasource::{memory::MemorySourceConfig, source::DataSourceExec},
    error::{DataFusionError, Result},
    execution::{
        SendableRecordBatchStream, TaskContext,
        memory_pool::{MemoryConsumer, MemoryReservation},
        runtime_env::RuntimeEnv,
    },
    physical_expr::{EquivalenceProperties, PhysicalExpr},
    physical_plan::{
        DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, Partitioning,
        PlanProperties,
        execution_plan::{Boundedness, EmissionType},
        stream::RecordBatchReceiverStreamBuilder,
    },
};
use futures_util::TryStreamExt;
use games::{Before, Filter, Kind, Placed, Reader, Record, RecordError, Wanted};
use tables::{
    TableError,
    chess::{GameRows, PositionRows},
};
use tokio::{runtime::Handle, sync::mpsc::Sender};

use super::{
    bad::Skipped,
    conditions::{Condition, Tested, Time},
    parts::{Counts, Part, parts_of, parts_schema, rows_of},
    table::Rows,
};

/// What is read of which files.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub(crate) rows: Rows,
    pub(crate) every: NonZeroUsize,
    /// The parts of each partition, one after the other.
    pub(crate) groups: Vec<Vec<Part>>,
    /// The columns that are wanted.
    pub(crate) wanted: Vec<usize>,
    /// All of these must hold.
    pub(crate) conditions: Vec<Condition>,
    /// The rows that are wanted of each partition.
    pub(crate) limit: Option<usize>,
}

/// The operator.
#[derive(Debug)]
pub(crate) struct GamesScan {
    pub(crate) reading: Reading,
    table: SchemaRef,
    /// What tells the parts of each partition, if the groups of the reading do not.
    input: Option<Arc<dyn ExecutionPlan>>,
    counts: Arc<Counts>,
    properties: Arc<PlanProperties>,
}

impl GamesScan {
    pub(crate) fn new(reading: Reading) -> Result<GamesScan> {
        let partitions = reading.groups.len();
        GamesScan::of(reading, None, partitions)
    }

    /// The operator where the parts are rows of a table in memory. Ballista gives a task some of
    /// the partitions of a plan, and knows how to do so with such tables and not with operators of
    /// others, of which every task would compute all partitions.
    pub(crate) fn sharing(reading: Reading) -> Result<GamesScan> {
        let groups = reading.groups.iter().map(|parts| Ok(vec![rows_of(parts)?]));
        let groups = groups.collect::<Result<Vec<_>>>()?;
        let rows = MemorySourceConfig::try_new(&groups, parts_schema(), None)?;
        let input = DataSourceExec::from_data_source(rows);
        GamesScan::over(Reading { groups: Vec::new(), ..reading }, input)
    }

    /// The operator with the parts that another one tells.
    pub(crate) fn over(reading: Reading, input: Arc<dyn ExecutionPlan>) -> Result<GamesScan> {
        let partitions = input.output_partitioning().partition_count();
        GamesScan::of(reading, Some(input), partitions)
    }

    fn of(
        reading: Reading,
        input: Option<Arc<dyn ExecutionPlan>>,
        partitions: usize,
    ) -> Result<GamesScan> {
        let table = reading.rows.schema();
        let schema = Arc::new(table.project(&reading.wanted)?);
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        let counts = Counts::new(&reading.groups);
        Ok(GamesScan { reading, table, input, counts, properties: Arc::new(properties) })
    }
}

impl DisplayAs for GamesScan {
    fn fmt_as(&self, _style: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reading { rows, every, groups, wanted, conditions, limit } = &self.reading;
        let mut names: Vec<&str> = Vec::new();
        for part in groups.iter().flatten() {
            if names.last() != Some(&part.file.name.as_str()) {
                names.push(&part.file.name);
            }
        }
        let columns = wanted.iter().map(|&index| self.table.field(index).name().as_str());
        let columns: Vec<&str> = columns.collect();
        write!(f, "GamesScan: rows={}, files=[{}]", rows.name(), names.join(", "))?;
        let partitions = self.properties.output_partitioning().partition_count();
        write!(f, ", parts={partitions}, columns=[{}]", columns.join(", "))?;
        if *rows == Rows::Positions {
            let level = PositionRows::new(wanted).level();
            write!(f, ", every={every}, facts={}", level.map_or("none", |level| level.name()))?;
        }
        let conditions: Vec<String> = conditions.iter().map(Condition::to_string).collect();
        write!(f, ", conditions=[{}]", conditions.join(", "))?;
        limit.map_or(Ok(()), |limit| write!(f, ", limit={limit}"))
    }
}

impl ExecutionPlan for GamesScan {
    fn name(&self) -> &str {
        "GamesScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.input.iter().collect()
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false; self.children().len()]
    }

    fn apply_expressions(
        &self,
        _visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(match children.pop() {
            Some(input) => Arc::new(GamesScan::over(self.reading.clone(), input)?),
            None => self,
        })
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let mut builder = RecordBatchReceiverStreamBuilder::new(self.schema(), 2);
        let reading = self.reading.clone();
        let told = self.input.as_ref().map(|input| input.execute(partition, context.clone()));
        let told = told.transpose()?;
        let work = Work {
            collected: Collected::new(&reading, self.schema()),
            out: Out {
                sender: builder.tx(),
                left: reading.limit.unwrap_or(usize::MAX),
                memory: MemoryConsumer::new("GamesScan").register(context.memory_pool()),
            },
            batch_rows: context.session_config().batch_size(),
            skipped: context.session_config().get_extension(),
            runtime: context.runtime_env(),
            counts: self.counts.clone(),
            reading,
        };
        builder.spawn_blocking(move || {
            let parts = match told {
                Some(rows) => parts_of(&Handle::current().block_on(rows.try_collect::<Vec<_>>())?)?,
                None => work.reading.groups.get(partition).cloned().unwrap_or_default(),
            };
            work.run(parts)
        });
        Ok(builder.build())
    }
}

/// The work of a partition.
struct Work {
    reading: Reading,
    collected: Collected,
    out: Out,
    batch_rows: usize,
    skipped: Option<Arc<Skipped>>,
    runtime: Arc<RuntimeEnv>,
    counts: Arc<Counts>,
}

/// Where batches go.
struct Out {
    sender: Sender<Result<RecordBatch>>,
    /// The rows that are still wanted.
    left: usize,
    memory: MemoryReservation,
}

impl Out {
    fn is_over(&self) -> bool {
        self.left == 0 || self.sender.is_closed()
    }

    fn send(&mut self, batch: &RecordBatch) -> Result<()> {
        self.memory.try_resize(batch.get_array_memory_size())?;
        let batch = batch.slice(0, batch.num_rows().min(self.left));
        self.left -= batch.num_rows();
        // Nobody reads on when a limit was reached.
        if self.sender.blocking_send(Ok(batch)).is_err() {
            self.left = 0;
        }
        Ok(())
    }
}

/// Bytes of texts that a batch holds at most, or a game more.
const MOST_BYTES: usize = 4 << 20;

impl Work {
    fn run(mut self, parts: Vec<Part>) -> Result<()> {
        for part in parts {
            if self.out.is_over() {
                return Ok(());
            }
            self.read(&part)?;
        }
        self.flush()
    }

    fn flush(&mut self) -> Result<()> {
        if self.collected.len() == 0 || self.out.is_over() {
            return Ok(());
        }
        self.out.send(&self.collected.finish()?)
    }

    fn read(&mut self, part: &Part) -> Result<()> {
        let kind = if self.reading.rows == Rows::Games { Kind::Games } else { Kind::Any };
        let Some((source, start)) = part.open(&self.runtime, kind)? else { return Ok(()) };
        let sender = self.out.sender.clone();
        let is_wanted = move || !sender.is_closed();
        let mut numbers = Numbers { part, start, known: None };
        if self.reading.asks_for_numbers()
            && numbers.find(&self.counts, &self.runtime, &is_wanted)?.is_none()
        {
            return Ok(());
        }
        let wanted = self.reading.of_reader(part, numbers.known, kind, is_wanted.clone());
        let mut reader = Reader::of_source(source, wanted);
        while let Some(record) = reader.read() {
            let before = numbers.known.unwrap_or_default();
            match record {
                Ok(Record::Game { source, number, game }) => {
                    self.collected.game(&self.reading, source, number + before.games, game);
                }
                Ok(Record::Position { source, line, position }) => {
                    let tested = self.reading.allows_ply(0);
                    if let (Collected::Positions(rows), true) = (&mut self.collected, tested) {
                        rows.push_position(source, line, position);
                    }
                }
                Err(error) => {
                    let before = numbers.find(&self.counts, &self.runtime, &is_wanted)?;
                    let Some(before) = before else { return Ok(()) };
                    self.bad(&part.file.name, &error.behind(before));
                }
            }
            if self.collected.len() >= self.batch_rows.min(self.out.left)
                || self.collected.bytes() >= MOST_BYTES
            {
                self.flush()?;
                if self.out.is_over() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn bad(&mut self, source: &str, error: &RecordError) {
        match (&mut self.collected, &self.skipped) {
            (Collected::Bad { rows, .. }, _) => rows.push((source.to_owned(), error.place())),
            (_, Some(skipped)) => skipped.add(source, error),
            (_, None) => {}
        }
    }
}

/// What stands before a part in its file, once somebody asks.
struct Numbers<'a> {
    part: &'a Part,
    start: u64,
    known: Option<Before>,
}

impl Numbers<'_> {
    /// Nothing if nobody wants to know any more.
    fn find(
        &mut self,
        counts: &Counts,
        runtime: &RuntimeEnv,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<Option<Before>> {
        if self.known.is_none() {
            self.known = counts.before(self.part, self.start, runtime, is_wanted)?;
        }
        Ok(self.known)
    }
}

impl Reading {
    fn wants(&self, names: &[&str]) -> bool {
        let table = self.rows.schema();
        self.wanted.iter().any(|&index| names.contains(&table.field(index).name().as_str()))
    }

    /// Whether rows or conditions need the numbers of games in their files.
    fn asks_for_numbers(&self) -> bool {
        self.wants(&["game"]) || self.conditions.iter().any(Condition::asks_for_game)
    }

    fn allows_ply(&self, ply: usize) -> bool {
        let tags = Tags::default();
        let tested = Tested { source: "", game: 0, ply: ply as u64, tags: &tags };
        let mut conditions = self.conditions.iter().filter(|it| it.time() == Some(Time::Ply));
        conditions.all(|condition| condition.holds(tested) == Some(true))
    }

    fn of_reader(
        &self,
        part: &Part,
        before: Option<Before>,
        kind: Kind,
        is_wanted: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Wanted {
        let conditions = self.conditions.iter().filter(|it| it.time() == Some(Time::Game));
        let conditions: Vec<Condition> = conditions.cloned().collect();
        let filter = (!conditions.is_empty()).then(|| {
            let source = part.file.name.clone();
            let before = before.unwrap_or_default();
            Arc::new(move |number: u64, tags: &Tags| {
                let game = number + before.games;
                let tested = Tested { source: &source, game, ply: 0, tags };
                conditions.iter().all(|condition| condition.holds(tested) == Some(true))
            }) as Filter
        });
        Wanted {
            kind,
            notes: self.rows == Rows::Positions
                && self.wants(&["clock", "eval", "spent", "centipawns", "mate_in"]),
            text: self.rows == Rows::Games && self.wants(&["pgn"]),
            filter,
            interrupted: Arc::new(move || !is_wanted()),
            ..Wanted::default()
        }
    }
}

/// Rows that wait to be sent.
enum Collected {
    Games { rows: GameRows, bytes: usize },
    Positions(Box<PositionRows>),
    Bad { rows: Vec<(String, Placed)>, wanted: Vec<usize>, schema: SchemaRef },
}

impl Collected {
    fn new(reading: &Reading, schema: SchemaRef) -> Collected {
        let wanted = &reading.wanted;
        match reading.rows {
            Rows::Games => Collected::Games { rows: GameRows::new(wanted), bytes: 0 },
            Rows::Positions => Collected::Positions(Box::new(PositionRows::new(wanted))),
            Rows::Bad => Collected::Bad { rows: Vec::new(), wanted: wanted.clone(), schema },
        }
    }

    fn game(&mut self, reading: &Reading, source: &str, number: u64, game: &Mainline) {
        match self {
            Collected::Games { rows, bytes } => {
                rows.push(source, number, game);
                *bytes += game.text.len();
            }
            Collected::Positions(rows) => {
                let plies = (0..game.positions.len()).step_by(reading.every.get());
                let plies = plies.filter(|&ply| reading.allows_ply(ply));
                rows.push_game(source, number, game, plies);
            }
            Collected::Bad { .. } => {}
        }
    }

    fn len(&self) -> usize {
        match self {
            Collected::Games { rows, .. } => rows.len(),
            Collected::Positions(rows) => rows.len(),
            Collected::Bad { rows, .. } => rows.len(),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Collected::Games { bytes, .. } => *bytes,
            _ => 0,
        }
    }

    fn finish(&mut self) -> Result<RecordBatch> {
        let made = match self {
            Collected::Games { rows, bytes } => {
                *bytes = 0;
                rows.finish()
            }
            Collected::Positions(rows) => rows.finish(),
            Collected::Bad { rows, wanted, schema } => bad_rows(rows, wanted, schema),
        };
        made.map_err(|error| DataFusionError::External(Box::new(error)))
    }
}

fn bad_rows(
    rows: &mut Vec<(String, Placed)>,
    wanted: &[usize],
    schema: &SchemaRef,
) -> Result<RecordBatch, TableError> {
    let rows = std::mem::take(rows);
    let of = |index: &usize| -> ArrayRef {
        match index {
            0 => Arc::new(StringArray::from_iter_values(rows.iter().map(|row| &row.0))),
            1 => Arc::new(UInt64Array::from_iter(rows.iter().map(|row| row.1.game))),
            2 => Arc::new(UInt64Array::from_iter(rows.iter().map(|row| row.1.line))),
            _ => Arc::new(StringArray::from_iter_values(rows.iter().map(|row| &row.1.cause))),
        }
    };
    let columns = wanted.iter().map(of).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    Ok(RecordBatch::try_new_with_options(schema.clone(), columns, &options)?)
}
