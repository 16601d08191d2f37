//! The table functions that read games.

use std::{num::NonZeroUsize, sync::Arc};

use datafusion::{
    catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider},
    error::{DataFusionError, Result},
    logical_expr::Expr,
    scalar::ScalarValue,
};

use super::table::{GamesTable, Place, Rows};
use crate::{Guard, guard::Refusal};

/// A function that makes a table of the games of files.
#[derive(Debug)]
pub(crate) struct GameTable {
    pub(crate) name: &'static str,
    pub(crate) takes: &'static str,
    pub(crate) says: &'static str,
    pub(crate) example: &'static str,
    rows: Rows,
}

pub(crate) const FUNCTIONS: &[GameTable] = &[
    GameTable {
        name: "chess_games",
        takes: "path, ..",
        says: "The games of PGN files, a row each: tags, moves, how the game ended, and its text. A \
               path is a file, a directory, a pattern or a URL.",
        example: "chess_games('games.pgn')",
        rows: Rows::Games,
    },
    GameTable {
        name: "chess_positions",
        takes: "path, ..[, every]",
        says: "The positions of PGN, FEN and EPD files, a row each, or of every Nth ply: the move \
               played there, clock, evaluation, the tags of the game, and every fact.",
        example: "chess_positions('games.pgn', 10)",
        rows: Rows::Positions,
    },
    GameTable {
        name: "chess_bad_games",
        takes: "path, ..",
        says: "The games and lines of PGN, FEN and EPD files that other tables skip, each with its \
               place and the cause.",
        example: "chess_bad_games('games.pgn')",
        rows: Rows::Bad,
    },
];

impl GameTable {
    /// The function in a session whose guard says which places may be named.
    pub(crate) fn with(&'static self, guard: &Guard) -> impl TableFunctionImpl + use<> {
        Guarded { function: self, guard: guard.clone() }
    }

    fn misused(&self) -> DataFusionError {
        let GameTable { name, takes, .. } = self;
        let number = if self.rows == Rows::Positions { " and a number from 1 up" } else { "" };
        DataFusionError::Plan(format!("{name}({takes}) takes paths in single quotes{number}"))
    }
}

#[derive(Debug)]
struct Guarded {
    function: &'static GameTable,
    guard: Guard,
}

impl TableFunctionImpl for Guarded {
    fn call_with_args(&self, args: TableFunctionArgs<'_, '_>) -> Result<Arc<dyn TableProvider>> {
        let Guarded { function, guard } = self;
        let (every, paths) = match args.exprs() {
            [paths @ .., Expr::Literal(ScalarValue::Int64(Some(every)), _)]
                if function.rows == Rows::Positions =>
            {
                let every = usize::try_from(*every).ok().and_then(NonZeroUsize::new);
                (every.ok_or_else(|| function.misused())?, paths)
            }
            paths => (NonZeroUsize::MIN, paths),
        };
        let mut places = Vec::new();
        for path in paths {
            let Expr::Literal(ScalarValue::Utf8(Some(path)), _) = path else {
                return Err(function.misused());
            };
            guard.check_place(path).map_err(|refused| Refusal(refused.to_string()))?;
            places.push(Place::new(path)?);
        }
        if places.is_empty() {
            return Err(function.misused());
        }
        Ok(Arc::new(GamesTable::new(function.rows, places).every(every)))
    }
}
