//! The kernels under the sanitizers of addresses and of undefined behaviour: a program that plays
//! and prints digests, which are those of the batch.

mod emulation;

use std::{fmt::Write, process::Command};

use emulation::compile;
use fourchess::Rules;
use fourchess_cuda::{
    digest, digests_of,
    source::{self, Purpose},
};
use fourchess_env::{Autoreset, Batch, Config, Illegal, Outputs, Player};

const GAMES: usize = 10;
const PLIES: usize = 600;
const FLAGS: [&str; 7] = [
    "-O1",
    "-std=c++17",
    "-w",
    "-ffp-contract=off",
    "-fno-strict-aliasing",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
];

fn config(rules: &Rules) -> Config {
    Config {
        outputs: Outputs { legal_bits: true, legal_bytes: true, observation: true },
        autoreset: Autoreset::SameStep,
        illegal: Illegal::Lose,
        seed: 21,
        ..Config::new(&Rules { max_plies: 250, ..*rules }, GAMES)
    }
}

/// Numbers as C writes them.
fn numbers<T: ToString>(values: &[T]) -> String {
    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
    format!("{{{}}}", values.join(","))
}

/// A program that has the arrays on the heap, where the sanitizer sees every byte beyond them.
fn program() -> String {
    let mut text = source::emulation(32, Purpose::Batch);
    text.push_str(include_str!("emulation/main.cpp"));
    text.push_str("int main() {\n");
    for rules in Rules::PRESETS {
        let config = config(rules);
        let one = Batch::new(Config { games: 1, ..config.clone() }).unwrap();
        writeln!(
            text,
            "{{ static const long long settings[] = {}, bare[] = {}; static const u8 state[] = {}; \
             static const u16 legal[] = {}; run(settings, bare, {}, state, legal, {}, {GAMES}, {PLIES}, {}); }}",
            numbers(&source::settings(&config)),
            numbers(&source::settings(&Config { outputs: Outputs::default(), ..config.clone() })),
            numbers(&one.save(&[0]).unwrap()),
            numbers(one.legal_of(0)),
            source::settings(&config).len(),
            one.legal_of(0).len(),
            config.seed,
        )
        .unwrap();
    }
    text.push_str("}\n");
    text
}

#[test]
fn sanitizers_are_silent_and_digests_are_those_of_the_batch() {
    let program = compile(&program(), &FLAGS, "sanitized");
    let output = Command::new(program).output().expect("a program just compiled");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{errors}");
    let mut expected = String::new();
    for rules in Rules::PRESETS {
        let mut batch = Batch::new(config(rules)).unwrap();
        let mut actions = vec![0; GAMES];
        for ply in 0..PLIES {
            let player = if ply % 50 == 49 { Player::Greedy } else { Player::Random };
            batch.choose(player, &mut actions).unwrap();
            if ply % 40 == 39 {
                actions[ply % GAMES] = 7191;
            }
            batch.step(&actions).unwrap();
        }
        for digest in digests_of(&batch, 0..GAMES, digest::ALL) {
            writeln!(expected, "{digest:016x}").unwrap();
        }
    }
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}
