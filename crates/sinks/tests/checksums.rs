//! Files with checksums: every changed byte is noticed.

use std::io::{Cursor, Write};

use sinks::{CREATED_BY, Checksums, Layout, Summed, Unfinished};

/// A file of several blocks whose last bytes say how long its footer is, as Parquet has it.
fn file(length: usize, layout: Layout) -> Vec<u8> {
    let body: Vec<u8> = (0..length).map(|at| (at * 7 + at / 251) as u8).collect();
    let mut out = Summed::new(Vec::new(), layout);
    for piece in body.chunks(1_000) {
        out.write_all(piece).unwrap();
    }
    if layout == Layout::Parquet {
        out.hold();
        out.write_all(b"an index").unwrap();
        out.write_all(b"the footer").unwrap();
        out.write_all(&10_u32.to_le_bytes()).unwrap();
        out.write_all(b"PAR1").unwrap();
    }
    let file = out.finish().unwrap();
    assert!(file.starts_with(&body));
    file
}

/// Whether a file is sound; `None` if it has no checksums.
fn check(file: &[u8], layout: Layout) -> Option<bool> {
    let mut file = Cursor::new(file);
    match Checksums::of(&mut file, layout) {
        Ok(None) => None,
        Ok(Some(sums)) => Some(sums.check_all(&mut file).is_ok()),
        Err(error) => {
            assert_eq!(error.kind(), std::io::ErrorKind::InvalidData, "{error}");
            Some(false)
        }
    }
}

#[test]
fn a_sound_file_is_sound_whatever_its_length() {
    for length in [0, 1, 65_535, 65_536, 65_537, 200_000] {
        for layout in [Layout::Arrow, Layout::Parquet] {
            assert_eq!(check(&file(length, layout), layout), Some(true), "{length} {layout:?}");
        }
    }
    for other in [&b""[..], b"PAR1", b"a,b\n1,2\n", &[0xff; 100]] {
        assert_eq!(check(other, Layout::Arrow), None);
        assert_eq!(check(other, Layout::Parquet), None);
    }
}

#[test]
fn a_changed_byte_is_noticed_or_takes_the_checksums_away() {
    for (layout, end) in [(Layout::Arrow, 8), (Layout::Parquet, 8 + 18)] {
        let whole = file(70_000, layout);
        let mut without = 0;
        for at in (0..whole.len()).filter(|at| at % 97 == 0 || at + 200 > whole.len()) {
            let mut changed = whole.clone();
            changed[at] ^= 1 << (at % 8);
            match check(&changed, layout) {
                // What says that there are checksums, and where: nothing else has been changed.
                None => {
                    assert!(at + end >= whole.len(), "byte {at}");
                    without += 1;
                }
                sound => assert_eq!(sound, Some(false), "byte {at}"),
            }
        }
        assert!((8..=16).contains(&without), "{without}");
        let mut longer = whole.clone();
        longer.insert(500, 7);
        assert_eq!(check(&longer, layout), Some(false));
        longer.remove(500);
        longer.remove(600);
        assert_eq!(check(&longer, layout), Some(false));
    }
}

#[test]
fn a_file_that_names_checksums_and_has_none_is_damaged() {
    let footer = [&[0; 40], CREATED_BY.as_bytes(), b"\x24\0\0\0PAR1"].concat();
    assert_eq!(CREATED_BY.len(), 0x24);
    assert_eq!(check(&footer, Layout::Parquet), Some(false));
}

#[test]
fn a_range_is_checked_without_the_rest_of_the_file() {
    let whole = file(200_000, Layout::Parquet);
    let sums = Checksums::of(&mut Cursor::new(&whole), Layout::Parquet).unwrap().unwrap();
    let size = whole.len() as u64;
    assert_eq!(sums.around(10..20), 0..65_536);
    assert_eq!(sums.around(65_530..65_540), 0..131_072);
    assert_eq!(sums.around(size - 1..size), size - 18..size);
    assert_eq!(sums.around(0..size), 0..size);
    let mut changed = whole.clone();
    changed[70_000] ^= 1;
    for (range, is_sound) in [(10..20, true), (69_000..69_010, false), (190_000..size, true)] {
        let around = sums.around(range);
        let bytes = &changed[around.start as usize..around.end as usize];
        assert_eq!(sums.check(around.start, bytes).is_ok(), is_sound, "{around:?}");
    }
    let told = sums.check(65_536, &changed[65_536..131_072]).unwrap_err().to_string();
    assert_eq!(told, "bytes 65536 to 131071 do not match their checksum");
}

#[test]
fn checksums_are_added_to_a_file_that_has_none() {
    let directory = tempfile::tempdir().unwrap();
    let footer: &[u8] = b"the footer\x0a\0\0\0PAR1";
    let arrow: &[u8] = b"the footer\x0a\0\0\0ARROW1";
    for (layout, end) in
        [(Layout::Parquet, footer), (Layout::Arrow, arrow), (Layout::Arrow, &[0xff; 4])]
    {
        let path = directory.path().join("file");
        let mut file = Unfinished::create(&path).unwrap();
        let mut whole = vec![7; 100_000];
        whole.extend(end);
        file.write_all(&whole).unwrap();
        file.add_checksums(layout).unwrap();
        file.complete().unwrap();
        let mut found = std::fs::read(&path).unwrap();
        assert_eq!(check(&found, layout), Some(true));
        assert!(end == [0xff; 4] || found.ends_with(end));
        found[99_999] = 8;
        assert_eq!(check(&found, layout), Some(false));
    }
    // What is no Parquet gets none.
    let path = directory.path().join("file");
    let mut file = Unfinished::create(&path).unwrap();
    file.write_all(b"nothing of the kind").unwrap();
    file.add_checksums(Layout::Parquet).unwrap();
    file.complete().unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"nothing of the kind");
}
