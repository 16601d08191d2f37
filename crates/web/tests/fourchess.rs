//! The routes of four-player chess against the library's own answers.

mod client;

use std::{
    fs,
    io::{Read, Write},
};

use client::Page;
use fourchess::{
    Ending, Game, Position, Random, Rules, Seat, Setup, Status,
    drawing::{animated_svg, frames},
    pgn::{Exit, Ply, Reader, Record},
};
use fourchess_env::{Player, SelfPlay};
use fourchess_learned::Network;
use serde_json::{Value, json};
use tempfile::TempDir;

const GAMES: &str = "\
[Variant \"FFA\"]
[Red \"Ann\"]
[Blue \"Ben \\ Co\"]
[Date \"2026.11.16\"]

{ a start } 1. h2-h4 { bold } ( 1.. h2-h3 { calm } .. b7-c7 ) .. b7-c7 .. g13-g12 .. m8-l8
2. Qg1-j4 .. c7-d7 .. Kg14-g13R .. l8-k8

[Variant \"FFA\"]

1. h2-h9

[Variant \"Teams\"]

1. h2-h4 .. R
";

fn page() -> (Page, TempDir) {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("games.pgn4"), GAMES).unwrap();
    (Page::of(root.path()), root)
}

/// A query that holds any text.
fn query(pairs: &[(&str, &str)]) -> String {
    let escaped = |text: &str| -> String {
        text.bytes()
            .map(|byte| match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
                _ => format!("%{byte:02X}"),
            })
            .collect()
    };
    let pairs: Vec<String> =
        pairs.iter().map(|(name, value)| format!("{name}={}", escaped(value))).collect();
    pairs.join("&")
}

/// Compares a position of an answer with the game.
#[track_caller]
fn check_state(shown: &Value, game: &Game) {
    let (position, rules) = (game.position(), game.rules());
    assert_eq!(shown["fen4"], position.fen(rules).to_string());
    assert_eq!(shown["points"], json!(position.points()));
    assert_eq!(shown["places"], json!(game.places()));
    assert_eq!(shown["quiet"], position.quiet());
    let status = Seat::ALL.map(|seat| match position.status(seat) {
        Status::Active => "plays",
        Status::Walking => "walks",
        Status::Out => "out",
    });
    assert_eq!(shown["status"], json!(status));
    let turn = game.ending().is_none().then(|| position.turn().name());
    assert_eq!(shown["turn"], json!(turn));
    assert_eq!(shown["ending"]["name"], json!(game.ending().map(Ending::name)));
    let checked = Seat::ALL.into_iter().filter(|seat| position.in_check(*seat, rules));
    let checked: Vec<&str> = checked.map(Seat::name).collect();
    let said: Vec<&str> =
        shown["checks"].as_array().unwrap().iter().map(|it| it["seat"].as_str().unwrap()).collect();
    assert_eq!(said, checked);
}

/// Compares the legal moves of an answer with those of the game.
#[track_caller]
fn check_moves(shown: &Value, game: &Game) {
    let mut said: Vec<(String, String, String)> = Vec::new();
    for (from, moves) in shown.as_object().unwrap() {
        for mv in moves.as_array().unwrap() {
            let text = |name: &str| mv[name].as_str().unwrap().to_owned();
            said.push((from.clone(), text("to"), text("text")));
        }
    }
    let mut expected: Vec<(String, String, String)> = game
        .moves()
        .iter()
        .map(|&mv| (mv.from.to_string(), mv.to.to_string(), game.move_text(mv)))
        .collect();
    said.sort();
    expected.sort();
    assert_eq!(said, expected);
}

/// Compares a ply of an answer with what happens in the game, and lets it happen.
#[track_caller]
fn check_ply(shown: &Value, game: &mut Game, ply: Ply) {
    let says: Vec<String> = game.consequences(ply).iter().map(ToString::to_string).collect();
    assert_eq!(shown["says"], json!(says));
    match ply {
        Ply::Move(mv) => {
            assert_eq!(shown["seat"], game.position().turn().name());
            assert_eq!(shown["text"], game.move_text(mv));
            assert_eq!(
                (&shown["from"], &shown["to"]),
                (&json!(mv.from.to_string()), &json!(mv.to.to_string()))
            );
        }
        Ply::Leave { seat, exit } => {
            assert_eq!(shown["seat"], seat.name());
            assert_eq!(shown["text"], exit.letter().to_string());
        }
    }
    assert!(game.apply(ply));
    check_state(shown, game);
}

fn code(shown: &Value) -> &str {
    shown["code"].as_str().unwrap()
}

#[test]
fn positions_have_the_moves_checks_and_seats_of_the_library() {
    let (page, _root) = page();
    for rules in Rules::PRESETS {
        let asked = query(&[("rules", rules.name)]);
        let shown = page.json(&format!("/api/fourchess/position?{asked}"));
        let game = Game::new(rules);
        check_state(&shown, &game);
        check_moves(&shown["moves"], &game);
        let mut game = Game::new(rules);
        let mut random = Random::new(7);
        for ply in 0..400 {
            if game.ending().is_some() {
                break;
            }
            game.play(game.moves()[random.below(game.moves().len())]).unwrap();
            if ply % 20 == 0 && game.ending().is_none() {
                let fen = game.position().fen(rules).to_string();
                let asked = query(&[("rules", rules.name), ("fen4", &fen)]);
                let shown = page.json(&format!("/api/fourchess/position?{asked}"));
                let read = Game::from_position(Position::from_fen(&fen, rules).unwrap(), rules);
                check_state(&shown, &read);
                check_moves(&shown["moves"], &game);
                for check in shown["checks"].as_array().unwrap() {
                    let king = check["king"].as_str().unwrap().parse().unwrap();
                    let seat = Seat::ALL.into_iter().find(|seat| seat.name() == check["seat"]);
                    let by: Vec<String> = game
                        .position()
                        .attackers(king, seat.unwrap(), rules)
                        .into_iter()
                        .map(|square| square.to_string())
                        .collect();
                    assert_eq!(check["by"], json!(by));
                }
            }
        }
    }
}

#[test]
fn every_setup_and_every_changed_rule_is_shown() {
    let (page, _root) = page();
    for setup in Setup::ALL {
        let words = format!("ffa setup={}", setup.name());
        let asked = query(&[("rules", &words)]);
        let rules = Rules { setup, ..Rules::FFA };
        check_state(&page.json(&format!("/api/fourchess/position?{asked}")), &Game::new(&rules));
    }
    let shown =
        page.json(&format!("/api/fourchess/rules?{}", query(&[("rules", "jax castling=true")])));
    assert_eq!(shown["words"], "jax castling=true");
    assert_eq!(shown["edges"], json!(["south", "east", "north", "west"]));
    assert_eq!(shown["players"], json!(["random", "greedy", "learned"]));
    let presets: Vec<&str> = shown["presets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(presets, ["ffa", "teams", "jax"]);
    let said = shown["sentences"].as_array().unwrap();
    assert!(said.contains(&json!("Castling; no en passant.")), "{said:?}");
    assert!(said.contains(&json!("The game is cut off after 500 plies.")), "{said:?}");
    let teams = page.json("/api/fourchess/rules?rules=teams");
    assert_eq!(teams["pairs"], true);
}

#[test]
fn plies_are_played_as_the_library_plays_them_to_the_end() {
    let (page, _root) = page();
    for (rules, seed) in [(&Rules::FFA, 1), (&Rules::TEAMS, 2), (&Rules::JAX, 3)] {
        let mut game = Game::new(rules);
        let mut random = Random::new(seed);
        let mut line = String::new();
        while game.ending().is_none() && line.len() < 3 * 150 {
            let mv = game.moves()[random.below(game.moves().len())];
            let text = game.move_text(mv);
            let asked = json!({ "rules": rules.name, "line": line, "move": text });
            let shown = page.post("/api/fourchess/play", &asked).good();
            check_ply(&shown, &mut game, Ply::Move(mv));
            check_moves(&shown["moves"], &game);
            line += code(&shown);
        }
        // Somebody leaves, on turn or not.
        if game.ending().is_none() {
            let seat =
                Seat::ALL.into_iter().find(|seat| game.position().status(*seat) == Status::Active);
            let seat = seat.unwrap();
            let asked = json!({ "rules": rules.name, "line": line, "leave": seat.name() });
            let shown = page.post("/api/fourchess/play", &asked).good();
            check_ply(&shown, &mut game, Ply::Leave { seat, exit: Exit::Resigns });
            line += code(&shown);
        }
        // The whole line is the same game.
        let shown =
            page.post("/api/fourchess/game", &json!({ "rules": rules.name, "line": line })).good();
        assert_eq!(shown["plies"].as_array().unwrap().len() * 3, line.len());
        check_state(shown["plies"].as_array().unwrap().last().unwrap(), &game);
        assert_eq!(shown["fen4"], "");
    }
}

#[test]
fn repetitions_count_since_the_start_of_the_line() {
    let (page, _root) = page();
    let mut line = String::new();
    let shuttle =
        ["Nj1-i3", "Na10-c9", "Ne14-f12", "Nn5-l6", "Ni3-j1", "Nc9-a10", "Nf12-e14", "Nl6-n5"];
    let mut last = Value::Null;
    for text in shuttle.iter().cycle().take(16) {
        last = page.post("/api/fourchess/play", &json!({ "line": line, "move": text })).good();
        line += code(&last);
    }
    assert_eq!(last["ending"]["name"], "repetition");
    assert_eq!(last["points"], json!([10, 10, 10, 10]));
    assert_eq!(last["moves"], json!({}));
    let refused = page.post("/api/fourchess/play", &json!({ "line": line, "move": "h2-h3" }));
    assert_eq!(refused.refused(400), "the game is over");
}

#[test]
fn games_of_texts_and_files_have_tags_comments_and_variations() {
    let (page, _root) = page();
    let from_text = page.post_text("/api/fourchess/read", GAMES).good();
    let from_file = page.json("/api/fourchess/game?file=games.pgn4");
    assert_eq!(from_text["plies"], from_file["plies"]);
    let record = Reader::new(GAMES.as_bytes()).next().unwrap().unwrap();
    let mut game = Game::from_position(*record.start(), record.rules());
    check_state(&from_text["start"], &game);
    let plies = from_text["plies"].as_array().unwrap();
    assert_eq!(plies.len(), record.plies().count());
    for (shown, ply) in plies.iter().zip(record.plies()) {
        check_ply(shown, &mut game, ply);
    }
    assert_eq!(from_text["comment"], "a start");
    assert_eq!(plies[0]["comment"], "bold");
    let variation = &plies[0]["variations"][0];
    assert_eq!(variation["text"], "h2-h3 b7-c7");
    let line = &variation["line"];
    let shown = page.post("/api/fourchess/game", &json!({ "line": line })).good();
    assert_eq!(shown["plies"][1]["text"], "b7-c7");
    assert!(from_text["tags"].as_array().unwrap().contains(&json!(["Red", "Ann"])));
    let games = from_text["games"].as_array().unwrap();
    assert_eq!(games.len(), 3);
    assert_eq!(games[0]["players"], json!(["Ann", "Ben \\ Co", null, null]));
    let error = games[1]["error"].as_str().unwrap();
    assert_eq!(error, "PGN4: game 2, line 11: h2-h9 is not a legal move here (move 1 of Red)");
    let third = page.json("/api/fourchess/game?file=games.pgn4&number=3");
    assert_eq!(third["rules"]["name"], "teams");
    assert_eq!(third["plies"][1]["ending"]["name"], "departure");
    let bad = page.get("/api/fourchess/game?file=games.pgn4&number=2").refused(400);
    assert!(bad.contains("h2-h9 is not a legal move here"), "{bad}");
    let none = page.get("/api/fourchess/game?file=games.pgn4&number=4").refused(404);
    assert_eq!(none, "games.pgn4: there is no game 4: it has 3");
}

#[test]
fn built_in_players_choose_as_they_do_elsewhere() {
    let (page, _root) = page();
    for rules in Rules::PRESETS {
        let players = [Player::Greedy, Player::Random, Player::Greedy, Player::Random];
        let mut library = SelfPlay::new(rules, players).unwrap();
        library.max_plies = 120;
        let record = library.game(5);
        let body = json!({
            "rules": rules.name,
            "players": players.map(Player::name),
            "seed": 5,
            "plies": 120,
        });
        let lines = page.post("/api/fourchess/selfplay", &body).lines();
        let (done, plies) = lines.split_last().unwrap();
        assert_eq!(done, &json!({ "done": true }));
        assert_eq!(plies.len(), record.plies.len());
        let mut game = Game::new(rules);
        for (shown, ply) in plies.iter().zip(&record.plies) {
            check_ply(shown, &mut game, Ply::Move(ply.mv));
        }
        // Of many games, each is sent as a whole.
        let body = json!({
            "rules": rules.name,
            "players": players.map(Player::name),
            "seed": 4,
            "plies": 120,
            "games": 2,
        });
        let lines = page.post("/api/fourchess/selfplay", &body).lines();
        assert_eq!(lines.len(), 3);
        let line: String = plies.iter().map(code).collect();
        assert_eq!(lines[1]["line"], line);
        assert_eq!(lines[1]["seed"], 5);
        assert_eq!(lines[1]["points"], json!(record.points));
        assert_eq!(lines[1]["places"], json!(record.places));
        // One choice is the first of the game with the same seed.
        let asked = query(&[("rules", rules.name), ("player", "greedy"), ("seed", "5")]);
        let choice = page.json(&format!("/api/fourchess/choose?{asked}"));
        assert_eq!((code(&choice), &choice["player"]), (code(&plies[0]), &json!("greedy")));
        let asked = query(&[("rules", rules.name), ("seed", "5")]);
        assert_eq!(code(&page.json(&format!("/api/fourchess/hint?{asked}"))), code(&plies[0]));
        let asked = json!({ "rules": rules.name, "player": "greedy", "seed": 5 });
        assert_eq!(code(&page.post("/api/fourchess/play", &asked).good()), code(&plies[0]));
    }
}

#[test]
fn the_learned_player_chooses_as_its_network_does() {
    let (page, _root) = page();
    let network = Network::trained();
    let mut memory = network.memory();
    let mut library = SelfPlay::new(&Rules::FFA, [Player::Greedy; 4]).unwrap();
    library.max_plies = 24;
    let record = library.game_with(3, |position, legal, _| {
        network.choose(position, &Rules::FFA, legal, &mut memory)
    });
    let players = ["learned"; 4];
    let body = json!({ "players": players, "seed": 3, "plies": 24 });
    let lines = page.post("/api/fourchess/selfplay", &body).lines();
    assert_eq!(lines.len(), record.plies.len() + 1);
    let mut game = Game::new(&Rules::FFA);
    for (shown, ply) in lines.iter().zip(&record.plies) {
        check_ply(shown, &mut game, Ply::Move(ply.mv));
    }
    let choice = page.json("/api/fourchess/choose?player=learned");
    assert_eq!(code(&choice), code(&lines[0]));
}

#[test]
fn games_are_written_as_the_library_writes_them() {
    let (page, _root) = page();
    let shown = page.post_text("/api/fourchess/read", GAMES).good();
    let line: String = shown["plies"].as_array().unwrap().iter().map(code).collect();
    let body = json!({
        "rules": shown["rules"]["words"],
        "line": line,
        "tags": shown["tags"],
        "comments": [[0, "bold"], [3, "a {brace}"], [99, "nobody"]],
    });
    let text = page.post("/api/fourchess/pgn4", &body).good()["text"].as_str().unwrap().to_owned();
    let mut record = Reader::new(GAMES.as_bytes()).next().unwrap().unwrap();
    let again = Reader::new(text.as_bytes()).next().unwrap().unwrap();
    assert_eq!(again.plies().collect::<Vec<_>>(), record.plies().collect::<Vec<_>>());
    assert_eq!(again.rules(), record.rules());
    assert_eq!((again.tags.get("Red"), again.tags.get("Date")), (Some("Ann"), Some("2026.11.16")));
    let comments: Vec<&str> = again.line().nodes.iter().map(|node| &*node.comment).collect();
    assert_eq!((comments[0], comments[3]), ("bold", "a (brace)"));
    // Moving pictures are those of the library, from any side.
    record = Record::new(record.start(), record.rules(), record.plies()).unwrap();
    let mut drawings = frames(&record);
    drawings.iter_mut().for_each(|drawing| drawing.viewpoint = Rules::FFA.edge(Seat::Blue));
    let body = json!({ "line": line, "rules": record.rules().words(), "view": "blue", "format": "svg", "seconds": 1 });
    let svg = page.post("/api/fourchess/animate", &body);
    assert_eq!((svg.status, svg.header("content-type")), (200, Some("image/svg+xml")));
    assert_eq!(svg.text(), animated_svg(&drawings, 1.0));
    let body = json!({ "line": &line[..6], "rules": record.rules().words(), "format": "gif" });
    let gif = page.post("/api/fourchess/animate", &body);
    assert_eq!(gif.status, 200);
    assert!(gif.body.starts_with(b"GIF89a"));
}

#[test]
fn what_cannot_be_is_refused_with_a_sentence() {
    let (page, root) = page();
    fs::write(root.path().join("empty.pgn4"), "").unwrap();
    fs::write(root.path().join("bytes.pgn4"), [0, 1, 2, 255].repeat(100)).unwrap();
    let gets = [
        ("rules?rules=chess", 400, "\"chess\" is not a preset"),
        ("rules?rules=ffa%20castling=maybe", 400, "castling cannot be"),
        ("position?fen4=R-0", 400, "FEN4: "),
        ("position?rules=ffa&fen4=%00", 400, "FEN4: "),
        ("choose?player=deep", 400, "\"deep\" is not a player; the players are"),
        ("choose?seed=-1", 400, ""),
        ("game?file=..%2Fgames.pgn4", 404, "there is no file"),
        ("game?file=%2Fetc%2Fpasswd", 404, "there is no file"),
        ("game?file=absent.pgn4", 404, "there is no file"),
        ("game?file=empty.pgn4", 400, "empty.pgn4: "),
        ("game?file=bytes.pgn4", 400, "bytes.pgn4: "),
        ("game?file=games.pgn4&number=0", 404, "there is no game 0"),
        ("game", 400, ""),
    ];
    for (path, status, words) in gets {
        let said = page.get(&format!("/api/fourchess/{path}")).refused(status);
        assert!(said.contains(words), "{path}: {said}");
        assert!(!said.contains(root.path().to_str().unwrap()), "{path}: {said}");
    }
    let players = ["greedy"; 4];
    let posts = [
        ("play", json!({}), "expected one of move, code, leave and player"),
        ("play", json!({ "move": "h2-h3", "leave": "red" }), "expected one of"),
        ("play", json!({ "move": "h2-h5" }), "h2-h5 is not a legal move here"),
        ("play", json!({ "move": "" }), "is not a move"),
        ("play", json!({ "code": "AAA" }), "is not a legal move here"),
        ("play", json!({ "leave": "purple" }), "\"purple\" is not red"),
        ("play", json!({ "line": "AAA", "move": "h2-h3" }), "line: ply 1, \"AAA\""),
        ("play", json!({ "move": 7 }), "the request is not right"),
        ("play", json!({ "rules": "ffa promotion=any promotion_rank=9", "player": "greedy" }), ""),
        ("game", json!({ "line": "A".repeat(60_001) }), "20000 plies"),
        ("selfplay", json!({ "players": ["greedy"] }), "the request is not right"),
        ("selfplay", json!({ "players": ["a", "b", "c", "d"] }), "\"a\" is not a player"),
        ("selfplay", json!({ "players": players, "games": 1001 }), "at most 1000 games"),
        ("animate", json!({ "format": "mp4" }), "\"mp4\" is not a picture"),
        ("animate", json!({ "format": "svg", "seconds": 0 }), "0.02 to 60"),
        ("animate", json!({ "format": "svg", "view": "me" }), "\"me\" is not red"),
    ];
    for (path, body, words) in posts {
        let answer = page.post(&format!("/api/fourchess/{path}"), &body);
        let said = answer.refused(answer.status);
        assert!(
            (400..500).contains(&answer.status) && said.contains(words),
            "{path} {body}: {said}"
        );
    }
    let said = page.post_text("/api/fourchess/read", "").refused(400);
    assert!(said.contains("there is no game in it"), "{said}");
    let said = page.post_text("/api/fourchess/read", "\u{1f}\u{8b}").refused(400);
    assert!(said.contains("PGN4"), "{said}");
    let packed = page.ask(
        "POST",
        "/api/fourchess/read",
        &[("X-Everyply-Key", &page.key), ("Content-Type", "text/plain")],
        &[0x1f, 0x8b, 8, 0],
    );
    assert!(packed.refused(400).contains("compressed"));
}

#[test]
fn a_stream_that_nobody_reads_ends() {
    let root = tempfile::tempdir().unwrap();
    let page = Page::of(root.path());
    let players = ["greedy"; 4];
    let body = json!({ "players": players, "games": 1000 }).to_string();
    // More streams than there are threads: each is given up before it has said much.
    for _ in 0..40 {
        let mut stream = page.connect();
        let head = format!(
            "POST /api/fourchess/selfplay HTTP/1.1\r\nHost: {}\r\nX-Everyply-Key: {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            page.address,
            page.key,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut some = [0; 200];
        assert!(stream.read(&mut some).unwrap() > 0);
    }
    // There is still room for another one.
    let lines = page.post("/api/fourchess/selfplay", &json!({ "players": players, "plies": 3 }));
    assert_eq!(lines.lines().len(), 4);
}
