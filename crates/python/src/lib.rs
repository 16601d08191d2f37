//! The Python module `everyply`: what the workspace computes, as NumPy arrays and Arrow tables.
//!
//! ```python
//! >>> import everyply, pyarrow
//! >>> table = everyply.chess.facts(["4k3/8/8/8/8/8/4r3/R3K3 w Q - 0 1"], "checkers,pinned")
//! >>> pyarrow.table(table)["white_checkers"].to_pylist()
//! [1]
//! >>> everyply.kenken.solve("4:_a_7a4_a3,a4a5s1s1d2d2m4m6").tolist()
//! [[3, 1, 4, 2], [1, 4, 2, 3], [2, 3, 1, 4], [4, 2, 3, 1]]
//! ```
//!
//! Each capability is a Python module with the names of its crate. Functions take text, plain
//! Python values, NumPy or Arrow arrays, and release the GIL while they work. Every error is an
//! `everyply.Error` with the message of the Rust error. The types are in the stubs beside
//! `everyply/__init__.py`.
//!
//! There are no rules of any game here. Files are opened only by readers of games, by the stores
//! and tables of Kalah, and by statements.
//!
//! Features: `cuda`, which is on by default, brings batches on a GPU; nothing is linked, the driver is
//! looked for when a batch is made. `bigtable`, `gs`, `postgres` and `s3` bring stores and tables
//! elsewhere, as they do to the command. `unified` brings those and nothing else that can be seen:
//! with it the packages that the wheel shares with the rest of the workspace are built alike.

mod chess;
mod error;
mod fourchess;
mod input;
mod jax;
mod kalah;
mod kenken;
mod limits;
mod perft;
mod reader;
mod relations;
mod results;
mod solver;
mod sql;
mod strings;
mod table;
mod threads;

#[pyo3::pymodule]
mod _everyply {
    use pyo3::{prelude::*, types::PyCFunction};

    #[pymodule_export]
    use crate::{
        chess::module as chess, error::Error, fourchess::module as fourchess, jax::module as jax,
        kalah::module as kalah, kenken::module as kenken, relations::module as relations,
        results::module as tables, solver::module as solver, sql::module as sql, table::Table,
    };

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name Python expects")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    /// Makes the modules in here importable, and their functions known, to pickle too, by the
    /// names people import them by.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::threads::imported();
        let modules = module.py().import("sys")?.getattr("modules")?;
        for name in
            ["chess", "fourchess", "jax", "kalah", "kenken", "relations", "solver", "sql", "tables"]
        {
            let inner = module.getattr(name)?;
            for item in inner.cast::<PyModule>()?.dict().values() {
                if item.is_instance_of::<PyCFunction>() {
                    item.setattr("__module__", format!("everyply.{name}"))?;
                }
            }
            modules.set_item(format!("everyply._everyply.{name}"), inner)?;
        }
        Ok(())
    }
}
