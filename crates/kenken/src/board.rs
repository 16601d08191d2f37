//! The state of a puzzle being solved: candidates, the possible fillings of each cage, a trail to
//! undo changes, and queues of changes.
//!
//! Every change of a cell marks its row, its column, its cage and the digits it lost. A rule looks
//! only at what is marked for it. Candidates are only removed, except by [`Board::undo`], which
//! undoes everything since a mark.

use crate::{
    cache::Cache,
    filling::{self, Budget, MOST_CELLS, MOST_WORDS, Slot},
    grid::{Cell, Digits, LARGEST, Line, Size},
    puzzle::{Clue, Puzzle, Rules},
    reach,
    rule::{Rule, RuleSet},
};

/// A cage with more fillings is not enumerated.
const MOST_FILLINGS: usize = 20_000;

/// Counters of the work done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Guesses: digits tried in a cell, and digits excluded after they were refuted.
    pub nodes: u64,
    /// Lines and cages examined.
    pub propagations: u64,
    /// How often propagation reached its end or a contradiction.
    pub passes: u64,
    /// Conflicts of the clause-learning solver, if it was used.
    pub conflicts: u64,
}

impl std::ops::AddAssign for Statistics {
    fn add_assign(&mut self, more: Statistics) {
        self.nodes += more.nodes;
        self.propagations += more.propagations;
        self.passes += more.passes;
        self.conflicts += more.conflicts;
    }
}

/// A contradiction: some cell, line or cage has no possibility left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contradiction;

pub(crate) type Deduced = Result<(), Contradiction>;

/// A cage while its puzzle is being solved.
#[derive(Clone, Copy)]
pub(crate) struct Cage {
    pub(crate) clue: Clue,
    /// Its cells, as a range of `Board::cells`.
    pub(crate) from: u16,
    pub(crate) to: u16,
    /// Words per filling, or 0 if the fillings are not enumerated.
    pub(crate) words: u8,
    /// Where its fillings start, in words.
    pub(crate) first: u32,
    /// The number of possible fillings, which come first.
    pub(crate) alive: u32,
    /// Its parts that lie in one line, as a range of `Board::segments`.
    pub(crate) segments: (u16, u16),
}

/// Two or more cells of a cage in one line.
#[derive(Clone, Copy)]
pub(crate) struct Segment {
    pub(crate) line: Line,
    /// Indices of cells in the cage.
    pub(crate) places: u32,
}

/// A point to return to.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    cells: u32,
    cages: u32,
}

/// Changes that were not examined yet, in one queue for each rule.
#[derive(Default)]
pub(crate) struct Queues {
    /// Cells with one candidate left.
    pub(crate) placed: Vec<u16>,
    pub(crate) lines: u64,
    pub(crate) cages: CageSet,
    pub(crate) must: CageSet,
    pub(crate) sets: u64,
    pub(crate) fish: u32,
    pub(crate) chains: bool,
}

/// A set of cages.
#[derive(Default)]
pub(crate) struct CageSet {
    words: [u64; CageSet::WORDS],
    /// The number of words in use for the current puzzle.
    used: usize,
}

impl CageSet {
    const WORDS: usize = LARGEST * LARGEST / 64;

    fn resize(&mut self, cages: usize) {
        self.clear();
        self.used = cages.div_ceil(64);
    }

    #[inline]
    pub(crate) fn insert(&mut self, cage: usize) {
        self.words[cage / 64 % CageSet::WORDS] |= 1 << (cage % 64);
    }

    #[inline]
    pub(crate) fn remove(&mut self, cage: usize) {
        self.words[cage / 64 % CageSet::WORDS] &= !(1 << (cage % 64));
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<usize> {
        for (index, word) in self.words[..self.used].iter_mut().enumerate() {
            if *word != 0 {
                let bit = word.trailing_zeros() as usize;
                *word &= *word - 1;
                return Some(index * 64 + bit);
            }
        }
        None
    }

    #[inline]
    fn clear(&mut self) {
        self.words[..self.used].fill(0);
    }
}

pub(crate) struct Board {
    pub(crate) size: Size,
    pub(crate) side: usize,
    /// The number of cells in a word of a filling.
    pub(crate) lanes: usize,
    pub(crate) full: u32,
    pub(crate) variant: Rules,
    pub(crate) rules: RuleSet,
    pub(crate) domains: Vec<u32>,
    /// The row and the column of each cell, as a set.
    pub(crate) lines_of: Vec<u64>,
    pub(crate) cage_of: Vec<u16>,
    pub(crate) cages: Vec<Cage>,
    pub(crate) cells: Vec<u16>,
    pub(crate) segments: Vec<Segment>,
    pub(crate) fillings: Vec<u64>,
    pub(crate) queues: Queues,
    pub(crate) statistics: Statistics,
    cache: Cache,
    trail: Vec<(u16, u32)>,
    cage_trail: Vec<(u16, u32)>,
}

impl Board {
    /// An empty board.
    pub(crate) fn new() -> Board {
        Board {
            size: Size::new(1).expect("1 is a size"),
            side: 1,
            lanes: filling::lanes(1),
            full: 1,
            variant: Rules::default(),
            rules: RuleSet::SEARCH,
            domains: Vec::new(),
            lines_of: Vec::new(),
            cage_of: Vec::new(),
            cages: Vec::new(),
            cells: Vec::new(),
            segments: Vec::new(),
            fillings: Vec::new(),
            queues: Queues::default(),
            statistics: Statistics::default(),
            cache: Cache::default(),
            trail: Vec::new(),
            cage_trail: Vec::new(),
        }
    }

    /// Loads a puzzle to be solved by these rules, and places its given digits.
    pub(crate) fn load(&mut self, puzzle: &Puzzle, rules: RuleSet) -> Deduced {
        self.lay_out(puzzle, rules);
        self.place_givens()?;
        if rules.contains(Rule::NakedSingle) {
            self.propagate_lines()?;
        }
        if self.uses_fillings() {
            self.tabulate()?;
        }
        Ok(())
    }

    /// Propagates, and enumerates the fillings of cages that had too many before.
    pub(crate) fn settle(&mut self) -> Deduced {
        loop {
            self.propagate()?;
            let mut listed = false;
            for cage in 0..self.cages.len() {
                let Cage { words, from, to, .. } = self.cages[cage];
                if words == 0 && to - from > 1 && self.uses_fillings() {
                    self.list_fillings(cage);
                    if self.cages[cage].words != 0 {
                        listed = true;
                        self.revise_cage(cage)?;
                    }
                }
            }
            if !listed {
                return Ok(());
            }
        }
    }

    /// Continues with other rules. Every queue is filled again.
    pub(crate) fn promote(&mut self, rules: RuleSet) {
        self.rules = rules;
        self.queues.lines = u64::MAX >> (64 - 2 * self.side);
        self.queues.sets = self.queues.lines;
        self.queues.fish = self.full;
        self.queues.chains = true;
        for cage in 0..self.cages.len() {
            self.queues.cages.insert(cage);
            self.queues.must.insert(cage);
        }
    }

    /// Whether any of the rules uses fillings.
    fn uses_fillings(&self) -> bool {
        [Rule::CageDigits, Rule::CageCandidates, Rule::MustAppear]
            .into_iter()
            .any(|rule| self.rules.contains(rule))
    }

    pub(crate) fn lay_out(&mut self, puzzle: &Puzzle, rules: RuleSet) {
        let size = puzzle.size();
        let side = size.side();
        if self.size != size || self.lines_of.len() != size.cells() {
            self.lines_of.clear();
            self.lines_of.extend(
                (0..size.cells()).map(|cell| 1 << (cell / side) | 1 << (side + cell % side)),
            );
        }
        self.size = size;
        self.side = side;
        self.lanes = filling::lanes(side);
        self.full = size.digits().0;
        self.variant = *puzzle.rules();
        self.rules = rules;
        self.domains.clear();
        self.domains.resize(size.cells(), self.full);
        self.cage_of.clear();
        self.cage_of.extend_from_slice(puzzle.cage_map());
        self.cages.clear();
        self.cells.clear();
        self.segments.clear();
        self.fillings.clear();
        self.trail.clear();
        self.cage_trail.clear();
        self.statistics = Statistics::default();
        self.queues.placed.clear();
        for cage in puzzle.cages() {
            let from = self.cells.len() as u16;
            self.cells.extend(cage.cells.iter().map(|cell| cell.0));
            let first_segment = self.segments.len() as u16;
            if cage.cells.len() > 1 && cage.cells.len() <= MOST_CELLS {
                self.cut_segments(cage.cells);
            }
            self.cages.push(Cage {
                clue: cage.clue,
                from,
                to: self.cells.len() as u16,
                words: 0,
                first: 0,
                alive: u32::MAX,
                segments: (first_segment, self.segments.len() as u16),
            });
        }
        self.queues.lines = 0;
        self.queues.sets = u64::MAX >> (64 - 2 * side);
        self.queues.fish = self.full;
        self.queues.chains = true;
        self.queues.cages.resize(self.cages.len());
        self.queues.must.resize(self.cages.len());
    }

    fn cut_segments(&mut self, cells: &[Cell]) {
        let size = self.size;
        // Cells are in row-major order, so rows are contiguous; columns are collected.
        let mut seen_columns = 0u32;
        let mut last_row = usize::MAX;
        for (place, cell) in cells.iter().enumerate() {
            let (row, column) = (cell.row(size), cell.column(size));
            if row != last_row {
                last_row = row;
                let places = cells[place..].iter().take_while(|other| other.row(size) == row);
                let count = places.count();
                if count > 1 {
                    let places = ((1u32 << count) - 1) << place;
                    self.segments.push(Segment { line: Line::row(row), places });
                }
            }
            if seen_columns >> column & 1 == 0 {
                seen_columns |= 1 << column;
                let mut places = 0u32;
                for (other, cell) in cells.iter().enumerate().skip(place) {
                    places |= u32::from(cell.column(size) == column) << other;
                }
                if !places.is_power_of_two() {
                    self.segments.push(Segment { line: Line::column(column, size), places });
                }
            }
        }
    }

    fn place_givens(&mut self) -> Deduced {
        for cage in 0..self.cages.len() {
            if self.cages[cage].to - self.cages[cage].from == 1 {
                self.cages[cage].alive = 1;
                self.place_given(cage)?;
            }
        }
        Ok(())
    }

    /// Places the digit of a cage of one cell.
    pub(crate) fn place_given(&mut self, cage: usize) -> Deduced {
        let Cage { clue, from, .. } = self.cages[cage];
        let rank = clue.target.wrapping_sub(self.variant.lowest_digit());
        if rank >= self.side as u64 {
            return Err(Contradiction);
        }
        self.restrict(usize::from(self.cells[usize::from(from)]), 1 << rank)
    }

    /// Enumerates the fillings of every cage, small cages first: the candidates that they remove
    /// reduce the fillings of the larger ones.
    fn tabulate(&mut self) -> Deduced {
        let largest = self.cages.iter().map(|cage| cage.to - cage.from).max().unwrap_or(0);
        for cells in 2..=largest {
            for cage in 0..self.cages.len() {
                if self.cages[cage].to - self.cages[cage].from == cells {
                    self.list_fillings(cage);
                    self.revise_cage(cage)?;
                }
            }
            if self.rules.contains(Rule::NakedSingle) {
                self.propagate_lines()?;
            }
        }
        Ok(())
    }

    /// Enumerates the fillings of a cage from the candidates of its cells, unless there are too
    /// many.
    pub(crate) fn list_fillings(&mut self, number: usize) {
        let Cage { clue, from, to, .. } = self.cages[number];
        let cells = &self.cells[usize::from(from)..usize::from(to)];
        let words = cells.len().div_ceil(self.lanes);
        if cells.len() > MOST_CELLS || words > MOST_WORDS {
            return;
        }
        let mut slots = [Slot::default(); MOST_CELLS];
        for (place, &cell) in cells.iter().enumerate() {
            let lines = self.lines_of[usize::from(cell)];
            let mut clashes = 0;
            for (earlier, &other) in cells[..place].iter().enumerate() {
                clashes |= u32::from(self.lines_of[usize::from(other)] & lines != 0) << earlier;
            }
            slots[place] = Slot { domain: self.domains[usize::from(cell)], clashes };
        }
        let first = self.fillings.len();
        let budget = Budget { fillings: MOST_FILLINGS, steps: 8 * MOST_FILLINGS };
        let slots = &slots[..cells.len()];
        let (side, variant, out) = (self.side, &self.variant, &mut self.fillings);
        if self.cache.list(side, variant, clue, slots, out)
            || filling::list(side, variant, clue, slots, budget, out)
        {
            let cage = &mut self.cages[number];
            cage.words = words as u8;
            cage.first = first as u32;
            cage.alive = ((self.fillings.len() - first) / words) as u32;
            self.queues.must.insert(number);
        }
    }

    /// Removes candidates of a cell, but not all, and marks everything affected.
    #[inline]
    pub(crate) fn set(&mut self, cell: usize, domain: u32) {
        let old = std::mem::replace(&mut self.domains[cell], domain);
        debug_assert!(domain != 0 && domain & !old == 0 && domain != old);
        self.trail.push((cell as u16, old));
        let lines = self.lines_of[cell];
        self.queues.lines |= lines;
        self.queues.sets |= lines;
        self.queues.fish |= old ^ domain;
        self.queues.chains = true;
        self.queues.cages.insert(usize::from(self.cage_of[cell]));
        if domain & (domain - 1) == 0 {
            self.queues.placed.push(cell as u16);
        }
    }

    /// Restricts a cell to these candidates.
    #[inline]
    pub(crate) fn restrict(&mut self, cell: usize, to: u32) -> Deduced {
        let old = self.domains[cell];
        let domain = old & to;
        if domain == 0 {
            return Err(Contradiction);
        }
        if domain != old {
            self.set(cell, domain);
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn note_alive(&mut self, cage: usize, alive: u32) {
        let old = std::mem::replace(&mut self.cages[cage].alive, alive);
        self.cage_trail.push((cage as u16, old));
    }

    /// A mark of the current state.
    #[inline]
    pub(crate) fn mark(&self) -> Mark {
        Mark { cells: self.trail.len() as u32, cages: self.cage_trail.len() as u32 }
    }

    /// The candidates that cells have lost since a mark, in row-major order.
    pub(crate) fn removed_since(&self, mark: Mark) -> Vec<(Cell, Digits)> {
        let mut before: Vec<(u16, u32)> = Vec::new();
        for &(cell, domain) in &self.trail[mark.cells as usize..] {
            if !before.iter().any(|&(other, _)| other == cell) {
                before.push((cell, domain));
            }
        }
        before.sort_unstable();
        let lost = |(cell, domain): (u16, u32)| {
            (Cell(cell), Digits(domain & !self.domains[usize::from(cell)]))
        };
        before.into_iter().map(lost).collect()
    }

    /// Undoes everything since a mark, and clears the queues.
    #[inline]
    pub(crate) fn undo(&mut self, mark: Mark) {
        for &(cell, domain) in self.trail[mark.cells as usize..].iter().rev() {
            self.domains[usize::from(cell)] = domain;
        }
        self.trail.truncate(mark.cells as usize);
        for &(cage, alive) in self.cage_trail[mark.cages as usize..].iter().rev() {
            self.cages[usize::from(cage)].alive = alive;
        }
        self.cage_trail.truncate(mark.cages as usize);
        self.queues.placed.clear();
        self.queues.lines = 0;
        self.queues.cages.clear();
        self.queues.must.clear();
        self.queues.sets = 0;
        self.queues.fish = 0;
        self.queues.chains = false;
    }

    /// Whether every cell has one candidate.
    pub(crate) fn is_placed(&self) -> bool {
        self.domains.iter().all(|domain| domain.is_power_of_two())
    }

    /// The cells of a cage.
    #[inline]
    pub(crate) fn cells_of(&self, cage: usize) -> std::ops::Range<usize> {
        usize::from(self.cages[cage].from)..usize::from(self.cages[cage].to)
    }

    /// The digits of a board whose cells all have one candidate.
    pub(crate) fn digits(&self) -> Vec<u8> {
        let lowest = self.variant.lowest_digit() as u8;
        self.domains.iter().map(|domain| domain.trailing_zeros() as u8 + lowest).collect()
    }

    /// Reduces the candidates of a cage that is not enumerated to those that its clue allows.
    pub(crate) fn reach(&mut self, cage: usize) -> Result<Vec<u32>, Contradiction> {
        let cells = self.cells_of(cage);
        let mut domains: Vec<u32> =
            self.cells[cells].iter().map(|&cell| self.domains[usize::from(cell)]).collect();
        let clue = self.cages[cage].clue;
        if !self.uses_fillings() && !domains.iter().all(|domain| domain.is_power_of_two()) {
            return Ok(domains);
        }
        if reach::filter(self.side, &self.variant, clue, &mut domains) {
            Ok(domains)
        } else {
            Err(Contradiction)
        }
    }
}
