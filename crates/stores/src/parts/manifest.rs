//! The manifest: the list of parts, and the progress of the work.
//!
//! It has two lines of text: a JSON object, and the CRC-32 of the first line.

use std::collections::BTreeMap;

use game::{Key, Rank};
use serde_json::{Value, json};
use solver::{Header, Stage, State};

use super::shelf::is_part;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Manifest {
    pub(crate) state: State,
    /// The number of the last writer.
    pub(crate) writer: u64,
    pub(crate) ranks: BTreeMap<Rank, u64>,
    /// Oldest first.
    pub(crate) runs: Vec<Run>,
}

/// Parts sorted by rank and key.
pub(crate) type Run = Vec<Entry>;

/// The entry of a part in the manifest.
pub(crate) use solver::tasks::Part as Entry;

pub(crate) fn rows_of(run: &Run) -> u64 {
    run.iter().map(|part| part.rows).sum()
}

impl Manifest {
    pub(crate) fn new(header: Header) -> Manifest {
        let state = State { header, stage: Stage::Exploring(None) };
        Manifest { state, writer: 0, ranks: BTreeMap::new(), runs: Vec::new() }
    }

    pub(crate) fn parts(&self) -> impl Iterator<Item = &Entry> {
        self.runs.iter().flatten()
    }

    pub(crate) fn to_text(&self) -> String {
        let header = &self.state.header;
        let (stage, stage_rank) = self.state.stage.to_columns();
        let ranks = self.ranks.iter().map(|(rank, rows)| json!([rank.to_u32(), rows]));
        let runs = self.runs.iter().map(|run| run.iter().map(entry_to_json).collect::<Value>());
        let body = json!({
            "format": header.format,
            "game": header.game,
            "key_bits": header.key_bits,
            "stage": stage,
            "stage_rank": stage_rank,
            "writer": self.writer,
            "ranks": ranks.collect::<Value>(),
            "runs": runs.collect::<Value>(),
        })
        .to_string();
        format!("{body}\ncrc32 {:08x}\n", crc32fast::hash(body.as_bytes()))
    }

    /// Reads a manifest, or says what is wrong with it.
    pub(crate) fn from_text(text: &[u8]) -> Result<Manifest, String> {
        let text = str::from_utf8(text).map_err(|_| "it is not text")?;
        let (body, check) = text.split_once('\n').ok_or("it is truncated")?;
        if check != format!("crc32 {:08x}\n", crc32fast::hash(body.as_bytes())) {
            return Err("its checksum does not match".to_owned());
        }
        let body: Value = serde_json::from_str(body).map_err(|error| error.to_string())?;
        let manifest = from_json(&body).ok_or("a field is missing or wrong")?;
        let rows = manifest.parts().map(|part| part.rows);
        let rows = rows.chain(manifest.ranks.values().copied()).try_fold(0, u64::checked_add);
        rows.map(|_| manifest).ok_or_else(|| "it counts more rows than there can be".to_owned())
    }
}

fn from_json(body: &Value) -> Option<Manifest> {
    let header = Header {
        game: body["game"].as_str()?.to_owned(),
        key_bits: number(&body["key_bits"])?,
        format: number(&body["format"])?,
    };
    let stage_rank = match &body["stage_rank"] {
        Value::Null => None,
        rank => Some(number(rank)?),
    };
    let stage = Stage::from_columns(body["stage"].as_str()?, stage_rank)?;
    let rank = |pair: &Value| Some((Rank::from_u32(number(&pair[0])?), pair[1].as_u64()?));
    let run = |run: &Value| run.as_array()?.iter().map(entry_from_json).collect::<Option<Run>>();
    Some(Manifest {
        state: State { header, stage },
        writer: body["writer"].as_u64()?,
        ranks: body["ranks"].as_array()?.iter().map(rank).collect::<Option<_>>()?,
        runs: body["runs"].as_array()?.iter().map(run).collect::<Option<_>>()?,
    })
}

fn number(value: &Value) -> Option<u32> {
    value.as_u64()?.try_into().ok()
}

// Keys and checksums are hexadecimal text, because JSON numbers are exact only up to 53 bits.
fn entry_to_json(part: &Entry) -> Value {
    let place = |(rank, key): (Rank, Key)| json!([rank.to_u32(), format!("{:x}", key.0)]);
    json!({
        "name": part.name,
        "bytes": part.bytes,
        "crc32": format!("{:08x}", part.crc32),
        "rows": part.rows,
        "first": place(part.first),
        "last": place(part.last),
    })
}

fn entry_from_json(part: &Value) -> Option<Entry> {
    let place = |place: &Value| {
        let key = u128::from_str_radix(place[1].as_str()?, 16).ok()?;
        Some((Rank::from_u32(number(&place[0])?), Key(key)))
    };
    Some(Entry {
        // Whatever else it names is not ours to read.
        name: part["name"].as_str().filter(|name| is_part(name))?.to_owned(),
        bytes: part["bytes"].as_u64()?,
        crc32: u32::from_str_radix(part["crc32"].as_str()?, 16).ok()?,
        rows: part["rows"].as_u64()?,
        first: place(&part["first"])?,
        last: place(&part["last"])?,
    })
}

#[cfg(test)]
mod tests {
    use solver::FORMAT;

    use super::*;

    fn manifest() -> Manifest {
        let header = Header { game: "nim stones=21".to_owned(), key_bits: 100, format: FORMAT };
        let rank = Rank { level: 3, step: 70 };
        let part = Entry {
            name: "positions-000001-000001.parquet".to_owned(),
            bytes: 2000,
            crc32: 0xbeef,
            rows: 7,
            first: (rank, Key(1)),
            last: (rank, Key(1 << 99)),
        };
        let state = State { header, stage: Stage::Settling(Some(rank)) };
        Manifest { state, writer: 4, ranks: [(rank, 7)].into(), runs: vec![vec![part], vec![]] }
    }

    #[test]
    fn a_manifest_comes_back() {
        let manifest = manifest();
        assert_eq!(Manifest::from_text(manifest.to_text().as_bytes()), Ok(manifest));
    }

    #[test]
    fn parts_that_are_none_of_ours_and_impossible_counts_are_refused() {
        for (ours, other) in [
            ("positions-000001-000001.parquet", "../secret"),
            ("positions-000001-000001.parquet", "/dev/zero"),
            ("\"rows\":7", "\"rows\":18446744073709551615"),
        ] {
            let text = manifest().to_text();
            let body = text.lines().next().unwrap().replace(ours, other);
            assert!(!text.starts_with(&body));
            let sealed = format!("{body}\ncrc32 {:08x}\n", crc32fast::hash(body.as_bytes()));
            assert!(Manifest::from_text(sealed.as_bytes()).is_err(), "{other}");
        }
    }

    #[test]
    fn every_flipped_byte_and_every_cut_is_noticed() {
        let text = manifest().to_text().into_bytes();
        for at in 0..text.len() {
            assert!(Manifest::from_text(&text[..at]).is_err(), "cut at {at}");
            let mut flipped = text.clone();
            flipped[at] ^= 1;
            assert!(Manifest::from_text(&flipped).is_err(), "flipped at {at}");
        }
    }
}
