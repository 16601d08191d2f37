//! A task that computes values.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hash, Hasher},
};

use game::{Game, Key, Rank, Score, Value, Verdict, judge};

use super::{
    Blobs,
    bytes::{Blob, Reader, Writer, sections},
    damaged,
    message::{Kept, Settle, Settled, Source},
};
use crate::{store::Found, work::SolveError};

pub(super) fn run<G: Game>(
    game: &G,
    task: &Settle,
    blobs: &mut dyn Blobs,
) -> Result<Settled, SolveError> {
    if Game::key_bits(game) <= u64::BITS {
        run_with::<G, u64>(game, task, blobs)
    } else {
        run_with::<G, u128>(game, task, blobs)
    }
}

/// A key in a table of values, as short as the keys of a game allow.
trait Short: Copy + Eq + Hash {
    fn of(key: Key) -> Self;
}

impl Short for u64 {
    fn of(key: Key) -> u64 {
        key.0 as u64
    }
}

impl Short for u128 {
    fn of(key: Key) -> u128 {
        key.0
    }
}

fn run_with<G: Game, K: Short>(
    game: &G,
    task: &Settle,
    blobs: &mut dyn Blobs,
) -> Result<Settled, SolveError> {
    let (positions, successors) = task.rows;
    let count = (positions + successors) as usize;
    let read = task.positions.span.bytes as usize;
    // A table has a byte beside every entry, and grows in powers of two.
    let table = (count * 8 / 7).next_power_of_two() * (size_of::<(K, (i16, u16))>() + 1);
    // A key that is exchanged has about four bytes, and sixteen once it is read.
    let answered = task.answered.iter().map(|(asked, by)| asked.span.bytes + by.span.bytes);
    let asked = task.asked.iter().map(|asked| asked.span.bytes);
    let exchanged = answered.chain(asked).max().unwrap_or_default() as usize;
    blobs.hold(table + 3 * read + 5 * exchanged)?;
    let mut values = Values::<K>::with_capacity_and_hasher(count, BuildHasherDefault::default());
    for (asked, answers) in &task.answered {
        take_answers(*asked, *answers, blobs, &mut values)?;
    }
    let name = task.positions.id.blob();
    let bytes = blobs.read(&name, task.positions.span)?;
    let ranks = sections(&bytes).ok_or_else(|| damaged(&name))?;
    let (mut blob, mut rows) = (Blob::default(), Vec::with_capacity(ranks.len()));
    // They were written from the highest to the lowest.
    for mut section in ranks.into_iter().rev() {
        let (rank, found) = read_rank(&mut section).ok_or_else(|| damaged(&name))?;
        let verdicts = settle_rank(game, rank, &found, &values)?;
        let known = found.iter().zip(&verdicts);
        values.extend(known.map(|(found, verdict)| (K::of(found.key), short(verdict))));
        let mut section = Writer::default();
        section.rows(rank, &found, &verdicts);
        rows.push(Kept { rank, rows: found.len() as u64, span: blob.add(&section) });
    }
    drop(bytes);
    let mut answers = Vec::with_capacity(task.asked.len());
    for asked in &task.asked {
        answers.push((asked.id, answer(*asked, blobs, &values, &mut blob)?));
    }
    blobs.write(&task.id.blob(), blob.finish())?;
    Ok(Settled { id: task.id, rows, answers })
}

/// The value and the remoteness of positions.
type Values<K> = HashMap<K, (i16, u16), BuildHasherDefault<KeyHasher>>;

/// Keys are positions, of which many differ in a few bits only: a multiplication spreads them.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, key: u64) {
        let mixed = (self.0 ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }

    fn write_u128(&mut self, key: u128) {
        self.write_u64(key as u64);
        self.write_u64((key >> 64) as u64);
    }

    fn finish(&self) -> u64 {
        self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

fn short(verdict: &Verdict) -> (i16, u16) {
    let remoteness = verdict.remoteness.expect("all successors have a remoteness");
    (verdict.score.0, remoteness)
}

fn read_rank(section: &mut Reader<'_>) -> Option<(Rank, Vec<Found>)> {
    Some((section.rank()?, section.found()?))
}

/// Reads the values of successors in lower levels: keys from the outbox, values from the answers.
fn take_answers<K: Short>(
    asked: Source,
    answers: Source,
    blobs: &mut dyn Blobs,
    values: &mut Values<K>,
) -> Result<(), SolveError> {
    let (asked_in, answered_in) = (asked.id.blob(), answers.id.blob());
    let keys = blobs.read(&asked_in, asked.span)?;
    let keys = sections(&keys).ok_or_else(|| damaged(&asked_in))?;
    let answered = blobs.read(&answered_in, answers.span)?;
    let answered = sections(&answered).ok_or_else(|| damaged(&answered_in))?;
    if keys.len() != answered.len() {
        return Err(damaged(&answered_in));
    }
    for (mut keys, mut answered) in keys.into_iter().zip(answered) {
        for key in keys.keys().ok_or_else(|| damaged(&asked_in))? {
            let value = answered.value().ok_or_else(|| damaged(&answered_in))?;
            values.insert(K::of(key), value);
        }
    }
    Ok(())
}

fn settle_rank<G: Game, K: Short>(
    game: &G,
    rank: Rank,
    found: &[Found],
    values: &Values<K>,
) -> Result<Vec<Verdict>, SolveError> {
    let verdict = |found: &Found| {
        let key = found.key;
        let foreign = || SolveError::Foreign { key: key.0, game: game.name() };
        let position = game.unpack(key).ok_or_else(foreign)?;
        let mut hole = None;
        let verdict = judge(game, &position, |to| {
            let to_key = game.pack(to);
            let known = values.get(&K::of(to_key));
            if known.is_none() {
                hole = Some(SolveError::Hole { rank: game.rank(to), key: to_key.0 });
            }
            known.map(|(score, plies)| Value { score: Score(*score), remoteness: Some(*plies) })
        });
        let verdict = verdict.map_err(|error| SolveError::Score { rank, key: key.0, error })?;
        verdict.ok_or_else(|| hole.unwrap_or(SolveError::Hole { rank, key: key.0 }))
    };
    found.iter().map(verdict).collect()
}

/// Writes the values of the positions that an outbox asks for, in its order.
fn answer<K: Short>(
    asked: Source,
    blobs: &mut dyn Blobs,
    values: &Values<K>,
    blob: &mut Blob,
) -> Result<super::Span, SolveError> {
    let name = asked.id.blob();
    let bytes = blobs.read(&name, asked.span)?;
    let mut span = None;
    for mut section in sections(&bytes).ok_or_else(|| damaged(&name))? {
        let mut answers = Writer::default();
        for key in section.keys().ok_or_else(|| damaged(&name))? {
            let hole = || SolveError::Hole { rank: Rank::default(), key: key.0 };
            answers.value(*values.get(&K::of(key)).ok_or_else(hole)?);
        }
        let added = blob.add(&answers);
        span = Some(span.map_or(added, |span: super::Span| span.joined(added)));
    }
    Ok(span.unwrap_or_default())
}
