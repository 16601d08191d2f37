//! Games of files in SQL: the rows of the commands, and what is said of bad files.

mod everyply;
#[cfg(feature = "s3")]
#[path = "../../stores/tests/servers/mod.rs"]
mod servers;

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
};

use everyply::{run, stderr, stdout};
use tempfile::TempDir;

const GAMES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/chess/pgn/lichess_438_games.pgn");

/// The columns of a file of CSV, for a statement.
fn columns(csv: &str) -> String {
    let names = csv.lines().next().expect("a header").split(',');
    names.map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

fn csv(arguments: &[&str]) -> String {
    let output = run(&[arguments, &["--format", "csv"]].concat(), "");
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    stdout(&output)
}

/// Every column of every fact.
const FACTS: &str = "everything,masks,lists,moves,mover_everything,mover_masks,mover_lists,\
                     mover_moves,opponent_everything,opponent_masks,opponent_lists,opponent_moves";

/// Every ply is looked at under `EVERYPLY_SLOW=1`, else one in so many.
fn every(share: &'static str) -> &'static str {
    let slow = std::env::var_os("EVERYPLY_SLOW").is_some_and(|value| value == "1");
    if slow { "1" } else { share }
}

#[test]
fn tables_of_games_are_what_the_commands_print() {
    let every = every("9");
    let facts = format!("chess_positions('FILE', {every})");
    let cases: [(&[&str], &str, &str); 3] = [
        (&["chess", "games", GAMES, "--text"], "'FILE'", "game"),
        (&["chess", "games", GAMES, "--positions"], "chess_positions('FILE')", "game, ply"),
        (&["chess", "facts", GAMES, "--facts", FACTS, "--every", every], &facts, "game, ply"),
    ];
    for (command, table, order) in cases {
        let expected = csv(command);
        let table = table.replace("FILE", GAMES);
        for threads in ["1", "2", "5"] {
            let statement = format!("select {} from {table} order by {order}", columns(&expected));
            let found = csv(&["sql", &statement, "--threads", threads]);
            assert!(found == expected, "{command:?} on {threads} threads");
        }
        // One thread reads in the order of the file.
        let statement = format!("select {} from {table}", columns(&expected));
        let found = csv(&["sql", &statement, "--threads", "1"]);
        assert!(found == expected, "{command:?} without an order");
    }
    // A file of games is the table of games, with all its columns.
    let all = csv(&["sql", &format!("select * from '{GAMES}'"), "--threads", "1"]);
    assert!(all == csv(&["chess", "games", GAMES, "--text"]));
}

#[test]
fn bad_files_are_reported_with_their_places() {
    let directory = tempfile::tempdir().expect("a directory");
    let place = |name: &str| directory.path().join(name).display().to_string();
    let bad =
        "[White \"A\"]\n\n1. e4 *\n\n[White \"B\"]\n\n1. e4 e4 *\n\n[White \"C\"]\n\n1. d4 *\n";
    fs::write(place("bad.pgn"), bad).expect("a file");
    fs::write(
        place("latin.pgn"),
        b"[White \"J\xf6rg\"]\n\n1. e4 *\n\n[White \"\xc3\x9c\"]\n\n1. d4 *\n",
    )
    .expect("a file");
    fs::write(place("picture.pgn"), b"\x89PNG\r\n\x1a\n\0\0").expect("a file");
    fs::write(place("games.txt"), bad).expect("a file");
    fs::create_dir(place("empty")).expect("a directory");
    let sql = |statement: &str| run(&["sql", statement, "--format", "csv"], "");
    let cases = [
        (
            format!("select white from '{}' order by white", place("bad.pgn")),
            "white\nA\nC\n",
            format!(
                "everyply: {}: game 2, line 7: e4 is not a legal move here (move 1 of black)\n\
                 everyply: bad records skipped: 1\n",
                place("bad.pgn")
            ),
            1,
        ),
        (
            format!("select white from '{}' order by game", place("latin.pgn")),
            "white\nJ\u{f6}rg\n\u{dc}\n",
            String::new(),
            0,
        ),
        (
            format!("select count(*) as n from '{}'", place("picture.pgn")),
            "n\n0\n",
            format!(
                "everyply: {}: it is binary, not PGN\neveryply: bad records skipped: 1\n",
                place("picture.pgn")
            ),
            1,
        ),
        (
            format!("select * from chess_games('{}')", place("empty")),
            "",
            format!("everyply: {}: there is no PGN file\n", place("empty")),
            1,
        ),
        (
            format!("select * from chess_games('{}')", place("*.zst")),
            "",
            format!("everyply: {}: there is no PGN file\n", place("*.zst")),
            1,
        ),
        (
            format!("select * from chess_positions('{}')", place("none.pgn")),
            "",
            format!("everyply: {}: there is no such file\n", place("none.pgn")),
            1,
        ),
    ];
    for (statement, rows, told, code) in cases {
        let output = sql(&statement);
        assert_eq!(stdout(&output), rows, "{statement}");
        assert_eq!(stderr(&output), told, "{statement}");
        assert_eq!(output.status.code(), Some(code), "{statement}");
    }
    // A function reads a named file whatever its name ends with; a name alone must tell.
    let named = sql(&format!("select count(*) as n from chess_games('{}')", place("games.txt")));
    assert_eq!((stdout(&named).as_str(), named.status.code()), ("n\n2\n", Some(1)));
    let unknown = sql(&format!("select * from '{}'", place("games.txt")));
    assert!(stderr(&unknown).contains("unknown file format"), "{}", stderr(&unknown));
}

#[test]
fn games_that_match_are_written_as_pgn() {
    let directory = tempfile::tempdir().expect("a directory");
    let strong = ["chess", "games", GAMES, "--where", "white_elo", ">=", "2000"];
    let output = run(&[&strong[..], &["--format", "pgn"]].concat(), "");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("[%clk 0:"), "comments are kept");
    let found = directory.path().join("found.pgn").display().to_string();
    fs::write(&found, &text).expect("a file");
    let without = |csv: String| -> Vec<String> {
        // The file and the number differ.
        csv.lines().map(|line| line.splitn(3, ',').nth(2).unwrap_or(line).to_owned()).collect()
    };
    let expected = without(csv(&strong));
    assert!(expected.len() > 20);
    assert_eq!(without(csv(&["chess", "games", &found])), expected);
    let refused = run(&["chess", "games", GAMES, "--where", "ply", "<", "3"], "");
    assert_eq!(refused.status.code(), Some(2));
    let positions = ["chess", "games", GAMES, "--positions"];
    let few = csv(&[&positions[..], &["--where", "ply", "<", "3"]].concat());
    let count = format!("select count(*) as n from chess_positions('{GAMES}') where ply < 3");
    assert_eq!(csv(&["sql", &count]), format!("n\n{}\n", few.lines().count() - 1));
    let refused = run(&[&positions[..], &["--format", "pgn"]].concat(), "");
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
}

/// A gigabyte in one line, between two games.
fn one_long_line() -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let file = File::create(directory.path().join("long.pgn")).expect("a file");
    let mut file = BufWriter::new(file);
    file.write_all(b"[White \"A\"]\n\n1. e4 *\n\n[White \"B\"]\n\n1. ").expect("room");
    let block = vec![b'x'; 1 << 20];
    for _ in 0..1 << 10 {
        file.write_all(&block).expect("room");
    }
    file.write_all(b"\n\n[White \"C\"]\n\n1. d4 *\n").expect("room");
    file.flush().expect("room");
    directory
}

#[test]
fn a_line_of_a_gigabyte_is_one_bad_game_in_little_memory() {
    if std::env::var_os("EVERYPLY_SLOW").is_none() {
        println!("not run: EVERYPLY_SLOW is not set");
        return;
    }
    let directory = one_long_line();
    let file = directory.path().join("long.pgn").display().to_string();
    // The limit is that of the whole process.
    let statement = format!("select game, white from '{file}' order by game");
    for threads in ["1", "3"] {
        let arguments = [
            "sql",
            &statement,
            "--format",
            "csv",
            "--threads",
            threads,
            "--memory-limit",
            "300MiB",
        ];
        let output = run(&arguments, "");
        assert_eq!(stdout(&output), "game,white\n1,A\n3,C\n", "{}", stderr(&output));
        assert!(stderr(&output).contains("long.pgn: game 2, line 7: "), "{}", stderr(&output));
        assert_eq!(output.status.code(), Some(1));
    }
}

#[cfg(feature = "s3")]
#[test]
fn games_in_a_bucket_are_the_same_as_in_files() {
    use std::process::Command;

    let Some(server) = servers::s3() else {
        servers::not_run("moto_server is missing");
        return;
    };
    let endpoint = format!("http://{}", server.address());
    let answer = |statement: &str, threads: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_everyply"));
        command.args(["sql", statement, "--format", "csv", "--writable", "--threads", threads]);
        command.env("AWS_ENDPOINT_URL", &endpoint).env("AWS_REGION", "us-east-1");
        command.env("AWS_ACCESS_KEY_ID", "any").env("AWS_SECRET_ACCESS_KEY", "secret");
        command.output().expect("the binary runs")
    };
    let sql = |statement: &str, threads: &str| {
        let output = answer(statement, threads);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    };
    sql(&format!("copy (select pgn from '{GAMES}') to 's3://games/sample/games.pgn'"), "1");
    let other =
        format!("copy (select pgn from '{GAMES}' limit 1) to 's3://games/sample/other.pgn'");
    sql(&other, "1");
    let columns = "game, white, plies, ending, fen, moves, pgn";
    let expected = sql(&format!("select {columns} from '{GAMES}' order by game"), "1");
    // All that is known of a position, in every row.
    let rows = |place: &str, threads: &str| {
        let every = every("29");
        let table = format!("chess_positions('{place}', {every})");
        sql(&format!("select * exclude (source) from {table} order by game, ply"), threads)
    };
    let positions = rows(GAMES, "1");
    for threads in ["1", "2", "5"] {
        for place in ["s3://games/sample/games.pgn", "s3://games/sample/g*.pgn"] {
            let found = sql(
                &format!("select {columns} from chess_games('{place}') order by game"),
                threads,
            );
            assert!(found == expected, "{place} on {threads} threads");
        }
        assert!(rows("s3://games/sample/game[s]*", threads) == positions, "{threads} threads");
        let count = "select count(*) as n from chess_games('s3://games/sample/')";
        assert_eq!(sql(count, threads), "n\n439\n");
    }
    let sources = "select distinct source from 's3://games/sample/?the*.pgn'";
    assert_eq!(sql(sources, "1"), "source\ns3://games/sample/other.pgn\n");
    for (table, what) in [
        ("chess_games('s3://games/sample/x*.pgn')", "there is no PGN file"),
        ("'s3://games/sample/x*.pgn'", "no file matches"),
        ("'s3://games*/sample/'", "a pattern comes after the name of the bucket"),
    ] {
        let output = answer(&format!("select * from {table}"), "1");
        assert_eq!(output.status.code(), Some(1), "{table}");
        assert!(stderr(&output).contains(what), "{table}: {}", stderr(&output));
    }
}
