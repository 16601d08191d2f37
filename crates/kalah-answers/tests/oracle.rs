//! Answers by search, against whole tables; opponents; the cache.

use std::{path::Path, time::Duration};

use game::{Game, Numbered, Turn};
use kalah::{Kalah, Position, Rules, Sheets};
use kalah_answers::{AnswerError, Effort, Event, Opponent, Oracle, Place, open_table};
use solver::{
    Next, mix,
    search::Between,
    table::{BuildLimits, Directory, build},
};

fn silent() -> impl FnMut(&Event) -> Next {
    |_| Next::Continue
}

fn effort(cache: &Path) -> Effort {
    Effort { time: None, cache: Some(cache.to_owned()) }
}

fn built(pits: usize, seeds: u32, rules: Rules, directory: &Path) {
    let sheets = Sheets::new(pits, seeds, rules).expect("a size");
    let place = Directory::new(directory);
    build(&sheets, &place, &BuildLimits::default(), &mut |_| Next::Continue).expect("a table");
}

/// Every position of a whole table, and the same by search down to a small one.
#[test]
fn a_search_says_what_a_table_of_the_whole_game_says() {
    for (pits, seeds, floor) in [(1, 9, 2), (2, 7, 3), (3, 6, 3)] {
        for rules in Rules::ALL {
            let directory = tempfile::tempdir().expect("a directory");
            let (whole, small) = (directory.path().join("whole"), directory.path().join("small"));
            built(pits, seeds, rules, &whole);
            built(pits, floor, rules, &small);
            let mut table = open_table(&whole, 1 << 20).expect("a table");
            let place = Place::Table(small);
            let mut oracle =
                Oracle::open(Some(&place), None, effort(directory.path())).expect("a table");
            let kalah = *table.numbered().game();
            let mut positions = 0;
            for position in all_positions(pits, seeds) {
                let expected = table.verdict(&position).expect("a table").expect("a position");
                let answer = oracle.answer(&position, &mut silent()).expect("an answer");
                assert_eq!(answer.between, Between::exactly(expected.score), "{position}");
                assert_eq!(answer.best, expected.best, "{position}");
                for choice in oracle.moves(&position, &mut silent()).expect("moves") {
                    let after = table.value(&choice.edge.to).expect("a table").expect("a value");
                    let worth = choice.between.value().map(|value| i32::from(value.0));
                    assert_eq!(worth, Some(choice.edge.worth(after)), "{position}");
                }
                if let Some(mv) = oracle.reply(&position, &mut silent()).expect("a reply") {
                    let mut worth = None;
                    kalah.edges(&position, |edge| {
                        if edge.mv == mv {
                            let after = table.value(&edge.to).expect("a table").expect("a value");
                            worth = Some(edge.worth(after));
                        }
                    });
                    assert_eq!(worth, Some(i32::from(expected.score.0)), "{position}: {mv:?}");
                }
                positions += 1;
            }
            assert!(positions > 50, "{positions} positions");
        }
    }
}

/// All positions with at most so many seeds in play.
fn all_positions(pits: usize, seeds: u32) -> Vec<Position> {
    let mut layouts = vec![Vec::new()];
    for _ in 0..2 * pits {
        let longer = |layout: &Vec<u8>| {
            let left = seeds as u8 - layout.iter().sum::<u8>();
            let layout = layout.clone();
            (0..=left).map(move |pit| [&layout[..], &[pit]].concat()).collect::<Vec<_>>()
        };
        layouts = layouts.iter().flat_map(longer).collect();
    }
    let side = |pits: &[u8]| kalah::Side::new(pits).expect("a side");
    let position = |layout: &Vec<u8>| {
        Position::new(side(&layout[..pits]), side(&layout[pits..])).expect("a position")
    };
    layouts.iter().map(position).collect()
}

#[test]
fn a_table_is_built_once_after_its_cost_was_told() {
    let cache = tempfile::tempdir().expect("a directory");
    let start = Kalah::new(3, 4, Rules::EMPTY_MOVER).expect("a size").start();
    let mut said = Vec::new();
    for _ in 0..2 {
        let rules = Some(Rules::EMPTY_MOVER);
        let mut oracle = Oracle::open(None, rules, effort(cache.path())).expect("nothing to open");
        let answer = oracle.answer(&start, &mut |event: &Event| {
            said.push(event.clone());
            Next::Continue
        });
        assert!(answer.expect("an answer").between.value().is_some());
    }
    let costs: Vec<_> = said.iter().filter(|event| matches!(event, Event::Building(_))).collect();
    let [Event::Building(cost)] = costs[..] else { panic!("told {} times", costs.len()) };
    assert!(matches!(said[0], Event::Building(_)), "the cost comes first");
    assert_eq!((cost.pits, cost.seeds, cost.positions), (3, 24, 593_775));
    assert!(cost.directory.starts_with(cache.path()) && cost.directory.join("manifest").exists());
}

#[test]
fn a_question_without_time_is_answered_with_bounds_and_a_move() {
    let directory = tempfile::tempdir().expect("a directory");
    let table = directory.path().join("table");
    built(6, 2, Rules::STD_EITHER, &table);
    let effort = Effort { time: Some(Duration::ZERO), cache: None };
    let mut oracle = Oracle::open(Some(&Place::Table(table)), None, effort).expect("a table");
    let kalah = Kalah::new(6, 4, Rules::STD_EITHER).expect("a size");
    let answer = oracle.answer(&kalah.start(), &mut silent()).expect("an answer");
    let Between { least, most } = answer.between;
    assert!(least < most && least.0 <= 8 && 8 <= most.0, "the value is 8, not {least} to {most}");
    assert!(
        kalah.moves(&kalah.start()).any(|pit| Some(pit.number()) == answer.best.map(|mv| mv.0))
    );
    for choice in oracle.moves(&kalah.start(), &mut silent()).expect("moves") {
        assert!(choice.between.least <= choice.between.most);
    }
    let line = oracle.line(&kalah.start(), &mut silent());
    assert!(matches!(line, Err(AnswerError::Undecided { .. })), "{line:?}");
}

#[test]
fn the_time_of_a_question_begins_when_the_table_is_ready() {
    let cache = tempfile::tempdir().expect("a directory");
    let time = Duration::from_secs(4);
    let effort = Effort { time: Some(time), cache: Some(cache.path().to_owned()) };
    let mut oracle = Oracle::open(None, None, effort).expect("nothing to open");
    let start = Kalah::new(4, 6, Rules::STD_EITHER).expect("a size").start();
    let mut looked_at = 0;
    let mut slow = |event: &Event| {
        match event {
            Event::Building(_) => std::thread::sleep(time),
            Event::Built(..) => {}
            Event::Searching(_) => looked_at += 1,
        }
        Next::Continue
    };
    let value = oracle.value(&start, &mut slow).expect("a value");
    assert!(value.value().is_some(), "{value:?}");
    let choices = oracle.moves(&start, &mut slow).expect("moves");
    assert_eq!(choices.iter().map(|choice| choice.between.most).max(), Some(value.most));
    assert!(looked_at > 0, "the search was too short to see the time");
}

#[test]
fn whoever_watches_can_stop_before_anything_is_written() {
    let cache = tempfile::tempdir().expect("a directory");
    let start = Kalah::new(6, 4, Rules::STD_EITHER).expect("a size").start();
    let mut oracle = Oracle::open(None, None, effort(cache.path())).expect("nothing to open");
    let stopped = oracle.answer(&start, &mut |_: &Event| Next::Stop);
    assert!(matches!(stopped, Err(AnswerError::Table(_))), "{stopped:?}");
    assert_eq!(cache.path().read_dir().expect("a directory").count(), 0);
}

/// Plays games and returns, for the opponent that is judged, how often it gave value away.
fn mistakes(kalah: &Kalah, judged: Opponent, against: Opponent, games: u64, cache: &Path) -> usize {
    let rules = Some(kalah.rules());
    let mut oracle = Oracle::open(None, rules, effort(cache)).expect("nothing to open");
    let mut mistakes = 0;
    for game in 0..games {
        let (mut position, mut is_judged) = (kalah.start(), game % 2 == 0);
        let mut before = 0;
        while kalah.outcome(&position).is_none() {
            let player = if is_judged { judged } else { against };
            let chosen = player.choose(&mut oracle, &position, mix(game), before, &mut silent());
            let mv = chosen.expect("a source").expect("a move");
            let mut made = None;
            kalah.edges(&position, |edge| {
                if edge.mv == mv {
                    made = Some(edge);
                }
            });
            let edge = made.expect("a legal move");
            if is_judged {
                let mut value =
                    |at: &Position| oracle.answer(at, &mut silent()).expect("an answer").between;
                let whole = value(&position).value().expect("a value");
                let after = value(&edge.to).value().expect("a value");
                mistakes += usize::from(edge.worth(after) < i32::from(whole.0));
            }
            if edge.turn == Turn::Passes {
                is_judged = !is_judged;
            }
            position = edge.to;
            before += 1;
        }
    }
    mistakes
}

#[test]
fn perfect_never_gives_value_away_and_the_others_do() {
    let cache = tempfile::tempdir().expect("a directory");
    for (pits, seeds) in [(3, 3), (2, 6)] {
        for rules in [Rules::STD_EITHER, Rules::EMPTY_MOVER] {
            let kalah = Kalah::new(pits, seeds, rules).expect("a size");
            let random = Opponent::Random;
            assert_eq!(mistakes(&kalah, Opponent::Perfect, random, 6, cache.path()), 0);
            assert_eq!(mistakes(&kalah, "casual=0".parse().unwrap(), random, 4, cache.path()), 0);
            assert!(mistakes(&kalah, "casual=60".parse().unwrap(), random, 6, cache.path()) > 0);
            assert!(mistakes(&kalah, random, random, 6, cache.path()) > 0);
        }
    }
}

#[test]
fn perfect_never_gives_value_away_in_the_usual_game() {
    if std::env::var("EVERYPLY_SLOW").is_err() {
        println!("not run without EVERYPLY_SLOW=1");
        return;
    }
    let games = [
        (Rules::STD_EITHER, 8, 20),
        (Rules::EMPTY_EITHER, 10, 20),
        (Rules::STD_MOVER, 8, 4),
        (Rules::EMPTY_MOVER, 10, 4),
    ];
    for (rules, value, games) in games {
        let cache = tempfile::tempdir().expect("a directory");
        let kalah = Kalah::new(6, 4, rules).expect("a size");
        let mut oracle = Oracle::open(None, Some(rules), effort(cache.path())).expect("no place");
        let found = oracle.answer(&kalah.start(), &mut silent()).expect("an answer").between;
        assert_eq!(found, Between::exactly(game::Score(value)), "{rules}");
        drop(oracle);
        let given = mistakes(&kalah, Opponent::Perfect, Opponent::Random, games, cache.path());
        assert_eq!(given, 0, "{rules}");
        println!("{rules}: {value:+}, perfect gave nothing away in {games} games");
    }
}

#[test]
fn names_of_opponents_are_read_as_they_are_written() {
    for text in ["perfect", "good=8", "casual=30", "random"] {
        assert_eq!(text.parse::<Opponent>().expect(text).to_string(), text);
    }
    for text in ["", "god", "good=0", "good=17", "good=x", "casual=101", "casual=-1", "perfect=1"] {
        let error = text.parse::<Opponent>().expect_err(text).to_string();
        assert!(error.contains("is not an opponent, expected perfect"), "{error}");
    }
}
