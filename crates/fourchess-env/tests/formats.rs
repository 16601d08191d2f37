//! The tables of docs/formats.md, and the bytes whose meaning the versions stand for.

use fourchess::{Role, Rules};
use fourchess_env::{
    Action, Batch, Config, ENCODING_VERSION, Observation, Outputs, Player, RULES_VERSION,
};

mod shown;

const FORMATS: &str = include_str!("../../../docs/formats.md");
const SECTION: &str = "## Four-player chess: actions and observations";

/// The rows of the table of the section with this header.
fn table(header: &str) -> Vec<Vec<&'static str>> {
    let start = FORMATS.find(SECTION).expect("the section is there");
    let lines = FORMATS[start..].lines().skip_while(|line| *line != header).skip(2);
    let rows = lines.take_while(|line| line.starts_with('|'));
    let cells = |line: &'static str| {
        line.trim_matches('|').split('|').map(str::trim).collect::<Vec<&str>>()
    };
    let rows: Vec<_> = rows.map(cells).collect();
    assert!(!rows.is_empty(), "no table {header}");
    rows
}

#[test]
fn the_documented_actions_are_those() {
    for row in table("| action | from | to | becomes |") {
        let action = Action::new(row[0].parse().unwrap()).unwrap();
        let (from, to) = action.squares();
        let becomes = action.underpromotion().map_or(String::new(), |role| role.letter().into());
        assert_eq!([from.to_string(), to.to_string(), becomes], [row[1], row[2], row[3]]);
    }
    let ranges = table("| numbers | what |");
    let ends = ranges.iter().map(|row| row[0].split_once(" to ").unwrap());
    let ends: Vec<(usize, usize)> =
        ends.map(|(first, last)| (first.parse().unwrap(), last.parse().unwrap())).collect();
    let half = Action::PAIRS + 120;
    let last = Action::COUNT - 1;
    assert_eq!(ends, [(0, Action::PAIRS - 1), (Action::PAIRS, half - 1), (half, last)]);
    assert_eq!(Action::new(half as u16).unwrap().underpromotion(), Some(Role::Knight));
}

#[test]
fn the_documented_planes_are_those() {
    let rows = table("| index | plane or number | scale |");
    assert_eq!(rows.len(), Observation::FLOAT_PLANES);
    for (index, row) in rows.iter().enumerate() {
        assert_eq!(row[0], index.to_string());
        assert_eq!(row[1], Observation::name(index));
        let scale = index.checked_sub(Observation::PLANES).map(Observation::scale);
        assert_eq!(row[2], scale.map_or(String::new(), |scale| scale.to_string()));
    }
}

/// If this fails, a version must rise and its hash be written here.
#[test]
fn versions_stand_for_the_same_bytes() {
    let mut encoding = Vec::new();
    for id in 0..Action::COUNT as u16 {
        let action = Action::new(id).unwrap();
        encoding.extend(format!("{:?}{:?}", action.squares(), action.underpromotion()).bytes());
    }
    (0..Observation::FLOAT_PLANES)
        .for_each(|plane| encoding.extend(Observation::name(plane).bytes()));

    let mut played = Vec::new();
    for rules in Rules::PRESETS {
        for player in Player::ALL {
            let outputs = Outputs { legal_bits: true, observation: true, ..Outputs::default() };
            let mut batch = Batch::new(Config { outputs, ..Config::new(rules, 4) }).unwrap();
            let mut actions = [0; 4];
            for _ in 0..400 {
                batch.choose(player, &mut actions).unwrap();
                batch.step(&actions).unwrap();
                played.extend(hash(&shown::bytes(&batch)).to_le_bytes());
            }
        }
    }
    let found = (ENCODING_VERSION, hash(&encoding), RULES_VERSION, hash(&played));
    assert_eq!(found, (1, 0x8a10_2eff_0082_21fb, 2, 0x8150_290f_2b6b_7025));
}

/// FNV-1a.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
