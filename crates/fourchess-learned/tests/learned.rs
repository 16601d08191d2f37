//! The forward pass against numbers that PyTorch computed, and files that are not weights.

#[path = "../../games/tests/no_threads/mod.rs"]
mod no_threads;

use fourchess::{Random, Rules};
use fourchess_env::{Autoreset, Batch, Config, Outputs, Player, SelfPlay};
use fourchess_learned::{Error, Memory, Network};
use no_threads::without_threads;

const SMALL: &[u8] = include_bytes!("data/small.safetensors");
const SMALL_NUMBERS: &str = include_str!("data/small.csv");
const MOVES: &str = include_str!("data/moves.csv");
const TRAINED: &[u8] = include_bytes!("../weights/ffa.safetensors");

/// The games of `vectors.py`, round by round.
fn rounds(mut visit: impl FnMut(usize, &Batch)) {
    let config = Config {
        outputs: Outputs { observation: true, ..Outputs::default() },
        autoreset: Autoreset::SameStep,
        seed: 11,
        ..Config::new(&Rules::FFA, 100)
    };
    let mut batch = Batch::new(config).unwrap();
    let mut actions = vec![0; batch.len()];
    for round in 0..10 {
        let player = if round % 2 == 0 { Player::Random } else { Player::Greedy };
        for _ in 0..23 {
            batch.choose(player, &mut actions).unwrap();
            batch.step(&actions).unwrap();
        }
        visit(round, &batch);
    }
}

/// The logits and the values of a game of a batch.
fn numbers(
    network: &Network,
    batch: &Batch,
    game: usize,
    memory: &mut Memory,
) -> (Vec<f32>, [f32; 4]) {
    let planes = batch.planes().as_chunks().0.as_chunks().0[game];
    let scalars = batch.scalars().as_chunks().0[game];
    let logits = network.logits(&planes, &scalars, batch.legal_of(game), memory).to_vec();
    (logits, network.values(&planes, &scalars, memory))
}

#[test]
fn the_numbers_are_those_of_pytorch() {
    let network = Network::from_bytes(SMALL).unwrap();
    let mut memory = network.memory();
    let mut lines = SMALL_NUMBERS.lines().skip(1);
    let mut compared = 0;
    rounds(|round, batch| {
        for game in 0..3 {
            let line = lines.next().unwrap();
            let cells: Vec<&str> = line.split(',').collect();
            assert_eq!(cells[..2], [round.to_string(), game.to_string()]);
            let (logits, values) = numbers(&network, batch, game, &mut memory);
            let expected: Vec<f32> = cells[2..6]
                .iter()
                .chain(&cells[6].split(' ').collect::<Vec<_>>())
                .map(|number| number.parse().unwrap())
                .collect();
            let found = values.into_iter().chain(logits);
            assert_eq!(expected.len(), 4 + batch.legal_of(game).len());
            for (found, expected) in found.zip(expected) {
                let close = (found - expected).abs() <= 1e-4 * expected.abs().max(1.0);
                assert!(close, "round {round}, game {game}: {found}, expected {expected}");
                compared += 1;
            }
        }
    });
    assert!(compared > 500 && lines.next().is_none());
}

#[test]
fn the_trained_player_chooses_the_moves_of_pytorch_in_a_thousand_positions() {
    let network = Network::trained();
    let mut memory = network.memory();
    let mut lines = MOVES.lines().skip(1);
    rounds(|round, batch| {
        let mut actions = vec![0; batch.len()];
        network.choose_for(batch, [true; 4], &mut actions);
        for (game, &found) in actions.iter().enumerate() {
            let expected = format!("{round},{game},{found}");
            assert_eq!(lines.next(), Some(expected.as_str()));
            let (position, legal) = (&batch.positions()[game], batch.legal_of(game));
            assert_eq!(network.choose(position, batch.rules(), legal, &mut memory), found);
        }
    });
    assert_eq!(lines.next(), None);
}

#[test]
fn c3_without_threads_the_one_that_calls_chooses_all_moves() {
    let of_threads = |threads| {
        let mut batch = Batch::new(Config { threads, ..Config::new(&Rules::FFA, 100) }).unwrap();
        let mut actions = vec![0; batch.len()];
        for _ in 0..20 {
            batch.choose(Player::Random, &mut actions).unwrap();
            batch.step(&actions).unwrap();
        }
        batch
    };
    let games: Vec<usize> = (0..100).collect();
    let network = Network::from_bytes(SMALL).unwrap();
    let expected = network.choose_games(&of_threads(1), &games);
    assert_eq!(network.choose_games(&of_threads(4), &games), expected);
    without_threads(
        "c3_without_threads_the_one_that_calls_chooses_all_moves",
        || of_threads(4),
        |batch| assert!(network.choose_games(&batch, &games) == expected),
    );
}

/// The slow twin of the first layers and the choice: every logit of the whole board, by definition.
#[test]
fn the_best_move_has_the_highest_logit_and_of_equals_the_lowest_number() {
    let network = Network::from_bytes(SMALL).unwrap();
    let mut memory = network.memory();
    rounds(|_, batch| {
        for game in 0..20 {
            let legal = batch.legal_of(game);
            let (logits, _) = numbers(&network, batch, game, &mut memory);
            let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let best = legal.iter().zip(&logits).filter(|(_, logit)| **logit == highest);
            let best = best.map(|(action, _)| *action).min().unwrap();
            let position = &batch.positions()[game];
            assert_eq!(network.choose(position, batch.rules(), legal, &mut memory), best);
            // A logit does not depend on which other moves are computed with it.
            for (place, action) in legal.iter().enumerate().step_by(5) {
                let planes = batch.planes().as_chunks().0.as_chunks().0[game];
                let scalars = batch.scalars().as_chunks().0[game];
                let alone = network.logits(&planes, &scalars, &[*action], &mut memory);
                assert_eq!(alone, [logits[place]]);
            }
        }
    });
}

#[test]
fn threads_change_nothing_and_only_asked_seats_are_chosen_for() {
    let network = Network::trained();
    let mut batches = [1, 3]
        .map(|threads| Batch::new(Config { threads, ..Config::new(&Rules::FFA, 70) }).unwrap());
    for _ in 0..12 {
        let actions = batches.each_mut().map(|batch| {
            let mut actions = vec![7; batch.len()];
            network.choose_for(batch, [true, false, true, true], &mut actions);
            actions
        });
        assert_eq!(actions[0], actions[1]);
        for (game, action) in actions[0].iter().enumerate() {
            let is_blue = batches[0].current_player()[game] == 1;
            assert_eq!(*action == 7, is_blue);
        }
        for batch in &mut batches {
            let mut played = vec![0; batch.len()];
            network.choose_for(batch, [true; 4], &mut played);
            // Games differ by a few random moves.
            let mut random = vec![0; batch.len()];
            batch.choose(Player::Random, &mut random).unwrap();
            played[..35].copy_from_slice(&random[..35]);
            batch.step(&played).unwrap();
        }
    }
}

#[test]
fn the_trained_player_beats_the_built_in_ones() {
    let network = Network::trained();
    let mut memory = network.memory();
    for (opponent, least) in [(Player::Random, 12), (Player::Greedy, 9)] {
        let games = SelfPlay::new(&Rules::FFA, [opponent; 4]).unwrap();
        let won = (0..12).filter(|&seed| {
            let own = seed as usize % 4;
            let game = games.game_with(seed, |position, legal, random| {
                if position.turn().index() == own {
                    return network.choose(position, &Rules::FFA, legal, &mut memory);
                }
                opponent.choose(position, &Rules::FFA, legal, random)
            });
            game.places[own] == 1
        });
        let won = won.count();
        assert!(won >= least, "{won} of 12 games won against {}", opponent.name());
    }
}

#[test]
fn it_plays_by_all_presets() {
    let network = Network::trained();
    let mut memory = network.memory();
    for rules in Rules::PRESETS {
        let mut games = SelfPlay::new(rules, [Player::Greedy; 4]).unwrap();
        games.max_plies = 60;
        let choose = |position: &_, legal: &[u16], _: &mut _| {
            network.choose(position, rules, legal, &mut memory)
        };
        assert!(games.game_with(5, choose).plies.len() > 20);
    }
}

/// A file with a header and as many bytes of data as it says.
fn file(header: &str, bytes: usize) -> Vec<u8> {
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.resize(file.len() + bytes, 0);
    file
}

fn refused(bytes: &[u8]) -> String {
    match Network::from_bytes(bytes) {
        Ok(_) => "accepted".to_owned(),
        Err(error) => error.to_string(),
    }
}

/// The small network with other words in its header.
fn changed(from: &str, to: &str) -> Vec<u8> {
    let size = u64::from_le_bytes(*SMALL.first_chunk().unwrap()) as usize;
    let header = std::str::from_utf8(&SMALL[8..8 + size]).unwrap();
    assert!(header.contains(from), "{from}");
    let header = header.replacen(from, to, 1);
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.extend(&SMALL[8 + size..]);
    file
}

#[test]
fn what_is_not_a_file_of_weights_is_refused_with_a_sentence() {
    let about = r#""__metadata__":{"format":"everyply.fourchess.network","version":"1"}"#;
    let stem = |shape: &str, kind: &str, bytes: usize| {
        let entry = format!(r#""dtype":"{kind}","shape":{shape},"data_offsets":[0,{bytes}]"#);
        file(&format!(r#"{{{about},"stem":{{{entry}}}}}"#), bytes)
    };
    let cases: [(Vec<u8>, &str); 11] = [
        (Vec::new(), "not a safetensors file: "),
        (b"weights".to_vec(), "not a safetensors file: "),
        (file("{}", 0), "these are not weights of this network: the metadata has format nothing"),
        (file(&format!("{{{about}}}"), 0), "the tensor stem is missing"),
        (stem("[628,2]", "F16", 2512), "the tensor stem has the shape [628, 2], expected "),
        (stem("[629,0]", "F16", 0), "the network is 0 wide, expected 1 to 1024"),
        (stem("[629,2]", "I16", 2516), "the tensor stem holds I16, expected F16, BF16 or F32"),
        (stem("[629,2]", "F16", 2516), "the tensor place is missing"),
        (changed(r#""version":"1""#, r#""version":"2""#), "weights of version 2, expected 1"),
        (changed("source.bias", "sauce.bias"), "the tensor source.bias is missing"),
        (changed("outer.1", "outer.2"), "the tensor outer.1.weight is missing"),
    ];
    for (bytes, sentence) in cases {
        let found = refused(&bytes);
        assert!(found.starts_with(sentence), "{found}, expected {sentence}");
    }
    let more = changed("\"judge.bias\"", "\"extra\"");
    assert_eq!(refused(&more), "the tensor judge.bias is missing");
    let mut bad = SMALL.to_vec();
    let last = bad.len();
    bad[last - 2..].copy_from_slice(&0x7e00_u16.to_le_bytes());
    assert_eq!(refused(&bad), "entry 3 of the tensor value.bias is NaN");
    bad[last - 2..].copy_from_slice(&0xfc00_u16.to_le_bytes());
    assert_eq!(refused(&bad), "entry 3 of the tensor value.bias is -inf");
    let large = vec![0; (64 << 20) + 1];
    assert!(matches!(Network::from_bytes(&large), Err(Error::TooLarge { .. })));
}

#[test]
fn damaged_files_are_read_or_refused_and_nothing_else() {
    let mut random = Random::new(19);
    let header = 8 + u64::from_le_bytes(*SMALL.first_chunk().unwrap()) as usize;
    let (mut accepted, mut refusals) = (0, 0);
    for round in 0..3000 {
        let mut bytes = SMALL.to_vec();
        match round % 3 {
            0 => bytes.truncate(random.below(bytes.len())),
            1 => {
                for _ in 0..=random.below(4) {
                    let place = random.below(header);
                    bytes[place] = random.below(256) as u8;
                }
            }
            _ => {
                for _ in 0..=random.below(8) {
                    let place = random.below(bytes.len());
                    bytes[place] ^= 1 << random.below(8);
                }
            }
        }
        match Network::from_bytes(&bytes) {
            Ok(_) => accepted += 1,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refusals += 1;
            }
        }
    }
    // Most bits are those of weights, and most weights are as good as others.
    assert!(accepted > 100 && refusals > 1000, "{accepted} accepted, {refusals} refused");
    assert!(Network::from_bytes(TRAINED).is_ok());
}
