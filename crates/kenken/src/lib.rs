//! KenKen solved, counted, graded, explained and generated.

mod board;
mod chain;
mod clauses;
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
mod heap;
pub mod json;
pub mod keen;
mod matching;
pub mod puzzle;
mod random;
mod reach;
mod rule;
mod search;
pub mod solution;
mod solver;
pub mod svg;
mod words;

pub use board::Statistics;
pub use draft::OperatorMix;
pub use explain::{Explainer, Explanation, Next, Step, explain};
pub use fixpoint::{Fixpoint, Schedule};
pub use generate::{
    GenerateError, Generated, Minimise, Recipe, generate, generate_batch, make_unique, minimise,
};
pub use grade::{Grade, grade};
pub use grid::{Cell, Digits, Line, Size};
pub use puzzle::{Cage, Clue, Operator, Puzzle, PuzzleError, Rules};
pub use rule::{Level, Rule, RuleSet};
pub use search::{Limits, ValueOrder};
pub use solution::{Fault, Solution, check};
pub use solver::{Count, Engine, Solver, count_all};
