//! A way from the start of a game to a position.

use std::collections::{HashMap, hash_map};

use game::{Game, Turn};

use crate::{Kalah, Pit, Position, Standing, position::MAX_PITS};

/// The result of looking for a way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Way {
    /// The pits to sow.
    Found(Vec<Pit>),
    /// There is no way.
    None,
    /// There was none among so many positions, and there are more.
    Unknown,
}

impl Kalah {
    /// A way from the start to a position, found by looking at no more than `most` positions. If
    /// the stores are given, those of the way are the same.
    ///
    /// A third of the positions is looked at forwards from the start, those with the fewest moves
    /// first. A way among them is a shortest one. Otherwise moves are taken back from the position,
    /// until one of these is met.
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
        let wanted = Node { position: target.position, stores: target.stores };
        let stored = target.stores.map(|(own, other)| own + other);
        if stored.is_some_and(|stored| wanted.position.seeds_in_play() + stored != self.seeds()) {
            return Way::None;
        }
        let early = match Early::new(self, &wanted, most / 3) {
            (_, Some(way)) => return way,
            (early, None) => early,
        };
        let mut left = most.saturating_sub(early.nodes.len());
        let mut width = NARROWEST;
        loop {
            let late = Late::new(self, &early, wanted, width, left);
            match late.end {
                Met::At(node) => {
                    return Way::Found([early.way(&node), late.way(self, &node)].concat());
                }
                Met::Never => return Way::None,
                Met::NotYet if late.pits.len() >= left => return Way::Unknown,
                Met::NotYet => {}
            }
            left -= late.pits.len();
            width *= 8;
        }
    }
}

/// How many positions are taken further back at first.
const NARROWEST: usize = 1 << 11;

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

    fn before(&self, kalah: &Kalah, mut visit: impl FnMut(Node, Pit)) {
        let free = kalah.seeds() - self.position.seeds_in_play();
        let stored = self.stores.unwrap_or((free, free));
        kalah.unsow(&self.position, stored, |position, pit, gain, turn| {
            let stores = self.stores.map(|(own, other)| match turn {
                Turn::Keeps => (own - gain, other),
                Turn::Passes => (other - gain, own),
            });
            visit(Node { position, stores }, pit);
        });
    }

    /// The seeds in every pit, and in the stores.
    fn seeds(&self) -> impl Iterator<Item = usize> {
        let Position { own, other } = self.position;
        let stores = self.stores.map(|(own, other)| [own as usize, other as usize]);
        let pits = own.seeds.into_iter().chain(other.seeds).map(usize::from);
        pits.chain(stores.into_iter().flatten())
    }
}

/// The positions with the fewest moves from the start.
struct Early {
    /// Every node with the pit that led to it and the number of the node before.
    nodes: Vec<(Node, Option<(usize, Pit)>)>,
    numbers: HashMap<Node, usize>,
    /// What a number of seeds in a pit or store costs: the rarer it is here, the more.
    costs: Vec<[u32; 256]>,
}

impl Early {
    /// The first `most` of them; and the way, if they settle it.
    fn new(kalah: &Kalah, wanted: &Node, most: usize) -> (Early, Option<Way>) {
        let lowest = kalah.rank(&wanted.position);
        let start = Node { position: kalah.start(), stores: wanted.stores.map(|_| (0, 0)) };
        let numbers = HashMap::from([(start, 0)]);
        let mut early = Early { nodes: vec![(start, None)], numbers, costs: Vec::new() };
        if start == *wanted {
            return (early, Some(Way::Found(Vec::new())));
        }
        let mut at = 0;
        while at < early.nodes.len() {
            let node = early.nodes[at].0;
            for pit in kalah.moves(&node.position) {
                let next = node.after(kalah, pit);
                if next == *wanted {
                    let way = [early.way(&node), vec![pit]].concat();
                    return (early, Some(Way::Found(way)));
                }
                // Every move lowers the rank, so nothing at or below that of the target leads there.
                if kalah.rank(&next.position) <= lowest {
                    continue;
                }
                let hash_map::Entry::Vacant(place) = early.numbers.entry(next) else { continue };
                if early.nodes.len() >= most {
                    early.weigh();
                    return (early, None);
                }
                place.insert(early.nodes.len());
                early.nodes.push((next, Some((at, pit))));
            }
            at += 1;
        }
        (early, Some(Way::None))
    }

    /// Computes the costs. Pits are taken as independent of one another, which is crude and guides
    /// well: without it, or with the distance from the start, most ways are not found.
    fn weigh(&mut self) {
        let mut counts = vec![[1_u32; 256]; 2 * MAX_PITS + 2];
        for (node, _) in &self.nodes {
            for (count, seeds) in counts.iter_mut().zip(node.seeds()) {
                count[seeds] += 1;
            }
        }
        let all = self.nodes.len() as f64;
        let cost = |count: u32| ((all + 1.0).ln() - f64::from(count).ln()) * 1000.0;
        self.costs = counts.iter().map(|count| count.map(|count| cost(count) as u32)).collect();
    }

    /// How unlike these positions a position is.
    fn cost(&self, node: &Node) -> u32 {
        self.costs.iter().zip(node.seeds()).map(|(costs, seeds)| costs[seeds]).sum()
    }

    /// The pits that lead to one of these positions.
    fn way(&self, node: &Node) -> Vec<Pit> {
        let mut pits = Vec::new();
        let mut at = self.numbers[node];
        while let Some((before, pit)) = self.nodes[at].1 {
            pits.push(pit);
            at = before;
        }
        pits.reverse();
        pits
    }
}

/// Positions that lead to the wanted one.
struct Late {
    wanted: Node,
    /// The pit that leads on from each of them.
    pits: HashMap<Node, Pit>,
    end: Met,
}

/// How taking moves back ended.
enum Met {
    At(Node),
    /// All moves were taken back, and the early positions are not among them.
    Never,
    NotYet,
}

impl Late {
    /// Takes moves back until an early position is met, a move at a time, from the `width`
    /// positions that are most like the early ones.
    fn new(kalah: &Kalah, early: &Early, wanted: Node, width: usize, most: usize) -> Late {
        let mut late = Late { wanted, pits: HashMap::new(), end: Met::Never };
        let mut layer = vec![(0, wanted)];
        while !layer.is_empty() {
            let mut next = Vec::new();
            for (_, node) in &layer {
                node.before(kalah, |before, pit| {
                    let hash_map::Entry::Vacant(place) = late.pits.entry(before) else { return };
                    place.insert(pit);
                    next.push((early.cost(&before), before));
                });
                if late.pits.len() >= most {
                    late.end = Met::NotYet;
                    break;
                }
            }
            let is_early = |(_, node): &&(u32, Node)| early.numbers.contains_key(node);
            if let Some((_, node)) = next.iter().find(is_early) {
                late.end = Met::At(*node);
                return late;
            }
            if late.pits.len() >= most {
                return late;
            }
            if next.len() > width {
                next.select_nth_unstable_by_key(width, |(cost, _)| *cost);
                next.truncate(width);
                late.end = Met::NotYet;
            }
            layer = next;
        }
        late
    }

    /// The pits that lead from a position to the wanted one.
    fn way(&self, kalah: &Kalah, node: &Node) -> Vec<Pit> {
        let mut pits = Vec::new();
        let mut at = *node;
        while at != self.wanted {
            let pit = self.pits[&at];
            pits.push(pit);
            at = at.after(kalah, pit);
        }
        pits
    }
}
