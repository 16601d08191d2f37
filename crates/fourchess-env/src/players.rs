//! Built-in players.

use fourchess::{
    Cell, Counter, Ending, History, Kind, Move, Piece, Position, Random, Rules, Sides,
};

use crate::actions::Action;

/// A player that needs no learning. Same position, same stream of random numbers, same choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Player {
    /// Chooses among the legal actions, all equally likely.
    Random,
    /// Makes the move that wins most points at once, mates and stalemates included; for pairs, who
    /// have no points, a mate or else the most valuable piece. Chooses among equals at random.
    Greedy,
}

impl Player {
    /// Both.
    pub const ALL: [Player; 2] = [Player::Random, Player::Greedy];

    /// The name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Player::Random => "random",
            Player::Greedy => "greedy",
        }
    }

    /// The player with this name.
    pub fn named(name: &str) -> Option<Player> {
        Player::ALL.into_iter().find(|player| player.name() == name)
    }

    /// Chooses one of the legal actions.
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn choose(
        self,
        position: &Position,
        rules: &Rules,
        legal: &[u16],
        random: &mut Random,
    ) -> u16 {
        match self {
            Player::Random => legal[random.below(legal.len() as u32) as usize],
            Player::Greedy => greedy(position, rules, legal, random),
        }
    }
}

fn greedy(position: &Position, rules: &Rules, legal: &[u16], random: &mut Random) -> u16 {
    let mut history = History::new();
    let (mut best, mut best_gain, mut equals) = (legal[0], i32::MIN, 0);
    for &id in legal {
        let action = Action::new(id).expect("legal actions are actions");
        let gain = gain(position, action.move_in(position, rules), rules, &mut history);
        if gain > best_gain {
            (best_gain, equals) = (gain, 0);
        }
        if gain == best_gain {
            // The n-th of equals takes the place with a chance of one in n, which makes all of
            // them equally likely in one pass.
            equals += 1;
            if random.below(equals) == 0 {
                best = id;
            }
        }
    }
    best
}

/// What a move wins at once for the seat that makes it.
fn gain(position: &Position, mv: Move, rules: &Rules, history: &mut History) -> i32 {
    let mut after = *position;
    history.clear();
    after.step(history, mv, rules, &mut Counter::default());
    let own = position.turn().index();
    match rules.sides {
        Sides::Free => i32::from(after.points()[own]) - i32::from(position.points()[own]),
        Sides::Pairs => match after.ending() {
            Some(Ending::Mate | Ending::KingTaken) => i32::MAX,
            _ => value(position.cell(mv.to)),
        },
    }
}

/// What a piece is worth where everyone plays for themselves.
fn value(cell: Cell) -> i32 {
    match cell.piece() {
        Some(Piece::Living { kind, promoted, .. }) if kind != Kind::King => {
            let worth = if promoted { Kind::Pawn } else { kind };
            i32::from(Rules::FFA.values[worth.index()])
        }
        _ => 0,
    }
}
