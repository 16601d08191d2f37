//! A way from the start of a game to a position.

use std::collections::HashSet;

use game::{Game, Turn};

use crate::{Kalah, Pit, Position, Standing};

/// The result of looking for a way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Way {
    /// The pits to sow, as few as possible.
    Found(Vec<Pit>),
    /// There is no way.
    None,
    /// There was none among so many positions, and there are more.
    Unknown,
}

impl Kalah {
    /// A shortest way from the start to a position, among the first `most` positions. If the
    /// stores are given, those of the way are the same.
    ///
    /// ```
    /// use kalah::{Kalah, Rules, Way};
    ///
    /// let kalah = Kalah::new(3, 3, Rules::STD_EITHER)?;
    /// let Way::Found(pits) = kalah.way_to(&"4,4,3/0,0,5/0-2".parse()?, 1_000) else {
    ///     panic!("there is a way")
    /// };
    /// assert_eq!(pits.iter().map(|pit| pit.number()).collect::<Vec<_>>(), [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn way_to(&self, target: &Standing, most: usize) -> Way {
        let lowest = self.rank(&target.position);
        let start = Node { position: self.start(), stores: target.stores.map(|_| (0, 0)) };
        let wanted = Node { position: target.position, stores: target.stores };
        if start == wanted {
            return Way::Found(Vec::new());
        }
        // Every node with the pit that led to it and the number of the node before.
        let mut nodes = vec![(start, None)];
        let mut known = HashSet::from([start]);
        let mut at = 0;
        while at < nodes.len() {
            let node = nodes[at].0;
            for pit in self.moves(&node.position) {
                let next = node.after(self, pit);
                if next == wanted {
                    return Way::Found(pits_to(&nodes, at, pit));
                }
                // Every move lowers the rank, so nothing at or below that of the target leads there.
                if self.rank(&next.position) <= lowest || !known.insert(next) {
                    continue;
                }
                if nodes.len() >= most {
                    return Way::Unknown;
                }
                nodes.push((next, Some((at, pit))));
            }
            at += 1;
        }
        Way::None
    }
}

/// A position on a way; with the stores if they matter.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    position: Position,
    stores: Option<(u32, u32)>,
}

impl Node {
    fn after(&self, kalah: &Kalah, pit: Pit) -> Node {
        let sown = kalah.sow(&self.position, pit);
        let stores = self.stores.map(|(own, other)| match sown.turn {
            Turn::Keeps => (own + sown.gain, other),
            Turn::Passes => (other, own + sown.gain),
        });
        Node { position: sown.to, stores }
    }
}

fn pits_to(nodes: &[(Node, Option<(usize, Pit)>)], mut at: usize, last: Pit) -> Vec<Pit> {
    let mut pits = vec![last];
    while let Some((before, pit)) = nodes[at].1 {
        pits.push(pit);
        at = before;
    }
    pits.reverse();
    pits
}
