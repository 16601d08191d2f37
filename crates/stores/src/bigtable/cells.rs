//! The contents of cells.

use std::collections::BTreeMap;

use game::{Key, Rank};
use serde_json::{Value, json};
use solver::{Header, Row, Stage, State};

use crate::tally::{Tally, row_sum};

/// The content of the row `header`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Ledger {
    pub(super) state: State,
    /// The number of the last commit.
    pub(super) commits: u64,
    /// Whether nothing was written since the last commit.
    pub(super) clean: bool,
    pub(super) ranks: BTreeMap<Rank, Tally>,
}

impl Ledger {
    pub(super) fn new(header: Header) -> Ledger {
        let state = State { header, stage: Stage::Exploring(None) };
        Ledger { state, commits: 0, clean: true, ranks: BTreeMap::new() }
    }

    pub(super) fn to_text(&self) -> String {
        let header = &self.state.header;
        let (stage, stage_rank) = self.state.stage.to_columns();
        // Checksums are hexadecimal text, because JSON numbers are exact only up to 53 bits.
        let ranks = self
            .ranks
            .iter()
            .map(|(rank, tally)| json!([rank.to_u32(), tally.rows, format!("{:016x}", tally.sum)]));
        json!({
            "format": header.format,
            "game": header.game,
            "key_bits": header.key_bits,
            "stage": stage,
            "stage_rank": stage_rank,
            "commits": self.commits,
            "clean": self.clean,
            "ranks": ranks.collect::<Value>(),
        })
        .to_string()
    }

    pub(super) fn from_text(text: &[u8]) -> Option<Ledger> {
        let body: Value = serde_json::from_slice(text).ok()?;
        let number = |value: &Value| value.as_u64().and_then(|number| u32::try_from(number).ok());
        let header = Header {
            game: body["game"].as_str()?.to_owned(),
            key_bits: number(&body["key_bits"])?,
            format: number(&body["format"])?,
        };
        let stage = Stage::from_columns(body["stage"].as_str()?, number(&body["stage_rank"]))?;
        let rank = |rank: &Value| {
            // Format 1, which is refused by its number, has no checksums.
            let sum = rank[2].as_str().map_or(Ok(0), |sum| u64::from_str_radix(sum, 16)).ok()?;
            let tally = Tally { rows: rank[1].as_u64()?, sum };
            Some((Rank::from_u32(number(&rank[0])?), tally))
        };
        Some(Ledger {
            state: State { header, stage },
            commits: body["commits"].as_u64()?,
            clean: body["clean"].as_bool()?,
            ranks: body["ranks"].as_array()?.iter().map(rank).collect::<Option<_>>()?,
        })
    }
}

pub(super) const KEY: usize = 20;

/// The row key of a position.
pub(super) fn row_key(rank: Rank, key: Key) -> Vec<u8> {
    [&rank.to_u32().to_be_bytes()[..], &key.0.to_be_bytes()[..]].concat()
}

/// The position of a row key.
pub(super) fn from_row_key(bytes: &[u8]) -> Option<(Rank, Key)> {
    let (rank, key) = bytes.split_first_chunk::<4>()?;
    let key = u128::from_be_bytes(key.try_into().ok()?);
    Some((Rank::from_u32(u32::from_be_bytes(*rank)), Key(key)))
}

/// The cell of a row: its checksum in four bytes, then in two bytes each the depth, the score once
/// settled, and the best move if there is one, then the remoteness in three bytes if it is known.
/// Its length says which of them are present.
pub(super) fn cell(row: &Row) -> Vec<u8> {
    let (value, best, remoteness) = Row::verdict_columns(row.verdict);
    let mut cell = row_sum(row).to_be_bytes().to_vec();
    cell.extend(row.depth.to_be_bytes());
    cell.extend(value.iter().flat_map(|value| value.to_be_bytes()));
    cell.extend(best.iter().flat_map(|best| best.to_be_bytes()));
    if let Some(plies) = remoteness {
        let [high, low] = plies.to_be_bytes();
        cell.extend([0, high, low]);
    }
    cell
}

/// The row of a row key and a cell, with its checksum.
pub(super) fn from_cell(key: &[u8], cell: &[u8]) -> Option<(Row, u32)> {
    let (rank, key) = from_row_key(key)?;
    let (sum, numbers) = cell.split_first_chunk::<4>()?;
    let (numbers, remoteness) = match numbers.split_last_chunk::<3>() {
        Some((numbers, [0, high, low])) if numbers.len() % 2 == 0 => {
            (numbers, Some(u16::from_be_bytes([*high, *low])))
        }
        _ => (numbers, None),
    };
    let (numbers, rest) = numbers.as_chunks::<2>();
    let number = |at: usize| numbers.get(at).map(|bytes| u16::from_be_bytes(*bytes));
    let least = if remoteness.is_some() { 2 } else { 1 };
    let whole = rest.is_empty() && (least..=3).contains(&numbers.len());
    let verdict = Row::verdict_of(number(1).map(|value| value as i16), number(2), remoteness);
    let row = Row { rank, key, depth: number(0)?, verdict };
    whole.then_some((row, u32::from_be_bytes(*sum)))
}

#[cfg(test)]
mod tests {
    use game::{MoveId, Score, Verdict};
    use solver::FORMAT;

    use super::*;

    #[test]
    fn cells_come_back_and_keys_sort_like_positions() {
        let verdicts = [
            None,
            Some((-5, None, None)),
            Some((-5, None, Some(u16::MAX))),
            Some((i16::MAX, Some(0), None)),
            Some((i16::MAX, Some(0), Some(0))),
        ];
        let places = [(0, 1), (0, u128::MAX), (1 << 16, 0), (u32::MAX, 7)];
        let mut keys = Vec::new();
        for (rank, key) in places {
            for verdict in verdicts {
                let verdict = verdict.map(|(score, best, remoteness)| Verdict {
                    score: Score(score),
                    best: best.map(MoveId),
                    remoteness,
                });
                let rank = Rank::from_u32(rank);
                let row = Row { rank, key: Key(key), depth: 300, verdict };
                let back = from_cell(&row_key(rank, row.key), &cell(&row));
                assert_eq!(back, Some((row, row_sum(&row))));
            }
            keys.push(row_key(Rank::from_u32(rank), Key(key)));
        }
        assert!(keys.is_sorted() && keys.iter().all(|key| key.len() == KEY));
        for bad in [&[][..], &[1], &[0; 4], &[0; 5], &[0; 7], &[0; 9], &[0; 12], &[1; 13], &[0; 15]]
        {
            assert_eq!(from_cell(&keys[0], bad), None);
        }
    }

    #[test]
    fn a_ledger_comes_back() {
        let header = Header { game: "any".to_owned(), key_bits: 9, format: FORMAT };
        let ranks = [(Rank::MAX, Tally { rows: 5, sum: u64::MAX })].into();
        let stage = Stage::Settling(Some(Rank::MAX));
        let state = State { header, stage };
        let ledger = Ledger { state, commits: 7, clean: false, ranks };
        assert_eq!(Ledger::from_text(ledger.to_text().as_bytes()), Some(ledger));
        assert_eq!(Ledger::from_text(b"{}"), None);
    }
}
