//! Perfect numbering of layouts: every distribution of seeds over pits has a number, without gaps.

/// All distributions of exactly `s` seeds over a fixed number of pits, numbered from 0 for each
/// `s`.
///
/// The numbering is lexicographic with the first pit most significant. A seed that moves to a later
/// pit lowers the number. So for a fixed number of seeds, moves that store nothing always lead to
/// lower numbers.
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
    /// `ways[p][s]`: the number of layouts of exactly `s` seeds in `p` pits.
    ways: Vec<Vec<u64>>,
    /// For each pit but the first, by the seeds in it and behind it: how many layouts come later
    /// because they have more seeds in the pit before it.
    later: Vec<Vec<u64>>,
}

impl Layouts {
    /// Numbers layouts of `pits` pits with up to `seeds` seeds.
    ///
    /// # Panics
    ///
    /// If the numbers do not fit 64 bits.
    pub fn new(pits: usize, seeds: u32) -> Layouts {
        let seeds = seeds as usize;
        // Without pits there is one layout, of no seeds. An additional pit takes the seeds that the
        // others leave, so its counts are the prefix sums of the counts before.
        let mut ways = vec![vec![0; seeds + 1]];
        ways[0][0] = 1;
        for pit in 0..pits {
            let sums = ways[pit].iter().scan(0_u64, |sum, ways| {
                *sum = sum.checked_add(*ways).expect("layouts fit 64 bits");
                Some(*sum)
            });
            ways.push(sums.collect());
        }
        let later = (1..pits).map(|at| {
            let behind = &ways[pits - at + 1];
            [0].into_iter().chain(behind.iter().take(seeds).copied()).collect()
        });
        let later = later.collect();
        Layouts { pits, ways, later }
    }

    /// The pits of a layout.
    pub fn pits(&self) -> usize {
        self.pits
    }

    /// How many layouts of exactly `seeds` seeds there are.
    pub fn count(&self, seeds: u32) -> u64 {
        self.ways[self.pits][seeds as usize]
    }

    /// The number of a layout among those with the same number of seeds.
    #[inline]
    pub fn number(&self, layout: &[u8]) -> u64 {
        debug_assert_eq!(layout.len(), self.pits);
        let Some((first, rest)) = layout.split_first() else { return 0 };
        // Counted from the last layout, which has all seeds in the first pit. A layout is earlier
        // than those that agree up to a pit and have more seeds in it. For each pit that is a sum
        // of counts, which is a count with one pit more.
        let (mut behind, mut later) = (0, 0);
        for (seeds, counts) in rest.iter().zip(&self.later).rev() {
            behind += usize::from(*seeds);
            later += counts[behind];
        }
        self.ways[self.pits][behind + usize::from(*first)] - 1 - later
    }

    /// Writes the layout with a number into `layout`.
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

    /// The number of layouts of at most `seeds` seeds in `pits` pits, if it fits 64 bits.
    pub fn total(pits: usize, seeds: u32) -> Option<u64> {
        // C(seeds + pits, pits). Each product is divisible by the next divisor.
        (1..=pits as u64).try_fold(1_u64, |ways, at| {
            let product = u128::from(ways) * u128::from(u64::from(seeds) + at);
            u64::try_from(product / u128::from(at)).ok()
        })
    }
}
