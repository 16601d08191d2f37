//! Files of every kind, good and bad, read one by one, in chunks and on threads.

use std::{
    fs,
    io::Write,
    num::NonZeroUsize,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use games::{Chunks, Kind, Reader, Record, RecordError, Wanted, in_order};
use sources::{Content, Source};

const GAMES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/chess/pgn/lichess_438_games.pgn");
const ROWS: usize = 28_976;

fn file(directory: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = directory.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// What every record is, in a line.
fn lines(mut reader: Reader) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(record) = reader.read() {
        lines.push(match record {
            Ok(Record::Game { number, game, .. }) => format!("game {number}: {}", game.moves.len()),
            Ok(Record::Position { line, position, .. }) => format!("line {line}: {position}"),
            Err(error) => {
                let text = error.to_string();
                text.rsplit_once('/').map_or(text.clone(), |(_, name)| name.to_owned())
            }
        });
    }
    lines
}

#[test]
fn files_of_every_kind_are_read_in_their_order() {
    let directory = tempfile::tempdir().unwrap();
    let fen = "8/8/8/8/8/4k3/8/4K3 w - - 7 40";
    let mut packed = flate(fen.as_bytes());
    packed.extend(flate(b"\n# a remark\n\n8/8/8/8/8/4k3/8/4K3 b - - id \"x\";\n"));
    let paths = vec![
        file(directory.path(), "a.pgn", "1. e4 e5 *\n\n1. d4 *\n"),
        file(directory.path(), "b.fen.gz", packed),
        file(directory.path(), "c.epd", "nonsense\n8/8/8/8/8/4k3/8/4K3 w - -\n"),
        directory.path().join("d.pgn"),
        file(directory.path(), "e.pgn", ""),
        file(directory.path(), "f.pgn", "{\"a\": 1}\n"),
        file(directory.path(), "g.pgn", "[White \"x\"]\n\n1. e4 e4 *\n\n1. c4 *\n"),
    ];
    let reader = Reader::new(paths, Wanted::default());
    assert!(reader.size().is_none(), "one of them is missing");
    let expected = [
        "game 1: 2",
        "game 2: 1",
        "line 1: 8/8/8/8/8/4k3/8/4K3 w - - 7 40",
        "line 4: 8/8/8/8/8/4k3/8/4K3 b - - 0 1",
        "c.epd: line 1: rank 8: 'o' is neither a piece nor a count of empty squares",
        "line 2: 8/8/8/8/8/4k3/8/4K3 w - - 0 1",
        "d.pgn: no such file",
        "e.pgn: it is empty",
        "f.pgn: it is JSON, not FEN, EPD or PGN",
        "g.pgn: game 1, line 3: e4 is not a legal move here (move 1 of black)",
        "game 2: 1",
    ];
    assert_eq!(lines(reader), expected);
}

fn flate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn only_what_is_wanted_is_read() {
    let read = |wanted: Wanted| lines(Reader::new(vec![GAMES.into()], wanted));
    assert_eq!(read(Wanted::default()).len(), 438);
    let conditions = vec!["result = 1-0".parse().unwrap()];
    let won = read(Wanted { conditions, ..Wanted::default() });
    let conditions = vec!["result != 1-0".parse().unwrap()];
    let others = read(Wanted { conditions, ..Wanted::default() });
    assert!(!won.is_empty() && won.len() + others.len() == 438);
    let done = [(GAMES.to_owned(), 400)].into();
    assert_eq!(read(Wanted { done, ..Wanted::default() }).len(), 38);
    let stopped = Reader::new(
        vec![GAMES.into()],
        Wanted { interrupted: Arc::new(|| true), ..Wanted::default() },
    );
    assert!(lines(stopped).is_empty(), "nothing after an interrupt");
}

#[test]
fn a_reader_of_games_refuses_positions() {
    let source = Source::from_reader("x", &b"8/8/8/8/8/4k3/8/4K3 w - - 0 1\n"[..]);
    let mut reader = Reader::of_source(source, Wanted { kind: Kind::Games, ..Wanted::default() });
    let error = reader.read().unwrap().unwrap_err();
    assert!(matches!(error, RecordError::Content { found: Content::Fen, .. }));
    assert_eq!(error.to_string(), "x: it holds positions, not games");
    assert!(reader.read().is_none());
}

#[test]
fn nothing_is_read_after_the_first_error_if_that_is_wanted() {
    let good = "8/8/8/8/8/4k3/8/4K3 w - - 0 1";
    let text = format!("{good}\nbad\n{good}\n");
    let wanted = Wanted { stop_on_error: true, ..Wanted::default() };
    let source = Source::from_reader("x", std::io::Cursor::new(text));
    let chunks: Vec<_> = Chunks::new(Reader::of_source(source, wanted), 100).collect();
    assert_eq!(chunks.len(), 1);
    assert_eq!((chunks[0].positions.len(), chunks[0].errors.len()), (1, 1));
    assert_eq!(chunks[0].last, 1, "the bad line is to be read again");
}

#[test]
fn chunks_end_where_games_end_and_sources_do() {
    let directory = tempfile::tempdir().unwrap();
    let other = file(directory.path(), "a.fen", "8/8/8/8/8/4k3/8/4K3 w - - 0 1\n");
    let reader = Reader::new(vec![GAMES.into(), other, GAMES.into()], Wanted::default());
    let chunks: Vec<_> = Chunks::new(reader, 1000).collect();
    assert_eq!(chunks.iter().map(|chunk| chunk.positions.len()).sum::<usize>(), 2 * ROWS + 1);
    for pair in chunks.windows(2) {
        if pair[0].source == pair[1].source && !pair[1].positions.is_empty() {
            let (last, first) = (pair[0].positions.last().unwrap(), pair[1].positions[0]);
            assert!(first.game > last.game && first.ply == 0);
            assert!(pair[0].positions.len() >= 1000);
            assert_eq!(pair[0].last, last.game);
        }
    }
    assert_eq!(chunks.last().unwrap().last, 438);
}

#[test]
fn chunks_of_whole_games_hold_every_game_once() {
    let directory = tempfile::tempdir().unwrap();
    let text =
        "1. e4 e5 *\n\n[White \"x\"]\n\n1. e4 e4 *\n\n[White \"y\"]\n\n1. d4 {[%clk 0:01:00]} *\n";
    let bad = file(directory.path(), "bad.pgn", text);
    let wanted = Wanted { kind: Kind::Games, notes: true, ..Wanted::default() };
    let chunks: Vec<_> =
        Chunks::of_games(Reader::new(vec![bad, GAMES.into()], wanted), 1000).collect();
    assert!(chunks.iter().all(|chunk| chunk.positions.is_empty()));
    let (first, rest) = chunks.split_first().unwrap();
    let numbers: Vec<u64> = first.games.iter().map(|played| played.number).collect();
    assert_eq!((numbers, first.errors.len()), (vec![1, 3], 1));
    assert_eq!(first.games[1].game.tags.get("White"), Some("y"));
    assert_eq!(first.games[1].game.notes[0].clock.map(|clock| clock.as_secs()), Some(60));
    let numbers: Vec<u64> =
        rest.iter().flat_map(|chunk| &chunk.games).map(|played| played.number).collect();
    assert!(numbers.into_iter().eq(1..=438));
    let rows = |chunk: &games::Chunk| -> usize {
        chunk.games.iter().map(|played| played.game.positions.len()).sum()
    };
    assert_eq!(rest.iter().map(rows).sum::<usize>(), ROWS);
    for chunk in &rest[..rest.len() - 2] {
        let last = chunk.games.last().unwrap().game.positions.len();
        assert!(rows(chunk) >= 1000 && rows(chunk) - last < 1000);
    }
}

#[test]
fn a_chunk_of_games_with_long_texts_has_few_games() {
    let comment = "x".repeat(100_000);
    let text = format!("[White \"x\"]\n\n1. e4 {{{comment}}} *\n\n").repeat(50);
    let directory = tempfile::tempdir().unwrap();
    let path = file(directory.path(), "long.pgn", text);
    let games = |text: bool| -> Vec<usize> {
        let wanted = Wanted { kind: Kind::Games, text, ..Wanted::default() };
        let chunks = Chunks::of_games(Reader::new(vec![path.clone()], wanted), 1000);
        chunks.map(|chunk| chunk.games.len()).collect()
    };
    // A game counts for 2 positions, and with its text for 97 more.
    let (short, long) = (games(false), games(true));
    assert_eq!((short[0], short.iter().sum::<usize>()), (50, 50));
    assert_eq!((long[0], long.iter().sum::<usize>()), (11, 50));
}

#[test]
fn games_that_were_read_before_an_interrupt_are_kept() {
    let reader = || {
        let asked = AtomicUsize::new(0);
        let interrupted = Arc::new(move || asked.fetch_add(1, Ordering::Relaxed) > 20);
        Reader::new(vec![GAMES.into()], Wanted { interrupted, ..Wanted::default() })
    };
    let games: Vec<_> = Chunks::of_games(reader(), 1 << 16).collect();
    let [chunk] = &games[..] else { panic!("{} chunks", games.len()) };
    assert!((10..=20).contains(&chunk.games.len()), "{}", chunk.games.len());
    // Parts of files end where they always do.
    assert_eq!(Chunks::new(reader(), 1 << 16).count(), 0);
}

#[test]
fn b5_a_chunk_holds_a_bounded_number_of_errors() {
    for (name, bad) in [("x.fen", "x\n"), ("x.pgn", "[White \"x\"]\n\n1. x *\n\n")] {
        let directory = tempfile::tempdir().unwrap();
        let path = file(directory.path(), name, bad.repeat(20_000));
        let chunks: Vec<usize> = Chunks::new(Reader::new(vec![path], Wanted::default()), 1 << 16)
            .map(|chunk| chunk.errors.len())
            .collect();
        assert!(chunks.iter().all(|errors| *errors <= 4096), "{name}: {chunks:?}");
        assert_eq!(chunks.iter().sum::<usize>(), 20_000, "{name}: {chunks:?}");
    }
}

#[test]
fn results_come_in_order_from_any_number_of_threads() {
    let sums = |threads: usize| {
        let reader = Reader::new(vec![GAMES.into()], Wanted::default());
        let mut chunks = Chunks::new(reader, 500);
        let mut sums = Vec::new();
        in_order(
            NonZeroUsize::new(threads).unwrap(),
            || chunks.next(),
            || {
                |chunk: games::Chunk| {
                    chunk
                        .positions
                        .iter()
                        .map(|place| chess::perft(&place.position, 1))
                        .sum::<u64>()
                }
            },
            |sum| {
                sums.push(sum);
                if sums.len() == 40 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        sums
    };
    let one = sums(1);
    assert_eq!(one.len(), 40, "the work ends when that is asked for");
    assert!(one == sums(2) && one == sums(7));
}

#[test]
fn a_panic_of_a_worker_ends_the_work() {
    let caught = std::panic::catch_unwind(|| {
        let mut numbers = 0..10_000;
        in_order(
            NonZeroUsize::new(3).unwrap(),
            || numbers.next(),
            || |number: i32| assert!(number != 5, "a bad number"),
            |()| ControlFlow::Continue(()),
        );
    });
    assert!(caught.is_err());
}
