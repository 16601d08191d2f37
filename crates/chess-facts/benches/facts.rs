//! What facts cost, by level: nanoseconds per position over the positions of the fixture, CPU
//! time of one thread, best of five. Every answer is checked by a number mixed from all facts.
//!
//! `times` prints the bare figures and `facts LEVEL` the facts, one position a line; both serve
//! the comparison with Python, which is a script. `--themes` compares facts with the theme tags
//! of puzzles.

use std::{fs, hint::black_box, path::Path};

use chess::{Bitboard, Color, Position, Square};
use chess_facts::{Definitions, ExtraParts, Extras, Facts, ForkMove, Hanging, Level, Line, Side};
use cpu_time::ThreadTime;

mod themes;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/chess");

/// The mixtures of all numbers of the facts over all positions, by level.
const CHECKSUMS: [u64; 4] =
    [0x9226_8a2a_80d4_cdca, 0xfc0b_f42c_34cc_043c, 0x98bb_a48c_92cc_5961, 0xd195_456e_39b0_1a00];

/// The moves of the sides to move that give check, and those that mate, over all positions.
const CHECKS_AND_MATES: (usize, usize) = (13_375, 472);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let text = fs::read_to_string(Path::new(FIXTURES).join("fens/positions.tsv")).expect("fixture");
    let fens: Vec<&str> =
        text.lines().map(|line| line.split('\t').next().unwrap_or(line)).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--themes"] => themes::report(&Path::new(FIXTURES).join("puzzles/puzzles.csv")),
        ["times"] => {
            for (name, nanoseconds) in time(&fens) {
                println!("{name} {nanoseconds}");
            }
        }
        ["facts", name] => {
            let level = Level::ALL.into_iter().find(|level| level.name() == name);
            print(&fens, level.expect("a level"));
        }
        _ => {
            println!("facts of {} positions, one thread", fens.len());
            for (name, nanoseconds) in time(&fens) {
                println!("{name:<28} {nanoseconds:>8.1} ns a position");
            }
        }
    }
}

/// Nanoseconds per position of each level, and of reading FEN with the facts of it.
fn time(fens: &[&str]) -> Vec<(String, f64)> {
    let positions: Vec<Position> =
        fens.iter().map(|fen| fen.parse().expect("a legal position")).collect();
    let rounds = 20;
    let mut facts = Facts::empty();
    let mut times = Vec::new();
    for (level, checksum) in Level::ALL.into_iter().zip(CHECKSUMS) {
        let mut found = 0;
        for position in &positions {
            facts.compute(position, level, Definitions::Std);
            found = mix(&facts, found);
        }
        assert_eq!(found, checksum, "{}", level.name());
        let seconds = best_of_five(|| {
            for _ in 0..rounds {
                for position in &positions {
                    facts.compute(black_box(position), level, Definitions::Std);
                    black_box(&mut facts);
                }
            }
        });
        times.push((level.name().to_owned(), seconds / (rounds * fens.len()) as f64 * 1e9));
    }
    times.push(("checks+mates".to_owned(), time_moves(&positions, rounds)));
    for level in [Level::Lines, Level::Everything] {
        let seconds = best_of_five(|| {
            for _ in 0..rounds {
                for fen in fens {
                    let position = Position::from_fen(black_box(fen.as_bytes()));
                    let position = position.expect("a legal position");
                    facts.compute(&position, level, Definitions::Std);
                    black_box(&mut facts);
                }
            }
        });
        let each = seconds / (rounds * fens.len()) as f64 * 1e9;
        times.push((format!("FEN+{}", level.name()), each));
    }
    times
}

/// Checking and mating moves of the side to move.
fn time_moves(positions: &[Position], rounds: usize) -> f64 {
    let mut extras = Extras::default();
    let mut compute = |position: &Position| {
        let is_white = position.turn() == Color::White;
        let parts =
            ExtraParts { white_checks: is_white, black_checks: !is_white, ..ExtraParts::default() };
        extras.compute(position, parts);
        let side = &extras.sides[position.turn()];
        (side.checks.len(), side.mates().count())
    };
    let found = positions.iter().map(&mut compute);
    let found = found.fold((0, 0), |sum, next| (sum.0 + next.0, sum.1 + next.1));
    assert_eq!(found, CHECKS_AND_MATES);
    let seconds = best_of_five(|| {
        for _ in 0..rounds {
            for position in positions {
                black_box(compute(black_box(position)));
            }
        }
    });
    seconds / (rounds * positions.len()) as f64 * 1e9
}

fn best_of_five(mut work: impl FnMut()) -> f64 {
    (0..5)
        .map(|_| {
            let start = ThreadTime::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
}

/// Every set of a side, with its name.
fn sets(side: &Side) -> [(&'static str, Bitboard); 31] {
    let pawns = &side.pawns;
    let [pawn, knight, bishop, rook, queen] = side.check_squares;
    [
        ("attacks", side.attacks),
        ("attacked", side.attacked),
        ("loose", side.loose),
        ("undefended", side.undefended),
        ("hanging_count", side.hanging_count),
        ("checkers", side.checkers),
        ("check_squares_pawn", pawn),
        ("check_squares_knight", knight),
        ("check_squares_bishop", bishop),
        ("check_squares_rook", rook),
        ("check_squares_queen", queen),
        ("pinned", side.pinned),
        ("relatively_pinned", side.relatively_pinned),
        ("skewered", side.skewered),
        ("minors", side.minors),
        ("developed", side.developed),
        ("home_minors", side.home_minors),
        ("pawns", pawns.all),
        ("doubled", pawns.doubled),
        ("doubled_extra", pawns.doubled_extra),
        ("isolated", pawns.isolated),
        ("backward", pawns.backward),
        ("behind_all", pawns.behind_all),
        ("passed", pawns.passed),
        ("passed_front", pawns.passed_front),
        ("candidates", pawns.candidates),
        ("connected", pawns.connected),
        ("half_open_files", pawns.half_open_files),
        ("hanging_see", side.hanging_see()),
        ("forkers", side.forkers()),
        ("mobility", side.mobility),
    ]
}

fn lists(side: &Side) -> [(&'static str, &[Line]); 5] {
    [
        ("pins", &side.pins),
        ("relative_pins", &side.relative_pins),
        ("skewers", &side.skewers),
        ("xrays", &side.xrays),
        ("discovered", &side.discovered),
    ]
}

/// The facts as `name=value` words in hexadecimal, lists as sums, White's first. The Python
/// version prints the same.
fn print(fens: &[&str], level: Level) {
    let mut facts = Facts::empty();
    for fen in fens {
        let position: Position = fen.parse().expect("a legal position");
        facts.compute(&position, level, Definitions::Std);
        let mut words = vec![
            format!("open_files={:x}", facts.open_files.0),
            format!("attackers={:x}", attackers(&facts)),
        ];
        for color in Color::ALL {
            let side = &facts[color];
            let numbers = sets(side).map(|(name, set)| (name, set.0)).into_iter();
            let numbers = numbers.chain(sums(side));
            words.extend(numbers.map(|(name, number)| format!("{name}={number:x}")));
        }
        println!("{}", words.join(" "));
    }
}

fn attackers(facts: &Facts) -> u64 {
    let sum = |square: Square| {
        let by = |color| fold(facts.attackers(square, color));
        (by(Color::White) + 3 * by(Color::Black)) * (square.index() as u64 + 1)
    };
    facts.board.occupied().map(sum).sum()
}

fn sums(side: &Side) -> Vec<(&'static str, u64)> {
    let line = |line: &Line| (pair(line.slider, line.front) << 6 | line.back.index() as u64).pow(2);
    let gains = |list: &[Hanging]| {
        list.iter().map(|h| u64::from(h.gain) * (h.square.index() as u64 + 1).pow(2)).sum()
    };
    let fork_move = |fork: &ForkMove| {
        let promotion = fork.mv.promotion.map_or(0, |role| role.index() as u64);
        pair(fork.mv.from, fork.mv.to) * (1 + promotion) + fold(fork.targets)
    };
    let mut sums: Vec<(&str, u64)> =
        lists(side).map(|(name, list)| (name, list.iter().map(line).sum())).to_vec();
    sums.extend([
        ("material", side.material.into()),
        ("islands", side.pawns.islands.into()),
        ("batteries", side.batteries.iter().map(|b| pair(b.first, b.second).pow(2)).sum()),
        ("hanging", gains(&side.hanging)),
        ("hanging_pins", gains(&side.hanging_pins)),
        ("forks", side.forks.iter().map(|fork| fold(fork.targets)).sum()),
        ("fork_moves", side.fork_moves.iter().map(fork_move).sum()),
    ]);
    sums
}

fn pair(first: Square, second: Square) -> u64 {
    (first.index() << 6 | second.index()) as u64
}

fn fold(set: Bitboard) -> u64 {
    set.0 >> 32 ^ set.0 & 0xffff_ffff
}

/// Mixes all facts into a number.
fn mix(facts: &Facts, start: u64) -> u64 {
    let mut sum = start;
    let mut mix = |number: u64| sum = (sum ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mix(facts.open_files.0);
    mix(attackers(facts));
    for color in Color::ALL {
        let side = &facts[color];
        sets(side).into_iter().for_each(|(_, set)| mix(set.0));
        sums(side).into_iter().for_each(|(_, sum)| mix(sum));
    }
    sum
}
