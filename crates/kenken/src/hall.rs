//! Hall sets in small grids, where all sets of columns fit in one word.
//!
//! Bit S of a word stands for the set S of columns. For each row, a constant word has the sets that
//! contain all columns of the row. Adding up these words, bit by bit of the sums, counts for all
//! sets at once how many rows lie within them.

/// The most rows of a matrix for which a word has all sets of columns.
pub(crate) const MOST_ROWS: usize = 6;

const SETS: usize = 1 << MOST_ROWS;

/// For each set of columns, the sets that contain it.
const ABOVE: [u64; SETS] = sets(true);
/// For each set of columns, the sets that have no column of it.
const APART: [u64; SETS] = sets(false);

/// For each bit of a number, the sets whose size has that bit.
const SIZES: [u64; 3] = {
    let mut sizes = [0; 3];
    let mut set = 0usize;
    while set < SETS {
        let mut bit = 0;
        while bit < 3 {
            sizes[bit] |= ((set.count_ones() as u64) >> bit & 1) << set;
            bit += 1;
        }
        set += 1;
    }
    sizes
};

const fn sets(above: bool) -> [u64; SETS] {
    let mut sets = [0; SETS];
    let mut row = 0;
    while row < SETS {
        let mut set = 0;
        while set < SETS {
            let holds = if above { row & !set == 0 } else { row & set == 0 };
            sets[row] |= (holds as u64) << set;
            set += 1;
        }
        row += 1;
    }
    sets
}

/// The columns of each row that no perfect matching uses; `None` if there is no perfect matching.
/// There are at most [`MOST_ROWS`] rows, and none of them is empty.
pub(crate) fn impossible(rows: &[u32]) -> Option<[u32; MOST_ROWS]> {
    let mut count = [0u64; 3];
    for &row in rows {
        let above = ABOVE[row as usize % SETS];
        let carry = count[0] & above;
        count[0] ^= above;
        count[2] ^= count[1] & carry;
        count[1] ^= carry;
    }
    // Compared from the highest bit on.
    let (mut equal, mut more) = (u64::MAX, 0);
    for bit in [2, 1, 0] {
        more |= equal & count[bit] & !SIZES[bit];
        equal &= !(count[bit] ^ SIZES[bit]);
    }
    if more != 0 {
        return None;
    }
    let mut impossible = [0; MOST_ROWS];
    for (impossible, &row) in impossible.iter_mut().zip(rows) {
        let row_sets = row as usize % SETS;
        let mut hall = equal & !ABOVE[row_sets] & !APART[row_sets];
        while hall != 0 {
            *impossible |= row & hall.trailing_zeros();
            hall &= hall - 1;
        }
    }
    Some(impossible)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{matching::Matching, random::Random};

    #[test]
    fn all_sets_at_once_find_what_a_matching_finds() {
        let mut random = Random::new(41, 0);
        let (mut matched, mut removed) = (0, 0);
        for round in 0..60_000 {
            let side = 1 + round % MOST_ROWS;
            let any = random.next();
            let row = |random: &mut Random| {
                let columns = random.next() & (random.next() | any);
                (columns % (1 << side)).max(1 << random.below(side)) as u32
            };
            let rows: Vec<u32> = (0..side).map(|_| row(&mut random)).collect();
            let found = impossible(&rows);
            let expected = Matching::new(&rows);
            assert_eq!(found.is_some(), expected.is_some(), "{rows:?}");
            let (Some(found), Some(expected)) = (found, expected) else { continue };
            matched += 1;
            for (row, &columns) in rows.iter().enumerate() {
                assert_eq!(found[row], expected.impossible(row, columns), "{rows:?}");
                removed += found[row].count_ones();
            }
        }
        assert!(matched > 10_000 && removed > 10_000, "{matched} {removed}");
    }
}
