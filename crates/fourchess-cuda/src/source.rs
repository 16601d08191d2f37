//! The text of the kernels: one for a device, with rules and outputs as constants, and one for the
//! processor, with rules and outputs as variables.

use std::fmt::Write;

use fourchess::{Departure, EnPassant, KingCapture, Promotion, Role, Rules, Seating, Sides};
use fourchess_env::{Autoreset, Config, EndedMask, Illegal, Reward, STATE_VERSION};

use crate::tables;

const LANES: &str = include_str!("kernels/lanes.cu");
const RULES: [&str; 4] = [
    include_str!("kernels/board.cu"),
    include_str!("kernels/moves.cu"),
    include_str!("kernels/play.cu"),
    include_str!("kernels/bytes.cu"),
];
const BATCH: [&str; 6] = [
    include_str!("kernels/show.cu"),
    include_str!("kernels/step.cu"),
    include_str!("kernels/greedy.cu"),
    include_str!("kernels/kernels.cu"),
    include_str!("kernels/digest.cu"),
    include_str!("kernels/expand.cu"),
];
const VALUES: [&str; 4] = [
    include_str!("kernels/show.cu"),
    include_str!("kernels/step.cu"),
    VALUE,
    include_str!("kernels/expand.cu"),
];
const VALUE: &str = include_str!("kernels/value.cu");
const PERFT: [&str; 1] = [include_str!("kernels/perft.cu")];

/// How the kernels divide their work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Threads for a game: 32, 16, 8 or 1.
    pub lanes: u32,
    /// Threads in a block.
    pub threads: u32,
    /// Blocks that a multiprocessor should have room for, or 0 for no wish. More blocks have fewer
    /// registers each.
    pub blocks: u32,
}

impl Shape {
    /// Games in a block.
    pub const fn groups(self) -> u32 {
        self.threads / self.lanes
    }
}

impl Shape {
    /// The fastest shape found on an H200 for so many games (docs/measurements.md). Many games need
    /// many warps at once, few games need registers.
    pub const fn for_games(games: usize) -> Shape {
        let blocks = match games {
            0..4096 => 0,
            4096..16_384 => 10,
            _ => 16,
        };
        Shape { lanes: 32, threads: 128, blocks }
    }

    /// The fastest shape found there for games that are values, for any number of games: they need
    /// more registers.
    pub const FOR_VALUES: Shape = Shape { lanes: 32, threads: 128, blocks: 8 };
}

impl Default for Shape {
    fn default() -> Shape {
        Shape { lanes: 32, threads: 128, blocks: 0 }
    }
}

/// What the kernels list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Actions, for a batch.
    Batch,
    /// Actions, for games that are values.
    Values,
    /// Moves, for perft.
    Perft,
    /// Moves that may leave the own king in check, for perft.
    PseudoPerft,
}

/// The text for a device.
pub fn device(config: &Config, shape: Shape, purpose: Purpose) -> String {
    let mut text = String::new();
    let mut define = |name: &str, value: i64| {
        writeln!(text, "#define {name} ({value})").expect("a string takes any text");
    };
    define("LANES", i64::from(shape.lanes));
    define("THREADS", i64::from(shape.threads));
    define("BLOCKS", i64::from(shape.blocks));
    let values = rule_values(&config.rules);
    for (name, value) in rules(&config.rules).into_iter().chain(options(config)) {
        define(name, value);
    }
    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
    text.push_str("#define TABLE static __device__ const\n");
    let values = format!("TABLE int VALUES[6] = {{{}}};\n", values.join(","));
    match purpose {
        Purpose::Batch => finish(text, &values, "", &BATCH),
        Purpose::Values => finish(text, &values, "", &VALUES),
        Purpose::Perft => finish(text, &values, MOVES, &PERFT),
        Purpose::PseudoPerft => finish(text, &values, PSEUDO_MOVES, &PERFT),
    }
}

/// The text for the processor, in which the kernels of batches and of values are together. Rules and
/// options stand in the array `setting` in the order of [`settings`].
pub fn emulation(lanes: u32, purpose: Purpose) -> String {
    let mut text = format!("#define LANES {lanes}\nextern \"C\" {{ long long setting[64]; }}\n");
    for (index, name) in setting_names().enumerate() {
        writeln!(text, "#define {name} ((int)setting[{}])", 6 + index)
            .expect("a string takes any text");
    }
    text.push_str("#define TABLE static const\n");
    let values = "#define VALUES setting\n";
    match purpose {
        Purpose::Batch | Purpose::Values => {
            finish(text, values, "", &[&BATCH[..], &[VALUE]].concat())
        }
        Purpose::Perft => finish(text, values, MOVES, &PERFT),
        Purpose::PseudoPerft => finish(text, values, PSEUDO_MOVES, &PERFT),
    }
}

/// The names of the settings of an emulation after the values of pieces, in their order.
pub fn setting_names() -> impl Iterator<Item = &'static str> {
    let config = Config::new(&Rules::FFA, 1);
    let names = rules(&config.rules).into_iter().chain(options(&config));
    names.map(|(name, _)| name).collect::<Vec<_>>().into_iter()
}

/// The settings of an emulation: the values of pieces, the rules, the options.
pub fn settings(config: &Config) -> Vec<i64> {
    let named = rules(&config.rules).into_iter().chain(options(config)).map(|(_, value)| value);
    rule_values(&config.rules).into_iter().map(i64::from).chain(named).collect()
}

/// Lists hold moves, not actions.
const MOVES: &str = "#define MOVES\n";

/// Lists hold pseudo-legal moves.
const PSEUDO_MOVES: &str = "#define MOVES\n#define PSEUDO\n";

fn finish(mut text: String, values: &str, lists: &str, rest: &[&str]) -> String {
    text.push_str(lists);
    text.push_str(LANES);
    text.push_str(values);
    text.push_str("#define R_VALUE(role) ((int)VALUES[role])\n");
    text.push_str("#define THREATS THREATS_BY_SEATING[R_COUNTERCLOCKWISE]\n");
    writeln!(text, "#define STATE_VERSION {STATE_VERSION}").expect("a string takes any text");
    text.push_str(&tables::text());
    for part in RULES.iter().chain(rest) {
        text.push_str(part);
    }
    text
}

fn rule_values(rules: &Rules) -> [i16; 6] {
    rules.values
}

fn rules(rules: &Rules) -> Vec<(&'static str, i64)> {
    let marks = rules.promoted_value != rules.values[Role::Queen.index()];
    vec![
        ("R_COUNTERCLOCKWISE", i64::from(rules.seating == Seating::Counterclockwise)),
        ("R_PAIRS", i64::from(rules.sides == Sides::Pairs)),
        ("R_PROMOTION_RANK", i64::from(rules.promotion_rank)),
        ("R_PROMOTION_ANY", i64::from(rules.promotion == Promotion::Any)),
        ("R_CASTLING", i64::from(rules.castling)),
        (
            "R_EN_PASSANT",
            match rules.en_passant {
                EnPassant::Off => 0,
                EnPassant::TakesBoth => 1,
                EnPassant::TwoMoves => 2,
            },
        ),
        (
            "R_KING_CAPTURE",
            match rules.king_capture {
                KingCapture::Eliminates => 0,
                KingCapture::EndsGame => 1,
                KingCapture::Continues => 2,
            },
        ),
        (
            "R_DEPARTURE",
            match rules.departure {
                Departure::KingWalks => 0,
                Departure::AllDie => 1,
                Departure::EndsGame => 2,
            },
        ),
        ("R_PROMOTED_VALUE", i64::from(rules.promoted_value)),
        ("R_MARKS_PROMOTED", i64::from(marks)),
        ("R_MATE", i64::from(rules.mate)),
        ("R_STALEMATE_VICTIM", i64::from(rules.stalemate_victim)),
        ("R_STALEMATE_OTHERS", i64::from(rules.stalemate_others)),
        ("R_WALKING_STALEMATE", i64::from(rules.walking_stalemate)),
        ("R_WALKING_LEFT", i64::from(rules.walking_left)),
        ("R_TWO_KINGS", i64::from(rules.two_kings)),
        ("R_TWO_KINGS_QUEEN", i64::from(rules.two_kings_queen)),
        ("R_THREE_KINGS", i64::from(rules.three_kings)),
        ("R_THREE_KINGS_QUEEN", i64::from(rules.three_kings_queen)),
        ("R_DRAW", i64::from(rules.draw)),
        ("R_REPETITIONS", i64::from(rules.repetitions)),
        ("R_QUIET_LIMIT", i64::from(rules.quiet_limit)),
        ("R_INSUFFICIENT_MATERIAL", i64::from(rules.insufficient_material)),
        ("R_MAX_PLIES", i64::from(rules.max_plies)),
        ("R_CLAIM_LEAD", i64::from(rules.claim_lead)),
    ]
}

fn options(config: &Config) -> Vec<(&'static str, i64)> {
    vec![
        ("O_BITS", i64::from(config.outputs.legal_bits)),
        ("O_BYTES", i64::from(config.outputs.legal_bytes)),
        ("O_PLANES", i64::from(config.outputs.observation)),
        (
            "O_AUTORESET",
            match config.autoreset {
                Autoreset::NextStep => 0,
                Autoreset::SameStep => 1,
                Autoreset::Disabled => 2,
            },
        ),
        (
            "O_ILLEGAL",
            match config.illegal {
                Illegal::Error => 0,
                Illegal::Noop => 1,
                Illegal::Lose => 2,
            },
        ),
        ("O_POINTS", i64::from(config.reward == Reward::Points)),
        ("O_ENDED_ONES", i64::from(config.ended_mask == EndedMask::Ones)),
    ]
}
