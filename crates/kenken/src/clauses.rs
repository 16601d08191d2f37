//! A small clause-learning (CDCL) solver: two watched literals, first unique implication points
//! with clause minimisation, variable activities, phase saving, restarts by the quality of learnt
//! clauses, and deletion of the least useful clauses.
//!
//! It knows nothing of puzzles. It is deterministic: it uses no randomness, and no clock except the
//! caller's deadline.

use crate::{heap::Heap, search::Limits};

/// A variable or its negation: twice the variable, plus one if negated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub(crate) struct Literal(pub(crate) u32);

impl Literal {
    #[inline]
    pub(crate) fn positive(variable: u32) -> Literal {
        Literal(variable << 1)
    }

    #[inline]
    fn variable(self) -> usize {
        (self.0 >> 1) as usize
    }

    #[inline]
    fn index(self) -> usize {
        self.0 as usize
    }
}

impl std::ops::Not for Literal {
    type Output = Literal;

    #[inline]
    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

/// How a call of [`Clauses::solve`] ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// There is a model, to be read with [`Clauses::is_true`].
    Model,
    /// There is none.
    NoModel,
    /// A limit was reached.
    Limit,
}

/// The position of a clause in the clause store; 0 means no clause.
type ClauseAt = u32;

#[derive(Clone, Copy)]
struct Watch {
    clause: ClauseAt,
    /// Another literal of the clause. If it is true, the clause need not be visited. In a clause of
    /// two literals it is the other one.
    other: Literal,
    two: bool,
}

/// The words before the literals of a clause: their number, and for a learnt clause its glue plus
/// one (0 for an original clause).
const HEADER: usize = 2;

/// The glue of a clause that will be deleted.
const FORGET: u32 = u32::MAX;

pub(crate) struct Clauses {
    store: Vec<u32>,
    learnt: Vec<ClauseAt>,
    watches: Vec<Vec<Watch>>,
    /// For each literal: 1 true, -1 false, 0 unassigned.
    values: Vec<i8>,
    levels: Vec<u32>,
    reasons: Vec<ClauseAt>,
    phases: Vec<bool>,
    activities: Vec<f64>,
    step: f64,
    heap: Heap,
    trail: Vec<Literal>,
    trail_starts: Vec<usize>,
    head: usize,
    seen: Vec<Seen>,
    contradiction: bool,
    pub(crate) conflicts: u64,
    fast_glue: f64,
    slow_glue: f64,
    next_reduction: u64,
    reductions: u64,
    since_restart: u64,
    to_clear: Vec<Literal>,
    learned: Vec<Literal>,
    level_stamps: Vec<u64>,
    stamp: u64,
}

/// The state of a variable while a clause is learned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    No,
    /// In the clause, or implied by it.
    Implied,
    /// Not implied by it.
    Free,
}

const TRUE: i8 = 1;
const OPEN: i8 = 0;
const FALSE: i8 = -1;

impl Clauses {
    pub(crate) fn new() -> Clauses {
        Clauses {
            // Position 0 means no clause.
            store: vec![0; HEADER],
            learnt: Vec::new(),
            watches: Vec::new(),
            values: Vec::new(),
            levels: Vec::new(),
            reasons: Vec::new(),
            phases: Vec::new(),
            activities: Vec::new(),
            step: 1.0,
            heap: Heap::default(),
            trail: Vec::new(),
            trail_starts: Vec::new(),
            head: 0,
            seen: Vec::new(),
            contradiction: false,
            conflicts: 0,
            fast_glue: 0.0,
            slow_glue: 0.0,
            next_reduction: 2000,
            reductions: 0,
            since_restart: 0,
            to_clear: Vec::new(),
            learned: Vec::new(),
            // There are as many levels as variables, plus level 0.
            level_stamps: vec![0],
            stamp: 0,
        }
    }

    /// A new variable, as its positive literal.
    pub(crate) fn variable(&mut self) -> Literal {
        let variable = self.levels.len() as u32;
        self.watches.push(Vec::new());
        self.watches.push(Vec::new());
        self.values.extend([OPEN; 2]);
        self.levels.push(0);
        self.reasons.push(0);
        self.phases.push(false);
        self.activities.push(0.0);
        self.seen.push(Seen::No);
        self.level_stamps.push(0);
        self.heap.insert(variable, &self.activities);
        Literal::positive(variable)
    }

    /// Whether a literal is true in the last model.
    pub(crate) fn is_true(&self, literal: Literal) -> bool {
        self.values[literal.index()] == TRUE
    }

    /// Adds a clause, after undoing all decisions.
    pub(crate) fn add(&mut self, literals: &[Literal]) {
        self.backtrack(0);
        let mut clause: Vec<Literal> = Vec::with_capacity(literals.len());
        for &literal in literals {
            match self.values[literal.index()] {
                TRUE => return,
                FALSE => {}
                _ => clause.push(literal),
            }
        }
        match clause.as_slice() {
            [] => self.contradiction = true,
            &[unit] => {
                self.assign(unit, 0);
                self.contradiction |= self.propagate() != 0;
            }
            _ => {
                self.attach(&clause, 0);
            }
        }
    }

    /// Searches for a model.
    pub(crate) fn solve(&mut self, most_conflicts: u64, limits: &Limits) -> Verdict {
        let start = self.conflicts;
        self.backtrack(0);
        loop {
            if self.contradiction {
                return Verdict::NoModel;
            }
            let conflict = self.propagate();
            if conflict != 0 {
                self.conflicts += 1;
                if self.trail_starts.is_empty() {
                    self.contradiction = true;
                    return Verdict::NoModel;
                }
                self.learn(conflict);
                continue;
            }
            let spent = self.conflicts - start;
            if spent >= most_conflicts || (spent.is_multiple_of(64) && limits.passed()) {
                return Verdict::Limit;
            }
            if self.restart_is_due() {
                self.backtrack(0);
            }
            if self.conflicts >= self.next_reduction {
                self.reduce();
            }
            let Some(variable) = self.next_variable() else { return Verdict::Model };
            self.trail_starts.push(self.trail.len());
            let literal = Literal::positive(variable);
            self.assign(if self.phases[variable as usize] { literal } else { !literal }, 0);
        }
    }

    fn next_variable(&mut self) -> Option<u32> {
        while let Some(variable) = self.heap.pop(&self.activities) {
            if self.values[(variable << 1) as usize] == OPEN {
                return Some(variable);
            }
        }
        None
    }

    /// A restart is due if recently learnt clauses are worse than the average.
    fn restart_is_due(&mut self) -> bool {
        let worse = self.since_restart > 40 && self.fast_glue > 1.15 * self.slow_glue;
        if worse || self.since_restart > 4000 {
            self.since_restart = 0;
            return true;
        }
        false
    }

    fn attach(&mut self, literals: &[Literal], glue: u32) -> ClauseAt {
        let at = self.store.len() as ClauseAt;
        self.store.push(literals.len() as u32);
        self.store.push(glue);
        self.store.extend(literals.iter().map(|literal| literal.0));
        let two = literals.len() == 2;
        let watch = |other| Watch { clause: at, other, two };
        self.watches[(!literals[0]).index()].push(watch(literals[1]));
        self.watches[(!literals[1]).index()].push(watch(literals[0]));
        at
    }

    #[inline]
    fn assign(&mut self, literal: Literal, reason: ClauseAt) {
        let variable = literal.variable();
        self.values[literal.index()] = TRUE;
        self.values[(!literal).index()] = FALSE;
        self.levels[variable] = self.trail_starts.len() as u32;
        self.reasons[variable] = reason;
        self.trail.push(literal);
    }

    /// Unit propagation. Returns the conflicting clause, or 0.
    fn propagate(&mut self) -> ClauseAt {
        while self.head < self.trail.len() {
            let literal = self.trail[self.head];
            self.head += 1;
            let mut watches = std::mem::take(&mut self.watches[literal.index()]);
            let (mut from, mut to) = (0, 0);
            let mut broken = 0;
            'watches: while from < watches.len() {
                let watch = watches[from];
                from += 1;
                let value = self.values[watch.other.index()];
                if value == TRUE {
                    watches[to] = watch;
                    to += 1;
                    continue;
                }
                if watch.two {
                    watches[to] = watch;
                    to += 1;
                    if value == FALSE {
                        broken = watch.clause;
                        break;
                    }
                    // The first literal of a reason is the one it implies.
                    let at = watch.clause as usize + HEADER;
                    self.store[at] = watch.other.0;
                    self.store[at + 1] = (!literal).0;
                    self.assign(watch.other, watch.clause);
                    continue;
                }
                let at = watch.clause as usize + HEADER;
                let falsified = (!literal).0;
                if self.store[at] == falsified {
                    self.store.swap(at, at + 1);
                }
                let first = Literal(self.store[at]);
                let kept = Watch { other: first, ..watch };
                if first != watch.other && self.values[first.index()] == TRUE {
                    watches[to] = kept;
                    to += 1;
                    continue;
                }
                let length = self.store[watch.clause as usize] as usize;
                for place in at + 2..at + length {
                    let candidate = Literal(self.store[place]);
                    if self.values[candidate.index()] != FALSE {
                        self.store[at + 1] = candidate.0;
                        self.store[place] = falsified;
                        self.watches[(!candidate).index()].push(kept);
                        continue 'watches;
                    }
                }
                watches[to] = kept;
                to += 1;
                if self.values[first.index()] == FALSE {
                    broken = watch.clause;
                    break;
                }
                self.assign(first, watch.clause);
            }
            while from < watches.len() {
                watches[to] = watches[from];
                from += 1;
                to += 1;
            }
            watches.truncate(to);
            self.watches[literal.index()] = watches;
            if broken != 0 {
                self.head = self.trail.len();
                return broken;
            }
        }
        0
    }

    fn backtrack(&mut self, level: usize) {
        if self.trail_starts.len() <= level {
            return;
        }
        let start = self.trail_starts[level];
        for place in (start..self.trail.len()).rev() {
            let literal = self.trail[place];
            let variable = literal.variable();
            self.values[literal.index()] = OPEN;
            self.values[(!literal).index()] = OPEN;
            self.phases[variable] = literal.0 & 1 == 0;
            self.heap.insert(variable as u32, &self.activities);
        }
        self.trail.truncate(start);
        self.trail_starts.truncate(level);
        self.head = start;
    }

    /// Learns a clause from a conflict, jumps back to the level where it is a unit clause, and
    /// assigns its literal.
    fn learn(&mut self, conflict: ClauseAt) {
        self.analyse(conflict);
        self.minimise();
        let glue = self.glue();
        for literal in self.to_clear.drain(..) {
            self.seen[literal.variable()] = Seen::No;
        }
        let mut learned = std::mem::take(&mut self.learned);
        let mut level = 0;
        if learned.len() > 1 {
            // The second watched literal must be the one that is unassigned last.
            let mut latest = 1;
            for place in 2..learned.len() {
                if self.levels[learned[place].variable()] > self.levels[learned[latest].variable()]
                {
                    latest = place;
                }
            }
            learned.swap(1, latest);
            level = self.levels[learned[1].variable()] as usize;
        }
        self.backtrack(level);
        if learned.len() == 1 {
            self.assign(learned[0], 0);
        } else {
            let at = self.attach(&learned, glue + 1);
            self.learnt.push(at);
            self.assign(learned[0], at);
        }
        self.learned = learned;
        self.step /= 0.95;
        if self.step > 1e100 {
            self.step *= 1e-100;
            for activity in &mut self.activities {
                *activity *= 1e-100;
            }
        }
        self.since_restart += 1;
        self.fast_glue += (f64::from(glue) - self.fast_glue) / 32.0;
        self.slow_glue +=
            (f64::from(glue) - self.slow_glue) / 4096.0_f64.min(self.conflicts as f64);
    }

    /// Resolves back to the first unique implication point, into `learned`.
    fn analyse(&mut self, conflict: ClauseAt) {
        let current = self.trail_starts.len() as u32;
        self.learned.clear();
        self.learned.push(Literal(0));
        let mut open = 0;
        let mut place = self.trail.len();
        let mut clause = conflict;
        let mut implied: Option<Literal> = None;
        loop {
            self.improve_glue(clause);
            let at = clause as usize + HEADER;
            let length = self.store[clause as usize] as usize;
            for index in at..at + length {
                let literal = Literal(self.store[index]);
                let variable = literal.variable();
                let known = self.seen[variable] != Seen::No || self.levels[variable] == 0;
                if Some(literal) == implied || known {
                    continue;
                }
                self.seen[variable] = Seen::Implied;
                self.to_clear.push(literal);
                self.bump(variable);
                if self.levels[variable] == current {
                    open += 1;
                } else {
                    self.learned.push(literal);
                }
            }
            let literal = loop {
                place -= 1;
                let literal = self.trail[place];
                if self.seen[literal.variable()] != Seen::No {
                    break literal;
                }
            };
            open -= 1;
            if open == 0 {
                self.learned[0] = !literal;
                return;
            }
            implied = Some(literal);
            clause = self.reasons[literal.variable()];
        }
    }

    /// Removes literals that the others imply.
    fn minimise(&mut self) {
        let mut kept = 1;
        for place in 1..self.learned.len() {
            let literal = self.learned[place];
            if self.reasons[literal.variable()] == 0 || !self.is_implied(literal, 0) {
                self.learned[kept] = literal;
                kept += 1;
            }
        }
        self.learned.truncate(kept);
    }

    /// Whether a literal is implied by the others of the learned clause.
    fn is_implied(&mut self, literal: Literal, depth: u32) -> bool {
        let reason = self.reasons[literal.variable()];
        if reason == 0 || depth > 500 {
            return false;
        }
        let at = reason as usize + HEADER;
        let length = self.store[reason as usize] as usize;
        let mut implied = true;
        for index in at..at + length {
            let other = Literal(self.store[index]);
            let variable = other.variable();
            if variable == literal.variable() || self.levels[variable] == 0 {
                continue;
            }
            implied = match self.seen[variable] {
                Seen::Implied => true,
                Seen::Free => false,
                Seen::No => self.is_implied(other, depth + 1),
            };
            if !implied {
                break;
            }
        }
        if self.seen[literal.variable()] == Seen::No {
            self.seen[literal.variable()] = if implied { Seen::Implied } else { Seen::Free };
            self.to_clear.push(literal);
        }
        implied
    }

    /// The number of decision levels in a clause.
    fn glue(&mut self) -> u32 {
        self.stamp += 1;
        let mut glue = 0;
        for literal in &self.learned {
            let level = self.levels[literal.variable()] as usize;
            if self.level_stamps[level] != self.stamp {
                self.level_stamps[level] = self.stamp;
                glue += 1;
            }
        }
        glue
    }

    /// Lowers the glue of a learnt clause that is used again, if it has improved.
    fn improve_glue(&mut self, clause: ClauseAt) {
        let clause = clause as usize;
        let old = self.store[clause + 1];
        if old <= 3 {
            return;
        }
        self.stamp += 1;
        let mut glue = 0;
        let length = self.store[clause] as usize;
        for index in clause + HEADER..clause + HEADER + length {
            let level = self.levels[Literal(self.store[index]).variable()] as usize;
            if self.level_stamps[level] != self.stamp {
                self.level_stamps[level] = self.stamp;
                glue += 1;
            }
        }
        self.store[clause + 1] = old.min(glue + 1);
    }

    #[inline]
    fn bump(&mut self, variable: usize) {
        self.activities[variable] += self.step;
        self.heap.raise(variable as u32, &self.activities);
    }

    /// Deletes the worse half of the learnt clauses and compacts the clause store.
    fn reduce(&mut self) {
        self.reductions += 1;
        self.next_reduction = self.conflicts + 2000 + 300 * self.reductions;
        self.backtrack(0);
        let store = &self.store;
        // Ordered by quality, then by age: of equally good clauses the oldest is deleted first.
        self.learnt.sort_by_key(|&at| (store[at as usize + 1], store[at as usize], u32::MAX - at));
        let half = self.learnt.len() / 2;
        for &at in &self.learnt[half..] {
            let glue = &mut self.store[at as usize + 1];
            if *glue > 3 {
                *glue = FORGET;
            }
        }
        self.compact();
    }

    fn compact(&mut self) {
        let old = std::mem::take(&mut self.store);
        let mut new: Vec<u32> = Vec::with_capacity(old.len());
        new.extend([0; HEADER]);
        for watches in &mut self.watches {
            watches.clear();
        }
        self.learnt.clear();
        let mut at = HEADER;
        let mut literals: Vec<Literal> = Vec::new();
        self.store = new;
        while at < old.len() {
            let length = old[at] as usize;
            let glue = old[at + 1];
            let body = &old[at + HEADER..at + HEADER + length];
            at += HEADER + length;
            if glue == FORGET {
                continue;
            }
            // Only level 0 is assigned here. Clauses that are true there are deleted, and so are
            // literals that are false.
            literals.clear();
            let mut satisfied = false;
            for &literal in body {
                let literal = Literal(literal);
                match self.values[literal.index()] {
                    TRUE => satisfied = true,
                    OPEN => literals.push(literal),
                    _ => {}
                }
            }
            if satisfied {
                continue;
            }
            let place = self.attach(&literals, glue);
            if glue != 0 {
                self.learnt.push(place);
            }
        }
        // Reasons of literals at level 0 are never needed.
        for literal in &self.trail {
            self.reasons[literal.variable()] = 0;
        }
    }
}
