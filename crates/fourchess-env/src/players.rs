//! Built-in players.

use fourchess::{
    Cell, Counter, Ending, History, Move, Piece, Position, Random, Role, Rules, Sides,
};

use crate::actions::Action;

/// A built-in player. The same position and the same random numbers lead to the same choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Player {
    /// Chooses a legal action at random, with equal probability.
    Random,
    /// Chooses the move that gains the most points at once, mates and stalemates included. For
    /// teams, which have no points, it chooses a mate, else the most valuable capture. Ties are
    /// broken at random.
    Greedy,
}

impl Player {
    /// All players.
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
            Player::Random => legal[random.below(legal.len())],
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
            // The n-th of equally good moves replaces the choice with probability 1/n, so all of
            // them are equally likely after one pass.
            equals += 1;
            if random.below(equals) == 0 {
                best = id;
            }
        }
    }
    best
}

/// The points that a move gains at once for its seat.
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

/// The value of a piece in [`Rules::FFA`].
fn value(cell: Cell) -> i32 {
    match cell.piece() {
        Some(Piece::Living { role, promoted, .. }) if role != Role::King => {
            let worth = if promoted { Role::Pawn } else { role };
            i32::from(Rules::FFA.values[worth.index()])
        }
        _ => 0,
    }
}
