//! Numbers and lists of rows as bytes, in sections with checksums.

use game::{Key, MoveId, Rank, Score, Verdict};
use xxhash_rust::xxh3::xxh3_64;

use super::Span;
use crate::store::{Found, Row};

/// Bytes before the content of a section: its length and its checksum.
const HEAD: usize = 16;

/// Writes numbers, seven bits a byte, the lowest first.
#[derive(Default)]
pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn number(&mut self, number: impl Into<u64>) {
        let mut number = number.into();
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn wide(&mut self, mut number: u128) {
        while number > u128::from(u64::MAX) {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.number(number as u64);
    }

    /// Small numbers of either sign are short.
    fn signed(&mut self, number: i16) {
        self.number((number << 1 ^ number >> 15) as u16);
    }

    fn option(&mut self, number: Option<u16>) {
        self.number(number.map_or(0, |number| u32::from(number) + 1));
    }

    pub(super) fn count(&mut self, count: usize) {
        self.number(count as u64);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.extend_from_slice(text.as_bytes());
    }

    pub(super) fn rank(&mut self, rank: Rank) {
        self.number(rank.to_u32());
    }

    pub(super) fn key(&mut self, key: Key) {
        self.wide(key.0);
    }

    pub(super) fn span(&mut self, span: Span) {
        self.number(span.offset);
        self.number(span.bytes);
    }

    pub(super) fn list<T>(&mut self, list: &[T], mut write: impl FnMut(&mut Writer, &T)) {
        self.count(list.len());
        for item in list {
            write(self, item);
        }
    }

    /// Keys in ascending order, as their differences.
    fn keys(&mut self, keys: impl Iterator<Item = Key>) {
        let mut last = 0;
        for key in keys {
            self.wide(key.0 - last);
            last = key.0;
        }
    }

    pub(super) fn found(&mut self, found: &[Found]) {
        self.count(found.len());
        self.keys(found.iter().map(|found| found.key));
        for found in found {
            self.number(found.depth);
        }
    }

    /// Rows of one rank, which all have verdicts.
    pub(super) fn rows(&mut self, rank: Rank, found: &[Found], verdicts: &[Verdict]) {
        self.rank(rank);
        self.found(found);
        for Verdict { score, best, remoteness } in verdicts {
            self.signed(score.0);
            self.option(best.map(|mv| mv.0));
            self.option(*remoteness);
        }
    }

    pub(super) fn value(&mut self, (score, remoteness): (i16, u16)) {
        self.signed(score);
        self.number(remoteness);
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Reads what a [`Writer`] wrote; `None` where it did not write this.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader(bytes)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn wide(&mut self) -> Option<u128> {
        let mut number = 0;
        for (at, byte) in self.0.iter().enumerate().take(19) {
            number |= u128::from(byte & 0x7f).checked_shl(7 * at as u32)?;
            if byte & 0x80 == 0 {
                self.0 = &self.0[at + 1..];
                return Some(number);
            }
        }
        None
    }

    pub(super) fn number<N: TryFrom<u64>>(&mut self) -> Option<N> {
        let mut number = 0;
        for (at, byte) in self.0.iter().enumerate().take(10) {
            number |= u64::from(byte & 0x7f) << (7 * at);
            if byte & 0x80 == 0 {
                self.0 = &self.0[at + 1..];
                return number.try_into().ok();
            }
        }
        None
    }

    fn signed(&mut self) -> Option<i16> {
        let folded: u16 = self.number()?;
        Some((folded >> 1) as i16 ^ -((folded & 1) as i16))
    }

    fn option(&mut self) -> Option<Option<u16>> {
        match self.number::<u32>()? {
            0 => Some(None),
            number => u16::try_from(number - 1).ok().map(Some),
        }
    }

    /// The length of a list whose items have at least one byte each.
    fn count(&mut self) -> Option<usize> {
        self.number().filter(|count| *count <= self.0.len())
    }

    pub(super) fn text(&mut self) -> Option<String> {
        let count = self.count()?;
        let (text, rest) = self.0.split_at(count);
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    pub(super) fn rank(&mut self) -> Option<Rank> {
        self.number().map(Rank::from_u32)
    }

    pub(super) fn key(&mut self) -> Option<Key> {
        self.wide().map(Key)
    }

    pub(super) fn span(&mut self) -> Option<Span> {
        Some(Span { offset: self.number()?, bytes: self.number()? })
    }

    pub(super) fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Reader<'a>) -> Option<T>,
    ) -> Option<Vec<T>> {
        (0..self.count()?).map(|_| read(self)).collect()
    }

    pub(super) fn found(&mut self) -> Option<Vec<Found>> {
        let count = self.count()?;
        let mut found = Vec::with_capacity(count);
        let mut last = 0u128;
        for _ in 0..count {
            last = last.checked_add(self.wide()?)?;
            found.push(Found { key: Key(last), depth: 0 });
        }
        for found in &mut found {
            found.depth = self.number()?;
        }
        Some(found)
    }

    /// The keys of a list whose depths do not matter.
    pub(super) fn keys(&mut self) -> Option<Vec<Key>> {
        let count = self.count()?;
        let mut keys = Vec::with_capacity(count);
        let mut last = 0u128;
        for _ in 0..count {
            last = last.checked_add(self.wide()?)?;
            keys.push(Key(last));
        }
        for _ in 0..count {
            self.number::<u16>()?;
        }
        Some(keys)
    }

    /// The rank of a section of rows, and how many it has.
    pub(super) fn head(&self) -> Option<(Rank, usize)> {
        let mut head = *self;
        Some((head.rank()?, head.count()?))
    }

    pub(super) fn rows(&mut self, rows: &mut Vec<Row>) -> Option<Rank> {
        let (rank, start) = (self.rank()?, rows.len());
        rows.extend(self.found()?.into_iter().map(|found| Row::unsettled(rank, found)));
        for row in &mut rows[start..] {
            let score = Score(self.signed()?);
            let (best, remoteness) = (self.option()?.map(MoveId), self.option()?);
            row.verdict = Some(Verdict { score, best, remoteness });
        }
        Some(rank)
    }

    pub(super) fn value(&mut self) -> Option<(i16, u16)> {
        Some((self.signed()?, self.number()?))
    }
}

/// A blob of sections, as it is put together.
#[derive(Default)]
pub(super) struct Blob(Vec<u8>);

impl Blob {
    /// Adds a section, and says where it is.
    pub(super) fn add(&mut self, section: &Writer) -> Span {
        let offset = self.0.len() as u64;
        self.0.extend_from_slice(&(section.0.len() as u64).to_le_bytes());
        self.0.extend_from_slice(&xxh3_64(&section.0).to_le_bytes());
        self.0.extend_from_slice(&section.0);
        Span { offset, bytes: (HEAD + section.0.len()) as u64 }
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// The contents of the sections that some bytes hold; `None` if they are damaged.
pub(super) fn sections(mut bytes: &[u8]) -> Option<Vec<Reader<'_>>> {
    let mut sections = Vec::new();
    while !bytes.is_empty() {
        let (head, rest) = bytes.split_at_checked(HEAD)?;
        let (length, sum) = head.split_at(8);
        let length = u64::from_le_bytes(length.try_into().ok()?);
        let (content, rest) = rest.split_at_checked(length.try_into().ok()?)?;
        if xxh3_64(content).to_le_bytes() != sum {
            return None;
        }
        sections.push(Reader(content));
        bytes = rest;
    }
    Some(sections)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_rows_come_back() {
        let mut writer = Writer::default();
        let keys = [0, 1, 127, 128, u128::from(u64::MAX), 1 << 64, u128::MAX].map(Key);
        keys.iter().for_each(|key| writer.key(*key));
        [i16::MIN, -1, 0, 1, i16::MAX].iter().for_each(|n| writer.value((*n, u16::MAX)));
        let found: Vec<Found> =
            keys.iter().map(|key| Found { key: *key, depth: key.0 as u16 }).collect();
        let verdict = |at: usize| Verdict {
            score: Score(at as i16 - 3),
            best: (at > 1).then_some(MoveId(u16::MAX)),
            remoteness: (at > 2).then_some(u16::MAX),
        };
        let verdicts: Vec<Verdict> = (0..found.len()).map(verdict).collect();
        let rank = Rank { level: 7, step: 9 };
        writer.rows(rank, &found, &verdicts);
        let bytes = writer.finish();
        let mut reader = Reader::new(&bytes);
        assert!(keys.iter().all(|key| reader.key() == Some(*key)));
        for score in [i16::MIN, -1, 0, 1, i16::MAX] {
            assert_eq!(reader.value(), Some((score, u16::MAX)));
        }
        let mut rows = Vec::new();
        assert_eq!(reader.rows(&mut rows), Some(rank));
        let expected = found.iter().zip(&verdicts).map(|(found, verdict)| Row {
            verdict: Some(*verdict),
            ..Row::unsettled(rank, *found)
        });
        assert!(reader.is_empty() && rows.iter().copied().eq(expected));
    }

    #[test]
    fn every_flipped_byte_and_every_cut_of_a_section_is_noticed() {
        let mut writer = Writer::default();
        writer.found(&[Found { key: Key(5), depth: 1 }, Found { key: Key(500), depth: 2 }]);
        let mut blob = Blob::default();
        assert_eq!(blob.add(&writer).offset, 0);
        let bytes = blob.finish();
        assert_eq!(sections(&bytes).expect("whole").len(), 1);
        for at in 1..bytes.len() {
            assert!(sections(&bytes[..at]).is_none(), "cut at {at}");
        }
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1;
            assert!(sections(&flipped).is_none(), "flipped at {at}");
        }
    }
}
