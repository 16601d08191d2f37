//! The routes of chess answer what the library computes, and refuse what it refuses.

mod client;

use std::{fs, path::Path};

use chess::{Bitboard, Color, Position, San, Square, Uci, find_move, pgn};
use chess_facts::{Facts, Level, Line, facts, words};
use client::Page;
use serde_json::{Value, json};
use web::Subject;

/// Positions with pins, forks, castling, promotions, en passant, mate and stalemate.
const POSITIONS: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r2qk2r/ppp2ppp/2np1n2/2b1p1B1/2B1P1b1/3P1N2/PPP2PPP/RN1QK2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "1rkr3b/1ppn3p/3pB1n1/6q1/R2P4/4N1P1/1P5P/2KRQ1B1 b Dbd - 0 14",
    "8/8/4k3/8/8/4K3/8/8 w - - 0 1",
];

#[test]
fn a_position_is_told_as_the_library_computes_it() {
    let page = Page::of(Path::new("."));
    for fen in POSITIONS {
        let position: Position = fen.parse().unwrap();
        let answer = page.json(&query("/api/chess/position", &[("fen", fen)]));
        assert_eq!(answer["fen"], position.to_string());
        assert_eq!(answer["turn"], position.turn().name());
        let facts = facts(&position, Level::Everything);
        compare_board(&answer, &position);
        compare_moves(&answer, &position);
        compare_sentences(&answer, &facts);
        for color in Color::ALL {
            compare_side(&answer["facts"][color.name()], &facts, color);
            let counts = Square::all().map(|square| facts.attackers(square, color).len());
            let counts: Vec<u32> = counts.collect();
            assert_eq!(answer["attacks"][color.name()], json!(counts), "{fen}");
        }
    }
}

fn compare_board(answer: &Value, position: &Position) {
    let board = answer["board"].as_str().unwrap();
    for (square, sign) in Square::all().zip(board.chars()) {
        let piece = position.board().piece_at(square);
        assert_eq!(piece.map_or('.', chess::Piece::letter), sign, "{square}");
    }
    let king = position.king(position.turn()).to_string();
    assert_eq!(answer["check"], if position.is_check() { json!(king) } else { Value::Null });
}

fn compare_moves(answer: &Value, position: &Position) {
    let moves = answer["moves"].as_array().unwrap();
    let legal: Vec<_> = position.legal_moves().iter().collect();
    assert_eq!(moves.len(), legal.len());
    for (told, mv) in moves.iter().zip(legal) {
        let san = San::of(position, mv).to_string();
        assert_eq!(told["uci"], Uci::of(position, mv).to_string());
        assert_eq!(told["san"], san);
        assert_eq!(told["from"], mv.from.to_string());
        assert_eq!(told["promotion"], json!(mv.promotion.map(chess::Role::name)));
        let next = position.play(mv);
        assert_eq!(told["check"], next.is_check(), "{san}");
        assert_eq!(told["mate"], next.is_checkmate(), "{san}");
        // The piece that lands is where the move says it does.
        let to = Square::from_ascii(told["to"].as_str().unwrap().as_bytes()).unwrap();
        let landed = next.board().piece_at(to).unwrap();
        assert_eq!(landed.color, position.turn());
        let pieces = |position: &Position| position.board().occupied().len();
        assert_eq!(told["captured"].is_null(), pieces(position) == pieces(&next), "{san}");
        for target in told["targets"].as_array().unwrap() {
            // No two moves of a piece share a target, but for promotions.
            let same = moves.iter().filter(|other| {
                other["from"] == told["from"]
                    && other["promotion"] == told["promotion"]
                    && other["targets"].as_array().unwrap().contains(target)
            });
            assert_eq!(same.count(), 1, "{san} on {target}");
        }
    }
}

fn compare_sentences(answer: &Value, facts: &Facts) {
    let told = answer["sentences"].as_array().unwrap();
    let expected = words::sentences(facts);
    assert_eq!(told.len(), expected.len());
    for (told, sentence) in told.iter().zip(expected) {
        assert_eq!(told["text"], sentence.text);
        assert_eq!(told["name"], sentence.name);
        assert_eq!(told["color"], sentence.color.name());
        assert_eq!(told["squares"], squares(sentence.squares), "{}", sentence.text);
    }
}

fn compare_side(told: &Value, facts: &Facts, color: Color) {
    let side = &facts[color];
    let pins = side.pins.iter().map(|pin| (pin, true));
    let pins = pins.chain(side.relative_pins.iter().map(|pin| (pin, false)));
    let pins: Vec<Value> = pins
        .map(|(pin, absolute)| {
            json!({ "pinner": pin.slider.to_string(), "pinned": pin.front.to_string(),
                    "target": pin.back.to_string(), "absolute": absolute })
        })
        .collect();
    assert_eq!(told["pins"], json!(pins));
    let hanging: Vec<Value> = side
        .hanging
        .iter()
        .map(|hangs| json!({ "square": hangs.square.to_string(), "gain": hangs.gain }))
        .collect();
    assert_eq!(told["hanging"], json!(hanging));
    let forks: Vec<Value> = side
        .forks
        .iter()
        .map(|fork| json!({ "forker": fork.forker.to_string(), "targets": squares(fork.targets) }))
        .collect();
    assert_eq!(told["forks"], json!(forks));
    assert_eq!(told["xrays"], lines(&side.xrays));
    assert_eq!(told["discovered"], lines(&side.discovered));
    assert_eq!(told["skewers"], lines(&side.skewers));
    assert_eq!(told["loose"], squares(side.loose));
    assert_eq!(told["undefended"], squares(side.undefended));
    assert_eq!(told["attacks"], squares(side.attacks));
    assert_eq!(told["mobility"], squares(side.mobility));
    assert_eq!(told["material"], side.material);
    assert_eq!(told["pawns"]["passed"], squares(side.pawns.passed));
    assert_eq!(told["pawns"]["isolated"], squares(side.pawns.isolated));
    assert_eq!(told["pawns"]["islands"], side.pawns.islands);
    let targets: Vec<Value> = side.fork_moves.iter().map(|fork| squares(fork.targets)).collect();
    let told_targets: Vec<&Value> =
        told["fork_moves"].as_array().unwrap().iter().map(|fork| &fork["targets"]).collect();
    assert_eq!(json!(told_targets), json!(targets));
}

fn lines(lines: &[Line]) -> Value {
    let lines = lines.iter().map(|line| {
        json!({ "slider": line.slider.to_string(), "front": line.front.to_string(),
                "back": line.back.to_string() })
    });
    lines.collect()
}

fn squares(set: Bitboard) -> Value {
    set.map(|square| square.to_string()).collect()
}

#[test]
fn a_bad_position_is_refused_with_the_reason() {
    let page = Page::of(Path::new("."));
    for fen in ["", "8/8/8/8/8/8/8/8 w - - 0 1", "rnbqkbnr/ppp w", "\u{fffd}"] {
        let path = query("/api/chess/position", &[("fen", fen)]);
        let reason = Position::from_text(fen).unwrap_err().to_string();
        assert_eq!(page.get(&path).refused(400), reason);
        let setup = page.json(&query("/api/chess/setup", &[("fen", fen)]));
        assert_eq!(setup["legal"], false);
        assert_eq!(setup["reason"], Position::from_fen(fen).unwrap_err().to_string());
    }
    page.get("/api/chess/position").refused(400);
}

#[test]
fn the_editor_is_told_what_may_be_chosen() {
    let page = Page::of(Path::new("."));
    let setup = |fen: &str| page.json(&query("/api/chess/setup", &[("fen", fen)]));
    let start = setup(POSITIONS[0]);
    assert_eq!(start["legal"], true);
    assert_eq!(start["castling"], json!(["K", "Q", "k", "q"]));
    assert_eq!(start["en_passant"], json!([]));
    let passed = setup("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBN1 w - - 0 3");
    assert_eq!(passed["en_passant"], json!(["d6", "f6"]));
    assert_eq!(passed["castling"], json!(["Q", "k", "q"]));
    // What is wrong does not keep the rest from being told.
    let kings = setup("4k3/8/8/8/8/8/8/4K2R b K - 0 1");
    assert_eq!(kings["castling"], json!(["K"]));
    let without = setup("4k3/8/8/8/8/8/8/7R b - - 0 1");
    assert_eq!((&without["legal"], &without["castling"]), (&json!(false), &json!([])));
}

#[test]
fn moves_are_played_as_the_library_plays_them() {
    let page = Page::of(Path::new("."));
    for fen in POSITIONS {
        let position: Position = fen.parse().unwrap();
        for mv in position.legal_moves().iter() {
            let (uci, san) =
                (Uci::of(&position, mv).to_string(), San::of(&position, mv).to_string());
            for word in [&uci, &san] {
                let path = query("/api/chess/play", &[("fen", fen), ("move", word)]);
                let told = page.json(&path);
                let next = position.play(find_move(&position, word).unwrap());
                assert_eq!(told["ply"]["fen"], next.to_string());
                assert_eq!(told["ply"]["san"], san);
                assert_eq!(told["position"]["fen"], next.to_string());
            }
        }
    }
    let refused = |word: &str| {
        page.get(&query("/api/chess/play", &[("fen", "start"), ("move", word)])).refused(400)
    };
    assert_eq!(refused("e5"), "e5 is not a legal move here");
    assert_eq!(refused("<b>"), "'<b>' is not a move");
    let line = json!({ "fen": "start", "moves": ["e2e4", "e5", "Nf3"] });
    let told = page.post("/api/chess/line", &line).good();
    let ucis: Vec<&Value> =
        told["line"].as_array().unwrap().iter().map(|ply| &ply["uci"]).collect();
    assert_eq!(json!(ucis), json!(["e2e4", "e7e5", "g1f3"]));
    let line = json!({ "fen": "start", "moves": ["e4", "Ke7"] });
    assert_eq!(page.post("/api/chess/line", &line).refused(400), "Ke7 is not a legal move here");
}

const ANNOTATED: &str = r#"[White "A"]
[Black "B \"b\""]
[Result "1-0"]

{ before [%csl Ga1] } 1. e4 $1 {good [%clk 0:03:00][%eval 0.3]} e5 (1... c5 {sharp} 2. Nf3
(2. c3 d5) 2... d6) 2. Nf3 {[%cal Gf3e5,Rb8c6]} Nc6 3. Bb5 a6?! 1-0

[White "C"]

1. e4 Ke7 *

1. d4 d5 *
"#;

#[test]
fn a_game_comes_with_all_its_text_says() {
    let page = Page::of(Path::new("."));
    let game = page.post_text("/api/chess/game", ANNOTATED).good();
    assert_eq!(game["tags"], json!([["White", "A"], ["Black", "B \"b\""], ["Result", "1-0"]]));
    assert_eq!(game["text"], json!(["before"]));
    assert_eq!(game["circles"], json!([{ "square": "a1", "brush": "green" }]));
    let line = game["line"].as_array().unwrap();
    assert_eq!(line.len(), 6);
    assert_eq!(line[0]["glyphs"], json!(["!"]));
    assert_eq!(line[0]["clock"], 180.0);
    assert_eq!(line[0]["evaluation"], "+0.30");
    assert_eq!(line[5]["glyphs"], json!(["?!"]));
    let branch = &line[1]["variations"][0];
    assert_eq!(branch["line"][0]["san"], "c5");
    assert_eq!(branch["line"][0]["text"], json!(["sharp"]));
    assert_eq!(branch["line"][1]["variations"][0]["line"][1]["san"], "d5");
    assert_eq!(
        line[2]["arrows"],
        json!([{ "from": "f3", "to": "e5", "brush": "green" },
               { "from": "b8", "to": "c6", "brush": "red" }])
    );
    let third = page.post_text("/api/chess/game?number=3", ANNOTATED).good();
    assert_eq!((&third["number"], &third["line"][0]["san"]), (&json!(3), &json!("d4")));
    let second = page.post_text("/api/chess/game?number=2", ANNOTATED).refused(400);
    assert_eq!(second, "game 2, line 10: Ke7 is not a legal move here (move 1 of black)");
    let none = page.post_text("/api/chess/game?number=4", ANNOTATED).refused(404);
    assert_eq!(none, "there is no game 4");
}

/// Compares the plies of games with the library's own reader and facts.
#[test]
fn every_ply_has_its_position_its_material_and_what_hangs() {
    let (directory, text) = sample();
    let page = Page::of(directory.path());
    let mut reader = pgn::Reader::new(text.as_bytes());
    let mut number = 0;
    while let Some(game) = pgn::Game::read(&mut reader).unwrap() {
        number += 1;
        if number % 40 != 1 {
            continue;
        }
        let told = page.json(&format!("/api/chess/game?file=games.pgn&number={number}"));
        assert_eq!(told["start"], game.start.to_string());
        let plies = told["line"].as_array().unwrap();
        assert_eq!(plies.len(), game.mainline.moves.len());
        let mut position = game.start;
        for (ply, node) in plies.iter().zip(&game.mainline.moves) {
            assert_eq!(ply["san"], San::of(&position, node.mv).to_string());
            let before = facts(&position, Level::Everything);
            position = position.play(node.mv);
            let after = facts(&position, Level::Everything);
            assert_eq!(ply["fen"], position.to_string());
            let marks = &ply["marks"];
            let [white, black] = Color::ALL.map(|color| &after[color]);
            assert_eq!(marks["material"], i32::from(white.material) - i32::from(black.material));
            assert_eq!(marks["hanging"]["white"], white.hanging_gain());
            assert_eq!(marks["hanging"]["black"], black.hanging_gain());
            let hangs = Color::ALL.iter().any(|&color| {
                after[color].hanging.iter().any(|now| !before[color].hanging.contains(now))
            });
            let appears = marks["appears"].as_array().unwrap();
            assert_eq!(appears.contains(&json!("hanging")), hangs);
        }
    }
    assert_eq!(number, 438);
}

#[test]
fn games_are_listed_in_windows() {
    let (directory, text) = sample();
    // Large enough to be read from places in the middle.
    let copies = 14;
    fs::write(directory.path().join("many.pgn"), text.repeat(copies)).unwrap();
    let page = Page::of(directory.path());
    let small = page.json("/api/chess/games?file=games.pgn&from=1&most=1000");
    let small = small["games"].as_array().unwrap();
    assert_eq!(small.len(), 438);
    let few = page.json("/api/chess/games?file=games.pgn&from=5&most=2");
    assert_eq!((&few["total"], few["games"].as_array().unwrap().len()), (&json!(438), 2));
    let mut reader = pgn::Reader::new(text.as_bytes());
    let mut game = pgn::Mainline::default();
    for row in small {
        assert!(game.read(&mut reader).unwrap());
        assert_eq!(row["white"], game.tags.get("White").unwrap());
        assert_eq!(row["black"], game.tags.get("Black").unwrap());
        assert_eq!(row["result"], game.tags.get("Result").unwrap());
    }
    let total = 438 * copies;
    for from in [1, 2, 437, 438, 439, 1000, 3000, total - 1, total, total + 1] {
        let window = page.json(&format!("/api/chess/games?file=many.pgn&from={from}&most=3"));
        assert_eq!(window["total"], total, "from {from}");
        let games = window["games"].as_array().unwrap();
        assert_eq!(games.len(), (total + 1 - from).min(3), "from {from}");
        for (row, number) in games.iter().zip(from..) {
            assert_eq!(row["number"], number);
            assert_eq!(row["white"], small[(number - 1) % 438]["white"]);
        }
    }
    let number = 438 * 9 + 5;
    let told = page.json(&format!("/api/chess/game?file=many.pgn&number={number}"));
    let same = page.json("/api/chess/game?file=games.pgn&number=5");
    assert_eq!((&told["tags"], &told["line"]), (&same["tags"], &same["line"]));
    page.get("/api/chess/games?file=../games.pgn").refused(404);
    page.get("/api/chess/game?file=none.pgn").refused(404);
    let posted = page.post_text("/api/chess/games?from=437&most=5", &text).good();
    assert_eq!(posted["games"].as_array().unwrap().len(), 2);
    assert_eq!(posted["total"], 438);
}

#[test]
fn what_is_pasted_is_recognised() {
    let page = Page::of(Path::new("."));
    let read = |text: &str| page.post_text("/api/chess/read", text).good();
    assert_eq!(read(POSITIONS[1]), json!({ "kind": "position", "fen": POSITIONS[1] }));
    assert_eq!(read("  startpos \n")["fen"], POSITIONS[0]);
    assert_eq!(read("8/8/4k3/8/8/4K3/8/8 w - - bm Kd3;")["fen"], POSITIONS[9]);
    assert_eq!(read("1. e4 e5")["kind"], "games");
    assert_eq!(read(ANNOTATED)["games"].as_array().unwrap().len(), 3);
    let wrong = read("8/8/8/8/8/8/8/8 w - - 0 1");
    assert_eq!(wrong, json!({ "kind": "wrong", "reason": "white has no king" }));
    assert_eq!(read(" \n")["kind"], "wrong");
}

#[test]
fn a_page_alone_holds_the_answer_to_every_ply() {
    let file = Subject::Chess.page("game.pgn", ANNOTATED.as_bytes(), 1).unwrap();
    let answers = inlined(&file);
    let page = Page::of(Path::new("."));
    assert_eq!(answers["/api/chess/game"], page.post_text("/api/chess/game", ANNOTATED).good());
    let mut fens = vec![answers["/api/chess/game"]["start"].as_str().unwrap().to_owned()];
    collect(&answers["/api/chess/game"]["line"], &mut fens);
    assert_eq!(fens.len(), 12);
    for fen in &fens {
        let path = query("/api/chess/position", &[("fen", fen)]);
        assert_eq!(answers[&path], page.json(&path), "{fen}");
    }
    let missing = Subject::Chess.page("game.pgn", ANNOTATED.as_bytes(), 9).unwrap_err();
    assert_eq!(missing.to_string(), "game.pgn: there is no game 9");
}

fn collect(line: &Value, fens: &mut Vec<String>) {
    for ply in line.as_array().unwrap() {
        fens.push(ply["fen"].as_str().unwrap().to_owned());
        for branch in ply["variations"].as_array().unwrap() {
            collect(&branch["line"], fens);
        }
    }
}

/// Nothing of a game ends an element or begins another.
#[test]
fn a_hostile_game_cannot_break_out_of_its_page() {
    let hostile = "[White \"</script><script>alert(1)</script>\"]\n[Black \"<!--<script>\"]\n\
                   [Event \"<img src=x onerror=alert(1)>\"]\n[Result \"*\"]\n\n\
                   1. e4 {</script><b>&lt;\u{2028}]]>} (1. d4 {<!--}) *\n";
    let plain = Subject::Chess.page("game.pgn", b"1. e4 (1. d4) *", 1).unwrap();
    let file = Subject::Chess.page("game.pgn", hostile.as_bytes(), 1).unwrap();
    for sign in ["<script", "</script", "<!--", "<img", "<b", "\u{2028}"] {
        assert_eq!(file.matches(sign).count(), plain.matches(sign).count(), "{sign}");
    }
    let answers = inlined(&file);
    let tags = &answers["/api/chess/game"]["tags"];
    assert_eq!(tags[0][1], "</script><script>alert(1)</script>");
    // Nothing is fetched: no address but those inside the file.
    for address in ["http://", "https://", " src=\"", " href=\"/"] {
        let found = file.matches(address).count();
        let allowed = file.matches("http://www.w3.org/").count();
        assert!(found == 0 || address == "http://" && found == allowed, "{address}");
    }
}

fn inlined(file: &str) -> Value {
    let (_, rest) = file.split_once("<script type=\"application/json\" id=\"answers\">").unwrap();
    let (json, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(json).unwrap()
}

/// A directory with the sample of games.
fn sample() -> (tempfile::TempDir, String) {
    let fixture =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/chess/pgn/lichess_438_games.pgn");
    let text = fs::read_to_string(fixture).unwrap();
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("games.pgn"), &text).unwrap();
    (directory, text)
}

/// A path with a query as browsers write it.
fn query(path: &str, values: &[(&str, &str)]) -> String {
    let values = values.iter().map(|(name, value)| {
        let bytes = value.bytes().map(|byte| match byte {
            b' ' => "+".to_owned(),
            b'*' | b'-' | b'.' | b'_' => char::from(byte).to_string(),
            _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        });
        format!("{name}={}", bytes.collect::<String>())
    });
    format!("{path}?{}", values.collect::<Vec<_>>().join("&"))
}
