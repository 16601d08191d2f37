//! Positions of Kalah as text.

use game::Game;
use kalah::{Kalah, MAX_SEEDS, Position, Rules, Standing};

pub(crate) fn an_accepted_position_is_read_back_and_can_be_sown(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let parsed: Result<Standing, _> = text.parse();
    let standing = match parsed {
        Ok(standing) => standing,
        Err(error) => {
            assert!(!error.to_string().chars().any(char::is_control), "{error:?}");
            return;
        }
    };
    assert_eq!(standing.to_string().parse(), Ok(standing), "{standing}");
    let position = standing.position;
    assert!(position.seeds_in_play() <= MAX_SEEDS);
    for rules in RULES {
        let rules: Rules = rules.parse().expect("these are rules");
        check(&Kalah::from_start(position, rules), &position);
    }
}

const RULES: [&str; 4] = ["std_either", "empty_either", "std_mover", "empty_mover"];

fn check(kalah: &Kalah, position: &Position) {
    assert_eq!(kalah.unpack(kalah.pack(position)), Some(*position), "{position}");
    let mut moves = 0;
    kalah.edges(position, |edge| {
        moves += 1;
        assert!(edge.to.seeds_in_play() <= position.seeds_in_play(), "{:?} in {position}", edge.mv);
        assert!(kalah.rank(&edge.to) < kalah.rank(position), "{:?} in {position}", edge.mv);
        assert_eq!(kalah.unpack(kalah.pack(&edge.to)), Some(edge.to), "{position}");
    });
    assert!(kalah.outcome(position).is_some() || moves > 0, "{position}");
}
