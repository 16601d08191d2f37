//! Runs `everyply fourchess` the way people and scripts do.

mod everyply;
#[cfg(target_os = "linux")]
#[path = "../../stores/tests/servers/missing.rs"]
mod missing;

use std::process::Output;

use everyply::{in_a_terminal, run, stderr, stdout};
use serde_json::Value;

const CLASSIC: &str = "R-0,0,0,0-1,1,1,1-1,1,1,1-0,0,0,0-0-3,yR,yN,yB,yK,yQ,yB,yN,yR,3/3,yP,yP,yP,yP,yP,yP,yP,yP,3/14/bR,bP,10,gP,gR/bN,bP,10,gP,gN/bB,bP,10,gP,gB/bK,bP,10,gP,gQ/bQ,bP,10,gP,gK/bB,bP,10,gP,gB/bN,bP,10,gP,gN/bR,bP,10,gP,gR/14/3,rP,rP,rP,rP,rP,rP,rP,rP,3/3,rR,rN,rB,rQ,rK,rB,rN,rR,3";

fn fourchess(arguments: &[&str], input: &str) -> Output {
    run(&[&["fourchess"], arguments].concat(), input)
}

fn fine(arguments: &[&str], input: &str) -> String {
    let output = fourchess(arguments, input);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    stdout(&output)
}

fn object(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn perft_prints_one_object_with_nodes() {
    for (rules, threads) in [("ffa", "1"), ("teams", "2")] {
        let count = ["perft", "--fen", CLASSIC, "--rules", rules, "--threads", threads];
        let counted =
            object(&fine(&[&count[..], &["--depth", "4", "--format", "json"]].concat(), ""));
        assert_eq!(counted["nodes"], 158_402, "{rules}");
        assert_eq!(counted["rules"], rules);
    }
    let modern = object(&fine(&["perft", "--depth", "3", "--format", "json"], ""));
    assert_eq!(modern["nodes"], 7_800);
    let rows = fine(&["perft", "--depth", "3", "--divide", "--format", "csv"], "");
    let last = |line: &str| line.rsplit(',').next().unwrap().parse::<u64>().unwrap();
    assert_eq!(rows.lines().skip(1).map(last).sum::<u64>(), 7_800);
    assert_eq!(object(&fine(&["perft", "--depth", "0", "--format", "json"], ""))["nodes"], 1);
}

#[test]
fn moves_have_names_and_numbers() {
    let moves = object(&fine(&["moves", "--format", "json"], ""));
    let moves = moves.as_array().expect("rows");
    assert_eq!(moves.len(), 20);
    let knight = moves.iter().find(|row| row["san"] == "Ne1-f3").expect("a knight's move");
    assert_eq!((&knight["seat"], &knight["piece"]), (&"red".into(), &"knight".into()));
    assert!(moves.iter().all(|row| row["action"].as_u64().is_some_and(|id| id < 7_192)));
    assert!(moves.iter().all(|row| row["wide_action"].as_u64().is_some_and(|id| id < 102_400)));
}

#[test]
fn a19_en_passant_names_what_it_captures() {
    // Red has just passed e3, where a knight of Blue stands; Green takes both, or the pawn on f4.
    let fen = "G-0,0,0,0-0,0,0,0-0,0,0,0-0,0,0,0-0-{'enPassant':('e3:e4','','','')}-\
               6,yK,7/14/14/14/14/14/14/bK,12,gK/14/14/4,rP,gP,8/4,bN,9/14/7,rK,6";
    let moves = object(&fine(&["moves", "--fen", fen, "--format", "json"], ""));
    let taken = |name: &str| {
        let rows = moves.as_array().expect("rows");
        rows.iter().find(|row| row["san"] == name).expect(name)["captured"].clone()
    };
    assert_eq!(taken("f4xNe3"), "blue knight and red pawn");
    let fen = fen.replacen("4,bN,9", "14", 1);
    let moves = object(&fine(&["moves", "--fen", &fen, "--format", "json"], ""));
    let row = moves.as_array().expect("rows").iter().find(|row| row["san"] == "f4xe3");
    assert_eq!(row.expect("en passant")["captured"], "red pawn");
}

#[test]
fn a_position_is_drawn_as_text_and_pictures() {
    let text = fine(&["show", "--fen", CLASSIC], "");
    assert!(text.contains("Red to move, 20 legal moves"), "{text}");
    let directory = tempfile::tempdir().expect("a directory");
    let (svg, png) = (directory.path().join("a.svg"), directory.path().join("a.png"));
    let [svg, png] = [&svg, &png].map(|path| path.to_str().expect("a path"));
    fine(&["show", "--svg", svg, "--png", png, "--size", "300"], "");
    assert!(std::fs::read_to_string(svg).expect("a drawing").starts_with("<svg"));
    assert!(std::fs::read(png).expect("a picture").starts_with(b"\x89PNG"));
}

#[test]
fn a_game_is_drawn_as_moving_pictures() {
    let directory = tempfile::tempdir().expect("a directory");
    let (svg, gif) = (directory.path().join("a.svg"), directory.path().join("a.gif"));
    let [svg, gif] = [&svg, &gif].map(|path| path.to_str().expect("a path"));
    let pgn = "1. h2-h3 .. b7-c7\n\n[Red \"A\"]\n\n1. h2-h4 .. b7-c7 .. g13-g12\n";
    let draw = ["animate", "-", "--game", "2", "--last", "2", "--svg", svg, "--gif", gif];
    fine(&[&draw[..], &["--size", "74"]].concat(), pgn);
    let text = std::fs::read_to_string(svg).expect("a drawing");
    assert!(text.starts_with("<svg") && text.contains("<animate "), "{text}");
    assert!(std::fs::read(gif).expect("a picture").starts_with(b"GIF89a"));
    for (words, code, cause) in [
        (vec!["animate", "-"], 2, "expected --svg or --gif"),
        (vec!["animate", "-", "--game", "3", "--svg", "-"], 1, "there is no game 3: it has 2"),
        (vec!["animate", "-", "--svg", "-", "--seconds", "0"], 2, "expected 0.02 to 60"),
        (vec!["animate", "missing.pgn4", "--svg", "-"], 1, "missing.pgn4: no such file"),
    ] {
        let output = fourchess(&words, pgn);
        assert_eq!(output.status.code(), Some(code), "{words:?}");
        assert!(stderr(&output).contains(cause), "{}", stderr(&output));
    }
}

#[test]
fn bad_positions_and_flags_are_refused_with_their_cause() {
    let output = fourchess(&["perft", "--depth", "1", "--fen", "R-0,0,0,0-1"], "");
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    assert!(said.starts_with("everyply: FEN4 'R-0,0,0,0-1': "), "{said}");
    assert!(stdout(&output).is_empty());
    let output = fourchess(&["moves", "--rules", "chaos"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("expected ffa, teams or jax"), "{}", stderr(&output));
    let output = fourchess(&["selfplay", "--players", "random,greedy"], "");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_person_can_play_and_the_others_answer() {
    let text = fine(&["play", "--seats", "red"], "h2-h9 h2-h3 moves undo undo fen quit");
    for part in ["h2-h9", "Red plays h2-h3", "Blue plays", "Green plays", "nothing to undo"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let resigned = fine(&["play", "--seats", "red", "--rules", "teams"], "resign");
    assert!(resigned.contains("Red resigns"), "{resigned}");
}

#[test]
fn a_game_is_saved_resumed_and_seen_from_any_side() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("game.pgn4");
    let path = path.to_str().unwrap();
    let words = format!("hint h2-h3 side yellow k2-k3 undo save {path} fen quit");
    let text = fine(&["play", "--seats", "red", "--seed", "3"], &words);
    for part in ["greedy would play", "random would play", "saved in"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let fen = |text: &str| text.lines().rfind(|line| line.starts_with("R-")).unwrap().to_owned();
    let rows = fine(&["games", path, "--format", "json"], "");
    assert_eq!(object(&rows)[0]["plies"], 4, "{rows}");
    // It goes on where it was, from the other side of the board.
    let resumed = fine(&["play", "--resume", path, "--side", "yellow"], "fen undo quit");
    assert_eq!(fen(&resumed), fen(&text));
    assert!(resumed.contains("there is nothing to undo"), "{resumed}");
    let first =
        |text: &str| text.lines().find(|line| line.contains('\u{265c}')).unwrap().to_owned();
    assert!(
        first(&text).contains("y\u{265c}") && first(&resumed).contains("r\u{265c}"),
        "{resumed}"
    );
    // A game that is over is saved too, with its rules, and is over when it is resumed.
    let words = format!("resign hint resign h2-h3 save {path}");
    let text = fine(&["play", "--rules", "teams", "--rule", "max_plies=90"], &words);
    assert!(text.contains("The game is over: departure") && text.contains("saved in"), "{text}");
    let resumed = fine(&["play", "--resume", path], "undo");
    assert!(resumed.contains("The game is over: departure"), "{resumed}");
    let pgn = std::fs::read_to_string(path).unwrap();
    assert!(pgn.contains("[Rules \"teams max_plies=90\"]"), "{pgn}");
}

#[test]
fn bad_words_and_saved_games_get_a_sentence_and_change_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let words = [
        ("h2-h9", "h2-h9 is not a legal move here"),
        ("h2", "\"h2\" is not a move"),
        ("z9-z8", "is not a square"),
        ("Nh2-h3", "the piece on h2 is P, not N"),
        ("h2xh3", "there is nothing to capture on h3"),
        ("b7-c7", "Red has no piece on b7"),
        ("side purple", "side: expected red, blue, yellow or green"),
        ("side", "side: expected red, blue, yellow or green"),
        ("save", "save: expected a file name"),
        ("save /nowhere/at/all/game.pgn4", "/nowhere/at/all"),
        ("undo", "there is nothing to undo"),
    ];
    for (word, sentence) in words {
        let text = fine(&["play"], &format!("{word}\nfen\nquit"));
        assert!(text.contains(sentence), "{word}: {text}");
        assert!(text.contains("\nR-0,0,0,0-1,1,1,1-1,1,1,1-0,0,0,0-0-3,yR"), "{word}: {text}");
    }
    let missing = directory.path().join("absent.pgn4");
    let files = [
        (file("empty.pgn4", ""), "it is empty"),
        (file("bad.pgn4", "1. h2-h9"), "line 1: h2-h9 is not a legal move here"),
        (file("rules.pgn4", "[Variant \"Chaturaji\"]\n\n1. h2-h3"), "is not supported"),
        (missing.to_str().unwrap().to_owned(), "absent.pgn4"),
    ];
    for (path, sentence) in files {
        let output = fourchess(&["play", "--resume", &path], "quit");
        assert_ne!(output.status.code(), Some(0), "{path}");
        assert!(stderr(&output).contains(sentence), "{path}: {}", stderr(&output));
    }
    for arguments in [["--fen", "start"], ["--setup", "rg"], ["--rules", "teams"]] {
        let output = fourchess(&[&["play", "--resume", "game.pgn4"], &arguments[..]].concat(), "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

/// The program in a pseudo-terminal, which `script` of util-linux makes.
#[cfg(target_os = "linux")]
#[test]
fn in_a_terminal_it_asks_draws_in_colours_and_obeys() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("game.pgn4");
    let play = |arguments: &str, environment: &[(&str, &str)], typed: &str| {
        in_a_terminal(&format!("fourchess play {arguments}"), environment, typed)
    };
    let saving = format!("h2-h3\nhint\nsave {}\nquit\n", path.display());
    let Some(text) = play("--seed 1", &[], &saving) else {
        missing::not_run("there is no program script, which makes a pseudo-terminal");
        return;
    };
    for part in ["red> ", "\u{1b}[48;5;", "Red plays h2-h3", "greedy would play", "saved in"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for part in ["random would play", "   a b c d e f g h i j k l m n"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let resume = format!("--resume {} --side yellow", path.display());
    let text = play(&resume, &[("NO_COLOR", "1")], "k2-k3\nundo\nundo\nquit\n").unwrap();
    assert!(text.contains("   n m l k j i h g f e d c b a"), "{text}");
    // A board that does not fit the 40 columns of the window is narrower.
    let board = text.lines().filter(|line| line.contains('♜') || line.contains('♟'));
    let widths: Vec<usize> = board.map(|line| line.trim_end().chars().count()).collect();
    assert!(!widths.is_empty() && widths.iter().all(|&width| width <= 40), "{text}");
    assert!(!text.contains("\u{1b}[48;5;") && text.contains("there is nothing to undo"), "{text}");
    let text = play("--rules teams", &[], "resign\nundo\nquit\n").unwrap();
    for part in ["The game is over: departure", "over> "] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn selfplay_writes_the_same_games_for_any_number_of_threads() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut seen = Vec::new();
    for threads in ["1", "3"] {
        let pgn = directory.path().join(format!("{threads}.pgn4"));
        let plies = directory.path().join(format!("{threads}.csv"));
        let [pgn, plies] = [&pgn, &plies].map(|path| path.to_str().expect("a path"));
        let play = ["selfplay", "--games", "3", "--seed", "5", "--players", "greedy"];
        let files = ["--threads", threads, "--pgn", pgn, "--plies", plies, "--format", "csv"];
        let rows = fine(&[&play[..], &files].concat(), "");
        assert_eq!(rows.lines().count(), 4);
        let read = |path: &str| std::fs::read_to_string(path).expect("a file");
        let (games, plies) = (read(pgn), read(plies));
        assert_eq!(games.matches("[StartFen4 ").count(), 3);
        let reader = fourchess::pgn::Reader::new(games.as_bytes());
        assert_eq!(reader.filter(Result::is_ok).count(), 3, "every game can be read back");
        assert!(plies.lines().count() > 30);
        seen.push((rows, games, plies));
    }
    assert_eq!(seen[0], seen[1]);
}

/// A column of a CSV file.
fn column(rows: &str, name: &str) -> Vec<String> {
    let mut lines = rows.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let place = lines.next().expect("a header").iter().position(|&cell| cell == name);
    let place = place.unwrap_or_else(|| panic!("no column {name}"));
    lines.map(|cells| cells[place].to_owned()).collect()
}

/// `vectors.py` of the crate played these games with PyTorch and the same weights.
#[test]
fn the_learned_player_makes_the_moves_of_pytorch_in_whole_games() {
    let network = concat!(env!("CARGO_MANIFEST_DIR"), "/../fourchess-learned");
    let games = format!("{network}/tests/data/games.csv");
    let games = std::fs::read_to_string(games).expect("a file");
    let directory = tempfile::tempdir().expect("a directory");
    let plies = directory.path().join("plies.csv");
    let plies = plies.to_str().expect("a path");
    let weights = format!("{network}/weights/ffa.safetensors");
    let mut compared = 0;
    for setup in ["modern", "classic", "by", "byg", "rg"] {
        let expected: Vec<&str> = games
            .lines()
            .filter(|line| line.split(',').next() == Some(setup))
            .map(|line| line.rsplit(',').next().expect("an action"))
            .collect();
        let play = ["selfplay", "--setup", setup, "--players", "learned", "--plies", plies];
        // Those of the file are those that come with the program.
        let more: &[&str] = if setup == "by" { &["--weights", &weights] } else { &[] };
        fine(&[&play[..], &["--max-plies", "300", "--format", "csv"], more].concat(), "");
        let written = std::fs::read_to_string(plies).expect("a file");
        assert_eq!(column(&written, "action"), expected, "{setup}");
        compared += expected.len();
    }
    assert!(compared >= 1000, "{compared}");
}

#[test]
fn the_learned_player_plays_with_others_and_its_weights_are_checked() {
    let players = ["selfplay", "--games", "2", "--players", "learned,greedy,random,greedy"];
    let play = [&players[..], &["--format", "csv", "--max-plies", "120"]].concat();
    let [one, other] =
        ["1", "2"].map(|threads| fine(&[&play[..], &["--threads", threads]].concat(), ""));
    assert_eq!(one, other);
    let person = ["play", "--seats", "red", "--against", "learned", "--seed", "4"];
    let said = fine(&person, "h2-h3 moves quit");
    assert!(said.contains("Blue plays ") && said.contains("Green plays "), "{said}");
    let directory = tempfile::tempdir().expect("a directory");
    let bad = directory.path().join("bad.safetensors");
    std::fs::write(&bad, "no weights at all").expect("a file");
    let bad = bad.to_str().expect("a path");
    let refused: [(&[&str], i32, &str); 4] = [
        (&["play", "--against", "learned", "--weights", bad], 1, "not a safetensors file"),
        (&["selfplay", "--players", "learned", "--weights", "missing"], 1, "cannot read missing: "),
        (&["selfplay", "--weights", bad], 2, "--weights: no player is 'learned'"),
        (&["play", "--against", "clever"], 2, "expected random, greedy or learned"),
    ];
    for (arguments, code, words) in refused {
        let output = fourchess(arguments, "");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(words), "{}", stderr(&output));
    }
    let output = fourchess(&["selfplay", "--players", "learned", "--device", "cuda"], "");
    assert!(stderr(&output).contains("plays on the processor only"), "{}", stderr(&output));
}

#[test]
fn rules_are_changed_by_name() {
    let changed = ["--rule", "max_plies=20", "--rule", "claim_lead=21"];
    let play = ["selfplay", "--games", "2", "--pgn", "-"];
    let pgn = fine(&[&play[..], &changed].concat(), "");
    assert_eq!(pgn.matches("[Rules \"ffa max_plies=20 claim_lead=21\"]").count(), 2, "{pgn}");
    let rows = object(&fine(&["games", "-", "--format", "json"], &pgn));
    assert_eq!(rows[0]["ending"], "ply limit");
    assert_eq!((&rows[1]["plies"], &rows[1]["game"]), (&20.into(), &2.into()));
    assert_eq!(rows[1]["rules"], "ffa max_plies=20 claim_lead=21");
    for command in ["show", "moves", "play", "bench"] {
        let few = if command == "bench" { vec!["--games", "1", "--steps", "1"] } else { vec![] };
        fine(&[&[command, "--rule", "setup=classic"], &few[..]].concat(), "quit");
    }
    let classic = fine(&["perft", "--depth", "2", "--rule", "setup=classic"], "");
    assert!(classic.contains("setup=classic"), "{classic}");
    for (change, cause) in [
        ("max_plies", "expected name=value"),
        ("max_plies=many", "max_plies cannot be \"many\": expected a whole number"),
        ("colour=red", "\"colour\" is not a rule; the rules are setup, seating"),
    ] {
        let output = fourchess(&["moves", "--rule", change], "");
        assert_eq!(output.status.code(), Some(2), "{change}");
        assert!(stderr(&output).contains(cause), "{}", stderr(&output));
    }
    // Built-in players need an action for every move.
    let output = fourchess(&["play", "--rule", "en_passant=two_moves"], "quit");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no actions for these rules"), "{}", stderr(&output));
}

#[test]
fn selfplay_starts_where_it_is_told() {
    let directory = tempfile::tempdir().expect("a directory");
    let plies = directory.path().join("plies.csv");
    let plies = plies.to_str().expect("a path");
    let fen = CLASSIC.replacen("R-0,0,0,0-", "G-0,0,0,0-", 1);
    let start = ["selfplay", "--max-plies", "3", "--fen", &fen, "--plies", plies, "--pgn", "-"];
    let pgn = fine(&start, "");
    assert!(pgn.contains(&format!("[StartFen4 \"{fen}\"]")), "{pgn}");
    let written = std::fs::read_to_string(plies).expect("a file");
    assert!(written.lines().nth(1).expect("a ply").starts_with("1,1,green,"), "{written}");
    let read = object(&fine(&["games", "-", "--positions", "--format", "json"], &pgn));
    assert_eq!((&read[0]["seat"], &read[0]["fen"]), (&"green".into(), &fen.into()));
    let classic = fine(&["selfplay", "--max-plies", "0", "--setup", "classic", "--pgn", "-"], "");
    assert!(classic.contains(CLASSIC), "{classic}");
    let output = fourchess(&["selfplay", "--fen", "R-0"], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("FEN4 'R-0': "), "{}", stderr(&output));
}

#[test]
fn recorded_games_are_rows_and_bad_ones_are_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let text = "[Variant \"FFA\"]\n[Red \"A\"]\n[RedElo \"1500\"]\n\n1. h2-h4 .. b7-c7 .. R\n\n\
                [Variant \"FFA\"]\n\n1. h2-h9\n\n[Variant \"Teams\"]\n\n1. Ne1-f3\n";
    let path = directory.path().join("games.pgn4");
    std::fs::write(&path, text).expect("a file");
    let path = path.to_str().expect("a path");
    let output = fourchess(&["games", path, "missing.pgn4", "--format", "json"], "");
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    let cause = "games.pgn4: game 2, line 9: h2-h9 is not a legal move here (move 1 of Red)";
    assert!(said.contains(cause) && said.contains("missing.pgn4: no such file"), "{said}");
    assert!(said.contains("2 games read, 2 bad ones skipped"), "{said}");
    let rows = object(&stdout(&output));
    let names: Vec<&Value> =
        rows.as_array().expect("rows").iter().map(|row| &row["game"]).collect();
    assert_eq!(names, [1, 3]);
    assert_eq!((&rows[0]["red"], &rows[0]["red_elo"]), (&"A".into(), &1500.into()));
    assert_eq!((&rows[1]["rules"], &rows[1]["ending"]), (&"teams".into(), &Value::Null));
    let output = fourchess(&["games", path, "--positions", "--format", "json"], "");
    let rows = object(&stdout(&output));
    let rows = rows.as_array().expect("rows");
    assert_eq!(rows.len(), 4 + 2, "a row for each ply and for the last position");
    let moves = object(&fine(&["moves", "--format", "json"], ""));
    let moves = moves.as_array().expect("rows");
    let first = moves.iter().find(|row| row["san"] == "h2-h4").expect("a move");
    for column in ["san", "seat", "piece", "from", "to", "promotion", "action"] {
        assert_eq!(rows[0][column], first[column], "{column}");
    }
    assert_eq!((&rows[0]["choices"], &rows[0]["check"]), (&20.into(), &false.into()));
    assert_eq!((&rows[2]["seat"], &rows[2]["san"]), (&"yellow".into(), &"R".into()));
    assert_eq!((&rows[3]["ply"], &rows[3]["san"]), (&3.into(), &Value::Null));
    assert_eq!(rows[5]["game"], 3);
}

#[test]
fn the_bench_reports_every_kind_of_output() {
    let bench = ["bench", "--games", "16", "--steps", "5", "--format", "json"];
    let rows = object(&fine(&bench, ""));
    assert_eq!(rows.as_array().expect("rows").len(), 4);
    assert_eq!(rows[0]["steps"], 80);
}

#[test]
fn a_missing_gpu_is_one_sentence_and_a_strange_device_is_refused() {
    for command in ["bench", "selfplay"] {
        let output = fourchess(&[command, "--device", "gpu"], "");
        assert_eq!(output.status.code(), Some(2), "{command}");
        assert!(stderr(&output).contains("expected cpu, cuda or cuda:N"), "{}", stderr(&output));
        // No machine has so many, whether it has a driver or not.
        let output = fourchess(&[command, "--games", "2", "--device", "cuda:999"], "");
        assert_eq!(output.status.code(), Some(2), "{command}");
        let said = stderr(&output);
        let causes = ["there is no NVIDIA driver on this machine", "there is no CUDA device 999"];
        assert!(causes.iter().any(|cause| said.contains(cause)), "{said}");
        assert!(stdout(&output).is_empty(), "{command}");
    }
}
