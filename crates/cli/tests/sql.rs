//! `everyply sql`, run the way people and scripts do. What statements answer is the business of
//! crates/sql; here it is how they come in and how answers go out.

mod everyply;
#[cfg(feature = "s3")]
#[path = "../../stores/tests/servers/mod.rs"]
mod servers;

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use everyply::{run, stderr, stdout};

const SAMPLE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/chess/pgn/lichess_438_games.pgn");
const PERFT: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/chess/perft/perftsuite.epd");
const PUZZLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/kenken/keen_4e.txt");

fn fine(arguments: &[&str]) -> String {
    fine_with(arguments, "")
}

fn fine_with(arguments: &[&str], input: &str) -> String {
    let output = run(arguments, input);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    stdout(&output)
}

/// The one number that a statement answers.
fn number(statement: &str) -> u64 {
    let text = fine(&["sql", statement, "--format", "csv"]);
    let number = text.lines().nth(1).unwrap_or_default();
    number.parse().unwrap_or_else(|_| panic!("{statement}: {text}"))
}

const VALUES: &str = "select * from (values (1, 'a', [1, 2]), (2, null, null)) as t(n, s, l)";

#[test]
fn an_answer_comes_in_every_text_format() {
    let written = |format| fine(&["sql", VALUES, "--format", format]);
    assert_eq!(written("table"), "n  s  l\n1  a  [1,2]\n2\n");
    assert_eq!(written("csv"), "n,s,l\n1,a,\"[1,2]\"\n2,,\n");
    let lines = "{\"n\":1,\"s\":\"a\",\"l\":[1,2]}\n{\"n\":2,\"s\":null,\"l\":null}\n";
    assert_eq!(written("jsonl"), lines);
    let document: serde_json::Value = serde_json::from_str(&written("json")).unwrap();
    assert_eq!(document[1]["n"], 2);
    let none = fine(&["sql", "select 1 as one where false"]);
    assert_eq!(none, "one\n", "an answer without rows has columns");
}

#[test]
fn a_written_file_can_be_asked_again() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["a.parquet", "a.arrow", "a.csv", "a.jsonl", "a.json"] {
        let path = directory.path().join(name);
        let path = path.to_str().unwrap();
        assert_eq!(fine(&["sql", VALUES, "--out", path]), "");
        let again =
            fine(&["sql", &format!("select n, s from '{path}' order by n"), "--format", "csv"]);
        assert_eq!(again, "n,s\n1,a\n2,\n", "{name}");
        let named = format!("t={path}");
        let again = fine(&["sql", "select max(n) as n from t", "--table", &named]);
        assert_eq!(again, "n\n2\n", "{name}");
    }
    let left: Vec<_> = fs::read_dir(directory.path()).unwrap().collect();
    assert_eq!(left.len(), 5, "nothing unfinished is left: {left:?}");
}

#[test]
fn a9_ordered_answers_are_the_same_bytes_for_any_number_of_threads() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: String| directory.path().join(name).to_str().unwrap().to_owned();
    // More rows than a batch and than a group of rows, and more columns than one kind.
    let statement = "select x, x % 7 as few, cast(x * 7919 % 1000003 as varchar) as text, \
                     sqrt(x) as root, [x, x + 1] as list, nullif(x % 3, 0) as gaps \
                     from generate_series(1, 300000) t(x) order by few, text, x";
    for ending in ["parquet", "arrow", "csv"] {
        let written = |threads: &str| {
            let out = path(format!("{threads}.{ending}"));
            fine(&["sql", statement, "--threads", threads, "--out", &out]);
            fs::read(&out).unwrap()
        };
        let copied = |threads: &str| {
            let out = path(format!("copy-{threads}.{ending}"));
            let copy = format!("copy ({statement}) to '{out}'");
            fine(&["sql", &copy, "--threads", threads, "--writable"]);
            fs::read(&out).unwrap()
        };
        let (one, copy) = (written("1"), copied("1"));
        assert!(one.len() > 1_000_000 && copy.len() > 1_000_000);
        for threads in ["2", "16"] {
            assert!(written(threads) == one, "{ending}, {threads} threads");
            assert!(copied(threads) == copy, "{ending}, copied, {threads} threads");
        }
    }
}

#[test]
fn c4_two_columns_of_one_name_are_told_apart_in_every_format() {
    let directory = tempfile::tempdir().unwrap();
    for statement in ["select 1 as a, 2 as a", "select * from (select 1 as a) b, (select 2 as a) c"]
    {
        let written = |format| fine(&["sql", statement, "--format", format]);
        assert_eq!(written("table"), "a  a_1\n1    2\n");
        assert_eq!(written("csv"), "a,a_1\n1,2\n");
        assert_eq!(written("jsonl"), "{\"a\":1,\"a_1\":2}\n");
        let document: serde_json::Value = serde_json::from_str(&written("json")).unwrap();
        assert_eq!(document, serde_json::json!([{"a": 1, "a_1": 2}]));
        for ending in ["parquet", "arrow", "csv", "jsonl", "json"] {
            let path = directory.path().join(format!("two.{ending}"));
            let path = path.to_str().unwrap();
            fine(&["sql", statement, "--out", path]);
            let again = fine(&["sql", &format!("select a_1, a from '{path}'"), "--format", "csv"]);
            assert_eq!(again, "a_1,a\n2,1\n", "{ending}");
        }
    }
}

#[test]
fn statements_come_from_arguments_files_and_pipes() {
    let statements =
        "create view v as select 7 as seven; -- a comment\nselect * from v; select 8 as eight;";
    let expected = "seven\n    7\n\neight\n    8\n";
    assert_eq!(fine(&["sql", statements]), expected);
    assert_eq!(fine_with(&["sql"], statements), expected);
    assert_eq!(fine_with(&["sql", "--file", "-"], statements), expected);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("statements.sql");
    fs::write(&path, statements).unwrap();
    assert_eq!(fine(&["sql", "--file", path.to_str().unwrap()]), expected);
    assert_eq!(fine_with(&["sql"], " -- nothing\n"), "");
}

#[test]
fn what_goes_wrong_is_said_once_and_has_a_code() {
    let directory = tempfile::tempdir().unwrap();
    let nowhere = directory.path().join("none/a.csv");
    let file = directory.path().join("a.parquet");
    let (nowhere, file) = (nowhere.to_str().unwrap(), file.to_str().unwrap());
    let cases: &[(&[&str], i32, &str)] = &[
        (&["sql", "select"], 1, "everyply: Expected"),
        (&["sql", "select 1; select x"], 1, "everyply: statement 2: No field named x"),
        (&["sql", "select chess_fen('x')"], 1, "everyply: chess_fen: FEN 'x': "),
        (
            &["sql", "copy (select 1) to 'x.csv'"],
            1,
            "everyply: COPY is refused: this session is read-only; allow it",
        ),
        (&["sql", "select 1", "--table", "t=none.csv"], 1, "everyply: none.csv: there is no such"),
        (&["sql", "select 1", "--table", "t"], 2, "error: invalid value 't'"),
        (&["sql", "select 1", "--memory-limit", "much"], 2, "error: invalid value 'much'"),
        (&["sql", "select 1", "--time-limit=-1"], 2, "error: invalid value '-1'"),
        (&["sql", "select 1", "--out", nowhere], 3, "everyply: cannot write"),
        (&["sql", "select 1", "--out", "answer"], 2, "everyply: the extension of --out does not"),
        (&["sql", "select 1; select 2", "--out", file], 1, "everyply: statement 2: a file or"),
        (&["sql", "--file", "none.sql"], 1, "everyply: cannot read none.sql"),
    ];
    for (arguments, code, message) in cases {
        let output = run(arguments, "");
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(*code), "{arguments:?}: {said}");
        assert!(said.starts_with(message), "{arguments:?}: {said}");
        assert!(*code == 2 || said.lines().count() == 1, "{arguments:?}: {said}");
    }
    assert!(!Path::new(file).exists(), "a file of two answers is not finished");
}

#[test]
fn a_statement_that_needs_too_much_ends_with_an_error() {
    let statement = "select count(*) from generate_series(1, 20000000) as a(x) \
        join generate_series(1, 20000000) as b(y) on a.x = b.y";
    let output = run(&["sql", statement, "--memory-limit", "64MiB"], "");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let said = stderr(&output);
    assert!(
        said.starts_with("everyply: the statement needs more than the memory limit of 64.0 MB"),
        "{said}"
    );
}

const ENDLESS: &str =
    "with recursive t as (select 1 as n union all select n + 1 from t) select * from t";

fn endless(statement: &str) -> std::process::Child {
    Command::new(env!("CARGO_BIN_EXE_everyply"))
        .args(["sql", statement, "--format", "csv"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn a_reader_that_has_seen_enough_ends_it() {
    let mut child = endless(ENDLESS);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "n");
    assert_eq!(lines.next().unwrap().unwrap(), "1");
    drop(lines);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(said, "");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it_with_its_own_code() {
    let mut child = endless(&format!("select max(n) from ({ENDLESS})"));
    // Until it listens an interrupt ends it as the system does, without a code.
    std::thread::sleep(Duration::from_secs(2));
    let started = Instant::now();
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn every_result_of_ours_is_a_table() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let moves = fine(&["chess", "moves", "--from", PERFT, "--format", "jsonl"]);
    let castles = |line: &&str| line.contains(" w ") && line.contains("\"san\":\"O-O\"");
    let castles = moves.lines().filter(castles).count() as u64;
    assert!(castles > 0);
    for format in ["parquet", "arrow", "csv", "jsonl", "json"] {
        let file = path(&format!("moves.{format}"));
        let output = run(&["chess", "moves", "--from", PERFT, "--format", format], "");
        fs::write(&file, output.stdout).unwrap();
        let whites =
            format!("select count(*) from '{file}' where fen like '% w %' and san = 'O-O'");
        assert_eq!(number(&whites), castles, "{format}");
    }
    let facts = path("facts");
    fine(&["chess", "facts", SAMPLE, "--out", &facts, "--part-rows", "5000"]);
    assert!(fs::read_dir(&facts).unwrap().count() > 3, "several parts");
    let games = path("games.parquet");
    fs::write(&games, run(&["chess", "games", SAMPLE, "--format", "parquet"], "").stdout).unwrap();
    assert_eq!(number(&format!("select count(*) from '{facts}'")), 28_976);
    let joined = format!(
        "select count(*) from '{games}' as g join '{facts}' as f on f.game = g.game and f.ply = g.plies \
         where g.fen = f.fen and g.zobrist = f.zobrist"
    );
    assert_eq!(number(&joined), 438);

    let store = format!("sqlite:{}", path("kalah.sqlite"));
    fine(&["kalah", "solve", "--pits", "3", "--seeds", "2", "--store", &store]);
    let export = path("kalah.parquet");
    fine(&["kalah", "export", "--store", &store, "--out", &export]);
    let values = number(&format!("select count(value) from '{export}'"));
    let solution = fine(&["kalah", "stats", "--store", &store, "--format", "jsonl"]);
    let positions: u64 = solution
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["positions"].as_u64())
        .map(Option::unwrap)
        .sum();
    assert_eq!(values, positions);
    let direct = format!(
        "select count(*) from kalah_store('{store}') as s join '{export}' as e \
        using (position) where (s.value is not distinct from e.value) and (s.best is not distinct from e.best)"
    );
    assert_eq!(number(&direct), positions);

    for (name, arguments) in [
        ("solve.parquet", &["kenken", "solve", PUZZLES, "--format", "parquet"][..]),
        ("grade.arrow", &["kenken", "grade", PUZZLES, "--format", "arrow"]),
        ("selfplay.parquet", &["fourchess", "selfplay", "--games", "3", "--format", "parquet"]),
        ("divide.csv", &["chess", "perft", "--depth", "3", "--divide", "--format", "csv"]),
    ] {
        let output = run(arguments, "");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
        let file = path(name);
        fs::write(&file, output.stdout).unwrap();
        assert!(number(&format!("select count(*) from '{file}'")) > 0, "{name}");
    }
    assert_eq!(number(&format!("select sum(nodes) from '{}'", path("divide.csv"))), 8_902);
}

#[test]
fn functions_and_plans_can_be_listed() {
    let functions = fine(&["sql", "select name from everyply.functions", "--format", "csv"]);
    for name in ["chess_fen", "chess_facts", "bit_count", "squares"] {
        assert!(functions.lines().any(|line| line == name), "{functions}");
    }
    let plan = fine(&["sql", "explain select 1 + 1 as two"]);
    assert!(plan.contains("ProjectionExec") && !plan.contains('\u{fffd}'), "{plan}");
}

#[cfg(feature = "s3")]
#[test]
fn tables_in_a_bucket_are_written_and_read() {
    let Some(server) = servers::s3() else {
        servers::not_run("moto_server is missing");
        return;
    };
    let endpoint = format!("http://{}", server.address());
    let sql = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_everyply"));
        command.arg("sql").args(arguments).args(["--format", "csv"]);
        command.env("AWS_ENDPOINT_URL", &endpoint).env("AWS_REGION", "us-east-1");
        command.env("AWS_ACCESS_KEY_ID", "any").env("AWS_SECRET_ACCESS_KEY", "secret");
        command.output().unwrap()
    };
    let copy = "copy (select uci, chess_san('start', uci) as san from chess_moves('start')) \
                to 's3://games/moves/part.parquet'";
    let refused = sql(&[copy]);
    assert_eq!(refused.status.code(), Some(1), "{}", stderr(&refused));
    let written = sql(&[copy, "--writable"]);
    assert_eq!(written.status.code(), Some(0), "{}", stderr(&written));
    for place in ["s3://games/moves/part.parquet", "s3://games/moves/"] {
        let read = sql(&[&format!("select count(*) as n from '{place}' where san like 'N%'")]);
        assert_eq!(stdout(&read), "n\n4\n", "{place}: {}", stderr(&read));
    }
    // A pattern takes what it matches, whatever the format.
    for name in ["csv/a1.csv", "csv/a2.csv", "csv/b1.csv", "moves/other.parquet"] {
        let copy = format!("copy (select 'Nf3' as san) to 's3://games/{name}'");
        let written = sql(&[&copy, "--writable"]);
        assert_eq!(written.status.code(), Some(0), "{}", stderr(&written));
    }
    for (place, rows) in
        [("moves/p*.parquet", 20), ("moves/*.parquet", 21), ("csv/a*.csv", 2), ("csv/b[12].csv", 1)]
    {
        let read = sql(&[&format!("select count(*) as n from 's3://games/{place}'")]);
        assert_eq!(stdout(&read), format!("n\n{rows}\n"), "{place}: {}", stderr(&read));
    }
    for name in ["x*.parquet", "csv/x*.csv"] {
        let missing = sql(&[&format!("select * from 's3://games/{name}'")]);
        assert_eq!(missing.status.code(), Some(1));
        let told = stderr(&missing);
        assert!(told.contains(&format!("s3://games/{name}: no file matches")), "{told}");
    }
    let missing = sql(&["select * from 's3://games/nothing.parquet'"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(stderr(&missing).contains("s3://games/nothing.parquet"), "{}", stderr(&missing));
    assert!(!stderr(&missing).contains("secret"));
}
