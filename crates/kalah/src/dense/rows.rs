//! The half that selects the row: the order of rows, and the effect of sowing each of its pits.

use game::Half;

use super::throw::{Last, Throw};
use crate::{Layouts, position::MAX_PITS};

/// The row after a capture if there is no capture.
pub(super) const NO_CAPTURE: u32 = u32::MAX;

/// All layouts of the half that selects the row.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// By row.
    pub(super) layouts: Vec<[u8; MAX_PITS]>,
    /// By row and then pit.
    pub(super) steps: Vec<Step>,
}

/// The effect of sowing a pit. The step of an empty pit is not used.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Step {
    /// The row of the seeds that stay on the mover's side, without a capture.
    pub(super) to: u32,
    /// The same without the last seed, if the last seed falls into an empty pit.
    pub(super) captured: u32,
}

/// The order of the layouts of a half. Sowing within a side brings seeds nearer to the store, so
/// rows with the same distance form a layer.
pub(super) fn half(layouts: &Layouts, seeds: u32) -> Half {
    let mut order: Vec<(u32, u32)> = Vec::new();
    let mut pits = [0; MAX_PITS];
    let pits = &mut pits[..layouts.pits()];
    for column in 0..layouts.count(seeds) {
        layouts.layout(seeds, column, pits);
        let distances = pits.iter().rev().zip(1..);
        order
            .push((distances.map(|(seeds, steps)| u32::from(*seeds) * steps).sum(), column as u32));
    }
    order.sort_unstable();
    let mut rows = vec![0; order.len()];
    for (row, (_, column)) in order.iter().enumerate() {
        rows[*column as usize] = row as u32;
    }
    let mut layers = vec![0];
    for layer in order.chunk_by(|a, b| a.0 == b.0) {
        layers.push(layers[layers.len() - 1] + layer.len() as u32);
    }
    Half { rows, layers }
}

impl Rows {
    pub(super) fn new(layouts: &Layouts, halves: &[Half], seeds: u32) -> Rows {
        let pits = layouts.pits();
        let half = &halves[seeds as usize];
        let mut rows = Rows {
            layouts: vec![[0; MAX_PITS]; half.count()],
            steps: vec![Step::default(); half.count() * pits],
        };
        for (column, row) in half.rows.iter().map(|row| *row as usize).enumerate() {
            let mut side = [0; MAX_PITS];
            layouts.layout(seeds, column as u64, &mut side[..pits]);
            rows.layouts[row] = side;
            for pit in (0..pits).filter(|pit| side[*pit] > 0) {
                rows.steps[row * pits + pit] = Step::new(layouts, halves, &side[..pits], pit);
            }
        }
        rows
    }

    /// The bytes that each row takes.
    pub(super) fn bytes_each(pits: usize) -> u64 {
        (MAX_PITS + pits * size_of::<Step>()) as u64
    }

    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.layouts) + size_of_val(&*self.steps)
    }
}

impl Step {
    fn new(layouts: &Layouts, halves: &[Half], side: &[u8], pit: usize) -> Step {
        let number = |side: &[u8]| {
            let seeds: usize = side.iter().map(|seeds| usize::from(*seeds)).sum();
            halves[seeds].rows[layouts.number(side) as usize]
        };
        let mut after = [0; MAX_PITS];
        let after = &mut after[..side.len()];
        after.copy_from_slice(side);
        Throw::sow_own(after, pit);
        let to = number(after);
        let captured = match Throw::new(side.len(), pit, side[pit].into()).last {
            Last::Own(last) if after[last] == 1 => {
                after[last] = 0;
                number(after)
            }
            _ => NO_CAPTURE,
        };
        Step { to, captured }
    }
}
