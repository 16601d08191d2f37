//! Encodes a board as clauses.
//!
//! There is one variable for each candidate of an unsolved cell. A line holds each digit once. A
//! cage of two cells has support clauses. A cage with few fillings has a variable for each filling.
//! Any other cage is a layered decision diagram, with a variable for each of its nodes. If a cage
//! was too large to enumerate, the nodes of its diagram are partial sums or products.

use std::collections::HashMap;

use crate::{
    board::{Board, Cage},
    clauses::{Clauses, Literal},
    filling,
    grid::Line,
    puzzle::Operator,
    reach,
};

/// The largest number of fillings for which each gets a variable. Of the values between 24 and
/// 3,000 that were tried, 200 took the least time for the puzzles that search does not finish.
const FEW_FILLINGS: usize = 200;

/// If sums and products need more arrows than this, the board is left to search.
const MOST_ARROWS: usize = 1 << 21;

/// The largest number of nodes in a layer for which each pair is excluded explicitly.
const MOST_PAIRED: usize = 40;

pub(crate) struct Encoding {
    pub(crate) clauses: Clauses,
    /// The variable of each candidate of each unsolved cell.
    candidates: Vec<Vec<(u32, Literal)>>,
}

impl Encoding {
    /// Whether a board can be encoded in reasonable size: every cage is enumerated, or is a sum or
    /// a product with not too many partial results.
    pub(crate) fn exists(board: &Board) -> bool {
        let mut arrows = 0;
        for cage in board.cages.iter().filter(|cage| cage.words == 0 && cage.to - cage.from > 1) {
            let cells = usize::from(cage.to - cage.from);
            let widest = match cage.clue.operator {
                Operator::Add => cells * board.side,
                Operator::Multiply if cage.clue.target > 0 => {
                    match reach::divisors(cage.clue.target, board.side as u64) {
                        Some(divisors) => divisors.len(),
                        None => return false,
                    }
                }
                _ => return false,
            };
            arrows += cells * widest * board.side;
        }
        arrows <= MOST_ARROWS
    }

    /// Encodes a settled board.
    pub(crate) fn of(board: &Board) -> Encoding {
        let mut clauses = Clauses::new();
        let candidates = board
            .domains
            .iter()
            .map(|&domain| {
                let digits = (0..32).filter(|digit| domain >> digit & 1 == 1);
                match domain.is_power_of_two() {
                    true => Vec::new(),
                    false => digits.map(|digit| (digit, clauses.variable())).collect(),
                }
            })
            .collect();
        let mut encoding = Encoding { clauses, candidates };
        encoding.cells();
        encoding.lines(board);
        for cage in 0..board.cages.len() {
            encoding.cage(board, cage);
        }
        encoding
    }

    /// The ranks of the last model, in row-major order.
    pub(crate) fn model(&self, board: &Board) -> Vec<u32> {
        let placed = |cell: usize| board.domains[cell].trailing_zeros();
        let chosen = |cell: usize| {
            let candidates = self.candidates[cell].iter();
            let mut chosen = candidates.filter(|(_, literal)| self.clauses.is_true(*literal));
            chosen.next().map_or_else(|| placed(cell), |&(digit, _)| digit)
        };
        (0..self.candidates.len()).map(chosen).collect()
    }

    /// Excludes a solution, given as ranks in row-major order.
    pub(crate) fn exclude(&mut self, ranks: impl Iterator<Item = u32>) {
        let literals = ranks.enumerate().filter_map(|(cell, rank)| self.literal(cell, rank));
        let clause: Vec<Literal> = literals.map(|literal| !literal).collect();
        self.clauses.add(&clause);
    }

    fn literal(&self, cell: usize, digit: u32) -> Option<Literal> {
        let candidates = self.candidates[cell].iter();
        candidates.copied().find(|&(rank, _)| rank == digit).map(|(_, literal)| literal)
    }

    fn at_most_one(&mut self, literals: &[Literal]) {
        for (place, &a) in literals.iter().enumerate() {
            for &b in &literals[..place] {
                self.clauses.add(&[!a, !b]);
            }
        }
    }

    fn cells(&mut self) {
        for cell in 0..self.candidates.len() {
            let literals: Vec<Literal> =
                self.candidates[cell].iter().map(|&(_, literal)| literal).collect();
            if !literals.is_empty() {
                self.clauses.add(&literals);
                self.at_most_one(&literals);
            }
        }
    }

    fn lines(&mut self, board: &Board) {
        for line in Line::all(board.size) {
            for digit in 0..board.side as u32 {
                let literals: Vec<Literal> = line
                    .cells(board.size)
                    .filter_map(|cell| self.literal(cell.index(), digit))
                    .collect();
                if !literals.is_empty() {
                    self.clauses.add(&literals);
                    self.at_most_one(&literals);
                }
            }
        }
    }

    fn cage(&mut self, board: &Board, number: usize) {
        let cage = &board.cages[number];
        let cells: Vec<usize> = board.cells[usize::from(cage.from)..usize::from(cage.to)]
            .iter()
            .map(|&cell| usize::from(cell))
            .collect();
        if cells.iter().all(|&cell| self.candidates[cell].is_empty()) {
            return;
        }
        if cage.words == 0 {
            self.diagram(board, &cells, &Diagram::of_clue(board, cage, &cells));
            return;
        }
        let fillings = fillings(board, cage);
        if cells.len() == 2 {
            self.pair(&cells, &fillings);
        } else if fillings.len() <= FEW_FILLINGS {
            self.each_filling(board, &cells, &fillings);
        } else {
            self.diagram(board, &cells, &Diagram::of_fillings(&fillings, cells.len()));
        }
    }

    /// Each digit of one cell needs a supporting digit in the other.
    fn pair(&mut self, cells: &[usize], fillings: &[Vec<u8>]) {
        for (place, other) in [(0, 1), (1, 0)] {
            for (digit, literal) in self.candidates[cells[place]].clone() {
                let mut clause = vec![!literal];
                let partners = fillings.iter().filter(|f| u32::from(f[place]) == digit);
                for partner in partners {
                    // A placed digit in the other cell supports all remaining candidates.
                    let Some(literal) = self.literal(cells[other], u32::from(partner[other]))
                    else {
                        clause.clear();
                        break;
                    };
                    clause.push(literal);
                }
                if !clause.is_empty() {
                    self.clauses.add(&clause);
                }
            }
        }
    }

    /// One variable for each filling. A filling implies its digits, and a digit implies one of its
    /// fillings.
    fn each_filling(&mut self, board: &Board, cells: &[usize], fillings: &[Vec<u8>]) {
        let chosen: Vec<Literal> = fillings.iter().map(|_| self.clauses.variable()).collect();
        self.clauses.add(&chosen);
        for (place, &cell) in cells.iter().enumerate() {
            let mut supports = vec![Vec::new(); board.side];
            for (filling, &literal) in fillings.iter().zip(&chosen) {
                supports[usize::from(filling[place])].push(literal);
            }
            self.support(cell, &supports);
        }
    }

    /// A candidate implies one of its supports, and each support implies the candidate.
    fn support(&mut self, cell: usize, supports: &[Vec<Literal>]) {
        for (digit, candidate) in self.candidates[cell].clone() {
            let supports = &supports[digit as usize];
            for &support in supports {
                self.clauses.add(&[!support, candidate]);
            }
            let mut clause = supports.clone();
            clause.push(!candidate);
            self.clauses.add(&clause);
        }
    }

    /// Encodes a path from the first layer to the last. Nodes have variables. Arrows have none: an
    /// arrow is used if its node and its digit are true. With a variable for each arrow there were
    /// four times fewer conflicts, but each took five times as long.
    fn diagram(&mut self, board: &Board, cells: &[usize], diagram: &Diagram) {
        if diagram.widths.contains(&0) {
            self.clauses.add(&[]);
            return;
        }
        let mut above: Vec<Option<Literal>> = vec![None];
        for (layer, &cell) in cells.iter().enumerate() {
            let last = layer + 1 == cells.len();
            let below: Vec<Option<Literal>> = (0..diagram.widths[layer + 1])
                .map(|_| (!last).then(|| self.clauses.variable()))
                .collect();
            self.implies_some(&[], &below);
            if below.len() <= MOST_PAIRED {
                let nodes: Vec<Literal> = below.iter().flatten().copied().collect();
                self.at_most_one(&nodes);
            }
            let digits: Vec<(u32, Option<Literal>)> = ranks(board.domains[cell])
                .map(|rank| (rank as u32, self.literal(cell, rank as u32)))
                .collect();
            self.layer(&diagram.arrows[layer], &digits, &above, &below);
            above = below;
        }
    }

    /// The arrows of one layer: implications between nodes and digits, in both directions.
    fn layer(
        &mut self,
        arrows: &[Arrow],
        digits: &[(u32, Option<Literal>)],
        above: &[Option<Literal>],
        below: &[Option<Literal>],
    ) {
        for &(digit, holds) in digits {
            let arrows: Vec<&Arrow> =
                arrows.iter().filter(|arrow| u32::from(arrow.digit) == digit).collect();
            for (number, &node) in above.iter().enumerate() {
                let out = arrows.iter().filter(|arrow| arrow.from as usize == number);
                let ends: Vec<_> = out.map(|arrow| below[arrow.to as usize]).collect();
                self.implies_some(&[node, holds], &ends);
            }
            for (number, &node) in below.iter().enumerate() {
                let into = arrows.iter().filter(|arrow| arrow.to as usize == number);
                let starts: Vec<_> = into.map(|arrow| above[arrow.from as usize]).collect();
                self.implies_some(&[node, holds], &starts);
            }
            // These clauses are redundant, but unit propagation does not find them.
            let starts: Vec<_> = arrows.iter().map(|arrow| above[arrow.from as usize]).collect();
            self.implies_some(&[holds], &starts);
            let ends: Vec<_> = arrows.iter().map(|arrow| below[arrow.to as usize]).collect();
            self.implies_some(&[holds], &ends);
        }
        let literal = |arrow: &Arrow| {
            let found = digits.iter().find(|(digit, _)| *digit == u32::from(arrow.digit));
            found.and_then(|&(_, literal)| literal)
        };
        for (number, &node) in above.iter().enumerate() {
            let out = arrows.iter().filter(|arrow| arrow.from as usize == number);
            let digits: Vec<_> = out.map(literal).collect();
            self.implies_some(&[node], &digits);
        }
        for (number, &node) in below.iter().enumerate() {
            let into = arrows.iter().filter(|arrow| arrow.to as usize == number);
            let digits: Vec<_> = into.map(literal).collect();
            self.implies_some(&[node], &digits);
        }
    }

    /// If all premises are true, one of the conclusions is true. `None` is always true.
    fn implies_some(&mut self, premises: &[Option<Literal>], conclusions: &[Option<Literal>]) {
        if conclusions.contains(&None) {
            return;
        }
        let premises = premises.iter().flatten().map(|&premise| !premise);
        let mut clause: Vec<Literal> = conclusions.iter().flatten().copied().collect();
        clause.sort_unstable();
        clause.dedup();
        clause.splice(..0, premises);
        self.clauses.add(&clause);
    }
}

/// The possible fillings of a cage, as ranks, in order.
fn fillings(board: &Board, cage: &Cage) -> Vec<Vec<u8>> {
    let (words, first) = (usize::from(cage.words), cage.first as usize);
    let cells = usize::from(cage.to - cage.from);
    let lanes = filling::lanes(board.side);
    let mut fillings: Vec<Vec<u8>> = board.fillings[first..first + cage.alive as usize * words]
        .chunks_exact(words)
        .map(|packed| {
            let digit = |place: usize| {
                let bits = packed[place / lanes] >> (place % lanes * board.side);
                bits.trailing_zeros() as u8
            };
            (0..cells).map(digit).collect()
        })
        .collect();
    fillings.sort_unstable();
    // With an unknown operator, a filling that gives the target in two ways is listed twice.
    fillings.dedup();
    fillings
}

/// An arrow between nodes of two layers.
struct Arrow {
    from: u32,
    to: u32,
    digit: u8,
}

/// A layered decision diagram: one layer of arrows for each cell.
struct Diagram {
    widths: Vec<usize>,
    arrows: Vec<Vec<Arrow>>,
}

impl Diagram {
    /// The smallest diagram of sorted fillings.
    fn of_fillings(fillings: &[Vec<u8>], cells: usize) -> Diagram {
        let mut builder =
            Builder { known: vec![HashMap::new(); cells], nodes: vec![Vec::new(); cells] };
        builder.node(fillings, 0);
        let mut widths: Vec<usize> = builder.nodes.iter().map(Vec::len).collect();
        widths.push(1);
        let arrows = builder
            .nodes
            .into_iter()
            .map(|nodes| {
                let arrows = nodes.into_iter().enumerate().flat_map(|(from, arrows)| {
                    arrows.into_iter().map(move |(digit, to)| Arrow {
                        from: from as u32,
                        to,
                        digit,
                    })
                });
                arrows.collect()
            })
            .collect();
        Diagram { widths, arrows }
    }

    /// The diagram of a sum or product; its nodes are partial results.
    fn of_clue(board: &Board, cage: &Cage, cells: &[usize]) -> Diagram {
        let lowest = board.variant.lowest_digit();
        let subtract: fn(u64, u64) -> Option<u64> = |left, digit| left.checked_sub(digit);
        let divide: fn(u64, u64) -> Option<u64> =
            |left, digit| (digit != 0 && left.is_multiple_of(digit)).then(|| left / digit);
        let (step, end) = match cage.clue.operator {
            Operator::Multiply => (divide, 1),
            _ => (subtract, 0),
        };
        // Forward: the results that are possible after each cell.
        let mut layers: Vec<Vec<u64>> = vec![vec![cage.clue.target]];
        for &cell in cells {
            let last = layers.last().expect("there is a first layer");
            let mut next: Vec<u64> = last
                .iter()
                .flat_map(|&left| {
                    ranks(board.domains[cell]).filter_map(move |rank| step(left, rank + lowest))
                })
                .collect();
            next.sort_unstable();
            next.dedup();
            layers.push(next);
        }
        // Backward: of these, the results that can be completed.
        let last = layers.last_mut().expect("there is a last layer");
        last.retain(|&left| left == end);
        let mut arrows: Vec<Vec<Arrow>> = Vec::new();
        for layer in (0..cells.len()).rev() {
            let (before, after) = layers.split_at_mut(layer + 1);
            let (before, after) = (&mut before[layer], &after[0]);
            let domain = board.domains[cells[layer]];
            let leads = |left: u64, rank: u64| {
                step(left, rank + lowest).and_then(|next| after.binary_search(&next).ok())
            };
            before.retain(|&left| ranks(domain).any(|rank| leads(left, rank).is_some()));
            let arrow = |(from, &left): (usize, &u64)| {
                let arrows = ranks(domain).filter_map(move |rank| {
                    let to = leads(left, rank)? as u32;
                    Some(Arrow { from: from as u32, to, digit: rank as u8 })
                });
                arrows.collect::<Vec<_>>()
            };
            arrows.push(before.iter().enumerate().flat_map(arrow).collect());
        }
        arrows.reverse();
        Diagram { widths: layers.iter().map(Vec::len).collect(), arrows }
    }
}

fn ranks(domain: u32) -> impl Iterator<Item = u64> {
    (0..32u64).filter(move |rank| domain >> rank & 1 == 1)
}

/// The next node for each digit.
type Out = Vec<(u8, u32)>;

struct Builder {
    known: Vec<HashMap<Out, u32>>,
    nodes: Vec<Vec<Out>>,
}

impl Builder {
    /// The node for all fillings in a slice, which are equal before this layer.
    fn node(&mut self, fillings: &[Vec<u8>], layer: usize) -> u32 {
        if layer == self.nodes.len() {
            return 0;
        }
        let mut out: Out = Vec::new();
        for group in fillings.chunk_by(|a, b| a[layer] == b[layer]) {
            out.push((group[0][layer], self.node(group, layer + 1)));
        }
        if let Some(&node) = self.known[layer].get(&out) {
            return node;
        }
        let node = self.nodes[layer].len() as u32;
        self.nodes[layer].push(out.clone());
        self.known[layer].insert(out, node);
        node
    }
}
