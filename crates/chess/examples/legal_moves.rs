//! Prints the legal moves of a position, in SAN and in UCI.
//!
//! ```sh
//! cargo run -p everyply-chess --example legal_moves -- 'r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1'
//! ```

use std::error::Error;

use chess::{Position, San, Uci};

fn main() -> Result<(), Box<dyn Error>> {
    let position: Position = match std::env::args().nth(1) {
        Some(fen) => fen.parse()?,
        None => Position::default(),
    };
    let moves = position.legal_moves();
    println!("{} legal moves in {position}", moves.len());
    for mv in moves.iter() {
        println!("{:<7} {}", San::of(&position, mv).to_string(), Uci::of(&position, mv));
    }
    Ok(())
}
