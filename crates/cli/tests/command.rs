//! Runs the binary the way people and scripts do.

mod everyply;

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Command, Output, Stdio},
};

use everyply::{run, stderr, stdout};
use parquet::file::{
    metadata::RowGroupMetaData,
    reader::{FileReader, SerializedFileReader},
};

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_everyply"));
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn fine(arguments: &[&str]) -> String {
    let output = run(arguments, "");
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    stdout(&output)
}

const SAMPLE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/chess/pgn/lichess_438_games.pgn");

#[test]
fn perft_prints_one_object_with_nodes() {
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    for threads in ["1", "2", "7"] {
        let text = fine(&[
            "chess",
            "perft",
            "--fen",
            kiwipete,
            "--depth",
            "3",
            "--threads",
            threads,
            "--format",
            "json",
        ]);
        let object: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(object["nodes"], 97_862);
        assert_eq!(object["fen"], kiwipete);
    }
    for size in ["1", "1MiB"] {
        let arguments = ["chess", "perft", "--depth", "4", "--hash", size, "--format", "jsonl"];
        assert!(fine(&arguments).contains("\"nodes\":197281}"), "{size}");
    }
    let zero = fine(&["chess", "perft", "--depth", "0", "--format", "jsonl"]);
    assert!(zero.contains("\"nodes\":1}"), "{zero}");
}

#[test]
fn divide_sums_to_the_total_in_every_format() {
    let csv = fine(&["chess", "perft", "--depth", "3", "--divide", "--format", "csv"]);
    assert_eq!(csv.lines().next(), Some("uci,san,nodes"));
    let last = |line: &str| line.rsplit(',').next().unwrap().parse::<u64>().unwrap();
    assert_eq!(csv.lines().skip(1).map(last).sum::<u64>(), 8_902);
    let json = fine(&["chess", "perft", "--depth", "3", "--divide", "--format", "json"]);
    let rows: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
    assert_eq!(rows.iter().map(|row| row["nodes"].as_u64().unwrap()).sum::<u64>(), 8_902);
}

#[test]
fn moves_are_listed_for_a_position_and_for_every_line_of_a_file() {
    let jsonl =
        fine(&["chess", "moves", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "--format", "jsonl"]);
    assert_eq!(jsonl.lines().count(), 26);
    assert!(jsonl.contains(
        r#"{"uci":"e1g1","san":"O-O","piece":"king","from":"e1","to":"g1","captured":null"#
    ));
    let input = b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n\
                  not a position\n\n # a remark\n8/8/8/8/8/4k3/4p3/4K3 w - - 0 1 ;D1 0\n8/8/8/8/8/4k3/8/4K3 w - - 0 1\n";
    let output = run(&["chess", "moves", "--from", "-", "--format", "csv"], input);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stdout(&output).lines().count(), 1 + 20 + 2);
    assert!(stderr(&output).starts_with("everyply: stdin: line 2: rank 8"), "{}", stderr(&output));
    assert_eq!(stderr(&output).lines().count(), 1, "a remark is no position");
}

#[test]
fn play_takes_san_and_uci_and_move_numbers() {
    let fen = fine(&["chess", "play", "start", "1.e4", "c7c5", "2.", "Nf3", "1... d6"]);
    assert_eq!(fen, "rnbqkbnr/pp2pppp/3p4/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 3\n");
    let mate = fine(&["chess", "play", "start", "f3", "e5", "g4", "Qh4", "--format", "json"]);
    assert!(mate.contains(r#""ending":"checkmate""#), "{mate}");
    let output = run(&["chess", "play", "start", "e4", "e4"], "");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr(&output), "everyply: ply 2: e4 is not a legal move here\n");
}

#[test]
fn show_draws_text_svg_and_png() {
    let text = fine(&["chess", "show", "start", "--moves-of", "b1"]);
    assert!(text.contains("3 * . * . . . . ."), "{text}");
    assert!(text.ends_with("White to move, 20 legal moves.\n"), "{text}");
    assert!(!text.contains('\u{1b}'), "no colour unless a terminal asks for it");
    let directory = tempfile::tempdir().unwrap();
    let png = directory.path().join("board.png");
    fine(&["chess", "show", "start", "--flip", "--png", png.to_str().unwrap(), "--size", "200"]);
    assert!(std::fs::read(&png).unwrap().starts_with(b"\x89PNG"));
    assert!(fine(&["chess", "show", "start", "--svg", "-"]).starts_with("<svg "));
}

#[test]
fn games_become_rows() {
    let csv = fine(&["chess", "games", SAMPLE, "--format", "csv"]);
    assert_eq!(csv.lines().count(), 439);
    let jsonl = fine(&["chess", "games", SAMPLE, "--positions", "--format", "jsonl"]);
    assert_eq!(jsonl.lines().count(), 28_976);
    let row: serde_json::Value = serde_json::from_str(jsonl.lines().nth(1).unwrap()).unwrap();
    assert_eq!(row["clock"], 300.0);
    assert_eq!(row["fen"], "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    assert_eq!(row["san"], "e5");
}

#[test]
fn rows_come_as_parquet_and_arrow_too() {
    let parquet = run(&["chess", "games", SAMPLE, "--format", "parquet"], "").stdout;
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
    let again = run(&["chess", "games", SAMPLE, "--format", "parquet"], "").stdout;
    assert!(parquet == again, "the same rows give the same bytes");
    let arrow = run(&["chess", "perft", "--depth", "1", "--format", "arrow"], "").stdout;
    assert!(arrow.starts_with(&[0xff; 4]), "the continuation mark of an Arrow stream");
}

#[test]
fn rows_of_games_are_the_same_for_any_number_of_threads() {
    let kinds: [&[&str]; 6] = [
        &["--format", "csv"],
        &["--format", "parquet"],
        &["--positions", "--format", "json"],
        &["--positions", "--format", "parquet"],
        &["--positions", "--format", "table"],
        &["--positions", "--where", "ply", "<", "9", "--format", "jsonl"],
    ];
    // A row group of positions has more than the sample: some are written by one thread, some by
    // many.
    let directory = tempfile::tempdir().unwrap();
    let long = directory.path().join("long.pgn");
    std::fs::write(&long, std::fs::read_to_string(SAMPLE).unwrap().repeat(5)).unwrap();
    for kind in kinds {
        let files = [SAMPLE, long.to_str().unwrap(), SAMPLE, SAMPLE];
        let words = [&["chess", "games"][..], &files, kind].concat();
        let with = |threads| run(&[&words[..], &["--threads", threads]].concat(), "").stdout;
        let alone = with("1");
        assert!(alone.len() > 10_000, "{kind:?}");
        assert!(alone == with("7"), "{kind:?}");
        if kind == ["--positions", "--format", "parquet"] {
            let read = SerializedFileReader::new(bytes::Bytes::from(alone)).unwrap();
            let groups = read.metadata().row_groups().iter();
            let rows: Vec<i64> = groups.map(RowGroupMetaData::num_rows).collect();
            assert!(rows.len() > 3, "{rows:?}");
            assert_eq!(rows.iter().sum::<i64>(), 8 * 28_976, "{rows:?}");
        }
    }
}

#[test]
fn packed_games_and_standard_input_give_the_same_rows() {
    let plain = std::fs::read(SAMPLE).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let rows =
        |output: &Output| stdout(output).lines().skip(1).map(without_source).collect::<String>();
    let expected = rows(&run(&["chess", "games", SAMPLE, "--format", "csv"], ""));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&plain).unwrap();
    let packed =
        [("a.gz", gzip.finish().unwrap()), ("b.zst", zstd::encode_all(&plain[..], 1).unwrap())];
    for (name, bytes) in packed {
        let path = directory.path().join(name);
        std::fs::write(&path, &bytes).unwrap();
        let output = run(&["chess", "games", path.to_str().unwrap(), "--format", "csv"], "");
        assert_eq!(output.status.code(), Some(0));
        assert!(rows(&output) == expected, "{name}");
        let output = run(&["chess", "games", "-", "--format", "csv"], &bytes);
        assert!(rows(&output) == expected, "{name} through standard input");
    }
}

/// Everything after the first column, which names the file.
fn without_source(row: &str) -> String {
    row.split_once(',').unwrap().1.to_owned() + "\n"
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let mut child =
        command(&["chess", "games", SAMPLE, "--positions", "--format", "jsonl"]).spawn().unwrap();
    let mut first = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut first).unwrap();
    drop(out);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut error = String::new();
    child.stderr.take().unwrap().read_to_string(&mut error).unwrap();
    assert_eq!(error, "");
}

#[cfg(unix)]
#[test]
fn control_c_ends_with_130_and_keeps_what_is_finished() {
    let mut child = command(&["chess", "games", "-", "--format", "jsonl"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let games = std::fs::read(SAMPLE).unwrap();
    let feed = std::thread::spawn(move || {
        // Enough for hours; the pipe breaks when the command ends.
        while input.write_all(&games).is_ok() {}
    });
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(rest.ends_with("}\n"), "the last row is whole");
    feed.join().unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn c4_help_that_cannot_be_written_is_an_error() {
    for words in [&["--help"][..], &["--version"], &["chess", "facts", "-h"], &["help", "sql"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = command(words).stdout(full).output().unwrap();
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(3), "{words:?}: {said}");
        let expected = "everyply: cannot write standard output: No space left on device";
        assert!(said.starts_with(expected), "{words:?}: {said}");
    }
}

#[test]
fn c4_what_is_no_utf_8_is_no_move() {
    let directory = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", directory.path().join("k22.sqlite").display());
    let solve = ["kalah", "solve", "--pits", "2", "--seeds", "2", "--store", &store];
    assert_eq!(run(&solve, "").status.code(), Some(0));
    for words in [&["fourchess", "play"][..], &["kalah", "play", "--store", &store]] {
        let output = run(words, b"\xff\xfe\nquit\n");
        let said = stdout(&output) + &stderr(&output);
        assert_eq!(output.status.code(), Some(0), "{words:?}: {said}");
        assert!(said.contains('\u{fffd}'), "{words:?}: {said}");
    }
}

#[test]
fn usage_errors_are_2() {
    for arguments in [
        &["chess"][..],
        &["chess", "perft"],
        &["nonsense"],
        &["chess", "perft", "--depth", "x"],
        &["chess", "perft", "--depth", "1", "--threads", "0"],
        &["fourchess", "bench", "--threads", "100000"],
    ] {
        assert_eq!(run(arguments, "").status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn what_no_input_could_mend_is_2() {
    let cases: &[(&[&str], &str)] = &[
        (&["chess", "show", "start", "--svg", "-", "--png", "-"], "only one picture"),
        (&["chess", "show", "start", "--moves-of", "j9"], "a square from a1 to h8"),
        (&["chess", "perft", "--depth", "1", "--variant", "standard"], "need --engine relations"),
        (
            &["chess", "perft", "--depth", "1", "--engine", "relations", "--hash", "1MiB"],
            "--hash needs --engine bitboards",
        ),
        (&["chess", "perft", "--depth", "1", "--hash", "9000000TiB"], "lower --hash"),
        (&["kenken", "generate", "--operators", "+%"], "'%' is not one of"),
        (&["kenken", "generate", "--operators", ""], "no operator"),
        (&["kalah", "solve", "--pits", "0", "--seeds", "3"], "0 pits"),
        (
            &["kalah", "table", "--pits", "9", "--max-seeds", "3", "--out", "/nowhere"],
            "9 pits on a side",
        ),
        (
            &["kalah", "solve", "--pits", "3", "--seeds", "3", "--store", "ftp://x"],
            "'ftp://x' is not a store",
        ),
        (&["kalah", "stats", "--store", "sqlite:none", "--plot", "-"], "is used for the rows"),
    ];
    for (arguments, cause) in cases {
        let output = run(arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(cause), "{arguments:?}: {}", stderr(&output));
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_3() {
    let output = run(&["chess", "show", "start", "--svg", "/nowhere/board.svg"], "");
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("cannot write /nowhere/board.svg"), "{}", stderr(&output));
}

#[test]
fn groups_of_commands_say_what_they_are_and_give_examples() {
    // The commands themselves are looked at in manners/main.rs.
    let commands = [vec![], vec!["chess"], vec!["fourchess"], vec!["kalah"], vec!["kenken"]];
    for mut command in commands {
        command.push("--help");
        let help = fine(&command);
        assert!(help.contains("Examples:\n  "), "{command:?}: {help}");
        assert!(
            help.lines().count() > 5 && !help.starts_with("Usage"),
            "{command:?} says what it does"
        );
    }
}

#[test]
fn manual_pages_are_printed_and_written() {
    assert!(fine(&["man"]).contains(".TH everyply 1"));
    let directory = tempfile::tempdir().unwrap();
    fine(&["man", "--out", directory.path().to_str().unwrap()]);
    assert!(directory.path().join("everyply-chess-perft.1").exists());
}

#[test]
fn the_doctor_tries_a_server_on_this_machine() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let place = server.local_addr().unwrap().to_string();
    let output = command(&["doctor", "--format", "jsonl"])
        .env("AWS_ENDPOINT_URL", format!("http://name:secret@{place}"))
        .env("STORAGE_EMULATOR_HOST", "storage.example.org")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let rows: Vec<serde_json::Value> =
        stdout(&output).lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    let state = |name: &str| &rows.iter().find(|row| row["name"] == name).unwrap()["state"];
    assert_eq!(state("everyply"), "ready");
    assert_eq!(state("store sqlite"), "ready");
    assert_eq!(state("store s3"), if cfg!(feature = "s3") { "ready" } else { "left out" });
    assert_eq!(state("store gs"), if cfg!(feature = "gs") { "not tried" } else { "left out" });
    assert!(!stdout(&output).contains("secret"), "{}", stdout(&output));
}

#[cfg(not(feature = "cluster"))]
#[test]
fn clusters_that_are_not_built_in_are_a_wrong_command() {
    let asked: [&[&str]; 4] = [
        &["cluster", "scheduler"],
        &["cluster", "executor", "--scheduler", "localhost:50050"],
        &["sql", "select 1", "--cluster", "df://localhost:50050"],
        &[
            "chess",
            "perft",
            "--depth",
            "2",
            "--engine",
            "relations",
            "--cluster",
            "df://localhost:50050",
        ],
    ];
    for arguments in asked {
        let output = run(arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
        let said = stderr(&output);
        assert!(said.contains("build it with: cargo build --release --features cluster"), "{said}");
        assert_eq!(stdout(&output), "", "{arguments:?}");
    }
}
