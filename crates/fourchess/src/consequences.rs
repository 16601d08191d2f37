//! What follows from a ply, one thing after the other, each with the points that it brings.

use std::fmt;

use crate::{
    game::{Ending, Game, History},
    moves::{Move, MoveList, Sink},
    pgn::{Exit, Ply},
    piece::{Piece, Role},
    position::{Position, Status},
    rules::Rules,
    seat::Seat,
};

/// Why points change, or somebody is out, or the game is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The seat that moves captures this.
    Capture(Piece),
    /// The king of this seat is captured.
    KingTaken(Seat),
    /// The seat that moves checks the kings of these seats.
    Checks([bool; 4]),
    /// This seat leaves.
    Departure(Seat, Exit),
    /// This seat is mated.
    Mate(Seat),
    /// This seat is stalemated.
    Stalemate(Seat),
    /// The game is over.
    End(Ending),
}

/// One thing that follows from a ply. Its `Display` is a sentence without a full stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Consequence {
    /// Whose ply it was.
    pub seat: Seat,
    /// What follows.
    pub cause: Cause,
    /// The points that each seat gets for it.
    pub points: [i16; 4],
}

impl Game {
    /// What follows from a ply that is possible here, in order. The points of all consequences
    /// together are the change of [`Position::points`](crate::Position::points).
    ///
    /// ```
    /// use fourchess::{Game, Rules, pgn::Ply};
    ///
    /// let mut game = Game::new(&Rules::FFA);
    /// for text in ["h2-h3", "b8-c8", "g13-g12", "m10-l10"] {
    ///     let mv = game.find_move(text).unwrap();
    ///     game.play(mv).unwrap();
    /// }
    /// let mv = game.find_move("Qg1xm7").unwrap();
    /// let words: Vec<String> =
    ///     game.consequences(Ply::Move(mv)).iter().map(ToString::to_string).collect();
    /// assert_eq!(words, ["Red captures Green's pawn: Red +1", "Red checks Green"]);
    /// ```
    pub fn consequences(&self, ply: Ply) -> Vec<Consequence> {
        let position = *self.position();
        let seat = match ply {
            Ply::Move(_) => position.turn(),
            Ply::Leave { seat, .. } => seat,
        };
        let mut trace = Trace { seat, position, rules: *self.rules(), found: Vec::new() };
        match ply {
            Ply::Move(mv) => trace.moves(mv),
            Ply::Leave { exit, .. } => {
                trace.note(Cause::Departure(seat, exit), |position, rules| {
                    position.depart(seat, rules);
                });
            }
        }
        trace.settles(&mut self.history.clone());
        trace.found
    }
}

/// A position on the way through a ply.
struct Trace {
    seat: Seat,
    position: Position,
    rules: Rules,
    found: Vec<Consequence>,
}

impl Trace {
    /// Lets something happen and notes the points that it brings.
    fn note(&mut self, cause: Cause, happen: impl FnOnce(&mut Position, &Rules)) {
        let before = self.position.points();
        happen(&mut self.position, &self.rules);
        let points = gained(before, self.position.points());
        self.found.push(Consequence { seat: self.seat, cause, points });
    }

    fn moves(&mut self, mv: Move) {
        let (mover, rules) = (self.seat, self.rules);
        let captured: Vec<Piece> = self.position.captures(mv, &rules).collect();
        let before = self.position.points()[mover.index()];
        let earns = self.position.status(mover) == Status::Active;
        self.position.make(mv, &rules);
        let mut left = self.position.points()[mover.index()] - before;
        for (at, &piece) in captured.iter().enumerate() {
            // Only en passant captures two pieces, and the second of them is a pawn.
            let is_last = at + 1 == captured.len();
            let others = if earns { rules.values[Role::Pawn.index()] } else { 0 };
            let value = if is_last { left } else { left - others };
            left -= value;
            let mut points = [0; 4];
            points[mover.index()] = value;
            self.found.push(Consequence { seat: mover, cause: Cause::Capture(piece), points });
            if let Piece::Living { seat, role: Role::King, .. } = piece {
                self.note(Cause::KingTaken(seat), |_, _| {});
            }
        }
        let checks = Seat::ALL.map(|seat| {
            let king = self.position.king(seat).filter(|_| rules.are_opponents(seat, mover));
            king.is_some_and(|king| self.position.gives_check(king, mv, mover, &rules))
        });
        if checks.contains(&true) {
            self.note(Cause::Checks(checks), |position, rules| {
                if rules.awards_checks() && position.status(mover) == Status::Active {
                    position.earn(mover, position.check_award(mv, mover, rules));
                }
            });
        }
    }

    /// The same steps as [`Position::settle`], each noted.
    fn settles(&mut self, history: &mut History) {
        let rules = self.rules;
        let mut moves = MoveList::new();
        self.ends(Position::end_if_alone);
        self.position.legal_moves(&rules, &mut moves);
        while self.position.ending().is_none() && moves.is_empty() {
            let victim = self.position.turn();
            let is_mate = self.position.in_check(victim, &rules);
            let cause = if is_mate { Cause::Mate(victim) } else { Cause::Stalemate(victim) };
            self.note(cause, Position::put_out);
            self.ends(Position::end_if_alone);
            self.position.legal_moves(&rules, &mut moves);
        }
        if self.position.quiet() == 0 {
            history.clear();
        }
        self.ends(Position::end_if_claimed);
        self.ends(|position, rules| {
            if position.ending().is_none() {
                position.end_if_drawn(history, rules);
            }
        });
        let said = self.found.iter().any(|found| matches!(found.cause, Cause::End(_)));
        if let Some(ending) = self.position.ending().filter(|_| !said) {
            self.note(Cause::End(ending), |_, _| {});
        }
    }

    /// Notes the end of the game if this brings it.
    fn ends(&mut self, happen: impl FnOnce(&mut Position, &Rules)) {
        if self.position.ending().is_some() {
            return;
        }
        let before = self.position.points();
        happen(&mut self.position, &self.rules);
        if let Some(ending) = self.position.ending() {
            let points = gained(before, self.position.points());
            self.found.push(Consequence { seat: self.seat, cause: Cause::End(ending), points });
        }
    }
}

fn gained(before: [i16; 4], after: [i16; 4]) -> [i16; 4] {
    std::array::from_fn(|seat| after[seat] - before[seat])
}

impl fmt::Display for Consequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seat = self.seat;
        match self.cause {
            Cause::Capture(Piece::Living { seat: owner, role, .. }) => {
                write!(f, "{seat} captures {owner}'s {}", role.name())?;
            }
            Cause::Capture(Piece::Dead { role, .. }) => {
                write!(f, "{seat} captures a dead {}", role.name())?;
            }
            Cause::KingTaken(owner) => write!(f, "the king of {owner} is gone")?,
            Cause::Checks(kings) => {
                let owners = Seat::ALL.into_iter().filter(|owner| kings[owner.index()]);
                let owners: Vec<String> = owners.map(|owner| owner.to_string()).collect();
                write!(f, "{seat} checks {}", owners.join(" and "))?;
            }
            Cause::Departure(who, exit) => Ply::Leave { seat: who, exit }.fmt(f)?,
            Cause::Mate(victim) => write!(f, "{victim} is mated")?,
            Cause::Stalemate(victim) => write!(f, "{victim} is stalemated")?,
            Cause::End(ending) => write!(f, "{}", ending.sentence())?,
        }
        let won = Seat::ALL.into_iter().filter(|seat| self.points[seat.index()] != 0);
        let won: Vec<String> =
            won.map(|seat| format!("{seat} {:+}", self.points[seat.index()])).collect();
        if won.is_empty() { Ok(()) } else { write!(f, ": {}", won.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    /// Random games of all presets and of rules with every award and end; now and then somebody
    /// leaves.
    #[test]
    fn the_points_of_the_consequences_are_the_points_of_the_step() {
        let claimed = Rules { claim_lead: 5, max_plies: 900, ..Rules::FFA };
        let odd = Rules { king_capture: crate::KingCapture::Continues, ..Rules::FFA };
        let mut seen = std::collections::BTreeMap::<String, usize>::new();
        for seed in 0..60 {
            let mut random = Random::new(seed);
            let rules = [Rules::FFA, Rules::TEAMS, Rules::JAX, claimed, odd][seed as usize % 5];
            let mut game = Game::new(&rules);
            while game.ending().is_none() && game.position().plies() < 2000 {
                let seat = Seat::ALL[random.below(4)];
                let leaves =
                    random.below(300) == 0 && game.position().status(seat) == Status::Active;
                let ply = match leaves {
                    true => Ply::Leave { seat, exit: Exit::Resigns },
                    false => Ply::Move(game.moves()[random.below(game.moves().len())]),
                };
                let before = game.clone();
                let found = game.consequences(ply);
                assert!(game.apply(ply), "seed {seed}");
                let sum = found.iter().fold([0; 4], |sum, one| {
                    std::array::from_fn(|seat| sum[seat] + one.points[seat])
                });
                let fen = before.position().fen(&rules);
                let won = gained(before.position().points(), game.position().points());
                assert_eq!(sum, won, "seed {seed}: {ply} in {fen}: {found:?}");
                for seat in Seat::ALL {
                    let went = before.position().status(seat) != game.position().status(seat);
                    let said = found.iter().any(|one| match one.cause {
                        Cause::KingTaken(who) | Cause::Mate(who) | Cause::Stalemate(who) => {
                            who == seat
                        }
                        Cause::Departure(who, _) => who == seat,
                        _ => false,
                    });
                    assert!(!went || said, "seed {seed}: {ply} in {fen}: {found:?}");
                }
                let ends: Vec<Cause> = found
                    .iter()
                    .map(|one| one.cause)
                    .filter(|cause| matches!(cause, Cause::End(_)))
                    .collect();
                let expected: Vec<Cause> = game.ending().map(Cause::End).into_iter().collect();
                assert_eq!(ends, expected, "seed {seed}: {ply} in {fen}");
                for one in found {
                    let words = one.to_string();
                    let key =
                        words.split(':').next().unwrap().replace(|c: char| c.is_uppercase(), "");
                    *seen.entry(key).or_default() += 1;
                }
            }
        }
        assert!(seen.len() > 40, "{seen:#?}");
    }
}
