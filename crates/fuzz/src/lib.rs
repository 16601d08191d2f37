//! What must hold of any bytes: a function for each format that is read. `cargo xtask fuzz` gives
//! them bytes that libFuzzer makes up, and the tests give them the corpus and mutations of it.
//!
//! ```
//! let fen = fuzz::find(fuzz::TARGETS, "fen").expect("there is such a target");
//! (fen.run)(b"4k3/8/8/8/8/8/4P3/4K2R w K - 0 1"); // would panic if it were not read back
//! ```
//!
//! Everything here does without DataFusion, and so is built soon. The targets that need it are in
//! `fuzz-tables`.
//!
//! Features: `libfuzzer` brings the program that `cargo xtask fuzz` runs, and with it a C++
//! compiler.
//!
//! What it does not do: look for wrong answers. A target only compares ways of reading with each
//! other, and what was read with what is written.

mod corpus;
pub mod libfuzzer;
mod mutate;
mod records;
mod saved;
mod seeds;
mod tables;
mod values;

#[path = "../../chess/fuzz/propositions.rs"]
mod chess_texts;
#[path = "../../fourchess/fuzz/propositions.rs"]
mod fourchess_texts;
#[path = "../../kenken/fuzz/propositions.rs"]
mod kenken_texts;

pub use chess::Random;
pub use corpus::{parse, unpack};
pub use mutate::{mutated, test};

/// A format that is read, and what must hold of any bytes that pretend to be in it.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name on the command line, and of the file of its corpus.
    pub name: &'static str,
    /// Panics where something does not hold of these bytes.
    pub run: fn(&[u8]),
    /// How many mutations of the corpus the tests try: what takes less than a second.
    pub tried: u32,
}

impl Target {
    const fn new(name: &'static str, run: fn(&[u8]), tried: u32) -> Target {
        Target { name, run, tried }
    }
}

/// Every target of this crate.
pub const TARGETS: &[Target] = &[
    Target::new("fen", chess_texts::an_accepted_fen_is_read_back_as_it_was, 480_000),
    Target::new("epd", chess_texts::an_accepted_epd_is_read_back_as_it_was, 120_000),
    Target::new("san", chess_texts::an_accepted_san_is_read_back_as_it_was, 240_000),
    Target::new("uci", chess_texts::an_accepted_uci_is_read_back_as_it_was, 120_000),
    Target::new("pgn", chess_texts::pgn_is_read_back_as_it_was_however_it_arrives, 60_000),
    Target::new("fen4", fourchess_texts::an_accepted_fen_is_read_back_and_can_be_played, 24_000),
    Target::new("pgn4", fourchess_texts::an_accepted_game_is_read_back_as_it_was, 24_000),
    Target::new("saved-games", saved::a_saved_game_is_refused_or_goes_on, 4_000),
    Target::new("values", values::a_changed_value_is_refused_or_the_same_game, 24_000),
    Target::new("keen", kenken_texts::an_accepted_game_id_is_read_back_and_counted, 36_000),
    Target::new("puzzle-json", kenken_texts::an_accepted_json_is_read_back_and_counted, 36_000),
    Target::new(
        "puzzle-drawing",
        kenken_texts::an_accepted_drawing_is_read_back_and_counted,
        36_000,
    ),
    Target::new("kalah", seeds::an_accepted_position_is_read_back_and_can_be_sown, 240_000),
    Target::new("conditions", records::an_accepted_condition_is_read_back_and_asked, 120_000),
    Target::new("content", records::content_does_not_depend_on_how_it_arrives, 60_000),
    Target::new("records", records::every_record_is_read_or_named, 60_000),
    Target::new("table-manifest", tables::an_accepted_manifest_is_read_back_as_it_was, 240_000),
];

/// The target of this name.
pub fn find(targets: &'static [Target], name: &str) -> Option<&'static Target> {
    targets.iter().find(|target| target.name == name)
}
