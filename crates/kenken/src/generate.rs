//! Generates puzzles with one solution and a given level, from a seed.
//!
//! A random filled grid is divided into cages. If the puzzle is too hard or has several solutions,
//! a cage with unsolved cells gets another clue or is split. If it is too easy, cages are merged or
//! get another clue. This reaches the level after grading a few dozen times. Generating random
//! puzzles until one fits would take thousands.

use std::ops::{ControlFlow, Range};

use crate::{
    batch::Batch,
    board::Board,
    compact::Compact,
    draft::{Draft, OperatorMix, Wanted},
    grade::{Grade, grade},
    grid::{Cell, Size},
    judge::{Judgement, MOST_GUESSES, judge},
    puzzle::{Operator, Puzzle, Rules},
    random::{Random, latin_square},
    rule::Level,
    search::Limits,
    solution::Solution,
    solver::Solver,
};

/// The settings for generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The grid.
    pub size: Size,
    /// The level; any if `None`.
    pub level: Option<Level>,
    /// The operators.
    pub operators: OperatorMix,
    /// The weights of cage sizes, beginning with one cell. Sizes beyond the end do not occur, nor
    /// do those with weight 0, nor those on which none of the operators can be used.
    pub cage_sizes: Vec<u32>,
    /// The rules.
    pub rules: Rules,
}

impl Recipe {
    /// Settings with all operators and cages of one to five cells, mostly two and three.
    pub fn new(size: Size, level: Option<Level>) -> Recipe {
        Recipe {
            size,
            level,
            operators: OperatorMix::ALL,
            cage_sizes: vec![2, 50, 30, 12, 4],
            rules: Rules::default(),
        }
    }

    /// The settings without the cage sizes on which none of the operators can be used.
    fn possible(&self) -> Recipe {
        let mut recipe = self.clone();
        for (index, weight) in recipe.cage_sizes.iter_mut().enumerate() {
            if !self.operators.allows_cells(index + 1, &self.rules) {
                *weight = 0;
            }
        }
        recipe
    }

    pub(crate) fn wanted(&self) -> Wanted<'_> {
        Wanted { sizes: &self.cage_sizes, operators: &self.operators }
    }
}

/// A generated puzzle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// The puzzle.
    pub puzzle: Puzzle,
    /// Its only solution.
    pub solution: Solution,
    /// The level that was asked for.
    pub level: Option<Level>,
}

impl Generated {
    /// The level that was asked for, or else the one that grading finds.
    pub fn graded(&self) -> Option<Level> {
        self.level.or_else(|| match grade(&self.puzzle, &Limits::NONE) {
            Grade::Level(level) => Some(level),
            _ => None,
        })
    }
}

/// Why no puzzle was generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GenerateError {
    /// Too many attempts failed. There may be no puzzle with these settings.
    #[error("no puzzle with these settings was found in {drafts} attempts")]
    NotFound {
        /// The number of attempts.
        drafts: u32,
    },
    /// The settings have no cage size or no operator.
    #[error("the settings allow no cage size or no operator")]
    Empty,
    /// Cages of these sizes cannot cover the grid, or only with sizes on which none of the
    /// operators can be used.
    #[error("cages of these sizes and operators cannot cover a {size} grid")]
    Sizes {
        /// The grid.
        size: Size,
    },
    /// The caller stopped the work.
    #[error("generation was stopped")]
    Stopped,
    /// The layout has a cage on which none of the operators can be used.
    #[error("none of these operators can be used on a cage of {cells} cells")]
    Operators {
        /// The number of cells of the cage.
        cells: usize,
    },
}

/// The most filled grids that are tried.
const MOST_DRAFTS: u32 = 3_000;
/// The most changes to one draft before it is given up.
const MOST_CHANGES: u32 = 120;
/// The probability, in percent, that a change that went too far is undone.
const REVERT: usize = 40;
/// The number of unsolved cells for which one change is made.
const OPEN: usize = 6;

/// Generates the puzzle of a seed. It is the same for the same settings on every machine.
pub fn generate(recipe: &Recipe, seed: u64) -> Result<Generated, GenerateError> {
    generate_item(&mut Maker::new(), recipe, seed, 0, &mut |_| ControlFlow::Continue(()))
}

/// Generates one puzzle of a seed, as [`generate_batch`] does, and reports after each change of a
/// draft, so that a caller can show progress and stop.
pub fn generate_watched(
    recipe: &Recipe,
    seed: u64,
    number: u64,
    watch: &mut dyn FnMut(Tried) -> ControlFlow<()>,
) -> Result<Generated, GenerateError> {
    generate_item(&mut Maker::new(), recipe, seed, number, watch)
}

/// How far generation is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tried {
    /// The filled grids that were begun.
    pub drafts: u32,
    /// The changes to the current one.
    pub changes: u32,
}

/// Generates the puzzles of a seed with these numbers, in parallel. None is repeated; see [`Batch`].
/// Number 0 is the puzzle of [`generate`].
pub fn generate_batch(
    recipe: &Recipe,
    seed: u64,
    numbers: Range<u64>,
) -> Vec<Result<Generated, GenerateError>> {
    Batch::new(recipe, seed, numbers.start).next(numbers.end.saturating_sub(numbers.start))
}

pub(crate) fn generate_item(
    maker: &mut Maker,
    recipe: &Recipe,
    seed: u64,
    item: u64,
    watch: &mut dyn FnMut(Tried) -> ControlFlow<()>,
) -> Result<Generated, GenerateError> {
    let OperatorMix { add, subtract, multiply, divide, unknown } = recipe.operators;
    if recipe.cage_sizes.iter().all(|&weight| weight == 0)
        || [add, subtract, multiply, divide, unknown].iter().all(|&weight| weight == 0)
    {
        return Err(GenerateError::Empty);
    }
    let recipe = recipe.possible();
    if !recipe.wanted().coverable(recipe.size.cells())[recipe.size.cells()] {
        return Err(GenerateError::Sizes { size: recipe.size });
    }
    let mut random = Random::new(seed, item);
    for drafts in 1..=MOST_DRAFTS {
        let square = latin_square(&mut random, recipe.size.side());
        let cut = Draft::cut(&mut random, recipe.size, recipe.rules, square, &recipe.wanted());
        let Some(mut draft) = cut else { continue };
        draft.clue_all(&mut random, &recipe.operators);
        let mut watch = |changes| watch(Tried { drafts, changes });
        match maker.improve(&mut draft, &recipe, &mut random, &mut watch) {
            ControlFlow::Continue(true) => return Ok(maker.finish(&draft, recipe.level)),
            ControlFlow::Continue(false) => {}
            ControlFlow::Break(()) => return Err(GenerateError::Stopped),
        }
    }
    Err(GenerateError::NotFound { drafts: MOST_DRAFTS })
}

pub(crate) struct Maker {
    board: Board,
    compact: Compact,
}

impl Maker {
    pub(crate) fn new() -> Maker {
        Maker { board: Board::new(), compact: Compact::new() }
    }

    /// Changes a draft until it fits, or gives up. Returns whether it fits, or breaks if the
    /// watcher does.
    fn improve(
        &mut self,
        draft: &mut Draft,
        recipe: &Recipe,
        random: &mut Random,
        watch: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<(), bool> {
        // The last draft that was unique but too easy. If a change spoils it, undoing the change is
        // often better than repairing it.
        let mut easier: Option<Draft> = None;
        for changes in 0..MOST_CHANGES {
            watch(changes)?;
            let changed = match self.judge(draft, recipe.level) {
                Judgement::Fits => return ControlFlow::Continue(true),
                Judgement::TooEasy => {
                    match &mut easier {
                        Some(easier) => easier.clone_from(draft),
                        None => easier = Some(draft.clone()),
                    }
                    harden(draft, recipe, random)
                }
                Judgement::Open(open) => match &easier {
                    Some(easier) if random.percent(REVERT) => {
                        draft.clone_from(easier);
                        harden(draft, recipe, random);
                        true
                    }
                    _ => {
                        // A draft that is far from unique gets several changes at once.
                        let changes = 0..open.len().div_ceil(OPEN);
                        changes.filter(|_| ease(draft, recipe, random, &open)).count() > 0
                    }
                },
            };
            if !changed && is_rigid(draft, &recipe.wanted()) {
                return ControlFlow::Continue(false);
            }
        }
        ControlFlow::Continue(false)
    }

    fn finish(&self, draft: &Draft, level: Option<Level>) -> Generated {
        let lowest = draft.rules.lowest_digit() as u8;
        let digits = draft.square.iter().map(|rank| rank + lowest).collect();
        let solution = Solution::new(draft.size, digits);
        Generated { puzzle: draft.puzzle(), solution, level }
    }

    fn judge(&mut self, draft: &Draft, level: Option<Level>) -> Judgement {
        judge(&mut self.compact, draft, level)
            .or_else(|| judge(&mut self.board, draft, level))
            .expect("a board takes every draft")
    }
}

/// Whether no cage can get another clue, be split or be merged.
fn is_rigid(draft: &Draft, wanted: &Wanted<'_>) -> bool {
    (0..draft.cages.len()).all(|cage| {
        let (clue, cells) = &draft.cages[cage];
        let clues = draft.clues(cage);
        let mut others = clues.as_slice().iter().filter(|other| *other != clue);
        let mut parts = 1..cells.len();
        !others.any(|other| wanted.operators.allows(other.operator))
            && !parts.any(|n| wanted.allows_cells(n) && wanted.allows_cells(cells.len() - n))
            && wanted_beside(draft, cage, wanted).is_empty()
    })
}

/// The neighbouring cages that may be merged with a cage.
fn wanted_beside(draft: &Draft, cage: usize, wanted: &Wanted<'_>) -> Vec<usize> {
    let mut beside = draft.beside(cage, wanted.sizes.len());
    beside.retain(|&other| {
        draft.is_wanted_union(&draft.cages[cage].1, &draft.cages[other].1, wanted)
    });
    beside
}

/// Removes information: merges cages, or changes a clue. Returns whether it could.
pub(crate) fn harden(draft: &mut Draft, recipe: &Recipe, random: &mut Random) -> bool {
    let cage = random.below(draft.cages.len());
    let beside = wanted_beside(draft, cage, &recipe.wanted());
    let single = draft.cages[cage].1.len() == 1;
    let merges = single || random.percent(40);
    // If all sizes are allowed, a cage that cannot grow is skipped, so that seeds keep their
    // puzzles.
    if beside.is_empty() && !recipe.cage_sizes.contains(&0) {
        return false;
    }
    if (!merges || beside.is_empty()) && draft.reclue(random, cage, &recipe.operators) {
        return true;
    }
    if !beside.is_empty() {
        let merged = draft.merge(cage, beside[random.below(beside.len())]);
        draft.clue(random, merged, &recipe.operators);
    }
    !beside.is_empty()
}

/// Adds information where cells are unsolved: changes a clue, or splits a cage. Returns whether it
/// could.
pub(crate) fn ease(draft: &mut Draft, recipe: &Recipe, random: &mut Random, open: &[Cell]) -> bool {
    let cell = open[random.below(open.len())];
    let cage = usize::from(draft.owner[cell.index()]);
    let least = if recipe.cage_sizes.first() == Some(&0) { 2 } else { 1 };
    let cells = draft.cages[cage].1.len();
    // Splitting off single cells reveals digits, so it is the last resort.
    let chance = match cells {
        0..=2 => 4,
        3 => 15,
        _ => 45,
    };
    if !random.percent(chance) && draft.reclue(random, cage, &recipe.operators) {
        return true;
    }
    let least = if cells >= 4 { 2 } else { least };
    let part = draft.split(random, cage, least, &recipe.wanted());
    if let Some(part) = part {
        draft.clue(random, part, &recipe.operators);
        draft.clue(random, cage, &recipe.operators);
    }
    part.is_some()
}

/// Finds digits and clues that give a layout of cages a unique solution. The layout is that of the
/// given puzzle; its clues are ignored.
pub fn make_unique(
    layout: &Puzzle,
    operators: &OperatorMix,
    seed: u64,
) -> Result<Generated, GenerateError> {
    let mut cells = layout.cages().map(|cage| cage.cells.len());
    if let Some(cells) = cells.find(|&cells| !operators.allows_cells(cells, layout.rules())) {
        return Err(GenerateError::Operators { cells });
    }
    let mut random = Random::new(seed, 0);
    let mut maker = Maker::new();
    for _ in 0..MOST_DRAFTS {
        let square = latin_square(&mut random, layout.size().side());
        let cages = layout.cages().map(|cage| (cage.clue, cage.cells.to_vec())).collect();
        let mut draft = Draft {
            size: layout.size(),
            rules: *layout.rules(),
            square,
            owner: layout.cage_map().to_vec(),
            cages,
        };
        let sizes = vec![1; layout.size().cells()];
        let wanted = Wanted { sizes: &sizes, operators };
        if !draft.cages.iter().all(|(_, cells)| draft.is_wanted(cells, &wanted)) {
            continue;
        }
        draft.clue_all(&mut random, operators);
        for _ in 0..MOST_CHANGES / 4 {
            match maker.judge(&draft, None) {
                Judgement::Fits => return Ok(maker.finish(&draft, None)),
                Judgement::TooEasy => {}
                Judgement::Open(open) => {
                    let cell = open[random.below(open.len())];
                    let cage = usize::from(draft.owner[cell.index()]);
                    draft.clue(&mut random, cage, operators);
                }
            }
        }
    }
    Err(GenerateError::NotFound { drafts: MOST_DRAFTS })
}

/// What [`minimise`] removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Minimise<'a> {
    /// Operators: cages keep their targets, and as many operators as possible are hidden.
    Operators,
    /// Clues: neighbouring cages are merged.
    Clues {
        /// The weights of the sizes of merged cages, as in [`Recipe::cage_sizes`]. Cages that are
        /// not merged keep their sizes.
        sizes: &'a [u32],
        /// The operators of merged cages.
        operators: OperatorMix,
    },
}

/// Removes as much as possible from a puzzle while its solution stays unique. Afterwards nothing
/// more of this kind can be removed. `None` if the solution is not unique, or the proof takes too
/// long.
pub fn minimise(puzzle: &Puzzle, what: Minimise<'_>, seed: u64) -> Option<Puzzle> {
    let limits = Limits { nodes: Some(MOST_GUESSES), deadline: None };
    let mut solver = Solver::new();
    let mut unique = |puzzle: &Puzzle| solver.count(puzzle, 2, &limits).unique(2) == Some(true);
    if !unique(puzzle) {
        return None;
    }
    let solution = Solver::new().count(puzzle, 1, &limits).first?;
    let lowest = puzzle.rules().lowest_digit() as u8;
    let mut draft = Draft {
        size: puzzle.size(),
        rules: *puzzle.rules(),
        square: solution.digits().iter().map(|digit| digit - lowest).collect(),
        owner: puzzle.cage_map().to_vec(),
        cages: puzzle.cages().map(|cage| (cage.clue, cage.cells.to_vec())).collect(),
    };
    let mut random = Random::new(seed, 0);
    match what {
        Minimise::Operators => {
            let mut order: Vec<usize> = (0..draft.cages.len()).collect();
            random.shuffle(&mut order);
            for cage in order.into_iter().filter(|&cage| puzzle.cage(cage).cells.len() > 1) {
                let told = std::mem::replace(&mut draft.cages[cage].0.operator, Operator::Unknown);
                if !unique(&draft.puzzle()) {
                    draft.cages[cage].0.operator = told;
                }
            }
        }
        Minimise::Clues { sizes, operators } => {
            let wanted = Wanted { sizes, operators: &operators };
            while merge_one(&mut draft, &wanted, &mut random, &mut unique) {}
        }
    }
    Some(draft.puzzle())
}

/// Merges one pair of cages that can be merged, tried in random order.
fn merge_one(
    draft: &mut Draft,
    wanted: &Wanted<'_>,
    random: &mut Random,
    unique: &mut impl FnMut(&Puzzle) -> bool,
) -> bool {
    let mut pairs: Vec<(usize, usize)> = (0..draft.cages.len())
        .flat_map(|cage| {
            wanted_beside(draft, cage, wanted).into_iter().map(move |other| (cage, other))
        })
        .filter(|(cage, other)| cage < other)
        .collect();
    random.shuffle(&mut pairs);
    for (a, b) in pairs {
        let mut merged = draft.clone();
        let cage = merged.merge(a, b);
        let clues = merged.clues(cage);
        for clue in clues.as_slice().iter().filter(|clue| wanted.operators.allows(clue.operator)) {
            merged.cages[cage].0 = *clue;
            if unique(&merged.puzzle()) {
                *draft = merged;
                return true;
            }
        }
    }
    false
}
