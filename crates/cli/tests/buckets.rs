//! Tables in a bucket behind a proxy that answers 429 and 503, cuts connections and answers, is
//! silent or slow: a statement ends right, or with a sentence, within a minute.

#[path = "../../stores/tests/servers/mod.rs"]
mod servers;

use std::{
    process::{Command, Output},
    thread,
    time::{Duration, Instant},
};

use servers::proxy::{BUSY, DOWN, Mood, Proxy};

/// Whatever goes wrong, it is known within this time.
const SOON: Duration = Duration::from_secs(60);

const GAMES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/chess/pgn/lichess_438_games.pgn");

/// Rows of the tables, whose files are larger than what the proxy hands on of an answer.
const ROWS: u64 = 50_000;

/// Failures that stop.
const PASSING: &[Mood] = &[
    Mood::Fair,
    Mood::Says(BUSY, 2),
    Mood::Says(DOWN, 2),
    Mood::Cut(2),
    Mood::CutAfter(50, 2),
    Mood::CutAfter(2000, 2),
    Mood::Slow,
];

/// Failures that do not.
const LASTING: &[Mood] = &[
    Mood::Says(BUSY, usize::MAX),
    Mood::Says(DOWN, usize::MAX),
    Mood::Cut(usize::MAX),
    Mood::CutAfter(50, usize::MAX),
    Mood::CutAfter(2000, usize::MAX),
    Mood::Silent,
];

fn sql(address: &str, statement: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_everyply"));
    command.args(["sql", statement, "--writable", "--format", "csv"]);
    command.env("AWS_ENDPOINT_URL", format!("http://{address}")).env("AWS_REGION", "us-east-1");
    command.env("AWS_ACCESS_KEY_ID", "any").env("AWS_SECRET_ACCESS_KEY", "secret");
    command.output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Statements that read and write the bucket, and their answers.
fn statements(name: &str) -> [(String, String); 5] {
    let answer = format!("n,m\n{ROWS},{}\n", ROWS * (ROWS + 1) / 2);
    let read = |place: &str| {
        (format!("select count(*) as n, sum(value) as m from '{place}'"), answer.clone())
    };
    [
        read("s3://games/table/part.parquet"),
        read("s3://games/table/"),
        read("s3://games/rows/*.csv"),
        (
            "select count(*) as n, count(result) as m from 's3://games/games.pgn'".to_owned(),
            "n,m\n438,438\n".to_owned(),
        ),
        (
            format!("copy (select 1 as one) to 's3://games/{name}/part.parquet'"),
            "count\n1\n".to_owned(),
        ),
    ]
}

#[test]
fn d7_statements_withstand_a_proxy_that_fails() {
    let Some(server) = servers::s3() else {
        servers::not_run("moto_server is missing");
        return;
    };
    fill(&server.address());
    let proxy = Proxy::before(&server.address());
    for (number, mood) in PASSING.iter().enumerate() {
        for (statement, answer) in statements(&format!("copied-{number}")) {
            proxy.set(*mood);
            let start = Instant::now();
            let output = sql(&proxy.address(), &statement);
            let told = text(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{mood:?}, {statement}: {told}");
            assert_eq!(text(&output.stdout), answer, "{mood:?}, {statement}: {told}");
            assert!(start.elapsed() < SOON, "{mood:?}, {statement}: {:?}", start.elapsed());
        }
    }
}

#[test]
fn d7_statements_give_up_where_failures_do_not_stop() {
    let Some(server) = servers::s3() else {
        servers::not_run("moto_server is missing");
        return;
    };
    fill(&server.address());
    // Each takes most of a minute, so they run at the same time.
    thread::scope(|scope| {
        for mood in LASTING {
            let [parquet, _, csv, games, copy] = statements("never");
            let asked = match mood {
                // What is written has no answer of this length, and each part of a PGN file is
                // asked for again on its own, which can take longer.
                Mood::CutAfter(2000, _) => vec![parquet, csv],
                _ => vec![parquet, games, copy],
            };
            for (statement, _) in asked {
                let proxy = Proxy::before(&server.address());
                proxy.set(*mood);
                scope.spawn(move || {
                    let start = Instant::now();
                    let output = sql(&proxy.address(), &statement);
                    let (told, time) = (text(&output.stderr), start.elapsed());
                    println!("{mood:?}, {statement}, {time:.0?}: {told}");
                    assert_eq!(output.status.code(), Some(3), "{mood:?}, {statement}: {told}");
                    assert!(told.contains("games/"), "{mood:?}, {statement}: {told}");
                    assert_eq!(told.lines().count(), 1, "{mood:?}, {statement}: {told}");
                    assert!(time < SOON, "{mood:?}, {statement}: {time:?}");
                });
            }
        }
    });
}

/// Writes the tables that statements read.
fn fill(address: &str) {
    for place in ["table/part.parquet", "rows/part.csv"] {
        let rows = format!("select value, random() as r from generate_series(1, {ROWS})");
        let output = sql(address, &format!("copy ({rows}) to 's3://games/{place}'"));
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    let games = format!("copy (select pgn from '{GAMES}') to 's3://games/games.pgn'");
    let output = sql(address, &games);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}
