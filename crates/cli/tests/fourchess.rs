//! Runs `everyply fourchess` the way people and scripts do.

mod everyply;

use std::process::Output;

use everyply::{run, stderr, stdout};
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
        rows.iter().find(|row| row["move"] == name).expect(name)["captures"].clone()
    };
    assert_eq!(taken("f4xNe3"), "blue knight and red pawn");
    let fen = fen.replacen("4,bN,9", "14", 1);
    let moves = object(&fine(&["moves", "--fen", &fen, "--format", "json"], ""));
    let row = moves.as_array().expect("rows").iter().find(|row| row["move"] == "f4xe3");
    assert_eq!(row.expect("en passant")["captures"], "red pawn");
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

#[test]
fn the_bench_reports_every_kind_of_output() {
    let bench = ["bench", "--games", "16", "--steps", "5", "--format", "json"];
    let rows = object(&fine(&bench, ""));
    assert_eq!(rows.as_array().expect("rows").len(), 4);
    assert_eq!(rows[0]["steps"], 80);
}
