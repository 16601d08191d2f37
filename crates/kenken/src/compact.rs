//! The board of search and generation, for grids of up to 16x16 whose cages have small tables.
//!
//! It reaches the same candidates as [`Board`] and is several times as fast. The candidates of a
//! cage are one word, in the layout of its fillings. For each line and digit a word has the places
//! where the digit still fits. When a candidate goes, three words show whether the cell, the row or
//! the column has one possibility left, so no line is ever searched for singles. The possible
//! fillings of a cage are a set of bits, and a removed candidate takes its fillings away at once.
//!
//! All that changes lies in two vectors. They are copied before a guess and copied back after it:
//! that is cheaper than a trail, because most guesses change most cells.

mod cages;
mod rules;

use std::ops::Range;

use crate::{
    board::{Board, Contradiction, Deduced, Segment, Statistics},
    chain::Links,
    draft::Draft,
    filling::{self, MOST_CELLS, Slot},
    grid::{Cell, Line, Size},
    puzzle::Rules,
    rule::{Rule, RuleSet},
    search::Candidates,
    tables::{MOST_FILLINGS, Table, Tables},
};

/// The largest side: the places of a line are one word of 16 bits.
const LARGEST: usize = 16;

/// The most cages, in words of a set.
const CAGE_WORDS: usize = LARGEST * LARGEST / 64;

/// Where a cell is.
#[derive(Clone, Copy, Default)]
struct Spot {
    cage: u16,
    /// Its first bit in the word of its cage.
    shift: u8,
    row: u8,
    column: u8,
}

#[derive(Clone, Copy)]
struct Cage {
    /// Its cells, as a range of `Compact::cells`.
    from: u16,
    to: u16,
    /// Its parts in one line, as a range of `Compact::segments`.
    segments: (u16, u16),
    /// As in [`Table`].
    first: u32,
    support: u32,
    words: u32,
    /// Where its set of possible fillings starts in `Compact::words`.
    alive: u32,
}

impl Cage {
    /// The index range of its set of possible fillings.
    #[inline(always)]
    fn alive(&self) -> Range<usize> {
        self.alive as usize..(self.alive + self.words) as usize
    }

    /// The index range of the set of fillings that have a candidate.
    #[inline(always)]
    fn support(&self, bit: usize) -> Range<usize> {
        let start = self.support as usize + bit * self.words as usize;
        start..start + self.words as usize
    }
}

/// Changes that were not examined yet.
#[derive(Default)]
struct Queues {
    /// Digits that have one place left: a cell and a rank.
    placed: Vec<(u16, u16)>,
    cages: [u64; CAGE_WORDS],
    must: [u64; CAGE_WORDS],
    sets: u32,
    fish: u32,
    chains: bool,
}

impl Queues {
    fn clear(&mut self) {
        self.placed.clear();
        self.cages = [0; CAGE_WORDS];
        self.must = [0; CAGE_WORDS];
        (self.sets, self.fish, self.chains) = (0, 0, false);
    }
}

fn insert(set: &mut [u64; CAGE_WORDS], cage: usize) {
    set[cage / 64 % CAGE_WORDS] |= 1 << (cage % 64);
}

fn pop(set: &mut [u64; CAGE_WORDS]) -> Option<usize> {
    let word = set.iter().position(|&word| word != 0)?;
    let bit = set[word].trailing_zeros() as usize;
    set[word] &= set[word] - 1;
    Some(word * 64 + bit)
}

pub(crate) struct Compact {
    size: Size,
    side: usize,
    full: u64,
    rules: RuleSet,
    spots: Vec<Spot>,
    cages: Vec<Cage>,
    cells: Vec<u16>,
    segments: Vec<Segment>,
    tables: Tables,
    /// The candidates of each cage, and then the sets of possible fillings.
    words: Vec<u64>,
    /// The places of each digit in each line: rows first, then columns.
    lines: Vec<u16>,
    saved_words: Vec<u64>,
    saved_lines: Vec<u16>,
    queues: Queues,
    links: Links,
    /// The candidates that the fillings of each cage have.
    unions: Vec<u64>,
    pub(crate) statistics: Statistics,
}

impl Compact {
    pub(crate) fn new() -> Compact {
        Compact {
            size: Size::new(1).expect("1 is a size"),
            side: 1,
            full: 1,
            rules: RuleSet::SEARCH,
            spots: Vec::new(),
            cages: Vec::new(),
            cells: Vec::new(),
            segments: Vec::new(),
            tables: Tables::default(),
            words: Vec::new(),
            lines: Vec::new(),
            saved_words: Vec::new(),
            saved_lines: Vec::new(),
            queues: Queues::default(),
            statistics: Statistics::default(),
            links: Links::default(),
            unions: Vec::new(),
        }
    }

    /// Takes over a board that is propagated. Returns `false` if it does not fit.
    pub(crate) fn take(&mut self, board: &Board) -> bool {
        let fits = |cage: &crate::board::Cage| {
            usize::from(cage.to - cage.from) <= board.lanes
                && (cage.to - cage.from == 1
                    || cage.words == 1 && cage.alive as usize <= MOST_FILLINGS)
        };
        // A cage with one filling is placed only by the candidates of its cells.
        if board.side > LARGEST
            || !handles(board.rules)
            || !board.rules.contains(Rule::CageCandidates)
            || !board.cages.iter().all(fits)
        {
            return false;
        }
        self.begin(board.size, &board.variant, board.rules);
        self.cells.extend_from_slice(&board.cells);
        self.segments.extend_from_slice(&board.segments);
        self.words.resize(board.cages.len(), 0);
        for (number, cage) in board.cages.iter().enumerate() {
            let mut packed = 0;
            for (place, &cell) in board.cells[board.cells_of(number)].iter().enumerate() {
                let shift = place * self.side;
                packed |= u64::from(board.domains[usize::from(cell)]) << shift;
                let spot = &mut self.spots[usize::from(cell)];
                (spot.cage, spot.shift) = (number as u16, shift as u8);
            }
            self.words[number] = packed;
            let first = cage.first as usize;
            let table = match cage.alive {
                // Nothing is left to choose.
                _ if cage.words == 0 => Table::default(),
                1 => Table::default(),
                alive => {
                    let fillings = &board.fillings[first..first + alive as usize];
                    self.tables.copy(fillings, usize::from(cage.to - cage.from))
                }
            };
            let (from, to) = (cage.from, cage.to);
            self.add((from, to), cage.segments, table);
        }
        self.lines.resize(2 * self.side * self.side, 0);
        for (spot, &domain) in self.spots.iter().zip(&board.domains) {
            let (row, column) = (usize::from(spot.row), usize::from(spot.column));
            let mut rest = domain;
            while rest != 0 {
                let digit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                self.lines[row * self.side + digit] |= 1 << column;
                self.lines[(self.side + column) * self.side + digit] |= 1 << row;
            }
        }
        true
    }

    /// Loads a draft to be solved by these rules, and propagates. `None` if it does not fit.
    pub(crate) fn load(&mut self, draft: &Draft, rules: RuleSet) -> Option<Deduced> {
        let side = draft.size.side();
        let fits = |cells: &[Cell]| cells.len() <= filling::lanes(side).min(MOST_CELLS);
        if side > LARGEST || !handles(rules) || !draft.cages.iter().all(|(_, cells)| fits(cells)) {
            return None;
        }
        self.begin(draft.size, &draft.rules, rules);
        self.words.resize(draft.cages.len(), 0);
        self.lines.resize(2 * side * side, self.full as u16);
        let (mut unlisted, mut unions) = (false, std::mem::take(&mut self.unions));
        unions.clear();
        for (number, (clue, cells)) in draft.cages.iter().enumerate() {
            let from = self.cells.len();
            self.cells.extend(cells.iter().map(|cell| cell.0));
            for (place, cell) in cells.iter().enumerate() {
                let spot = &mut self.spots[cell.index()];
                (spot.cage, spot.shift) = (number as u16, (place * side) as u8);
            }
            self.words[number] = u64::MAX >> (64 - side * cells.len());
            let first_segment = self.segments.len() as u16;
            let mut table = Table::default();
            if cells.len() > 1 {
                let mut slots = [Slot::default(); MOST_CELLS];
                let slots = &mut slots[..cells.len()];
                self.shape(from, slots);
                table = self.tables.whole(&draft.rules, *clue, slots).unwrap_or_default();
                unlisted |= table.words == 0;
            } else {
                let rank = clue.target.wrapping_sub(draft.rules.lowest_digit());
                if rank >= side as u64 {
                    return Some(Err(Contradiction));
                }
                self.queues.placed.push((cells[0].0, rank as u16));
            }
            let segments = (first_segment, self.segments.len() as u16);
            let (from, to) = (from as u16, self.cells.len() as u16);
            self.add((from, to), segments, table);
            unions.push(table.union);
        }
        self.queues.sets = u32::MAX >> (32 - 2 * side);
        self.queues.fish = self.full as u32;
        self.queues.chains = true;
        let mut listed = unions.iter().enumerate().filter(|(_, union)| **union != 0);
        let deduced = listed
            .try_for_each(|(number, &union)| {
                insert(&mut self.queues.must, number);
                self.keep(number, union)
            })
            .and_then(|()| self.propagate());
        self.unions = unions;
        match deduced {
            Ok(()) if unlisted => self.list_large(draft),
            deduced => Some(deduced),
        }
    }

    /// Makes the tables of the cages that had too many fillings with every candidate. `None` if one
    /// still has too many.
    fn list_large(&mut self, draft: &Draft) -> Option<Deduced> {
        for (number, (clue, _)) in draft.cages.iter().enumerate() {
            let Cage { from, to, words, .. } = self.cages[number];
            if words != 0 || to - from == 1 {
                continue;
            }
            let mut slots = [Slot::default(); MOST_CELLS];
            let slots = &mut slots[..usize::from(to - from)];
            let segments = self.segments.len();
            self.shape(usize::from(from), slots);
            self.segments.truncate(segments);
            for (slot, &cell) in slots.iter_mut().zip(&self.cells[usize::from(from)..]) {
                slot.domain = self.domain(usize::from(cell));
            }
            let Table { first, support, words, count, .. } =
                self.tables.list(&draft.rules, *clue, slots)?;
            let (segments, alive) = (self.cages[number].segments, self.words.len() as u32);
            self.cages[number] = Cage { from, to, segments, first, support, words, alive };
            push_all(&mut self.words, count as usize, words as usize);
            insert(&mut self.queues.cages, number);
            if let Err(contradiction) = self.propagate() {
                return Some(Err(contradiction));
            }
        }
        Some(Ok(()))
    }

    /// Finds which of the cells from an index on share a line, and adds the parts in one line.
    fn shape(&mut self, from: usize, slots: &mut [Slot]) {
        let cells = &self.cells[from..from + slots.len()];
        for (place, slot) in slots.iter_mut().enumerate() {
            let Spot { row, column, .. } = self.spots[usize::from(cells[place])];
            let (mut beside, mut below) = (0u32, 0u32);
            for (other, &cell) in cells.iter().enumerate() {
                let spot = self.spots[usize::from(cell)];
                beside |= u32::from(spot.row == row) << other;
                below |= u32::from(spot.column == column) << other;
            }
            let earlier = (1 << place) - 1;
            slot.clashes = (beside | below) & earlier;
            if beside & earlier == 0 && !beside.is_power_of_two() {
                let line = Line::row(usize::from(row));
                self.segments.push(Segment { line, places: beside });
            }
            if below & earlier == 0 && !below.is_power_of_two() {
                let line = Line::column(usize::from(column), self.size);
                self.segments.push(Segment { line, places: below });
            }
        }
    }

    fn begin(&mut self, size: Size, variant: &Rules, rules: RuleSet) {
        let side = size.side();
        if self.size != size || self.spots.len() != size.cells() {
            let spot = |cell: usize| Spot {
                row: (cell / side) as u8,
                column: (cell % side) as u8,
                ..Spot::default()
            };
            self.spots = (0..size.cells()).map(spot).collect();
        }
        (self.size, self.side, self.full) = (size, side, u64::from(size.digits().0));
        self.rules = rules;
        self.tables.begin(side, variant);
        self.cages.clear();
        self.cells.clear();
        self.segments.clear();
        self.words.clear();
        self.lines.clear();
        self.saved_words.clear();
        self.saved_lines.clear();
        self.queues.clear();
        self.statistics = Statistics::default();
    }

    /// Adds a cage, all of whose fillings are possible.
    fn add(&mut self, (from, to): (u16, u16), segments: (u16, u16), table: Table) {
        let Table { first, support, words, count, .. } = table;
        let alive = self.words.len() as u32;
        push_all(&mut self.words, count as usize, words as usize);
        self.cages.push(Cage { from, to, segments, first, support, words, alive });
    }

    /// Continues with more rules.
    pub(crate) fn promote(&mut self, rules: RuleSet) -> Deduced {
        self.rules = rules;
        self.queues.sets = u32::MAX >> (32 - 2 * self.side);
        self.queues.fish = self.full as u32;
        self.queues.chains = true;
        for number in 0..self.cages.len() {
            insert(&mut self.queues.cages, number);
            insert(&mut self.queues.must, number);
        }
        self.propagate()
    }

    /// The digits of a board whose cells all have one candidate.
    pub(crate) fn digits(&self, lowest: u8) -> Vec<u8> {
        let digit = |cell: usize| self.domain(cell).trailing_zeros() as u8 + lowest;
        (0..self.spots.len()).map(digit).collect()
    }

    /// The candidates of every cell.
    pub(crate) fn domains(&self) -> Vec<u32> {
        (0..self.spots.len()).map(|cell| self.domain(cell)).collect()
    }

    /// Whether every cell has one candidate.
    pub(crate) fn is_placed(&self) -> bool {
        let placed =
            |(&word, cage): (&u64, &Cage)| word.count_ones() == u32::from(cage.to - cage.from);
        self.words.iter().zip(&self.cages).all(placed)
    }
}

/// Whether all rules are those that a compact board applies in any case, or can apply.
fn handles(rules: RuleSet) -> bool {
    rules.contains(Rule::NakedSingle)
        && rules.contains(Rule::HiddenSingle)
        && (rules.contains(Rule::CageDigits) || rules.contains(Rule::CageCandidates))
}

/// Adds a set of all numbers below `count`.
fn push_all(words: &mut Vec<u64>, count: usize, width: usize) {
    let start = words.len();
    words.resize(start + width, u64::MAX);
    if width > 0 {
        let rest = count - (width - 1) * 64;
        words[start + width - 1] = if rest == 0 { 0 } else { u64::MAX >> (64 - rest) };
    }
}

impl Candidates for Compact {
    type Mark = usize;

    fn statistics(&mut self) -> &mut Statistics {
        &mut self.statistics
    }

    fn choose(&self) -> Option<usize> {
        let mut best = (u32::MAX, 0, 0);
        for (cage, &word) in self.cages.iter().zip(&self.words) {
            // Nothing is better than two candidates and two fillings, in the first cell.
            if (best.0, best.1) == (2, 2) && self.cells[usize::from(cage.from)] > best.2 {
                continue;
            }
            let alive = &self.words[cage.alive()];
            // Most cages have one possible filling.
            if alive.is_empty() || matches!(alive, [word] if word.is_power_of_two()) {
                continue;
            }
            let mut rest = word;
            for &cell in &self.cells[usize::from(cage.from)..usize::from(cage.to)] {
                let domain = (rest & self.full) as u32;
                rest >>= self.side;
                let others = domain & (domain - 1);
                if others == 0 {
                    continue;
                }
                let count = if others & (others - 1) == 0 { 2 } else { domain.count_ones() };
                if count <= best.0 {
                    let alive = alive.iter().map(|word| word.count_ones()).sum::<u32>();
                    best = best.min((count, alive, cell));
                }
            }
        }
        (best.0 != u32::MAX).then_some(usize::from(best.2))
    }

    #[inline]
    fn domain(&self, cell: usize) -> u32 {
        let spot = self.spots[cell];
        (self.words[usize::from(spot.cage)] >> spot.shift & self.full) as u32
    }

    fn support(&self, cell: usize, digit: usize) -> usize {
        let spot = self.spots[cell];
        let cage = &self.cages[usize::from(spot.cage)];
        let sets = &self.tables.words[cage.support(usize::from(spot.shift) + digit)];
        let alive = &self.words[cage.alive()];
        alive.iter().zip(sets).map(|(alive, set)| (alive & set).count_ones() as usize).sum()
    }

    fn mark(&mut self) -> usize {
        let mark = self.saved_words.len() / self.words.len();
        self.saved_words.extend_from_slice(&self.words);
        self.saved_lines.extend_from_slice(&self.lines);
        mark
    }

    fn undo(&mut self, mark: usize) {
        let (width, length) = (self.words.len(), self.lines.len());
        let (words, lines) = (mark * width, mark * length);
        self.words.copy_from_slice(&self.saved_words[words..][..width]);
        self.lines.copy_from_slice(&self.saved_lines[lines..][..length]);
        self.saved_words.truncate(words);
        self.saved_lines.truncate(lines);
        self.queues.clear();
    }

    fn narrow(&mut self, cell: usize, digits: u32) -> Deduced {
        let mut lost = self.domain(cell) & !digits;
        if digits.is_power_of_two() {
            self.queues.placed.push((cell as u16, digits.trailing_zeros() as u16));
            lost = 0;
        }
        while lost != 0 {
            self.strike(cell, lost.trailing_zeros() as usize)?;
            lost &= lost - 1;
        }
        self.propagate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        draft::{OperatorMix, Wanted},
        random::{Random, latin_square},
        rule::Level,
        search::{Limits, ValueOrder, search},
    };

    const PROMISE: &str = "a draft has a solution";

    fn draft(random: &mut Random, side: usize) -> Option<Draft> {
        let rules = Rules {
            zero: random.percent(20),
            wide_sub_div: random.percent(20),
            ..Rules::default()
        };
        let mut operators = OperatorMix::ALL;
        operators.unknown = [0, 0, 3][random.below(3)];
        let sizes: &[u32] =
            [&[2, 50, 30, 12, 4][..], &[1, 9, 9, 9, 9, 5], &[9, 9, 3], &[9, 1, 1]][random.below(4)];
        let wanted = Wanted { sizes, operators: &operators };
        let square = latin_square(random, side);
        let size = Size::new(side).unwrap();
        let mut draft = Draft::cut(random, size, rules, square, &wanted)?;
        draft.clue_all(random, &operators);
        Some(draft)
    }

    /// Drafts of many kinds, each propagated by the rules of every level, and promoted.
    #[test]
    fn candidates_are_those_of_the_general_board() {
        let mut random = Random::new(1912, 0);
        let (mut board, mut compact) = (Board::new(), Compact::new());
        // How often each level left fewer candidates than the one before it.
        let (mut loaded, mut gained) = (0, [0; 6]);
        for round in 0..3000 {
            let side = [2, 3, 4, 5, 6, 6, 7, 8, 9, 9, 12, 16][round % 12];
            let Some(draft) = draft(&mut random, side) else { continue };
            let puzzle = draft.puzzle();
            let sets: Vec<RuleSet> = Level::ALL.map(Level::rules).to_vec();
            let mut before = 0;
            for (level, rules) in sets.into_iter().chain([RuleSet::SEARCH]).enumerate() {
                board.load(&puzzle, rules).expect(PROMISE);
                board.settle().expect(PROMISE);
                let Some(deduced) = compact.load(&draft, rules) else { continue };
                deduced.expect(PROMISE);
                assert_eq!(compact.domains(), board.domains, "round {round}: {puzzle:?}");
                assert_eq!(compact.is_placed(), board.is_placed());
                loaded += 1;
                let left: u32 = board.domains.iter().map(|domain| domain.count_ones()).sum();
                gained[level] += u32::from(left < before);
                before = left;
                for level in Level::ALL
                    .into_iter()
                    .filter(|level| rules.iter().all(|rule| level.rules().contains(rule)))
                {
                    compact.promote(level.rules()).expect(PROMISE);
                    board.promote(level.rules());
                    board.settle().expect(PROMISE);
                    assert_eq!(compact.domains(), board.domains, "round {round}: {puzzle:?}");
                }
            }
        }
        println!("{loaded} boards; levels that removed more: {gained:?}");
        assert!(loaded > 10_000 && gained[1..4].iter().all(|&gained| gained > 50), "{gained:?}");
    }

    /// Search on both boards finds the same solutions in the same order, with the same guesses.
    #[test]
    fn search_is_that_of_the_general_board() {
        let mut random = Random::new(1913, 0);
        let (mut board, mut compact) = (Board::new(), Compact::new());
        let (mut taken, mut guesses) = (0, 0);
        for round in 0..3000 {
            let side = [3, 4, 5, 6, 7, 8, 9, 9, 11, 14][round % 10];
            let Some(draft) = draft(&mut random, side) else { continue };
            let order = [ValueOrder::Ascending, ValueOrder::LeastConstraining][round % 2];
            let limits = Limits { nodes: Some(300), deadline: None };
            board.load(&draft.puzzle(), RuleSet::SEARCH).expect(PROMISE);
            board.settle().expect(PROMISE);
            let loaded = compact.load(&draft, RuleSet::SEARCH).is_some();
            let mut searched = Vec::new();
            if loaded {
                searched.push(solutions(&mut compact, order, &limits, Compact::domains));
            }
            if compact.take(&board) {
                assert_eq!(compact.domains(), board.domains);
                searched.push(solutions(&mut compact, order, &limits, Compact::domains));
            }
            taken += searched.len();
            let expected = solutions(&mut board, order, &limits, |board| board.domains.clone());
            guesses += expected.1;
            for found in searched {
                assert_eq!(found, expected, "round {round}: {:?}", draft.puzzle());
            }
        }
        println!("{taken} boards, {guesses} guesses");
        assert!(taken > 4_000 && guesses > 50_000, "{taken} {guesses}");
    }

    fn solutions<C: Candidates>(
        board: &mut C,
        order: ValueOrder,
        limits: &Limits,
        domains: impl Fn(&C) -> Vec<u32>,
    ) -> (Vec<Vec<u32>>, u64) {
        let mut found = Vec::new();
        let before = board.statistics().nodes;
        search(board, order, limits, &mut |board| {
            found.push(domains(board));
            found.len() < 20
        });
        (found, board.statistics().nodes - before)
    }
}
