//! Lockstep with the processor, and perft.

use std::time::Instant;

use fourchess::{EnPassant, KingCapture, Position, Rules, Seat};
use fourchess_cuda::{Array, CudaBatch, Error, Number, Options, Perft, Which, digest, digests_of};
use fourchess_env::{
    Autoreset, Batch, Config, EndedMask, Illegal, Observation, Outputs, Player, Random, Reward,
};
use rayon::prelude::*;

use crate::Size;

const ALL: Outputs = Outputs { legal_bits: true, legal_bytes: true, observation: true };

/// Runs all comparisons; true if nothing differs.
pub(crate) fn run(options: &Options, size: Size, plies: u64, nodes: u64) -> Result<bool, Error> {
    let short = size != Size::Whole;
    let mut ok = true;
    let (games, steps) = match size {
        Size::Whole => (1024, 700),
        Size::Short => (64, 40),
        Size::Tiny => (8, 6),
    };
    for rules in presets() {
        for autoreset in [Autoreset::NextStep, Autoreset::SameStep, Autoreset::Disabled] {
            for illegal in [Illegal::Error, Illegal::Noop, Illegal::Lose] {
                if short && (illegal != Illegal::Lose || autoreset == Autoreset::Disabled) {
                    continue;
                }
                let config = Config {
                    outputs: ALL,
                    autoreset,
                    illegal,
                    seed: 7,
                    threads: 16,
                    ..Config::new(&rules, games)
                };
                ok &= lockstep(&config, options, steps, 0)?;
            }
        }
    }
    let games = match size {
        Size::Whole => 512,
        Size::Short => 64,
        Size::Tiny => 4,
    };
    ok &= others(options, games, size)?;
    if !short {
        let games = 65_536;
        let steps = plies.div_ceil(3 * games as u64) as usize;
        for rules in Rules::PRESETS {
            let config = Config {
                outputs: Outputs { legal_bytes: false, ..ALL },
                autoreset: Autoreset::SameStep,
                illegal: Illegal::Noop,
                seed: 11,
                threads: 16,
                ..Config::new(rules, games)
            };
            ok &= lockstep(&config, options, steps, 1500)?;
        }
    }
    let nodes = match size {
        Size::Whole => nodes,
        Size::Short => 20_000,
        Size::Tiny => 400,
    };
    ok &= perft(options, nodes)?;
    println!("{}", if ok { "all equal" } else { "DIFFERENCES" });
    Ok(ok)
}

/// The presets, and one with a rule that none of them has.
fn presets() -> impl Iterator<Item = Rules> {
    let claims = Rules { name: "claims", claim_lead: 21, ..Rules::FFA };
    Rules::PRESETS.into_iter().copied().chain([claims])
}

fn bytes_of<T: Copy, const N: usize>(values: &[T], bytes: fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|&value| bytes(value)).collect()
}

/// Every byte of every array and state.
fn is_same(one: &Batch, other: &CudaBatch) -> Result<bool, Error> {
    let flags = |flags: &[bool]| flags.iter().map(|&flag| u8::from(flag)).collect::<Vec<u8>>();
    let expected = [
        (Array::Legal, bytes_of(one.legal(), u16::to_le_bytes)),
        (Array::LegalCounts, bytes_of(one.legal_counts(), u16::to_le_bytes)),
        (Array::LegalBits, bytes_of(one.legal_bits(), u64::to_le_bytes)),
        (Array::LegalBytes, one.legal_bytes().to_vec()),
        (Array::Planes, bytes_of(one.planes(), u32::to_le_bytes)),
        (Array::Scalars, bytes_of(one.scalars(), i16::to_le_bytes)),
        (Array::FinalPlanes, bytes_of(one.final_planes(), u32::to_le_bytes)),
        (Array::FinalScalars, bytes_of(one.final_scalars(), i16::to_le_bytes)),
        (Array::FinalPoints, bytes_of(one.final_points(), i16::to_le_bytes)),
        (Array::Endings, one.endings().to_vec()),
        (Array::CurrentPlayer, one.current_player().to_vec()),
        (Array::Rewards, bytes_of(one.rewards(), f32::to_le_bytes)),
        (Array::Terminated, flags(one.terminated())),
        (Array::Truncated, flags(one.truncated())),
        (Array::MoveValid, flags(one.move_valid())),
    ];
    let mut same = true;
    for (array, expected) in expected {
        let found = other.read(array)?;
        if found != expected {
            let at = (0..found.len()).find(|&at| found[at] != expected[at]).unwrap_or(0);
            let game = at / (found.len() / one.len()).max(1);
            println!("  {} differs first in game {game}, byte {at}", array.name());
            same = false;
        }
    }
    let all: Vec<usize> = (0..one.len()).collect();
    if one.save(&all)? != other.save(&all)? {
        println!("  saved games differ");
        same = false;
    }
    Ok(same)
}

/// Plays the same actions in both, digests compared after every step and all bytes after every
/// 64th. With ages, games play so many plies first, and are copied to the processor.
fn lockstep(config: &Config, options: &Options, steps: usize, ages: u32) -> Result<bool, Error> {
    let title = format!(
        "{} {:?} {:?} {} games {steps} steps",
        config.rules.name, config.autoreset, config.illegal, config.games
    );
    let start = Instant::now();
    let games = config.games;
    let mut one = Batch::new(config.clone())?;
    let mut other = CudaBatch::new(config.clone(), options)?;
    let all: Vec<usize> = (0..games).collect();
    if ages > 0 {
        other.play([Player::Random; 4], ages)?;
        let states = other.save(&all)?;
        one.load(&all, &states)?;
        other.load(&all, &states)?;
    }
    let mut chance = Random::new(3);
    let (mut actions, mut theirs) = (vec![0; games], vec![0; games]);
    let mut same = is_same(&one, &other)?;
    for step in 0..steps {
        one.choose(Player::Random, &mut actions)?;
        other.choose(Player::Random, &mut theirs)?;
        same &= actions == theirs;
        if config.illegal != Illegal::Error {
            let game = chance.below(games);
            actions[game] = chance.below(8000) as u16;
        }
        match (one.step(&actions), other.step(&actions)) {
            (Ok(()), Ok(())) => {}
            (Err(one), Err(Error::Batch(other))) if one == other => {}
            (one, other) => {
                println!("  answers differ: {one:?}, {other:?}");
                same = false;
            }
        }
        if config.autoreset == Autoreset::Disabled {
            let ended: Vec<usize> =
                all.iter().copied().filter(|&game| one.legal_counts()[game] == 0).collect();
            let seeds: Vec<u64> = ended.iter().map(|&game| (game + step) as u64).collect();
            one.reset(&ended, &seeds)?;
            other.reset(&ended, &seeds)?;
        }
        let what = if games > 4096 { digest::ALL & !digest::BYTES } else { digest::ALL };
        let parts: Vec<usize> = (0..games).step_by(512).collect();
        let expected: Vec<u64> = parts
            .par_iter()
            .flat_map_iter(|&first| digests_of(&one, first..(first + 512).min(games), what))
            .collect();
        let found = other.digests(what)?;
        if found != expected {
            let game = (0..games).find(|&game| found[game] != expected[game]).unwrap_or(0);
            println!("  step {step}: game {game} differs");
            println!("  expected {}", one.positions()[game].fen(one.rules()));
            same = false;
        }
        if step % 64 == 63 || !same {
            same &= is_same(&one, &other)?;
        }
        if !same {
            break;
        }
    }
    same &= is_same(&one, &other)?;
    let word = if same { "equal" } else { "DIFFERENT" };
    println!("{title}: {word}, {} plies, {:.1} s", steps * games, start.elapsed().as_secs_f64());
    Ok(same)
}

/// Greedy players, plies without a stop, resignations, positions, numbers.
fn others(options: &Options, games: usize, size: Size) -> Result<bool, Error> {
    let rounds: &[u32] = if size == Size::Tiny { &[2, 3] } else { &[1, 2, 3, 50, 100] };
    let mut ok = true;
    for rules in Rules::PRESETS {
        let config = Config {
            outputs: ALL,
            autoreset: Autoreset::NextStep,
            illegal: Illegal::Noop,
            ended_mask: EndedMask::Ones,
            reward: Reward::Outcome,
            seed: 5,
            threads: 16,
            ..Config::new(rules, games)
        };
        let mut one = Batch::new(config.clone())?;
        let mut other = CudaBatch::new(config, options)?;
        let players = [Player::Greedy, Player::Random, Player::Greedy, Player::Random];
        let mut actions = vec![0; games];
        for &plies in rounds {
            for _ in 0..plies {
                one.choose_for(players.map(Some), &mut actions)?;
                one.step(&actions)?;
            }
            other.play(players, plies)?;
            ok &= is_same(&one, &other)?;
        }
        let chosen: Vec<usize> = (0..games).step_by(3).chain([0, 3]).collect();
        let seats: Vec<Seat> = chosen.iter().map(|game| Seat::ALL[game % 4]).collect();
        one.resign(&chosen, &seats)?;
        other.resign(&chosen, &seats)?;
        ok &= is_same(&one, &other)?;
        let (from, to): (Vec<usize>, Vec<usize>) =
            (0..games / 2).map(|game| (game, games - 1 - game)).unzip();
        one.copy_games(&from, &to)?;
        other.copy_games(&from, &to)?;
        ok &= is_same(&one, &other)?;
        let fens: Vec<String> =
            from.iter().map(|_| Position::start(rules).fen(rules).to_string()).collect();
        let seeds: Vec<u64> = from.iter().map(|&game| game as u64).collect();
        one.reset_from(&to, &seeds, &fens)?;
        other.reset_from(&to, &seeds, &fens)?;
        ok &= is_same(&one, &other)?;
        ok &= numbers(&one, &other)?;
        println!(
            "{} greedy, play, resign, copy, positions, numbers: {}",
            rules.name,
            if ok { "equal" } else { "DIFFERENT" }
        );
    }
    Ok(ok)
}

fn numbers(one: &Batch, other: &CudaBatch) -> Result<bool, Error> {
    let count = one.len() * Observation::FLOAT_PLANES * Observation::CELLS;
    let mut floats = vec![0.0; count];
    one.expand_observations(&mut floats)?;
    let goal = other.scratch(4 * count)?;
    other.expand(Which::Current, Number::F32, &goal)?;
    Ok(other.read_scratch(&goal)? == bytes_of(&floats, f32::to_le_bytes))
}

/// Rows of the fixture up to so many nodes.
fn perft(options: &Options, nodes: u64) -> Result<bool, Error> {
    let text = include_str!("../../../../fixtures/fourchess/perft4.csv");
    let (mut ok, mut rows, mut all, start) = (true, 0, 0, Instant::now());
    let mut kernels: Vec<(String, Perft)> = Vec::new();
    for (line, row) in text.lines().enumerate().skip(1) {
        let Some((fen, rest)) = row.strip_prefix('"').and_then(|row| row.split_once("\",")) else {
            continue;
        };
        let fields: Vec<&str> = rest.split(',').collect();
        let (ruleset, depth, expected) =
            (fields[0], fields[1].parse::<u32>(), fields[2].parse::<u64>());
        let (Ok(depth), Ok(expected), Some(rules)) = (depth, expected, rules(ruleset)) else {
            continue;
        };
        if expected > nodes {
            continue;
        }
        if !kernels.iter().any(|(name, _)| name == ruleset) {
            kernels.push((ruleset.to_owned(), Perft::new(&rules, options)?));
        }
        let Some((_, kernels)) = kernels.iter().find(|(name, _)| name == ruleset) else { continue };
        let position = Position::from_fen(fen, &rules)
            .map_err(|cause| fourchess_env::Error::Fen { game: line, cause })?;
        let found = kernels.count(&position, depth)?;
        if found != expected {
            println!("  perft row {line}: {expected} expected, {found} found");
            ok = false;
        }
        rows += 1;
        all += found;
    }
    println!(
        "perft: {rows} rows, {all} nodes, {:.1} s, {}",
        start.elapsed().as_secs_f64(),
        if ok { "equal" } else { "DIFFERENT" }
    );
    Ok(ok)
}

/// The rules behind a name of the file; none for moves that leave the king in check.
fn rules(ruleset: &str) -> Option<Rules> {
    let (preset, variant) = ruleset.split_once('-').unwrap_or((ruleset, ""));
    let mut rules = *Rules::named(preset)?;
    match variant {
        "" => {}
        "ep2" => rules.en_passant = EnPassant::TwoMoves,
        "kingcap-continues" => rules.king_capture = KingCapture::Continues,
        "kingcap-leaf" => rules.king_capture = KingCapture::EndsGame,
        _ => return None,
    }
    Some(rules)
}
