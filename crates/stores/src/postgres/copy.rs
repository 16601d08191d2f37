//! The binary format of COPY.
//!
//! A signature, then for every row the number of fields, and for every field its length and bytes,
//! all big-endian. A length of -1 means NULL. A number of fields of -1 marks the end.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use game::{Key, Rank};
use solver::{Header, Row, StoreError};
use tokio_postgres::types::ToSql;

use crate::tally::{checked, row_sum};

const SIGNATURE: &[u8; 19] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// The type of keys: integers if they fit, else 16 bytes that sort like the number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Layout {
    Integer,
    Bytes,
}

impl Layout {
    pub(super) fn of(header: &Header) -> Layout {
        if header.has_integer_keys() { Layout::Integer } else { Layout::Bytes }
    }

    pub(super) fn sql_type(self) -> &'static str {
        match self {
            Layout::Integer => "int8",
            Layout::Bytes => "bytea",
        }
    }

    pub(super) fn literal(self, key: Key) -> String {
        match self {
            Layout::Integer => key.0.to_string(),
            Layout::Bytes => format!("'\\x{:032x}'::bytea", key.0),
        }
    }

    /// The keys as an array parameter.
    pub(super) fn array(self, keys: &[Key]) -> Box<dyn ToSql + Sync> {
        match self {
            Layout::Integer => Box::new(keys.iter().map(|key| key.0 as i64).collect::<Vec<_>>()),
            Layout::Bytes => {
                let bytes = keys.iter().map(|key| key.0.to_be_bytes().to_vec());
                Box::new(bytes.collect::<Vec<_>>())
            }
        }
    }

    /// The key in a column of a row.
    pub(super) fn key(self, row: &tokio_postgres::Row, column: usize) -> Key {
        match self {
            Layout::Integer => Key(row.get::<_, i64>(column) as u128),
            Layout::Bytes => Key(number(row.get(column))),
        }
    }
}

/// Rows in the format of COPY. Unsettled rows have only rank, key, depth and checksum.
pub(super) fn encode(layout: Layout, unsettled: bool, rows: &[Row]) -> Bytes {
    let mut to = BytesMut::with_capacity(64 + rows.len() * 64);
    to.put_slice(SIGNATURE);
    for row in rows {
        to.put_i16(if unsettled { 4 } else { 7 });
        to.put_i32(8);
        to.put_i64(i64::from(row.rank.to_u32()));
        match layout {
            Layout::Integer => {
                to.put_i32(8);
                to.put_i64(row.key.0 as i64);
            }
            Layout::Bytes => {
                to.put_i32(16);
                to.put_u128(row.key.0);
            }
        }
        to.put_i32(4);
        to.put_i32(i32::from(row.depth));
        if !unsettled {
            let (value, best, remoteness) = Row::verdict_columns(row.verdict);
            put(&mut to, value.map(i16::to_be_bytes));
            put(&mut to, best.map(|best| i32::from(best).to_be_bytes()));
            put(&mut to, remoteness.map(|plies| i32::from(plies).to_be_bytes()));
        }
        to.put_i32(4);
        to.put_u32(row_sum(row));
    }
    to.put_i16(-1);
    to.freeze()
}

fn put<const N: usize>(to: &mut BytesMut, field: Option<[u8; N]>) {
    match field {
        Some(bytes) => {
            to.put_i32(N as i32);
            to.put_slice(&bytes);
        }
        None => to.put_i32(-1),
    }
}

/// Decodes rows of seven fields from the chunks of a COPY, which may end anywhere.
#[derive(Default)]
pub(super) struct Decoder {
    left: BytesMut,
    begun: bool,
}

impl Decoder {
    /// Takes a chunk and appends the rows that are now complete.
    pub(super) fn take(
        &mut self,
        piece: &[u8],
        place: &str,
        rows: &mut Vec<Row>,
    ) -> Result<(), StoreError> {
        let corrupt = |cause: &str| {
            let (place, cause) = (place.to_owned(), cause.to_owned());
            StoreError::Corrupt { place, cause }
        };
        self.left.extend_from_slice(piece);
        if !self.begun {
            if self.left.len() < SIGNATURE.len() {
                return Ok(());
            }
            if self.left[..11] != SIGNATURE[..11] {
                return Err(corrupt("the answer is not COPY data"));
            }
            self.left.advance(SIGNATURE.len());
            self.begun = true;
        }
        while let Some((length, row)) = decode(&self.left).map_err(corrupt)? {
            self.left.advance(length);
            if let Some((row, sum)) = row {
                rows.push(checked(row, sum, place)?);
            }
        }
        Ok(())
    }
}

/// The length of a row, and the row with its checksum; no row at the end.
type Decoded = (usize, Option<(Row, u32)>);

/// The first row; `None` if it is not complete yet.
fn decode(bytes: &[u8]) -> Result<Option<Decoded>, &'static str> {
    let mut rest = bytes;
    match rest.try_get_i16() {
        Err(_) => return Ok(None),
        Ok(-1) => return Ok(Some((2, None))),
        Ok(7) => {}
        Ok(_) => return Err("a row does not have seven fields"),
    }
    let mut fields: [Option<&[u8]>; 7] = [None; 7];
    for field in &mut fields {
        let Ok(length) = rest.try_get_i32() else { return Ok(None) };
        if length >= 0 {
            let Some((now, later)) = rest.split_at_checked(length as usize) else {
                return Ok(None);
            };
            *field = Some(now);
            rest = later;
        }
    }
    let [Some(rank), Some(key), Some(depth), value, best, remoteness, Some(sum)] = fields else {
        return Err("a row has no rank, key, depth or sum");
    };
    let narrow = |field| u16::try_from(number(field)).map_err(|_| "a number is out of its range");
    let best = best.map(narrow).transpose()?;
    let remoteness = remoteness.map(narrow).transpose()?;
    let verdict = Row::verdict_of(value.map(|value| number(value) as i16), best, remoteness);
    let rank = Rank::from_u32(number(rank) as u32);
    let row = Row { rank, key: Key(number(key)), depth: narrow(depth)?, verdict };
    Ok(Some((bytes.len() - rest.len(), Some((row, number(sum) as u32)))))
}

fn number(bytes: &[u8]) -> u128 {
    bytes.iter().fold(0, |number, byte| number << 8 | u128::from(*byte))
}

#[cfg(test)]
mod tests {
    use game::{MoveId, Score, Verdict};

    use super::*;

    #[test]
    fn rows_come_back_however_they_are_cut() {
        let verdicts = [
            None,
            Some(Verdict { score: Score(-7), best: None, remoteness: Some(u16::MAX) }),
            Some(Verdict { score: Score(300), best: Some(MoveId(u16::MAX)), remoteness: None }),
        ];
        for layout in [Layout::Integer, Layout::Bytes] {
            let rows: Vec<Row> = verdicts
                .iter()
                .enumerate()
                .map(|(at, verdict)| Row {
                    rank: Rank { level: u16::MAX, step: at as u16 },
                    key: Key(at as u128 * 1_000_000_007),
                    depth: 60_000,
                    verdict: *verdict,
                })
                .collect();
            let bytes = encode(layout, false, &rows);
            for size in 1..bytes.len() {
                let (mut decoder, mut back) = (Decoder::default(), Vec::new());
                for piece in bytes.chunks(size) {
                    decoder.take(piece, "here", &mut back).unwrap();
                }
                assert_eq!(back, rows, "pieces of {size}");
            }
        }
    }
}
