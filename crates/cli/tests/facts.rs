//! `everyply chess facts` the way people and scripts use it.

use std::{
    fs::{self, File},
    path::Path,
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use arrow::{array::AsArray, datatypes::UInt64Type};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

const SAMPLE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/chess/pgn/lichess_438_games.pgn");
const ROWS: usize = 28_976;

fn facts(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_everyply"));
    command.args(["chess", "facts"]).args(arguments).stdin(Stdio::null());
    command.output().expect("the binary runs")
}

fn lines(output: &Output) -> Vec<serde_json::Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn fine(arguments: &[&str]) -> Output {
    let output = facts(arguments);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {message}");
    output
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let one = fine(&[SAMPLE, "--threads", "1", "--format", "jsonl"]).stdout;
    for threads in ["2", "5"] {
        assert!(one == fine(&[SAMPLE, "--threads", threads, "--format", "jsonl"]).stdout);
    }
    let directory = tempfile::tempdir().unwrap();
    let parts = |threads: &str| {
        let out = directory.path().join(threads);
        let out = out.to_str().unwrap();
        fine(&[SAMPLE, "--threads", threads, "--out", out, "--part-rows", "5000"]);
        part_bytes(Path::new(out))
    };
    let one = parts("1");
    assert!(one.len() > 3);
    assert!(one == parts("3"));
}

fn part_bytes(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut parts: Vec<(String, Vec<u8>)> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect();
    parts.sort();
    parts
}

#[test]
fn rows_say_what_is_true() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("positions.fen");
    let fen = "r2qk2r/ppp2ppp/2np1n2/2b1p1B1/2B1P1b1/3P1N2/PPP2PPP/RN1QK2R w KQkq - 0 1";
    fs::write(&path, format!("{fen}\n")).unwrap();
    let path = path.to_str().unwrap();
    let output =
        fine(&[path, "--format", "jsonl", "--facts", "everything,lists,relatively_pinned_mask"]);
    let row = &lines(&output)[0];
    assert_eq!((&row["game"], &row["ply"], &row["fen"]), (&1.into(), &0.into(), &fen.into()));
    assert_eq!(row["black_relatively_pinned"], 1);
    assert_eq!(row["black_relatively_pinned_mask"], "0000200000000000");
    let pin = serde_json::json!({
        "slider": "g5", "slider_piece": "bishop",
        "front": "f6", "front_piece": "knight",
        "back": "d8", "back_piece": "queen",
    });
    assert_eq!(row["black_relative_pins"][0], pin);
    assert_eq!(row["white_material"], 39);
    let only = fine(&[path, "--format", "csv", "--facts", "open_files,pinned"]).stdout;
    let only = String::from_utf8(only).unwrap();
    assert!(only.starts_with("source,game,ply,fen,zobrist,open_files,white_pinned,black_pinned\n"));
}

#[test]
fn literal_definitions_are_named_in_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("facts.parquet");
    let out = out.to_str().unwrap();
    fine(&[SAMPLE, "--definitions", "literal", "--facts", "lines", "--out", out]);
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(out).unwrap()).unwrap();
    let metadata = reader.schema().metadata().clone();
    assert_eq!(metadata["everyply.definitions"], "literal");
    assert_eq!(metadata["everyply.schema"], "chess.facts");
    let backward = |row: &serde_json::Value| row["white_backward"].as_u64().unwrap();
    let std = lines(&fine(&[SAMPLE, "--format", "jsonl", "--facts", "backward"]));
    assert!(std.iter().map(backward).sum::<u64>() > 0);
    let literal = ["--definitions", "literal", "--format", "jsonl", "--facts", "backward"];
    let literal = lines(&fine(&[&[SAMPLE][..], &literal].concat()));
    assert_eq!(literal.iter().map(backward).sum::<u64>(), 0);
}

#[test]
fn conditions_choose_games_and_positions() {
    let count = |arguments: &[&str]| {
        let fixed = [SAMPLE, "--format", "jsonl", "--facts", "material"];
        lines(&fine(&[&fixed[..], arguments].concat())).len()
    };
    assert_eq!(count(&[]), ROWS);
    assert_eq!(count(&["--where", "ply", "=", "0"]), 438);
    assert_eq!(count(&["--every", "1000"]), 438);
    let white = count(&["--where", "result", "=", "1-0"]);
    let others = count(&["--where", "result", "!=", "1-0"]);
    assert_eq!(white + others, ROWS);
    let strong = ["--where", "white_elo", ">=", "2000", "--where", "ply", "=", "0"];
    let text = fs::read_to_string(SAMPLE).unwrap();
    let elo =
        |line: &str| line.strip_prefix("[WhiteElo \"")?.strip_suffix("\"]")?.parse::<u32>().ok();
    let expected = text.lines().filter_map(elo).filter(|elo| *elo >= 2000).count();
    assert!(expected > 0);
    assert_eq!(count(&strong), expected);
    for (flag, words) in [("--where", &["elo", "=", "1"][..]), ("--facts", &["beauty"])] {
        let refused = facts(&[&[SAMPLE, flag][..], words].concat());
        assert_eq!(refused.status.code(), Some(2), "{flag}");
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(said.starts_with(&format!("everyply: {flag}: '{}' is n", words[0])), "{said}");
    }
}

#[test]
fn bad_records_are_reported_and_left_out_or_stop_the_work() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("positions.epd");
    let good = "8/8/8/8/8/4k3/8/4K3 w - -";
    fs::write(&path, format!("{good}\n4k3/8/8/8/8/8/8/4R1K1 w - -\n{good} id \"x\";\n")).unwrap();
    let path = path.to_str().unwrap();
    let output = facts(&[path, "--format", "jsonl"]);
    assert_eq!(output.status.code(), Some(1));
    let games: Vec<u64> = lines(&output).iter().map(|row| row["game"].as_u64().unwrap()).collect();
    assert_eq!(games, [1, 3]);
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains(": line 2: white is to move, but the black king"), "{message}");
    assert!(message.ends_with("everyply: bad records skipped: 1\n"), "{message}");
    let output = facts(&[path, "--format", "jsonl", "--on-error", "fail"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("stopped at the first bad record"));
    assert_eq!(lines(&output).len(), 1, "nothing after it is written");
    let out = directory.path().join("parts");
    let arguments = [path, "--facts", "pinned", "--out", out.to_str().unwrap()];
    assert_eq!(facts(&[&arguments[..], &["--on-error", "fail"]].concat()).status.code(), Some(1));
    assert_eq!(keys(&out), [(1, 0)]);
    assert_eq!(part_bytes(&out).len(), 1, "what was good before it is a part");
    assert_eq!(facts(&[&arguments[..], &["--append"]].concat()).status.code(), Some(1));
    assert_eq!(keys(&out), [(1, 0), (3, 0)]);
    let output = facts(&["/nowhere.pgn", path, "--format", "jsonl"]);
    assert_eq!((output.status.code(), lines(&output).len()), (Some(1), 2));
}

#[test]
fn a_bad_first_line_costs_only_itself() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("positions.fen");
    fs::write(&path, "garbage\n8/8/8/8/8/4k3/8/4K3 w - - 0 1\n").unwrap();
    let output = facts(&[path.to_str().unwrap(), "--format", "jsonl"]);
    assert_eq!((output.status.code(), lines(&output).len()), (Some(1), 1));
}

#[test]
fn what_does_not_go_on_from_the_parts_is_not_appended() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("parts");
    let arguments = [SAMPLE, "--facts", "pinned", "--out", out.to_str().unwrap()];
    let arguments = [&arguments[..], &["--part-rows", "5000", "--every", "2"]].concat();
    fine(&arguments);
    let parts = part_bytes(&out);
    let refused = |more: &[&str], code: i32, cause: &str| {
        let output = facts(&[&arguments[..], &["--append"], more].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(cause), "{said}");
    };
    refused(&["--where", "ply", "<", "9"], 1, "other --every or --where: 'every 2: '");
    refused(&["-"], 2, "standard input");
    assert!(part_bytes(&out) == parts, "nothing has changed");
    assert_eq!(parts.len(), 3);
    let whole = keys(&out);
    fs::remove_file(out.join("part-00001.parquet")).unwrap();
    refused(&[], 1, "part-00001.parquet: this part is missing");
    fs::remove_file(out.join("part-00002.parquet")).unwrap();
    fine(&[&arguments[..], &["--append"]].concat());
    assert_eq!(keys(&out), whole);
}

#[test]
fn a4_of_two_writers_of_a_directory_one_is_refused_and_nothing_is_lost() {
    let directory = tempfile::tempdir().unwrap();
    let games = directory.path().join("games.pgn");
    fs::write(&games, fs::read(SAMPLE).unwrap().repeat(4)).unwrap();
    for (out, target) in [("parts", "parts"), ("facts.parquet", "facts.parquet.unfinished")] {
        let out = directory.path().join(out);
        let arguments = [games.to_str().unwrap(), "--facts", "pinned", "--out"];
        let arguments = [&arguments[..], &[out.to_str().unwrap()]].concat();
        let mut first = Command::new(env!("CARGO_BIN_EXE_everyply"));
        let mut first = first.args(["chess", "facts"]).args(&arguments).spawn().unwrap();
        while !directory.path().join(target).exists() {
            assert_eq!(first.try_wait().unwrap(), None);
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(20));
        let second = facts(&arguments);
        let said = String::from_utf8(second.stderr).unwrap();
        assert_eq!(second.status.code(), Some(3), "{said}");
        let refusal = format!("cannot write {}: another writer is writing it", out.display());
        assert_eq!(said, format!("everyply: {refusal}\n"));
        assert!(first.wait().unwrap().success());
        let directory = if out.is_dir() { &out } else { directory.path() };
        assert_eq!(keys(directory).len(), 4 * ROWS);
        assert!(!directory.join(".lock").exists());
        if out.is_dir() {
            fs::remove_dir_all(&out).unwrap();
        }
    }
}

#[test]
fn a5_parts_of_another_schema_are_not_appended_to() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("parts");
    let append = |names: &str, more: &[&str]| {
        let fixed = [SAMPLE, "--out", out.to_str().unwrap(), "--append", "--facts", names];
        let output = facts(&[&fixed[..], more].concat());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(append("pinned", &[]), (Some(0), String::new()));
    let parts = part_bytes(&out);
    let same = "; --append needs the same --facts and --definitions";
    for (names, more, difference) in [
        ("attacked", &[][..], "it has a column white_pinned"),
        ("pinned,attacked", &[], "it has no column white_attacked"),
        ("pinned_mask", &[], "it has a column white_pinned"),
        ("pinned", &["--definitions", "literal"], "its everyply.definitions is 'std'"),
    ] {
        let (code, said) = append(names, more);
        assert_eq!(code, Some(1), "{names}: {said}");
        let place = out.join("part-00000.parquet");
        assert!(
            said.starts_with(&format!("everyply: {}: {difference}", place.display())),
            "{said}"
        );
        assert!(said.trim_end().ends_with(same), "{said}");
    }
    assert_eq!(append("pinned", &[]), (Some(0), String::new()), "the same goes on");
    assert!(part_bytes(&out) == parts, "nothing has changed");
    let all = directory.path().join("all");
    let arguments = [SAMPLE, "--out", all.to_str().unwrap(), "--facts", "everything,masks,lists"];
    fine(&arguments);
    fine(&[&arguments[..], &["--append"]].concat());
}

#[test]
fn c4_append_says_which_part_is_damaged() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("parts");
    let arguments = [SAMPLE, "--facts", "pinned", "--out", out.to_str().unwrap()];
    let arguments = [&arguments[..], &["--part-rows", "9000"]].concat();
    fine(&arguments);
    let part = out.join("part-00001.parquet");
    // A bit of the footer, which holds how far the part goes.
    let mut flipped = fs::read(&part).unwrap();
    let at = flipped.len() - 300;
    flipped[at] ^= 1;
    let short: [&[u8]; 3] = [b"", b"PAR1", b"no table at all, but some text that is long enough"];
    for damaged in [&flipped[..]].into_iter().chain(short) {
        fs::write(&part, damaged).unwrap();
        let output = facts(&[&arguments[..], &["--append"]].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        let expected = format!("everyply: {}: the part is damaged: ", part.display());
        assert!(said.starts_with(&expected), "{said}");
    }
}

#[test]
fn d5_a_newline_in_the_name_of_a_file_does_not_make_rows_twice() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["two\nlines.epd", "back\\nslash.epd", "end\r"] {
        let path = directory.path().join(name);
        fs::write(&path, "8/8/8/8/8/4k3/8/4K3 w - -\n".repeat(3)).unwrap();
        let out = tempfile::tempdir().unwrap();
        let arguments = [path.to_str().unwrap(), "--append", "--out", out.path().to_str().unwrap()];
        fine(&arguments);
        fine(&arguments);
        assert_eq!(keys(out.path()), [(1, 0), (2, 0), (3, 0)], "{name:?}");
    }
}

#[test]
fn d4_a_link_and_the_mode_of_a_file_are_kept() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("secret.csv"), "old").unwrap();
    fs::set_permissions(at("secret.csv"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink("secret.csv", at("link.csv")).unwrap();
    fine(&[SAMPLE, "--facts", "pinned", "--out", at("link.csv").to_str().unwrap()]);
    assert_eq!(fs::read_link(at("link.csv")).unwrap(), Path::new("secret.csv"));
    assert_eq!(at("secret.csv").metadata().unwrap().mode() & 0o7777, 0o600);
    assert_eq!(fs::read_to_string(at("secret.csv")).unwrap().lines().count(), 1 + ROWS);
}

/// Reads the keys of all finished parts, in order.
fn keys(directory: &Path) -> Vec<(u64, u64)> {
    let mut keys = Vec::new();
    for (name, _) in part_bytes(directory) {
        if !name.ends_with(".parquet") {
            continue;
        }
        let file = File::open(directory.join(name)).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
        for batch in reader {
            let batch = batch.unwrap();
            let column = |name: &str| {
                let column = batch.column_by_name(name).unwrap();
                column.as_primitive::<UInt64Type>().values().to_vec()
            };
            keys.extend(column("game").into_iter().zip(column("ply")));
        }
    }
    keys
}

#[test]
fn a_killed_run_keeps_its_parts_and_is_completed_by_append() {
    let directory = tempfile::tempdir().unwrap();
    let games = directory.path().join("games.pgn");
    fs::write(&games, fs::read(SAMPLE).unwrap().repeat(12)).unwrap();
    let games = games.to_str().unwrap();
    for attempt in 0..4 {
        let out = directory.path().join(format!("out{attempt}"));
        let arguments =
            ["chess", "facts", games, "--part-rows", "20000", "--out", out.to_str().unwrap()];
        let mut child =
            Command::new(env!("CARGO_BIN_EXE_everyply")).args(arguments).spawn().unwrap();
        let deadline = Instant::now() + Duration::from_secs(120);
        let wanted = 1 + 2 * attempt;
        let finished = || {
            fs::read_dir(&out).map_or(0, |entries| {
                entries
                    .filter(|e| {
                        e.as_ref().unwrap().path().extension().is_some_and(|end| end == "parquet")
                    })
                    .count()
            })
        };
        while finished() < wanted && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(3));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let kept = keys(&out).len();
        assert!(kept >= 20_000 * wanted, "finished parts can be read: {kept}");
        assert!(kept < 12 * ROWS, "the kill came before the end");

        let without_append = facts(&arguments[2..]);
        assert_eq!(without_append.status.code(), Some(1), "nothing is overwritten");
        fine(&[&arguments[2..], &["--append"]].concat());
        let keys = keys(&out);
        assert_eq!(keys.len(), 12 * ROWS, "nothing is lost");
        assert!(
            keys.is_sorted() && keys.windows(2).all(|pair| pair[0] < pair[1]),
            "nothing is twice"
        );
        fine(&[&arguments[2..], &["--append"]].concat());
        assert_eq!(self::keys(&out).len(), 12 * ROWS, "complete is complete");
    }
}

#[test]
fn show_says_the_facts() {
    let fen = "r2qk2r/ppp2ppp/2np1n2/2b1p1B1/2B1P1b1/3P1N2/PPP2PPP/RN1QK2R w KQkq - 0 1";
    let output = Command::new(env!("CARGO_BIN_EXE_everyply"))
        .args(["chess", "show", fen, "--facts"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("the knight on f6 is pinned to the queen on d8 by the bishop on g5\n"),
        "{text}"
    );
}
