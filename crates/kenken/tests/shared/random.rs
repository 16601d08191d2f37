//! Small random puzzles of every variant, and the solver anyone would write first.

use kenken::{Cell, Clue, Operator, Puzzle, Rules, Size, Solution, solution::comes_out};

/// A small generator of random numbers, enough for tests.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ bits >> 31) % bound as u64) as usize
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// A random puzzle up to this side: any operators, any rule variant, seldom without solution.
pub(crate) fn puzzle(random: &mut Random, largest: usize) -> Puzzle {
    let side = 1 + random.below(largest);
    let size = Size::new(side).unwrap();
    let rules = Rules {
        zero: random.below(4) == 0,
        wide_sub_div: random.below(3) == 0,
        max_cage: None,
        connected: random.below(6) != 0,
    };
    let square = latin_square(random, side);
    let lowest = rules.lowest_digit();
    let cages: Vec<(Clue, Vec<Cell>)> = partition(random, size, &rules)
        .into_iter()
        .map(|cells| {
            let digits: Vec<u64> =
                cells.iter().map(|cell| square[cell.index()] as u64 + lowest).collect();
            (clue(random, &rules, &digits), cells)
        })
        .collect();
    Puzzle::new(size, rules, &cages).unwrap()
}

fn latin_square(random: &mut Random, side: usize) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..side).collect();
    let mut columns = rows.clone();
    let mut digits = rows.clone();
    random.shuffle(&mut rows);
    random.shuffle(&mut columns);
    random.shuffle(&mut digits);
    let (rows, columns, digits) = (&rows, &columns, &digits);
    (0..side)
        .flat_map(|row| (0..side).map(move |column| digits[(rows[row] + columns[column]) % side]))
        .collect()
}

fn partition(random: &mut Random, size: Size, rules: &Rules) -> Vec<Vec<Cell>> {
    let mut free: Vec<Cell> = (0..size.cells() as u16).map(Cell).collect();
    random.shuffle(&mut free);
    let mut cages = Vec::new();
    while let Some(cell) = free.pop() {
        let mut cage = vec![cell];
        let wanted = 1 + random.below(5);
        while cage.len() < wanted {
            let touches = |other: &Cell| {
                cage.iter().any(|cell| {
                    let rows = cell.row(size).abs_diff(other.row(size));
                    let columns = cell.column(size).abs_diff(other.column(size));
                    rows + columns == 1
                })
            };
            let next = free.iter().position(|cell| !rules.connected || touches(cell));
            let Some(next) = next else { break };
            cage.push(free.remove(next));
        }
        cages.push(cage);
    }
    cages
}

fn clue(random: &mut Random, rules: &Rules, digits: &[u64]) -> Clue {
    if digits.len() == 1 {
        return Clue { operator: Operator::Given, target: digits[0] };
    }
    let mut sorted = digits.to_vec();
    sorted.sort_unstable();
    let (largest, rest) = sorted.split_last().unwrap();
    let (sum, product) = (rest.iter().sum::<u64>(), rest.iter().product::<u64>());
    let mut choices = vec![
        (Operator::Add, largest + sum),
        (Operator::Multiply, largest * product),
        (Operator::Unknown, largest + sum),
        (Operator::Unknown, largest * product),
    ];
    if rules.allows(Operator::Subtract, digits.len()) {
        if *largest >= sum {
            choices.push((Operator::Subtract, largest - sum));
            choices.push((Operator::Unknown, largest - sum));
        }
        if product != 0 && largest % product == 0 {
            choices.push((Operator::Divide, largest / product));
            choices.push((Operator::Unknown, largest / product));
        }
    }
    let (operator, target) = choices[random.below(choices.len())];
    // Now and then a clue that may be wrong.
    let target = if random.below(25) == 0 { target + 1 } else { target };
    let zero = target == 0 && !rules.zero && !(rules.wide_sub_div && digits.len() > 2);
    Clue { operator, target: if zero { 1 } else { target } }
}

/// Every solution, cell after cell with every digit; `None` if that takes too long.
pub(crate) fn brute_force(puzzle: &Puzzle) -> Option<Vec<Solution>> {
    let mut brute = Brute {
        puzzle,
        digits: vec![0; puzzle.size().cells()],
        solutions: Vec::new(),
        steps: 300_000,
    };
    brute.place(0).then_some(brute.solutions)
}

struct Brute<'a> {
    puzzle: &'a Puzzle,
    digits: Vec<u8>,
    solutions: Vec<Solution>,
    steps: u32,
}

impl Brute<'_> {
    fn place(&mut self, at: usize) -> bool {
        let size = self.puzzle.size();
        if at == size.cells() {
            self.solutions.push(Solution::new(size, self.digits.clone()));
            return true;
        }
        let lowest = self.puzzle.rules().lowest_digit() as u8;
        for digit in lowest..lowest + size.side() as u8 {
            if self.steps == 0 {
                return false;
            }
            self.steps -= 1;
            self.digits[at] = digit;
            if self.fits(Cell(at as u16)) && !self.place(at + 1) {
                return false;
            }
        }
        true
    }

    fn fits(&self, cell: Cell) -> bool {
        let size = self.puzzle.size();
        let earlier = (0..cell.0).map(Cell);
        let clash = earlier
            .filter(|other| other.sees(cell, size))
            .any(|other| self.digits[other.index()] == self.digits[cell.index()]);
        let cage = self.puzzle.cage(self.puzzle.cage_of(cell));
        let full = cage.cells.last() == Some(&cell);
        let digits = cage.cells.iter().map(|cell| u64::from(self.digits[cell.index()]));
        !clash && (!full || comes_out(self.puzzle.rules(), cage, &digits.collect::<Vec<_>>()))
    }
}
