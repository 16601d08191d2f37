//! Files of games and positions: what they hold, how they are packed, which records are wanted.

use std::io::{self, Read};

use chess::pgn;
use games::{Condition, Reader, Record, Wanted};
use sources::{Packing, Source, printable};

/// A small input may unpack to any number of bytes.
const ENOUGH: u64 = 1 << 16;

/// The first line is a condition, the rest tags of a game.
pub(crate) fn an_accepted_condition_is_read_back_and_asked(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (line, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let Ok(condition) = line.parse::<Condition>() else { return };
    let written = condition.to_string();
    let again: Condition = written.parse().unwrap_or_else(|error| panic!("{written}: {error}"));
    assert_eq!(again, condition, "{written}");
    let ply = data.len() as u64;
    assert_eq!(again.allows_ply(ply), condition.allows_ply(ply));
    let mut reader = pgn::Reader::with_buffer(rest.as_bytes(), 1024);
    while let Ok(Some(game)) = pgn::Game::read(&mut reader) {
        assert_eq!(again.allows_game(&game.tags), condition.allows_game(&game.tags));
    }
}

pub(crate) fn content_does_not_depend_on_how_it_arrives(data: &[u8]) {
    let whole = Source::from_reader("whole", io::Cursor::new(data.to_vec()));
    let pieces = Source::from_reader("pieces", Pieces { data: data.to_vec(), at: 0 });
    let (whole, pieces) = (taken(whole), taken(pieces));
    // How much comes out of a damaged frame before the damage is found depends on the unpacker.
    if whole.packing != Packing::Plain && (whole.has_failed || pieces.has_failed) {
        let [short, long] = [&whole.bytes, &pieces.bytes];
        return assert!(short.starts_with(long) || long.starts_with(short));
    }
    assert!(whole == pieces, "{:?} and {:?}", whole.content, pieces.content);
    let Taken { packing, bytes, .. } = whole;
    if packing == Packing::Plain {
        let text = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
        assert!(bytes == text, "{} bytes", bytes.len());
        let lines = lines(Source::from_reader("lines", io::Cursor::new(data.to_vec())));
        assert_eq!(lines.concat().len() + lines.len(), with_line_ends(text));
    }
}

/// What a source says of itself and gives.
#[derive(Debug, PartialEq)]
struct Taken {
    content: sources::Content,
    packing: Packing,
    bytes: Vec<u8>,
    has_failed: bool,
}

fn taken(mut source: Source) -> Taken {
    let (content, packing) = (source.guess(), source.packing());
    let mut bytes = Vec::new();
    let read = source.take(ENOUGH).read_to_end(&mut bytes);
    if let Err(error) = &read {
        let text = error.to_string();
        assert_eq!(printable(&text), text);
    }
    Taken { content, packing, bytes, has_failed: read.is_err() }
}

fn lines(source: Source) -> Vec<Vec<u8>> {
    let mut lines = source.lines(1 << 20);
    let mut all = Vec::new();
    while let Some(line) = lines.next_line().expect("bytes in memory can be read") {
        assert_eq!(line.number, all.len() as u64 + 1);
        all.push(line.bytes.to_vec());
    }
    all
}

/// How many bytes lines have with an end of one byte each.
fn with_line_ends(text: &[u8]) -> usize {
    let returns = text.windows(2).filter(|pair| pair == b"\r\n").count();
    let open = !text.is_empty() && !text.ends_with(b"\n");
    text.len() - returns + usize::from(open)
}

pub(crate) fn every_record_is_read_or_named(data: &[u8]) {
    let whole = Source::from_reader("a", io::Cursor::new(data.to_vec()));
    let packing = whole.packing();
    let whole = read(whole);
    let pieces = read(Source::from_reader("a", Pieces { data: data.to_vec(), at: 0 }));
    // How much comes out of a damaged frame before the damage is found depends on the unpacker.
    if packing == Packing::Plain {
        assert_eq!(whole, pieces);
    }
}

/// Every record and every error of a source, a line each.
fn read(source: Source) -> Vec<String> {
    let mut told = Vec::new();
    let mut reader = Reader::of_source(source, Wanted { notes: true, ..Wanted::default() });
    while let Some(record) = reader.read() {
        told.push(match record {
            Ok(Record::Game { number, game, .. }) => {
                assert_eq!(game.notes.len(), game.moves.len());
                format!("{number} {:?} {}", game.result, game.moves.len())
            }
            Ok(Record::Position { line, position, .. }) => format!("{line} {position}"),
            Err(error) => {
                let text = error.to_string();
                assert_eq!(printable(&text), text);
                text
            }
        });
        // A packed input may hold any number of records.
        if told.len() == 1000 {
            break;
        }
    }
    told
}

/// The data in pieces whose sizes are taken from its bytes.
struct Pieces {
    data: Vec<u8>,
    at: usize,
}

impl Read for Pieces {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let rest = &self.data[self.at..];
        let size = rest.first().map_or(0, |byte| usize::from(byte % 7) + 1);
        let size = size.min(into.len()).min(rest.len());
        into[..size].copy_from_slice(&rest[..size]);
        self.at += size;
        Ok(size)
    }
}
