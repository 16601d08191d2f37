//! Lockstep with the processor, and perft.

use std::time::{Duration, Instant};

use fourchess::{EnPassant, KingCapture, Position, Rules, Seat};
use fourchess_cuda::{Array, CudaBatch, Error, Number, Options, Perft, Which, digest, digests_of};
use fourchess_env::{
    Autoreset, Batch, Config, EndedMask, Illegal, Observation, Outputs, Player, Random, Reward,
};
use rayon::prelude::*;

use crate::Size;

const ALL: Outputs = Outputs { legal_bits: true, legal_bytes: true, observation: true };

/// Runs all comparisons; true if nothing differs.
pub(crate) fn run(
    options: &Options,
    size: Size,
    plies: u64,
    nodes: u64,
    seed: u64,
    seconds: u64,
) -> Result<bool, Error> {
    let ok = match size {
        Size::Tiny => tiny(options)?,
        Size::Long => long(options, plies, seed, seconds)? && perft(options, nodes)?,
        Size::Short => {
            grid(options, 64, 40, true)? && others(options, 64)? && perft(options, 20_000)?
        }
        Size::Whole => {
            grid(options, 1024, 700, false)?
                && others(options, 512)?
                && long(options, plies, seed, seconds)?
                && perft(options, nodes)?
        }
    };
    println!("{}", if ok { "all equal" } else { "DIFFERENCES" });
    Ok(ok)
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// All presets, autoresets and ways with illegal actions.
fn grid(options: &Options, games: usize, steps: usize, few: bool) -> Result<bool, Error> {
    let mut ok = true;
    for rules in presets() {
        for autoreset in [Autoreset::NextStep, Autoreset::SameStep, Autoreset::Disabled] {
            for illegal in [Illegal::Error, Illegal::Noop, Illegal::Lose] {
                if few && (illegal != Illegal::Lose || autoreset != Autoreset::SameStep) {
                    continue;
                }
                let config = Config {
                    outputs: ALL,
                    autoreset,
                    illegal,
                    seed: 7,
                    threads: threads(),
                    ..Config::new(&rules, games)
                };
                ok &= lockstep(&config, options, steps, 0, None)?.0;
            }
        }
    }
    Ok(ok)
}

/// Every kernel of one configuration, so that kernels are compiled once.
fn tiny(options: &Options) -> Result<bool, Error> {
    let config = Config {
        outputs: ALL,
        autoreset: Autoreset::SameStep,
        illegal: Illegal::Lose,
        seed: 7,
        ..Config::new(&Rules { max_plies: 9, ..Rules::FFA }, 6)
    };
    Ok(lockstep(&config, options, 12, 14, None)?.0 & other(&config, options, &[2, 3])?)
}

/// So many plies, as long as there is time; a quarter of both for each of four sets of rules.
fn long(options: &Options, plies: u64, seed: u64, seconds: u64) -> Result<bool, Error> {
    let games = 32_768;
    let steps = plies.div_ceil(4 * games as u64) as usize;
    let (mut ok, mut done, start) = (true, 0, Instant::now());
    for (index, rules) in presets().enumerate() {
        let config = Config {
            outputs: Outputs { legal_bytes: false, ..ALL },
            autoreset: Autoreset::SameStep,
            illegal: Illegal::Noop,
            seed,
            threads: threads(),
            ..Config::new(&rules, games)
        };
        let end = start + Duration::from_secs(seconds * (index as u64 + 1) / 4);
        let (same, plies) = lockstep(&config, options, steps, 1500, Some(end))?;
        ok &= same;
        done += plies;
    }
    let time = start.elapsed().as_secs_f64();
    println!("{done} plies in lockstep, {time:.1} s: {}", if ok { "equal" } else { "DIFFERENT" });
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

/// Where an array first differs.
fn difference<T: Copy + Sync, const N: usize>(
    found: &[u8],
    expected: &[T],
    bytes: fn(T) -> [u8; N],
) -> Option<usize> {
    if found.len() != N * expected.len() {
        return Some(0);
    }
    let parts = found.par_chunks(N << 12).zip(expected.par_chunks(1 << 12)).enumerate();
    parts.find_map_first(|(part, (found, expected))| {
        let pairs = found.chunks_exact(N).zip(expected);
        let at = pairs.into_iter().position(|(found, &value)| found != bytes(value));
        at.map(|at| N * ((part << 12) + at))
    })
}

/// Every byte of every array and state.
fn is_same(one: &Batch, other: &CudaBatch) -> Result<bool, Error> {
    let mut same = true;
    macro_rules! compare {
        ($($array:ident $expected:expr, $bytes:expr;)*) => {$({
            let found = other.read(Array::$array)?;
            if let Some(at) = difference(&found, $expected, $bytes) {
                let game = at / (found.len() / one.len()).max(1);
                println!("  {} differs first in game {game}, byte {at}", Array::$array.name());
                same = false;
            }
        })*};
    }
    let (byte, flag) = (|byte: u8| [byte], |flag: bool| [u8::from(flag)]);
    compare! {
        Legal one.legal(), u16::to_le_bytes;
        LegalCounts one.legal_counts(), u16::to_le_bytes;
        LegalBits one.legal_bits(), u64::to_le_bytes;
        LegalBytes one.legal_bytes(), byte;
        Planes one.planes(), u32::to_le_bytes;
        Scalars one.scalars(), i16::to_le_bytes;
        FinalPlanes one.final_planes(), u32::to_le_bytes;
        FinalScalars one.final_scalars(), i16::to_le_bytes;
        FinalPoints one.final_points(), i16::to_le_bytes;
        Endings one.endings(), byte;
        CurrentPlayer one.current_player(), byte;
        Rewards one.rewards(), f32::to_le_bytes;
        Terminated one.terminated(), flag;
        Truncated one.truncated(), flag;
        MoveValid one.move_valid(), flag;
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
fn lockstep(
    config: &Config,
    options: &Options,
    steps: usize,
    ages: u32,
    end: Option<Instant>,
) -> Result<(bool, u64), Error> {
    let title = format!(
        "{} {:?} {:?} {} games",
        config.rules.name, config.autoreset, config.illegal, config.games
    );
    let (mut done, mut told) = (0, Instant::now());
    let start = Instant::now();
    let games = config.games;
    let mut one = Batch::new(config.clone())?;
    let mut other = CudaBatch::new(config.clone(), options)?;
    let all: Vec<usize> = (0..games).collect();
    if ages > 0 {
        // In a batch of its own, because what it keeps of games that ended is not loaded.
        let mut older = CudaBatch::new(config.clone(), options)?;
        older.play([Player::Random; 4], ages)?;
        let states = older.save(&all)?;
        one.load(&all, &states)?;
        other.load(&all, &states)?;
    }
    let mut chance = Random::new(3);
    let (mut actions, mut theirs) = (vec![0; games], vec![0; games]);
    let mut same = is_same(&one, &other)?;
    for step in 0..steps {
        if end.is_some_and(|end| Instant::now() > end) {
            println!("{title}: out of time after {done} of {steps} steps");
            break;
        }
        if told.elapsed().as_secs() >= 5 {
            eprintln!("{title}: {done} of {steps} steps, {} plies", done * games);
            told = Instant::now();
        }
        done = step + 1;
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
        let what = if games > 4096 { digest::ALL & !digest::FINALS } else { digest::ALL };
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
    let time = start.elapsed().as_secs_f64();
    println!("{title}: {word}, {done} steps, {} plies, {time:.1} s", done * games);
    Ok((same, (done * games) as u64))
}

/// Greedy players, plies without a stop, resignations, positions, numbers.
fn others(options: &Options, games: usize) -> Result<bool, Error> {
    let mut ok = true;
    for rules in presets() {
        let config = Config {
            outputs: ALL,
            autoreset: Autoreset::NextStep,
            illegal: Illegal::Noop,
            ended_mask: EndedMask::Ones,
            reward: Reward::Outcome,
            seed: 5,
            threads: threads(),
            ..Config::new(&rules, games)
        };
        ok &= other(&config, options, &[1, 2, 3, 50, 100])?;
    }
    Ok(ok)
}

fn other(config: &Config, options: &Options, rounds: &[u32]) -> Result<bool, Error> {
    let (games, rules) = (config.games, &config.rules);
    let mut one = Batch::new(config.clone())?;
    let mut other = CudaBatch::new(config.clone(), options)?;
    let players = [Player::Greedy, Player::Random, Player::Greedy, Player::Random];
    let (mut actions, mut ok) = (vec![0; games], true);
    for &plies in rounds {
        for _ in 0..plies {
            one.choose_for(players.map(Some), &mut actions)?;
            one.step(&actions)?;
        }
        other.play(players, plies)?;
        ok &= is_same(&one, &other)?;
    }
    one.choose_for(players.map(Some), &mut actions)?;
    let mut theirs = vec![0; games];
    other.choose_for(players.map(Some), &mut theirs)?;
    ok &= actions == theirs;
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
    let fens = vec![Position::start(rules).fen(rules).to_string(); from.len()];
    let seeds: Vec<u64> = from.iter().map(|&game| game as u64).collect();
    one.reset_from(&to, &seeds, &fens)?;
    other.reset_from(&to, &seeds, &fens)?;
    one.reset(&from, &seeds)?;
    other.reset(&from, &seeds)?;
    ok &= is_same(&one, &other)?;
    ok &= numbers(&mut one, &other)?;
    let word = if ok { "equal" } else { "DIFFERENT" };
    println!("{} greedy, play, resign, copy, reset, positions, numbers: {word}", rules.name);
    Ok(ok)
}

fn numbers(one: &mut Batch, other: &CudaBatch) -> Result<bool, Error> {
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
    let (mut ok, mut rows, mut beyond, mut all, start) = (true, 0, 0, 0, Instant::now());
    let mut kernels: Vec<(String, Perft)> = Vec::new();
    for (line, row) in text.lines().enumerate().skip(1) {
        let Some((fen, rest)) = row.strip_prefix('"').and_then(|row| row.split_once("\",")) else {
            continue;
        };
        let fields: Vec<&str> = rest.split(',').collect();
        let (ruleset, depth, expected) =
            (fields[0], fields[1].parse::<u32>(), fields[2].parse::<u64>());
        let (Ok(depth), Ok(expected), Some((rules, compile))) = (depth, expected, rules(ruleset))
        else {
            println!("  perft row {line} cannot be read");
            ok = false;
            continue;
        };
        if expected > nodes {
            beyond += 1;
            continue;
        }
        if !kernels.iter().any(|(name, _)| name == ruleset) {
            kernels.push((ruleset.to_owned(), compile(&rules, options)?));
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
        "perft: {rows} rows, {all} nodes, {:.1} s, {}; not run: {beyond} of more than {nodes} nodes",
        start.elapsed().as_secs_f64(),
        if ok { "equal" } else { "DIFFERENT" }
    );
    Ok(ok)
}

type Compile = fn(&Rules, &Options) -> Result<Perft, Error>;

/// The rules behind a name of the file, and what counts under them.
fn rules(ruleset: &str) -> Option<(Rules, Compile)> {
    let (preset, variant) = ruleset.split_once('-').unwrap_or((ruleset, ""));
    let mut rules = *Rules::named(preset)?;
    match variant {
        "" => {}
        "ep2" => rules.en_passant = EnPassant::TwoMoves,
        "kingcap-continues" => rules.king_capture = KingCapture::Continues,
        "kingcap-leaf" => rules.king_capture = KingCapture::EndsGame,
        "pseudo" => {
            rules.en_passant = EnPassant::TwoMoves;
            return Some((rules, Perft::pseudo_legal));
        }
        _ => return None,
    }
    Some((rules, Perft::new))
}
