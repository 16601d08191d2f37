//! KenKen solved, counted, graded, explained and generated.

pub mod drawing;
pub mod grid;
pub mod json;
pub mod keen;
pub mod puzzle;
pub mod solution;
pub mod svg;

pub use grid::{Cell, Digits, Line, Size};
pub use puzzle::{Cage, Clue, Operator, Puzzle, PuzzleError, Rules};
pub use solution::{Fault, Solution, check};
