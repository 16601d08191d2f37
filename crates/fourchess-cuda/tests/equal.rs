//! The kernels, run on the processor, against the batch: every byte of state and outputs after
//! every ply.

mod emulation;

use emulation::{Build, Emulation, compare};
use fourchess::{Departure, EnPassant, Ending, KingCapture, Promotion, Random, Rules, Seat, Setup};
use fourchess_env::{Autoreset, Batch, Config, EndedMask, Error, Illegal, Outputs, Player, Reward};

const ALL: Outputs = Outputs { legal_bits: true, legal_bytes: true, observation: true };
const AUTORESETS: [Autoreset; 3] = [Autoreset::NextStep, Autoreset::SameStep, Autoreset::Disabled];
const ILLEGALS: [Illegal; 3] = [Illegal::Error, Illegal::Noop, Illegal::Lose];

/// As on most devices, and with few lanes that take their turns the other way round.
const BUILDS: [Build; 2] =
    [Build { lanes: 32, descending: false }, Build { lanes: 8, descending: true }];

/// Rules that the presets do not show.
fn odd_rules() -> [Rules; 3] {
    [
        Rules {
            setup: Setup::Byg,
            promotion: Promotion::Any,
            king_capture: KingCapture::Continues,
            departure: Departure::AllDie,
            repetitions: 2,
            quiet_limit: 30,
            three_kings: -7,
            ..Rules::FFA
        },
        Rules {
            departure: Departure::KingWalks,
            king_capture: KingCapture::Eliminates,
            promotion_rank: 8,
            en_passant: EnPassant::Off,
            max_plies: 90,
            ..Rules::TEAMS
        },
        Rules {
            castling: true,
            en_passant: EnPassant::TakesBoth,
            promotion_rank: 8,
            repetitions: 4,
            two_kings: 3,
            walking_stalemate: 4,
            promoted_value: -2,
            ..Rules::JAX
        },
    ]
}

/// A batch and an emulation, side by side.
struct Pair {
    one: Batch,
    other: Emulation,
    actions: Vec<u16>,
    title: String,
    chance: Random,
}

impl Pair {
    fn new(build: Build, config: &Config) -> Pair {
        let title = format!(
            "{} {:?} {:?} {build:?} seed {}",
            config.rules.name, config.autoreset, config.illegal, config.seed
        );
        let one = Batch::new(config.clone()).unwrap();
        let other = Emulation::new(build, config);
        compare(&one, &other, &format!("{title}, start"));
        Pair { one, other, actions: vec![0; config.games], title, chance: Random::new(config.seed) }
    }

    fn compare(&self, place: impl std::fmt::Display) {
        compare(&self.one, &self.other, &format!("{}, {place}", self.title));
    }

    /// Chooses in both, and plays in both, with an illegal action now and then.
    fn step(&mut self, ply: usize) {
        let mut theirs = vec![0; self.one.len()];
        self.one.choose(Player::Random, &mut self.actions).unwrap();
        self.other.choose([Some(Player::Random); 4], &mut theirs);
        assert_eq!(self.actions, theirs, "{}, choices of ply {ply}", self.title);
        let game = self.chance.below(theirs.len());
        theirs[game] = self.chance.below(1 << 16) as u16;
        match self.one.config().illegal {
            Illegal::Error => self.refuse(&theirs),
            Illegal::Noop | Illegal::Lose => self.actions.copy_from_slice(&theirs),
        }
        self.one.step(&self.actions).unwrap();
        match ply % 3 {
            0 => self.other.step(&self.actions),
            1 => self.other.step(&self.actions.iter().map(|&a| i32::from(a)).collect::<Vec<_>>()),
            _ => self.other.step(&self.actions.iter().map(|&a| i64::from(a)).collect::<Vec<_>>()),
        }
        self.compare(format!("ply {ply}"));
        self.reset_ended(ply);
    }

    /// Both refuse an illegal action in the same game, or neither.
    fn refuse(&mut self, actions: &[u16]) {
        let mut copy = self.actions.clone();
        copy.copy_from_slice(actions);
        let found = self.other.find_refused(&copy);
        let has_ended = |game: usize| self.one.legal_counts()[game] == 0;
        let waits = self.one.config().autoreset == Autoreset::NextStep;
        let is_refused = |&game: &usize| {
            let legal = self.one.legal_of(game).contains(&copy[game]);
            if has_ended(game) { !waits } else { !legal }
        };
        assert_eq!(found, (0..copy.len()).find(is_refused), "{}", self.title);
        if found.is_some() {
            let error = self.one.step(&copy).unwrap_err();
            let (Error::IllegalAction { game, .. } | Error::Ended { game }) = error else {
                panic!("{}: {error}", self.title)
            };
            assert_eq!(found, Some(game), "{}", self.title);
        }
    }

    fn reset_ended(&mut self, ply: usize) {
        let config = self.one.config();
        let may_wait = config.illegal != Illegal::Error && ply % 5 != 4;
        if config.autoreset != Autoreset::Disabled || may_wait {
            return;
        }
        let has_ended = |&game: &usize| self.one.legal_counts()[game] == 0;
        let ended: Vec<usize> = (0..self.one.len()).filter(has_ended).collect();
        let seeds: Vec<u64> = ended.iter().map(|&game| (game * 31 + ply) as u64).collect();
        self.one.reset(&ended, &seeds).unwrap();
        let index: Vec<u64> = ended.iter().map(|&game| game as u64).collect();
        self.other.reset(&index, &seeds);
        if !ended.is_empty() {
            self.compare("reset");
        }
    }
}

fn is_slow() -> bool {
    std::env::var_os("EVERYPLY_SLOW").is_some_and(|value| value == "1")
}

/// All presets, autoresets and ways with illegal actions: a million plies.
#[test]
fn every_byte_after_every_ply_is_that_of_the_batch() {
    let (games, steps) = if is_slow() { (128, 2000) } else { (48, 800) };
    let mut plies = 0;
    for rules in Rules::PRESETS {
        for (number, autoreset) in AUTORESETS.into_iter().enumerate() {
            for (way, illegal) in ILLEGALS.into_iter().enumerate() {
                // Longer than most games, so that every kind of ending comes.
                let max_plies = if number == way { rules.max_plies } else { 700 };
                let config = Config {
                    outputs: ALL,
                    autoreset,
                    illegal,
                    seed: (10 * number + way) as u64,
                    ended_mask: if way == 0 { EndedMask::Ones } else { EndedMask::Zeros },
                    ..Config::new(&Rules { max_plies, ..*rules }, games)
                };
                let mut pair = Pair::new(BUILDS[(number + way) % 2], &config);
                (0..steps).for_each(|ply| pair.step(ply));
                plies += games * steps;
            }
        }
    }
    println!("{plies} plies compared");
    assert!(plies >= 1_000_000);
}

#[test]
fn rules_that_no_preset_has_are_followed_too() {
    for (seed, rules) in odd_rules().into_iter().enumerate() {
        for build in BUILDS {
            let config = Config {
                outputs: ALL,
                autoreset: Autoreset::SameStep,
                illegal: Illegal::Lose,
                reward: if seed == 0 { Reward::Outcome } else { Reward::Points },
                seed: seed as u64,
                ..Config::new(&rules, 24)
            };
            let mut pair = Pair::new(build, &config);
            (0..400).for_each(|ply| pair.step(ply));
        }
    }
}

/// Values of fields of the rules.
const TEXTS: [&str; 34] = [
    "0",
    "1",
    "2",
    "3",
    "5",
    "8",
    "11",
    "8",
    "11",
    "30",
    "100",
    "400",
    "-6",
    "true",
    "false",
    "any",
    "queen",
    "off",
    "takes_both",
    "continues",
    "ends_game",
    "eliminates",
    "pairs",
    "free",
    "free",
    "all_die",
    "king_walks",
    "clockwise",
    "counterclockwise",
    "modern",
    "by",
    "rg",
    "1,2,3,4,5,6",
    "0,0,7,7,-1,100",
];

/// Every field of the rules, changed at random.
#[test]
fn rules_drawn_at_random_are_followed() {
    let rounds = if is_slow() { 300 } else { 24 };
    let mut chance = Random::new(17);
    let mut endings = std::collections::BTreeSet::new();
    for round in 0..rounds {
        let mut rules = *Rules::PRESETS[round % 3];
        for name in Rules::NAMES {
            if chance.below(3) == 0 {
                // Most texts fit some fields only.
                let fits = |text: &&str| rules.set(name, text).is_ok();
                let texts: Vec<&str> = (0..20).map(|_| TEXTS[chance.below(TEXTS.len())]).collect();
                texts.iter().copied().find(fits);
            }
        }
        let config = Config {
            outputs: ALL,
            autoreset: AUTORESETS[round % 2],
            illegal: Illegal::Noop,
            seed: round as u64,
            ..Config::new(&rules, 16)
        };
        if Batch::new(config.clone()).is_err() {
            continue;
        }
        let mut pair = Pair::new(BUILDS[round % 2], &config);
        pair.title += &rules.words();
        for ply in 0..500 {
            pair.step(ply);
            endings.extend(pair.one.endings().iter().copied());
        }
    }
    println!("endings {endings:?}");
    assert!(endings.len() >= 6, "{endings:?}");
}

#[test]
fn games_are_claimed_as_in_the_batch() {
    let rules = Rules { claim_lead: 5, walking_left: 2, ..Rules::FFA };
    let config = Config { outputs: ALL, autoreset: Autoreset::SameStep, ..Config::new(&rules, 48) };
    let mut pair = Pair::new(BUILDS[1], &config);
    (0..1200).for_each(|ply| pair.step(ply));
    assert!(pair.one.endings().contains(&(Ending::Claim as u8 + 1)));
}

#[test]
fn outputs_that_are_off_leave_the_others_as_they_are() {
    for bits in [false, true] {
        for observation in [false, true] {
            let outputs = Outputs { legal_bits: bits, legal_bytes: !bits, observation };
            let config = Config {
                outputs,
                autoreset: Autoreset::SameStep,
                illegal: Illegal::Noop,
                ..Config::new(&Rules { max_plies: 60, ..Rules::FFA }, 16)
            };
            let mut pair = Pair::new(BUILDS[0], &config);
            (0..150).for_each(|ply| pair.step(ply));
        }
    }
}

/// Random and greedy players, chosen for and played on with.
#[test]
fn players_choose_as_those_of_the_batch() {
    let players = [Some(Player::Greedy), None, Some(Player::Random), Some(Player::Greedy)];
    for rules in Rules::PRESETS {
        for autoreset in [Autoreset::NextStep, Autoreset::SameStep] {
            let rules = Rules { max_plies: 120, ..*rules };
            let config = Config { outputs: ALL, autoreset, seed: 3, ..Config::new(&rules, 12) };
            let mut pair = Pair::new(BUILDS[0], &config);
            let mut theirs = vec![7; 12];
            pair.actions.fill(7);
            for ply in 0..40 {
                pair.one.choose_for(players, &mut pair.actions).unwrap();
                pair.other.choose(players, &mut theirs);
                assert_eq!(pair.actions, theirs, "{}, ply {ply}", pair.title);
                pair.one.choose(Player::Greedy, &mut pair.actions).unwrap();
                pair.other.choose([Some(Player::Greedy); 4], &mut theirs);
                assert_eq!(pair.actions, theirs, "{}, ply {ply}", pair.title);
                pair.one.step(&pair.actions).unwrap();
                pair.other.step(&pair.actions);
                pair.compare(ply);
            }
            for who in [
                [Player::Random; 4],
                [Player::Greedy, Player::Random, Player::Random, Player::Greedy],
            ] {
                for plies in [0, 1, 2, 60] {
                    for _ in 0..plies {
                        pair.one.choose_for(who.map(Some), &mut pair.actions).unwrap();
                        pair.one.step(&pair.actions).unwrap();
                    }
                    pair.other.play(who.map(Some), plies);
                    if plies > 0 {
                        pair.compare(format!("{plies} plies of {who:?}"));
                    }
                }
            }
        }
    }
}

/// Whole games of greedy players, so that the survey of moves meets checks, mates and draws.
#[test]
fn greedy_players_play_whole_games_as_in_the_batch() {
    let rounds = if is_slow() { 40 } else { 1 };
    let odd = odd_rules();
    for (round, rules) in
        Rules::PRESETS.into_iter().chain(&odd).cycle().take(6 * rounds).enumerate()
    {
        let config =
            Config { autoreset: Autoreset::SameStep, seed: round as u64, ..Config::new(rules, 16) };
        let mut pair = Pair::new(BUILDS[round % 2], &config);
        // Some plies at random bring positions that greedy players would not.
        for ply in 0..500 {
            let random = if ply % 7 == 0 { Player::Random } else { Player::Greedy };
            let players = [Some(Player::Greedy), Some(random), Some(Player::Greedy), Some(random)];
            let mut theirs = vec![0; 16];
            pair.one.choose_for(players, &mut pair.actions).unwrap();
            pair.other.choose(players, &mut theirs);
            assert_eq!(pair.actions, theirs, "{}, ply {ply}", pair.title);
            pair.one.step(&pair.actions).unwrap();
            pair.other.step(&pair.actions);
            if ply % 20 == 0 {
                pair.compare(format!("greedy ply {ply}"));
            }
        }
    }
}

#[test]
fn games_are_reset_saved_loaded_and_resigned_as_in_the_batch() {
    for (number, rules) in Rules::PRESETS.into_iter().cycle().take(6).enumerate() {
        let autoreset = AUTORESETS[number % 3];
        let rules = Rules { max_plies: 200, ..*rules };
        let config = Config {
            outputs: ALL,
            autoreset,
            illegal: Illegal::Lose,
            ended_mask: EndedMask::Ones,
            seed: number as u64,
            ..Config::new(&rules, 20)
        };
        let mut pair = Pair::new(BUILDS[number % 2], &config);
        for round in 0..60 {
            for ply in 0..7 {
                pair.step(ply);
            }
            let game = |pair: &mut Pair| pair.chance.below(20);
            let chosen: Vec<usize> = [game(&mut pair), game(&mut pair)].into();
            let index: Vec<u64> = chosen.iter().map(|&game| game as u64).collect();
            match round % 4 {
                // One at a time: the second of two places may be the first again.
                0 => {
                    for (&game, &place) in chosen.iter().zip(&index) {
                        let seat = Seat::ALL[(game + round) % 4];
                        pair.one.resign(&[game], &[seat]).unwrap();
                        pair.other.resign(&[place], &[seat as u8]);
                    }
                }
                1 => {
                    let mut mask = vec![0; 20];
                    let seeds: Vec<u64> = (0..20).map(|game| game * 77 + round as u64).collect();
                    chosen.iter().for_each(|&game| mask[game] = 1);
                    let picked: Vec<u64> = chosen.iter().map(|&game| seeds[game]).collect();
                    pair.one.reset(&chosen, &picked).unwrap();
                    pair.other.reset_where(&mask, Some(&seeds));
                }
                2 => {
                    let states = pair.one.save(&chosen).unwrap();
                    assert_eq!(states, pair.other.save(&index), "{}", pair.title);
                    if pair.one.load(&[3, 4], &states).is_ok() {
                        pair.other.load(&[3, 4], &states, false);
                    }
                }
                _ => {
                    let fen = pair.one.positions()[chosen[0]].fen(&rules).to_string();
                    if pair.one.reset_from(&[5], &[9], &[fen]).is_ok() {
                        let states = pair.one.save(&[5]).unwrap();
                        pair.other.load(&[5], &states, true);
                    }
                }
            }
            pair.compare(format!("round {round}"));
        }
    }
}

/// Lists that do not fit into the work space of a game.
#[test]
fn long_lists_are_whole() {
    let queens = "R-0,0,0,0-0,0,0,0-0,0,0,0-0,0,0,0-0-3,yK,7,3/3,8,3/3,8,3/\
        bK,4,rQ,3,rQ,4/14/2,rQ,4,rQ,3,rQ,2/14/1,rQ,5,rQ,3,rQ,2/14/3,rQ,3,rQ,6/14/\
        3,1,rQ,3,rQ,2,3/3,8,3/3,rK,6,gK,3";
    let rules = Rules { quiet_limit: 40, ..Rules::FFA };
    let config = Config {
        outputs: ALL,
        autoreset: Autoreset::NextStep,
        illegal: Illegal::Noop,
        ..Config::new(&rules, 2)
    };
    let mut pair = Pair::new(BUILDS[0], &config);
    pair.one.reset_from(&[1], &[4], &[queens]).unwrap();
    let longest = pair.one.legal_counts()[1];
    assert!(longest > 256, "{longest} legal actions");
    pair.other.load(&[1], &pair.one.save(&[1]).unwrap(), true);
    pair.compare("queens");
    for ply in 0..12 {
        pair.step(ply);
    }
    for who in [Player::Random, Player::Greedy] {
        for _ in 0..9 {
            pair.one.choose(who, &mut pair.actions).unwrap();
            pair.one.step(&pair.actions).unwrap();
        }
        pair.other.play([Some(who); 4], 9);
        pair.compare(format!("nine plies of {who:?}"));
    }
}
