//! Games of files as tables: the same rows from any files on any number of threads, and no more work
//! than a statement asks for.

use std::{fs, io::Write as _, path::Path};

use chess::Random;
use chess_facts::{Definitions, Facts, Selection};
use sql::{Access, Engine, Guard, Network, Settings, SqlError};
use tables::{
    Batches,
    chess::{FactRows, GAMES, POSITIONS, game, position},
};
use tempfile::TempDir;

use super::{answered, directory, engine, engine_with, quoted, rows};

const SAMPLE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/chess/pgn/lichess_438_games.pgn");

/// The sample in a directory: plain, packed, and in three files.
fn sample() -> TempDir {
    let text = fs::read_to_string(SAMPLE).unwrap();
    let starts: Vec<usize> = text.match_indices("[Event ").map(|(at, _)| at).collect();
    let (first, second) = (starts[150], starts[290]);
    let directory = directory(&[
        ("plain/games.pgn", &text),
        ("several/1.pgn", &text[..first]),
        ("several/notes.txt", "no games"),
        ("several/facts.csv", "a\n1\n"),
    ]);
    let path = |name: &str| directory.path().join(name);
    fs::write(path("plain/games.pgn.zst"), zstd::encode_all(text.as_bytes(), 1).unwrap()).unwrap();
    fs::write(path("several/2.pgn.gz"), gzip(&text[first..second])).unwrap();
    fs::write(path("several/3.pgn.zst"), zstd::encode_all(&text.as_bytes()[second..], 1).unwrap())
        .unwrap();
    directory
}

fn gzip(text: &str) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    gzip.finish().unwrap()
}

fn mainlines() -> Vec<chess::pgn::Mainline> {
    let text = fs::read(SAMPLE).unwrap();
    let mut reader = chess::pgn::Reader::new(&text[..]);
    let mut buffer = chess::pgn::Mainline::with_notes().with_text();
    let mut games = Vec::new();
    while buffer.read(&mut reader).unwrap() {
        games.push(buffer.clone());
    }
    games
}

fn csv(batches: &[arrow::record_batch::RecordBatch]) -> String {
    let mut out = Vec::new();
    let schema = batches[0].schema();
    let mut writer =
        tables::Writer::new(&mut out, tables::Format::Csv, &schema, tables::Shape::Many).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    String::from_utf8(out).unwrap().split_once('\n').unwrap().1.to_owned()
}

fn names<'a>(columns: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = columns
        .into_iter()
        .filter(|name| *name != "source")
        .map(|name| format!("\"{name}\""))
        .collect();
    names.join(", ")
}

#[test]
fn games_are_the_rows_of_the_table_for_any_packing_and_any_number_of_threads() {
    let directory = sample();
    let games = mainlines();
    let expected = games.iter().zip(1..).map(|(it, number)| game("", number, it));
    let expected = csv(&Batches::collect(&GAMES, expected));
    let expected: String = expected
        .split_inclusive('\n')
        .map(|line| line.strip_prefix("\"\",").unwrap_or(line))
        .collect();
    let columns = names(GAMES.columns.iter().map(|column| column.name));
    for threads in [1, 2, 5] {
        let engine = engine(threads);
        for name in ["plain/games.pgn", "plain/games.pgn.zst"] {
            let file = quoted(directory.path(), name);
            let found = rows(&engine, &format!("select {columns} from {file} order by game"));
            assert!(found == expected, "{name} on {threads} threads");
        }
        // Numbers begin anew in each file.
        let several = quoted(directory.path(), "several");
        let found =
            rows(&engine, &format!("select pgn from chess_games({several}) order by source, game"));
        let whole = quoted(directory.path(), "plain/games.pgn");
        let whole = rows(&engine, &format!("select pgn from {whole} order by game"));
        assert!(found == whole, "several files on {threads} threads");
        assert_eq!(engine.bad_games().count, 0);
    }
}

#[test]
fn positions_are_the_rows_of_the_tables_for_any_packing_and_any_number_of_threads() {
    // Every ply under EVERYPLY_SLOW=1, else one in so many.
    let slow = std::env::var_os("EVERYPLY_SLOW").is_some_and(|value| value == "1");
    let step = if slow { 1 } else { 7 };
    let directory = sample();
    let games: Vec<_> = mainlines().into_iter().zip(1..).collect();
    let own = games.iter().flat_map(|(game, number)| {
        (0..game.positions.len()).step_by(step).map(move |ply| position("", *number, game, ply))
    });
    let own = csv(&Batches::collect(&POSITIONS, own));
    let groups = ["everything", "masks", "lists", "moves"];
    let sides = ["mover", "opponent"].map(|side| groups.map(|group| format!("{side}_{group}")));
    let groups = groups.into_iter().chain(sides.iter().flatten().map(String::as_str));
    let every = Selection::parse(groups).unwrap();
    let (mut facts, mut fact_rows) = (Facts::empty(), FactRows::new(&every, Definitions::Std));
    for (game, number) in &games {
        for ply in (0..game.positions.len()).step_by(step) {
            facts.compute(&game.positions[ply], every.level(), Definitions::Std);
            fact_rows.push("", *number, ply as u64, &game.positions[ply], &facts);
        }
    }
    let facts = fact_rows.finish().unwrap();
    let fact_columns = names(facts.schema().fields().iter().map(|field| field.name().as_str()));
    let facts = csv(&[facts]);
    let strip = |text: &str| -> String {
        text.split_inclusive('\n').map(|line| line.strip_prefix("\"\",").unwrap_or(line)).collect()
    };
    let own_columns = names(POSITIONS.columns.iter().map(|column| column.name));
    for (threads, name) in [
        (1, "plain/games.pgn"),
        (2, "plain/games.pgn.zst"),
        (2, "plain/games.pgn"),
        (5, "plain/games.pgn"),
    ] {
        // Rows with every fact are wide, and all of them are sorted.
        let engine = engine_with(threads, if slow { 4 << 30 } else { 256 << 20 });
        let table = format!("chess_positions({}, {step})", quoted(directory.path(), name));
        let found = rows(&engine, &format!("select {own_columns} from {table} order by game, ply"));
        assert!(found == strip(&own), "{name} on {threads} threads");
        let found =
            rows(&engine, &format!("select {fact_columns} from {table} order by game, ply"));
        assert!(found == strip(&facts), "facts of {name} on {threads} threads");
    }
    let count =
        format!("select count(*) from chess_positions({})", quoted(directory.path(), "several"));
    assert_eq!(rows(&engine(5), &count), "28976\n");
}

#[test]
fn conditions_mean_the_same_before_moves_are_played_and_after() {
    let engine = engine(2);
    let columns = [
        ("white_elo", &["0", "1500", "2000", "18446744073709551615"][..]),
        ("game", &["1", "17", "438"]),
        ("eco", &["'B00'", "'C2'", "'?'", "''"]),
        ("white", &["'a'", "'alanbrito4'", "'Z'"]),
        ("time_control", &["'300+3'", "'-'", "'60+0'"]),
        ("tags['WhiteTitle']", &["'GM'", "'x'"]),
        ("tags['UTCTime']", &["'00:00:06'", "'00:00:30'"]),
    ];
    let mut kept = 0;
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let mut condition = || {
            let (column, values) = columns[random.below(columns.len())];
            let mut value = || values[random.below(values.len())];
            let (first, second) = (value(), value());
            match random.below(8) {
                0 => format!("{column} is null"),
                1 => format!("{column} is not null"),
                2 => format!("{column} in ({first}, {second})"),
                3 => format!("{column} not in ({first}, {second})"),
                4 => format!("{column} between {first} and {second}"),
                5 if first.starts_with('\'') => {
                    format!("{column} like '%{}%'", first.trim_matches('\''))
                }
                _ => {
                    let sign = ["=", "<>", "<", "<=", ">", ">="][random.below(6)];
                    format!("{column} {sign} {first}")
                }
            }
        };
        let (a, b, c) = (condition(), condition(), condition());
        let condition = match random.below(4) {
            0 => format!("{a} and ({b} or {c})"),
            1 => format!("not ({a} and {b})"),
            2 => format!("{a} or not ({b})"),
            _ => a,
        };
        let from = format!("from '{SAMPLE}'");
        let pushed = rows(&engine, &format!("select game {from} where {condition} order by game"));
        // A value of a case is none that a table could test itself.
        let late = format!("case when {condition} then random() >= 0 else false end");
        let late = rows(&engine, &format!("select game {from} where {late} order by game"));
        assert_eq!(pushed, late, "seed {seed}: {condition}");
        kept += pushed.lines().count();
    }
    assert!(kept > 1_000 && kept < 60 * 438, "{kept}");
}

fn explained(engine: &Engine, statement: &str) -> String {
    rows(engine, &format!("explain {statement}"))
}

#[test]
fn a_plan_tells_what_is_read_and_which_facts_are_computed() {
    let engine = engine(1);
    let scan = |statement: &str| {
        let plan = explained(&engine, statement);
        let scan = plan.lines().find(|line| line.contains("GamesScan: ")).expect("a scan");
        scan.split_once("parts=").unwrap().1.trim_end_matches('"').to_owned()
    };
    let positions = format!("chess_positions('{SAMPLE}')");
    for (statement, expected) in [
        ("select count(*) from POSITIONS", "1, columns=[], every=1, facts=none, conditions=[]"),
        (
            "select fen from POSITIONS where white_elo > 2500 and ply < 20",
            "1, columns=[fen], every=1, facts=none, conditions=[white_elo > 2500, ply < 20]",
        ),
        (
            "select white_pinned from POSITIONS where turn = 'white'",
            "1, columns=[turn, white_pinned], every=1, facts=lines, conditions=[]",
        ),
        (
            "select ply from POSITIONS where black_hanging_see > 0",
            "1, columns=[ply, black_hanging_see], every=1, facts=exchange, conditions=[]",
        ),
        (
            "select sum(white_forks) from POSITIONS",
            "1, columns=[white_forks], every=1, facts=forks, conditions=[]",
        ),
        (
            "select max(white_mobility) from POSITIONS",
            "1, columns=[white_mobility], every=1, facts=everything, conditions=[]",
        ),
        (
            "select white from GAMES where eco like 'B%' and plies > 10 limit 3",
            "1, columns=[white, plies], conditions=[eco like 'B%']",
        ),
        ("select white from GAMES limit 3", "1, columns=[white], conditions=[], limit=3"),
    ] {
        let statement = statement.replace("POSITIONS", &positions);
        let statement = statement.replace("GAMES", &format!("'{SAMPLE}'"));
        assert_eq!(scan(&statement), expected, "{statement}");
    }
}

#[test]
fn a_limit_stops_reading() {
    // Behind the first games stands what cannot be read at all.
    let text = "[White \"A\"]\n\n1. e4 *\n\n".repeat(20_000);
    let mut bytes = zstd::encode_all(text.as_bytes(), 1).unwrap();
    bytes.truncate(bytes.len() - 10);
    let directory = directory(&[]);
    fs::write(directory.path().join("cut.pgn.zst"), bytes).unwrap();
    let file = quoted(directory.path(), "cut.pgn.zst");
    for threads in [1, 2, 5] {
        let engine = engine(threads);
        assert_eq!(rows(&engine, &format!("select game from {file} limit 3")), "1\n2\n3\n");
        assert_eq!(engine.bad_games().count, 0, "the end was not met");
        let all = rows(&engine, &format!("select count(*) from {file}"));
        assert!(all.trim().parse::<u64>().unwrap() <= 20_000);
        let bad = engine.bad_games();
        assert_eq!(bad.count, 1);
        assert!(bad.first[0].contains("cut.pgn.zst: truncated zstd frame"), "{bad:?}");
    }
}

#[test]
fn bad_games_cost_themselves_only_and_are_named_on_any_number_of_threads() {
    let sample = fs::read_to_string(SAMPLE).unwrap();
    let mut text = String::new();
    for (number, game) in sample.split_inclusive("\n\n[Event").enumerate() {
        text += game;
        if number % 40 == 7 {
            text += " \"x\"]\n[White \"bad\"]\n\n1. e4 e4 *\n\n[Event";
        }
    }
    let directory = directory(&[
        ("games.pgn", &text),
        ("list.epd", "8/8/8/8/8/4k3/8/4K2R w - - 0 1\nnonsense\n"),
        ("empty.pgn", ""),
        ("pages.pgn", "{\"a\": 1}\n"),
    ]);
    fs::write(directory.path().join("noise.pgn"), [0, 159, 146, 150]).unwrap();
    let place = quoted(directory.path(), ".");
    let listed = |engine: &Engine| {
        rows(
            engine,
            &format!(
                "select replace(source, {place}, ''), game, line, cause from \
             chess_bad_games({place}) order by 1, 3"
            ),
        )
    };
    let expected = listed(&engine(1));
    assert!(expected.contains("e4 is not a legal move here (move 1 of black)"), "{expected}");
    assert_eq!(expected.lines().count(), 11 + 4, "{expected}");
    for threads in [1, 2, 5] {
        let engine = engine(threads);
        assert_eq!(listed(&engine), expected);
        assert_eq!(engine.bad_games().count, 0, "rows are no warnings");
        let count = format!(
            "select count(*), max(game) from chess_games({})",
            quoted(directory.path(), "games.pgn")
        );
        assert_eq!(rows(&engine, &count), "438,449\n");
        let bad = engine.bad_games();
        assert_eq!((bad.count, bad.first.len()), (11, 11));
        let told = expected.lines().find(|line| line.contains("games.pgn,")).unwrap();
        let line = told.split(',').nth(2).unwrap();
        assert!(
            bad.first[0].contains(&format!("games.pgn: game 9, line {line}: e4 is")),
            "{bad:?}"
        );
        let count = format!("select count(*) from chess_positions({place})");
        assert_eq!(rows(&engine, &count), "28977\n");
        assert_eq!(engine.bad_games().count, 15);
        assert_eq!(engine.bad_games().count, 0, "each is told once");
    }
}

#[test]
fn a_cut_near_the_beginning_of_a_file_costs_no_game() {
    let text = fs::read_to_string(SAMPLE).unwrap();
    for bytes in 0..8 {
        // Two threads share the bytes of both files, so the second one is cut behind so many.
        let longer = format!("{text}{}", "\n".repeat(2 * bytes));
        let directory = directory(&[("1.pgn", &text), ("2.pgn", &longer)]);
        let place = directory.path().display();
        let statement = format!("select count(*), sum(game) from chess_games('{place}')");
        let engine = engine(2);
        assert_eq!(rows(&engine, &statement), "876,192282\n", "{bytes}");
        assert_eq!(engine.bad_games().count, 0, "{bytes}");
    }
}

#[test]
fn a_part_of_a_statement_that_reads_a_file_again_does_not_count_its_games_again() {
    let directory =
        directory(&[("x.pgn", "[White \"A\"]\n\n1. e5 *\n\n[White \"B\"]\n\n1. e4 *\n")]);
    let file = quoted(directory.path(), "x.pgn");
    let engine = engine(2);
    let joined = format!("select count(*) from {file} a join {file} b using (game)");
    assert_eq!(rows(&engine, &joined), "1\n");
    assert_eq!(engine.bad_games().count, 1);
}

#[test]
fn a_long_line_is_one_bad_game() {
    let mut text = String::from("[White \"A\"]\n\n1. e4 *\n\n[White \"B\"]\n\n1. ");
    text += &"x".repeat(20 << 20);
    text += "\n\n[White \"C\"]\n\n1. d4 *\n";
    let directory = directory(&[("long.pgn", &text)]);
    let file = quoted(directory.path(), "long.pgn");
    for threads in [1, 5] {
        let engine = engine(threads);
        let found = rows(&engine, &format!("select game, white from {file} order by game"));
        assert_eq!(found, "1,A\n3,C\n");
        let bad = engine.bad_games();
        assert_eq!(bad.count, 1, "{bad:?}");
        assert!(bad.first[0].contains("game 2, line 7: "), "{bad:?}");
    }
}

fn guarded(root: &Path) -> Engine {
    let guard = Guard { root: Some(root.into()), network: Network::Refused, ..Guard::default() };
    Engine::new(Settings { guard, ..Settings::default() }).unwrap()
}

#[test]
fn a_guard_keeps_games_to_its_directory() {
    let directory = directory(&[("in/x.pgn", "1. e4 *\n"), ("out/y.pgn", "1. e4 *\n")]);
    let engine = guarded(&directory.path().join("in"));
    let inside = quoted(directory.path(), "in/x.pgn");
    assert_eq!(rows(&engine, &format!("select plies from chess_games({inside})")), "1\n");
    let outside = quoted(directory.path(), "out/y.pgn");
    for statement in [
        format!("select * from chess_games({outside})"),
        format!("select * from chess_positions({inside}, {outside})"),
        format!("select * from chess_bad_games({outside})"),
        format!("select * from {outside}"),
        "select * from chess_games('s3://bucket/x.pgn')".to_owned(),
    ] {
        let refused = answered(&engine, &statement).unwrap_err();
        assert!(matches!(refused, SqlError::Refused(_)), "{statement}: {refused}");
    }
}

#[test]
fn games_are_copied_to_pgn_with_their_comments() {
    let directory = directory(&[]);
    let guard = Guard { access: Access::Writable, ..Guard::default() };
    let engine = Engine::new(Settings { guard, ..Settings::default() }).unwrap();
    let found = quoted(directory.path(), "found.pgn");
    let strong = format!("from '{SAMPLE}' where white_elo > 1800");
    rows(&engine, &format!("copy (select * {strong} order by game) to {found}"));
    let columns = names(GAMES.columns.iter().map(|column| column.name).filter(|it| *it != "game"));
    let original = rows(&engine, &format!("select {columns} {strong} order by game"));
    let copied = rows(&engine, &format!("select {columns} from {found} order by game"));
    assert!(original.lines().count() > 10 && original.contains("[%clk"));
    assert!(original == copied);
    assert_eq!(engine.bad_games().count, 0);
    let refused =
        answered(&engine, &format!("copy (select game {strong}) to {found}")).unwrap_err();
    assert!(refused.to_string().contains("a PGN file is written from a column pgn"), "{refused}");
    let refused = answered(&engine, &format!("copy (select null::text as pgn) to {found}"));
    assert!(refused.unwrap_err().to_string().contains("without the text of a game"));
}
