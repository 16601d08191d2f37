//! Perfect numbering: every way to lay seeds into pits has a number, and no number is left over.

/// All ways to lay exactly `s` seeds into a fixed number of pits, numbered from 0 for each `s`.
///
/// The numbering is lexicographic with the first pit most significant, so a seed that moves to a
/// later pit lowers the number: within one count of seeds, the order of numbers is an order of
/// work for moves that put nothing into a store.
///
/// ```
/// use kalah::Layouts;
///
/// let layouts = Layouts::new(3, 10);
/// assert_eq!(layouts.count(2), 6);
/// let numbers = [[0, 0, 2], [0, 1, 1], [0, 2, 0], [1, 0, 1], [1, 1, 0], [2, 0, 0]];
/// assert_eq!(numbers.map(|pits| layouts.number(&pits)), [0, 1, 2, 3, 4, 5]);
/// assert_eq!(Layouts::total(12, 22), Some(548_354_040));
/// ```
#[derive(Clone, Debug)]
pub struct Layouts {
    pits: usize,
    /// `ways[p][s]`: the layouts of exactly `s` seeds in `p` pits.
    ways: Vec<Vec<u64>>,
}

impl Layouts {
    /// Numbers layouts of `pits` pits with up to `seeds` seeds.
    ///
    /// # Panics
    ///
    /// Where the numbers do not fit 64 bits.
    pub fn new(pits: usize, seeds: u32) -> Layouts {
        let seeds = seeds as usize;
        // With no pit there is one way to lay no seed. A further pit takes what the others leave,
        // so its ways are the running sums of theirs.
        let mut ways = vec![vec![0; seeds + 1]];
        ways[0][0] = 1;
        for pit in 0..pits {
            let sums = ways[pit].iter().scan(0_u64, |sum, ways| {
                *sum = sum.checked_add(*ways).expect("layouts fit 64 bits");
                Some(*sum)
            });
            ways.push(sums.collect());
        }
        Layouts { pits, ways }
    }

    /// The pits of a layout.
    pub fn pits(&self) -> usize {
        self.pits
    }

    /// How many layouts of exactly `seeds` seeds there are.
    pub fn count(&self, seeds: u32) -> u64 {
        self.ways[self.pits][seeds as usize]
    }

    /// The number of a layout among those with as many seeds.
    pub fn number(&self, layout: &[u8]) -> u64 {
        debug_assert_eq!(layout.len(), self.pits);
        let mut left: usize = layout.iter().map(|seeds| usize::from(*seeds)).sum();
        let mut number = 0;
        for (at, seeds) in layout.iter().enumerate() {
            // Smaller first pits come first: those with 0, 1, .. seeds here. The ways of the pits
            // behind add up to a difference of the ways of one pit more.
            let ways = &self.ways[self.pits - at];
            let behind = left - usize::from(*seeds);
            number += ways[left] - ways[behind];
            left = behind;
        }
        number
    }

    /// Writes the layout of a number into `layout`.
    pub fn layout(&self, seeds: u32, mut number: u64, layout: &mut [u8]) {
        debug_assert!(number < self.count(seeds));
        let mut left = seeds as usize;
        for (at, pit) in layout.iter_mut().enumerate() {
            let behind = self.pits - 1 - at;
            let mut here = 0;
            while number >= self.ways[behind][left - here] {
                number -= self.ways[behind][left - here];
                here += 1;
            }
            *pit = here as u8;
            left -= here;
        }
    }

    /// How many layouts of at most `seeds` seeds `pits` pits have, if that fits 64 bits.
    pub fn total(pits: usize, seeds: u32) -> Option<u64> {
        // C(seeds + pits, pits), each product divisible by what follows.
        (1..=pits as u64).try_fold(1_u64, |ways, at| {
            let product = u128::from(ways) * u128::from(u64::from(seeds) + at);
            u64::try_from(product / u128::from(at)).ok()
        })
    }
}
