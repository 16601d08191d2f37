//! CSV and JSON as tables.

use std::io::Read;

use tables::{Absent, Notation, Survey, TextError, TextReader};

pub(crate) fn csv_is_read_as_it_was_surveyed(data: &[u8]) {
    for has_header in [true, false] {
        check(data, Notation::Separated { separator: b',', has_header });
    }
    check(data, Notation::Separated { separator: b'\t', has_header: true });
}

pub(crate) fn json_is_read_as_it_was_surveyed(data: &[u8]) {
    check(data, Notation::Json);
}

/// The survey finds types that hold every value, so no value is refused later; and neither rows nor
/// errors depend on how the bytes arrive.
fn check(data: &[u8], notation: Notation) {
    let (mut whole, mut pieces) = (Survey::default(), Survey::default());
    let surveyed = whole.look(data, notation, || true);
    let again = pieces.look(Pieces(data), notation, || true);
    assert_eq!(told(surveyed.as_ref().err()), told(again.as_ref().err()));
    if surveyed.is_err() {
        return;
    }
    let schema = whole.schema();
    assert_eq!(schema, pieces.schema());
    let columns: Vec<usize> = (0..schema.fields().len()).collect();
    let whole = TextReader::new(data, notation, &schema, &columns, 7, Absent::Null);
    let pieces = TextReader::new(Pieces(data), notation, &schema, &columns, 7, Absent::Null);
    let (Ok(mut whole), Ok(mut pieces)) = (whole, pieces) else {
        panic!("a text that was surveyed can be opened");
    };
    loop {
        match (whole.next_batch(), pieces.next_batch()) {
            (Ok(None), Ok(None)) => return,
            (Ok(batch), Ok(other)) => assert_eq!(batch, other),
            // That a key is repeated is not looked for twice.
            (Err(TextError::Value { expected, .. }), _) if !expected.contains("repeated") => {
                panic!("expected {expected} in {schema:?}");
            }
            (Err(error), Err(other)) => {
                return assert_eq!(error.to_string(), other.to_string());
            }
            (one, other) => panic!("{one:?} and {other:?}"),
        }
    }
}

fn told(error: Option<&TextError>) -> Option<String> {
    error.map(ToString::to_string)
}

/// The data in pieces whose sizes are taken from its bytes.
struct Pieces<'a>(&'a [u8]);

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let size = self.0.first().map_or(0, |byte| u64::from(byte % 7) + 1);
        (&mut self.0).take(size).read(into)
    }
}
