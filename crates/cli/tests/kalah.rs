//! Runs `everyply kalah` the way people and scripts do.

mod everyply;

use std::{
    path::Path,
    process::{Command, Output, Stdio},
    thread,
    time::Duration,
};

use everyply::{run, stderr, stdout};
use game::{Game, Score, Verdict};
use kalah::{Kalah, Position, Rules};
use pictures::chart::{AHEAD_EVEN_BEHIND, Series};
use serde_json::Value;
use solver::{Access, Header, Settled, Stage};
use tempfile::TempDir;

fn kalah(arguments: &[&str], input: &str) -> Output {
    run(&[&["kalah"], arguments].concat(), input)
}

fn fine(arguments: &[&str], input: &str) -> String {
    let output = kalah(arguments, input);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    stdout(&output)
}

fn refused(arguments: &[&str]) -> String {
    ended(arguments, 1)
}

/// Refused for what the command line says, whatever the input is.
fn misused(arguments: &[&str]) -> String {
    ended(arguments, 2)
}

fn ended(arguments: &[&str], code: i32) -> String {
    let output = kalah(arguments, "");
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", stderr(&output));
    assert_eq!(stdout(&output), "", "{arguments:?}");
    stderr(&output)
}

fn object(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn url(directory: &Path, name: &str) -> String {
    format!("sqlite:{}", directory.join(name).display())
}

/// A directory with Kalah(3,3) solved in it, and the URL of that.
fn solved() -> (TempDir, String) {
    let directory = tempfile::tempdir().expect("a directory");
    let url = url(directory.path(), "k33.sqlite");
    let text =
        fine(&["solve", "--pits", "3", "--seeds", "3", "--store", &url, "--format", "json"], "");
    let solution = object(&text);
    assert_eq!((&solution["value"], &solution["positions"]), (&2.into(), &7_779.into()));
    (directory, url)
}

#[test]
fn solving_prints_one_object_with_value_best_and_positions() {
    let size = ["solve", "--pits", "2", "--seeds", "4", "--store", "memory:"];
    for (rules, value, positions) in [("std_either", -10, 122), ("empty_either", -12, 114)] {
        let rules = ["--rules", rules, "--format", "json"];
        let solution = object(&fine(&[&size[..], &rules].concat(), ""));
        assert_eq!(solution["value"], value);
        assert_eq!(solution["positions"], positions);
        assert!((1..=2).contains(&solution["best"].as_u64().expect("a pit")));
    }
    for threads in ["1", "2", "5"] {
        let more = ["--pie", "--threads", threads, "--memory-limit", "1", "--format", "json"];
        let solution = object(&fine(&[&size[..], &more].concat(), ""));
        assert_eq!(solution["value"], -10);
        assert!(solution["pie_value"].as_i64().expect("a value") <= 0);
    }
}

#[test]
fn the_default_store_is_a_file_named_after_the_game() {
    let directory = tempfile::tempdir().expect("a directory");
    let solve = |more: &[&str]| {
        let size = ["kalah", "solve", "--pits", "2", "--seeds", "3"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_everyply"));
        command.args([&size[..], more].concat()).current_dir(directory.path());
        command.output().expect("the binary ends")
    };
    assert_eq!(solve(&[]).status.code(), Some(0));
    assert!(directory.path().join("kalah-2x3-std_either.sqlite").exists());
    let again = solve(&[]);
    assert_eq!(again.status.code(), Some(1));
    assert!(stderr(&again).contains("already holds a game"), "{}", stderr(&again));
    assert_eq!(solve(&["--resume"]).status.code(), Some(0));
}

#[test]
fn values_best_moves_and_lines_agree() {
    let (_directory, url) = solved();
    let start = "3,3,3/3,3,3";
    let value = object(&fine(&["value", start, "--store", &url, "--format", "json"], ""));
    assert_eq!(value["value"], 2);
    let with_stores = format!("{start}/4-1");
    let value = object(&fine(&["value", &with_stores, "--store", &url, "--format", "json"], ""));
    assert_eq!((&value["value"], &value["result"]), (&2.into(), &5.into()));
    let moves = object(&fine(&["best", start, "--store", &url, "--format", "json"], ""));
    let moves = moves.as_array().expect("rows");
    assert_eq!(moves.len(), 3);
    assert_eq!((&moves[0]["value"], &moves[0]["best"]), (&2.into(), &true.into()));
    assert!(moves.is_sorted_by_key(|row| -row["value"].as_i64().expect("a value")));
    assert_eq!((&moves[0]["pit"], &moves[0]["remoteness"]), (&2.into(), &18.into()));
    assert_eq!((&moves[1]["pit"], &moves[1]["remoteness"]), (&1.into(), &19.into()));
    let line = object(&fine(&["line", start, "--store", &url, "--format", "json"], ""));
    let line = line.as_array().expect("rows");
    let plies: Vec<_> = line.iter().map(|row| row["remoteness"].as_u64()).collect();
    assert_eq!(plies, (1..=18).rev().map(Some).collect::<Vec<_>>());
    let last = line.last().expect("a move").clone();
    let stores = |row: &Value| row["store_1"].as_i64().zip(row["store_2"].as_i64());
    assert!(stores(&last).is_some_and(|(own, other)| own + other <= 18));
    let over = object(&fine(&["value", "0,0,0/0,0,1", "--store", &url, "--format", "json"], ""));
    assert_eq!((&over["value"], &over["best"]), (&(-1).into(), &Value::Null));
}

#[test]
fn what_cannot_be_answered_is_said() {
    let (directory, store) = solved();
    let cases = [
        (vec!["value", "3,3,3/3,3,x"], "pit 3 of the second side is 'x'"),
        (vec!["value", "3,3/3,3"], "has 2 pits on a side"),
        (
            vec!["value", "3,3,3/3,3,3", "--rules", "empty_mover"],
            "k33.sqlite was solved with the rules std_either",
        ),
    ];
    for (arguments, cause) in cases {
        let error = refused(&[&arguments[..], &["--store", &store]].concat());
        assert!(error.contains(cause), "{error}");
    }
    let mixed = ["value", "3,3,3/3,3,3", "x", "4,4,3/3,3,0", "--store", &store];
    let output = kalah(&[&mixed[..], &["--format", "jsonl"]].concat(), "");
    assert_eq!((output.status.code(), stdout(&output).lines().count()), (Some(1), 2));
    assert!(stderr(&output).contains("'x' does not have two sides"), "{}", stderr(&output));
    let nowhere = url(directory.path(), "nothing.sqlite");
    assert!(refused(&["stats", "--store", &nowhere]).contains("there is no"));
    assert!(misused(&["stats", "--store", "ftp://x"]).contains("is not a store"));
    let other = ["solve", "--pits", "3", "--seeds", "2", "--resume", "--store", &store];
    assert!(refused(&other).contains("the store holds 'kalah pits=3 seeds=3"));
    let size = ["solve", "--pits", "9", "--seeds", "3", "--store", "memory:"];
    assert!(misused(&size).contains("9 pits on a side"));
}

#[test]
fn a_solved_store_is_verified_and_a_changed_one_is_not() {
    let (_directory, url) = solved();
    let output = kalah(&["verify", "--store", &url, "--format", "jsonl"], "");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stdout(&output), "");
    assert!(stderr(&output).contains("7779 of 7779 positions recomputed, all correct"));
    let output = kalah(&["verify", "--store", &url, "--sample", "100", "--seed", "3"], "");
    assert!(stderr(&output).contains("100 of 7779"), "{}", stderr(&output));

    let kalah33 = Kalah::new(3, 3, Rules::STD_EITHER).expect("a size");
    let mut store = stores::open(&url, Access::Resume(Header::of(&kalah33))).expect("a store");
    let position: Position = "4,4,3/3,3,0".parse().expect("a position");
    let (rank, key) = (kalah33.rank(&position), kalah33.pack(&position));
    let verdict = Verdict::over(Score(17));
    store.settle(rank, &[Settled { key, verdict }]).expect("settled");
    store.commit(Stage::Solved).expect("committed");
    drop(store);
    let output = kalah(&["verify", "--store", &url, "--format", "jsonl"], "");
    assert_eq!(output.status.code(), Some(1));
    let wrong = object(stdout(&output).lines().next().expect("a row"));
    assert_eq!((&wrong["position"], &wrong["value"]), (&"4,4,3/3,3,0".into(), &17.into()));
}

#[test]
fn a_table_answers_what_a_store_answers() {
    let (directory, url) = solved();
    let out = directory.path().join("table");
    let out = out.to_str().expect("a path");
    let build = ["table", "--pits", "3", "--max-seeds", "12", "--out", out, "--format", "json"];
    let built = object(&fine(&build, ""));
    assert_eq!((&built["positions"], &built["found"]), (&18_564.into(), &0.into()));
    assert_eq!(object(&fine(&build, ""))["found"], 18_564, "nothing is built twice");
    let position = "1,0,3/2,2,0";
    let value = |place: [&str; 2]| {
        let value = fine(&["value", position, place[0], place[1], "--format", "json"], "");
        object(&value)["value"].clone()
    };
    assert_eq!(value(["--table", out]), value(["--store", &url]));
    // Of equally good moves a table takes the first, and a store one by its remoteness.
    let best = |place: [&str; 2]| {
        let moves = fine(&["best", position, place[0], place[1], "--format", "json"], "");
        let moves = object(&moves);
        let moves = moves.as_array().expect("rows").iter();
        let mut moves: Vec<_> =
            moves.map(|row| (row["pit"].as_u64(), row["value"].clone())).collect();
        moves.sort_by_key(|(pit, _)| *pit);
        moves
    };
    assert_eq!(best(["--table", out]), best(["--store", &url]));
    let line = |place: [&str; 2]| {
        let line = object(&fine(&["line", position, place[0], place[1], "--format", "json"], ""));
        (line[0]["value"].clone(), line[0]["remoteness"].is_null())
    };
    assert_eq!((line(["--table", out]).0, true), line(["--table", out]));
    assert_eq!((line(["--table", out]).0, false), line(["--store", &url]));
    let search = ["search", "--pits", "3", "--seeds", "3", "--table", out, "--format", "json"];
    let found = object(&fine(&search, ""));
    assert_eq!((&found["value"], &found["best"]), (&2.into(), &1.into()));
    assert!(found["nodes"].as_u64().expect("a count") > 0);
    let verified = kalah(&["verify", "--table", out], "");
    assert!(stderr(&verified).contains("18564 of 18564 positions"), "{}", stderr(&verified));
    let greedy =
        ["search", "--pits", "3", "--seeds", "3", "--table", out, "--memory-limit", "900TiB"];
    assert!(
        misused(&greedy).contains("bytes of memory for the search; lower it with --memory-limit")
    );
    assert!(refused(&["value", "9/9", "--table", out]).contains("has 1 pits on a side, not 3"));
    let other = ["table", "--pits", "3", "--max-seeds", "12", "--rules", "std_mover", "--out", out];
    assert!(refused(&other).contains("holds 'kalah pits=3 rules=std_either'"));
}

#[test]
fn counts_add_up_whatever_they_are_by() {
    let (directory, url) = solved();
    for by in ["seeds", "depth", "value", "moves", "rank"] {
        let plot = directory.path().join(format!("{by}.svg"));
        let plot = plot.to_str().expect("a path");
        let stats = ["stats", "--store", &url, "--by", by, "--plot", plot, "--format", "json"];
        let rows = object(&fine(&stats, ""));
        let total = |column: &str| -> u64 {
            let rows = rows.as_array().expect("rows").iter();
            rows.map(|row| row[column].as_u64().expect("a count")).sum()
        };
        assert_eq!(total("positions"), 7_779, "{by}");
        assert_eq!(total("ahead") + total("even") + total("behind"), 7_779, "{by}");
        let svg = std::fs::read_to_string(plot).expect("a drawing");
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
        check_bars(&svg, rows.as_array().expect("rows"), by);
    }
}

/// Checks that each count of a table is a bar, which is as high as the count is large.
fn check_bars(svg: &str, rows: &[Value], by: &str) {
    let number = |bar: &str, name: &str| -> f64 {
        let (_, rest) = bar.split_once(&format!(" {name}=\"")).expect("a number of the bar");
        rest.split('"').next().expect("its end").parse().expect("a number")
    };
    let (mut all, mut largest) = (Vec::new(), (0.0, 0.0));
    for Series { name, color } in AHEAD_EVEN_BEHIND {
        let fill = format!("fill=\"{color}\"/>");
        // The first one is in the legend.
        let bars: Vec<&str> = svg.lines().filter(|line| line.ends_with(&fill)).skip(1).collect();
        assert_eq!(bars.len(), rows.len(), "{by}: {name}");
        let places: Vec<f64> = bars.iter().map(|bar| number(bar, "x")).collect();
        assert!(places.is_sorted_by(|left, right| left < right), "{by}: {places:?}");
        for (bar, row) in bars.iter().zip(rows) {
            let (count, height) = (row[name].as_f64().expect("a count"), number(bar, "height"));
            all.push((count, height));
            largest = if count > largest.0 { (count, height) } else { largest };
        }
    }
    assert!(largest.1 > 30.0, "{by}: {largest:?}");
    for (count, height) in all {
        // Drawings have one decimal place.
        let expected = count * largest.1 / largest.0;
        assert!((height - expected).abs() < 0.2, "{by}: {count} is {height} high, not {expected}");
    }
    // Other names are left out if they would overlap.
    let columns = rows[0].as_object().expect("a row").values();
    let columns = columns.take(if by == "rank" { 2 } else { 1 }).map(Value::to_string);
    let name = columns.collect::<Vec<_>>().join(".");
    assert!(svg.contains(&format!(">{name}</text>")), "{by}: {name}");
}

#[test]
fn every_position_is_exported_once() {
    let (directory, url) = solved();
    let csv = fine(&["export", "--store", &url, "--to", "csv"], "");
    assert_eq!(csv.lines().count(), 7_780);
    let header = "position,seeds_in_play,steps,own_seeds,moves,over,depth,value,best,remoteness";
    assert_eq!(csv.lines().next(), Some(header));
    assert_eq!(csv.lines().last(), Some("\"3,3,3/3,3,3\",18,36,9,3,false,0,2,2,18"));
    let out = directory.path().join("k33.parquet");
    fine(&["export", "--store", &url, "--out", out.to_str().expect("a path")], "");
    let bytes = std::fs::read(&out).expect("a file");
    assert_eq!((&bytes[..4], &bytes[bytes.len() - 4..]), (&b"PAR1"[..], &b"PAR1"[..]));
    assert!(!directory.path().join("k33.parquet.unfinished").exists());
    let nameless = directory.path().join("k33.table");
    let error = misused(&["export", "--store", &url, "--out", nameless.to_str().expect("a path")]);
    assert!(error.contains("--out does not name a format") && !nameless.exists(), "{error}");
}

#[test]
fn d8_what_a_store_does_not_know_yet_is_searched() {
    let directory = tempfile::tempdir().expect("a directory");
    let url = url(directory.path(), "k33.sqlite");
    let kalah33 = Kalah::new(3, 3, Rules::STD_EITHER).expect("a size");
    drop(stores::open(&url, Access::Create(Header::of(&kalah33))).expect("a new store"));
    // What the store does not know yet is searched.
    let cache = directory.path().join("cache");
    let cache = cache.to_str().expect("a path");
    let ask = ["value", "3,3,3/3,3,3", "--store", &url, "--cache", cache, "--format", "json"];
    assert_eq!(object(&fine(&ask, ""))["value"], 2);
    let output = kalah(&["stats", "--store", &url], "");
    assert!(stderr(&output).contains("exploring has just begun"), "{}", stderr(&output));
}

#[test]
fn d8_a_damaged_store_is_named_and_repaired() {
    let directory = tempfile::tempdir().expect("a directory");
    let place = directory.path().join("k33");
    let url = format!("file:{}", place.display());
    fine(&["solve", "--pits", "3", "--seeds", "3", "--store", &url], "");
    let export = directory.path().join("export.csv");
    let export = export.to_str().expect("a path of text");
    let exported = || {
        fine(&["export", "--store", &url, "--format", "csv", "--out", export], "");
        std::fs::read(export).expect("an export")
    };
    let sound = exported();
    let files = place.read_dir().expect("a directory").map(|entry| entry.expect("an entry").path());
    let part = files.into_iter().find(|path| path.extension().is_some_and(|end| end == "parquet"));
    std::fs::write(part.expect("a part"), "").expect("emptied");
    let output = kalah(&["verify", "--store", &url], "");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stdout(&output).contains("it has 0 bytes, expected"), "{}", stdout(&output));
    let output = kalah(&["verify", "--store", &url, "--repair"], "");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).ends_with("all correct\n"), "{}", stderr(&output));
    assert!(exported() == sound, "the rows are those of before");
    assert_eq!(fine(&["verify", "--store", &url, "--format", "csv"], "").lines().count(), 1);
}

#[test]
fn d8_an_emptied_file_of_a_table_is_filled_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let table = directory.path().join("table");
    let path = table.to_str().expect("a path of text");
    let build = ["table", "--pits", "3", "--max-seeds", "8", "--out", path];
    fine(&build, "");
    let file = table.join("units-005-000");
    let whole = std::fs::read(&file).expect("a file");
    for repair in [&build[..], &["verify", "--table", path, "--repair"]] {
        std::fs::write(&file, "").expect("emptied");
        let output = kalah(&["verify", "--table", path], "");
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        fine(repair, "");
        assert!(std::fs::read(&file).expect("a file") == whole, "{repair:?}");
        fine(&["verify", "--table", path], "");
    }
}

#[test]
fn b6_a_table_asks_its_limit_before_it_takes_memory() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("table");
    let path = path.to_str().expect("a path of text");
    let large = ["table", "--pits", "6", "--max-seeds", "40", "--out", path];
    let start = std::time::Instant::now();
    let said = misused(&[&large[..], &["--memory-limit", "64MiB"]].concat());
    assert!(said.contains("raise it with --memory-limit"), "{said}");
    assert!(start.elapsed() < Duration::from_secs(5), "it takes longer to number the layouts");
    assert!(!Path::new(path).exists(), "nothing was begun");
}

#[test]
fn ctrl_c_leaves_work_that_can_be_resumed() {
    let directory = tempfile::tempdir().expect("a directory");
    let url = url(directory.path(), "k43.sqlite");
    let solve = ["kalah", "solve", "--pits", "4", "--seeds", "3", "--store", &url];
    let mut child = Command::new(env!("CARGO_BIN_EXE_everyply"))
        .args(solve)
        .stdout(Stdio::null())
        .spawn()
        .expect("the binary starts");
    thread::sleep(Duration::from_millis(400));
    let id = child.id().to_string();
    let interrupt = Command::new("kill").args(["-INT", &id]).status().expect("kill runs");
    assert!(interrupt.success());
    let status = child.wait().expect("the binary ends");
    assert_eq!(status.code(), Some(130));
    assert!(refused(&["verify", "--store", &url]).contains("is not solved yet"));
    let args = ["solve", "--pits", "4", "--seeds", "3", "--store", &url, "--resume"];
    let text = fine(&[&args[..], &["--format", "json"]].concat(), "");
    let solution = object(&text);
    assert_eq!((&solution["value"], &solution["positions"]), (&6.into(), &849_460.into()));
    fine(&args, "");
    let files = directory.path().read_dir().expect("a directory").count();
    assert_eq!(files, 1, "a solved store has no log beside it, also when it is resumed in vain");
}
