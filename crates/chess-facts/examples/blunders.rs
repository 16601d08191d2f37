//! Finds the moves in a PGN file that lose a piece at once: the opponent can then win at least
//! three pawns' worth on one square, less what the move itself has captured.
//!
//! ```sh
//! cargo run --release -p everyply-chess-facts --example blunders -- games.pgn
//! ```

use std::{error::Error, fs::File};

use chess::{
    San,
    pgn::{Mainline, PgnError, Reader},
};
use chess_facts::{Definitions, Facts, Level, VALUES};

/// A minor piece, in pawns.
const WORTH_TELLING: u8 = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: blunders FILE.pgn")?;
    let mut reader = Reader::new(File::open(path)?);
    // Both buffers are used again for every game, so the loop allocates nothing.
    let (mut game, mut facts) = (Mainline::default(), Facts::empty());
    let (mut games, mut plies, mut blunders) = (0, 0, 0);
    loop {
        match game.read(&mut reader) {
            Ok(true) => games += 1,
            Ok(false) => break,
            // One bad game costs only itself.
            Err(error @ PgnError::Game { .. }) => {
                eprintln!("skipped: {error}");
                continue;
            }
            Err(error) => return Err(error.into()),
        }
        for (ply, &mv) in game.moves.iter().enumerate() {
            let (before, after) = (&game.positions[ply], &game.positions[ply + 1]);
            facts.compute(after, Level::Exchange, Definitions::Std);
            let captured = before.board().role_at(mv.to).map_or(0, |role| VALUES[role.index()]);
            let lost = facts[before.turn()].hanging_gain().saturating_sub(captured);
            if lost >= WORTH_TELLING {
                blunders += 1;
                println!("game {games}, ply {}: {} loses {lost}", ply + 1, San::of(before, mv));
            }
        }
        plies += game.moves.len();
    }
    println!("{blunders} of {plies} moves in {games} games");
    Ok(())
}
