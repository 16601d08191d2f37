//! The part of sowing that depends only on the number of seeds in a pit.

/// Where the seeds of a pit go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Throw {
    /// How many seeds go into the store.
    pub(super) stored: u16,
    /// How many seeds are sown on the other side, beginning with its first pit.
    pub(super) across: u16,
    /// Where the last seed falls.
    pub(super) last: Last,
}

/// Where the last seed falls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Last {
    /// Into the store: the same side moves again.
    Store,
    /// Into this pit of its own side.
    Own(usize),
    /// Into a pit of the other side.
    Other,
}

impl Throw {
    /// Sowing `seeds` from a pit of a side with `pits`.
    pub(super) fn new(pits: usize, pit: usize, seeds: usize) -> Throw {
        let lap = 2 * pits + 1;
        let (whole, end) = (seeds / lap, pit + seeds % lap);
        let last = match end % lap {
            at if at < pits => Last::Own(at),
            at if at == pits => Last::Store,
            _ => Last::Other,
        };
        Throw {
            stored: (whole + usize::from(end >= pits)) as u16,
            across: (whole * pits + end.saturating_sub(pits).min(pits)) as u16,
            last,
        }
    }

    /// Takes the seeds out of a pit and sows those that stay on its side.
    pub(super) fn sow_own(side: &mut [u8], pit: usize) {
        let (pits, lap) = (side.len(), 2 * side.len() + 1);
        let seeds = usize::from(std::mem::take(&mut side[pit]));
        let (whole, end) = (seeds / lap, pit + seeds % lap);
        side.iter_mut().for_each(|pit| *pit += whole as u8);
        side[pit + 1..pits.min(end + 1)].iter_mut().for_each(|pit| *pit += 1);
        if end >= lap {
            side[..=end - lap].iter_mut().for_each(|pit| *pit += 1);
        }
    }

    /// Sows seeds that come from the other side.
    pub(super) fn sow_across(side: &mut [u8], seeds: usize) {
        let (whole, rest) = (seeds / side.len(), seeds % side.len());
        side.iter_mut().for_each(|pit| *pit += whole as u8);
        side[..rest].iter_mut().for_each(|pit| *pit += 1);
    }
}
