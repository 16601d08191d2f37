//! Hall sets: k rows of a square 0/1 matrix that have k columns together.
//!
//! The rows and columns are the cells and digits of a line, or the rows and columns of the grid for
//! one digit. In both cases a solution is a perfect matching. An entry is in no perfect matching
//! exactly if some Hall set of other rows needs its column. One matching and the strongly connected
//! components of its alternating paths find all such entries at once (Régin 1994).

/// A perfect matching and its alternating paths.
pub(crate) struct Matching {
    /// For each column, the row matched with it.
    owner: [u8; 32],
    /// For each row, the rows that its alternating paths reach, itself included.
    reach: [u32; 32],
}

impl Matching {
    /// Matches every row with a different column, if that is possible.
    pub(crate) fn new(rows: &[u32]) -> Option<Matching> {
        let mut search = Search { rows, owner: [NOBODY; 32], matched: [NOBODY; 32], visited: 0 };
        for row in 0..rows.len() {
            search.visited = 0;
            if search.matched[row] == NOBODY && !search.augment(row) {
                return None;
            }
        }
        let owner = search.owner;
        let mut reach = [0; 32];
        for (row, &columns) in rows.iter().enumerate() {
            let mut columns = columns;
            reach[row] = 1 << row;
            while columns != 0 {
                reach[row] |= 1 << owner[columns.trailing_zeros() as usize];
                columns &= columns - 1;
            }
        }
        for through in 0..rows.len() {
            for row in 0..rows.len() {
                if reach[row] >> through & 1 == 1 {
                    reach[row] |= reach[through];
                }
            }
        }
        Some(Matching { owner, reach })
    }

    /// The columns of a row that no perfect matching uses.
    pub(crate) fn impossible(&self, row: usize, columns: u32) -> u32 {
        let mut rest = columns;
        let mut impossible = 0;
        while rest != 0 {
            let column = rest & rest.wrapping_neg();
            rest ^= column;
            let owner = self.owner[column.trailing_zeros() as usize];
            if self.reach[usize::from(owner)] >> row & 1 == 0 {
                impossible |= column;
            }
        }
        impossible
    }

    /// The rows of the Hall set that needs a column.
    pub(crate) fn hall_rows(&self, column: usize) -> u32 {
        self.reach[usize::from(self.owner[column])]
    }
}

const NOBODY: u8 = u8::MAX;

struct Search<'a> {
    rows: &'a [u32],
    owner: [u8; 32],
    matched: [u8; 32],
    visited: u32,
}

impl Search<'_> {
    fn augment(&mut self, row: usize) -> bool {
        let mut open = self.rows[row] & !self.visited;
        while open != 0 {
            let column = open.trailing_zeros() as usize;
            self.visited |= 1 << column;
            let owner = self.owner[column];
            if owner == NOBODY || self.augment(usize::from(owner)) {
                self.owner[column] = row as u8;
                self.matched[row] = column as u8;
                return true;
            }
            open = self.rows[row] & !self.visited;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether some perfect matching contains this entry, found by trying all of them.
    fn in_some_matching(rows: &[u32], row: usize, column: usize) -> bool {
        fn go(rows: &[u32], at: usize, used: u32, row: usize, column: usize) -> bool {
            if at == rows.len() {
                return true;
            }
            let open = if at == row { rows[at] & (1 << column) } else { rows[at] };
            (0..rows.len()).any(|place| {
                (open & !used) >> place & 1 == 1 && go(rows, at + 1, used | 1 << place, row, column)
            })
        }
        go(rows, 0, 0, row, column)
    }

    #[test]
    fn an_entry_is_impossible_exactly_if_no_matching_takes_it() {
        let mut seed = 7u64;
        for _ in 0..3000 {
            let mut random = || {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (seed >> 33) as u32
            };
            let side = 1 + random() as usize % 6;
            let rows: Vec<u32> =
                (0..side).map(|_| (random() | (random() & random())) % (1 << side)).collect();
            let matching = Matching::new(&rows);
            for (row, &columns) in rows.iter().enumerate() {
                for column in (0..side).filter(|&column| columns >> column & 1 == 1) {
                    let possible = matching
                        .as_ref()
                        .is_some_and(|m| m.impossible(row, columns) >> column & 1 == 0);
                    assert_eq!(possible, in_some_matching(&rows, row, column), "{rows:?}");
                }
            }
        }
    }
}
