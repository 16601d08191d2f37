//! Expressions over whole numbers as a graph in which equal parts are one node, and programs that
//! compute some nodes of it for a block of rows.
//!
//! A truth is a number with all bits or none, so that everything is arithmetic on `u64` without
//! branches, which compilers turn into vector instructions. Whether a value is NULL is a truth of
//! its own.

use std::collections::HashMap;

use arrow::buffer::ScalarBuffer;

/// Rows that are computed at a time: few enough for a program's values to stay in the first cache.
pub(super) const BLOCK: usize = 512;

/// A node of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Id(u32);

/// Which of the tables of rules: that of the join, or that of the one fused to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Table {
    First,
    Second,
}

/// Where a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    /// In the rows that are streamed.
    Input(usize),
    /// In a table of rules.
    Rules(Table, usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Op {
    And,
    Or,
    Xor,
    Add,
    Sub,
    Mul,
    /// Shifts to the left and to the right, by the lowest six bits.
    Shl,
    Shr,
    Eq,
    Less,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Lit(u64),
    /// The values of a column.
    Value(Place),
    /// Whether the values of a column are there.
    Valid(Place),
    /// Whether a row has found a rule.
    Mark,
    Two(Op, Id, Id),
    /// The second where the first is true, otherwise the third.
    Select(Id, Id, Id),
}

/// What a node is computed from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sides {
    /// The rows that are streamed.
    pub(super) input: bool,
    pub(super) first: bool,
    pub(super) second: bool,
}

impl Sides {
    fn of(node: &Node, of: impl Fn(Id) -> Sides) -> Sides {
        let both = |a: Sides, b: Sides| Sides {
            input: a.input || b.input,
            first: a.first || b.first,
            second: a.second || b.second,
        };
        match *node {
            Node::Lit(_) => Sides::default(),
            Node::Value(place) | Node::Valid(place) => Sides {
                input: matches!(place, Place::Input(_)),
                first: matches!(place, Place::Rules(Table::First, _)),
                second: matches!(place, Place::Rules(Table::Second, _)),
            },
            Node::Mark => Sides { input: true, ..Sides::default() },
            Node::Two(_, a, b) => both(of(a), of(b)),
            Node::Select(a, b, c) => both(of(a), both(of(b), of(c))),
        }
    }

    /// Whether a table of rules has a part in it.
    pub(super) fn uses(self, table: Table) -> bool {
        match table {
            Table::First => self.first,
            Table::Second => self.second,
        }
    }

    /// Whether nothing but a table of rules has a part in it.
    pub(super) fn only(self, table: Table) -> bool {
        match table {
            Table::First => !self.input && !self.second,
            Table::Second => !self.input && !self.first,
        }
    }
}

/// Nodes, of which none comes twice. Whatever a node is computed from stands before it.
#[derive(Debug, Default)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    sides: Vec<Sides>,
    known: HashMap<Node, Id>,
}

impl Graph {
    pub(super) fn node(&self, id: Id) -> Node {
        self.nodes[id.0 as usize]
    }

    pub(super) fn sides(&self, id: Id) -> Sides {
        self.sides[id.0 as usize]
    }

    pub(super) fn add(&mut self, node: Node) -> Id {
        if let Some(known) = self.known.get(&node) {
            return *known;
        }
        let id = Id(self.nodes.len() as u32);
        self.sides.push(Sides::of(&node, |id| self.sides(id)));
        self.nodes.push(node);
        self.known.insert(node, id);
        id
    }

    pub(super) fn lit(&mut self, number: u64) -> Id {
        self.add(Node::Lit(number))
    }

    /// The truth that always holds.
    pub(super) fn yes(&mut self) -> Id {
        self.lit(u64::MAX)
    }

    pub(super) fn value(&mut self, place: Place) -> Id {
        self.add(Node::Value(place))
    }

    fn literal(&self, id: Id) -> Option<u64> {
        match self.node(id) {
            Node::Lit(number) => Some(number),
            _ => None,
        }
    }

    /// Two values together, in the simplest form that has the same value.
    pub(super) fn two(&mut self, op: Op, a: Id, b: Id) -> Id {
        if let (Some(a), Some(b)) = (self.literal(a), self.literal(b)) {
            return self.lit(compute(op, a, b));
        }
        let commutes = matches!(op, Op::And | Op::Or | Op::Xor | Op::Add | Op::Mul | Op::Eq);
        let (a, b) = if commutes && self.literal(a).is_some() { (b, a) } else { (a, b) };
        match (op, self.literal(b)) {
            (Op::And, Some(u64::MAX))
            | (Op::Or | Op::Xor | Op::Add | Op::Sub | Op::Shl | Op::Shr, Some(0))
            | (Op::Mul, Some(1)) => return a,
            (Op::And | Op::Mul, Some(0)) => return b,
            (Op::Or, Some(u64::MAX)) => return b,
            _ => {}
        }
        if a == b && matches!(op, Op::And | Op::Or) {
            return a;
        }
        // Vectors can be shifted by a number, but few processors can multiply them.
        if let (Op::Mul, Some(factor)) = (op, self.literal(b))
            && factor.is_power_of_two()
        {
            let bits = self.lit(u64::from(factor.trailing_zeros()));
            return self.two(Op::Shl, a, bits);
        }
        // What is missing of a set: the set without what is there.
        if let (Op::Sub, Node::Two(Op::And, one, other)) = (op, self.node(b))
            && (one == a || other == a)
        {
            let there = if one == a { other } else { one };
            let missing = self.not(there);
            return self.two(Op::And, a, missing);
        }
        if let (Op::Xor, Some(u64::MAX), Node::Two(Op::Xor, inner, other)) =
            (op, self.literal(b), self.node(a))
            && self.literal(other) == Some(u64::MAX)
        {
            return inner;
        }
        self.add(Node::Two(op, a, b))
    }

    pub(super) fn and(&mut self, a: Id, b: Id) -> Id {
        self.two(Op::And, a, b)
    }

    pub(super) fn or(&mut self, a: Id, b: Id) -> Id {
        self.two(Op::Or, a, b)
    }

    pub(super) fn not(&mut self, a: Id) -> Id {
        let all = self.yes();
        self.two(Op::Xor, a, all)
    }

    pub(super) fn select(&mut self, mask: Id, a: Id, b: Id) -> Id {
        match self.literal(mask) {
            Some(0) => b,
            Some(_) => a,
            None if a == b => a,
            None if self.literal(b) == Some(0) => self.and(mask, a),
            None => self.add(Node::Select(mask, a, b)),
        }
    }

    /// The number that a truth is equal to a comparison with: `e` for `e = 0`, and whether it is
    /// negated.
    pub(super) fn compared_with_zero(&self, truth: Id) -> Option<(Id, IsZero)> {
        match self.node(truth) {
            Node::Two(Op::Eq, e, zero) if self.literal(zero) == Some(0) => Some((e, IsZero::Yes)),
            Node::Two(Op::Xor, inner, all) if self.literal(all) == Some(u64::MAX) => {
                match self.compared_with_zero(inner)? {
                    (e, IsZero::Yes) => Some((e, IsZero::No)),
                    (e, IsZero::No) => Some((e, IsZero::Yes)),
                }
            }
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IsZero {
    Yes,
    No,
}

fn mask(truth: bool) -> u64 {
    u64::from(truth).wrapping_neg()
}

#[inline(always)]
fn compute(op: Op, a: u64, b: u64) -> u64 {
    match op {
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        Op::Shl => a.wrapping_shl(b as u32),
        Op::Shr => a.wrapping_shr(b as u32),
        Op::Eq => mask(a == b),
        Op::Less => mask(a < b),
    }
}

/// A column as numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Column {
    pub(super) values: ScalarBuffer<u64>,
    /// Nothing if every value is there.
    pub(super) valid: Option<ScalarBuffer<u64>>,
}

/// The columns that programs read. One that no program reads may be empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns<'a> {
    pub(super) input: &'a [Column],
    pub(super) first: &'a [Column],
    pub(super) second: &'a [Column],
}

impl<'a> Columns<'a> {
    fn at(self, place: Place) -> &'a Column {
        match place {
            Place::Input(at) => &self.input[at],
            Place::Rules(Table::First, at) => &self.first[at],
            Place::Rules(Table::Second, at) => &self.second[at],
        }
    }
}

/// The rows of a block: for each a row of the input, of one table of rules, and of the other. A
/// list that no node needs may be empty.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rows<'a> {
    pub(super) count: usize,
    pub(super) input: &'a [u32],
    pub(super) first: &'a [u32],
    pub(super) second: &'a [u32],
    pub(super) mark: &'a [u64],
}

impl<'a> Rows<'a> {
    fn of(self, place: Place) -> &'a [u32] {
        let rows = match place {
            Place::Input(_) => self.input,
            Place::Rules(Table::First, _) => self.first,
            Place::Rules(Table::Second, _) => self.second,
        };
        &rows[..self.count]
    }
}

/// A value of a block of rows, or one for all of them.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    Register(usize),
    Lit(u64),
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Value(Place),
    Valid(Place),
    Mark,
    Two(Op, Operand, Operand),
    Select(Operand, Operand, Operand),
}

/// Computes some nodes of a graph.
#[derive(Debug, Default)]
pub(super) struct Program {
    /// Each with the register that it writes.
    steps: Vec<(Step, usize)>,
    roots: Vec<Operand>,
    registers: usize,
}

/// Values of blocks. They are kept from block to block for their memory.
#[derive(Debug, Default)]
pub(super) struct Registers(Vec<Vec<u64>>);

impl Program {
    /// One that computes these nodes.
    pub(super) fn new(graph: &Graph, roots: &[Id]) -> Program {
        let mut last = vec![None; graph.nodes.len()];
        // From the end, so that a node knows whether anything after it needs it.
        for root in roots {
            last[root.0 as usize] = Some(usize::MAX);
        }
        for at in (0..graph.nodes.len()).rev() {
            if last[at].is_none() {
                continue;
            }
            for part in parts(&graph.nodes[at]).into_iter().flatten() {
                let needed = &mut last[part.0 as usize];
                *needed = Some(needed.map_or(at, |known| known.max(at)));
            }
        }
        let mut program = Program::default();
        let mut free: Vec<usize> = Vec::new();
        let mut places = vec![Operand::Lit(0); graph.nodes.len()];
        for (at, node) in graph.nodes.iter().enumerate() {
            let Some(_) = last[at] else { continue };
            let place = |id: Id| places[id.0 as usize];
            let step = match *node {
                Node::Lit(number) => {
                    places[at] = Operand::Lit(number);
                    continue;
                }
                Node::Value(from) => Step::Value(from),
                Node::Valid(from) => Step::Valid(from),
                Node::Mark => Step::Mark,
                Node::Two(op, a, b) => Step::Two(op, place(a), place(b)),
                Node::Select(a, b, c) => Step::Select(place(a), place(b), place(c)),
            };
            let register = free.pop().unwrap_or_else(|| {
                program.registers += 1;
                program.registers - 1
            });
            program.steps.push((step, register));
            places[at] = Operand::Register(register);
            let mut ended: Vec<Id> = parts(node).into_iter().flatten().collect();
            ended.dedup();
            for part in ended {
                if let (Some(end), Operand::Register(register)) =
                    (last[part.0 as usize], places[part.0 as usize])
                    && end == at
                    && !free.contains(&register)
                {
                    free.push(register);
                }
            }
        }
        program.roots = roots.iter().map(|root| places[root.0 as usize]).collect();
        program
    }

    /// Computes the nodes for a block of rows.
    pub(super) fn run(&self, columns: Columns<'_>, rows: Rows<'_>, registers: &mut Registers) {
        let Registers(values) = registers;
        if values.len() < self.registers {
            values.resize_with(self.registers, Vec::new);
        }
        for (step, register) in &self.steps {
            let mut result = std::mem::take(&mut values[*register]);
            result.clear();
            match *step {
                Step::Value(place) => {
                    let source: &[u64] = &columns.at(place).values;
                    result.extend(rows.of(place).iter().map(|row| source[*row as usize]));
                }
                Step::Valid(place) => match &columns.at(place).valid {
                    Some(valid) => {
                        let valid: &[u64] = valid;
                        result.extend(rows.of(place).iter().map(|row| valid[*row as usize]));
                    }
                    None => result.resize(rows.count, u64::MAX),
                },
                Step::Mark => result.extend_from_slice(&rows.mark[..rows.count]),
                Step::Two(op, a, b) => two(op, a, b, values, rows.count, &mut result),
                Step::Select(mask, a, b) => {
                    let at = |operand: Operand, row: usize| match operand {
                        Operand::Register(register) => values[register][row],
                        Operand::Lit(number) => number,
                    };
                    result.extend((0..rows.count).map(|row| {
                        let mask = at(mask, row);
                        (at(a, row) & mask) | (at(b, row) & !mask)
                    }));
                }
            }
            values[*register] = result;
        }
    }

    /// What a root was computed to in the block that ran last.
    pub(super) fn root<'a>(&self, at: usize, registers: &'a Registers) -> Root<'a> {
        match self.roots[at] {
            Operand::Register(register) => Root::Many(&registers.0[register]),
            Operand::Lit(number) => Root::Same(number),
        }
    }
}

fn parts(node: &Node) -> [Option<Id>; 3] {
    match *node {
        Node::Lit(_) | Node::Value(_) | Node::Valid(_) | Node::Mark => [None; 3],
        Node::Two(_, a, b) => [Some(a), Some(b), None],
        Node::Select(a, b, c) => [Some(a), Some(b), Some(c)],
    }
}

/// The values of a block.
#[derive(Clone, Copy, Debug)]
pub(super) enum Root<'a> {
    Many(&'a [u64]),
    Same(u64),
}

impl Root<'_> {
    #[inline(always)]
    pub(super) fn at(self, row: usize) -> u64 {
        match self {
            Root::Many(values) => values[row],
            Root::Same(number) => number,
        }
    }
}

fn two(op: Op, a: Operand, b: Operand, values: &[Vec<u64>], count: usize, result: &mut Vec<u64>) {
    match op {
        Op::And => each(a, b, values, count, result, |a, b| compute(Op::And, a, b)),
        Op::Or => each(a, b, values, count, result, |a, b| compute(Op::Or, a, b)),
        Op::Xor => each(a, b, values, count, result, |a, b| compute(Op::Xor, a, b)),
        Op::Add => each(a, b, values, count, result, |a, b| compute(Op::Add, a, b)),
        Op::Sub => each(a, b, values, count, result, |a, b| compute(Op::Sub, a, b)),
        Op::Mul => each(a, b, values, count, result, |a, b| compute(Op::Mul, a, b)),
        Op::Shl => each(a, b, values, count, result, |a, b| compute(Op::Shl, a, b)),
        Op::Shr => each(a, b, values, count, result, |a, b| compute(Op::Shr, a, b)),
        Op::Eq => each(a, b, values, count, result, |a, b| compute(Op::Eq, a, b)),
        Op::Less => each(a, b, values, count, result, |a, b| compute(Op::Less, a, b)),
    }
}

fn each(
    a: Operand,
    b: Operand,
    values: &[Vec<u64>],
    count: usize,
    result: &mut Vec<u64>,
    compute: impl Fn(u64, u64) -> u64,
) {
    match (a, b) {
        (Operand::Register(a), Operand::Register(b)) => {
            let pairs = values[a][..count].iter().zip(&values[b][..count]);
            result.extend(pairs.map(|(a, b)| compute(*a, *b)));
        }
        (Operand::Register(a), Operand::Lit(b)) => {
            result.extend(values[a][..count].iter().map(|a| compute(*a, b)));
        }
        (Operand::Lit(a), Operand::Register(b)) => {
            result.extend(values[b][..count].iter().map(|b| compute(a, *b)));
        }
        (Operand::Lit(a), Operand::Lit(b)) => result.resize(count, compute(a, b)),
    }
}
