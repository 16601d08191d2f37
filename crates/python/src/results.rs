//! `everyply.tables`: the tables that the command prints, each by a function of its name.

mod chess;
mod fourchess;
mod kalah;
mod kenken;

use pyo3::prelude::*;

/// The tables of docs/formats.md, each by a function with the name of the table.
#[pymodule(name = "tables", submodule)]
pub(crate) mod module {
    #[pymodule_export]
    use super::chess::{chess_divide, chess_moves, chess_perft, chess_play};
    #[pymodule_export]
    use super::fourchess::{
        fourchess_divide, fourchess_games, fourchess_moves, fourchess_perft, fourchess_plies,
    };
    #[pymodule_export]
    use super::kalah::{
        kalah_faults, kalah_line, kalah_moves, kalah_path, kalah_positions, kalah_review,
        kalah_search, kalah_solution, kalah_stats_by_depth, kalah_stats_by_moves,
        kalah_stats_by_rank, kalah_stats_by_seeds, kalah_stats_by_value, kalah_store, kalah_table,
        kalah_values,
    };
    #[pymodule_export]
    use super::kenken::{
        kenken_all_solutions, kenken_checks, kenken_counts, kenken_grades, kenken_hints,
        kenken_puzzles, kenken_solutions, kenken_steps,
    };
}
