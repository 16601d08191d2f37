//! Finds every mate in one of a position in SQL: the legal moves are a table, and each is played.
//!
//! ```sh
//! cargo run -p everyply-sql --example mates_in_one
//! ```

use arrow::array::AsArray;
use sql::{Engine, Settings, SqlError};

const MATES: &str = "
    select chess_san('6k1/5ppp/8/8/8/8/8/R3K2R w K - 0 1', uci) as san
    from chess_moves('6k1/5ppp/8/8/8/8/8/R3K2R w K - 0 1')
    where chess_is_mate(chess_play('6k1/5ppp/8/8/8/8/8/R3K2R w K - 0 1', uci))
    order by san";

fn main() -> Result<(), SqlError> {
    let engine = Engine::new(Settings::default())?;
    for batch in engine.sql(MATES)? {
        for san in batch?.column(0).as_string::<i32>().iter().flatten() {
            println!("{san}");
        }
    }
    Ok(())
}
