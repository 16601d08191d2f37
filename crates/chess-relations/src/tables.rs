//! The rules as tables that plans are joined with.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, OnceLock},
};

use arrow::{
    array::{Array, ArrayRef, BooleanArray, RecordBatch, StringArray, UInt64Array},
    datatypes::{Field, Schema, SchemaRef},
};
use chess::Role;
use datafusion::{
    catalog::{Session, TableProvider, memory::MemorySourceConfig},
    common::{stats::Precision, tree_node::TreeNodeRecursion},
    datasource::TableType,
    error::Result,
    execution::{SendableRecordBatchStream, TaskContext},
    logical_expr::Expr,
    physical_expr::PhysicalExpr,
    physical_plan::{
        DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, Statistics, StatisticsArgs,
    },
};

use crate::{
    Rules,
    compile::{bit, name, safe_sets},
};

/// A table of rules: its rows, and the patterns they were made from. A plan that is sent to
/// another machine contains the patterns instead of thousands of rows. Both are made when they are
/// first asked for.
#[derive(Debug)]
pub struct RuleTable {
    relation: Relation,
    rules: Rules,
    patterns: OnceLock<Arc<str>>,
    rows: OnceLock<RecordBatch>,
}

/// The tables that rules are unrolled to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// The rows that people edit.
    Patterns,
    /// Every way a piece can move.
    Paths,
    /// Every way a piece can attack a square.
    Attacks,
    /// From where a set of squares is attacked, and which squares must be empty for it.
    Checks,
    /// The squares from which a king's square can be attacked on an empty board.
    Alarms,
    /// For each king's square and each other square: from where the king would be attacked through
    /// the other square.
    Shields,
    /// Every pair of squares, with their distance.
    Views,
    /// Every en-passant capture.
    Takes,
    /// [`Shields`](Relation::Shields), with a "pass" row for each king's square.
    ShieldsOrWait,
    /// [`Paths`](Relation::Paths), with a "pass" row that leaves a position unchanged.
    PathsOrWait,
}

impl Relation {
    /// All of them.
    pub const ALL: [Relation; 10] = [
        Relation::Patterns,
        Relation::Paths,
        Relation::Attacks,
        Relation::Checks,
        Relation::Alarms,
        Relation::Shields,
        Relation::Views,
        Relation::Takes,
        Relation::ShieldsOrWait,
        Relation::PathsOrWait,
    ];

    /// Whether it is another relation with "pass" rows, which only plans need.
    pub fn waits(self) -> bool {
        matches!(self, Relation::ShieldsOrWait | Relation::PathsOrWait)
    }

    /// Its name in a plan.
    pub fn name(self) -> &'static str {
        match self {
            Relation::Patterns => "patterns",
            Relation::Paths => "paths",
            Relation::Attacks => "attacks",
            Relation::Checks => "checks",
            Relation::Alarms => "alarms",
            Relation::Shields => "shields",
            Relation::Views => "views",
            Relation::Takes => "takes",
            Relation::ShieldsOrWait => "shields_or_wait",
            Relation::PathsOrWait => "paths_or_wait",
        }
    }
}

/// The number of a side's piece on a square, which paths and attacks are looked up by.
pub(crate) fn man(side: u8, role: Role, cell: u8) -> u64 {
    u64::from(side) * 512 + role.index() as u64 * 64 + u64::from(cell)
}

/// The number of nobody: the piece that waits.
pub(crate) const WAITS: u64 = 1024;

impl RuleTable {
    /// One of the tables of these rules.
    pub fn new(rules: &Rules, relation: Relation) -> RuleTable {
        let (patterns, rows) = (OnceLock::new(), OnceLock::new());
        RuleTable { relation, rules: rules.clone(), patterns, rows }
    }

    /// Which table it is.
    pub fn relation(&self) -> Relation {
        self.relation
    }

    /// The pattern file it was made from.
    pub fn patterns(&self) -> &Arc<str> {
        self.patterns.get_or_init(|| self.rules.to_csv().into())
    }

    /// Its rows.
    pub fn rows(&self) -> &RecordBatch {
        self.rows.get_or_init(|| batch(columns(&self.rules, self.relation)))
    }

    /// Reads some of its columns, or all of them.
    pub fn read(&self, projection: Option<Vec<usize>>) -> Result<RuleScan> {
        let rows = [vec![self.rows().clone()]];
        let inner =
            MemorySourceConfig::try_new_exec(&rows, self.rows().schema(), projection.clone())?;
        Ok(RuleScan {
            relation: self.relation,
            patterns: Arc::clone(self.patterns()),
            projection,
            rows: self.rows().clone(),
            inner,
        })
    }
}

#[async_trait::async_trait]
impl TableProvider for RuleTable {
    fn schema(&self) -> SchemaRef {
        self.rows().schema()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _session: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        _limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(self.read(projection.cloned())?))
    }
}

/// Rules being read: a source of rows that remembers the patterns they came from.
#[derive(Clone, Debug)]
pub struct RuleScan {
    /// Which table is read.
    pub relation: Relation,
    /// The pattern file it was made from.
    pub patterns: Arc<str>,
    /// The columns that are read, if not all.
    pub projection: Option<Vec<usize>>,
    rows: RecordBatch,
    inner: Arc<dyn ExecutionPlan>,
}

impl RuleScan {
    /// What is read: every row, with the columns of the projection.
    pub fn rows(&self) -> Result<RecordBatch> {
        Ok(match &self.projection {
            Some(columns) => self.rows.project(columns)?,
            None => self.rows.clone(),
        })
    }
}

impl DisplayAs for RuleScan {
    fn fmt_as(&self, _style: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RuleScan: {}", self.relation.name())
    }
}

impl ExecutionPlan for RuleScan {
    fn name(&self) -> &str {
        "RuleScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.inner.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        _children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        self.inner.execute(partition, context)
    }

    fn statistics_from_inputs(
        &self,
        inputs: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        // Rules are small enough to be held by every thread, and a plan is to be the same with any
        // number of them; told in bytes, paths are above the limit that DataFusion has for that.
        let mut statistics = self.inner.statistics_from_inputs(inputs, args)?.as_ref().clone();
        statistics.total_byte_size = Precision::Absent;
        Ok(Arc::new(statistics))
    }
}

fn columns(rules: &Rules, relation: Relation) -> Vec<Column> {
    match relation {
        Relation::Patterns => patterns(rules),
        Relation::Paths => paths(rules, false),
        Relation::PathsOrWait => paths(rules, true),
        Relation::Attacks => attacks(rules),
        Relation::Checks => checks(rules),
        Relation::Alarms => alarms(rules),
        Relation::Shields => shields(rules, false),
        Relation::ShieldsOrWait => shields(rules, true),
        Relation::Views => views(),
        Relation::Takes => takes(rules),
    }
}

/// A column: its name and its values.
type Column = (&'static str, ArrayRef);

fn batch(columns: Vec<Column>) -> RecordBatch {
    let fields: Vec<Field> = columns
        .iter()
        .map(|(name, values)| {
            Field::new(*name, values.data_type().clone(), values.null_count() > 0)
        })
        .collect();
    let values = columns.into_iter().map(|(_, values)| values).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), values)
        .expect("columns of one table have one length")
}

fn numbers(name: &'static str, values: impl IntoIterator<Item = u64>) -> Column {
    (name, Arc::new(UInt64Array::from_iter_values(values)))
}

fn texts<S: AsRef<str>>(name: &'static str, values: impl IntoIterator<Item = S>) -> Column {
    (name, Arc::new(StringArray::from_iter(values.into_iter().map(Some))))
}

fn some_texts<S: AsRef<str>>(
    name: &'static str,
    values: impl IntoIterator<Item = Option<S>>,
) -> Column {
    (name, Arc::new(StringArray::from_iter(values)))
}

fn patterns(rules: &Rules) -> Vec<Column> {
    let rows: Vec<[String; 7]> = rules.patterns().iter().map(crate::Pattern::columns).collect();
    let names = crate::Pattern::COLUMNS.iter().enumerate();
    names.map(|(at, name)| texts(name, rows.iter().map(|row| &row[at]))).collect()
}

/// The names of six columns, one for each kind of piece.
pub(crate) const ADD: [&str; 6] = ["add_p", "add_n", "add_b", "add_r", "add_q", "add_k"];
pub(crate) const BY: [&str; 6] = ["by_p", "by_n", "by_b", "by_r", "by_q", "by_k"];
pub(crate) const FROM: [&str; 6] = ["from_p", "from_n", "from_b", "from_r", "from_q", "from_k"];
pub(crate) const LINE: [&str; 6] = ["line_p", "line_n", "line_b", "line_r", "line_q", "line_k"];

fn paths(rules: &Rules, wait: bool) -> Vec<Column> {
    let paths = rules.paths();
    // The last row, if any, is that of nobody: it asks for nothing and keeps everything.
    let or = move |of: &dyn Fn(&crate::Path) -> u64, idle: u64| -> Vec<u64> {
        paths.iter().map(of).chain(wait.then_some(idle)).collect()
    };
    let or_none = move |of: &dyn Fn(&crate::Path) -> Option<String>| -> Vec<Option<String>> {
        paths.iter().map(of).chain(wait.then_some(None)).collect()
    };
    let number = |name, of: &dyn Fn(&crate::Path) -> u64| numbers(name, or(of, 0));
    let mut columns = vec![
        numbers("man", or(&|path| man(path.side, path.role, path.source), WAITS)),
        some_texts("uci", or_none(&|path| Some(path.uci.clone()))),
        // The squares are those of UCI, which in castling may be that of the rook.
        some_texts("from", or_none(&|path| Some(path.uci[..2].to_owned()))),
        some_texts("to", or_none(&|path| Some(path.uci[2..4].to_owned()))),
        some_texts("piece", or_none(&|path| Some(path.role.name().to_owned()))),
        some_texts(
            "promotion",
            or_none(&|path| (path.becomes != path.role).then(|| path.becomes.name().to_owned())),
        ),
        some_texts(
            "rule",
            rules.path_patterns().map(|row| Some(&row.name)).chain(wait.then_some(None)),
        ),
        number("castles", &|path| path.partner.is_some().into()),
        number("empty", &|path| path.empty),
        number("free", &|path| path.free),
        number("foe", &|path| path.foe),
        number("mark", &|path| path.mark),
        number("safe", &|path| path.safe),
        numbers("keep", or(&|path| path.keep, u64::MAX)),
        numbers("castling", or(&|path| path.castling, u64::MAX)),
        number("passed", &|path| path.passed),
        number("pawn", &|path| (path.role == Role::Pawn).into()),
        number("risky", &|path| path.risky.into()),
        number("add", &|path| {
            bit(path.target) | path.partner.map_or(0, |partner| bit(partner.target))
        }),
        number("solid", &solid),
    ];
    for role in Role::ALL {
        columns.push(number(ADD[role.index()], &|path| added(path, role)));
    }
    columns
}

/// Two pieces that castle do not stand in the way of an attack on the squares between them: neither
/// stood there before, and before counts as well as after.
fn solid(path: &crate::Path) -> u64 {
    if path.partner.is_some() { 0 } else { bit(path.target) }
}

fn added(path: &crate::Path, role: Role) -> u64 {
    let man = if path.becomes == role { bit(path.target) } else { 0 };
    let partner = path.partner.filter(|partner| partner.role == role);
    man | partner.map_or(0, |partner| bit(partner.target))
}

fn attacks(rules: &Rules) -> Vec<Column> {
    let attacks = rules.attacks();
    vec![
        numbers("man", attacks.iter().map(|row| man(row.side, row.role, row.source))),
        numbers("side", attacks.iter().map(|row| row.side.into())),
        texts("piece", attacks.iter().map(|row| row.role.name())),
        texts("from", attacks.iter().map(|row| name(row.source))),
        texts("to", attacks.iter().map(|row| name(row.target))),
        numbers("cell", attacks.iter().map(|row| bit(row.target))),
        numbers("between", attacks.iter().map(|row| row.between)),
    ]
}

/// Attackers by kind.
type Attackers = [u64; 6];

fn add(attackers: &mut Attackers, role: Role, source: u8) {
    attackers[role.index()] |= bit(source);
}

fn by_kind(names: [&'static str; 6], rows: &[Attackers]) -> Vec<Column> {
    let column = |at: usize| numbers(names[at], rows.iter().map(move |row| row[at]));
    (0..6).map(column).collect()
}

/// One row for each set of squares and each set of squares between: those who attack over the same
/// empty squares share a row, and so everybody next to a square does.
fn checks(rules: &Rules) -> Vec<Column> {
    let mut sets: Vec<(u8, u64)> =
        (0..2).flat_map(|side| (0..64).map(move |cell| (side, bit(cell)))).collect();
    sets.extend(safe_sets(rules.paths()));
    let mut on: Vec<Vec<&crate::Attack>> = vec![Vec::new(); 64];
    rules.attacks().iter().for_each(|attack| on[usize::from(attack.target)].push(attack));
    let mut rows: BTreeMap<(u8, u64, u64), Attackers> = BTreeMap::new();
    for (side, set) in sets {
        let cells = (0..64_u8).filter(|cell| set & bit(*cell) != 0);
        let attacks = cells.flat_map(|cell| &on[usize::from(cell)]);
        for attack in attacks.filter(|attack| attack.side != side) {
            let row = rows.entry((side, set, attack.between)).or_default();
            add(row, attack.role, attack.source);
        }
    }
    let mut columns = vec![
        numbers("side", rows.keys().map(|key| key.0.into())),
        numbers("cells", rows.keys().map(|key| key.1)),
        numbers("between", rows.keys().map(|key| key.2)),
    ];
    columns.extend(by_kind(BY, &rows.values().copied().collect::<Vec<_>>()));
    columns
}

/// One row for each way to take a pawn that has passed: what must hold, and what is left of the
/// board as far as the taker's king is concerned.
fn takes(rules: &Rules) -> Vec<Column> {
    let slots = takers(rules);
    let mut rows: Vec<(u64, &crate::Path)> = Vec::new();
    for (&(_, cell), ways) in rules.takes() {
        for role in Role::ALL {
            let numbers = slots.iter().enumerate().filter(|(_, slot)| **slot == role);
            let ways = ways.iter().filter(|way| way.role == role);
            // A square that was passed is not on a back rank, so the number has room beside it.
            rows.extend(
                numbers.zip(ways).map(|((number, _), way)| (bit(cell) | number as u64, way)),
            );
        }
    }
    let number = |name, of: &dyn Fn(&crate::Path) -> u64| {
        numbers(name, rows.iter().map(|(_, way)| of(way)).collect::<Vec<_>>())
    };
    vec![
        numbers("passed", rows.iter().map(|row| row.0)),
        number("side", &|way| way.side.into()),
        number("place", &|way| bit(way.source)),
        number("empty", &|way| way.empty),
        number("free", &|way| way.free),
        number("foe", &|way| way.foe),
        number("mark", &|way| way.mark),
        number("safe", &|way| way.safe),
        number("keep", &|way| way.keep),
        number("solid", &solid),
        number("king", &|way| if way.role == Role::King { bit(way.target) } else { 0 }),
    ]
}

/// The kinds that can take a pawn that has passed, each as often as there are ways at most to take
/// the same one.
pub(crate) fn takers(rules: &Rules) -> Vec<Role> {
    let most = |role: &Role| {
        let count = |ways: &Vec<crate::Path>| ways.iter().filter(|way| way.role == *role).count();
        rules.takes().values().map(count).max().unwrap_or(0)
    };
    Role::ALL.iter().flat_map(|role| std::iter::repeat_n(*role, most(role))).collect()
}

fn alarms(rules: &Rules) -> Vec<Column> {
    let mut rows = vec![Attackers::default(); 64];
    for attack in rules.attacks() {
        add(&mut rows[usize::from(attack.target)], attack.role, attack.source);
    }
    let mut columns = vec![numbers("king", (0..64).map(bit))];
    columns.extend(by_kind(FROM, &rows));
    columns
}

fn shields(rules: &Rules, wait: bool) -> Vec<Column> {
    let mut rows = vec![Attackers::default(); 64 * 64];
    for attack in rules.attacks() {
        for cell in (0..64).filter(|cell| attack.between & bit(*cell) != 0) {
            let row = usize::from(attack.target) * 64 + usize::from(cell);
            add(&mut rows[row], attack.role, attack.source);
        }
    }
    let cells = || (0..64_u8).flat_map(|king| (0..64_u8).map(move |cell| (king, cell)));
    let mut keys: Vec<(u8, u8)> = cells().collect();
    if wait {
        keys.extend((0..64).map(|king| (king, king)));
        rows.extend([Attackers::default(); 64]);
    }
    let mut columns = vec![
        numbers("king", keys.iter().map(|key| bit(key.0))),
        numbers("cell", keys.iter().map(|key| key.1.into())),
        numbers("place", keys.iter().map(|key| bit(key.1))),
    ];
    if wait {
        let waits = (0..keys.len()).map(|row| Some(row >= 64 * 64));
        columns.push(("waits", Arc::new(BooleanArray::from_iter(waits))));
    }
    columns.extend(by_kind(LINE, &rows));
    columns
}

fn views() -> Vec<Column> {
    let cells = || (0..64_u8).flat_map(|from| (0..64_u8).map(move |to| (from, to)));
    let apart = |from: u8, to: u8| i64::from(to) - i64::from(from);
    let signed = |of: &dyn Fn(u8, u8) -> i64| -> ArrayRef {
        let values = cells().map(|(from, to)| of(from, to) as i8);
        Arc::new(arrow::array::Int8Array::from_iter_values(values))
    };
    vec![
        numbers("from_place", cells().map(|(from, _)| bit(from))),
        texts("from", cells().map(|(from, _)| name(from))),
        texts("square", cells().map(|(_, to)| name(to))),
        numbers("place", cells().map(|(_, to)| bit(to))),
        ("dx", signed(&|from, to| apart(from % 8, to % 8))),
        ("dy", signed(&|from, to| apart(from / 8, to / 8))),
    ]
}

/// The kinds that attack over empty squares, in these rules.
pub(crate) fn riders(rules: &Rules) -> Vec<Role> {
    let rides = |role: &Role| {
        rules.attacks().iter().any(|attack| attack.role == *role && attack.between != 0)
    };
    Role::ALL.iter().copied().filter(rides).collect()
}
