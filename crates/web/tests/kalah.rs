//! Every route of Kalah gives what the library gives.

mod client;

use std::path::Path;

use client::Page;
use game::{Game, Turn};
use kalah::{Kalah, Rules, Standing};
use kalah_answers::{Answers, Effort, Opponent, Oracle, Place, Solved};
use serde_json::{Value, json};
use solver::{Access, Header, Limits, Next};
use web::Config;

/// Solves a game into an SQLite file.
fn solve_into(path: &Path, kalah: &Kalah) {
    let url = format!("sqlite:{}", path.display());
    let mut store = stores::open(&url, Access::Create(Header::of(kalah))).unwrap();
    solver::solve(kalah, &mut *store, &Limits::default(), &mut |_| Next::Continue).unwrap();
}

fn opened(path: &Path) -> Answers {
    Answers::open(&Place::Store(format!("sqlite:{}", path.display())), None, 1 << 20).unwrap()
}

/// A page with a solved game of three pits and three seeds.
fn page() -> (tempfile::TempDir, Page, Answers) {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("k33.sqlite");
    solve_into(&path, &Kalah::new(3, 3, Rules::STD_EITHER).unwrap());
    let page = Page::of(root.path());
    (root, page, opened(&path))
}

/// Checks one answer against the library: the position of every ply and the values of the moves.
fn compare(answer: &Value, answers: &mut Answers, moves: &[u16]) {
    let kalah = answers.kalah();
    let mut position = kalah.start();
    let (mut mover, mut stores) = (0, [0_u32, 0]);
    for ply in 0..=moves.len() {
        let shown = &answer["plies"][ply];
        let standing = Standing { position, stores: Some((stores[mover], stores[1 - mover])) };
        assert_eq!(shown["position"], standing.to_string());
        assert_eq!((&shown["mover"], &shown["stores"]), (&json!(mover), &json!(stores)));
        let sign = if mover == 0 { 1 } else { -1 };
        let lead = stores[0] as i32 - stores[1] as i32;
        let value = i32::from(answers.verdict(&position).unwrap().score.0);
        assert_eq!(shown["lead"], lead + sign * value);
        let Some(&mv) = moves.get(ply) else { break };
        let pit = kalah.pit(mv).unwrap();
        let sown = kalah.sow(&position, pit);
        let played = &answer["history"][ply];
        assert_eq!((&played["player"], &played["pit"]), (&json!(mover), &json!(mv)));
        assert_eq!(played["why"], sown.why());
        let worth = answers.moves(&position).unwrap();
        let best = worth.iter().map(|worth| worth.value.0).max().unwrap();
        let this = worth.iter().find(|worth| worth.edge.mv.0 == mv).unwrap().value.0;
        assert_eq!(played["gave"], best - this);
        assert_eq!(played["path"].as_array().unwrap().len(), kalah.path(&position, pit).len());
        stores[mover] += sown.gain;
        mover = if sown.turn == Turn::Keeps { mover } else { 1 - mover };
        position = sown.to;
    }
    let worth = answers.moves(&position).unwrap();
    let shown = answer["moves"].as_array().unwrap();
    assert_eq!(shown.len(), worth.len());
    let best = worth.iter().map(|worth| worth.value).max();
    for (shown, worth) in shown.iter().zip(&worth) {
        let lead = stores[mover] as i32 - stores[1 - mover] as i32 + i32::from(worth.value.0);
        assert_eq!((&shown["pit"], &shown["lead"]), (&json!(worth.edge.mv.0), &json!(lead)));
        assert_eq!(shown["best"], Some(worth.value) == best);
        let words = match lead {
            0 => "draws".to_owned(),
            1.. => format!("wins by {lead}"),
            _ => format!("loses by {}", -lead),
        };
        assert_eq!(shown["words"], words);
    }
}

#[test]
fn a_game_has_the_values_of_its_store() {
    let (_root, page, mut answers) = page();
    let mut moves: Vec<u16> = Vec::new();
    let mut state = 1_u64;
    loop {
        let body = json!({ "store": "k33.sqlite", "moves": moves });
        let answer = page.post("/api/kalah/game", &body).good();
        assert_eq!(answer["unknown"], Value::Null);
        compare(&answer, &mut answers, &moves);
        let legal = answer["moves"].as_array().unwrap();
        if legal.is_empty() {
            assert!(answer["plies"][moves.len()]["over"]["text"].is_string());
            break;
        }
        state = solver::mix(state);
        moves.push(legal[state as usize % legal.len()]["pit"].as_u64().unwrap() as u16);
    }
    assert!(moves.len() > 3);
}

#[test]
fn a_perfect_opponent_never_gives_value_away() {
    let (_root, page, mut answers) = page();
    for seed in 0..6 {
        let mut moves: Vec<u16> = Vec::new();
        loop {
            let shown =
                page.post("/api/kalah/game", &json!({ "store": "k33.sqlite", "moves": moves }));
            let shown = shown.good();
            if shown["moves"].as_array().unwrap().is_empty() {
                for played in shown["history"].as_array().unwrap() {
                    assert!(played["player"] == 0 || played["gave"] == 0, "{played}");
                }
                break;
            }
            let player =
                if shown["plies"][moves.len()]["mover"] == 0 { "random" } else { "perfect" };
            let body = json!({
                "store": "k33.sqlite", "moves": moves, "player": player, "seed": seed.to_string(),
            });
            let reply = page.post("/api/kalah/reply", &body).good();
            assert_eq!(page.post("/api/kalah/reply", &body).good(), reply, "the same every time");
            moves.push(reply["pit"].as_u64().unwrap() as u16);
        }
    }
    // Skill is the share of best moves: all of them at 100, any at 0.
    let start = answers.kalah().start();
    let best = answers.verdict(&start).unwrap().score;
    let mut seen = [Vec::new(), Vec::new()];
    for (place, skill) in [(0, 100), (1, 0)] {
        for seed in 0..40 {
            let body = json!({
                "store": "k33.sqlite", "player": "skill", "skill": skill, "seed": seed.to_string(),
            });
            seen[place].push(page.post("/api/kalah/reply", &body).good()["pit"].as_u64().unwrap());
        }
    }
    let worth = answers.moves(&start).unwrap();
    let is_best = |pit: &u64| {
        worth.iter().any(|worth| u64::from(worth.edge.mv.0) == *pit && worth.value == best)
    };
    assert!(seen[0].iter().all(is_best));
    assert!(!seen[1].iter().all(is_best));
}

#[test]
fn a_position_outside_the_store_is_said_to_be_so() {
    let (_root, page, _) = page();
    let body = json!({ "store": "k33.sqlite", "start": "9,0,0/9,0,0" });
    let answer = page.post("/api/kalah/game", &body).good();
    let unknown = answer["unknown"].as_str().unwrap();
    assert_eq!(unknown, "9,0,0/9,0,0 cannot be reached in kalah pits=3 seeds=3 rules=std_either");
    assert_eq!(answer["plies"][0]["lead"], Value::Null);
    assert!(answer["moves"].as_array().unwrap().iter().all(|mv| mv["best"] == false));
    // Without a store the usual game can be played, without values.
    let answer = page.post("/api/kalah/game", &json!({ "moves": [3, 6] })).good();
    assert_eq!((&answer["pits"], &answer["seeds"]), (&json!(6), &json!(48)));
    assert_eq!(answer["plies"][2]["position"], "5,5,5,5,4,4/4,4,0,5,5,0/0-2");
}

#[test]
fn small_games_are_solved_here_and_kept() {
    let root = tempfile::tempdir().unwrap();
    let page = Page::of(root.path());
    let cost = page.json("/api/kalah/cost?size=3x2&rules=empty_either");
    assert_eq!(cost["small"], true);
    let store = cost["store"].as_str().unwrap().to_owned();
    let ask = json!({ "store": store });
    assert_eq!(page.post("/api/kalah/game", &ask).refused(404), "this game is not solved here yet");
    let lines = page.post("/api/kalah/solve", &ask).lines();
    assert_eq!(lines.last(), Some(&json!({ "done": true })));
    let kalah = Kalah::new(3, 2, Rules::EMPTY_EITHER).unwrap();
    let mut memory = solver::Memory::new(Header::of(&kalah));
    let solved =
        solver::solve(&kalah, &mut memory, &Limits::default(), &mut |_| Next::Continue).unwrap();
    let said = &lines[lines.len() - 2];
    assert_eq!(
        (&said["positions"], &said["value"]),
        (&json!(solved.positions), &json!(solved.verdict.score.0))
    );
    let mut answers = Answers::Solved(Solved { kalah, store: Box::new(memory) });
    compare(&page.post("/api/kalah/game", &ask).good(), &mut answers, &[]);
    let places = page.json("/api/kalah/places");
    assert_eq!(places["places"][0]["name"], store);
    // Any start can be solved.
    let cost = page.json("/api/kalah/cost?size=0,1,2/2,1,0");
    let ask = json!({ "store": cost["store"] });
    assert_eq!(page.post("/api/kalah/solve", &ask).lines().last(), Some(&json!({ "done": true })));
    assert_eq!(
        page.post("/api/kalah/game", &ask).good()["plies"][0]["position"],
        "0,1,2/2,1,0/0-0"
    );
    // What is too large is not begun.
    assert_eq!(page.json("/api/kalah/cost?size=6x4")["small"], false);
    let refused = page.post("/api/kalah/solve", &json!({ "store": "solved:6x4:std_either" }));
    assert!(refused.refused(400).ends_with("is too large to be solved here"));
}

/// A page without stores, whose tables are built in a directory of its own.
fn searching_page() -> (tempfile::TempDir, tempfile::TempDir, Page) {
    let (root, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let config = Config { cache: Some(cache.path().to_owned()), ..Config::new(root.path()) };
    (root, cache, Page::with(config))
}

#[test]
fn values_without_a_store_are_searched() {
    let (_root, cache, page) = searching_page();
    for (rules, seed) in [(Rules::STD_EITHER, 1_u64), (Rules::EMPTY_MOVER, 2)] {
        let kalah = Kalah::new(3, 3, rules).unwrap();
        let mut memory = solver::Memory::new(Header::of(&kalah));
        solver::solve(&kalah, &mut memory, &Limits::default(), &mut |_| Next::Continue).unwrap();
        let mut answers = Answers::Solved(Solved { kalah, store: Box::new(memory) });
        let effort = Effort { time: None, cache: Some(cache.path().to_owned()) };
        let mut oracle = Oracle::open(None, Some(rules), effort).unwrap();
        let (mut moves, mut position) = (Vec::<u16>::new(), kalah.start());
        loop {
            let mut body = json!({
                "store": "search:", "rules": rules.name(), "start": "3x3", "moves": moves,
            });
            let lines = page.post("/api/kalah/search", &body).lines();
            let (done, lines) = lines.split_last().unwrap();
            assert_eq!(*done, json!({ "done": true }));
            let game = &lines.last().unwrap()["game"];
            compare(game, &mut answers, &moves);
            assert_eq!(page.post("/api/kalah/game", &body).good(), *game, "it is remembered");
            let Some(shown) = game["moves"].as_array().filter(|moves| !moves.is_empty()) else {
                break;
            };
            let mut reply = |player: &str| {
                body["opponent"] = json!({ "player": player, "seed": seed.to_string() });
                let lines = page.post("/api/kalah/search", &body).lines();
                lines[lines.len() - 2]["pit"].as_u64().unwrap() as u16
            };
            let perfect = reply("perfect");
            assert!(shown.iter().any(|mv| mv["pit"] == perfect && mv["best"] == true));
            let mut silent = |_: &kalah_answers::Event| Next::Continue;
            let any =
                Opponent::Random.choose(&mut oracle, &position, seed, moves.len(), &mut silent);
            let any = any.unwrap().unwrap().0;
            assert_eq!(reply("random"), any);
            position = kalah.sow(&position, kalah.pit(any).unwrap()).to;
            moves.push(any);
        }
        assert!(moves.len() > 3);
    }
}

#[test]
fn a_large_table_is_built_only_for_those_who_know_its_cost() {
    let (_root, cache, page) = searching_page();
    let body = json!({ "store": "search:", "start": "6x4" });
    let before = page.post("/api/kalah/game", &body).good();
    assert_eq!((&before["plies"][0]["lead"], &before["unknown"]), (&Value::Null, &Value::Null));
    let lines = page.post("/api/kalah/search", &body).lines();
    let [needs, done] = &lines[..] else { panic!("{lines:?}") };
    let said = needs["needs"].as_str().unwrap();
    let expected = "a table of all positions with up to 22 seeds: 548,354,040 positions, about 220 \
                    MB on disk and ";
    assert!(said.starts_with(expected), "{said}");
    assert_eq!(*done, json!({ "done": true }));
    assert_eq!(cache.path().read_dir().unwrap().count(), 0, "nothing is written");
}

#[test]
fn the_directory_of_tables_is_never_named() {
    let root = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::NamedTempFile::new().unwrap();
    let config = Config { cache: Some(elsewhere.path().to_owned()), ..Config::new(root.path()) };
    let page = Page::with(config);
    let lines =
        page.post("/api/kalah/search", &json!({ "store": "search:", "start": "3x3" })).lines();
    let error = lines.last().unwrap()["error"].as_str().expect("a file is no directory");
    assert!(!error.contains(elsewhere.path().to_str().unwrap()), "{error}");
    assert!(error.contains("the cache"), "{error}");
}

#[test]
fn places_are_those_of_the_command_and_of_the_root() {
    let root = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let kalah = Kalah::new(2, 2, Rules::STD_EITHER).unwrap();
    solve_into(&root.path().join("k22.sqlite"), &kalah);
    let outside = elsewhere.path().join("k22.sqlite");
    solve_into(&outside, &kalah);
    std::fs::write(root.path().join("bad.sqlite"), "no database").unwrap();
    let url = format!("sqlite:{}", outside.display());
    let page = Page::with(Config { stores: vec![url.clone()], ..Config::new(root.path()) });
    let places = page.json("/api/kalah/places");
    let names: Vec<&str> = places["places"]
        .as_array()
        .unwrap()
        .iter()
        .map(|place| place["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, [&stores::shown(&url), "bad.sqlite", "k22.sqlite"]);
    for name in [names[0], "k22.sqlite"] {
        let answer = page.post("/api/kalah/game", &json!({ "store": name })).good();
        assert_eq!(answer["game"], kalah.name());
    }
    let refused = page.post("/api/kalah/game", &json!({ "store": "bad.sqlite" })).refused(400);
    let hidden = root.path().canonicalize().unwrap();
    assert!(!refused.contains(hidden.to_str().unwrap()), "{refused}");
    for name in ["../k22.sqlite", "/etc/passwd", "none.sqlite", "postgres://host/db", "file:/etc"] {
        let refused = page.post("/api/kalah/game", &json!({ "store": name })).refused(404);
        assert_eq!(refused, format!("there is no file {name:?} below the root"));
    }
}

#[test]
fn a_password_in_a_url_is_never_shown() {
    let root = tempfile::tempdir().unwrap();
    let url = "postgres://me:tiger5@127.0.0.1:1/games".to_owned();
    let page = Page::with(Config { stores: vec![url], ..Config::new(root.path()) });
    let places = page.json("/api/kalah/places");
    let name = places["places"][0]["name"].as_str().unwrap().to_owned();
    let said = page.post("/api/kalah/game", &json!({ "store": name })).refused(400);
    assert!(!places.to_string().contains("tiger5") && !said.contains("tiger5"), "{said}");
}

#[test]
fn records_are_read_back_and_bad_ones_refused() {
    let (_root, page, _) = page();
    let read = |text: &str| page.post("/api/kalah/record", &json!({ "text": text }));
    let good = read("# mine\nrules empty_either\nstart 3,3,3/3,3,3/1-0\nmoves 1+2 3\n").good();
    assert_eq!(
        good,
        json!({ "rules": "empty_either", "start": "3,3,3/3,3,3/1-0", "moves": [1, 2, 3] })
    );
    assert_eq!(read("start 4x3").good()["start"], "3,3,3,3/3,3,3,3");
    for (text, said) in [
        ("", "the record has no line 'start'"),
        ("begin 1", "line 1: expected rules, start or moves, found 'begin'"),
        ("start 4x3\nstart 4x3", "line 2: start is given twice"),
        ("start 4x3\nmoves 1 x", "moves: 'x' is not the number of a pit"),
        ("start 4x3\nmoves 9", "move 1: pit 9 cannot be sown"),
        ("start 4x3\nrules mine", "unknown rules 'mine'"),
        ("start 1,2", "'1,2' does not have two sides"),
        ("start 4x", "'4x' is not a size such as 4x3"),
        ("start 9x1", "9 pits on a side, expected 1 to 8"),
    ] {
        let refused = read(text).refused(400);
        assert!(refused.starts_with(said), "{text}: {refused}");
    }
    let refused = page.post("/api/kalah/game", &json!({ "moves": [3, 3] })).refused(400);
    assert_eq!(refused, "move 2: pit 3 cannot be sown");
}
