//! Records of games, written and read.

use game::Game;
use kalah::{Kalah, Pit, Record, Rules, Standing};

#[test]
fn a_record_is_read_as_it_was_written_and_every_move_can_be_taken_back() {
    for rules in Rules::ALL {
        let start = Kalah::new(4, 3, rules).expect("a size").start();
        let mut record = Record::new(&Standing { position: start, stores: None }, rules);
        let mut texts = vec![record.to_string()];
        let mut seed = 7_u64;
        while record.totals().is_none() {
            let position = record.last().position;
            let pits: Vec<u16> = record.kalah().moves(&position).map(Pit::number).collect();
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let pit = pits[(seed >> 33) as usize % pits.len()];
            record.play(pit).expect("a legal move");
            assert_eq!(record.to_string().parse(), Ok(record.clone()));
            texts.push(record.to_string());
        }
        assert_eq!(record.totals().map(|totals| totals.iter().sum()), Some(24));
        assert!(record.play(1).is_err(), "the game is over");
        while let Some(text) = texts.pop() {
            assert_eq!(record.to_string(), text);
            assert_eq!(record.undo(), !texts.is_empty());
        }
    }
}

#[test]
fn what_is_no_record_is_refused_with_its_place() {
    let cases = [
        ("", "the record has no line 'start'"),
        ("moves 1", "the record has no line 'start'"),
        ("begin 6x4", "line 1: expected rules, start or moves, found 'begin'"),
        ("start 6x4\n\nstart 6x4", "line 3: start is given twice"),
        ("rules odd\nstart 6x4", "unknown rules 'odd'"),
        ("start 9x4", "start: 9 pits on a side"),
        ("start 6x400", "start: 6 pits on a side with 400 seeds in each"),
        ("start 6x", "start: '6x' does not have two sides"),
        ("start 1,2/3", "start: the first side has 2 pits, the second 1"),
        ("start 6x4\nmoves 3 x", "moves: 'x' is not the number of a pit"),
        ("start 6x4\nmoves 3+3", "move 2: pit 3 cannot be sown"),
        ("start 6x4\nmoves 7", "move 1: pit 7 cannot be sown"),
        ("start 6x4\nmoves 0", "move 1: pit 0 cannot be sown"),
        ("start 6x4\nmoves -1", "moves: '-1' is not the number of a pit"),
        ("start 0,0/0,0\nmoves 1", "move 1: pit 1 cannot be sown"),
    ];
    for (text, cause) in cases {
        let error = text.parse::<Record>().expect_err(text).to_string();
        assert!(error.starts_with(cause), "{text}: {error}");
    }
}
