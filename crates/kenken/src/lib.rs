//! Solves, counts, grades, explains and generates KenKen puzzles.
//!
//! ```
//! use kenken::{Grade, Level, Limits, Next, Solver, explain, grade, keen};
//!
//! let puzzle = keen::parse("4:_a_7a4_a3,a4a5s1s1d2d2m4m6")?;
//! let count = Solver::new().count(&puzzle, 2, &Limits::NONE);
//! assert_eq!(count.unique(2), Some(true));
//! assert_eq!(count.first.unwrap().to_string(), "3 1 4 2\n1 4 2 3\n2 3 1 4\n4 2 3 1\n");
//!
//! assert_eq!(grade(&puzzle, &Limits::NONE), Grade::Level(Level::Easy));
//! let explanation = explain(&puzzle, Level::Easy, &Limits::NONE);
//! assert_eq!(explanation.end, Next::Solved);
//! assert_eq!(explanation.steps[4].text, "in row 3 the digit 3 fits only r3c2");
//! # Ok::<(), kenken::keen::KeenError>(())
//! ```
//!
//! A [`Puzzle`] is well formed by construction, so nothing fails after parsing. Puzzles are read
//! from game IDs ([`keen`]), [`json`] and a [`drawing`] that is easy to type. They are drawn as
//! text, as [`svg`] and on a [`sheet`] for print.
//!
//! A [`Solver`] keeps its memory from puzzle to puzzle. It propagates ([`RuleSet::SEARCH`]),
//! guesses, and switches to clause learning when guessing takes too long. [`Limits`] bound
//! its work; the result says if a limit was reached. [`check`] checks a filled grid against the
//! rules directly and shares no code with the solver.
//!
//! Every deduction uses a named [`Rule`], and each [`Level`] is a set of rules. [`grade`] finds the
//! lowest level that solves a puzzle. [`Explainer`] returns the next deduction in words, and
//! [`explain`] all of them. An [`Attempt`] is a half-filled grid with pencil marks: it knows which
//! cells clash, which digits are wrong, and the next [`Hint`], in three stages. [`generate()`]
//! generates puzzles with one solution and a given level from a seed.
//!
//! Grids have up to 32x32 cells, and results do not depend on the number of threads. This crate
//! does no I/O and uses no clock except the deadline that a caller may set.

mod attempt;
mod batch;
mod board;
mod cache;
mod chain;
mod clauses;
mod compact;
mod deduce;
mod draft;
pub mod drawing;
mod encoding;
mod explain;
mod filling;
mod fixpoint;
mod generate;
mod grade;
pub mod grid;
mod hall;
mod heap;
mod hint;
pub mod json;
mod judge;
pub mod keen;
mod matching;
pub mod puzzle;
mod random;
mod reach;
mod rule;
mod search;
pub mod sheet;
pub mod solution;
mod solver;
pub mod svg;
mod tables;
mod words;

pub use attempt::{Attempt, AttemptError, Clash, Wrong};
pub use batch::{Batch, MOST_REPEATS};
pub use board::Statistics;
pub use draft::OperatorMix;
pub use explain::{Explainer, Explanation, Next, Step, explain};
pub use fixpoint::{Fixpoint, Schedule};
pub use generate::{
    GenerateError, Generated, Minimise, Recipe, Tried, generate, generate_batch, generate_watched,
    make_unique, minimise,
};
pub use grade::{Grade, grade};
pub use grid::{Cell, Digits, Line, Size};
pub use hint::{Deduction, Hint, Look};
pub use puzzle::{Cage, Clue, Operator, Puzzle, PuzzleError, Rules};
pub use rule::{Level, Rule, RuleSet};
pub use search::{Limits, ValueOrder};
pub use solution::{Fault, Solution, check, differing};
pub use solver::{Count, Engine, Listed, Solver, check_notes, count_all};
