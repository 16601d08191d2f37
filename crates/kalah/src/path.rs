//! The way of the seeds of one move.

use crate::{Kalah, Pit, Position};

/// A place that seeds are sown into, seen from the side that moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Hole {
    /// A pit of the mover.
    Own(Pit),
    /// The mover's store.
    Store,
    /// A pit of the opponent.
    Other(Pit),
}

impl Kalah {
    /// Where the seeds of a pit fall, one after the other. The opponent's store is skipped.
    ///
    /// ```
    /// use game::Game;
    /// use kalah::{Hole, Kalah, Rules};
    ///
    /// let kalah = Kalah::new(3, 2, Rules::STD_EITHER)?;
    /// let path = kalah.path(&kalah.start(), kalah.pit(3).expect("a pit of three"));
    /// assert_eq!(path, [Hole::Store, Hole::Other(kalah.pit(1).expect("the opposite side"))]);
    /// # Ok::<(), kalah::SizeError>(())
    /// ```
    pub fn path(&self, position: &Position, pit: Pit) -> Vec<Hole> {
        let pits = position.own.pits;
        let own = (0..pits).map(|pit| Hole::Own(Pit(pit)));
        let other = (0..pits).map(|pit| Hole::Other(Pit(pit)));
        let lap = own.chain([Hole::Store]).chain(other);
        lap.cycle().skip(pit.index() + 1).take(usize::from(position.own[pit])).collect()
    }
}
