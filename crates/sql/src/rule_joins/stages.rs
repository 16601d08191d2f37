//! Joins with rule tables, as they are written in a plan and as they are computed.

use std::{fmt, sync::Arc};

use arrow::{
    array::ArrayRef,
    datatypes::{DataType, SchemaRef},
    record_batch::RecordBatch,
};
use datafusion::{
    common::{JoinSide, JoinType, NullEquality},
    error::Result,
    physical_expr::{PhysicalExpr, expressions},
    physical_plan::{
        ExecutionPlan,
        joins::{HashJoinExec, utils::JoinFilter},
    },
};

use chess_relations::RuleScan;

use super::{
    index::{Index, MOST_TERMS, Spare, Terms},
    lower::{Known, Value, lower},
    nodes::{BLOCK, Columns, Graph, Id, IsZero, Node, Op, Place, Program, Registers, Rows, Table},
};

/// A join of a stream of rows with a rule table, as a plan has it.
#[derive(Clone, Debug)]
pub(super) struct Join {
    pub(super) name: &'static str,
    pub(super) rules: RecordBatch,
    pub(super) how: How,
    pub(super) on: Vec<(Arc<dyn PhysicalExpr>, Arc<dyn PhysicalExpr>)>,
    pub(super) filter: Option<JoinFilter>,
    /// The columns that come of it, unless all do.
    pub(super) projection: Option<Vec<usize>>,
}

/// What comes of a row and the rules that fit it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// A row for each rule.
    Inner,
    /// The same, and one without a rule if none fits.
    Outer,
    /// The row, if a rule fits.
    Semi,
    /// The row, if none does.
    Anti,
    /// The row, and whether a rule fits.
    Mark,
}

impl fmt::Display for How {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            How::Inner => "join",
            How::Outer => "outer join",
            How::Semi => "semi join",
            How::Anti => "anti join",
            How::Mark => "mark join",
        })
    }
}

impl Join {
    /// The join of a plan, if it is one with a rule table that can be computed here.
    pub(super) fn of(join: &HashJoinExec) -> Result<Option<Join>> {
        let Some(scan) = join.left().downcast_ref::<RuleScan>() else { return Ok(None) };
        let how = match join.join_type() {
            JoinType::Inner => How::Inner,
            JoinType::Right => How::Outer,
            JoinType::RightSemi => How::Semi,
            JoinType::RightAnti => How::Anti,
            JoinType::RightMark => How::Mark,
            _ => return Ok(None),
        };
        let is_plain = join.null_equality() == NullEquality::NullEqualsNothing
            && !join.null_aware
            && join.fetch().is_none();
        if !is_plain {
            return Ok(None);
        }
        Ok(Some(Join {
            name: scan.relation.name(),
            rules: scan.rows()?,
            how,
            on: join.on().to_vec(),
            filter: join.filter().cloned(),
            projection: join.projection.as_ref().map(|columns| columns.to_vec()),
        }))
    }

    /// The columns of the rule table that rows are looked up by.
    fn key(&self) -> Option<Vec<usize>> {
        let column = |expr: &Arc<dyn PhysicalExpr>| {
            let at = expr.downcast_ref::<expressions::Column>()?.index();
            (*self.rules.column(at).data_type() == DataType::UInt64).then_some(at)
        };
        let key = self.on.iter().map(|(rule, _)| column(rule));
        key.collect::<Option<Vec<usize>>>().filter(|key| !key.is_empty())
    }
}

/// What is done to the rows of a join before they are handed on.
#[derive(Clone, Debug)]
pub(super) enum Then {
    Project(Vec<Arc<dyn PhysicalExpr>>),
    /// Another join, of which only the rows come that fit a rule or none. It is computed before
    /// the columns of the first join are, so that of a row that is dropped nothing is copied.
    Guard(Join),
}

/// Everything that one operator computes, as plans have it.
#[derive(Clone, Debug)]
pub(super) struct Recipe {
    pub(super) input: SchemaRef,
    pub(super) join: Join,
    pub(super) then: Vec<Then>,
}

impl Recipe {
    pub(super) fn has_guard(&self) -> bool {
        self.then.iter().any(|then| matches!(then, Then::Guard(_)))
    }
}

/// A recipe for input in which some columns may hold NULL, as nodes of a graph.
#[derive(Debug)]
pub(super) struct Draft {
    graph: Graph,
    join: Needs,
    guard: Option<Needs>,
    /// What comes of it.
    columns: Vec<Value>,
}

impl Draft {
    /// Nothing if the recipe has something in it that is not known here.
    pub(super) fn new(recipe: &Recipe, nulls: &[bool]) -> Option<Draft> {
        let mut graph = Graph::default();
        let fields = recipe.input.fields().iter().zip(nulls).enumerate();
        let mut columns: Vec<Value> = fields
            .map(|(at, (field, nulls))| {
                Value::column(&mut graph, Place::Input(at), field.data_type(), *nulls)
            })
            .collect();
        let join = Needs::new(&mut graph, &recipe.join, &mut columns, Table::First)?;
        let mut guard = None;
        for then in &recipe.then {
            match then {
                Then::Project(exprs) => {
                    let values = exprs.iter().map(|expr| lower(&mut graph, expr, &columns));
                    columns = values.collect::<Option<Vec<Value>>>()?;
                }
                Then::Guard(join) => {
                    guard = Some(Needs::new(&mut graph, join, &mut columns, Table::Second)?);
                }
            }
        }
        Some(Draft { graph, join, guard, columns })
    }

    /// What computes it.
    pub(super) fn compiled(self, recipe: &Recipe) -> Result<Compiled> {
        let Draft { graph, join, guard, columns } = self;
        let mut roots = Vec::new();
        let mut add = |known: Known| {
            roots.push(known.value);
            roots.extend(known.valid);
            known.valid.is_some()
        };
        let outputs = columns.iter().map(|column| match *column {
            Value::Number(known) => Output::Number { nulls: add(known) },
            Value::Truth(known) => Output::Truth { nulls: add(known) },
            Value::Other { place, .. } => Output::Other(place),
        });
        let outputs: Vec<Output> = outputs.collect();
        let guards = recipe.then.iter().find_map(|then| match then {
            Then::Guard(guard) => Some(guard),
            Then::Project(_) => None,
        });
        let guard = match guard.zip(guards) {
            Some((needs, guard)) => Some((guard.how, needs.stage(&graph, guard, Table::Second)?)),
            None => None,
        };
        Ok(Compiled {
            how: recipe.join.how,
            join: join.stage(&graph, &recipe.join, Table::First)?,
            guard,
            outputs,
            program: Program::new(&graph, &roots),
        })
    }
}

/// A recipe that can be computed.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) how: How,
    pub(super) join: Stage,
    pub(super) guard: Option<(How, Stage)>,
    pub(super) outputs: Vec<Output>,
    /// Computes the outputs that are numbers and truths, each followed by whether it is there, if
    /// it may be NULL.
    pub(super) program: Program,
}

/// A column that is handed on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Output {
    Number { nulls: bool },
    Truth { nulls: bool },
    Other(Place),
}

/// A join with a rule table, compiled.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) table: Table,
    pub(super) index: Index,
    pub(super) terms: Terms,
    /// Computes whether a row is looked up at all; nothing if every row is.
    pub(super) asks: Option<Program>,
    /// Computes the key of a row, then its terms.
    pub(super) row: Program,
    /// How many numbers a key has.
    pub(super) key: usize,
    /// Where each term of a row is put.
    pub(super) slots: Vec<usize>,
    /// Computes what else must hold of a pair.
    pub(super) rest: Option<Program>,
}

/// What must hold of a row and a rule, sorted by what it is computed from.
#[derive(Debug)]
struct Needs {
    table: Table,
    /// The columns of the rule table that rows are looked up by.
    key: Vec<usize>,
    /// The numbers that a row is looked up by.
    keys: Vec<Id>,
    /// What must hold of the row alone.
    row: Option<Id>,
    /// Pairs of which the parts must have no bit in common.
    nothing: Vec<Term>,
    /// Pairs of which one must have a bit in common.
    something: Option<Vec<Term>>,
    /// Whatever is not of these forms.
    rest: Option<Id>,
}

/// A part that is computed from a row, and a part that is computed from a rule.
#[derive(Clone, Copy, Debug)]
struct Term {
    row: Id,
    rule: Id,
}

impl Needs {
    /// Those of a join. The columns of its input become those that come of it.
    fn new(
        graph: &mut Graph,
        join: &Join,
        columns: &mut Vec<Value>,
        table: Table,
    ) -> Option<Needs> {
        let (nothing, something) = (Vec::new(), None);
        let (key, keys) = (join.key()?, Vec::new());
        let mut needs = Needs { table, key, keys, row: None, nothing, something, rest: None };
        let arrays = join.rules.columns().iter().enumerate();
        let mut of_rules = |is_missing: bool| -> Vec<Value> {
            let value = |(at, array): (usize, &ArrayRef)| {
                let nulls = is_missing || array.logical_null_count() > 0;
                Value::column(graph, Place::Rules(table, at), array.data_type(), nulls)
            };
            arrays.clone().map(value).collect()
        };
        let (rules, rules_or_none) = (of_rules(false), of_rules(join.how == How::Outer));
        for (_, expr) in &join.on {
            let number = lower(graph, expr, columns)?.number()?;
            needs.keys.push(number.value);
            if let Some(valid) = number.valid {
                needs.add(graph, valid);
            }
        }
        if let Some(filter) = &join.filter {
            let of = |side: JoinSide, at: usize| match side {
                JoinSide::Left => rules.get(at).copied(),
                JoinSide::Right => columns.get(at).copied(),
                JoinSide::None => None,
            };
            let values = filter.column_indices().iter().map(|at| of(at.side, at.index));
            let values = values.collect::<Option<Vec<Value>>>()?;
            let truth = lower(graph, filter.expression(), &values)?.truth()?;
            needs.add(graph, truth.value);
        }
        // Whether no rule fits a row is known only after all of its pairs have been tested.
        if join.how == How::Outer && needs.rest.is_some() {
            return None;
        }
        let joined: Vec<Value> = match join.how {
            How::Inner | How::Outer => {
                rules_or_none.into_iter().chain(columns.iter().copied()).collect()
            }
            How::Semi | How::Anti => columns.clone(),
            How::Mark => {
                let mark = Known { value: graph.add(Node::Mark), valid: None };
                columns.iter().copied().chain([Value::Truth(mark)]).collect()
            }
        };
        *columns = match &join.projection {
            Some(projection) => projection.iter().map(|at| joined[*at]).collect(),
            None => joined,
        };
        Some(needs)
    }

    /// Adds a truth that must hold.
    fn add(&mut self, graph: &mut Graph, truth: Id) {
        if let Node::Two(Op::And, one, other) = graph.node(truth) {
            self.add(graph, one);
            self.add(graph, other);
            return;
        }
        if !graph.sides(truth).uses(self.table) {
            self.row = Some(both(graph, self.row, truth));
            return;
        }
        let compared = graph.compared_with_zero(truth);
        if let Some((number, IsZero::Yes)) = compared
            && let Some(terms) = terms(graph, number, self.table)
            && self.nothing.len() + terms.len() <= MOST_TERMS
        {
            self.nothing.extend(terms);
            return;
        }
        // A truth is a number with a bit or without any.
        let number = match compared {
            Some((number, IsZero::No)) => number,
            _ => truth,
        };
        if self.something.is_none()
            && let Some(terms) = terms(graph, number, self.table)
        {
            self.something = Some(terms);
            return;
        }
        self.rest = Some(both(graph, self.rest, truth));
    }

    fn stage(self, graph: &Graph, join: &Join, table: Table) -> Result<Stage> {
        let spare = match join.how {
            How::Outer => Spare::Missing,
            _ => Spare::None,
        };
        let rules = &join.rules;
        let Needs { key, keys, row, nothing, something, rest, .. } = self;
        let index = Index::new(rules, &key, spare)?;
        let all: Vec<Term> = nothing.iter().chain(something.iter().flatten()).copied().collect();
        let of_rules: Vec<Id> = all.iter().map(|term| term.rule).collect();
        let of_rules = computed(graph, &index, table, &of_rules);
        let hits = something.as_ref().map(Vec::len);
        let term = |row: usize, term: usize| of_rules[term][row];
        let terms = Terms::new(index.rows, nothing.len(), hits, term);
        let slots = (0..nothing.len())
            .chain((0..hits.unwrap_or(0)).map(|at| Terms::offset(nothing.len()) + at))
            .collect();
        let of_row: Vec<Id> = keys.iter().copied().chain(all.iter().map(|term| term.row)).collect();
        Ok(Stage {
            table,
            index,
            terms,
            asks: row.map(|row| Program::new(graph, &[row])),
            row: Program::new(graph, &of_row),
            key: keys.len(),
            slots,
            rest: rest.map(|rest| Program::new(graph, &[rest])),
        })
    }
}

fn both(graph: &mut Graph, known: Option<Id>, truth: Id) -> Id {
    match known {
        Some(known) => graph.and(known, truth),
        None => truth,
    }
}

/// A number as the union of terms, if it can be written so with few of them.
fn terms(graph: &mut Graph, number: Id, table: Table) -> Option<Vec<Term>> {
    let sides = graph.sides(number);
    let all = graph.yes();
    if !sides.uses(table) {
        return Some(vec![Term { row: number, rule: all }]);
    }
    if sides.only(table) {
        return Some(vec![Term { row: all, rule: number }]);
    }
    let found = match graph.node(number) {
        Node::Two(Op::Or, one, other) => {
            let mut found = terms(graph, one, table)?;
            found.extend(terms(graph, other, table)?);
            found
        }
        Node::Two(Op::And, one, other) => {
            let (ones, others) = (terms(graph, one, table)?, terms(graph, other, table)?);
            let mut found = Vec::new();
            for one in &ones {
                for other in &others {
                    let row = graph.and(one.row, other.row);
                    let rule = graph.and(one.rule, other.rule);
                    found.push(Term { row, rule });
                }
            }
            found
        }
        _ => return None,
    };
    (found.len() <= MOST_TERMS).then_some(found)
}

/// The values of some nodes for every row of a rule table.
fn computed(graph: &Graph, index: &Index, table: Table, nodes: &[Id]) -> Vec<Vec<u64>> {
    let program = Program::new(graph, nodes);
    let mut registers = Registers::default();
    let mut values = vec![Vec::with_capacity(index.rows); nodes.len()];
    let columns = Columns { input: &[], first: &index.columns, second: &index.columns };
    for start in (0..index.rows).step_by(BLOCK) {
        let numbers: Vec<u32> =
            (start..index.rows.min(start + BLOCK)).map(|row| row as u32).collect();
        let rows = match table {
            Table::First => Rows { first: &numbers, ..Rows::default() },
            Table::Second => Rows { second: &numbers, ..Rows::default() },
        };
        program.run(columns, Rows { count: numbers.len(), ..rows }, &mut registers);
        for (at, values) in values.iter_mut().enumerate() {
            let root = program.root(at, &registers);
            values.extend((0..numbers.len()).map(|row| root.at(row)));
        }
    }
    values
}
