//! Facts next to the theme tags of puzzles. Geometry is not a tactic: a tag says that a motif
//! decides, a fact that it is there, so precision tells how often it matters.

use std::{fs, path::Path};

use chess::{Color, Move, Position, Role, Uci};
use chess_facts::{
    Facts, Level,
    exchange::{self, Pins},
    facts,
};

/// A fact and the tag it is compared with.
struct Motif {
    name: &'static str,
    tag: &'static str,
    holds: fn(&Turn<'_>) -> bool,
}

/// One move of the solver.
struct Turn<'a> {
    /// Whether the solution begins with it.
    first: bool,
    /// Whether it ends with it, so that nothing can come of the motif.
    last: bool,
    solver: Color,
    before: &'a Position,
    facts_before: &'a Facts,
    mv: Move,
    facts_after: &'a Facts,
}

const MOTIFS: [Motif; 6] = [
    Motif { name: "safe fork by the move", tag: "fork", holds: |turn| turn.forks() },
    Motif { name: "pin after the move", tag: "pin", holds: |turn| turn.pins() },
    Motif { name: "pin by the piece moved", tag: "pin", holds: |turn| turn.pins_by_the_man() },
    Motif { name: "skewer after the move", tag: "skewer", holds: |turn| turn.skewers() },
    Motif {
        name: "skewer by the piece moved",
        tag: "skewer",
        holds: |turn| turn.skewers_by_the_man(),
    },
    Motif {
        name: "capture of what hangs",
        tag: "hangingPiece",
        holds: |turn| turn.takes_what_hangs(),
    },
];

impl Turn<'_> {
    fn forks(&self) -> bool {
        let moves = &self.facts_before[self.solver].fork_moves;
        !self.last && moves.iter().any(|fork| fork.mv == self.mv)
    }

    fn pins(&self) -> bool {
        let victim = &self.facts_after[!self.solver];
        !victim.pins.is_empty() || !victim.relative_pins.is_empty()
    }

    fn pins_by_the_man(&self) -> bool {
        let victim = &self.facts_after[!self.solver];
        let mut pins = victim.pins.iter().chain(&victim.relative_pins);
        pins.any(|pin| pin.slider == self.mv.to)
    }

    fn skewers(&self) -> bool {
        !self.last && !self.facts_after[!self.solver].skewers.is_empty()
    }

    fn skewers_by_the_man(&self) -> bool {
        let skewers = &self.facts_after[!self.solver].skewers;
        !self.last && skewers.iter().any(|skewer| skewer.slider == self.mv.to)
    }

    /// Tagged are first moves that take a piece for nothing.
    fn takes_what_hangs(&self) -> bool {
        let hangs = self.facts_before[!self.solver].hanging_see().contains(self.mv.to);
        let pawn = self.before.board().by_role(Role::Pawn).contains(self.mv.to);
        let undefended = self.facts_before[!self.solver].loose.contains(self.mv.to);
        let wins = exchange::of_move(self.before, self.mv, Pins::Ignored) > 0;
        self.first && hangs && undefended && wins && !pawn
    }
}

#[derive(Clone, Copy, Default)]
struct Tally {
    both: u32,
    fact: u32,
    tag: u32,
}

/// Prints recall and precision of each fact against its tag.
pub(crate) fn report(puzzles: &Path) {
    let text = fs::read_to_string(puzzles).expect("fixture");
    let mut tallies = [Tally::default(); MOTIFS.len()];
    let mut count = 0;
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let (fen, moves, tags) = (fields[1], fields[2], fields[7]);
        let found = look(fen, moves);
        for ((motif, tally), found) in MOTIFS.iter().zip(&mut tallies).zip(found) {
            let tagged = tags.split(' ').any(|tag| tag == motif.tag);
            tally.both += u32::from(found && tagged);
            tally.fact += u32::from(found);
            tally.tag += u32::from(tagged);
        }
        count += 1;
    }
    println!(
        "{count} puzzles, not a random sample; a fact is geometry, a tag says that it decides"
    );
    let share = |part: u32, whole: u32| f64::from(part) / f64::from(whole.max(1));
    println!(
        "{:<24} {:<14} {:>6} {:>6} {:>7} {:>10}",
        "fact", "tag", "facts", "tags", "recall", "precision"
    );
    for (motif, Tally { both, fact, tag }) in MOTIFS.iter().zip(tallies) {
        let (recall, precision) = (share(both, tag), share(both, fact));
        println!(
            "{:<24} {:<14} {fact:>6} {tag:>6} {recall:>7.2} {precision:>10.2}",
            motif.name, motif.tag
        );
    }
}

/// Which motifs hold at some move of the solution. The first move is the other side's.
fn look(fen: &str, moves: &str) -> [bool; MOTIFS.len()] {
    let mut position: Position = fen.parse().expect("a legal position");
    let mut before = facts(&position, Level::Everything);
    let mut found = [false; MOTIFS.len()];
    for (ply, text) in moves.split(' ').enumerate() {
        let mv = text.parse::<Uci>().expect("a move").find(&position).expect("a legal move");
        let next = position.play(mv);
        let after = facts(&next, Level::Everything);
        if ply % 2 == 1 {
            let turn = Turn {
                first: ply == 1,
                last: ply + 1 == moves.split(' ').count(),
                solver: position.turn(),
                before: &position,
                facts_before: &before,
                mv,
                facts_after: &after,
            };
            for (found, motif) in found.iter_mut().zip(&MOTIFS) {
                *found |= (motif.holds)(&turn);
            }
        }
        position = next;
        before = after;
    }
    found
}
