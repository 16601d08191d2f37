//! The rows of a rule table in the order of their keys, where each key's begin and end, and the
//! search for those that fit a row.

use std::ops::Range;

use arrow::{
    array::{Array, ArrayRef, AsArray, UInt32Array},
    buffer::ScalarBuffer,
    compute::take,
    datatypes::{DataType, UInt64Type},
    error::ArrowError,
    record_batch::RecordBatch,
};

use super::nodes::{Column, Root};

/// A key below this is the number of its place.
const DIRECT: u64 = 1 << 12;

/// The rows of a table in the order of their keys. Rows of one key stay in their order.
#[derive(Debug)]
pub(super) struct Index {
    /// The columns as they are, with the spare row if there is one.
    pub(super) arrays: Vec<ArrayRef>,
    /// The same as numbers, where they are numbers or truths.
    pub(super) columns: Vec<Column>,
    /// How many rows there are, without the spare one, which comes after them.
    pub(super) rows: usize,
    runs: Runs,
    /// The most rows of one key.
    pub(super) longest: usize,
}

/// Whether there is a row that is no rule: each of its columns is NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spare {
    None,
    Missing,
}

/// Where the rows of a key are.
#[derive(Debug)]
enum Runs {
    /// The rows of key k are from the k-th number to the next.
    Direct(Vec<u32>),
    Hashed(Hashed),
}

/// Keys in a table of places, each of which holds the number of a group counted from 1, or 0.
#[derive(Debug)]
struct Hashed {
    places: Vec<u32>,
    shift: u32,
    keys: Vec<u64>,
    width: usize,
    runs: Vec<Range<u32>>,
}

impl Index {
    /// Puts rows in the order of some columns, which must hold numbers.
    pub(super) fn new(
        rows: &RecordBatch,
        key: &[usize],
        spare: Spare,
    ) -> Result<Index, ArrowError> {
        let keys: Vec<ScalarBuffer<u64>> = key
            .iter()
            .map(|at| rows.column(*at).as_primitive::<UInt64Type>().values().clone())
            .collect();
        let of = |row: u32| keys.iter().map(move |key| key[row as usize]);
        let is_there = |row: &u32| key.iter().all(|at| rows.column(*at).is_valid(*row as usize));
        // A row whose key is NULL is equal to none.
        let mut order: Vec<u32> = (0..rows.num_rows() as u32).filter(is_there).collect();
        let in_order = order.is_sorted_by(|a, b| of(*a).le(of(*b)));
        if !in_order {
            order.sort_by(|a, b| of(*a).cmp(of(*b)));
        }
        let mut groups: Vec<Range<u32>> = Vec::new();
        for at in 0..order.len() as u32 {
            match groups.last_mut() {
                Some(group) if of(order[group.start as usize]).eq(of(order[at as usize])) => {
                    group.end = at + 1;
                }
                _ => groups.push(at..at + 1),
            }
        }
        let first = |group: &Range<u32>| of(order[group.start as usize]);
        let keys: Vec<u64> = groups.iter().flat_map(first).collect();
        let longest = groups.iter().map(ExactSizeIterator::len).max().unwrap_or(0);
        let is_whole = in_order && order.len() == rows.num_rows() && spare == Spare::None;
        let count = order.len();
        let spare = (spare == Spare::Missing).then_some(None);
        let indices: UInt32Array = order.into_iter().map(Some).chain(spare).collect();
        let arrays = rows.columns().iter().map(|column| match is_whole {
            true => Ok(column.clone()),
            false => take(column, &indices, None),
        });
        let arrays = arrays.collect::<Result<Vec<ArrayRef>, ArrowError>>()?;
        Ok(Index {
            columns: arrays.iter().map(numbers).collect(),
            rows: count,
            runs: Runs::new(keys, key.len(), groups),
            arrays,
            longest,
        })
    }

    /// The rows of each of some keys, given the numbers of a key at each of its columns.
    pub(super) fn find(&self, key: &[Root<'_>], count: usize, found: &mut Vec<Range<u32>>) {
        found.clear();
        match &self.runs {
            Runs::Direct(starts) => {
                let find = |key: u64| {
                    let at = key.min(DIRECT) as usize;
                    match starts.get(at..at + 2) {
                        Some(&[start, end]) => start..end,
                        _ => 0..0,
                    }
                };
                match key[0] {
                    Root::Many(keys) => found.extend(keys[..count].iter().map(|key| find(*key))),
                    Root::Same(key) => found.resize(count, find(key)),
                }
            }
            Runs::Hashed(hashed) => {
                found.extend((0..count).map(|row| hashed.find(|at| key[at].at(row))));
            }
        }
    }
}

impl Hashed {
    #[inline(always)]
    fn find(&self, key: impl Fn(usize) -> u64) -> Range<u32> {
        let Hashed { places, shift, keys, width, runs } = self;
        let mut place = (hash((0..*width).map(&key)) >> shift) as usize;
        loop {
            let group = match places[place] {
                0 => return 0..0,
                group => group as usize - 1,
            };
            let known = &keys[group * width..][..*width];
            if known.iter().enumerate().all(|(at, known)| *known == key(at)) {
                return runs[group].clone();
            }
            place = (place + 1) & (places.len() - 1);
        }
    }
}

impl Runs {
    fn new(keys: Vec<u64>, width: usize, runs: Vec<Range<u32>>) -> Runs {
        if width == 1 && keys.last().is_none_or(|last| *last < DIRECT) {
            let most = keys.last().map_or(0, |last| *last as usize + 1);
            let mut starts = vec![0; most + 1];
            for (key, run) in keys.iter().zip(&runs) {
                starts[*key as usize + 1] = run.end;
            }
            // A key without rows begins and ends where the one before it ends.
            for at in 1..starts.len() {
                starts[at] = starts[at].max(starts[at - 1]);
            }
            return Runs::Direct(starts);
        }
        // At most half of the places are taken, so that a search ends soon.
        let size = (2 * runs.len()).next_power_of_two().max(2);
        let shift = u64::BITS - size.trailing_zeros();
        let mut places = vec![0; size];
        for (group, key) in keys.chunks_exact(width).enumerate() {
            let mut place = (hash(key.iter().copied()) >> shift) as usize;
            while places[place] != 0 {
                place = (place + 1) & (size - 1);
            }
            places[place] = group as u32 + 1;
        }
        Runs::Hashed(Hashed { places, shift, keys, width, runs })
    }
}

#[inline(always)]
fn hash(key: impl Iterator<Item = u64>) -> u64 {
    // The fraction of the golden ratio spreads the sets of one square, which are powers of two.
    key.fold(0_u64, |hash, part| {
        (hash.rotate_left(23) ^ part ^ (part >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

/// A column as numbers: a truth has all bits or none, and none where it is NULL. Whatever is
/// neither has no values.
pub(super) fn numbers(array: &ArrayRef) -> Column {
    let mask = |truth: bool| u64::from(truth).wrapping_neg();
    let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
    let valid = nulls.map(|nulls| nulls.iter().map(mask).collect::<Vec<u64>>().into());
    let values = match array.data_type() {
        DataType::UInt64 => array.as_primitive::<UInt64Type>().values().clone(),
        DataType::Boolean => {
            let truths = array.as_boolean();
            let values = match truths.nulls() {
                Some(nulls) => truths.values() & nulls.inner(),
                None => truths.values().clone(),
            };
            values.iter().map(mask).collect::<Vec<u64>>().into()
        }
        _ => ScalarBuffer::default(),
    };
    Column { values, valid }
}

/// What a rule and a row must have in common, or must not: the sum of `rule & row` over the terms
/// of each list. The first `nothing` terms must have no bit in common, and of the others one must.
#[derive(Debug)]
pub(super) struct Terms {
    /// Those of the rules, a row after the other.
    rules: Vec<u64>,
    /// How many there are of each row, those of both lists.
    pub(super) width: usize,
    scan: Scan,
    any: Any,
}

type Scan = fn(&[u64], &[u64], Range<u32>, u32, &mut Pairs);
type Any = fn(&[u64], &[u64], Range<u32>) -> bool;

/// Pairs of a row and a rule.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    pub(super) rows: Vec<u32>,
    pub(super) rules: Vec<u32>,
    pub(super) count: usize,
}

impl Pairs {
    /// Has room for as many, and none yet.
    pub(super) fn begin(&mut self, room: usize) {
        self.count = 0;
        if self.rows.len() < room {
            self.rows.resize(room, 0);
            self.rules.resize(room, 0);
        }
    }

    /// Keeps those for which a condition holds, given their place.
    #[inline(always)]
    pub(super) fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        let mut kept = 0;
        for at in 0..self.count {
            self.rows[kept] = self.rows[at];
            self.rules[kept] = self.rules[at];
            kept += usize::from(keep(at));
        }
        self.count = kept;
    }
}

/// How many terms a list can have.
pub(super) const MOST_TERMS: usize = 8;

impl Terms {
    /// Of so many terms that must have nothing in common, and so many of which one must, if any.
    /// Lists are filled up with terms that have no bits to one of a few lengths, each of which has
    /// a loop of its own.
    pub(super) fn new(
        rows: usize,
        nothing: usize,
        something: Option<usize>,
        term: impl Fn(usize, usize) -> u64,
    ) -> Terms {
        let zero = room(nothing);
        let hit = something.map_or(0, |count| room(count.max(1)));
        let width = zero + hit;
        let mut rules = vec![0; rows * width];
        for row in 0..rows {
            for at in 0..nothing {
                rules[row * width + at] = term(row, at);
            }
            for at in 0..something.unwrap_or(0) {
                rules[row * width + zero + at] = term(row, nothing + at);
            }
        }
        let (scan, any) = loops(zero, hit);
        Terms { rules, width, scan, any }
    }

    /// Where in a row the terms begin of which one must have a bit in common.
    pub(super) fn offset(nothing: usize) -> usize {
        room(nothing)
    }

    /// Adds the rules of a run that fit a row.
    #[inline(always)]
    pub(super) fn scan(&self, terms: &[u64], run: Range<u32>, row: u32, pairs: &mut Pairs) {
        (self.scan)(&self.rules, terms, run, row, pairs);
    }

    /// Whether a rule of a run fits a row.
    #[inline(always)]
    pub(super) fn any(&self, terms: &[u64], run: Range<u32>) -> bool {
        (self.any)(&self.rules, terms, run)
    }
}

fn room(terms: usize) -> usize {
    if terms == 0 { 0 } else { terms.next_power_of_two() }
}

macro_rules! lengths {
    ($zero:expr, $hit:expr, $(($z:literal, $h:literal, $both:literal)),* $(,)?) => {
        match ($zero, $hit) {
            $(($z, $h) => (scan::<$z, $h, $both> as Scan, any::<$z, $h, $both> as Any),)*
            _ => unreachable!("lists have at most {MOST_TERMS} terms"),
        }
    };
}

#[rustfmt::skip]
fn loops(zero: usize, hit: usize) -> (Scan, Any) {
    if (zero, hit) == (0, 0) {
        return (scan_all, any_at_all);
    }
    lengths!(zero, hit,
        (0, 1, 1), (0, 2, 2), (0, 4, 4), (0, 8, 8),
        (1, 0, 1), (1, 1, 2), (1, 2, 3), (1, 4, 5), (1, 8, 9),
        (2, 0, 2), (2, 1, 3), (2, 2, 4), (2, 4, 6), (2, 8, 10),
        (4, 0, 4), (4, 1, 5), (4, 2, 6), (4, 4, 8), (4, 8, 12),
        (8, 0, 8), (8, 1, 9), (8, 2, 10), (8, 4, 12), (8, 8, 16),
    )
}

fn scan_all(_: &[u64], _: &[u64], run: Range<u32>, row: u32, pairs: &mut Pairs) {
    for rule in run {
        pairs.rows[pairs.count] = row;
        pairs.rules[pairs.count] = rule;
        pairs.count += 1;
    }
}

fn any_at_all(_: &[u64], _: &[u64], run: Range<u32>) -> bool {
    !run.is_empty()
}

#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "two arrays are read at the same place")]
fn fits<const Z: usize, const H: usize, const B: usize>(rule: &[u64; B], row: &[u64; B]) -> bool {
    let mut zero = 0;
    for at in 0..Z {
        zero |= rule[at] & row[at];
    }
    let mut hit = 0;
    for at in Z..Z + H {
        hit |= rule[at] & row[at];
    }
    (zero == 0) & (H == 0 || hit != 0)
}

fn scan<const Z: usize, const H: usize, const B: usize>(
    rules: &[u64],
    row: &[u64],
    run: Range<u32>,
    number: u32,
    pairs: &mut Pairs,
) {
    let (rules, _) = rules.as_chunks::<B>();
    let row: &[u64; B] = row.try_into().expect("a row has a term for each of a rule");
    let rules = &rules[run.start as usize..run.end as usize];
    let start = pairs.count;
    let found = &mut pairs.rules[start..start + rules.len()];
    let mut count = 0;
    for (rule, at) in rules.iter().zip(run.start..) {
        // Written whether it fits or not, and overwritten by the next if not: no branch to miss.
        found[count] = at;
        count += usize::from(fits::<Z, H, B>(rule, row));
    }
    pairs.rows[start..start + count].fill(number);
    pairs.count = start + count;
}

fn any<const Z: usize, const H: usize, const B: usize>(
    rules: &[u64],
    row: &[u64],
    run: Range<u32>,
) -> bool {
    let (rules, _) = rules.as_chunks::<B>();
    let row: &[u64; B] = row.try_into().expect("a row has a term for each of a rule");
    rules[run.start as usize..run.end as usize].iter().any(|rule| fits::<Z, H, B>(rule, row))
}
