//! Transposes a view.

use game::Half;
use rayon::prelude::*;

use crate::pages::Values;

/// How many columns of the result are written at once: one cache line.
const TILE: usize = 64;

/// About how many values a thread transposes at once.
const SHARE: usize = 1 << 20;

/// The transposed view. `rows` and `columns` are the halves of `values`.
pub(super) fn turn(values: &[i8], rows: &Half, columns: &Half) -> Values {
    let (height, width) = (rows.count(), columns.count());
    let mut turned = Values::zeroed(values.len());
    // Maps rows of the result to columns of `values`.
    let mut sources = vec![0_u32; width];
    for (column, row) in columns.rows.iter().enumerate() {
        sources[*row as usize] = column as u32;
    }
    let share = SHARE.div_ceil(height);
    turned.par_chunks_mut(share * height).zip(sources.par_chunks(share)).for_each(
        |(turned, sources)| {
            // Every row of the result reads all rows of a tile before the next tile begins, so the
            // tile stays in the cache.
            for (tile, from) in rows.rows.chunks(TILE).enumerate() {
                let lines = turned.chunks_exact_mut(height).zip(sources);
                for (line, source) in lines {
                    let line = &mut line[tile * TILE..][..from.len()];
                    for (value, row) in line.iter_mut().zip(from) {
                        *value = values[*row as usize * width + *source as usize];
                    }
                }
            }
        },
    );
    turned
}
