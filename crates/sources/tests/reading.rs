//! Packed, damaged, missing and oddly shaped input, through the public door.

use std::{
    io::{self, Cursor, Read, Write},
    path::PathBuf,
    sync::LazyLock,
};

use flate2::write::GzEncoder;
use proptest::prelude::*;
use sources::{Content, Packing, Source, SourceError};

const GAME: &str = "[Event \"x\"]\n\n1. e4 e5 *\n";

#[test]
fn plain_gzip_and_zstd_give_the_same_bytes() {
    let text = long_text();
    for (packed, packing) in
        [(text.clone(), Packing::Plain), (gzip(&text), Packing::Gzip), (zstd(&text), Packing::Zstd)]
    {
        let mut source = Source::from_reader("memory", Cursor::new(packed.clone()));
        assert_eq!(source.packing(), packing);
        assert_eq!(read_all(&mut source).unwrap(), text);
        assert_eq!(source.progress().bytes(), packed.len() as u64);
    }
}

#[test]
fn members_and_frames_are_read_one_after_another() {
    let (first, second) = (long_text(), GAME.as_bytes());
    let whole = [&first, second].concat();
    let skippable = b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec();
    for packed in [
        [gzip(&first), gzip(b""), gzip(second)].concat(),
        [zstd(&first), zstd(b""), zstd(second)].concat(),
        [skippable, zstd(&first), zstd(second)].concat(),
    ] {
        assert_eq!(read_all(&mut Source::from_reader("m", Cursor::new(packed))).unwrap(), whole);
    }
}

#[test]
fn damage_is_named_and_the_good_bytes_before_it_are_kept() {
    let text = long_text();
    let mut corrupt_gzip = [gzip(&text), gzip(&text)].concat();
    let last = corrupt_gzip.len() - 8;
    corrupt_gzip[last] ^= 0xff;
    let cut = |mut bytes: Vec<u8>| {
        bytes.truncate(bytes.len() - 9);
        bytes
    };
    let cases = [
        ([zstd(&text), cut(zstd(&text))].concat(), "games.pgn: truncated zstd frame: "),
        ([gzip(&text), cut(gzip(&text))].concat(), "games.pgn: truncated gzip member: "),
        (corrupt_gzip, "games.pgn: corrupt gzip member near byte "),
        ([zstd(&text), vec![7; 40]].concat(), "games.pgn: corrupt zstd frame near byte "),
        (b"\x28\xb5\x2f\xfd".to_vec(), "games.pgn: truncated zstd frame: the data ends at byte 4"),
        (b"\x1f\x8b".to_vec(), "games.pgn: truncated gzip member: the data ends at byte 2"),
    ];
    for (packed, expected) in cases {
        let kept = if packed.len() > 4 { text.len() } else { 0 };
        let mut source = Source::from_reader("games.pgn", Cursor::new(packed));
        let mut bytes = Vec::new();
        let error = source.read_to_end(&mut bytes).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
        assert!(bytes.len() >= kept && bytes.starts_with(&text[..kept]));
        assert!(error.downcast::<SourceError>().is_ok());
        assert_eq!(source.read(&mut [0; 8]).unwrap(), 0, "after an error comes the end");
    }
}

#[test]
fn c4_a_zstd_frame_with_the_largest_window_is_read() {
    // A frame without a size of its content, its window as a power of 2, and one block as it is.
    let frame = |power: u8, text: &[u8]| {
        let block = (text.len() as u32) << 3 | 1;
        [b"\x28\xb5\x2f\xfd\0", &[(power - 10) << 3][..], &block.to_le_bytes()[..3], text].concat()
    };
    for power in [20, 27, 28, 31] {
        let mut source = Source::from_reader("m", Cursor::new(frame(power, GAME.as_bytes())));
        assert_eq!(read_all(&mut source).unwrap(), GAME.as_bytes(), "window of 2^{power}");
    }
    let mut source = Source::from_reader("m", Cursor::new(frame(32, GAME.as_bytes())));
    let error = read_all(&mut source).unwrap_err().to_string();
    assert_eq!(
        error,
        "m: zstd frame near byte 0 needs more memory than is available: \
         Frame requires too much memory for decoding"
    );
}

#[test]
fn a_failing_device_is_named_through_an_unpacker_too() {
    let packed = gzip(&long_text());
    for bytes in [packed[..packed.len() / 2].to_vec(), GAME.as_bytes().to_vec()] {
        let length = bytes.len();
        let reader = Cursor::new(bytes).chain(Failing);
        let error = read_all(&mut Source::from_reader("tape", reader)).unwrap_err();
        let expected = format!("tape: reading failed after {length} bytes: on fire");
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn a_path_that_is_no_file_is_named() {
    let directory = Directory::new("paths");
    let message = |path: &PathBuf| Source::open(path).unwrap_err().to_string();
    let missing = directory.0.join("missing.pgn");
    assert_eq!(message(&missing), format!("{}: no such file", missing.display()));
    let expected = format!("{}: is a directory, expected a file", directory.0.display());
    assert_eq!(message(&directory.0), expected);
    let below_a_file = directory.write("file", b"").join("below");
    let message = message(&below_a_file);
    let expected = format!("{}: cannot be opened: ", below_a_file.display());
    assert!(message.starts_with(&expected), "{message}");
}

#[test]
fn a_file_knows_its_name_and_size_whatever_it_is_called() {
    let directory = Directory::new("size");
    let packed = gzip(GAME.as_bytes());
    let path = directory.write("games.pgn", &packed);
    let mut source = Source::open(&path).unwrap();
    assert_eq!(source.name(), path.display().to_string());
    assert_eq!(source.size(), Some(packed.len() as u64));
    assert_eq!(source.guess(), Content::Pgn);
    assert_eq!(read_all(&mut source).unwrap(), GAME.as_bytes());
}

#[test]
fn an_empty_file_is_empty() {
    for packed in [Vec::new(), gzip(b""), zstd(b"")] {
        let mut source = Source::from_reader("nothing", Cursor::new(packed));
        assert_eq!(source.guess(), Content::Empty);
        assert_eq!(read_all(&mut source).unwrap(), b"");
        assert!(source.lines(10).next_line().unwrap().is_none());
    }
}

#[test]
fn a_byte_order_mark_is_left_out() {
    let marked = [b"\xef\xbb\xbf", GAME.as_bytes()].concat();
    for packed in [marked.clone(), gzip(&marked), zstd(&marked)] {
        let mut source = Source::from_reader("marked", OneByOne(Cursor::new(packed)));
        assert_eq!(source.guess(), Content::Pgn);
        assert_eq!(read_all(&mut source).unwrap(), GAME.as_bytes());
    }
}

#[test]
fn a_guess_does_not_wait_for_more_than_it_needs() {
    let reader = Cursor::new(GAME.as_bytes()).chain(Failing);
    let mut source = Source::from_reader("pipe", reader);
    assert_eq!(source.guess(), Content::Pgn);
    let reader = Cursor::new(vec![b'a'; 70_000]).chain(Failing);
    assert_eq!(Source::from_reader("pipe", reader).guess(), Content::Text);
}

#[test]
fn a6_a_long_bad_line_does_not_cost_the_file() {
    let text = [vec![b'x'; 10_000], b"\n".to_vec(), GAME.into()].concat();
    let mut source = Source::from_reader("memory", OneByOne(Cursor::new(text)));
    assert_eq!(source.guess(), Content::Pgn);
}

#[test]
fn a6_a_first_line_longer_than_any_does_not_cost_the_file() {
    let guess = |length: usize, rest: &[u8]| {
        let text = [vec![b'x'; length], b"\n".to_vec(), rest.into()].concat();
        let mut source = Source::from_reader("memory", OneByOne(Cursor::new(text.clone())));
        let content = source.guess();
        assert!(read_all(&mut source).unwrap() == text, "{length}");
        content
    };
    let position = b"4k3/8/8/8/8/8/8/4K2R w K - 0 1\n";
    for length in [65_535, 65_536, 100_000, 262_143, 262_144, 1_000_000] {
        assert_eq!(guess(length, GAME.as_bytes()), Content::Pgn, "{length}");
        assert_eq!(guess(length, position), Content::Fen, "{length}");
    }
    assert_eq!(guess(1_048_576, position), Content::Text);
}

#[test]
fn damage_met_while_guessing_is_reported_when_it_is_reached() {
    let reader = Cursor::new(b"  \n 1.".as_slice()).chain(Failing);
    let mut source = Source::from_reader("tape", reader);
    assert_eq!(source.guess(), Content::Pgn);
    let mut bytes = Vec::new();
    assert!(source.read_to_end(&mut bytes).is_err());
    assert_eq!(bytes, b"  \n 1.");
}

#[test]
fn a_source_that_fails_at_once_is_not_called_empty() {
    let mut source = Source::from_reader("games.pgn", Cursor::new(b"\x28\xb5\x2f\xfd"));
    assert_eq!(source.guess(), Content::Unreadable);
    assert!(read_all(&mut source).is_err());
    assert_eq!(Source::from_reader("tape", Failing).guess(), Content::Unreadable);
}

#[test]
fn line_ends_are_stripped() {
    let lines = lines_of(b"a\r\nb\n\r\n\nc\rd\r\n\r\r\ne\r".as_slice(), 100);
    let expected: [&[u8]; 7] = [b"a", b"b", b"", b"", b"c\rd", b"\r", b"e\r"];
    assert_eq!(lines, expected.map(|line| Ok(line.to_vec())));
}

#[test]
fn a_line_at_the_limit_passes_and_one_over_it_is_an_error_of_its_own() {
    let lines = lines_of(b"abc\r\nabcd\nabcd\r\nab\nabcde".as_slice(), 3);
    let long = |line| Err(format!("memory: line {line} is longer than 3 bytes"));
    let expected = [Ok(b"abc".to_vec()), long(2), long(3), Ok(b"ab".to_vec()), long(5)];
    assert_eq!(lines, expected);
}

#[test]
fn an_endless_line_costs_no_memory() {
    // The line is made on the fly; the reader of lines never holds more of it
    // than its limit.
    let reader = io::repeat(b'x').take(1 << 30).chain(Cursor::new(b"\nafter\n"));
    let lines = lines_of(reader, 1 << 20);
    let expected =
        [Err("memory: line 1 is longer than 1048576 bytes".to_owned()), Ok(b"after".to_vec())];
    assert_eq!(lines, expected);
}

#[test]
fn damage_ends_the_lines_after_the_good_ones() {
    let lines = lines_of(Cursor::new(b"one\ntwo\nthr").chain(Failing), 100);
    let failed = Err("memory: reading failed after 11 bytes: on fire".to_owned());
    assert_eq!(lines, [Ok(b"one".to_vec()), Ok(b"two".to_vec()), failed]);
}

proptest! {
    #[test]
    fn where_reads_break_does_not_matter(
        text in text_with_lines(),
        chunks in prop::collection::vec(1_usize..700, 1..20),
        packing in 0..3,
        limit in 0_usize..400,
    ) {
        let packed = match packing {
            0 => text.clone(),
            1 => gzip(&text),
            _ => zstd(&text),
        };
        let whole = Cursor::new(packed.clone());
        let broken = || Chunked { bytes: Cursor::new(packed.clone()), chunks: chunks.clone(), turn: 0 };
        let guess = |reader: Box<dyn Read + Send>| Source::from_reader("memory", reader).guess();
        prop_assert_eq!(read_all(&mut Source::from_reader("memory", broken())).unwrap(), text.clone());
        prop_assert_eq!(guess(Box::new(broken())), guess(Box::new(whole.clone())));
        prop_assert_eq!(lines_of(broken(), limit), obvious_lines(&text, limit));
        prop_assert_eq!(lines_of(whole, limit), obvious_lines(&text, limit));
    }

    #[test]
    fn slices_of_any_size_add_up(sizes in prop::collection::vec(1_000_usize..600_000, 1..8)) {
        let text = long_text();
        let mut source = Source::from_reader("memory", Cursor::new(text.clone()));
        let mut all = Vec::new();
        for size in sizes.iter().cycle() {
            let mut slice = vec![0; *size];
            let came = source.read(&mut slice).unwrap();
            if came == 0 {
                break;
            }
            all.extend_from_slice(&slice[..came]);
        }
        prop_assert_eq!(all, text);
    }
}

type Answer = Result<Vec<u8>, String>;

fn lines_of(reader: impl Read + Send + 'static, limit: usize) -> Vec<Answer> {
    let mut lines = Source::from_reader("memory", reader).lines(limit);
    let mut answers = Vec::new();
    loop {
        match lines.next_line() {
            Ok(None) => return answers,
            Ok(Some(line)) => {
                answers.push(Ok(line.bytes.to_vec()));
                assert_eq!(line.number, answers.len() as u64);
            }
            Err(error) => answers.push(Err(error.to_string())),
        }
    }
}

/// What `lines_of` must say, by cutting up the whole text.
fn obvious_lines(text: &[u8], limit: usize) -> Vec<Answer> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let number = |line: usize| format!("memory: line {line} is longer than {limit} bytes");
    text.split_inclusive(|&byte| byte == b'\n')
        .map(|line| match line.strip_suffix(b"\n") {
            Some(line) => line.strip_suffix(b"\r").unwrap_or(line),
            None => line,
        })
        .enumerate()
        .map(
            |(index, line)| {
                if line.len() > limit { Err(number(index + 1)) } else { Ok(line.to_vec()) }
            },
        )
        .collect()
}

fn text_with_lines() -> impl Strategy<Value = Vec<u8>> {
    let line = ("[ -~]{0,500}", prop::sample::select(vec!["\n", "\r\n", "\r", "\n\n"]));
    prop::collection::vec(line, 0..12).prop_map(|lines| {
        lines.into_iter().map(|(line, end)| line + end).collect::<String>().into()
    })
}

/// More than the buffer holds, several times over.
fn long_text() -> Vec<u8> {
    static TEXT: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let line = |n: u32| format!("{n} {}\n", n.wrapping_mul(2_654_435_761));
        (0..100_000).flat_map(|n| line(n).into_bytes()).collect()
    });
    TEXT.clone()
}

fn read_all(source: &mut Source) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

struct Failing;

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("on fire"))
    }
}

struct OneByOne<R>(R);

impl<R: Read> Read for OneByOne<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = into.len().min(1);
        self.0.read(&mut into[..length])
    }
}

/// Hands out its bytes in the given chunk sizes, interrupted now and then.
struct Chunked {
    bytes: Cursor<Vec<u8>>,
    chunks: Vec<usize>,
    turn: usize,
}

impl Read for Chunked {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.turn += 1;
        if self.turn.is_multiple_of(5) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let length = into.len().min(self.chunks[self.turn % self.chunks.len()]);
        self.bytes.read(&mut into[..length])
    }
}

/// A directory of its own for each test, gone when the test is.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let directory = std::env::temp_dir().join(format!("sources-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        Directory(directory)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}
