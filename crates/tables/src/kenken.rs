//! The tables of KenKen. The `id` of a puzzle is its given id, else its game ID.

use std::time::Duration;

use kenken::{
    Attempt, Count, Fault, Generated, Grade, Level, Listed, Puzzle, Solution, Step, json, keen,
};

use crate::{Cell, Table, count, flag, real, text};

/// Solutions of puzzles, with the time of each and its share of the total.
pub static SOLUTIONS_TIMED: Table = Table::new(
    "kenken.solutions",
    &[
        text("id"),
        count("size"),
        count("cages"),
        text("level"),
        count("solutions"),
        flag("complete").wide(),
        count("nodes"),
        count("propagations").wide(),
        text("grid"),
        real("microseconds"),
        real("share"),
    ],
);

/// Solutions of puzzles.
pub static SOLUTIONS: Table = Table::new("kenken.solutions", SOLUTIONS_TIMED.columns.split_at(9).0);

/// The numbers of solutions of puzzles.
pub static COUNTS: Table = Table::new(
    "kenken.counts",
    &[
        text("id"),
        count("solutions"),
        flag("complete"),
        count("size"),
        count("cages"),
        count("nodes"),
        count("conflicts").wide(),
        count("propagations").wide(),
    ],
);

/// Whether puzzles have one solution, and whether the given solution is correct.
pub static CHECKS: Table =
    Table::new("kenken.checks", &[text("id"), text("solutions"), text("given")]);

/// The levels of puzzles.
pub static GRADES: Table = Table::new(
    "kenken.grades",
    &[text("id"), count("size"), count("cages"), text("level"), count("solutions")],
);

/// Deductions of several puzzles.
pub static STEPS: Table = Table::new(
    "kenken.steps",
    &[
        text("id").wide(),
        count("step"),
        text("rule"),
        text("cage").wide(),
        text("cells").wide(),
        text("placed").wide(),
        text("text"),
    ],
);

/// Deductions of one puzzle, each with the grid after it.
pub static HINTS: Table = Table::new(
    "kenken.hints",
    &[
        text("rule"),
        text("cage").wide(),
        text("cells").wide(),
        text("placed").wide(),
        text("text"),
        text("grid").wide(),
    ],
);

/// Every solution of puzzles, up to a limit.
pub static ALL_SOLUTIONS: Table = Table::new(
    "kenken.all_solutions",
    &[text("id"), count("number"), count("solutions"), text("grid"), text("differs")],
);

/// Generated puzzles.
pub static PUZZLES: Table = Table::new(
    "kenken.puzzles",
    &[
        text("id"),
        count("size"),
        count("cages"),
        text("level"),
        text("grid"),
        text("puzzle").wide(),
    ],
);

pub(crate) static TABLES: [&Table; 9] = [
    &SOLUTIONS_TIMED,
    &SOLUTIONS,
    &ALL_SOLUTIONS,
    &COUNTS,
    &CHECKS,
    &GRADES,
    &STEPS,
    &HINTS,
    &PUZZLES,
];

/// A row of [`SOLUTIONS`]: whether there are none, one or several solutions, and the level.
pub fn solution<'a>(id: &'a str, puzzle: &Puzzle, count: &Count, grade: Grade) -> [Cell<'a>; 9] {
    let [size, cages] = measures(puzzle);
    [
        id.into(),
        size,
        cages,
        level(grade).map(Level::name).into(),
        // If a limit was reached, the number is unknown.
        count.unique(2).map(|_| count.solutions).into(),
        count.complete.into(),
        count.statistics.nodes.into(),
        count.statistics.propagations.into(),
        count.first.as_ref().map(one_line).into(),
    ]
}

/// The additional columns of [`SOLUTIONS_TIMED`]: the time of a puzzle, and its share of the total.
pub fn timing(time: Duration, all: Duration) -> [Cell<'static>; 2] {
    let share = time.as_secs_f64() / all.as_secs_f64();
    [(time.as_nanos() as f64 / 1e3).into(), ((share * 1e4).round() / 1e4).into()]
}

/// A row of [`COUNTS`].
pub fn counted<'a>(id: &'a str, puzzle: &Puzzle, count: &Count) -> [Cell<'a>; 8] {
    let [size, cages] = measures(puzzle);
    [
        id.into(),
        count.solutions.into(),
        count.complete.into(),
        size,
        cages,
        count.statistics.nodes.into(),
        count.statistics.conflicts.into(),
        count.statistics.propagations.into(),
    ]
}

/// A row of [`CHECKS`]: whether there are none, one or several solutions, and the verdict on a
/// given one.
pub fn checked<'a>(id: &'a str, count: &Count, given: Option<&Result<(), Fault>>) -> [Cell<'a>; 3] {
    let solutions = match count.unique(2) {
        Some(true) => "one",
        Some(false) if count.solutions == 0 => "none",
        Some(false) => "several",
        None => "unknown",
    };
    let given = given.map(|checked| match checked {
        Ok(()) => "right".to_owned(),
        Err(fault) => format!("wrong: {fault}"),
    });
    [id.into(), solutions.into(), given.into()]
}

/// A row of [`GRADES`].
pub fn graded<'a>(id: &'a str, puzzle: &Puzzle, grade: Grade) -> [Cell<'a>; 5] {
    let [size, cages] = measures(puzzle);
    let solutions: Option<u64> = match grade {
        Grade::Level(_) => Some(1),
        Grade::NoSolution => Some(0),
        Grade::ManySolutions => Some(2),
        Grade::Unknown => None,
    };
    [id.into(), size, cages, level(grade).map(Level::name).into(), solutions.into()]
}

/// The rows of [`ALL_SOLUTIONS`] of one puzzle. A puzzle for which none was found has one row. The
/// number of solutions is empty unless all of them are known.
pub fn all_solutions<'a>(
    id: &'a str,
    puzzle: &Puzzle,
    listed: &'a Listed,
) -> impl Iterator<Item = [Cell<'a>; 5]> {
    let Listed { solutions, complete } = listed;
    let all = complete.then_some(solutions.len() as u64);
    let cells = kenken::differing(solutions);
    let names: Vec<String> = cells.iter().map(|cell| cell.name(puzzle.size())).collect();
    let differs = (solutions.len() > 1).then(|| names.join(" "));
    let none = solutions.is_empty().then(|| {
        let unknown = None::<u64>;
        [id.into(), unknown.into(), all.into(), None::<String>.into(), None::<String>.into()]
    });
    let rows = (1_u64..).zip(solutions).map(move |(number, grid)| {
        let grid = one_line(grid);
        [id.into(), number.into(), all.into(), grid.into(), differs.clone().into()]
    });
    none.into_iter().chain(rows)
}

/// A row of [`HINTS`]: a deduction, and the grid after it.
pub fn hinted(step: &Step, after: &Attempt<'_>) -> [Cell<'static>; 6] {
    let [rule, cage, cells, placed, text] = hint(after.puzzle(), step);
    [rule, cage, cells, placed, text, after.to_string().into()]
}

/// The columns of a deduction.
fn hint(puzzle: &Puzzle, step: &Step) -> [Cell<'static>; 5] {
    let size = puzzle.size();
    let names: Vec<String> = step.because.iter().map(|cell| cell.name(size)).collect();
    let placed: Vec<String> =
        step.placed.iter().map(|(cell, digit)| format!("{}={digit}", cell.name(size))).collect();
    [
        step.rule.name().into(),
        step.cage.map(|cage| puzzle.cage(cage).clue.to_string()).into(),
        names.join(" ").into(),
        placed.join(" ").into(),
        step.text.clone().into(),
    ]
}

/// The rows of [`STEPS`] of one puzzle.
pub fn steps<'a>(
    id: &'a str,
    puzzle: &'a Puzzle,
    steps: &'a [Step],
) -> impl Iterator<Item = Vec<Cell<'a>>> {
    (1_u64..).zip(steps).map(move |(number, step)| {
        let mut cells = vec![id.into(), number.into()];
        cells.extend(hint(puzzle, step));
        cells
    })
}

/// A row of [`PUZZLES`]. The number, from 1, replaces the game ID if there is none.
pub fn made(number: u64, made: &Generated, level: Option<Level>) -> [Cell<'static>; 6] {
    let [size, cages] = measures(&made.puzzle);
    [
        id(&made.puzzle, number).into(),
        size,
        cages,
        level.map(Level::name).into(),
        one_line(&made.solution).into(),
        json::print(&made.puzzle, None, Some(&made.solution)).into(),
    ]
}

/// The name of a puzzle without an id: its game ID, else its number.
pub fn id(puzzle: &Puzzle, number: u64) -> String {
    keen::print(puzzle).unwrap_or_else(|_| number.to_string())
}

fn measures(puzzle: &Puzzle) -> [Cell<'static>; 2] {
    [(puzzle.size().side() as u64).into(), (puzzle.len() as u64).into()]
}

fn level(grade: Grade) -> Option<Level> {
    match grade {
        Grade::Level(level) => Some(level),
        _ => None,
    }
}

/// A filled grid on one line: rows separated by '/', and digits by commas if one has two
/// characters.
fn one_line(solution: &Solution) -> String {
    let narrow = solution.digits().iter().all(|&digit| digit < 10);
    let rows = solution.digits().chunks(solution.size().side()).map(|row| {
        let digits: Vec<String> = row.iter().map(u8::to_string).collect();
        digits.join(if narrow { "" } else { "," })
    });
    rows.collect::<Vec<_>>().join("/")
}
